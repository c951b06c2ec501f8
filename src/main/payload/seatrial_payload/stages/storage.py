"""Stage ``storage``: the disk that the team's data would lie on.

fio when it is there, else O_DIRECT from Python, else dd; always random data, always past the page
cache where the file system allows it, and never more than a fifth of what is free.
"""

import errno
import os
import shutil

from .. import disktools, probes
from ..inner import host as hostinfo

MIB, GIB = 1 << 20, 1 << 30
_MEMORY = ("tmpfs", "ramfs")
_LAYERS = ("overlay", "aufs", "fuse-overlayfs")
_COMPRESSING = ("zfs", "btrfs", "f2fs")
_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "9p", "virtiofs", "wekafs")
_DATA_PLACES = ("/data", "/mnt/data", "/root/autodl-tmp", "/workspace", "/ephemeral", "/mnt", "/scratch", "/local", "/home")


def run(ctx):
    options = ctx.spec.section("storage")
    place = _place(ctx, options.get("dir"))
    if place is None:
        return
    work = _Work(ctx, options, place)
    if work.prepare():
        try:
            work.measure()
        finally:
            work.remove()
    data = options.get("data")
    if isinstance(data, str) and data:
        _data_set(ctx, data)


def _mounts():
    return hostinfo.parse_mountinfo(hostinfo.read("/proc/self/mountinfo", 1 << 20))


def _mount_of(path):
    """The mount that holds a path: the longest mount point that is its beginning, the last of equals."""
    real, best = os.path.realpath(path), None
    for mount in _mounts():
        point = mount[0].rstrip("/") or "/"
        if (real == point or real.startswith(point.rstrip("/") + "/")) and (best is None or len(point) >= len(best[0])):
            best = (point,) + mount[1:]
    return best


def _place(ctx, wanted):
    """The directory to measure, or None after a finding. Asked in a process of its own: a dead mount hangs."""
    if wanted:
        candidates = [str(wanted)]
    else:
        candidates = [p for p in _DATA_PLACES if any(m[0] == p for m in _mounts())] + [ctx.run_dir]
    result = ctx.run_python("stages.storage:look", {"paths": candidates}, 20)
    looked = {p["path"]: p for p in result.parts if isinstance(p, dict) and "path" in p}
    for path in candidates:
        seen = looked.get(path)
        if seen is None:
            ctx.finding("PROBE_TIMEOUT" if result.timed_out else "STAGE_FAILED", "fail" if result.timed_out else "warn",
                        "vendor" if result.timed_out else "ours", "The directory %s does not answer." % path, {"path": path},
                        result.error + result.evidence(), "Ask the vendor to repair this mount.")
            if wanted:
                return None
            continue
        if seen["error"] is None:
            if wanted or seen["free"] >= GIB or path == candidates[-1]:
                return seen
        elif wanted:
            code = {errno.ENOSPC: "STORAGE_SPACE", errno.EDQUOT: "STORAGE_SPACE"}.get(seen["errno"], "STORAGE_IO_ERROR")
            ctx.finding(code, "fail", "vendor" if seen["errno"] in (errno.EIO, errno.EROFS, errno.ENOSPC, errno.EDQUOT) else "image",
                        "Nothing can be written to %s: %s." % (path, seen["error"]), {"path": path, "why": seen["error"]}, "",
                        "Name a directory of the data disk in the plan, or ask the vendor for one that can be written.")
            return None
    ctx.finding("STORAGE_IO_ERROR", "fail", "image", "No directory was found that can be written.", {"tried": " ".join(candidates)[:400]}, "",
                "Name a directory in the plan.")
    return None


def look(paths):
    """Inner probe: whether each directory can be written, and how much is free."""
    from ..probes import emit_part

    for path in paths:
        name = os.path.join(path, ".seatrial-look-%d" % os.getpid())
        error, number, free = None, 0, 0
        try:
            with open(name, "wb") as f:
                f.write(b"x" * 4096)
                f.flush()
                os.fsync(f.fileno())
            st = os.statvfs(path)
            free = st.f_bavail * st.f_frsize
        except OSError as e:
            error, number = e.strerror, e.errno
        try:
            os.unlink(name)
        except OSError:
            pass
        emit_part({"path": path, "error": error, "errno": number, "free": free})
    return True


class _Work:
    """The work file and folder on the disk under test, and the measurements on them."""

    def __init__(self, ctx, options, place):
        self.ctx = ctx
        self.dir = place["path"]
        self.free = place["free"]
        self.seconds = max(1.0, min(600.0, float(_number(options.get("seconds"), 5 if ctx.spec.quick else 15))))
        self.max_bytes = int(_number(options.get("maxBytes"), 8 * GIB if ctx.spec.quick else 512 * GIB))
        self.mount = _mount_of(self.dir) or ("?", "unknown", "?", "")
        self.base = os.path.join(self.dir, ".seatrial-storage-" + os.path.basename(ctx.run_dir))
        self.file = os.path.join(self.base, "work")
        self.direct = False
        self.size = 0
        self.confidence = "normal"

    def prepare(self):
        ctx = self.ctx
        kind = self.mount[1]
        self._say_kind(kind)
        wanted = self._size()
        if wanted < 64 * MIB:
            ctx.finding("STORAGE_SPACE", "fail", "vendor", "Only %d MiB are free in %s: too little to measure." % (self.free // MIB, self.dir),
                        {"path": self.dir, "freeMiB": self.free // MIB}, "", "Free space, or rent a larger disk.")
            return False
        if self.free < 10 * GIB:
            ctx.finding("STORAGE_SPACE", "warn", "vendor", "Only %.1f GiB are free in %s." % (self.free / GIB, self.dir),
                        {"path": self.dir, "freeMiB": self.free // MIB}, "", "Rent a larger disk before data and checkpoints go there.")
        ctx.outside(self.base)
        os.makedirs(self.base, mode=0o700, exist_ok=True)
        answer = self._python("supports_direct", 30, path=self.file)
        if answer is None:
            return False
        self.direct = bool(answer.get("direct"))
        if not self.direct:
            self.confidence = "low"
            ctx.finding("STORAGE_NO_DIRECT_IO", "info", "image",
                        "The file system (%s) does not allow reading past the page cache, so figures are less certain." % kind,
                        {"path": self.dir, "type": kind}, answer.get("why", ""), "Name a directory of a local disk in the plan if there is one.")
        elif kind in _MEMORY:
            self.confidence = "low"
        return self._lay_out(wanted)

    def _say_kind(self, kind):
        ctx = self.ctx
        who = {"path": self.dir, "type": kind, "mount": self.mount[0]}
        if kind in _MEMORY:
            ctx.finding("STORAGE_TMPFS", "warn", "image", "%s lies in memory (%s), not on a disk: its speed says nothing about the disk." % (self.dir, kind),
                        who, "", "Name a directory of the data disk in the plan.")
        elif kind in _LAYERS:
            ctx.finding("STORAGE_OVERLAY", "info", "image", "%s lies in the container's own layer: it is lost with the container and often slower than the data disk." % self.dir,
                        who, "", "Name the data disk's directory in the plan if there is one.")
        if kind in _COMPRESSING:
            ctx.progress(0.03, "%s may compress: random data is used" % kind)

    def _size(self):
        """Twice the memory would defeat every cache; a fifth of what is free and the plan's limit are not exceeded."""
        total = hostinfo.parse_meminfo(hostinfo.read("/proc/meminfo")) or 8192
        memory = hostinfo.memory_limit(total) or total
        return min(2 * memory * MIB, self.free // 5, self.max_bytes) // MIB * MIB

    def _python(self, work, timeout, **args):
        """One piece of disk work in its own process; None after a finding when it hung or broke."""
        result = self.ctx.run_python("inner.disk:run", dict(args, work=work), timeout)
        if isinstance(result.value, dict):
            self._errors(result.value.get("error"), work)
            return result.value
        if result.timed_out:
            self.ctx.finding("PROBE_TIMEOUT", "fail", "vendor", "The disk did not finish '%s' within %d s." % (work.replace("_", " "), timeout),
                             {"path": self.dir, "work": work}, result.evidence(), "A disk or mount that hangs will hang jobs as well: ask the vendor.")
        else:
            self.ctx.finding("STAGE_FAILED", "warn", "ours", "Disk work '%s' failed." % work, {"work": work}, result.error + "\n" + result.evidence(),
                             "Report this as a bug.")
        return None

    def _errors(self, error, work):
        if not isinstance(error, dict) or not error.get("errno"):
            return
        number, text = error["errno"], error.get("text")
        who = {"path": self.dir, "work": work, "error": "%s %s" % (error.get("name"), text)}
        if number in (errno.ENOSPC, errno.EDQUOT):
            self.ctx.finding("STORAGE_SPACE", "warn", "vendor",
                             "The disk was full although %d MiB were shown as free: a quota or a thin disk is smaller than it says." % (self.free // MIB),
                             who, "", "Ask the vendor for the space that was paid for.")
        elif number != errno.EINVAL:
            self.ctx.finding("STORAGE_IO_ERROR", "fail", "vendor", "The disk reported an error: %s." % text, who, "", "Give the machine back; the disk is faulty.")

    def _lay_out(self, wanted):
        limit = min(20.0 if self.ctx.spec.quick else 60.0, self.ctx.remaining() / 4)
        self.ctx.progress(0.05, "writing %d MiB" % (wanted // MIB))
        answer = self._python("lay_out", limit + 60, path=self.file, size=wanted, direct=self.direct, limit=limit)
        if answer is None or answer["bytes"] < 16 * MIB:
            return False
        self.size = answer["bytes"]
        self.written = answer
        self.ctx.fact("storage", {
            "dir": self.dir, "mount": self.mount[0], "type": self.mount[1], "source": self.mount[2], "network": self.mount[1] in _NETWORK or self.mount[1].startswith("fuse"),
            "compressing": self.mount[1] in _COMPRESSING, "freeMiB": self.free // MIB, "direct": self.direct, "fileMiB": self.size // MIB, "rotational": hostinfo._rotational(self.mount[2]),
        })
        return True

    def measure(self):
        fio = probes.which("fio") if self.direct else None
        if self.direct and fio is None:
            self.ctx.step_down("fio", "O_DIRECT from Python", "no program named fio on the path")
        done = False
        if fio:
            done = self._fio()
        if not done:
            done = self._direct() if self.direct else self._buffered()
        if not done:
            self._dd()
        self.ctx.progress(0.75, "small files")
        self._small_files()

    def _say(self, name, unit, samples, tool, version, method, attrs=None):
        attrs = dict(attrs or {}, dir=self.dir, filesystem=self.mount[1], fileMiB=self.size // MIB, direct=self.direct)
        self.ctx.measurement(name, None, unit, samples=samples, tool=tool, tool_version=version, method=method, confidence=self.confidence, attrs=attrs)

    # fio

    def _fio(self):
        """All four figures with fio, five short runs each; False when fio cannot do it here."""
        runs, each = 5, max(1.0, self.seconds / 5)
        plans = (("write", "1M", 16, 1, 0.10), ("read", "1M", 16, 1, 0.30), ("randread", "4k", 32, 4, 0.50))
        for mode, block, depth, jobs, done in plans:
            self.ctx.progress(done, "fio " + mode)
            found = []
            for turn in range(runs):
                parsed = self._fio_once(mode, block, depth, jobs, each, turn)
                if parsed is None:
                    self.ctx.step_down("fio", "O_DIRECT from Python", self.fio_why)
                    return False
                side = parsed["write" if mode == "write" else "read"]
                if parsed["error"]:
                    self._errors({"errno": parsed["error"], "name": errno.errorcode.get(parsed["error"], ""), "text": os.strerror(parsed["error"])}, "fio " + mode)
                if side:
                    found.append(side)
            if not found:
                continue
            version = parsed["version"]
            if mode == "randread":
                self._say("storage_rand_read_4k", "IOPS", [s["iops"] for s in found], "fio", version, "rand-4k-qd128/1", {"depth": depth * jobs})
                p99 = [s["p99"] for s in found if s["p99"] is not None]
                if p99:
                    self._say("storage_rand_read_4k_p99", "ms", p99, "fio", version, "rand-4k-qd128/1", {"depth": depth * jobs})
            else:
                self._say("storage_seq_" + mode, "GB/s", [s["bw"] / 1e9 for s in found], "fio", version, "seq-1m-qd16/1", {"depth": depth})
        return True

    def _fio_once(self, mode, block, depth, jobs, seconds, turn):
        engine = "libaio" if turn >= 0 and not getattr(self, "fio_plain", False) else "psync"
        result = self.ctx.run_probe(self._fio_argv(mode, block, depth, jobs, seconds, engine), seconds + 60)
        self.ctx.raw("fio-%s-%d.txt" % (mode, turn), result.out + result.err)
        parsed = disktools.parse_fio(result.out)
        if parsed is None and engine == "libaio" and not result.timed_out:
            # Static builds of fio come without libaio; threads stand in for the queue.
            self.fio_plain = True
            return self._fio_once(mode, block, depth, jobs, seconds, turn)
        if parsed is None or parsed["refusedDirect"] or result.timed_out:
            self.fio_why = result.evidence(400) or "no output"
            return None
        return parsed

    def _fio_argv(self, mode, block, depth, jobs, seconds, engine):
        argv = ["fio", "--name=trial", "--filename=" + self.file, "--size=%d" % self.size, "--rw=" + mode, "--bs=" + block, "--direct=1",
                "--ioengine=" + engine, "--time_based", "--runtime=%d" % max(1, round(seconds)), "--ramp_time=1", "--group_reporting",
                "--output-format=json", "--randrepeat=0", "--norandommap", "--allow_file_create=0", "--fallocate=none"]
        if engine == "psync":
            return argv + ["--thread", "--numjobs=%d" % (depth * jobs)]
        argv += ["--iodepth=%d" % depth, "--numjobs=%d" % jobs]
        return argv + (["--scramble_buffers=1", "--end_fsync=1"] if mode == "write" else [])

    # Python

    def _direct(self):
        self.ctx.progress(0.15, "sequential write")
        any_figure = False
        for mode, done in (("write", 0.15), ("read", 0.30)):
            self.ctx.progress(done, "sequential " + mode)
            answer = self._python("sequential", self.seconds + 60, path=self.file, mode=mode, seconds=self.seconds)
            samples = [s / 1e9 for s in (answer or {}).get("samples", []) if s > 0]
            if samples:
                any_figure = True
                self._say("storage_seq_" + mode, "GB/s", samples, "python", _python_version(), "seq-1m-qd16/1", {"depth": 16, "engine": answer.get("engine")})
        self.ctx.progress(0.50, "random reads")
        answer = self._python("random_read", self.seconds + 60, path=self.file, seconds=self.seconds, direct=True, seed=self.ctx.spec.seed)
        self._random(answer, "rand-4k-qd128/1")
        return any_figure

    def _random(self, answer, method):
        samples = [s for s in (answer or {}).get("samples", []) if s > 0]
        if not samples:
            return
        attrs = {"depth": 128, "processes": answer.get("processes"), "engine": answer.get("engine")}
        self._say("storage_rand_read_4k", "IOPS", samples, "python", _python_version(), method, attrs)
        if answer.get("p99") is not None:
            self._say("storage_rand_read_4k_p99", "ms", [answer["p99"]], "python", _python_version(), method, dict(attrs, p50=answer.get("p50"), max=answer.get("max")))

    def _buffered(self):
        """Through the page cache: written and synced, forgotten, read once."""
        if self.written["seconds"] > 0:
            self._say("storage_seq_write", "GB/s", [self.written["bytes"] / self.written["seconds"] / 1e9], "python", _python_version(), "seq-1m-buffered/1")
        self.ctx.progress(0.30, "sequential read")
        answer = self._python("buffered_read", self.seconds + 120, path=self.file)
        samples = [s / 1e9 for s in (answer or {}).get("samples", [])]
        if samples:
            self._say("storage_seq_read", "GB/s", samples, "python", _python_version(), "seq-1m-buffered/1")
        self.ctx.progress(0.50, "random reads")
        answer = self._python("random_read", self.seconds + 60, path=self.file, seconds=self.seconds, direct=False, seed=self.ctx.spec.seed)
        self._random(answer, "rand-4k-buffered/1")
        return bool(samples)

    # dd

    def _dd(self):
        """The last step down: no random reads, one sample each."""
        if probes.which("dd") is None:
            self.ctx.step_down("dd", "nothing", "no program named dd on the path")
            return
        self.ctx.step_down("O_DIRECT from Python", "dd", "")
        source = os.path.join(self.base, "source")
        blocks = min(256, max(16, self.size // MIB // 2))
        with open(source, "wb") as f:
            for _ in range(blocks):
                f.write(os.urandom(MIB))
        for mode, argvs in (
            ("write", [["dd", "if=" + source, "of=" + self.file, "bs=1M", "conv=notrunc", "oflag=direct"],
                       ["dd", "if=" + source, "of=" + self.file, "bs=1M", "conv=fsync"]]),
            ("read", [["dd", "if=" + self.file, "of=/dev/null", "bs=1M", "count=%d" % blocks, "iflag=direct"],
                      ["dd", "if=" + self.file, "of=/dev/null", "bs=1M", "count=%d" % blocks]]),
        ):
            for turn, argv in enumerate(argvs):
                result = self.ctx.run_probe(argv, 120)
                rate = disktools.parse_dd(result.err + result.out)
                if rate is None and result.seconds > 0:
                    rate = (disktools.parse_dd_records(result.err, MIB) or 0) / result.seconds
                if rate and result.ok:
                    self.confidence = "low"
                    self._say("storage_seq_" + mode, "GB/s", [rate / 1e9], "dd", None, "seq-1m-dd-%s/1" % ("direct" if turn == 0 else "buffered"))
                    break

    # Small files

    def _small_files(self):
        count, size = (1000, 110 * 1024) if self.ctx.spec.quick else (5000, 110 * 1024)
        count = min(count, max(0, (self.free // 10) // size))
        if count < 100:
            return
        folder = os.path.join(self.base, "files")
        limit = min(20.0 if self.ctx.spec.quick else 60.0, self.ctx.remaining() / 3)
        made = self._python("make_files", limit + 60, folder=folder, count=count, size=size, limit=limit)
        if not made or made["files"] < 100:
            return
        answer = self._python("read_files", limit + 60, folder=folder, limit=limit, seed=self.ctx.spec.seed)
        if not answer or not answer["files"] or answer["seconds"] <= 0:
            return
        samples = answer["samples"] or [answer["files"] / answer["seconds"]]
        self.ctx.measurement(
            "storage_small_files", None, "files/s", samples=samples, tool="python", tool_version=_python_version(), method="small-files-110k-t8/1",
            confidence=self.confidence,
            attrs={"files": answer["files"], "fileBytes": size, "threads": 8, "created": round(made["files"] / made["seconds"], 1), "dir": self.dir, "filesystem": self.mount[1]})

    def remove(self):
        shutil.rmtree(self.base, ignore_errors=True)


def _data_set(ctx, path):
    """Reads the team's own data once, as a data loader would."""
    limit = min(60.0 if ctx.spec.quick else 300.0, ctx.remaining() * 0.8)
    result = ctx.run_python("inner.disk:run", {"work": "read_files", "folder": path, "limit": limit, "seed": ctx.spec.seed}, limit + 30)
    answer = result.value
    if not isinstance(answer, dict) or not answer.get("files") or not answer.get("seconds"):
        ctx.finding("STORAGE_IO_ERROR", "warn", "unknown", "The data in %s could not be read." % path, {"path": path}, result.error + result.evidence(),
                    "Check the plan's data directory.")
        return
    attrs = {"dir": path, "files": answer["files"], "bytes": answer["bytes"], "seconds": round(answer["seconds"], 2), "all": answer["all"]}
    # Data that was uploaded a moment ago may still lie in the page cache.
    ctx.measurement("storage_data_read", answer["bytes"] / answer["seconds"] / 1e9, "GB/s", tool="python", tool_version=_python_version(),
                    method="data-set-t8/1", confidence="low", attrs=attrs)


def _number(value, default):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else default


def _python_version():
    import platform

    return platform.python_version()
