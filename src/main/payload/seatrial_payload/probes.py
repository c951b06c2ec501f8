"""Runs other programs with a time limit that holds whatever they do.

A probe gets its own process group; its output is capped; one that hangs is ended, and one that
cannot be ended (uninterruptible sleep, as with a dying GPU or a dead network disk) is left behind.
Nothing here raises because of what the program did.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

from . import procs, wire

OUTPUT_CAP = 1 << 20
EXTRA_PATH = (
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
    "/usr/local/nvidia/bin", "/usr/local/cuda/bin", "/usr/lib/wsl/lib", "/opt/bin",
)
INNER_PREFIX = '{"seatrial":1,"inner":'


class ProbeResult:
    """What a probe did. ``rc`` is None when it never ended; ``missing`` when there is no such program."""

    def __init__(self, argv):
        self.argv = list(argv)
        self.rc = None
        self.out = b""
        self.err = b""
        self.timed_out = False
        self.missing = False
        self.abandoned = False
        self.reason = ""
        self.seconds = 0.0
        self.value = None
        self.parts = []
        self.error = ""

    @property
    def ok(self):
        """Ended in time with exit status 0."""
        return self.rc == 0 and not self.timed_out

    @property
    def text(self):
        """Standard output as text; bytes that are no UTF-8 are replaced."""
        return self.out.decode("utf-8", "replace")

    @property
    def err_text(self):
        return self.err.decode("utf-8", "replace")

    def evidence(self, limit=1500):
        """Both streams in short, for a finding."""
        joined = (self.text.strip() + "\n" + self.err_text.strip()).strip()
        return joined if len(joined) <= limit else joined[: limit // 2] + "\n…\n" + joined[-limit // 2:]


def search_path():
    """$PATH with the places that a non-login shell lacks."""
    parts = [p for p in os.environ.get("PATH", "").split(os.pathsep) if p]
    return os.pathsep.join(parts + [p for p in EXTRA_PATH if p not in parts])


def which(name):
    """Full path of a program, or None."""
    return shutil.which(name, path=search_path())


def environment(run_dir, extra=None):
    """Environment of a probe: C locale, no traces outside the run's folder, our mark for ``stop``."""
    env = dict(os.environ)
    env.pop("LANGUAGE", None)
    env["PATH"] = search_path()
    env["LC_ALL"] = env["LANG"] = "C"
    env["PYTHONIOENCODING"] = "utf-8"
    env["PYTHONDONTWRITEBYTECODE"] = "1"
    if run_dir:
        cache = os.path.join(run_dir, "tmp")
        env[procs.MARK] = run_dir
        # Home directories may be read-only and must not keep traces of us.
        for name in ("TMPDIR", "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR", "CUDA_CACHE_PATH"):
            env[name] = cache
    for key, value in (extra or {}).items():
        if value is None:
            env.pop(key, None)
        else:
            env[key] = str(value)
    return env


class Process:
    """A started program with readers that never block us and keep at most ``cap`` bytes per stream."""

    def __init__(self, argv, env=None, cwd=None, input=None, cap=OUTPUT_CAP, on_line=None):
        self.result = ProbeResult(argv)
        self._began = time.monotonic()
        self._popen = None
        self._ready = threading.Event()
        self._streams = ([], [])
        self._cap = cap
        self._on_line = on_line
        self._readers = []
        # Starting may itself hang when the program lies on a dead network disk.
        threading.Thread(target=self._start, args=(argv, env, cwd, input), daemon=True).start()

    def _start(self, argv, env, cwd, data):
        try:
            self._popen = subprocess.Popen(
                argv, env=env, cwd=cwd, start_new_session=True, close_fds=True,
                stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except FileNotFoundError as e:
            self.result.missing = True
            self.result.reason = str(e)
        except (OSError, ValueError, subprocess.SubprocessError) as e:
            self.result.missing = isinstance(e, PermissionError)
            self.result.reason = str(e)
        if self._popen is not None:
            for number, stream in enumerate((self._popen.stdout, self._popen.stderr)):
                t = threading.Thread(target=self._read, args=(number, stream), daemon=True)
                self._readers.append(t)
                t.start()
            if data is not None:
                threading.Thread(target=self._feed, args=(data,), daemon=True).start()
        self._ready.set()

    def _feed(self, data):
        try:
            self._popen.stdin.write(data)
            self._popen.stdin.close()
        except (OSError, ValueError):
            pass

    def _read(self, number, stream):
        size, pending = 0, b""
        try:
            while True:
                block = os.read(stream.fileno(), 65536)
                if not block:
                    break
                if size < self._cap:
                    self._streams[number].append(block[: self._cap - size])
                    size += len(block)
                if self._on_line is not None:
                    lines = (pending + block).split(b"\n")
                    pending = lines.pop()[-65536:]
                    for line in lines:
                        self._on_line(number, line)
            if self._on_line is not None and pending:
                self._on_line(number, pending)
        except (OSError, ValueError):
            pass
        finally:
            # A stage of eight hours runs thousands of probes.
            stream.close()

    @property
    def pid(self):
        return self._popen.pid if self._popen is not None else None

    def wait(self, seconds):
        """Waits at most so long; True once the program has ended (or could not be started)."""
        deadline = time.monotonic() + max(0.0, seconds)
        if not self._ready.wait(max(0.0, seconds)):
            return False
        if self._popen is None:
            return True
        try:
            self._popen.wait(max(0.0, deadline - time.monotonic()))
            return True
        except subprocess.TimeoutExpired:
            return False

    def kill(self, grace=2.0):
        """Ends the whole process group. False when it could not be ended."""
        if not self._ready.wait(0.1):
            self.result.abandoned = True
            return False
        if self._popen is None:
            return True
        for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, 3.0)):
            self.signal_group(number)
            if self.wait(seconds):
                self.signal_group(signal.SIGKILL)
                return True
        self.result.abandoned = True
        return False

    def signal_group(self, number):
        try:
            os.killpg(self._popen.pid, number)
        except OSError:
            pass

    def finish(self):
        """The result as it stands now."""
        for t in self._readers:
            # Grandchildren that were left behind may keep the pipe open; their words do not matter.
            t.join(1.0)
        r = self.result
        r.rc = self._popen.poll() if self._popen is not None else None
        r.out = b"".join(self._streams[0])
        r.err = b"".join(self._streams[1])
        r.seconds = time.monotonic() - self._began
        return r


def run_probe(argv, timeout, env=None, input=None, cwd=None, cap=OUTPUT_CAP, on_line=None):
    """Runs a program for at most ``timeout`` seconds and returns a ProbeResult; never raises."""
    if isinstance(input, str):
        input = input.encode("utf-8")
    argv = [str(a) for a in argv]
    if "/" not in argv[0]:
        found = shutil.which(argv[0], path=(env or {}).get("PATH") or search_path())
        if found is None:
            result = ProbeResult(argv)
            result.missing = True
            result.reason = "no program named %s" % argv[0]
            return result
        argv[0] = found
    process = Process(argv, env=env, cwd=cwd, input=input, cap=cap, on_line=on_line)
    if not process.wait(timeout):
        process.result.timed_out = True
        process.kill()
    elif process._popen is not None:
        process.signal_group(signal.SIGKILL)
    return process.finish()


def parse_inner(result):
    """Fills ``value``, ``parts`` and ``error`` from the lines that an inner probe printed."""
    for line in result.text.splitlines():
        if not line.startswith(INNER_PREFIX):
            continue
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if "part" in data:
            result.parts.append(data["part"])
        if "value" in data:
            result.value = data["value"]
        if data.get("error"):
            result.error = str(data["error"])
    return result


def emit_part(value):
    """Called inside an inner probe: hands over a result at once, so that a later hang does not lose it."""
    wire.say(inner="part", part=value)


def run_inner(name, text):
    """Executes an inner probe, ``module:function`` below this package, and prints its one line of result."""
    import importlib
    import traceback

    try:
        module, _, function = name.partition(":")
        args = json.loads(text) if text else {}
        target = getattr(importlib.import_module("seatrial_payload." + module), function or "run")
        value = target(**args) if isinstance(args, dict) else target(args)
        sys.stdout.flush()
        wire.say(inner=name, value=value)
        return 0
    except BaseException as e:  # every way to fail must be told to the parent, exits and interrupts included
        sys.stdout.flush()
        wire.say(inner=name, value=None, error="%s: %s" % (type(e).__name__, str(e)[:4000]))
        sys.stderr.write(traceback.format_exc()[-8000:])
        return 1
