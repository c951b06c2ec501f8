"""Reads what nvidia-smi prints. Total: for any bytes it returns values, absences or signs of failure.

Absent cells (``[N/A]``, ``[Not Supported]``, empty, deprecated) are None, never 0. Cells that tell of
a broken card (``[GPU is lost]``, ``ERR!``) are kept apart as trouble.
"""

import re
import xml.etree.ElementTree as ET

QUERY = (
    "index", "name", "uuid", "pci.bus_id", "pci.device_id", "pci.sub_device_id", "vbios_version", "driver_version",
    "compute_cap", "memory.total", "memory.used", "memory.reserved", "pcie.link.gen.current", "pcie.link.gen.max",
    "pcie.link.gen.gpumax", "pcie.link.gen.hostmax", "pcie.link.width.current", "pcie.link.width.max",
    "persistence_mode", "mig.mode.current", "ecc.mode.current",
    "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total",
    "ecc.errors.corrected.aggregate.total", "ecc.errors.uncorrected.aggregate.total",
    "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded",
    "retired_pages.pending", "remapped_rows.correctable", "remapped_rows.uncorrectable", "remapped_rows.pending",
    "remapped_rows.failure", "temperature.gpu", "temperature.memory", "power.draw", "power.limit",
    "enforced.power.limit", "power.default_limit", "clocks.current.sm", "clocks.sm", "clocks.max.sm", "clocks.max.memory",
    "pstate", "utilization.gpu", "clocks_event_reasons.active", "clocks_throttle_reasons.active",
    "gpu_recovery_action", "fabric.state",
)
# Fields that every driver of the last ten years knows; asked for when the list of fields cannot be had.
BASIC = (
    "index", "name", "uuid", "pci.bus_id", "pci.device_id", "vbios_version", "driver_version", "memory.total",
    "memory.used", "pcie.link.gen.current", "pcie.link.gen.max", "pcie.link.width.current", "pcie.link.width.max",
    "persistence_mode", "ecc.mode.current", "power.limit", "power.default_limit", "clocks.max.sm", "utilization.gpu",
    "temperature.gpu",
)
# Alternative names of one field, the better first: only one of each is asked for.
_ALIASES = (("clocks.current.sm", "clocks.sm"), ("clocks_event_reasons.active", "clocks_throttle_reasons.active"))

_ABSENT = re.compile(r"\[?\s*(n/?a|not available|not supported|not applicable|insufficient permissions|no permission"
                     r"|requested functionality has been deprecated|unknown|function not found|none)\s*\]?\Z", re.I)
_TROUBLE = re.compile(r"err!|unknown error|gpu is lost|requires? reset|reset required|fallen off", re.I)
_NUMBER = re.compile(r"\s*([+-]?\d{1,18}(?:\.\d{1,9})?)\s*(?:%|[A-Za-z/]{1,6})?\s*\Z")
_FIELD = re.compile(r'"([A-Za-z0-9_.]{1,100})"')
_BAD_FIELD = re.compile(r'Field "([^"\n]{1,120})" is not a valid field')
_UUID = re.compile(r"(?:GPU|MIG)-[0-9A-Za-z/-]{8,80}\Z")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def text_of(data):
    """Text of any bytes, without colour codes."""
    if isinstance(data, bytes):
        data = data.decode("utf-8", "replace")
    return _ANSI.sub("", data)


def cell(value):
    """The cell's text, or None when it says that there is no value (or tells of trouble)."""
    if value is None:
        return None
    value = value.strip()
    if not value or _ABSENT.match(value) or _TROUBLE.search(value):
        return None
    return value[:200]


def trouble(value):
    """Whether the cell tells of a failing card."""
    return bool(value and _TROUBLE.search(value))


def number(value):
    """The cell's number without its unit, or None. ``16x`` and ``100.00 %`` are numbers, ``P0`` is not."""
    value = cell(value)
    match = _NUMBER.match(value) if value else None
    return float(match.group(1)) if match else None


def whole(value):
    n = number(value)
    return int(n) if n is not None and abs(n) < 1e15 else None


def yes(value):
    """True for Yes/Enabled/Active, False for No/Disabled/Not Active, None otherwise."""
    value = (cell(value) or "").lower()
    if value in ("yes", "enabled", "active", "on", "true", "1"):
        return True
    if value in ("no", "disabled", "not active", "off", "false", "0"):
        return False
    return None


def pci_ids(value):
    """``0x233510DE`` as (``2335``, ``10de``); (None, None) for anything else."""
    match = re.match(r"(?:0x)?([0-9A-Fa-f]{4})([0-9A-Fa-f]{4})\Z", cell(value) or "")
    return (match.group(1).lower(), match.group(2).lower()) if match else (None, None)


def known_fields(help_text):
    """Field names of ``--help-query-gpu``: each line that starts with a quoted name, aliases included."""
    names = set()
    for line in text_of(help_text).splitlines():
        if line.lstrip().startswith('"'):
            names.update(_FIELD.findall(line))
    return names


def choose_fields(help_text):
    """The fields to ask for: those of ours that this driver knows, or the basic ones when it tells none."""
    known = known_fields(help_text)
    if "uuid" not in known and "gpu_uuid" not in known and "index" not in known:
        return list(BASIC)
    chosen = [f for f in QUERY if f in known]
    for better, worse in _ALIASES:
        if better in chosen and worse in chosen:
            chosen.remove(worse)
    return chosen


def bad_field(text):
    """The field that the driver does not know, or None."""
    match = _BAD_FIELD.search(text_of(text))
    return match.group(1) if match else None


def parse_csv(data, fields):
    """(rows, odd lines). Rows are dicts field → raw cell; lines that are no row of ours are kept as text."""
    rows, odd = [], []
    for line in text_of(data).splitlines()[:4096]:
        if not line.strip():
            continue
        cells = [c.strip() for c in line.split(",")]
        if len(cells) != len(fields) or not _plausible(cells, fields):
            odd.append(line.strip()[:400])
            continue
        rows.append(dict(zip(fields, cells)))
    return rows, odd


def _plausible(cells, fields):
    """A row of data, not the header: its index is a number or its uuid is one."""
    if "uuid" in fields and _UUID.match(cells[fields.index("uuid")]):
        return True
    if "index" in fields:
        return cells[fields.index("index")].isdigit()
    return False


def parse_links(data):
    """``nvlink -s`` → {gpu index: number of active links}. Inactive links are shown without a speed."""
    counts, current = {}, None
    for line in text_of(data).splitlines()[:65536]:
        match = re.match(r"\s*GPU\s+(\d{1,4}):", line)
        if match:
            current = int(match.group(1))
            counts.setdefault(current, 0)
        elif current is not None and re.match(r"\s*Link\s+\d{1,3}:\s*[\d.]+\s*GB/s", line):
            counts[current] += 1
    return counts


def parse_list(data):
    """``-L`` → (number of GPUs, list of MIG device names)."""
    gpus, migs = 0, []
    for line in text_of(data).splitlines()[:4096]:
        if re.match(r"GPU\s+\d+:", line):
            gpus += 1
        else:
            match = re.match(r"\s+MIG\s+(\S+)\s+Device", line)
            if match:
                migs.append(match.group(1)[:60])
    return gpus, migs


def parse_xml(data):
    """``-q -x`` → {driver, cuda, gpus: [row in the fields of the CSV]}, or None when it is no such document."""
    text = text_of(data)
    start, end = text.find("<nvidia_smi_log"), text.rfind("</nvidia_smi_log>")
    # No document type, so no entities: the text of a rented machine must not make us expand anything.
    if start < 0 or end < start or end - start > (8 << 20) or "<!ENTITY" in text:
        return None
    try:
        root = ET.fromstring(text[start: end + len("</nvidia_smi_log>")])
    except (ET.ParseError, ValueError, RecursionError):
        return None
    gpus = [_xml_gpu(i, g, root) for i, g in enumerate(root.findall("gpu"))]
    return {"driver": cell(root.findtext("driver_version")), "cuda": cell(root.findtext("cuda_version")), "gpus": gpus}


def _xml_gpu(index, g, root):
    def first(*paths):
        for path in paths:
            value = g.findtext(path)
            if value is not None and value.strip():
                return value.strip()
        return None

    link = "pci/pci_gpu_link_info/"
    power = ("gpu_power_readings/", "power_readings/")
    row = {
        "index": str(index),
        "name": first("product_name"),
        "uuid": first("uuid"),
        "pci.bus_id": first("pci/pci_bus_id"),
        "pci.device_id": first("pci/pci_device_id"),
        "pci.sub_device_id": first("pci/pci_sub_system_id"),
        "vbios_version": first("vbios_version"),
        "driver_version": (root.findtext("driver_version") or "").strip() or None,
        "memory.total": first("fb_memory_usage/total"),
        "memory.used": first("fb_memory_usage/used"),
        "pcie.link.gen.current": first(link + "pcie_gen/current_link_gen"),
        "pcie.link.gen.max": first(link + "pcie_gen/max_link_gen"),
        "pcie.link.width.current": (first(link + "link_widths/current_link_width") or "").rstrip("x") or None,
        "pcie.link.width.max": (first(link + "link_widths/max_link_width") or "").rstrip("x") or None,
        "persistence_mode": first("persistence_mode"),
        "mig.mode.current": first("mig_mode/current_mig"),
        "ecc.mode.current": first("ecc_mode/current_ecc"),
        "ecc.errors.uncorrected.volatile.total": first(
            "ecc_errors/volatile/double_bit/total", "ecc_errors/volatile/uncorrectable/total"),
        "retired_pages.pending": first("retired_pages/pending_retirement", "retired_pages/pending_blacklist"),
        "remapped_rows.pending": first("remapped_rows/remapped_row_pending"),
        "remapped_rows.failure": first("remapped_rows/remapped_row_failure"),
        "temperature.gpu": first("temperature/gpu_temp"),
        "temperature.memory": first("temperature/memory_temp"),
        "power.limit": first(*[p + n for p in power for n in ("current_power_limit", "requested_power_limit", "power_limit")]),
        "enforced.power.limit": first(*[p + "enforced_power_limit" for p in power]),
        "power.default_limit": first(*[p + "default_power_limit" for p in power]),
        "clocks.max.sm": first("max_clocks/sm_clock"),
        "utilization.gpu": first("utilization/gpu_util"),
        "gpu_recovery_action": first("gpu_recovery_action"),
        "fabric.state": first("fabric/state"),
        "virtualization": first("gpu_virtualization_mode/virtualization_mode"),
        "processes": str(len(g.findall("processes/process_info"))),
        "mig_devices": str(len(g.findall("mig_devices/mig_device"))),
    }
    return row


def gpu_fact(row, extra=None):
    """One entry of the fact ``gpus`` from a row; what the driver does not tell is None."""
    extra = extra or {}
    device, vendor = pci_ids(row.get("pci.device_id"))
    limit = number(row.get("enforced.power.limit"))
    gen_max = [n for n in (whole(row.get("pcie.link.gen.gpumax")), whole(row.get("pcie.link.gen.hostmax"))) if n is not None]
    mig = yes(row.get("mig.mode.current"))
    recovery = (row.get("gpu_recovery_action") or "").strip()
    return {
        "index": whole(row.get("index")),
        "uuid": cell(row.get("uuid")),
        "name": cell(row.get("name")),
        "busId": cell(row.get("pci.bus_id")),
        "pciDeviceId": device,
        "pciVendorId": vendor,
        "pciSubsystem": cell(row.get("pci.sub_device_id")),
        "memoryMiB": whole(row.get("memory.total")),
        "memoryUsedMiB": whole(row.get("memory.used")),
        "smCount": extra.get("smCount"),
        "computeCapability": cell(row.get("compute_cap")) or extra.get("computeCapability"),
        "driver": cell(row.get("driver_version")),
        "vbios": cell(row.get("vbios_version")),
        "pcieGen": whole(row.get("pcie.link.gen.current")),
        "pcieGenMax": min(gen_max) if gen_max else whole(row.get("pcie.link.gen.max")),
        "pcieWidth": whole(row.get("pcie.link.width.current")),
        "pcieWidthMax": whole(row.get("pcie.link.width.max")),
        "pcieUnderLoad": False,
        "powerLimitW": limit if limit is not None else number(row.get("power.limit")),
        "powerDefaultW": number(row.get("power.default_limit")),
        "eccMode": cell(row.get("ecc.mode.current")),
        "eccUncorrectedVolatile": whole(row.get("ecc.errors.uncorrected.volatile.total")),
        "eccUncorrectedAggregate": whole(row.get("ecc.errors.uncorrected.aggregate.total")),
        "sramThresholdExceeded": yes(row.get("ecc.errors.uncorrected.aggregate.sram.thresholdExceeded")),
        "mig": mig,
        "persistence": yes(row.get("persistence_mode")),
        "remapPending": _either(yes(row.get("remapped_rows.pending")), yes(row.get("retired_pages.pending"))),
        "remapFailure": yes(row.get("remapped_rows.failure")),
        # Here the word None is an answer (no action needed), not an absence.
        "recoveryAction": "None" if recovery.lower() == "none" else cell(recovery),
        "nvlinks": extra.get("nvlinks"),
        "fabricState": cell(row.get("fabric.state")),
        "utilization": whole(row.get("utilization.gpu")),
        "temperatureC": whole(row.get("temperature.gpu")),
        "smClockMaxMHz": whole(row.get("clocks.max.sm")),
        "memoryClockMaxMHz": whole(row.get("clocks.max.memory")),
        "virtualization": cell(row.get("virtualization")),
    }


def _either(a, b):
    if a is None and b is None:
        return None
    return bool(a or b)


def troubled(row):
    """Fields of a row whose cells tell of a failing card."""
    return sorted(k for k, v in row.items() if trouble(v))
