"""Machines played at the payload's border: what their tools print goes through its parsers and stages; events come out.

Nothing here writes an event: every finding and figure is the payload's own.
"""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
import unittest.mock

import fakes
import gpu_fakes
from gpu_fakes import FakeContext, result
from seatrial_payload import probes, taskmetrics
from seatrial_payload.stages import compute, environment, interconnect, network, stability, storage, task

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20

# driver's name, PCI id, multiprocessors, memory shown, compute capability, power limit, PCIe, NVLinks, and what it reaches:
# BF16, FP16, TF32, FP32, FP8 (TFLOP/s), memory (GB/s), pinned link (GB/s), training (tokens/s)
CARDS = {
    "A100-SXM4-80G": ("NVIDIA A100-SXM4-80GB", "20B210DE", 108, 81920, "8.0", 400, 4, 12, (268, 278, 128, 18.4, 0), 1702, 25.9, 180000),
    "A100-SXM4-40G": ("NVIDIA A100-SXM4-40GB", "20B010DE", 108, 40960, "8.0", 400, 4, 12, (266, 276, 128, 18.4, 0), 1310, 25.9, 180000),
    "A100-PCIe-80G": ("NVIDIA A100 80GB PCIe", "20B510DE", 108, 81920, "8.0", 300, 4, 0, (236, 240, 120, 18.4, 0), 1640, 25.6, 160000),
    "A800-SXM4-80G": ("NVIDIA A800-SXM4-80GB", "20F310DE", 108, 81920, "8.0", 400, 4, 8, (265, 276, 127, 18.3, 0), 1690, 25.8, 178000),
    "H100-SXM5-80G": ("NVIDIA H100 80GB HBM3", "233010DE", 132, 81559, "9.0", 700, 5, 18, (672, 650, 350, 51.5, 1230), 3030, 53.0, 390000),
    "H100-PCIe-80G": ("NVIDIA H100 PCIe", "233110DE", 114, 81559, "9.0", 350, 5, 0, (468, 470, 240, 45.0, 900), 1790, 52.0, 280000),
    "H800-SXM5-80G": ("NVIDIA H800", "232410DE", 132, 81559, "9.0", 700, 5, 8, (668, 645, 348, 51.3, 1220), 3010, 52.8, 388000),
    "H20-96G": ("NVIDIA H20", "232910DE", 78, 97871, "9.0", 500, 5, 18, (137, 138, 70, 39.0, 270), 3580, 53.5, 120000),
    "H200-SXM-141G": ("NVIDIA H200", "233510DE", 132, 143771, "9.0", 700, 5, 18, (664, 643, 347, 51.4, 1215), 4275, 54.6, 403000),
    "RTX-4090": ("NVIDIA GeForce RTX 4090", "268410DE", 128, 24564, "8.9", 450, 4, 0, (164, 164, 82, 70.0, 300), 925, 25.2, 110000),
    "RTX-4090-D": ("NVIDIA GeForce RTX 4090 D", "268510DE", 114, 24564, "8.9", 425, 4, 0, (146, 146, 73, 62.0, 270), 922, 25.2, 98000),
    "RTX-4090-48G": ("NVIDIA GeForce RTX 4090", "268410DE", 128, 49140, "8.9", 450, 4, 0, (163, 163, 82, 70.0, 300), 925, 25.2, 110000),
    "L20": ("NVIDIA L20", "26BA10DE", 92, 46068, "8.9", 275, 4, 0, (103, 103, 52, 45.0, 200), 741, 25.0, 80000),
    "V100-SXM2-32G": ("Tesla V100-SXM2-32GB", "1DB510DE", 80, 32510, "7.0", 300, 3, 6, (0, 96, 0, 14.1, 0), 785, 12.4, 60000),
    "RTX-5090": ("NVIDIA GeForce RTX 5090", "2B8510DE", 170, 32607, "12.0", 575, 5, 0, (210, 210, 105, 95.0, 400), 1640, 53.0, 140000),
}


class Played(FakeContext):
    """A context whose programs and inner probes are the machine's; ``start`` runs what a stage keeps beside itself."""

    torch_out = None
    behaviour = None
    speed = 650.0

    def inner_argv(self, function, args=None, python=None):
        if function == "gpu.load:run":
            return [sys.executable, os.path.join(HERE, "fixtures", "fake_load.py"), json.dumps(dict(args, behaviour=self.behaviour, speed=self.speed))]
        return ["inner", function]

    def start(self, argv, env=None, cwd=None, cap=0, on_line=None):
        if argv[:1] == ["inner"]:
            return Ended(self.torch_out, on_line)
        return probes.Process([str(a) for a in argv], probes.environment(self.run_dir, env), cwd, None, cap or MIB, on_line)

    def events(self):
        return [dict(e, seatrial=1, seq=n + 1) for n, e in enumerate(self.log.events)]


class Ended:
    """A process that has said all it had to say."""

    pid = 0

    def __init__(self, out, on_line):
        self.result = out
        for line in out.out.splitlines():
            if on_line:
                on_line(None, line)

    def wait(self, _):
        return not self.result.timed_out

    def kill(self, **_):
        pass

    def finish(self):
        return self.result


class Case:
    """unittest's addCleanup, without a test."""

    def __init__(self):
        self.cleanups = contextlib.ExitStack()

    def addCleanup(self, function, *args):
        self.cleanups.callback(function, *args)


class Machine:
    """A healthy machine with these cards; a test breaks something by the keyword arguments of a stage."""

    def __init__(self, card="H100-SXM5-80G", count=1, is_really=None, driver="570.86.15", cuda="12.8", locale="C.UTF-8"):
        self.offered, self.count, self.locale = card, count, locale
        self.real = is_really or card
        name, pci, self.sm, memory, capability, power, gen, self.nvlinks, *self.reach = CARDS[self.real]
        self.driver, self.cuda, self.capability, self.gen = driver, cuda, capability, gen
        self.rows = []
        for i in range(count):
            row = dict(fakes.HEALTHY, index=str(i), name=name, uuid=gpu_fakes.UUIDS[i])
            row.update({"pci.bus_id": "00000000:%02X:00.0" % (0x1B + i), "pci.device_id": "0x" + pci, "driver_version": driver,
                        "compute_cap": capability, "memory.total": str(memory), "pcie.link.gen.max": str(gen), "pcie.link.gen.gpumax": str(gen),
                        "pcie.link.gen.hostmax": str(gen), "power.limit": "%d.00" % power, "enforced.power.limit": "%d.00" % power,
                        "power.default_limit": "%d.00" % power, "fabric.state": "Completed" if self.nvlinks == 18 else "N/A",
                        "ecc.mode.current": "[N/A]" if "GeForce" in name else "Enabled"})
            self.rows.append(row)
        self.cuda_devices = [{"ordinal": i, "name": name, "smCount": self.sm, "memoryMiB": memory - 400, "uuid": gpu_fakes.UUIDS[i],
                              "major": int(capability.split(".")[0]), "minor": int(capability.split(".")[1])} for i in range(count)]

    def cell(self, gpu=None, **cells):
        """Changes cells of one card or of all; ``__`` stands for a dot."""
        for row in self.rows if gpu is None else [self.rows[gpu]]:
            row.update({k.replace("__", "."): v for k, v in cells.items()})
        return self

    def without(self, gpu):
        del self.rows[gpu], self.cuda_devices[gpu]
        return self

    # nvidia-smi

    def smi(self, says=None, links=None, listed="", mode="Pass-Through", loaded=None):
        """``says``: text instead of every answer; ``loaded``: cells once the cards work."""
        if says is not None:
            return lambda argv: says if isinstance(says, probes.ProbeResult) else result(says, rc=9)
        links = self.nvlinks if links is None else links
        help_text = "".join('"%s"\nWhat it is.\n\n' % field for field in self.rows[0]) if self.rows else ""
        calls = [0]

        def answer(argv):
            if "--help-query-gpu" in argv:
                return result(help_text)
            if argv[1:2] == ["-q"]:
                return result(self.document(mode))
            if argv[1:2] == ["-L"]:
                lines = ["GPU %s: %s (UUID: %s)" % (r["index"], r["name"], r["uuid"]) for r in self.rows]
                return result("\n".join(lines) + "\n" + listed)
            if argv[1:2] == ["nvlink"]:
                if not links:
                    return result("Device does not have or support Nvlink\n")
                return result("".join("GPU %s: %s (UUID: %s)\n%s" % (r["index"], r["name"], r["uuid"], "".join(
                    "\t Link %d: %s\n" % (n, "26.562 GB/s" if n < links else "<inactive>") for n in range(18))) for r in self.rows))
            if argv[1:2] == ["topo"]:
                return result(self.topology(links))
            calls[0] += 1
            fields = argv[1].split("=", 1)[1].split(",")
            cells = (loaded or {}) if len(fields) <= 5 or calls[0] > 1 else {}
            return result("".join(", ".join(dict(r, **cells).get(f, "[N/A]") for f in fields) + "\n" for r in self.rows))

        answer.calls = calls
        return answer

    def topology(self, links):
        names = ["GPU%s" % r["index"] for r in self.rows]
        link = "NV%d" % links if links else "PHB"
        lines = ["\t\x1b[4m" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\x1b[0m"]
        for me in names:
            lines.append(me + "\t" + "\t".join(" X " if me == other else link for other in names) + "\t0-31\t0")
        return "\n".join(lines) + "\n"

    def document(self, mode):
        gpus = "".join(
            "<gpu id=\"%s\"><product_name>%s</product_name><uuid>%s</uuid><gpu_virtualization_mode><virtualization_mode>%s</virtualization_mode>"
            "</gpu_virtualization_mode></gpu>" % (r["pci.bus_id"], r["name"], r["uuid"], mode) for r in self.rows)
        return "<?xml version=\"1.0\" ?>\n<nvidia_smi_log><driver_version>%s</driver_version><cuda_version>%s</cuda_version>%s</nvidia_smi_log>" % (
            self.driver, self.cuda, gpus)

    # Stages

    def run(self, stage, spec, programs, inner, torch=True, prepare=None):
        case = Case()
        phase = "multi" if self.count > 1 else "single"
        base = {"phase": phase, "limitSeconds": 600, "quick": True, "gpus": "all", "expectGpus": self.count}
        ctx = Played(case, dict(base, **spec), programs, inner, torch)
        with case.cleanups, unittest.mock.patch.object(probes, "which", lambda name: "/usr/bin/" + name if name in programs or name in ("fio", "dd", "bash", "tar") else None):
            if prepare:
                prepare(ctx)
            stage(ctx)
            return ctx.events()

    def environment(self, smi=None, torch="2.6.0+cu124", torch_cuda="12.4", archs=("sm_50", "sm_80", "sm_86", "sm_90"), nccl="2.21.5", cudnn="9.1.0",
                    torch_error=None, device_error=None, device_count=None, correct=True, hung=False, cuda_error="", requires=None, packages=None,
                    host=None, cores=None, slicing=(), torch_memory=None, no_torch=False, seconds=2.1):
        def host_facts(_):
            facts = {"cpus": 32, "cpuQuota": 32.0, "cpusUsable": 32.0, "memoryMiB": 257000, "memoryLimitMiB": 257000, "ulimitNofile": 65536,
                     "ulimitNofileHard": 1048576, "container": "docker", "locale": self.locale}
            facts.update(host or {})
            shm = facts.pop("shm", 64000)
            answer = result(value={"slicing": list(slicing)})
            answer.parts = [{"host": facts}, {"filesystem": {"mount": "/dev/shm", "type": "tmpfs", "source": "shm", "sizeMiB": shm, "freeMiB": shm}}]
            return answer

        def cores_of(args):
            value = {"single": [380.0] * 5, "all": [380.0 * 0.8 * args["threads"]] * 5, "threads": args["threads"], "interpreter": [11.0] * 5,
                     "python": "3.11.9", "stealShare": 0.0}
            value.update(cores or {})
            return value

        versions = {"torch": torch, "torchCuda": torch_cuda, "hip": None, "importSeconds": seconds, "archList": list(archs), "nccl": nccl, "cudnn": cudnn}
        devices = []
        for i, d in enumerate(self.cuda_devices[: device_count if device_count is not None else None]):
            devices.append({"ordinal": i, "name": d["name"], "smCount": d["smCount"], "memoryMiB": torch_memory or d["memoryMiB"], "uuid": d["uuid"],
                            "computeCapability": self.capability, "maxError": 1e-5 if correct else 3.7, "correct": correct, "error": device_error})
        parts = [{"versions": versions}] + [] if torch_error else [{"versions": versions}] + [{"device": d} for d in devices]
        lines = [json.dumps({"seatrial": 1, "inner": "part", "part": p}, separators=(",", ":")) for p in parts]
        if not torch_error and not device_error:
            lines.append('{"seatrial":1,"inner":"part","part":{"loading":true}}')
        lines.append(json.dumps({"seatrial": 1, "inner": "x", "value": {"available": not torch_error, "error": torch_error or ""}}, separators=(",", ":")))
        out = result("\n".join(lines) + "\n", rc=None if hung else 0, timed_out=hung)
        inner = {
            "inner.host:run": host_facts, "inner.cpu:run": cores_of,
            "inner.cuda_driver:run": lambda a: {"loaded": True, "error": cuda_error, "driverCuda": self.cuda, "devices": [] if cuda_error else self.cuda_devices},
            "inner.packages:run": lambda a: {"python": "3.11.9", "packages": packages or {}},
        }
        loaded = {"pcie.link.gen.current": str(self.gen), "utilization.gpu": self.rows[0].get("utilization.gpu", "0") if self.rows else "0"}
        programs = {"nvidia-smi": smi or self.smi(loaded=loaded)} if smi is not False else {}
        spec = {"stage": "environment", "requires": requires or {}}
        if hung:
            spec["limitSeconds"] = 3

        def prepare(ctx):
            ctx.torch_out = out

        with unittest.mock.patch.object(time, "sleep", lambda s: None):
            return self.run(environment.run, spec, programs, inner, not no_torch, prepare)

    def compute(self, share=1.0, memory=1.0, link=None, width="16", gen=None, reasons="0x0000000000000004", per_gpu=None, together=1.0,
                link_together=1.0, matmul=None, cv=0.0, torch=True, smi=None, drop=(), training=1.0, waits=1, **changes):
        figures = dict(zip(("bf16", "fp16", "tf32", "fp32", "fp8"), self.reach[0]))
        per_gpu = per_gpu or {}
        fake = gpu_fakes.Smi(self.count, self.rows[0]["name"], self.capability)
        fake.cells.update({"pcie.link.width.current": width, "pcie.link.gen.current": str(gen or self.gen), "clocks_event_reasons.active": reasons})
        program = smi or fake

        def index(args):
            return gpu_fakes.UUIDS.index(args["gpu"])

        def see():
            # What the background sampler sees is part of the figure; canned probes take no time, so it is waited for.
            until = time.monotonic() + 5
            while program is fake and fake.calls < waits + 1 and time.monotonic() < until:
                time.sleep(0.02)

        def product(args):
            see()
            if matmul:
                return matmul(args)
            met = "meet" in args
            speed = figures[args["dtype"]] * share * per_gpu.get(index(args), 1.0) * (together if met else 1.0)
            blocks = [speed * (1 + cv * n) for n in (-1, 1, -1, 1, 0)]
            value = {"dtype": args["dtype"], "shape": 8192, "method": "matmul/1", "torch": "2.6.0+cu124", "met": True, "finite": True, "bitEqual": True,
                     "relativeError": 1e-5, "relativeErrorAfter": 1e-5, "tolerance": 1e-2, "short": {"tflops": [speed * short(args["dtype"])] * 7, "iterations": 40},
                     "sustained": {"tflops": blocks, "blockSeconds": 2.0, "warmSeconds": 4.0, "from": 0, "to": 1e12}}
            return dict(value, **changes)

        def short(dtype):
            """A big Hopper card is held at its power limit when it goes on; the others hardly are."""
            return 1.185 if self.real in ("H100-SXM5-80G", "H800-SXM5-80G", "H200-SXM-141G") and dtype != "fp32" else 1.04

        def copies(args):
            see()
            met = "meet" in args
            rate = (link or self.reach[2]) * (link_together if met else 1.0)
            value = {"h2d": [rate] * 5, "d2h": [rate] * 5, "pinned": True, "pinnedBytes": 1 << 29, "pinnedMethod": "pinned/1", "linkEqual": True,
                     "from": 0, "to": 1e12, "met": True, "torch": "2.6.0+cu124"}
            if not met:
                value["copy"] = {"gbs": [self.reach[1] * memory] * 5, "bytes": 1 << 32, "equal": True, "method": "copy/1"}
            for key in drop:
                value.pop(key, None)
            return value

        def both(args):
            parts = {"product": product(dict(args["product"], gpu=args["gpu"])), "memory": copies(dict(args["memory"], gpu=args["gpu"]))}
            return next((part for part in parts.values() if isinstance(part, probes.ProbeResult)), parts)

        inner = {
            "gpu.alone:run": both,
            "inner.cpu:run": lambda a: {"single": [380.0] * 5, "interpreter": [11.0] * 5, "python": "3.11.9"},
            "gpu.matmul:run": product, "gpu.memory:run": copies,
            "gpu.transformer:run": lambda a: {"tokensPerSecond": [self.reach[3] * training] * 5, "losses": [10.5, 0.1], "learns": True,
                                              "method": "train-step/1", "stepsPerBlock": 50, "torch": "2.6.0+cu124"},
        }
        return self.run(compute.run, {"stage": "compute"}, {"nvidia-smi": program}, inner, torch)

    def storage(self, kind="ext4", source="/dev/nvme0n1p1", read=3.2, write=1.9, iops=180000, p99=1.4, direct=True, free=800 << 30, rotational=False,
                error=None, refused=None, hangs=False):
        def disk(args):
            work = args["work"]
            if hangs and work == "sequential":
                return result(timed_out=True, rc=None)
            if work == "supports_direct":
                return {"direct": direct, "why": "" if direct else "open: Invalid argument", "error": None}
            if work == "lay_out":
                return {"bytes": args["size"], "seconds": args["size"] / (write * 1e9), "error": None}
            if work in ("sequential", "buffered_read"):
                rate = (write if args.get("mode") == "write" else read) * 1e9
                return {"samples": [rate * s for s in (0.99, 1.0, 1.01, 1.0, 1.0)], "engine": "aio", "error": error}
            if work == "random_read":
                return {"samples": [iops * s for s in (0.99, 1.0, 1.01, 1.0, 1.0)], "p50": p99 / 4, "p99": p99, "max": p99 * 3, "processes": 4, "engine": "aio", "error": None}
            if work == "make_files":
                return {"files": args["count"], "seconds": 1.0, "error": None}
            return {"files": 1000, "bytes": 110 << 20, "seconds": 0.2, "samples": [5000.0] * 5, "all": True, "error": None}

        def look(args):
            answer = result(value=True)
            answer.parts = [dict({"path": p, "error": None, "errno": 0, "free": free}, **(refused or {})) for p in args["paths"]]
            return answer

        place = tempfile.mkdtemp(prefix="payload-played-")
        try:
            with unittest.mock.patch.object(storage, "_mount_of", lambda path: (place, kind, source, "rw")), \
                    unittest.mock.patch.object(storage.hostinfo, "_rotational", lambda s: rotational):
                inner = {"stages.storage:look": look, "inner.disk:run": disk}
                no_fio = lambda argv: result("fio: unable to load engine\n", rc=1)  # noqa: E731
                return self.run(storage.run, {"stage": "storage", "storage": {"dir": place, "seconds": 1}}, {"fio": no_fio}, inner)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def network(self, urls=("https://hub.example/model",), errors=(), rate=95e6, loss=0, status=200, resolved=True):
        def latency(_):
            answer = result(value={"host": "hub.example", "port": 443, "address": "192.0.2.7", "dnsMs": 3.0} if resolved else {"error": "name not resolved"})
            good = [] if errors else [{"ms": 11.8 + n % 3 * 0.2} for n in range(20 - loss)]
            answer.parts = good + [{"error": e} for e in (list(errors) or ["timed out"] * loss)]
            return answer

        def download(args):
            if status != 200:
                return {"error": "HTTP status %d" % status, "status": status, "bytes": 0}
            answer = result(value={"bytes": args["max_bytes"], "seconds": args["max_bytes"] / rate, "status": 200, "firstByteMs": 40.0})
            answer.parts = [{"rate": rate * s, "received": 1 << 20} for s in (0.97, 1.0, 1.02, 1.0)]
            return answer

        clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        with unittest.mock.patch.dict(os.environ, clean, clear=True):
            return self.run(network.run, {"stage": "network", "network": {"urls": list(urls)}}, {}, {"inner.net:latency": latency, "inner.net:download": download})

    def interconnect(self, busbw=470.0, nvls=True, transports=("P2P/CUMEM",), pair=390.0, back=None, link=None, wrong=0, slow_rank=None, links=None,
                     all_reduce=None, unequal=False, tool=None):
        links = self.nvlinks if links is None else links

        def rank(args):
            if all_reduce:
                answer = all_reduce(args)
                if answer is not None:
                    return answer
            log = "NVLS multicast support is %savailable on dev 0\n" % ("" if nvls else "not ") if links else ""
            log += "".join("Channel 00/0 : 0[0] -> 1[1] via %s\n" % t for t in transports)
            if args["env"].get("NCCL_DEBUG_FILE"):
                with open(os.path.join(os.path.dirname(args["env"]["NCCL_DEBUG_FILE"]), "nccl-host-%d.log" % args["rank"]), "w") as f:
                    f.write(log)
            factor = 2.0 * (args["count"] - 1) / args["count"]
            factor *= 20.0 if args["env"].get("NCCL_P2P_DISABLE") and links else 1.0
            last = slow_rank == args["rank"]
            steps = {"work": [0.026 if last else 0.02] * 30, "wait": [0.001 if last or slow_rank is None else 0.007] * 30, "bytes": 1 << 25}
            return {"rank": args["rank"], "count": args["count"], "nccl": "2.21.5", "torch": "2.6.0+cu124", "steps": steps if args.get("steps") else None, "results": [
                {"bytes": size, "secondsPerCall": [size * factor / (busbw * min(1.0, size / float(1 << 30)) ** 0.2 * 1e9)] * 5, "wrong": wrong}
                for size in args["sizes"]]}

        def pairs(args):
            n = len(args["gpus"])
            return {"count": n, "bytes": 1 << 28, "method": "peer-copy/1", "torch": "2.6.0+cu124", "pairs": [
                {"from": i, "to": j, "access": bool(links), "gbs": [back if back and (i, j) == (1, 0) else link if link and (i, j) in ((0, 1), (1, 0)) else pair] * 5,
                 "equal": not unequal} for i in range(n) for j in range(n) if i != j]}

        fake = gpu_fakes.Smi(self.count, self.rows[0]["name"], self.capability)

        def smi(argv):
            if argv[1:2] == ["topo"]:
                return result(self.topology(links))
            return self.smi(links=links)(argv) if argv[1:2] == ["nvlink"] else fake(argv)

        programs = {"nvidia-smi": smi}
        if tool:
            programs["all_reduce_perf"] = lambda argv: result(tool)
        with unittest.mock.patch.object(interconnect, "_tool", lambda: "all_reduce_perf" if tool else None):
            return self.run(interconnect.run, {"stage": "interconnect"}, programs, {"gpu.allreduce:run": rank, "gpu.peer:run": pairs})

    def stability(self, behaviour="steady", smi=None, dmesg=None, seconds=1.5, cells=None, speed=650.0, changes=None):
        fake = gpu_fakes.Smi(self.count, self.rows[0]["name"], self.capability)
        fake.cells.update(cells or {})

        def answer(argv):
            if changes:
                changes(fake)
            return fake(argv)

        programs = {"nvidia-smi": smi or answer}
        if dmesg is not None:
            shown = [0]

            def kernel(argv):
                shown[0] += 1
                return result(dmesg(shown[0]))

            programs["dmesg"] = kernel

        def prepare(ctx):
            ctx.behaviour, ctx.speed = behaviour, speed

        return self.run(stability.run, {"stage": "stability", "stability": {"seconds": seconds, "period": 0.1}}, programs, {}, True, prepare)

    def task(self, command="echo tok/s=3100", metrics=None):
        place = tempfile.mkdtemp(prefix="payload-played-")
        try:
            spec = {"stage": "task", "task": {"command": command, "dir": place, "metrics": metrics or {"tokens_per_s": {"regex": "tok/s=([0-9.]+)"}}}}
            return self.run(task.run, spec, {"nvidia-smi": gpu_fakes.Smi(1)}, {"taskmetrics:run": lambda a: taskmetrics.run(**a)})
        finally:
            shutil.rmtree(place, ignore_errors=True)
