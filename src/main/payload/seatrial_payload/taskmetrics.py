"""Reads the user's metrics out of a task's output. Runs as an inner probe: a user's expression may take for ever."""

import json
import math
import re

LINE_CAP = 4096
VALUES_CAP = 100000
_NUMBER = re.compile(r"[-+]?(?:\d[\d_,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def run(path, metrics):
    """{name: {"values": [...], "error": text}} for each metric ({"regex"} or {"json"}: a dotted path)."""
    found = {name: {"values": [], "error": ""} for name in metrics}
    readers = {}
    for name, rule in metrics.items():
        try:
            readers[name] = reader(rule)
        except (re.error, TypeError, ValueError) as e:
            found[name]["error"] = str(e)
    with open(path, "rb") as f:
        for raw in f:
            # A progress bar is one line with many carriage returns.
            for line in raw.decode("utf-8", "replace").replace("\r", "\n").split("\n"):
                line = line[:LINE_CAP]
                for name, read in readers.items():
                    values = found[name]["values"]
                    if line and len(values) < VALUES_CAP:
                        values.extend(read(line))
    return found


def reader(rule):
    """A function from a line to its numbers."""
    if not isinstance(rule, dict):
        raise ValueError("a metric is an object with regex or json")
    if rule.get("regex"):
        pattern = re.compile(str(rule["regex"]))

        def by_pattern(line):
            for match in pattern.finditer(line):
                text = match.group(1) if pattern.groups else match.group(0)
                value = number(text)
                if value is not None:
                    yield value

        return by_pattern
    if rule.get("json"):
        path = str(rule["json"]).split(".")

        def by_path(line):
            if "{" not in line:
                return
            try:
                value = json.loads(line[line.index("{") :])
            except (ValueError, RecursionError):
                return
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            value = number(value)
            if value is not None:
                yield value

        return by_path
    raise ValueError("a metric needs regex or json")


def number(value):
    """A finite number from text such as "1,234.5" or from JSON; None otherwise."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        match = _NUMBER.search(value)
        if not match:
            return None
        value = match.group(0).replace(",", "").replace("_", "")
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def reduce(values, use=None):
    """One figure of many: median (default), last, min, max, mean or a percentile such as p99.

    With five values or more the first tenth is warm-up and left out, except for last, min, max and percentiles.
    Returns (value, values used).
    """
    use = str(use or "median").lower()
    used = list(values)
    if use in ("median", "mean") and len(used) >= 5:
        used = used[max(1, len(used) // 10) :]
    ordered = sorted(used)
    if use == "last":
        return used[-1], used
    if use in ("min", "max"):
        return (ordered[0] if use == "min" else ordered[-1]), used
    if use == "mean":
        return sum(used) / len(used), used
    share = re.match(r"^p(\d{1,2}(?:\.\d+)?)$", use)
    if share:
        return ordered[max(0, math.ceil(len(ordered) * float(share.group(1)) / 100) - 1)], used
    half = len(ordered) // 2
    return (ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2), used
