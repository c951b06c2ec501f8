"""The arithmetic of a long load: bounded records per GPU, drift, shares of time, growth of counters."""

import datetime
import json
import os
import time
from array import array

from . import sampler

# Counters in microseconds since the driver was loaded, by what they say.
HW_COUNTERS = ("clocks_event_reasons_counters.hw_thermal_slowdown", "clocks_event_reasons_counters.hw_power_brake_slowdown")
THERMAL_COUNTERS = ("clocks_event_reasons_counters.sw_thermal_slowdown",)
POWER_COUNTERS = ("clocks_event_reasons_counters.sw_power_cap",)
# 24 h at one sample each 10 s; beyond it every second one is dropped, so memory stays bounded.
KEEP = 8640


def stamp(epoch):
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def middle(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2.0 if values else None


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share / 100.0))] if values else None


def blocks(values, most):
    """Medians of consecutive parts, at most so many."""
    if not values:
        return []
    size = -(-len(values) // most)
    return [middle(values[at : at + size]) for at in range(0, len(values), size)]


def drift(speed):
    """How much slower the end is than the early steady part, in percent; None when there is too little.

    From 90 minutes on: the last 30 minutes against minutes 15 to 45, since the first 15 warm the machine up. Shorter
    loads use the same thirds of what there is, and say so.
    """
    if len(speed) < 8:
        return None
    begin, end = speed[0][0], speed[-1][0]
    length = end - begin
    if length >= 5400:
        early, late, kind = (begin + 900, begin + 2700), (end - 1800, end), "30 min windows"
    else:
        early, late, kind = (begin + length * 0.2, begin + length * 0.5), (end - length * 0.3, end), "windows of 30 % of a short load"
    first = middle([value for at, value in speed if early[0] <= at <= early[1]])
    last = middle([value for at, value in speed if late[0] <= at <= late[1]])
    if not first or last is None:
        return None
    return {"percent": 100.0 * (first - last) / first, "early": first, "late": last, "windows": kind, "seconds": int(length)}


def grown(first, last, uuid, field):
    """How much a counter grew between two readings; None when it is not there in both."""
    if first is None or last is None:
        return None
    before, after = first.value(uuid, field), last.value(uuid, field)
    return None if before is None or after is None else after - before


class Track:
    """What is kept of one GPU."""

    def __init__(self):
        self.speed, self.canaries, self.mismatches, self.first = [], [], 0, None
        self.temperature, self.power, self.clock, self.masks = array("f"), array("f"), array("f"), array("q")

    def add(self, reading, uuid):
        self.first = self.first or reading
        for store, field in ((self.temperature, "temperature.gpu"), (self.power, "power.draw"), (self.clock, "clocks.sm")):
            value = reading.value(uuid, field)
            if value is not None:
                store.append(value)
        mask = reading.reasons(uuid)
        if mask is not None:
            self.masks.append(int(mask) & 0x7FFFFFFF)
        for store in (self.temperature, self.power, self.clock, self.masks):
            if len(store) > KEEP:
                del store[::2]

    def state(self):
        facts = {"smClockMHz": middle(self.clock), "powerW": middle(self.power)}
        return {name: round(value, 1) for name, value in facts.items() if value is not None}

    def throttle(self, first, last, uuid):
        """Shares of time by cause: exact from counters where the driver has them, else from the samples."""
        spent = (last.at - first.at) if first and last else 0
        shares = {}
        for name, fields, bits in (
            ("throttle_hw_share", HW_COUNTERS, sampler.HW_BITS),
            ("throttle_thermal_share", THERMAL_COUNTERS, sampler.SW_THERMAL),
            ("throttle_power_share", POWER_COUNTERS, sampler.SW_POWER_CAP),
        ):
            deltas = [grown(first, last, uuid, field) for field in fields]
            if spent > 0 and any(delta is not None for delta in deltas):
                percent = min(100.0, 100.0 * max(0, sum(delta or 0 for delta in deltas)) / 1e6 / spent)
                # The counters leave out the plain "hw slowdown" bit: samples may still know more.
                if name == "throttle_hw_share" and len(self.masks):
                    percent = max(percent, sampler.share(self.masks, sampler.HW_SLOWDOWN) or 0.0)
                shares[name] = {"percent": percent, "from": "counters", "seconds": int(spent)}
            elif len(self.masks):
                shares[name] = {"percent": sampler.share(self.masks, bits), "from": "samples", "seconds": int(spent)}
        return shares


class Load:
    """A running load and the file it writes."""

    def __init__(self, gpu, process, path):
        self.gpu, self.process, self.path = gpu, process, path
        self.started, self.ready, self._offset, self._last = time.time(), None, _size(path), time.time()

    def lines(self):
        """New whole lines as dicts; anything else is passed over."""
        try:
            with open(self.path, "rb") as f:
                f.seek(self._offset)
                data = f.read(1 << 20)
        except OSError:
            return []
        data = data[: data.rfind(b"\n") + 1]
        self._offset += len(data)
        if data:
            self._last = time.time()
        found = []
        for line in data.splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return found

    def quiet(self):
        return time.time() - self._last


def _size(path):
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
