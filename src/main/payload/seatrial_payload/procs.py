"""Processes as ``/proc`` shows them: who belongs to a run, and how to end all of them.

Nothing here needs ``ps``, ``pkill`` or ``setsid``: images without procps or with BusyBox are common.
"""

import os
import signal
import time

MARK = "SEATRIAL_RUN"


def _stat(pid):
    try:
        with open("/proc/%d/stat" % pid, "rb") as f:
            text = f.read(4096)
        # The command name is in parentheses and may itself hold spaces and parentheses.
        fields = text[text.rindex(b")") + 2:].split()
        return {
            "state": fields[0].decode("ascii", "replace"),
            "ppid": int(fields[1]),
            "session": int(fields[3]),
            "start": int(fields[19]),
        }
    except (OSError, ValueError, IndexError):
        return None


def boot_id():
    """Identifies this boot, or an empty text where the kernel does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as f:
            return f.read().strip()
    except OSError:
        return ""


def start_time(pid):
    """Start time of a process in clock ticks since boot, or None: with the pid it names one process."""
    stat = _stat(pid)
    return stat["start"] if stat else None


def alive(pid, start=None):
    """Whether the process exists, is no zombie and, where known, is the one that started then."""
    if pid is None or pid <= 0:
        return False
    stat = _stat(pid)
    if stat is not None:
        return stat["state"] not in "ZX" and (start is None or stat["start"] == start)
    if os.path.isdir("/proc/self"):
        return False
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False
    except OSError:
        return True


def _pids():
    try:
        return [int(n) for n in os.listdir("/proc") if n.isdigit()]
    except OSError:
        return []


def members(run_dir, root=None):
    """Pids of all live processes of a run: descendants of *root*, its session, and whoever carries the mark.

    Three ways, because a user's command may daemonise (new session), clear its environment, or both.
    """
    me = os.getpid()
    mark = ("%s=%s" % (MARK, run_dir)).encode("utf-8", "surrogateescape")
    stats = {}
    for pid in _pids():
        stat = _stat(pid)
        if stat and stat["state"] not in "ZX":
            stats[pid] = stat
    found = set()
    for pid, stat in stats.items():
        if root is not None and (pid == root or stat["session"] == root):
            found.add(pid)
            continue
        try:
            with open("/proc/%d/environ" % pid, "rb") as f:
                if mark in f.read(262144).split(b"\0"):
                    found.add(pid)
        except OSError:
            pass
    grown = True
    while grown:
        grown = False
        for pid, stat in stats.items():
            if pid not in found and stat["ppid"] in found:
                found.add(pid)
                grown = True
    found.discard(me)
    # A caller that was itself started inside the run must not end its own ancestors' shell.
    return sorted(found)


def signal_all(pids, number):
    """Sends a signal to each process; those gone or not ours are passed over."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            pass


def end_all(find, term_seconds=5.0, kill_seconds=5.0):
    """Ends every process that ``find()`` lists: TERM, then KILL. Returns those that are still there.

    A process in uninterruptible sleep (D) cannot be ended by anyone: it is reported, not waited for.
    """
    for number, seconds in ((signal.SIGTERM, term_seconds), (signal.SIGKILL, kill_seconds)):
        deadline = time.monotonic() + seconds
        pids = find()
        while pids:
            signal_all(pids, number)
            if time.monotonic() >= deadline:
                break
            time.sleep(0.05)
            pids = find()
        if not pids:
            return []
    return find()


def adopt_orphans():
    """Lets orphans of this process's descendants come to it instead of to init. True where it worked."""
    try:
        import ctypes

        return ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) == 0
    except (ImportError, OSError, AttributeError):
        return False
