"""Stage ``task``: the team's own command, timed and watched from outside; nothing of theirs is changed."""

import os
import threading
import time
from collections import deque

from .. import gitsource, taskmetrics, usage
from ..context import StageFailed
from ..gpu import failures, sampler

METHOD = "task/1"
LOG_CAP = 32 << 20
LAST_LINES = 100
LINE_CAP = 2000
PERIOD = 2.0
SAMPLES_CAP = 6000
END_SECONDS = 20


def run(ctx):
    task = ctx.spec.section("task")
    command, place = task.get("command"), task.get("dir") or ctx.run_dir
    if not command:
        raise StageFailed("the plan has no task command")
    if isinstance(task.get("git"), dict):
        ctx.progress(0.0, "fetching the task's source")
        place = gitsource.fetch(ctx, task["git"], os.path.join(ctx.run_dir, "tmp", "source"))
        if place is None:
            raise StageFailed("the task's source could not be fetched")
    if not os.path.isdir(place):
        ctx.finding("TASK_FAILED", "fail", "ours", "The task's folder is not there.", {"dir": place}, "", "The upload did not arrive: start this stage again.")
        raise StageFailed("no such folder: %s" % place)
    env = environment(ctx, task)
    limit = min(float(task.get("limitSeconds") or 1e9), max(1.0, ctx.remaining() - END_SECONDS))
    if task.get("prepare"):
        ctx.progress(0.01, "preparing")
        prepared = _Command(ctx, task["prepare"], place, env, "prepare").watch(limit, 0.0, 0.2)
        ctx.measurement("task_prepare_seconds", prepared.seconds, "s", method=METHOD)
        limit -= prepared.seconds
        if not prepared.ok:
            _failed(ctx, prepared, "prepare")
            return
    ran = _Command(ctx, command, place, env, "task").watch(max(1.0, limit), 0.2, 0.95)
    ctx.measurement("task_seconds", ran.seconds, "s", method=METHOD, confidence="normal" if ran.ok else "low", attrs={"exit": ran.rc, "timedOut": ran.timed_out})
    if not ran.ok:
        _failed(ctx, ran, "command")
    _metrics(ctx, task.get("metrics"), ran)
    _bottleneck(ctx, ran)


def environment(ctx, task):
    """The machine's own language and the Python that has torch first; the rest stays as a probe's."""
    env = {name: os.environ.get(name) for name in ("LC_ALL", "LANG", "LANGUAGE", "PYTHONIOENCODING", "PYTHONDONTWRITEBYTECODE")}
    python = ctx.torch_python()
    if python:
        env["PATH"] = os.path.dirname(python) + os.pathsep + ctx.probe_env()["PATH"]
    extra = task.get("env")
    env.update({str(k): str(v) for k, v in extra.items()} if isinstance(extra, dict) else {})
    env["PYTHONUNBUFFERED"] = env.get("PYTHONUNBUFFERED", "1")  # else a killed task takes its last lines along
    return env


class _Command:
    """One shell command with its output kept (bounded), its end and its samples."""

    def __init__(self, ctx, command, place, env, name):
        self.ctx, self.name = ctx, name
        self.last, self.samples = deque(maxlen=LAST_LINES), []
        self.path = os.path.join(ctx.run_dir, "tmp", name + ".log")
        self.cut = 0
        self.rc, self.timed_out, self.seconds = None, False, 0.0
        self._lock, self._log, self._size = threading.Lock(), open(self.path, "wb"), 0
        shell = ["bash", "-c"] if os.path.exists("/bin/bash") else ["sh", "-c"]
        self._began = time.monotonic()
        # One stream, so that an error stands where it was said and not before or after what was printed meanwhile.
        self._process = ctx.start(shell + ["exec 2>&1\n" + str(command)], env=env, cwd=place, cap=64 << 10, on_line=self._line)

    @property
    def ok(self):
        return self.rc == 0 and not self.timed_out

    def _line(self, _stream, line):
        with self._lock:
            self.last.append(line[-LINE_CAP:])
            if self._log.closed:
                return
            if self._size < LOG_CAP:
                self._log.write(line + b"\n")
                self._size += len(line) + 1
            else:
                self.cut += 1

    def watch(self, limit, begin, end):
        """Waits for the end or the limit, sampling meanwhile."""
        state = sampler.Sampler(self.ctx, 10) if self.ctx.spec.gpus != "none" else None
        watcher, period, blind = None, PERIOD, state is None
        while not self._process.wait(period):
            self.seconds = time.monotonic() - self._began
            if self.seconds >= limit:
                self.timed_out = True
                self._process.kill(grace=5.0)
                break
            watcher = watcher or usage.Watcher(self._process.pid)
            sample = watcher.look()
            if sample is not None and len(self.samples) < SAMPLES_CAP:
                reading = None if blind else state.read()
                blind = blind or reading.missing
                sample["gpu"] = None if blind else busiest(reading)
                self.samples.append(sample)
            period = PERIOD if self.seconds < 3600 else 10.0
            self.ctx.progress(begin + (end - begin) * min(1.0, self.seconds / limit), self._words())
        self.seconds = time.monotonic() - self._began
        result = self._process.finish()
        self._process.kill(grace=0.5)  # what it left running would go on using the GPU
        self.rc = result.rc
        if result.missing:
            self.last.append(result.reason.encode())
        with self._lock:
            self._log.close()
        self.ctx.raw(self.name + "-last.txt", b"\n".join(self.last) + b"\n")
        return self

    def _words(self):
        with self._lock:
            return self.last[-1].decode("utf-8", "replace").strip()[-200:] if self.last else "running"

    def tail(self, size=1900):
        return b"\n".join(self.last).decode("utf-8", "replace")[-size:]


def busiest(reading):
    """Utilization of the busiest GPU, since a task may use one of several; None when it cannot be read."""
    values = [reading.value(uuid, "utilization.gpu") for uuid in reading.rows]
    return max([value for value in values if value is not None], default=None)


def _failed(ctx, ran, what):
    params = {"what": what, "exit": ran.rc, "seconds": "%.0f" % ran.seconds}
    if ran.timed_out:
        ctx.finding("TASK_TIMEOUT", "fail", "unknown", "The task's %s did not end within its limit." % what, params, ran.tail(),
                    "Give it more time, or fewer steps.")
        return
    known = failures.diagnose(ran.tail(8000))
    if known:
        ctx.finding(known.code, known.severity, known.owner, known.message, dict(params, **known.params), ran.tail(), known.next_step)
    killed = ran.rc in (-9, 137)
    ctx.finding("TASK_FAILED", "fail", "unknown", "The task's %s ended with exit status %s." % (what, ran.rc), params, ran.tail(),
                "It was killed, probably for memory: compare its need with the machine's limit." if killed else "Read its last lines; does it run on your own machine?")


def _metrics(ctx, metrics, ran):
    if not isinstance(metrics, dict) or not metrics:
        return
    read = ctx.run_python("taskmetrics:run", {"path": ran.path, "metrics": metrics}, 60)
    for name, rule in metrics.items():
        rule = rule if isinstance(rule, dict) else {}
        entry = (read.value or {}).get(name, {"values": [], "error": "the expression took too long" if read.timed_out else read.error})
        if not entry["values"]:
            ctx.finding("TASK_METRIC_MISSING", "warn", "unknown", "The task's output has no value for %s." % name,
                        {"metric": name, "rule": rule.get("regex") or rule.get("json") or "", "why": entry["error"]}, ran.tail(800),
                        "Compare the expression with the task's last lines.")
            continue
        value, used = taskmetrics.reduce(entry["values"], rule.get("use"))
        step = -(-len(used) // 256)
        attrs = {"better": rule.get("better") if rule.get("better") in ("higher", "lower") else None, "use": rule.get("use") or "median", "seen": len(entry["values"]), "linesCut": ran.cut}
        ctx.measurement(name, value, str(rule.get("unit") or ""), samples=used[::step], tool="task", method=METHOD,
                        confidence="normal" if ran.ok else "low", attrs=attrs)


def _bottleneck(ctx, ran):
    usable = usage.cpus()
    name, why, figures = usage.bottleneck(ran.samples, usable)
    ctx.finding("TASK_BOTTLENECK", "info", "unknown", why, dict(figures, bottleneck=name, usableCores="%.1f" % usable), "", "")
    if "gpu" in figures:
        values = [s["gpu"] for s in ran.samples if s.get("gpu") is not None]
        ctx.measurement("task_gpu_utilization", figures["gpu"], "%", samples=values[:: -(-len(values) // 256)], tool="nvidia-smi", method=METHOD)
