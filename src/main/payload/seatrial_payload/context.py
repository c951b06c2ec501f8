"""What a stage may use: its specification, its voice, its probes and its clock."""

import glob
import hashlib
import json
import math
import os
import re
import time

from . import probes, rundir, wire

EVIDENCE_CAP = 2000
RAW_CAP = 16 << 20
RAW_TOTAL_CAP = 64 << 20
SEVERITIES = ("info", "warn", "fail")
OWNERS = ("vendor", "image", "transport", "ours", "unknown")
_FIND_TORCH = "import importlib.util as u,sys;sys.exit(0 if u.find_spec('torch') else 3)"


class StageFailed(Exception):
    """Raised by a stage that cannot go on; its text becomes the reason of the end event."""


class StageTimedOut(StageFailed):
    """Raised when the stage's own time is used up; the stage ends as timed out."""


def summary(samples):
    """n, min, max and coefficient of variation (sample standard deviation / mean) of finite numbers."""
    n = len(samples)
    mean = sum(samples) / n
    cv = None
    if n > 1 and mean != 0:
        cv = math.sqrt(sum((s - mean) ** 2 for s in samples) / (n - 1)) / abs(mean)
    return n, min(samples), max(samples), cv


def median(samples):
    """Median of a non-empty list."""
    s = sorted(samples)
    half = len(s) // 2
    return s[half] if len(s) % 2 else (s[half - 1] + s[half]) / 2.0


def _finite(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _digits(value):
    return float("%.6g" % value) if isinstance(value, float) else value


class Context:
    """Given to ``stages.<name>.run``. Safe to use from several threads."""

    def __init__(self, spec, run_dir, log):
        self.spec = spec
        self.run_dir = run_dir
        self._log = log
        self._began = time.monotonic()
        self._raw_total = 0
        self._last_progress = 0.0
        self._torch = False
        self._said = set()
        for name in ("raw", "tmp"):
            os.makedirs(os.path.join(run_dir, name), mode=0o700, exist_ok=True)

    # Voice

    def progress(self, done, text=""):
        """How far the stage is, 0 to 1. At most one event a second, the first and the last always."""
        done = min(1.0, max(0.0, float(done)))
        moment = time.monotonic()
        if moment - self._last_progress < 1.0 and 0.0 < done < 1.0:
            return
        self._last_progress = moment
        self._log.append("progress", done=round(done, 4), text=str(text)[:500])

    def fact(self, name, value):
        """A piece of knowledge that is not one number."""
        self._log.append("fact", name=name, value=value)

    def measurement(self, name, value, unit, gpu=None, samples=None, tool="payload", tool_version=None,
                    method=None, confidence="normal", attrs=None):
        """One number. With samples, n, min, max and cv come from them, and the value defaults to their median."""
        samples = [s for s in (samples or []) if _finite(s)]
        if value is None and samples:
            value = median(samples)
        if not _finite(value):
            self.finding("STAGE_FAILED", "warn", "ours", "The figure %s is not a finite number." % name,
                         {"measurement": name}, repr(value), "Report this as a bug.")
            return
        if not samples:
            samples = [value]
        n, low, high, cv = summary(samples)
        self._log.append(
            "measurement", name=name, unit=unit, value=_digits(float(value)), gpu=gpu,
            samples=[_digits(float(s)) for s in samples[:256]], n=n, min=_digits(float(low)), max=_digits(float(high)),
            cv=_digits(cv), tool=tool, toolVersion=tool_version, method=method or name + "/1",
            confidence=confidence, attrs=attrs or {})

    def finding(self, code, severity, owner, message, params=None, evidence="", next_step=""):
        """Something a person should know: what was seen, whose it is, and what to do next."""
        if severity not in SEVERITIES or owner not in OWNERS:
            raise ValueError("unknown severity or owner: %s, %s" % (severity, owner))
        if isinstance(evidence, bytes):
            evidence = evidence.decode("utf-8", "replace")
        self._log.append(
            "finding", code=code, severity=severity, owner=owner, message=message,
            params={str(k): str(v) for k, v in (params or {}).items()},
            evidence=str(evidence)[:EVIDENCE_CAP], next=next_step)

    def step_down(self, tool, used, why=""):
        """Says once that a tool is missing and what is used instead."""
        if (tool, used) in self._said:
            return
        self._said.add((tool, used))
        self.finding("TOOL_MISSING", "info", "image", "%s cannot be used here; %s is used instead." % (tool, used),
                     {"tool": tool, "used": used}, why, "")

    def raw(self, name, data):
        """Keeps raw output as evidence under the run's folder. Larger than 16 MiB is cut; 64 MiB in all."""
        name = re.sub(r"[^A-Za-z0-9._-]", "_", str(name))[:100] or "raw"
        if isinstance(data, str):
            data = data.encode("utf-8", "replace")
        data = data[: min(RAW_CAP, max(0, RAW_TOTAL_CAP - self._raw_total))]
        self._raw_total += len(data)
        path = os.path.join(self.run_dir, "raw", name)
        try:
            with open(path, "wb") as f:
                f.write(data)
        except OSError as e:
            rundir.remove_tree(path)
            self.finding("STORAGE_SPACE", "warn", "vendor", "Raw output could not be kept: %s." % e.strerror,
                         {"file": name, "path": self.run_dir}, "", "Free space on the disk that holds the trial's files.")
            return
        self._log.append("raw", file="raw/" + name, sha256=hashlib.sha256(data).hexdigest(), bytes=len(data))

    # Time

    def remaining(self):
        """Seconds until this stage's limit; never negative."""
        return max(0.0, self.spec.limit_seconds - (time.monotonic() - self._began))

    def elapsed(self):
        return time.monotonic() - self._began

    # Probes

    def run_probe(self, argv, timeout, env=None, input=None, cwd=None, cap=probes.OUTPUT_CAP, on_line=None):
        """Runs a program within ``timeout`` seconds and within what remains of the stage; never raises."""
        return probes.run_probe(argv, max(0.1, min(timeout, self.remaining())), self.probe_env(env), input, cwd, cap, on_line)

    def start(self, argv, env=None, cwd=None, cap=probes.OUTPUT_CAP, on_line=None):
        """Starts a program that runs beside the stage; the caller must ``kill()`` it."""
        return probes.Process([str(a) for a in argv], self.probe_env(env), cwd, None, cap, on_line)

    def probe_env(self, extra=None):
        return probes.environment(self.run_dir, extra)

    def inner_argv(self, function, args=None, python=None):
        """Command line of an inner probe."""
        return [python or rundir.python(), rundir.program(), "--inner", function, json.dumps(wire.clean(args or {}))]

    def run_python(self, function, args=None, timeout=60.0, python=None, env=None):
        """Runs ``module:function`` of this package in a Python of its own, e.g. ``inner.torch_props:run``.

        The result's ``value`` is what the function returned (None if it failed), ``parts`` what it
        handed over before, ``error`` the text of its exception.
        """
        return probes.parse_inner(self.run_probe(self.inner_argv(function, args, python), timeout, env, cap=8 << 20))

    def torch_python(self):
        """Path of a Python that has torch, or None. The search looks for the package without importing it."""
        if self._torch is False:
            self._torch = next((p for p in self._pythons() if self._has_torch(p)), None)
        return self._torch

    def _has_torch(self, path):
        return self.run_probe([path, "-c", _FIND_TORCH], 30).ok

    def _pythons(self):
        seen = set()
        candidates = [rundir.python()]
        candidates += [probes.which(n) for n in ("python3", "python")]
        candidates += ["/opt/conda/bin/python3", "/root/miniconda3/bin/python3", "/root/anaconda3/bin/python3",
                       os.path.expanduser("~/miniconda3/bin/python3"), os.path.expanduser("~/anaconda3/bin/python3")]
        for pattern in ("/opt/*/.venv/bin/python3", "/opt/*/venv/bin/python3", "/opt/*/bin/python3", "/venv/*/bin/python3",
                        "/opt/conda/envs/*/bin/python3", "/root/miniconda3/envs/*/bin/python3", "/workspace/*/bin/python3"):
            candidates += sorted(glob.glob(pattern))
        candidates += ["/usr/local/bin/python3", "/usr/bin/python3"]
        for path in candidates:
            if path and path not in seen and os.access(path, os.X_OK):
                seen.add(path)
                yield path
        if probes.which("bash"):
            shell = self.run_probe(["bash", "-lc", "command -v python3"], 15)
            for line in shell.text.splitlines():
                line = line.strip()
                if line.startswith("/") and line not in seen and os.access(line, os.X_OK):
                    seen.add(line)
                    yield line

    # Traces

    def outside(self, path):
        """Notes a file or folder made outside the run's folder *before* it is made, so that ``stop`` and
        ``clean`` can remove it. Its name must start with ``.seatrial-``."""
        if not os.path.basename(path).startswith(".seatrial-"):
            raise ValueError("names outside the run's folder start with .seatrial-")
        with open(os.path.join(self.run_dir, "outside"), "ab") as f:
            f.write(os.path.abspath(path).encode("utf-8", "surrogateescape") + b"\0")
        return path
