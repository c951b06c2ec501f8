"""What kind of machine this is, from /proc, /sys and the environment; no program is started, no root needed.

File systems are touched last and one by one, after their name was handed over: a dead network disk
hangs whoever asks it, and then the parent knows which one it was.
"""

import os
import platform
import re
import time

from ..probes import emit_part

_NO_DISK = {
    "proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "securityfs", "debugfs", "tracefs", "pstore", "bpf",
    "configfs", "fusectl", "hugetlbfs", "binfmt_misc", "autofs", "rpc_pipefs", "nsfs", "efivarfs", "devtmpfs", "selinuxfs",
}


def read(path, cap=65536):
    """Text of a small file, or None."""
    try:
        with open(path, "rb") as f:
            return f.read(cap).decode("utf-8", "replace")
    except OSError:
        return None


def _integer(path):
    text = (read(path) or "").strip()
    try:
        return int(text)
    except ValueError:
        return None


def parse_cpuinfo(text):
    """(number of processors, model name or None, hypervisor flag)."""
    text = text or ""
    count = len(re.findall(r"^processor\s*:", text, re.M))
    model = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", text, re.M)
    flags = re.search(r"^flags\s*:\s*(.+)$", text, re.M)
    return count, model.group(1).strip()[:200] if model else None, bool(flags and " hypervisor" in flags.group(1))


def parse_meminfo(text):
    """Total memory in MiB, or None."""
    match = re.search(r"^MemTotal:\s+(\d{1,15}) kB", text or "", re.M)
    return int(match.group(1)) >> 10 if match else None


def parse_cpu_max(text):
    """cgroup v2 ``cpu.max`` → CPUs, or None when there is no limit."""
    parts = (text or "").split()
    try:
        return int(parts[0]) / int(parts[1]) if parts and parts[0] != "max" and int(parts[0]) > 0 else None
    except (ValueError, IndexError, ZeroDivisionError):
        return None


def parse_mountinfo(text):
    """[(mount point, type, source, options)] of file systems that can hold data."""
    found = []
    for line in (text or "").splitlines()[:8192]:
        left, dash, right = line.partition(" - ")
        a, b = left.split(" "), right.split(" ")
        if not dash or len(a) < 6 or len(b) < 2 or b[0] in _NO_DISK:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), a[4])
        if point.startswith(("/proc", "/sys/")):
            continue
        found.append((point[:400], b[0][:40], b[1][:200], a[5] + "," + (b[2] if len(b) > 2 else "")))
    return found


def _cgroup_dirs():
    """Folders of our own control group, the mount root last (in a container it is our own)."""
    v2, v1 = [], {}
    for line in (read("/proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and parts[0] == "0":
            path = parts[2]
            while path and path != "/":
                v2.append("/sys/fs/cgroup" + path)
                path = os.path.dirname(path)
        elif len(parts) == 3:
            for name in parts[1].split(","):
                v1[name] = parts[2]
    return v2 + ["/sys/fs/cgroup"], v1


def cpu_limit():
    """CPUs that the control group grants, or None."""
    v2, v1 = _cgroup_dirs()
    limits = [n for n in (parse_cpu_max(read(d + "/cpu.max")) for d in v2) if n]
    for base in ("/sys/fs/cgroup/cpu" + v1.get("cpu", ""), "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"):
        quota, period = _integer(base + "/cpu.cfs_quota_us"), _integer(base + "/cpu.cfs_period_us")
        if quota and quota > 0 and period:
            limits.append(quota / period)
    return round(min(limits), 2) if limits else None


def memory_limit(total_mib):
    """Memory in MiB that the control group grants, or None when it is no limit."""
    v2, v1 = _cgroup_dirs()
    values = [_integer(d + "/memory.max") for d in v2]
    values += [_integer("/sys/fs/cgroup/memory" + v1.get("memory", "") + "/memory.limit_in_bytes"),
               _integer("/sys/fs/cgroup/memory/memory.limit_in_bytes")]
    values = [v >> 20 for v in values if v and v > 0]
    limit = min(values) if values else None
    return limit if limit is not None and (total_mib is None or limit < total_mib) else None


def usable_cpus(limit):
    """CPUs we may really use: affinity and quota together."""
    try:
        n = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        n = os.cpu_count() or 1
    return max(1, min(n, int(limit + 0.5))) if limit else n


def _container():
    if os.path.exists("/.dockerenv"):
        return "docker"
    if os.path.exists("/run/.containerenv"):
        return "podman"
    if os.environ.get("KUBERNETES_SERVICE_HOST") or os.path.isdir("/var/run/secrets/kubernetes.io"):
        return "kubernetes"
    text = (read("/proc/1/cgroup") or "") + (read("/proc/self/mountinfo", 1 << 20) or "")
    for word in ("kubepods", "docker", "containerd", "lxc"):
        if re.search(r"[/-]%s[/-]" % word, text):
            return word
    env = read("/proc/1/environ") or ""
    match = re.search(r"(?:^|\0)container=([a-z0-9-]{1,30})", env)
    if match:
        return match.group(1)
    root = [m for m in parse_mountinfo(read("/proc/self/mountinfo", 1 << 20)) if m[0] == "/"]
    return "unknown kind" if root and root[-1][1] in ("overlay", "aufs") else None


def _virtualization(hypervisor):
    vendor = ((read("/sys/class/dmi/id/sys_vendor") or "") + " " + (read("/sys/class/dmi/id/product_name") or "")).strip()
    if "microsoft" in (read("/proc/version") or "").lower():
        return "wsl"
    for word, name in (("KVM", "kvm"), ("QEMU", "kvm"), ("Alibaba", "kvm"), ("Google", "kvm"), ("Amazon EC2", "nitro"),
                       ("VMware", "vmware"), ("Virtual Machine", "hyper-v"), ("Xen", "xen"), ("OpenStack", "kvm"), ("Tencent", "kvm")):
        if word.lower() in vendor.lower() and (hypervisor or name == "nitro"):
            return name
    return "unknown kind" if hypervisor else None


def _nics():
    found = []
    base = "/sys/class/net"
    try:
        names = sorted(os.listdir(base))[:64]
    except OSError:
        return found
    for name in names:
        if name == "lo":
            continue
        speed = _integer("%s/%s/speed" % (base, name))
        found.append({
            "name": name[:40],
            "state": (read("%s/%s/operstate" % (base, name)) or "").strip() or None,
            "speedMbit": speed if speed and speed > 0 else None,
            "mtu": _integer("%s/%s/mtu" % (base, name)),
            "physical": os.path.exists("%s/%s/device" % (base, name)),
            "rdma": os.path.isdir("%s/%s/device/infiniband" % (base, name)),
        })
    return found


def _rdma():
    found = []
    base = "/sys/class/infiniband"
    try:
        devices = sorted(os.listdir(base))[:64]
    except OSError:
        return found
    for name in devices:
        ports = "%s/%s/ports" % (base, name)
        try:
            numbers = sorted(os.listdir(ports))[:8]
        except OSError:
            numbers = []
        for port in numbers:
            found.append({
                "device": name[:40], "port": port[:4],
                "state": (read("%s/%s/state" % (ports, port)) or "").strip()[:40] or None,
                "rate": (read("%s/%s/rate" % (ports, port)) or "").strip()[:60] or None,
                "layer": (read("%s/%s/link_layer" % (ports, port)) or "").strip()[:40] or None,
            })
    return found


def _os_name():
    match = re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release") or "", re.M)
    return match.group(1)[:100] if match else platform.system()


def _limits():
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        lock = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
        big = 1 << 40
        return (None if soft < 0 or soft > big else soft), (None if hard < 0 or hard > big else hard), (None if lock < 0 or lock > big else lock >> 10)
    except (ImportError, OSError, ValueError):
        return None, None, None


def slicing_signs():
    """Signs of a soft slice in our environment, that of the container's first process, and the preload file."""
    signs = []
    pattern = re.compile(r"(CUDA_DEVICE_MEMORY_LIMIT\w*|CUDA_DEVICE_SM_LIMIT|CUDA_MPS_ACTIVE_THREAD_PERCENTAGE|"
                         r"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT|ALIYUN_COM_GPU_MEM\w*|CGPU_\w+|QGPU_\w+|VCUDA_\w+)=(.*)\Z", re.S)
    pairs = ["%s=%s" % kv for kv in os.environ.items()] + (read("/proc/1/environ") or "").split("\0")
    for pair in pairs:
        match = pattern.match(pair)
        if match:
            signs.append("%s=%s" % (match.group(1), match.group(2)[:60]))
        elif pair.startswith("LD_PRELOAD=") and re.search(r"vgpu|hami|cgpu|qgpu|vcuda", pair, re.I):
            signs.append(pair[:200])
    preload = read("/etc/ld.so.preload") or ""
    if re.search(r"vgpu|hami|cgpu|qgpu|vcuda", preload, re.I):
        signs.append("/etc/ld.so.preload: " + preload.strip()[:200])
    return sorted(set(signs))


def _writable(path):
    """Whether a file can be made here: permission bits do not tell (read-only mounts, full disks, quotas)."""
    name = os.path.join(path, ".seatrial-write-%d" % os.getpid())
    try:
        with open(name, "wb") as f:
            f.write(b"x" * 4096)
            f.flush()
            os.fsync(f.fileno())
        return True, None
    except OSError as e:
        return False, e.strerror
    finally:
        try:
            os.unlink(name)
        except OSError:
            pass


def _rotational(source):
    match = re.match(r"/dev/(nvme\d+n\d+|[a-z]+)(?:p?\d+)?\Z", source)
    value = _integer("/sys/class/block/%s/queue/rotational" % match.group(1)) if match else None
    return None if value is None else bool(value)


def run():
    """Hands over ``host``, then one ``filesystem`` after another; returns what the environment says of slicing."""
    count, model, hypervisor = parse_cpuinfo(read("/proc/cpuinfo", 4 << 20))
    total = parse_meminfo(read("/proc/meminfo"))
    limit = cpu_limit()
    soft, hard, lock = _limits()
    host = {
        "cpus": count or os.cpu_count(),
        "cpuQuota": limit,
        "cpusUsable": usable_cpus(limit),
        "cpuModel": model,
        "memoryMiB": total,
        "memoryLimitMiB": memory_limit(total),
        "shmMiB": None,
        "container": _container(),
        "virtualization": _virtualization(hypervisor),
        "kernel": platform.release()[:100],
        "machine": platform.machine()[:40],
        "os": _os_name(),
        # The user's own setting; the payload itself runs in the C locale.
        "locale": (os.environ.get("SEATRIAL_LOCALE") or "")[:60] or None,
        "user": "root" if os.getuid() == 0 else "uid %d" % os.getuid(),
        "ulimitNofile": soft,
        "ulimitNofileHard": hard,
        "ulimitMemlockKiB": lock,
        "clockUtc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "nics": _nics(),
        "rdma": _rdma(),
    }
    emit_part({"host": host})
    for word, path in (("home", os.path.expanduser("~")), ("tmp", "/tmp")):
        emit_part({"touching": path})
        ok, why = _writable(path)
        emit_part({"writable": {"name": word, "path": path, "ok": ok, "why": why}})
    seen = set()
    for point, kind, source, options in parse_mountinfo(read("/proc/self/mountinfo", 1 << 20)):
        if not _worth_asking(point, kind, source) or point in seen or source.startswith("/dev/") and source in seen:
            continue
        seen.update((point, source))
        emit_part({"touching": point})
        try:
            st = os.statvfs(point)
        except OSError as e:
            emit_part({"filesystem": {"mount": point, "type": kind, "source": source, "error": e.strerror}})
            continue
        if not st.f_blocks:
            continue
        emit_part({"filesystem": {
            "mount": point, "type": kind, "source": source,
            "sizeMiB": st.f_blocks * st.f_frsize >> 20, "freeMiB": st.f_bavail * st.f_frsize >> 20,
            "freeInodes": st.f_favail if st.f_files else None,
            "readOnly": "ro" in options.split(","), "rotational": _rotational(source),
        }})
    emit_part({"touching": ""})
    return {"slicing": slicing_signs()}


def _worth_asking(point, kind, source):
    """Skips single files and secrets that containers have mounted into them by the dozen."""
    if point in ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf") or point.startswith(("/run/", "/var/run/", "/etc/", "/dev/mqueue")):
        return False
    if kind == "tmpfs" and not (point in ("/dev/shm", "/tmp", "/") or point.startswith(("/mnt", "/data", "/root", "/home", "/workspace"))):
        return False
    if point.startswith(("/usr/bin/nvidia", "/usr/lib", "/dev/nvidia", "/lib/")):
        return False
    return True
