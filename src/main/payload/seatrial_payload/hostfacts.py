"""The host: facts, its processors' speed, and what limits a job on it."""

import os

from . import probes


def run(ctx):
    """Writes the fact ``host`` and its findings; returns (host, signs of soft slicing)."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or ""
    result = ctx.run_python("inner.host:run", {}, 20, env={"SEATRIAL_LOCALE": locale})
    host = {"filesystems": [], "nics": []}
    touching, unwritable = "", []
    for part in result.parts:
        if not isinstance(part, dict):
            continue
        if "host" in part:
            host.update(part["host"])
        elif "filesystem" in part:
            host["filesystems"].append(part["filesystem"])
        elif "touching" in part:
            touching = part["touching"]
        elif "writable" in part and not part["writable"]["ok"]:
            unwritable.append(part["writable"])
    if result.timed_out:
        ctx.finding("PROBE_TIMEOUT", "fail", "vendor", "A file system of this machine does not answer: %s." % (touching or "unknown"),
                    {"path": touching}, result.evidence(), "Ask the vendor to remove or repair this mount; every program that looks at it hangs.")
    elif result.value is None:
        ctx.finding("STAGE_FAILED", "warn", "ours", "The host's facts could not be read.", {}, result.error + "\n" + result.evidence(), "Report this as a bug.")
    for fs in host["filesystems"]:
        if fs.get("mount") == "/dev/shm":
            host["shmMiB"] = fs.get("sizeMiB")
    host["unwritable"] = unwritable
    host["missingTools"] = [t for t in ("fio", "dd", "setsid", "ps", "dmesg", "bash", "tar", "curl") if probes.which(t) is None]
    busybox = probes.which("ps")
    host["busybox"] = bool(busybox and os.path.basename(os.path.realpath(busybox)) == "busybox")
    ctx.fact("host", host)
    _judge(ctx, host, unwritable)
    signs = result.value.get("slicing", []) if isinstance(result.value, dict) else []
    return host, signs


def _judge(ctx, host, unwritable):
    shm = host.get("shmMiB")
    if shm is None or shm < 1024:
        multi = ctx.spec.phase == "multi" or ctx.spec.expect_gpus > 1
        ctx.finding("SHM_SMALL", "warn" if multi or (shm or 0) <= 64 else "info", "image",
                    "Shared memory (/dev/shm) is %s; data loaders and NCCL need more." % ("missing" if shm is None else "only %d MiB" % shm),
                    {"shmMiB": "" if shm is None else shm}, "",
                    "Start the container with a larger --shm-size (a quarter of the memory is usual).")
    hard, soft = host.get("ulimitNofileHard"), host.get("ulimitNofile")
    if hard is not None and hard < 4096:
        ctx.finding("LOW_ULIMIT", "warn", "image", "At most %d files can be open at once, and the user cannot raise it." % hard,
                    {"soft": soft, "hard": hard}, "", "Ask for a higher limit of open files (nofile 65536 or more).")
    elif soft is not None and soft < 4096:
        ctx.finding("LOW_ULIMIT", "info", "image", "The limit of open files is %d until it is raised with ulimit -n (up to %s)." % (soft, hard or "any number"),
                    {"soft": soft, "hard": hard or ""}, "", "Run ulimit -n before jobs with many data loader workers.")
    for item in unwritable:
        ctx.finding("STORAGE_SPACE", "warn", "image", "Nothing can be written to %s (%s)." % (item.get("path"), item.get("why")),
                    {"path": item.get("path"), "why": item.get("why")}, "",
                    "The trial keeps its files elsewhere; jobs may need TMPDIR or HOME set to a place that can be written.")
    quota, cpus = host.get("cpuQuota"), host.get("cpus")
    if quota and cpus and quota < 0.75 * cpus:
        ctx.finding("CPU_QUOTA", "info", "image", "The machine shows %d processors, but only %.4g may be used." % (cpus, quota),
                    {"cpus": cpus, "quota": quota}, "",
                    "Set worker and thread counts (num_workers, OMP_NUM_THREADS) to the usable number; libraries see the larger one.")


def measure(ctx, host):
    """Measures one core and all usable cores; names an oversold processor."""
    threads = int(host.get("cpusUsable") or os.cpu_count() or 1)
    seconds = 0.4 if ctx.spec.quick else 1.0
    result = ctx.run_python("inner.cpu:run", {"threads": min(threads, 1024), "blocks": 5, "seconds": seconds}, 30 + 20 * seconds)
    value = result.value
    if not isinstance(value, dict):
        ctx.finding("PROBE_TIMEOUT" if result.timed_out else "STAGE_FAILED", "warn", "unknown" if result.timed_out else "ours",
                    "The processors' speed could not be measured.", {}, result.error + "\n" + result.evidence(), "")
        return
    steal = value.get("stealShare")
    attrs = {"python": value["python"], "interpreterMops": round(sorted(value["interpreter"])[len(value["interpreter"]) // 2], 2)}
    ctx.measurement("host_cpu_single_core", None, "Mop/s", samples=value["single"], tool="python", tool_version=value["python"], method="md5/1", attrs=attrs)
    ctx.measurement("host_cpu_all_cores", None, "Mop/s", samples=value["all"], tool="python", tool_version=value["python"], method="md5/1",
                    attrs={"threads": value["threads"], "stealShare": None if steal is None else round(steal, 4)})
    single, together = sorted(value["single"])[2], sorted(value["all"])[2]
    share = together / (single * threads) if single > 0 else 1.0
    # Two threads of one core reach about 1.1 to 1.3 times one of them, so half is normal with SMT.
    if steal is not None and steal > 0.05 or share < 0.40:
        ctx.finding("CPU_OVERSOLD", "warn", "vendor",
                    "The processors deliver less than is shown: all %d together reach %.0f %% of %d times one." % (threads, 100 * share, threads),
                    {"share": "%.2f" % share, "steal": "" if steal is None else "%.3f" % steal, "threads": threads}, "",
                    "Ask the vendor for dedicated processors; data loading will starve the GPU.")
