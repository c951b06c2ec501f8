"""Stage ``interconnect``: how the GPUs of one machine reach each other, and whether what arrives is right."""

import glob
import os
import time
from concurrent.futures import ThreadPoolExecutor

from ..context import median
from ..gpu import allreduce, failures, fleet, topology

MIB, GIB = 1 << 20, 1 << 30
UNUSED_GAIN = 1.5  # NVLink carries several times what the host's memory does
TOOL_PLACES = ("/usr/local/bin", "/opt/nccl-tests/build", "/opt/nccl_tests/build", "/root/nccl-tests/build", "/workspace/nccl-tests/build", "/usr/local/nccl-tests/build")  # fmt: skip


def run(ctx):
    options = ctx.spec.section("interconnect")
    if options.get("backend") == "gloo":
        _hosts_only(ctx, options)
        return
    found = fleet.find(ctx)
    if found is None:
        return
    if len(found.gpus) < 2:
        ctx.finding("SINGLE_GPU", "info", "unknown", "This machine has one GPU: there is nothing to connect.", {}, "", "")
        return
    _topology(ctx, found)
    ctx.progress(0.05, "copies between every pair of GPUs")
    _pairs(ctx, found)
    ctx.progress(0.35, "all-reduce")
    _all_reduce(ctx, found, options)


def _topology(ctx, found):
    matrix = ctx.run_probe(["nvidia-smi", "topo", "-m"], 30)
    links = ctx.run_probe(["nvidia-smi", "nvlink", "-s"], 30)
    ctx.raw("topo.txt", matrix.out)
    ctx.raw("nvlink.txt", links.out)
    fact = topology.topo(matrix.text)
    fact["uuids"] = [gpu.uuid for gpu in found.gpus]
    counts = topology.nvlinks(links.text)
    fact["nvlinks"] = [counts.get(gpu.index) for gpu in found.gpus]
    ctx.fact("topology", fact)
    found.links = fact["links"]


def _link(found, source, target):
    """The kind of path between two GPUs of the fleet (NV18, PIX, SYS …), or None."""
    try:
        return found.links[found.gpus[source].index][found.gpus[target].index]
    except IndexError:
        return None


def _pairs(ctx, found):
    count = len(found.gpus)
    limit = 60 + 2 * count * count
    result = ctx.run_python("gpu.peer:run", {"gpus": [gpu.handle for gpu in found.gpus]}, limit, found.python)
    if not result.value:
        if result.timed_out:
            ctx.finding("P2P_BROKEN", "fail", "vendor", "A copy between two GPUs never ended.", {"limit": "%d s" % limit}, result.evidence(),
                        "Ask the vendor about IOMMU, ACS and the virtual machine's topology.")
        else:
            failures.report(ctx, result, "Copies between GPUs")
        return
    value = result.value
    for pair in value["pairs"]:
        source, target = found.gpus[pair["from"]], found.gpus[pair["to"]]
        attrs = {"from": source.label, "to": target.label, "peerAccess": pair["access"], "bytes": value["bytes"]}
        link = _link(found, pair["from"], pair["to"])
        if link:
            attrs["link"] = link
        ctx.measurement("p2p_copy", None, "GB/s", gpu=source.uuid, samples=pair["gbs"], tool="torch", tool_version=value["torch"],
                        method=value["method"], confidence="normal" if pair["equal"] else "low", attrs=attrs)
        if not pair["equal"]:
            ctx.finding("P2P_BROKEN", "fail", "vendor", "Data changed on its way between two GPUs.", {"from": source.label, "to": target.label}, "",
                        "Ask the vendor about IOMMU and ACS; do not use several GPUs of this machine.")


def sizes(ctx, options):
    """Bytes per all-reduce, ascending; the largest that fits is what counts."""
    if options.get("sizes"):
        return sorted(int(size) for size in options["sizes"])[:16]
    return [MIB, 16 * MIB, 128 * MIB, GIB] + ([] if ctx.spec.quick else [8 * GIB])


def _all_reduce(ctx, found, options):
    tool = _tool()
    first = None
    if tool and len(found.gpus) > 1:
        first = _by_tool(ctx, found, tool, sizes(ctx, options), {})
        if first is not None and first.rows and not first.wrong:
            first.late = _by_torch(ctx, found, dict(options, sizes=[MIB]), {}).late
    if first is None:
        ctx.step_down("all_reduce_perf", "torch.distributed", "" if tool is None else "It gave no usable figures.")
        first = _by_torch(ctx, found, options, {})
    if first.rows:
        first.tell(ctx)
    good = first.rows and not first.wrong
    ctx.progress(0.7, "all-reduce again without P2P, " + ("to see what the direct way gains" if good else "to name the cause"))
    again = _by_torch(ctx, found, dict(options, sizes=[128 * MIB] if good else [MIB, 128 * MIB], steps=0), {"NCCL_P2P_DISABLE": "1"})
    if good:
        _gain(ctx, found, first, again)
    else:
        _name_cause(ctx, first, again)


def _gain(ctx, found, first, again):
    """What direct copies between the GPUs bring: without them the data goes through the host's memory."""
    if not again.rows:
        return  # the machine works as it is; that it could not work otherwise is no fault
    ours = min(first.rows, key=lambda row: abs(row["bytes"] - again.rows[-1]["bytes"]))
    share = ours["busbw"] / again.rows[-1]["busbw"] if again.rows[-1]["busbw"] > 0 else 0
    attrs = dict(again.attrs, bytes=again.rows[-1]["bytes"], withP2P=round(ours["busbw"], 2), gain=round(share, 3))
    ctx.measurement("allreduce_busbw_without_p2p", again.rows[-1]["busbw"], "GB/s", samples=again.rows[-1].get("samples"), tool=again.tool,
                    tool_version=again.version, method=allreduce.METHOD, attrs=attrs)
    numbers = range(len(found.gpus))
    linked = all((_link(found, i, j) or "").startswith("NV") for i in numbers for j in numbers if i != j)
    if linked and share < UNUSED_GAIN:
        off = os.environ.get("NCCL_P2P_DISABLE", "0") not in ("", "0")
        ctx.finding("P2P_UNUSED", "warn", "image" if off else "vendor", "The GPUs are linked by NVLink, but an all-reduce is no faster than through the host's memory.",
                    {"with": "%.1f GB/s" % ours["busbw"], "without": "%.1f GB/s" % again.rows[-1]["busbw"], "transports": ", ".join(first.attrs.get("transports") or [])}, "",
                    "Unset NCCL_P2P_DISABLE in the image." if off else "Ask the vendor about the NVLinks and the virtual machine's topology.")


def _name_cause(ctx, first, again):
    evidence = first.words or again.words
    if first.wrong:
        ctx.finding("ALLREDUCE_WRONG", "fail", "vendor", "A sum over all GPUs was wrong.", {"wrongValues": first.wrong}, evidence,
                    "Do not use several GPUs of this machine; ask the vendor for another.")
    if again.rows and not again.wrong:
        best = again.rows[-1]["busbw"]
        ctx.finding("P2P_BROKEN", "fail", "vendor", "The GPUs work together only with direct access between them switched off.",
                    {"hung": str(first.hung).lower(), "busbwWithoutP2P": "%.1f GB/s" % best}, evidence,
                    "Ask the vendor about IOMMU, ACS and patched drivers; NCCL_P2P_DISABLE=1 works around it, slowly.")
        return
    if first.wrong:
        return
    known = failures.diagnose(first.words)
    if known and known.code in ("SHM_SMALL", "ECC_UNCORRECTED", "GPU_LOST", "CUDA_ERROR_802", "OTHER_TENANT_LOAD"):
        ctx.finding(known.code, "fail", known.owner, known.message, dict(known.params, probe="all-reduce"), evidence, known.next_step)
        return
    message = "The all-reduce hung, with and without P2P." if first.hung else "The all-reduce failed, with and without P2P."
    ctx.finding("NCCL_FAILED", "fail", "unknown", message, {"hung": str(first.hung).lower()}, evidence,
                "Look at the evidence: /dev/shm, network interface (NCCL_SOCKET_IFNAME) and driver are the usual causes.")


class _Result:
    """Rows by size ({bytes, busbw, samples, wrong}), and what was said when there are none."""

    def __init__(self, tool, version=None):
        self.tool, self.version, self.rows, self.words, self.hung, self.attrs = tool, version, [], "", False, {}
        self.labels, self.late = [], None

    @property
    def wrong(self):
        return sum(row.get("wrong") or 0 for row in self.rows)

    def tell(self, ctx):
        if self.late:
            ctx.fact("ranks", dict(self.late, gpus=self.labels))
        top = max(row["bytes"] for row in self.rows)
        for row in self.rows:
            attrs = dict(self.attrs, bytes=row["bytes"], largest=row["bytes"] == top)
            if attrs["largest"] and self.late:
                attrs.update({name: self.late[name] for name in ("slowestRank", "slowestRankLate", "slowestRankBecause")})
                if self.labels:
                    attrs["slowestRankGpu"] = self.labels[self.late["slowestRank"]]
            ctx.measurement("allreduce_busbw", row["busbw"], "GB/s", samples=row.get("samples"), tool=self.tool, tool_version=self.version,
                            method=allreduce.METHOD, confidence="low" if row.get("wrong") else "normal", attrs=attrs)


def _tool():
    from ..probes import which

    found = which("all_reduce_perf")
    if found:
        return found
    places = [os.path.join(place, "all_reduce_perf") for place in TOOL_PLACES] + glob.glob("/opt/*/nccl-tests/build/all_reduce_perf")
    return next((place for place in places if os.access(place, os.X_OK)), None)


def _by_tool(ctx, found, tool, wanted, env):
    """nccl-tests over all GPUs in one process. None when it cannot be used, so that torch takes over."""
    out = os.path.join(ctx.run_dir, "tmp", "nccl.json")
    env = dict(env, CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES=",".join(str(gpu.handle) for gpu in found.gpus))
    argv = [tool, "-b", str(wanted[0]), "-e", str(wanted[-1]), "-f", "8", "-g", str(len(found.gpus)), "-n", "20", "-w", "5"]
    ran = ctx.run_probe(argv + ["-J", out], 180, env)
    if not ran.ok and not ran.timed_out:
        ran = ctx.run_probe(argv, 180, env)  # an older one does not know -J
    result = _Result("nccl-tests")
    try:
        with open(out, "rb") as f:
            data = f.read(4 << 20)
    except OSError:
        data = b""
    ctx.raw("all_reduce_perf.txt", ran.out + ran.err)
    result.rows = topology.nccl_json(data) or topology.nccl_text(ran.text)
    result.words, result.hung = ran.evidence(), ran.timed_out
    bad = topology.out_of_bounds(ran.text)
    if bad and result.rows and not result.wrong:
        result.rows[-1]["wrong"] = bad
    if ran.timed_out:
        result.rows = []
        return result
    # One rank gives a bus bandwidth of 0: a build without what it needs measured each GPU with itself.
    if not result.rows or not any(row["busbw"] > 0 for row in result.rows):
        return None
    return result


def _by_torch(ctx, found, options, env):
    extra = options.get("extraWork") if isinstance(options.get("extraWork"), dict) else {}
    steps = int(options.get("steps", allreduce.STEPS))
    ranks = [{"gpu": gpu.handle, "steps": steps, "extra": float(extra.get(str(n), 0))} for n, gpu in enumerate(found.gpus)]
    log = os.path.join(ctx.run_dir, "tmp", "nccl-%h-%p.log")
    env = dict({"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NVLS", "NCCL_DEBUG_FILE": log}, **env)
    result = ranks_together(ctx, found.python, ranks, "nccl", sizes(ctx, options), env, float(options.get("seconds", 150)))
    result.labels = [gpu.label for gpu in found.gpus]
    return result


def ranks_together(ctx, python, ranks, backend, wanted, env, seconds):
    """Runs one process per rank; the first to fail ends all, since the others would wait for it for ever."""
    place = os.path.join(ctx.run_dir, "tmp", "ranks-%d" % time.monotonic_ns())
    os.makedirs(place)
    abort = os.path.join(place, "abort")
    common = {"count": len(ranks), "store": os.path.join(place, "store"), "backend": backend, "sizes": wanted, "abort": abort, "seconds": seconds, "env": env}

    def one(number):
        result = ctx.run_python("gpu.allreduce:run", dict(common, rank=number, **ranks[number]), seconds + 30, python)
        if not result.value:
            with open(abort, "w") as mark:
                mark.write(str(number))
        return result

    with ThreadPoolExecutor(len(ranks)) as pool:
        results = list(pool.map(one, range(len(ranks))))
    return _gather(ctx, place, results, len(ranks), "torch.distributed/" + backend)


def _gather(ctx, place, results, count, tool):
    version = next((r.value["nccl"] or r.value["torch"] for r in results if r.value), None)
    result = _Result(tool, version)
    logs = b""
    for name in sorted(glob.glob(os.path.join(ctx.run_dir, "tmp", "nccl-*.log")))[:64]:
        with open(name, "rb") as f:
            logs += f.read(256 << 10)
        os.unlink(name)
    if logs:
        ctx.raw("nccl-%s.log" % os.path.basename(place), logs[: 4 << 20])
    said = topology.nccl_log(logs.decode("utf-8", "replace"))
    # Where the environment switches it off, older versions of NCCL do not say so.
    off = os.environ.get("NCCL_NVLS_ENABLE") == "0"
    result.attrs = {"ranks": count, "nvls": False if off and said["nvls"] is None else said["nvls"], "transports": said["transports"]}
    failed = [r for r in results if not r.value]
    if failed:
        # Ranks that left because of another (exit 17) know nothing; the one with an error of its own does.
        own = [r for r in failed if r.rc != 17] or failed
        result.hung = all(r.timed_out for r in own)
        warned = "\n".join(line for line in logs.decode("utf-8", "replace").splitlines() if "WARN" in line)
        result.words = (own[0].error + "\n" + warned[:1000] + "\n" + own[0].evidence(800)).strip()
        if any("timed out" in r.error.lower() or "timeout" in r.error.lower() for r in own):
            result.hung = True
        return result
    factor = 2.0 * (count - 1) / count
    for entries in zip(*[r.value["results"] for r in results]):
        if any(entry.get("skipped") for entry in entries):
            break
        slowest = [max(times) for times in zip(*[entry["secondsPerCall"] for entry in entries])]
        samples = [entries[0]["bytes"] / s / 1e9 * factor for s in slowest if s > 0]
        wrong = sum(entry["wrong"] for entry in entries)
        result.rows.append({"bytes": entries[0]["bytes"], "busbw": sorted(samples)[len(samples) // 2], "samples": samples, "wrong": wrong})
    result.late = late([r.value.get("steps") for r in results])
    return result


def late(steps):
    """Which rank the others wait for, from what each did in a loop of work and all-reduce; None when that is not known.

    In each step the rank that waits least came last. ``slowestRankLate`` is how much later than the others' middle it
    came, as a share of their work; ``slowestRankBecause`` whether its own work took longer ("work") or it began late ("host").
    """
    if len(steps) < 2 or not all(s and s.get("work") and s.get("wait") for s in steps):
        return None
    ranks = range(len(steps))
    behind = [[] for _ in ranks]
    for waits in zip(*[s["wait"] for s in steps]):
        for rank in ranks:
            behind[rank].append(max(waits) - waits[rank])
    behind, work, wait = [median(b) for b in behind], [median(s["work"]) for s in steps], [median(s["wait"]) for s in steps]
    slowest = max(ranks, key=lambda rank: behind[rank])
    others = [rank for rank in ranks if rank != slowest]
    usual = median([work[rank] for rank in others])
    share = (behind[slowest] - median([behind[rank] for rank in others])) / usual if usual > 0 else 0.0
    longer = work[slowest] / usual - 1 if usual > 0 else 0.0
    return {"slowestRank": slowest, "slowestRankLate": round(share, 4), "slowestRankBecause": "work" if longer >= share / 2 else "host",
            "workMs": [round(1000 * s, 3) for s in work], "waitMs": [round(1000 * s, 3) for s in wait], "behindMs": [round(1000 * s, 3) for s in behind]}


def _hosts_only(ctx, options):
    """The same all-reduce between processes without a GPU: proves the way the ranks meet."""
    python = ctx.torch_python()
    if python is None:
        ctx.finding("TORCH_MISSING", "warn", "image", "No Python with PyTorch was found.", {}, "", "Use an image with PyTorch.")
        return
    extra = options.get("extraWork") if isinstance(options.get("extraWork"), dict) else {}
    ranks = [{"device": "cpu", "extra": float(extra.get(str(n), 0))} for n in range(int(options.get("ranks", 2)))]
    env = {"GLOO_SOCKET_IFNAME": "lo"}
    result = ranks_together(ctx, python, ranks, "gloo", sizes(ctx, dict(options, sizes=options.get("sizes") or [MIB, 4 * MIB])), env, 60)
    if result.rows:
        result.tell(ctx)
    if result.wrong or not result.rows:
        _name_cause(ctx, result, _Result("none"))
