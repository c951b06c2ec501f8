"""Where runs keep their state: the directory beside the payload, one folder per run id."""

import errno
import fcntl
import json
import os
import re
import shutil
import sys
import tempfile
import time

from . import procs

MARKER = ".seatrial"
ID = re.compile(r"[a-z0-9-]{1,64}\Z")


class StateError(Exception):
    """The state directory cannot be used; the message says why."""


def program():
    """Path of the program as it was started: the zip file, or the directory in development."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return here


def home():
    """The state directory: $SEATRIAL_DIR, else the folder of the zip file."""
    given = os.environ.get("SEATRIAL_DIR")
    if given:
        return os.path.abspath(given)
    path = program()
    if os.path.isfile(path):
        return os.path.dirname(path)
    return os.path.join(tempfile.gettempdir(), "seatrial-dev-%d" % os.getuid())


def prepare(path):
    """Makes the state directory, and marks it as ours only when nothing foreign lies in it.

    The mark allows ``clean`` to remove the whole directory, so a folder that was somebody's before
    (a home, a source tree) never gets it.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        if os.stat(path).st_uid != os.getuid() and os.getuid() != 0:
            raise StateError("%s belongs to another user" % path)
        marker = os.path.join(path, MARKER)
        if not os.path.exists(marker) and all(_ours(path, n) for n in os.listdir(path)):
            with open(marker, "w") as f:
                f.write("state of a trial run; removed by clean\n")
        os.makedirs(os.path.join(path, "runs"), mode=0o700, exist_ok=True)
    except OSError as e:
        raise StateError("cannot write to %s: %s" % (path, e.strerror))


def _ours(path, name):
    full = os.path.join(path, name)
    return name == "runs" or full == program() or (name.endswith((".json", ".pyz")) and os.path.isfile(full))


class Run:
    """One run's folder."""

    def __init__(self, root, run_id):
        self.id = run_id
        self.dir = os.path.join(root, "runs", run_id)
        self.events = os.path.join(self.dir, "events.jsonl")
        self.spec = os.path.join(self.dir, "spec.json")
        self.lock_path = os.path.join(self.dir, "lock")
        self.pid_path = os.path.join(self.dir, "pid")

    def exists(self):
        return os.path.isdir(self.dir)

    def owner(self):
        """(pid, start time) of the supervising process, or (None, None); never one of another boot."""
        try:
            with open(self.pid_path) as f:
                data = json.loads(f.read(4096))
            if data.get("boot") != procs.boot_id():
                return None, None
            return int(data["pid"]), data.get("start")
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None, None

    def write_owner(self, pid):
        data = json.dumps({"pid": pid, "start": procs.start_time(pid), "boot": procs.boot_id()})
        temporary = self.pid_path + ".new"
        with open(temporary, "w") as f:
            f.write(data)
        os.rename(temporary, self.pid_path)

    def started(self):
        return os.path.exists(self.pid_path)

    def lock(self):
        """Takes the run's lock and returns its descriptor, or None when another process has it.

        Where the file system offers no flock, the pid with its start time stands in for it: the
        folder ``lock.d`` is made by exactly one of those who try.
        """
        fd = os.open(self.lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except OSError as e:
            if e.errno in (errno.EWOULDBLOCK, errno.EACCES):
                os.close(fd)
                return None
            try:
                os.mkdir(self.lock_path + ".d")
                return fd
            except FileExistsError:
                pid, start = self.owner()
                if procs.alive(pid, start) or not self.started():
                    os.close(fd)
                    return None
                return fd

    def running(self):
        """Whether somebody holds the lock, i.e. the run is being started or is running."""
        try:
            fd = os.open(self.lock_path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
        except OSError as e:
            if e.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return True
            pid, start = self.owner()
            return procs.alive(pid, start)
        finally:
            os.close(fd)

    def wait_owner(self, seconds):
        """The pid once the starter has written it."""
        deadline = time.monotonic() + seconds
        while True:
            pid, _ = self.owner()
            if pid is not None or time.monotonic() > deadline:
                return pid
            time.sleep(0.02)

    def outside(self):
        """Files and folders that the run made elsewhere (e.g. on a data disk) and did not yet remove."""
        try:
            with open(os.path.join(self.dir, "outside"), "rb") as f:
                names = f.read(1 << 20).split(b"\0")
        except OSError:
            return []
        return [n.decode("utf-8", "surrogateescape") for n in names if n]


def remove_outside(run):
    """Removes what a run left elsewhere; only names that carry our prefix. Returns what stayed."""
    left = []
    for path in run.outside():
        if not os.path.basename(path).startswith(".seatrial-"):
            continue
        if not remove_tree(path):
            left.append(path)
    return left


def remove_tree(path):
    """Removes a file or folder without following links. True when it is gone."""
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
    except OSError:
        pass
    return not os.path.lexists(path)


def runs(root):
    """All runs in the state directory."""
    try:
        names = sorted(os.listdir(os.path.join(root, "runs")))
    except OSError:
        return []
    return [Run(root, n) for n in names if ID.match(n)]


def python():
    """The interpreter that runs us, for starting ourselves again."""
    return sys.executable or "python3"
