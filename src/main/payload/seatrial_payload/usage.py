"""What a running command uses of the machine, from /proc and cgroups, and which resource holds it back."""

import os
import re
import time

RECEIVING_MBS = 1.0
TICKS = os.sysconf("SC_CLK_TCK")
_DISK = re.compile(r"^(sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|nvme\d+n\d+|mmcblk\d+)$")


def _read(path):
    try:
        with open(path, "rb") as f:
            return f.read(1 << 20).decode("utf-8", "replace")
    except OSError:
        return ""


def _stat(path):
    """(state, parent, cpu seconds) of a process or thread, or None."""
    text = _read(path)
    try:
        fields = text[text.rindex(")") + 2 :].split()
        return fields[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS
    except (ValueError, IndexError):
        return None


def tree(root):
    """{pid: (state, parent, cpu seconds)} of a process and all below it."""
    every = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            found = _stat("/proc/%s/stat" % name)
            if found:
                every[int(name)] = found
    inside, grown = {root} & set(every), True
    while grown:
        more = {pid for pid, (_, parent, _) in every.items() if parent in inside} - inside
        inside |= more
        grown = bool(more)
    return {pid: every[pid] for pid in inside}


def threads(pids, most=1024):
    """{(pid, thread): (seconds on a core, seconds ready but waiting for one)}."""
    found = {}
    for pid in pids:
        try:
            names = os.listdir("/proc/%d/task" % pid)
        except OSError:
            continue
        for name in names:
            if len(found) >= most:
                return found
            stat = _stat("/proc/%d/task/%s/stat" % (pid, name))
            if stat:
                ran = _read("/proc/%d/task/%s/schedstat" % (pid, name)).split()
                waited = int(ran[1]) / 1e9 if len(ran) == 3 and ran[1].isdigit() else 0.0
                found[(pid, name)] = (stat[2], waited)
    return found


def groups(text, root="/sys/fs/cgroup"):
    """Folders of our CPU control group and those above it, innermost first, from /proc/self/cgroup (both versions).

    A quota may lie on any of them. In a container that sees itself as the top, the top is all there is.
    """
    found = []
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if number == "0" and not kinds:
            bases = [root, root + "/unified"]
        elif "cpu" in kinds.split(","):
            bases = [root + "/cpu", root + "/" + kinds, root + "/cpu,cpuacct"]
        else:
            continue
        for base in bases:
            parts = [part for part in path.split("/") if part and part != ".."]
            found += ["/".join([base] + parts[:count]) for count in range(len(parts), -1, -1)]
    return list(dict.fromkeys(found + [root, root + "/cpu", root + "/cpu,cpuacct"]))


def cpu_throttling():
    """(periods, throttled periods) of the group that was throttled most, or None where there is no quota."""
    most = None
    for place in groups(_read("/proc/self/cgroup")):
        pairs = dict(re.findall(r"^(\w+) (\d+)$", _read(place + "/cpu.stat"), re.M))
        if int(pairs.get("nr_periods", 0)) > 0 and "nr_throttled" in pairs:
            seen = int(pairs["nr_periods"]), int(pairs["nr_throttled"])
            most = seen if most is None or seen[1] > most[1] else most
    return most


def cpus():
    """Cores that may be used: affinity, and the cgroup's quota."""
    try:
        count = float(len(os.sched_getaffinity(0)))
    except (AttributeError, OSError):
        count = float(os.cpu_count() or 1)
    for place in groups(_read("/proc/self/cgroup")):
        quota = _read(place + "/cpu.max").split()
        if len(quota) < 2:
            quota = [_read(place + "/cpu.cfs_quota_us").strip(), _read(place + "/cpu.cfs_period_us").strip()]
        try:
            if int(quota[0]) > 0:
                count = min(count, int(quota[0]) / float(quota[1]))
        except (ValueError, ZeroDivisionError):
            continue
    return count


def disk_bytes():
    """(read, written) bytes of all whole disks."""
    read = written = 0
    for line in _read("/proc/diskstats").splitlines():
        cells = line.split()
        if len(cells) >= 10 and _DISK.match(cells[2]):
            try:
                read, written = read + int(cells[5]) * 512, written + int(cells[9]) * 512
            except ValueError:
                continue
    return read, written


def net_bytes():
    """(received, sent) bytes of all interfaces but the loopback."""
    received = sent = 0
    for line in _read("/proc/net/dev").splitlines()[2:]:
        name, _, rest = line.partition(":")
        cells = rest.split()
        if name.strip() != "lo" and len(cells) >= 9 and cells[0].isdigit() and cells[8].isdigit():
            received, sent = received + int(cells[0]), sent + int(cells[8])
    return received, sent


def io_pressure():
    """Microseconds in which something waited for disks, or None (no PSI)."""
    found = re.search(r"^some .*total=(\d+)", _read("/proc/pressure/io"), re.M)
    return int(found.group(1)) if found else None


class Watcher:
    """Differences between one look and the next."""

    def __init__(self, root):
        self.root, self._before = root, None

    def look(self):
        """One dict of rates since the last look, or None the first time."""
        now = {"at": time.monotonic(), "tree": tree(self.root), "disk": disk_bytes(), "net": net_bytes(), "throttle": cpu_throttling(), "io": io_pressure()}
        now["threads"] = threads(now["tree"])
        before, self._before = self._before, now
        if before is None:
            return None
        span = max(now["at"] - before["at"], 1e-3)
        busy = {pid: max(0.0, now["tree"][pid][2] - before["tree"][pid][2]) / span for pid in now["tree"] if pid in before["tree"]}
        both = [(now["threads"][t], before["threads"][t]) for t in now["threads"] if t in before["threads"]]
        hot = max(((max(0.0, a[0] - b[0]) / span, max(0.0, a[1] - b[1]) / span) for a, b in both), key=sum, default=(0.0, 0.0))
        sample = {
            "cores": sum(busy.values()),
            "hotThread": min(1.0, hot[0]),
            "hotThreadWaits": min(1.0, hot[1]),
            "busyProcesses": sum(1 for share in busy.values() if share >= 0.8),
            "waiting": any(state == "D" for state, _, _ in now["tree"].values()),
            "diskReadMBs": (now["disk"][0] - before["disk"][0]) / span / 1e6,
            "diskWriteMBs": (now["disk"][1] - before["disk"][1]) / span / 1e6,
            "netReceiveMBs": (now["net"][0] - before["net"][0]) / span / 1e6,
            "ioWait": None,
            "throttled": None,
        }
        if now["io"] is not None and before["io"] is not None:
            sample["ioWait"] = min(1.0, (now["io"] - before["io"]) / 1e6 / span)
        if now["throttle"] and before["throttle"] and now["throttle"][0] > before["throttle"][0]:
            sample["throttled"] = (now["throttle"][1] - before["throttle"][1]) / float(now["throttle"][0] - before["throttle"][0])
        return sample


def bottleneck(samples, usable):
    """(name, why, figures): gpu, cpu-quota, cpu, disk, network, data-loading, single-core, none or unknown.

    ``samples`` are looks with "gpu" (0..100 or None) added. What comes before the GPU's first and after its last work
    (imports, saving) is left out.
    """
    working = [i for i, s in enumerate(samples) if (s.get("gpu") or 0) > 5]
    if working:
        samples = samples[working[0] : working[-1] + 1]
    if not samples:
        return "unknown", "There were no samples.", {}

    def mean(name):
        values = [s[name] for s in samples if s.get(name) is not None]
        return sum(values) / len(values) if values else None

    figures = {name: mean(name) for name in ("gpu", "cores", "hotThread", "hotThreadWaits", "busyProcesses", "diskReadMBs", "netReceiveMBs", "ioWait", "throttled")}
    figures["waiting"] = sum(1 for s in samples if s.get("waiting")) / float(len(samples))
    figures["receiving"] = sum(1 for s in samples if (s.get("netReceiveMBs") or 0) >= RECEIVING_MBS) / float(len(samples))
    figures = {name: round(value, 3) for name, value in figures.items() if value is not None}
    gpu, cores, waits = figures.get("gpu"), figures.get("cores", 0), max(figures["waiting"], figures.get("ioWait", 0))
    if gpu is not None and gpu >= 80:
        return "gpu", "The GPU was busy %.0f %% of the time." % gpu, figures
    idle = "" if gpu is None else " while the GPU was busy %.0f %% of the time" % gpu
    if figures.get("throttled", 0) >= 0.25:
        return "cpu-quota", "The container's CPU quota held it back in %.0f %% of all periods%s." % (100 * figures["throttled"], idle), figures
    if cores >= 0.9 * usable:
        return "cpu", "All %.0f usable cores were busy (%.1f)%s." % (usable, cores, idle), figures
    if figures.get("hotThreadWaits", 0) >= 0.25 and figures["hotThread"] + figures["hotThreadWaits"] >= 0.85:
        return "cpu", "Its busiest thread waited for a core %.0f %% of the time%s: others use the processors." % (100 * figures["hotThreadWaits"], idle), figures
    if waits >= 0.3 and figures.get("netReceiveMBs", 0) > 4 * max(1.0, figures.get("diskReadMBs", 0)):
        return "network", "It waited for data that came over the network (%.0f MB/s)%s." % (figures["netReceiveMBs"], idle), figures
    if waits >= 0.3:
        return "disk", "It waited for disks %.0f %% of the time (%.0f MB/s read)%s." % (100 * waits, figures.get("diskReadMBs", 0), idle), figures
    if figures.get("busyProcesses", 0) >= 1.5:
        return "data-loading", "%.0f processes were busy preparing data%s: more loader workers would help." % (figures["busyProcesses"], idle), figures
    # Ready to run counts: on a shared host a thread that never rests is not always let.
    wanted = figures.get("hotThread", 0) + figures.get("hotThreadWaits", 0)
    if wanted >= 0.85:
        return "single-core", "One thread was busy %.0f %% of the time%s: a faster core would help." % (100 * wanted, idle), figures
    # A program that waits for a connection sleeps: neither cores nor disks show it, only what arrives meanwhile.
    if figures.get("netReceiveMBs", 0) >= 50 or figures["receiving"] >= 0.5:
        return "network", "It received %.0f MB/s over the network%s, and nothing else was busy." % (figures["netReceiveMBs"], idle), figures
    if gpu is None:
        return "unknown", "The GPU's use could not be read.", figures
    return "none", "Nothing was busy throughout%s: waits inside the program, or steps too short to see." % idle, figures
