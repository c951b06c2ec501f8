"""Lines of the protocol: every line is one JSON object that starts with ``{"seatrial":1,``.

The prefix lets the reader skip whatever a login shell prints around our output. Lines are ASCII,
so no locale of the machine can break them.
"""

import datetime
import json
import math
import os

PREFIX = b'{"seatrial":1,'


def clean(value, depth=0):
    """A copy of *value* that is valid JSON: NaN and infinity become null, odd types become text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8", "replace")
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if depth > 12:
        return str(value)[:200]
    if isinstance(value, dict):
        return {str(k): clean(v, depth + 1) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(v, depth + 1) for v in value]
    return str(value)


def encode(fields):
    """One protocol line, newline included."""
    body = json.dumps(clean(fields), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    rest = body[1:].encode("ascii")
    return PREFIX + rest + b"\n" if rest != b"}" else b'{"seatrial":1}\n'


def now():
    """The present instant in UTC with milliseconds."""
    t = datetime.datetime.now(datetime.timezone.utc)
    return t.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (t.microsecond // 1000)


def write_all(fd, data):
    """Writes all of *data*, however the descriptor splits it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def say(**fields):
    """Prints one protocol line on standard output."""
    write_all(1, encode(fields))
