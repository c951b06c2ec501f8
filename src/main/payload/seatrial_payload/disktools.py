"""Reads what fio and dd print. Total: any bytes give figures, an error text, or None."""

import json
import math
import re

_DIRECT_REFUSED = re.compile(r"does not support direct=1|does not support O_DIRECT|direct.{0,60}Invalid argument", re.I)
_DD = re.compile(r"(\d{1,18}) bytes?(?: \([^)\n]{0,60}\))? (?:transferred|copied)(?: in|,) ([\d.]{1,20}) (?:s|sec|secs|seconds)\b", re.I)


def parse_fio(data):
    """{read, write: {bw, iops, p50, p99, bytes} or None, error, version, refusedDirect}; None without a document.

    Warnings may stand before and after the JSON, so it is sought from the first line that is ``{``.
    Bandwidth in bytes/s, latency in ms. ``error`` is fio's own number; 0 is fine whatever the exit status.
    """
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    refused = bool(_DIRECT_REFUSED.search(text))
    match = re.search(r"^\{\s*$", text, re.M)
    end = text.rfind("}")
    document = None
    if match and end > match.start():
        try:
            document = json.loads(text[match.start(): end + 1])
        except (ValueError, RecursionError):
            document = None
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not isinstance(jobs, list):
        return None
    out = {"read": None, "write": None, "error": 0, "version": None, "refusedDirect": refused}
    version = document.get("fio version")
    out["version"] = version[:40] if isinstance(version, str) else None
    for job in jobs[:256]:
        if not isinstance(job, dict):
            continue
        error = _n(job.get("error"))
        if error:
            out["error"] = int(error)
        for way in ("read", "write"):
            side = job.get(way)
            if isinstance(side, dict) and (_n(side.get("total_ios")) or _n(side.get("io_bytes"))):
                out[way] = _add(out[way], _side(side))
    return out


def _side(side):
    latency = {}
    for key in ("clat_ns", "lat_ns"):
        part = side.get(key)
        percentiles = part.get("percentile") if isinstance(part, dict) else None
        if isinstance(percentiles, dict):
            latency = percentiles
            break
    bandwidth = _n(side.get("bw_bytes"))
    if bandwidth is None:
        kib = _n(side.get("bw"))
        bandwidth = kib * 1024 if kib is not None else 0.0
    p50, p99 = _n(latency.get("50.000000")), _n(latency.get("99.000000"))
    return {"bw": bandwidth, "iops": _n(side.get("iops")) or 0.0, "bytes": _n(side.get("io_bytes")) or 0.0,
            "p50": p50 / 1e6 if p50 is not None else None, "p99": p99 / 1e6 if p99 is not None else None}


def _add(a, b):
    if a is None:
        return b
    out = {k: a[k] + b[k] for k in ("bw", "iops", "bytes")}
    for k in ("p50", "p99"):
        known = [v for v in (a[k], b[k]) if v is not None]
        out[k] = max(known) if known else None
    return out


def _n(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        value = float(value)
    except OverflowError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def parse_dd(data):
    """Bytes per second from the byte and time fields (the printed rate is rounded), or None."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    found = None
    for match in _DD.finditer(text):
        try:
            size, seconds = int(match.group(1)), float(match.group(2))
        except ValueError:
            continue
        if seconds > 0 and size > 0:
            found = size / seconds
    return found


def parse_dd_records(data, block):
    """Bytes that dd moved by its count of whole records (small BusyBox builds print nothing else), or None."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data)
    match = re.search(r"(\d{1,12})\+\d{1,12} records out", text)
    return int(match.group(1)) * block if match and int(match.group(1)) else None
