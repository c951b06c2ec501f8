"""A context without a machine: canned answers for programs and inner probes, and everything said is kept."""

import os
import shutil
import sys
import tempfile
import types

from harness import SOURCE  # noqa: F401  (puts the payload on the path)
from seatrial_payload import context, probes
from seatrial_payload.spec import Spec

UUIDS = ["GPU-00000000-0000-0000-0000-00000000000%d" % i for i in range(8)]
HELP = "".join('"%s"\nWhat it is.\n\n' % field for field in (
    "index", "uuid", "name", "compute_cap", "temperature.gpu", "power.draw", "clocks.sm", "utilization.gpu", "memory.used", "memory.total",
    "pcie.link.gen.current", "pcie.link.width.current", "clocks_event_reasons.active", "clocks_event_reasons_counters.sw_power_cap",
    "clocks_event_reasons_counters.sw_thermal_slowdown", "clocks_event_reasons_counters.hw_thermal_slowdown",
    "clocks_event_reasons_counters.hw_power_brake_slowdown", "ecc.errors.corrected.volatile.total", "ecc.errors.uncorrected.volatile.total",
    "remapped_rows.failure", "gpu_recovery_action",
))


def result(out="", rc=0, err="", timed_out=False, missing=False, value=None, error=""):
    r = probes.ProbeResult(["fake"])
    r.rc, r.out, r.err = rc, out.encode() if isinstance(out, str) else out, err.encode()
    r.timed_out, r.missing, r.value, r.error = timed_out, missing, value, error
    return r


class Log:
    def __init__(self):
        self.events = []

    def append(self, kind, **fields):
        self.events.append(dict(fields, type=kind))


class Smi:
    """nvidia-smi of a machine with so many GPUs; ``cells`` are overridden by tests, ``broken`` replaces the whole answer."""

    def __init__(self, count=1, name="NVIDIA H200", capability="9.0"):
        self.count, self.broken, self.calls = count, None, 0
        self.cells = {"name": name, "compute_cap": capability, "temperature.gpu": "57", "power.draw": "690.12", "clocks.sm": "1455",
                      "utilization.gpu": "100", "clocks_event_reasons.active": "0x0000000000000004", "gpu_recovery_action": "None",
                      "ecc.errors.uncorrected.volatile.total": "0", "ecc.errors.corrected.volatile.total": "0", "remapped_rows.failure": "No",
                      "pcie.link.gen.current": "5", "pcie.link.width.current": "16"}

    def __call__(self, argv):
        if "--help-query-gpu" in argv:
            return result(HELP)
        if argv[1:2] == ["topo"] or argv[1:2] == ["nvlink"]:
            return result("")
        self.calls += 1
        if self.broken:
            return self.broken
        fields = argv[1].split("=", 1)[1].split(",")
        rows = []
        for index in range(self.count):
            cells = dict(self.cells, index=str(index), uuid=UUIDS[index])
            rows.append(", ".join(cells.get(field, "[N/A]") for field in fields))
        return result("\n".join(rows) + "\n")


class FakeContext(context.Context):
    """``programs``: name → function(argv); ``inner``: function name → function(args) → ProbeResult or value."""

    def __init__(self, test, spec, programs=None, inner=None, torch=True):
        self.dir = tempfile.mkdtemp(prefix="payload-fake-")
        test.addCleanup(shutil.rmtree, self.dir, True)
        self.log = Log()
        super().__init__(Spec(spec), self.dir, self.log)
        self.programs, self.inner, self.asked = programs or {}, inner or {}, []
        self._torch = sys.executable if torch else None

    def run_probe(self, argv, timeout, env=None, input=None, cwd=None, cap=0, on_line=None):
        answer = self.programs.get(os.path.basename(argv[0]))
        return answer(argv) if answer else result(rc=None, missing=True)

    def run_python(self, function, args=None, timeout=60.0, python=None, env=None):
        self.asked.append((function, dict(args or {}), timeout))
        answer = self.inner.get(function)
        value = answer(args or {}) if answer else None
        return value if isinstance(value, probes.ProbeResult) else result(value=value, rc=0 if value else 1, error="" if value else "no answer")

    def of(self, kind, **match):
        return [e for e in self.log.events if e["type"] == kind and all(e.get(k) == v for k, v in match.items())]

    def codes(self):
        return [e["code"] for e in self.of("finding")]


def torch_missing():
    try:
        import torch  # noqa: F401
    except ImportError:
        return "this Python has no torch"
    return None


def namespace(**fields):
    return types.SimpleNamespace(**fields)
