"""Starts a run detached from its caller, watches over it, and writes its end whatever happens.

Two processes: the *supervisor* (own session, holds the run's lock, keeps the time limit) and the
*worker* (the stage). A stage that blocks in the kernel cannot keep the supervisor from telling so.
"""

import importlib
import os
import signal
import sys
import threading
import time
import traceback

from . import procs, rundir, wire
from .context import Context, StageFailed, StageTimedOut
from .eventlog import EventLog
from .spec import Spec

# A stage watches its own limit; the supervisor steps in a little later, when the stage did not.
GRACE_SECONDS = 15.0


def start(run, spec_data):
    """Starts the run, or finds it started. Returns (state, pid) with state started, attached or ended."""
    os.makedirs(run.dir, mode=0o700, exist_ok=True)
    lock = run.lock()
    if lock is None:
        return "attached", run.wait_owner(5.0)
    try:
        if run.started():
            close_lost(run)
            return "ended", None
        rundir.remove_tree(run.events)
        temporary = run.spec + ".new"
        with open(temporary, "wb") as f:
            f.write(spec_data)
        os.rename(temporary, run.spec)
        return "started", _detach(run, lock)
    finally:
        os.close(lock)


def close_lost(run):
    """Writes the missing end of a run whose processes are gone. The caller holds the lock."""
    log = EventLog(run.dir)
    if not log.ended:
        log.append("end", status="failed", why="lost: the processes of this run are gone (killed, or the machine was restarted)")


def _detach(run, lock):
    read_end, write_end = os.pipe()
    child = os.fork()
    if child:
        os.close(write_end)
        text = b""
        while True:
            block = os.read(read_end, 64)
            if not block:
                break
            text += block
        os.close(read_end)
        os.waitpid(child, 0)
        if not text:
            raise rundir.StateError("the run could not be started; see %s" % os.path.join(run.dir, "supervisor.log"))
        return int(text)
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        _cut_ties(run, keep=(lock, write_end))
        os.environ[procs.MARK] = run.dir
        run.write_owner(os.getpid())
        os.write(write_end, b"%d" % os.getpid())
        os.close(write_end)
        _supervise(run, lock)
    except BaseException:  # the process has no one above it to report to
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(0)


def _cut_ties(run, keep):
    """No descriptor of the caller stays open: an SSH session ends only when the last one is closed."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = os.open(os.path.join(run.dir, "supervisor.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    top = 256
    try:
        top = max([int(n) for n in os.listdir("/proc/self/fd")] + [3]) + 1
    except (OSError, ValueError):
        pass
    for fd in range(3, top):
        if fd not in keep:
            try:
                os.close(fd)
            except OSError:
                pass
    os.chdir(run.dir)
    for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)


def _supervise(run, lock):
    procs.adopt_orphans()
    spec = Spec.load(run.spec)
    limit = spec.limit_seconds
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    EventLog(run.dir).keep_reserve()
    alive_read, alive_write = os.pipe()
    worker = os.fork()
    if worker == 0:
        os.close(alive_write)
        os.close(lock)
        _work(run, spec, alive_read)
    os.close(alive_read)
    began = time.monotonic()
    status = None
    while status is None:
        pid, code = _reap(worker)
        if pid:
            status = code
        elif stopping.is_set() or time.monotonic() - began > limit + GRACE_SECONDS:
            break
        else:
            stopping.wait(0.1)
    me = os.getpid()
    # A worker that ended by itself may have left probes of its own behind; they go as well.
    left = procs.end_all(lambda: procs.members(run.dir, me), 3.0 if stopping.is_set() else 0.5, 5.0)
    _reap(worker)
    stayed = rundir.remove_outside(run)
    rundir.remove_tree(os.path.join(run.dir, "tmp"))
    log = EventLog(run.dir)
    if not log.ended:
        if left or stayed:
            log.append("finding", code="PROBE_TIMEOUT", severity="warn", owner="unknown",
                       message="Something of this stage could not be removed.",
                       params={"processes": " ".join(map(str, left)), "files": " ".join(stayed)[:500]},
                       evidence=_states(left), next="A process that cannot be ended waits for a device: suspect the GPU or a network disk.")
        if stopping.is_set():
            log.append("end", status="stopped", why="stopped on request")
        elif status is None:
            log.append("end", status="timed-out", why="the stage did not end within %d s" % limit)
        else:
            log.append("finding", code="STAGE_FAILED", severity="fail", owner="unknown",
                       message="The stage's process ended before it could report.", params={"status": str(status)},
                       evidence=_tail(os.path.join(run.dir, "supervisor.log")),
                       next="If the memory limit of the machine is small, it was probably killed for memory; else report this as a bug.")
            log.append("end", status="failed", why="the stage's process ended unexpectedly (%s)" % _told(status))
    rundir.remove_tree(os.path.join(run.dir, "reserve"))


def _told(status):
    if os.WIFSIGNALED(status):
        return "signal %d" % os.WTERMSIG(status)
    return "exit status %d" % os.WEXITSTATUS(status)


def _states(pids):
    lines = []
    for pid in pids[:10]:
        stat = procs._stat(pid)
        if stat:
            lines.append("%d state %s" % (pid, stat["state"]))
    return "\n".join(lines)


def _tail(path, size=1500):
    try:
        with open(path, "rb") as f:
            f.seek(0, os.SEEK_END)
            f.seek(max(0, f.tell() - size))
            return f.read(size).decode("utf-8", "replace")
    except OSError:
        return ""


def _reap(worker):
    """Collects ended children, orphans that came to us included. (pid, status) when the worker is among them."""
    found = (0, None)
    while True:
        try:
            pid, code = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == worker:
            found = (pid, code)


def _work(run, spec, alive):
    """The worker: runs the stage, writes the end, and never returns."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch():
        os.read(alive, 1)
        # The supervisor is gone, and with it the time limit: do not run on unattended.
        procs.end_all(lambda: procs.members(run.dir), 0.5, 1.0)
        os._exit(70)

    threading.Thread(target=watch, daemon=True).start()
    code = 0
    try:
        log = EventLog(run.dir)
        try:
            ctx = Context(spec, run.dir, log)
            _run_stage(ctx, log)
        except Exception as e:  # a bug of ours must become a finding, not a silent death
            text = traceback.format_exc()
            log.append("finding", code="STAGE_FAILED", severity="fail", owner="ours",
                       message="The stage failed because of a fault in the trial program: %s" % type(e).__name__,
                       params={}, evidence=text[-2000:], next="Report this as a bug; the machine is not to blame.")
            log.append("end", status="failed", why="%s: %s" % (type(e).__name__, str(e)[:500]))
    except BaseException:  # even the event log could not be written
        traceback.print_exc()
        sys.stderr.flush()
        code = 70
    finally:
        # Threads of abandoned probes must not keep this process.
        os._exit(code)


def _run_stage(ctx, log):
    log.append("progress", done=0.0, text="started")
    try:
        importlib.import_module("seatrial_payload.stages." + ctx.spec.stage).run(ctx)
    except StageTimedOut as e:
        log.append("end", status="timed-out", why=str(e) or "time used up")
        return
    except StageFailed as e:
        log.append("end", status="failed", why=str(e))
        return
    log.append("progress", done=1.0, text="done")
    log.append("end", status="ok", why="")


def stop(run):
    """Ends a run and everything it started. Returns what could not be ended (pids and paths)."""
    pid, start_ticks = run.owner()
    if procs.alive(pid, start_ticks):
        procs.signal_all([pid], signal.SIGTERM)
        deadline = time.monotonic() + 12.0
        while procs.alive(pid, start_ticks) and time.monotonic() < deadline:
            time.sleep(0.05)
    # While the supervisor's number is not somebody else's, its session names what it left behind.
    root = pid if procs.alive(pid, start_ticks) or not procs.alive(pid) else None
    left = procs.end_all(lambda: procs.members(run.dir, root), 1.0, 4.0)
    left = [str(p) for p in left] + rundir.remove_outside(run)
    if run.exists():
        lock = run.lock()
        if lock is not None:
            try:
                log = EventLog(run.dir)
                if not log.ended:
                    log.append("end", status="stopped", why="stopped on request")
            finally:
                os.close(lock)
    return left


def poll(run, offset, cap=256 * 1024):
    """Writes whole event lines from *offset* to standard output, then one line on the run's state."""
    # Liveness first: what a process wrote before it was seen dead is then surely in the file.
    is_alive = run.running()
    data, ended, size, began = _read(run.events, offset, cap)
    wire.write_all(1, data)
    position = began + len(data)
    if is_alive or position < size:
        state = "running"
    elif ended:
        state = "ended"
    else:
        state = "lost"
    wire.say(type="poll", id=run.id, **{"from": began}, offset=position, state=state, alive=is_alive)


def _read(path, offset, cap):
    """(whole lines, whether the file tells an end, size of its whole lines, where the lines begin)."""
    try:
        with open(path, "rb") as f:
            f.seek(0, os.SEEK_END)
            size = f.tell()
            tail_start = max(0, size - 131072)
            f.seek(tail_start)
            tail = f.read(131072)
            size = tail_start + tail.rfind(b"\n") + 1 if b"\n" in tail else 0
            ended = b',"type":"end",' in tail[: max(0, size - tail_start)].rstrip().split(b"\n")[-1]
            offset = min(max(0, offset), size)
            offset = _line_start(f, offset)
            f.seek(offset)
            data = f.read(min(cap, size - offset))
            data = data[: data.rfind(b"\n") + 1]
            return data, ended, size, offset
    except OSError:
        return b"", False, 0, 0


def _line_start(f, offset):
    """The start of the line that holds *offset*: repeating an event is harmless, losing one is not."""
    while offset > 0:
        step = min(offset, 4096)
        f.seek(offset - step)
        block = f.read(step)
        at = block.rfind(b"\n")
        if at >= 0:
            return offset - step + at + 1
        offset -= step
    return 0
