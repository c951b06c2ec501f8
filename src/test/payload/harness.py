"""Builds the zip as it is shipped, with stages of the tests' own where needed, and talks to it as the service does."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipapp

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "main", "payload"))
if SOURCE not in sys.path:
    sys.path.insert(0, SOURCE)


def wait_until(condition, seconds=90.0, pause=0.03):
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError("condition not met within %s s" % seconds)
        time.sleep(pause)


def processes_with(text):
    """Pids of live processes whose command line holds the text."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        try:
            with open("/proc/%s/cmdline" % name, "rb") as f:
                line = f.read()
            with open("/proc/%s/stat" % name, "rb") as f:
                state = f.read().rsplit(b")", 1)[1].split()[0]
        except OSError:
            continue
        if text.encode() in line and state not in (b"Z", b"X"):
            found.append(int(name))
    return found


class PayloadCase(unittest.TestCase):
    """A directory of its own with the shipped zip in it."""

    stages = {}
    python = sys.executable

    def setUp(self):
        self.base = tempfile.mkdtemp(prefix="payload-test-")
        self.addCleanup(shutil.rmtree, self.base, True)
        self.dir = os.path.join(self.base, "work")
        os.mkdir(self.dir)
        tree = os.path.join(self.base, "tree")
        shutil.copytree(SOURCE, tree, ignore=shutil.ignore_patterns("__pycache__", "*.md"))
        for name, text in self.stages.items():
            with open(os.path.join(tree, "seatrial_payload", "stages", name + ".py"), "w") as f:
                f.write(text)
        self.pyz = os.path.join(self.dir, "payload.pyz")
        zipapp.create_archive(tree, self.pyz)
        self.addCleanup(self.command, "clean", check=False)

    def command(self, *args, check=True, env=None, raw=False, timeout=60):
        if not os.path.exists(self.pyz):
            return []
        environment = {k: v for k, v in os.environ.items() if k != "SEATRIAL_DIR"}
        environment.update(env or {})
        done = subprocess.run([self.python, self.pyz] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=timeout, env=environment, cwd="/")
        self.last = done
        if check:
            self.assertEqual(0, done.returncode, (done.stdout, done.stderr))
        return done.stdout if raw else self.lines(done.stdout)

    def lines(self, data):
        out = []
        for line in data.splitlines():
            self.assertTrue(line.startswith(b'{"seatrial":1,'), line)
            out.append(json.loads(line))
        return out

    def spec(self, **keys):
        path = os.path.join(self.dir, "spec.json")
        with open(path, "w") as f:
            json.dump(keys, f)
        return path

    def start(self, stage, run_id, env=None, **keys):
        return self.command("run", stage, "--id", run_id, "--spec", self.spec(**keys), env=env)[0]

    def poll(self, run_id, offset=0):
        """(events, state line)"""
        lines = self.command("poll", run_id, "--from", str(offset))
        return lines[:-1], lines[-1]

    def await_end(self, run_id, seconds=30.0):
        events, offset = [], 0

        def ended():
            nonlocal offset
            more, state = self.poll(run_id, offset)
            events.extend(more)
            offset = state["offset"]
            return events if state["state"] in ("ended", "lost") else None

        # Each look starts a Python of its own: often enough to be quick, seldom enough not to be the load.
        return wait_until(ended, seconds, 0.2)

    def finish(self, stage, seconds=30.0, env=None, **keys):
        self.start(stage, "r1", env=env, **keys)
        return self.await_end("r1", seconds)


def of(events, kind, **match):
    return [e for e in events if e["type"] == kind and all(e.get(k) == v for k, v in match.items())]
