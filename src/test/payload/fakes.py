"""Stand-ins at the border of the payload: an nvidia-smi that answers from a scenario, and a torch that fails on request."""

import json
import os
import stat
import sys

HEALTHY = {
    "index": "0", "name": "NVIDIA H100 80GB HBM3", "uuid": "GPU-11111111-2222-3333-4444-555555555555",
    "pci.bus_id": "00000000:1B:00.0", "pci.device_id": "0x233010DE", "pci.sub_device_id": "0x16C110DE",
    "vbios_version": "96.00.74.00.01", "driver_version": "570.86.15", "compute_cap": "9.0", "memory.total": "81559",
    "memory.used": "4", "memory.reserved": "551", "pcie.link.gen.current": "1", "pcie.link.gen.max": "5",
    "pcie.link.gen.gpumax": "5", "pcie.link.gen.hostmax": "5", "pcie.link.width.current": "16", "pcie.link.width.max": "16",
    "persistence_mode": "Enabled", "mig.mode.current": "Disabled", "ecc.mode.current": "Enabled",
    "ecc.errors.corrected.volatile.total": "0", "ecc.errors.uncorrected.volatile.total": "0",
    "ecc.errors.corrected.aggregate.total": "0", "ecc.errors.uncorrected.aggregate.total": "0",
    "ecc.errors.uncorrected.aggregate.sram.thresholdExceeded": "No", "retired_pages.pending": "[N/A]",
    "remapped_rows.correctable": "0", "remapped_rows.uncorrectable": "0", "remapped_rows.pending": "No", "remapped_rows.failure": "No",
    "temperature.gpu": "31", "temperature.memory": "N/A", "power.draw": "70.11", "power.limit": "700.00",
    "enforced.power.limit": "700.00", "power.default_limit": "700.00", "clocks.current.sm": "345", "clocks.max.sm": "1980",
    "clocks.max.memory": "2619", "pstate": "P0", "utilization.gpu": "0", "clocks_event_reasons.active": "0x0000000000000001",
    "gpu_recovery_action": "None", "fabric.state": "Completed",
}

_SMI = """#!%s
import json, sys, time
s = json.load(open(%r))
a = sys.argv[1:]
if s.get("hang"):
    time.sleep(300)
if s.get("text") is not None:
    print(s["text"]); sys.exit(s.get("rc", 9))
if a == ["--help-query-gpu"]:
    known = set(s["gpus"][0]) - set(s.get("hidden", []))
    print("List of valid properties to query for the switch --query-gpu:\\n")
    for name in sorted(known):
        print('"%%s"\\nWhat it means.\\n' %% name)
elif a and a[0].startswith("--query-gpu="):
    fields = a[0].split("=", 1)[1].split(",")
    for f in fields:
        if f in s.get("refused", []):
            print('Field "%%s" is not a valid field to query.\\n' %% f); sys.exit(2)
    for g in s["gpus"]:
        print(", ".join(g.get(f, "[N/A]") for f in fields))
elif a == ["-q", "-x"]:
    print(s.get("xml", "")); sys.exit(0 if s.get("xml") else 1)
elif a == ["-L"]:
    print(s.get("list") or "\\n".join("GPU %%s: %%s (UUID: %%s)" %% (g["index"], g["name"], g["uuid"]) for g in s["gpus"]))
elif a[:2] == ["nvlink", "-s"]:
    print(s.get("nvlink", ""))
elif a[:2] == ["topo", "-m"]:
    print("\\t\\x1b[4mGPU0\\tCPU Affinity\\x1b[0m\\nGPU0\\t X \\t0-15")
"""

_TORCH = """
__version__ = %(version)r
class version:
    cuda = %(cuda)r
    hip = None
class cuda:
    class nccl:
        @staticmethod
        def version(): return (2, 21, 5)
    @staticmethod
    def get_arch_list(): return %(archs)r
    @staticmethod
    def init():
        if %(init)r: raise RuntimeError(%(init)r)
    @staticmethod
    def device_count(): return 1
    @staticmethod
    def get_device_properties(i):
        class P: pass
        p = P(); p.name = "card"; p.multi_processor_count = 132; p.total_memory = 80 << 30; p.major = 9; p.minor = 0
        return p
class backends:
    class cudnn:
        @staticmethod
        def version(): return 90100
class Generator:
    def manual_seed(self, n): return self
def randn(*a, **k):
    raise RuntimeError(%(run)r)
"""


def smi(folder, gpus=None, **scenario):
    """Puts a fake nvidia-smi in a folder; returns the environment that finds it first."""
    scenario["gpus"] = gpus if gpus is not None else [HEALTHY]
    os.makedirs(folder, exist_ok=True)
    data = os.path.join(folder, "scenario.json")
    with open(data, "w") as f:
        json.dump(scenario, f)
    program(folder, "nvidia-smi", _SMI % (sys.executable, data))
    return {"PATH": folder + os.pathsep + os.environ["PATH"]}


def program(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def torch(folder, version="2.6.0+cu124", cuda="12.4", archs=("sm_80", "sm_90"), init="", run="no card here"):
    """Puts a fake torch in a folder; returns the environment that imports it."""
    package = os.path.join(folder, "torch")
    os.makedirs(package, exist_ok=True)
    with open(os.path.join(package, "__init__.py"), "w") as f:
        f.write(_TORCH % {"version": version, "cuda": cuda, "archs": list(archs), "init": init, "run": run})
    return {"PYTHONPATH": folder}


def card(**changes):
    """A healthy H100 with some cells changed; ``_`` in a name stands for a dot where the field has one."""
    out = dict(HEALTHY)
    for key, value in changes.items():
        out[key.replace("__", ".")] = value
    return out
