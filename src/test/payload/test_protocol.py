import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
import unittest

from harness import PayloadCase, of, processes_with, wait_until

TALK = """
import time
def run(ctx):
    ctx.progress(0.1, "begin")
    ctx.fact("host", {"x": float("nan"), "name": "\\ud800 船"})
    ctx.measurement("m", None, "GB/s", samples=[1.0, 2.0, 3.0, float("inf")])
    ctx.measurement("bad", float("nan"), "GB/s")
    ctx.finding("STORAGE_TMPFS", "warn", "vendor", "text", {"a": 1}, "x" * 5000, "do")
    ctx.raw("../out put.txt", b"abc")
    seconds = ctx.spec.section("storage").get("seconds", 0)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
"""

# A stage whose program starts children that leave the group, the session and the environment.
FAMILY = """
import subprocess, sys, time
def run(ctx):
    script = '''
import os, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(300)  # family-%s"]
subprocess.Popen(sleep)
subprocess.Popen(sleep, start_new_session=True)
subprocess.Popen(sleep, start_new_session=True, env={})
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, sleep, {})
    os._exit(0)
print("up", flush=True)
time.sleep(300)
''' % ctx.spec.section("task")["mark"]
    ctx.outside(ctx.spec.section("task")["file"])
    open(ctx.spec.section("task")["file"], "w").close()
    ctx.run_probe([sys.executable, "-c", script], 300, on_line=lambda n, line: ctx.progress(0.5, "family is up"))
"""

HANG = """
import time
def run(ctx):
    result = ctx.run_probe(["sh", "-c", "trap '' TERM; echo before; sleep 300"], 0.5)
    assert result.timed_out and result.text == "before\\n", result.__dict__
    missing = ctx.run_probe(["no-such-program-here"], 5)
    assert missing.missing and missing.rc is None
    loud = ctx.run_probe(["sh", "-c", "yes | head -c 30000000; exit 3"], 20)
    assert loud.rc == 3 and len(loud.out) == 1 << 20, (loud.rc, len(loud.out))
    orphan = ctx.run_probe(["sh", "-c", "sleep 300 & echo done"], 20)
    assert orphan.rc == 0 and orphan.seconds < 10, orphan.seconds
    ctx.finding("PROBE_TIMEOUT", "fail", "unknown", "hung", {}, result.evidence(), "next")
"""

FREEZE = """
import signal, time
def run(ctx):
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    time.sleep(300)
"""


class ProtocolTest(PayloadCase):
    stages = {"task": TALK, "compute": FAMILY, "network": HANG, "stability": FREEZE,
              "interconnect": "def run(ctx):\n    raise KeyError('bug')\n",
              "storage": "import os\ndef run(ctx):\n    os.kill(os.getpid(), 9)\n"}

    def test_events_are_numbered_whole_and_end_once(self):
        events = self.finish("task")
        self.assertEqual(list(range(1, len(events) + 1)), [e["seq"] for e in events])
        self.assertEqual("ok", events[-1]["status"])
        self.assertEqual(1, len(of(events, "end")))
        m = of(events, "measurement", name="m")[0]
        self.assertEqual((2.0, 3, 1.0, 3.0, 0.5), (m["value"], m["n"], m["min"], m["max"], m["cv"]))
        self.assertEqual([], of(events, "measurement", name="bad"))
        self.assertEqual("ours", of(events, "finding", code="STAGE_FAILED")[0]["owner"])
        self.assertIsNone(of(events, "fact")[0]["value"]["x"])
        self.assertLessEqual(len(of(events, "finding", code="STORAGE_TMPFS")[0]["evidence"]), 2000)
        self.assertRegex(events[0]["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")

    def test_polling_from_any_offset_loses_nothing(self):
        events = self.finish("task")
        size = os.path.getsize(os.path.join(self.dir, "runs/r1/events.jsonl"))
        for offset in list(range(0, size, 97)) + [size, size + 1000, -5]:
            got, state = self.poll("r1", offset)
            self.assertEqual(events[len(events) - len(got):], got)
            self.assertEqual(size, state["offset"])
            self.assertLessEqual(state["from"], max(0, offset))
        self.assertEqual("ended", state["state"])

    def test_run_returns_at_once_and_leaves_the_callers_streams(self):
        began = time.monotonic()
        answer = self.start("task", "slow", storage={"seconds": 60})
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual("started", answer["state"])
        _, state = self.poll("slow")
        self.assertEqual(("running", True), (state["state"], state["alive"]))
        self.assertEqual(os.getsid(answer["pid"]), self.session(answer["pid"]))
        self.assertNotEqual(os.getsid(0), self.session(answer["pid"]))
        for fd in os.listdir("/proc/%d/fd" % answer["pid"]):
            target = os.readlink("/proc/%d/fd/%s" % (answer["pid"], fd))
            # Pipes of the caller would keep an SSH session open; only its own ones may be there.
            self.assertFalse(target.startswith("socket:"), target)
            self.assertNotIn(target, [os.readlink("/proc/self/fd/1"), os.readlink("/proc/self/fd/2")])

    @staticmethod
    def session(pid):
        with open("/proc/%d/stat" % pid) as f:
            return int(f.read().rsplit(")", 1)[1].split()[3])

    def test_starting_again_attaches_and_after_the_end_says_so(self):
        first = self.start("task", "r1", storage={"seconds": 60})
        again = self.start("task", "r1", storage={"seconds": 60})
        self.assertEqual(("attached", first["pid"]), (again["state"], again["pid"]))
        self.command("stop", "r1")
        before = self.poll("r1")[0]
        self.assertEqual("ended", self.start("task", "r1")["state"])
        self.assertEqual(before, self.poll("r1")[0])

    def test_started_many_times_at_once_runs_once(self):
        path = self.spec(storage={"seconds": 60})
        answers = []

        def go():
            done = subprocess.run([sys.executable, self.pyz, "run", "task", "--id", "r1", "--spec", path],
                                  stdout=subprocess.PIPE, timeout=60)
            answers.append(self.lines(done.stdout)[0])

        threads = [threading.Thread(target=go) for _ in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(1, [a["state"] for a in answers].count("started"), answers)
        self.assertEqual(7, [a["state"] for a in answers].count("attached"), answers)
        self.assertEqual(1, len({a["pid"] for a in answers}))
        time.sleep(0.2)
        self.assertEqual(1, len(of(self.poll("r1")[0], "progress", text="started")))

    def test_a_killed_run_is_lost_and_takes_its_worker_along(self):
        answer = self.start("compute", "r1", task={"mark": "lost", "file": os.path.join(self.base, ".seatrial-x")})
        wait_until(lambda: of(self.poll("r1")[0], "progress", text="family is up"))
        os.kill(answer["pid"], signal.SIGKILL)
        wait_until(lambda: self.poll("r1")[1]["state"] == "lost")
        self.command("stop", "r1")
        wait_until(lambda: not [p for p in processes_with("family-lost") if not self.cleared(p)])
        for pid in processes_with("family-lost"):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual("ended", self.start("compute", "r1")["state"])
        self.assertEqual(1, len(of(self.poll("r1")[0], "end")))

    @staticmethod
    def cleared(pid):
        with open("/proc/%d/environ" % pid, "rb") as f:
            return b"SEATRIAL_RUN" not in f.read()

    def test_stop_ends_every_descendant_and_removes_files_elsewhere(self):
        outside = os.path.join(self.base, ".seatrial-data")
        self.start("compute", "r1", task={"mark": "stop", "file": outside})
        wait_until(lambda: of(self.poll("r1")[0], "progress", text="family is up"))
        wait_until(lambda: len([p for p in processes_with("family-stop")]) >= 5)
        self.assertTrue(os.path.exists(outside))
        answer = self.command("stop", "r1")[0]
        self.assertEqual(True, answer["stopped"])
        self.assertEqual([], processes_with("family-stop"))
        self.assertFalse(os.path.exists(outside))
        events, state = self.poll("r1")
        self.assertEqual(("stopped", "ended"), (events[-1]["status"], state["state"]))
        self.assertEqual(True, self.command("stop", "r1")[0]["stopped"])

    def test_clean_stops_and_leaves_nothing(self):
        self.start("compute", "r1", task={"mark": "clean", "file": os.path.join(self.base, ".seatrial-data")})
        self.start("task", "r2", storage={"seconds": 60})
        wait_until(lambda: of(self.poll("r1")[0], "progress", text="family is up"))
        answer = self.command("clean")[0]
        self.assertEqual((True, []), (answer["removed"], answer["left"]))
        self.assertEqual([], processes_with("family-clean"))
        self.assertFalse(os.path.exists(self.dir))
        self.assertEqual(["tree"], os.listdir(self.base))

    def test_clean_spares_a_directory_that_is_not_ours_alone(self):
        with open(os.path.join(self.dir, "thesis.tex"), "w") as f:
            f.write("work of years")
        self.finish("task")
        self.command("clean", check=False)
        self.assertTrue(os.path.exists(os.path.join(self.dir, "thesis.tex")))
        self.assertFalse(os.path.exists(os.path.join(self.dir, "runs")))

    def test_hung_probe_is_a_finding_not_a_hang(self):
        events = self.finish("network", seconds=60)
        self.assertEqual("ok", events[-1]["status"], events)
        self.assertEqual("before", of(events, "finding", code="PROBE_TIMEOUT")[0]["evidence"])

    def test_a_stage_that_ignores_its_limit_is_ended_by_the_supervisor(self):
        path = os.path.join(self.base, "tree/seatrial_payload/supervisor.py")
        with open(path) as f:
            text = f.read().replace("GRACE_SECONDS = 15.0", "GRACE_SECONDS = 0.5")
        with open(path, "w") as f:
            f.write(text)
        import zipapp

        zipapp.create_archive(os.path.join(self.base, "tree"), self.pyz)
        events = self.finish("stability", limitSeconds=1)
        self.assertEqual("timed-out", events[-1]["status"])

    def test_a_bug_and_a_sudden_death_are_told(self):
        events = self.finish("interconnect")
        self.assertEqual("failed", events[-1]["status"])
        self.assertIn("KeyError", of(events, "finding", code="STAGE_FAILED")[0]["evidence"])
        self.start("storage", "r2")
        events = self.await_end("r2")
        self.assertIn("signal 9", events[-1]["why"])

    def test_collect_is_a_tar_of_what_was_kept(self):
        self.finish("task")
        data = self.command("collect", "r1", raw=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            names = tar.getnames()
            self.assertIn("r1/raw/.._out_put.txt", names)
            self.assertEqual(b"abc", tar.extractfile("r1/raw/.._out_put.txt").read())

    def test_wrong_use_is_one_line_and_status_2(self):
        for args in ([], ["fly"], ["run", "task"], ["run", "sail", "--id", "a", "--spec", "/x"], ["poll", "../etc"],
                     ["poll", "A"], ["stop"], ["poll", "a" * 65], ["poll", "r1", "--from", "x"], ["clean", "all"],
                     ["run", "task", "--id", "a", "--spec", "/no/such"], ["collect", "none"]):
            lines = self.command(*args, check=False)
            self.assertEqual((2, 1, "error"), (self.last.returncode, len(lines), lines[0]["type"]), args)
        with open(os.path.join(self.dir, "bad.json"), "w") as f:
            f.write("{")
        self.command("run", "task", "--id", "a", "--spec", f.name, check=False)
        self.assertEqual(2, self.last.returncode)

    def test_unknown_run_is_lost_and_version_is_told(self):
        events, state = self.poll("never")
        self.assertEqual(([], "lost", False), (events, state["state"], state["alive"]))
        self.assertEqual(1, self.command("version")[0]["protocol"])


if __name__ == "__main__":
    unittest.main()
