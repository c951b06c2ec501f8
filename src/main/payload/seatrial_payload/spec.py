"""What the service asks of one stage, with a default for every missing key."""

import json


class SpecError(ValueError):
    """The specification cannot be used; the message says why."""


def _number(raw, key, default, low, high):
    value = raw.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise SpecError("%s must be a number, not %r" % (key, value))
    if not low <= value <= high:
        raise SpecError("%s must be from %s to %s, not %s" % (key, low, high, value))
    return value


class Spec:
    """One stage's specification. Unknown keys are ignored: an older payload serves a newer service."""

    def __init__(self, raw):
        if not isinstance(raw, dict):
            raise SpecError("the specification must be a JSON object")
        self.raw = raw
        self.stage = str(raw.get("stage", ""))
        self.phase = str(raw.get("phase", "single"))
        self.limit_seconds = _number(raw, "limitSeconds", 900, 1, 14 * 86400)
        self.quick = bool(raw.get("quick", False))
        self.gpus = self._gpus(raw.get("gpus", "all"))
        default = 0 if self.gpus == "none" else len(self.gpus) if isinstance(self.gpus, list) else 1
        self.expect_gpus = int(_number(raw, "expectGpus", default, 0, 4096))
        self.seed = int(_number(raw, "seed", 1, 0, 2 ** 63 - 1))
        requires = raw.get("requires") or {}
        if not isinstance(requires, dict):
            raise SpecError("requires must be an object")
        self.requires = {str(k): str(v) for k, v in requires.items()}

    @staticmethod
    def _gpus(value):
        if value in ("none", "all"):
            return value
        if isinstance(value, list) and all(isinstance(i, int) and not isinstance(i, bool) and i >= 0 for i in value):
            return value
        raise SpecError('gpus must be "none", "all" or a list of indexes, not %r' % (value,))

    def section(self, name):
        """The options of one stage, e.g. ``storage``; an empty dict when there are none."""
        value = self.raw.get(name)
        return value if isinstance(value, dict) else {}

    @classmethod
    def load(cls, path):
        """Reads a file; raises SpecError with a plain reason."""
        try:
            with open(path, "rb") as f:
                return cls.parse(f.read(4 << 20))
        except OSError as e:
            raise SpecError("cannot read the specification %s: %s" % (path, e.strerror))

    @classmethod
    def parse(cls, data):
        """Parses bytes; raises SpecError with a plain reason."""
        try:
            return cls(json.loads(data.decode("utf-8")))
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as e:
            raise SpecError("the specification is not valid JSON: %s" % e)
