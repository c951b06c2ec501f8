"""Compares versions as a task's ``requires`` writes them, e.g. ``>=2.4,<3`` or ``12.1``."""

import re

_PART = re.compile(r"\s*(>=|<=|==|!=|~=|>|<)?\s*v?(\d+(?:\.\d+)*)(\.\*)?\s*\Z")


def parse(text):
    """The leading numbers of a version as a tuple, or None: ``2.11.0+cu130`` is (2, 11, 0)."""
    match = re.match(r"\s*v?(\d{1,9}(?:\.\d{1,9})*)", str(text if text is not None else ""))
    return tuple(int(p) for p in match.group(1).split(".")) if match else None


def _compare(a, b):
    n = max(len(a), len(b))
    a, b = a + (0,) * (n - len(a)), b + (0,) * (n - len(b))
    return (a > b) - (a < b)


def satisfies(version, wanted):
    """True or False; None when the requirement or the version cannot be understood.

    A bare version and ``==`` match as prefixes (``12.1`` accepts 12.1.3), since that is what people mean.
    """
    have = parse(version)
    if have is None:
        return None
    result = True
    for part in str(wanted).split(","):
        match = _PART.match(part)
        if not match:
            return None
        op, need = match.group(1) or "==", tuple(int(p) for p in match.group(2).split("."))
        order = _compare(have, need)
        prefix = have[: len(need)] + (0,) * (len(need) - len(have)) == need
        ok = {
            ">=": order >= 0, "<=": order <= 0 or prefix, ">": order > 0 and not prefix, "<": order < 0,
            "==": prefix, "!=": not prefix,
            "~=": order >= 0 and have[: max(1, len(need) - 1)] == need[: max(1, len(need) - 1)],
        }[op]
        result = result and ok
    return result
