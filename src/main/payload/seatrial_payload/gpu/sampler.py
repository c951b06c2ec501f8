"""GPU state read through nvidia-smi, again and again: clocks, power, temperature, throttle reasons, errors, links.

Total by design: whatever the tool prints becomes values, absences (None, never 0) or a named error.
"""

import re
import threading
import time

from .. import nvidia

FIELDS = (
    "index", "uuid", "name", "compute_cap", "temperature.gpu", "temperature.memory", "power.draw",
    "enforced.power.limit", "clocks.sm", "clocks.mem", "clocks.max.sm", "utilization.gpu", "memory.used",
    "memory.total", "pcie.link.gen.current", "pcie.link.width.current",
    "clocks_event_reasons.active", "clocks_throttle_reasons.active",
    "clocks_event_reasons_counters.sw_power_cap", "clocks_event_reasons_counters.sw_thermal_slowdown",
    "clocks_event_reasons_counters.hw_thermal_slowdown", "clocks_event_reasons_counters.hw_power_brake_slowdown",
    "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total",
    "ecc.errors.uncorrected.aggregate.total", "remapped_rows.correctable", "remapped_rows.uncorrectable",
    "remapped_rows.pending", "remapped_rows.failure", "gpu_recovery_action", "pci.bus_id",
)  # fmt: skip
# Bits of the "active reasons" mask.
SW_POWER_CAP, HW_SLOWDOWN, SW_THERMAL, HW_THERMAL, HW_BRAKE = 0x4, 0x8, 0x20, 0x40, 0x80
HW_BITS = HW_SLOWDOWN | HW_THERMAL | HW_BRAKE

# Sentences that mean a GPU, or our way to it, is gone.
_GONE = (
    "gpu is lost",
    "unable to determine the device handle",
    "no devices were found",
    "failed to initialize nvml",
    "couldn't communicate with the nvidia driver",
    "has fallen off the bus",
)


def number(cell):
    """The cell as a number without its unit (hexadecimal masks included), or None."""
    text = nvidia.cell(cell)
    if text and text.lower().startswith("0x"):
        try:
            return int(text, 16)
        except ValueError:
            return None
    found = nvidia.number(cell)
    return int(found) if found is not None and found == int(found) else found


def gone(output):
    """The sentence in the tool's output that says a GPU cannot be reached any more, or None."""
    for line in str(output).splitlines()[:200]:
        if any(sentence in line.lower() for sentence in _GONE):
            return line.strip()[:300]
    return None


def parse(fields, output):
    """Rows of the CSV (no header, no units) as dicts by field name. Lines of another width are left out."""
    rows = []
    for line in str(output).splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(fields) or not re.match(r"^(GPU|MIG)-", dict(zip(fields, cells)).get("uuid", "")):
            continue
        rows.append(dict(zip(fields, cells)))
    return rows


def supported(help_text):
    """The fields of ours that this driver knows: one unknown name makes the whole query fail."""
    known = nvidia.known_fields(help_text)
    return [field for field in FIELDS if field in known]


class Reading:
    """One look at all GPUs: ``at`` (epoch seconds), ``rows`` by UUID, ``lost`` (a sentence) or ``hung``."""

    def __init__(self, at, rows=None, lost=None, hung=False, missing=False):
        self.at, self.rows, self.lost, self.hung, self.missing = at, rows or {}, lost, hung, missing

    def value(self, uuid, *fields):
        """The first of these fields that has a number for this GPU."""
        row = self.rows.get(uuid, {})
        for field in fields:
            found = number(row.get(field, ""))
            if found is not None:
                return found
        return None

    def reasons(self, uuid):
        return self.value(uuid, "clocks_event_reasons.active", "clocks_throttle_reasons.active")


class Sampler:
    """Reads through a context's ``run_probe``, so that a hung tool costs 20 seconds and not the stage."""

    def __init__(self, context, timeout=20):
        self._context, self._timeout, self._fields = context, timeout, None

    def read(self):
        if self._fields is None:
            asked = self._context.run_probe(["nvidia-smi", "--help-query-gpu"], self._timeout)
            if asked.missing:
                return Reading(time.time(), missing=True)
            if asked.timed_out:
                return Reading(time.time(), hung=True)
            self._fields = supported(asked.text) or list(FIELDS[:4])
        at = time.time()
        query = "--query-gpu=" + ",".join(self._fields)
        seen = self._context.run_probe(["nvidia-smi", query, "--format=csv,noheader,nounits"], self._timeout)
        if seen.timed_out or seen.missing:
            return Reading(at, hung=seen.timed_out, missing=seen.missing)
        rows = {row["uuid"]: row for row in parse(self._fields, seen.text)}
        lost = gone(seen.text) or gone(seen.err_text)
        for row in rows.values():
            cells = [cell for cell in row.values() if nvidia.trouble(cell)]
            if cells and lost is None:
                lost = "%s: %s" % (row["uuid"], cells[0])
        if not rows and lost is None:
            lost = (seen.text + seen.err_text).strip()[:300] or "nvidia-smi printed nothing (exit %s)" % seen.rc
        return Reading(at, rows, lost)


class Background:
    """Takes a reading every ``seconds`` until closed; keeps at most ``keep`` of them."""

    def __init__(self, sampler, seconds=1.0, keep=3600):
        self._sampler, self._seconds, self._keep = sampler, seconds, keep
        self._stop, self.readings = threading.Event(), []
        self._thread = threading.Thread(target=self._loop, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(30)

    def _loop(self):
        while not self._stop.is_set() and len(self.readings) < self._keep:
            reading = self._sampler.read()
            if reading.missing:
                return
            self.readings.append(reading)
            self._stop.wait(self._seconds)

    def between(self, start, end):
        return [reading for reading in list(self.readings) if start <= reading.at <= end]


def summary(readings, uuid):
    """What a GPU did while it was loaded, for the attributes of a figure; absent values are left out."""
    def values(*fields):
        found = [reading.value(uuid, *fields) for reading in readings]
        return sorted(value for value in found if value is not None)

    def middle(found):
        return found[len(found) // 2] if found else None

    masks = [reading.reasons(uuid) for reading in readings]
    masks = [mask for mask in masks if mask is not None]
    facts = {
        "smClockMHz": middle(values("clocks.sm")),
        "powerW": middle(values("power.draw")),
        "temperatureC": max(values("temperature.gpu"), default=None),
        "pcieGen": max(values("pcie.link.gen.current"), default=None),
        "pcieWidth": max(values("pcie.link.width.current"), default=None),
    }
    if masks:
        facts["powerCapShare"] = share(masks, SW_POWER_CAP)
        facts["throttleHwShare"] = share(masks, HW_BITS)
        facts["throttleThermalShare"] = share(masks, SW_THERMAL)
    return {name: value for name, value in facts.items() if value is not None}


def share(masks, bits):
    """Percent of the masks that have any of the bits."""
    return round(100.0 * sum(1 for mask in masks if int(mask) & bits) / len(masks), 2) if masks else None
