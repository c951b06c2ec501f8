"""Machines as they are rented: no root, no writable home, full disks, no /dev/shm, odd locales, disks that hang."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

import fakes
from harness import PayloadCase, of, wait_until

FIFREEZE, FITHAW = 0xC0045877, 0xC0045878
NOBODY = 65534

BIG_RAW = """
import os
def run(ctx):
    ctx.raw("small.bin", b"x" * 1000)
    ctx.raw("big.bin", os.urandom(8 << 20))
    for n in range(3000):
        ctx.fact("host", {"n": n, "text": "y" * 200})
"""

WRITE = """
import sys
def run(ctx):
    path = ctx.spec.section("task")["path"]
    result = ctx.run_probe([sys.executable, "-c", "open(%r, 'w').write('x')" % path], 1)
    ctx.finding("PROBE_TIMEOUT", "fail", "vendor", "hung", {"abandoned": result.abandoned, "timedOut": result.timed_out}, "", "")
    if ctx.spec.section("task").get("self"):
        open(path, "w").write("x")
"""

SPEAK = """
import os, sys
def run(ctx):
    result = ctx.run_probe([sys.executable, "-c", "print('试航 \\u2713')"], 20)
    date = ctx.run_probe(["date", "+%A"], 20)
    ctx.fact("host", {"said": result.text.strip(), "day": date.text.strip(), "lc": ctx.probe_env()["LC_ALL"]})
"""


def root_only(test):
    return unittest.skipUnless(os.getuid() == 0, "needs root to play this machine")(test)


class RobustnessTest(PayloadCase):
    stages = {"task": SPEAK, "compute": BIG_RAW, "network": WRITE}

    def in_namespace(self, setup, *args, check=True):
        """Runs a payload command where ``setup`` (shell) has changed the mounts, for this command and what it starts."""
        script = setup + '\nexec "$@"'
        done = subprocess.run(["unshare", "-m", "sh", "-ec", script, "sh", sys.executable, self.pyz] + list(args),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        if check:
            self.assertEqual(0, done.returncode, done)
        return self.lines(done.stdout)

    def test_a_chinese_locale_and_a_foreign_encoding(self):
        events = self.finish("task", env={"LANG": "zh_CN.GBK", "LC_ALL": "zh_CN.GBK", "PYTHONIOENCODING": "gbk", "LANGUAGE": "zh"})
        fact = of(events, "fact")[0]["value"]
        self.assertEqual(("试航 ✓", "C"), (fact["said"], fact["lc"]))
        self.assertIn(fact["day"], ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"))

    def test_without_a_path_or_home(self):
        events = self.finish("environment", env={"PATH": "/nonexistent", "HOME": "/nonexistent"}, quick=True, gpus="none", expectGpus=0)
        self.assertEqual("ok", events[-1]["status"])
        unwritable = [e["params"]["path"] for e in of(events, "finding", code="STORAGE_SPACE")]
        self.assertIn("/nonexistent", unwritable)

    @staticmethod
    def others_may_run(python):
        try:
            return subprocess.run([python, "-c", ""], preexec_fn=lambda: os.setuid(NOBODY), stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            return False

    @root_only
    def test_without_root(self):
        os.chmod(self.base, 0o755)
        os.chown(self.dir, NOBODY, NOBODY)
        spec = self.spec(quick=True, gpus="none", expectGpus=0)
        os.chmod(spec, 0o644)
        python = next((p for p in (sys.executable, "/usr/bin/python3") if self.others_may_run(p)), None)
        if python is None:
            self.skipTest("no Python here that others may run")

        def command(*args):
            done = subprocess.run([python, self.pyz] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/", timeout=60,
                                  env={"PATH": "/usr/bin:/bin", "HOME": "/root"}, preexec_fn=lambda: (os.setgid(NOBODY), os.setuid(NOBODY)))
            self.assertEqual(0, done.returncode, done)
            return self.lines(done.stdout)

        command("run", "environment", "--id", "r1", "--spec", spec)
        events = wait_until(lambda: (lambda e: e if e[-1].get("state") == "ended" else None)(command("poll", "r1", "--from", "0")), 60, 0.3)
        self.assertEqual("uid 65534", of(events, "fact", name="host")[0]["value"]["user"])
        self.assertEqual("ok", of(events, "end")[0]["status"])
        # The folder itself lies in another user's: its content goes, and what stays is said.
        done = subprocess.run([python, self.pyz, "clean"], stdout=subprocess.PIPE, cwd="/", preexec_fn=lambda: (os.setgid(NOBODY), os.setuid(NOBODY)))
        self.assertEqual([self.dir], self.lines(done.stdout)[0]["left"])
        self.assertEqual([], os.listdir(self.dir))

    @root_only
    def test_a_full_disk_still_tells_how_it_ended(self):
        keep = os.path.join(self.base, "keep.pyz")
        shutil.copy(self.pyz, keep)
        spec = os.path.join(self.base, "spec.json")
        with open(spec, "w") as f:
            json.dump({}, f)
        script = ("mount -t tmpfs -o size=1500k none %(dir)s; cp %(keep)s %(pyz)s; %(py)s %(pyz)s run compute --id r1 --spec %(spec)s >/dev/null; "
                  "for i in $(seq 100); do %(py)s %(pyz)s poll r1 --from 0 > %(out)s; tail -n 1 %(out)s | grep -q alive.:true || break; sleep 0.2; done; "
                  "cp %(dir)s/runs/r1/events.jsonl %(out)s; %(py)s %(pyz)s clean || true" % {
                      "dir": self.dir, "keep": keep, "pyz": self.pyz, "py": sys.executable, "spec": spec, "out": os.path.join(self.base, "out")})
        done = subprocess.run(["unshare", "-m", "sh", "-ec", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(0, done.returncode, done)
        with open(os.path.join(self.base, "out"), "rb") as f:
            events = self.lines(f.read())
        self.assertEqual("STORAGE_SPACE", of(events, "finding")[0]["code"])
        self.assertEqual(1, len(of(events, "raw")))
        self.assertEqual(list(range(1, len(events) + 1)), [e["seq"] for e in events])
        self.assertEqual("end", events[-1]["type"])

    @root_only
    def test_without_shared_memory_and_with_tmp_full(self):
        bare = os.path.join(self.base, "dev")
        os.mkdir(bare)
        setup = ("mount -t tmpfs none %(d)s; for n in null zero urandom; do : > %(d)s/$n; mount --bind /dev/$n %(d)s/$n; done; mount --rbind %(d)s /dev; "
                 "mkdir -p %(t)s; mount -t tmpfs -o size=4k none /var/tmp" % {"d": bare, "t": os.path.join(self.base, "t")})
        self.in_namespace(setup, "run", "environment", "--id", "r1", "--spec", self.spec(quick=True, gpus="none", expectGpus=0))
        events = self.await_end("r1", 60)
        self.assertEqual("ok", events[-1]["status"])
        self.assertIn("missing", of(events, "finding", code="SHM_SMALL")[0]["message"])
        self.in_namespace(setup, "run", "storage", "--id", "r2", "--spec", self.spec(quick=True, storage={"seconds": 1, "maxBytes": 96 << 20}))
        events = self.await_end("r2", 120)
        self.assertTrue({"storage_seq_read", "storage_rand_read_4k"} <= {e["name"] for e in of(events, "measurement")}, events)

    def test_python_with_torch_only_under_conda(self):
        home = os.path.join(self.base, "home")
        lib = fakes.torch(os.path.join(self.base, "lib"))["PYTHONPATH"]
        path = fakes.program(os.path.join(home, "miniconda3/bin"), "python3", '#!/bin/sh\nPYTHONPATH=%s exec %s "$@"\n' % (lib, sys.executable))
        events = self.finish("environment", env={"HOME": home}, quick=True, expectGpus=0, gpus="all", seconds=60)
        software = of(events, "fact", name="software")[0]["value"]
        self.assertEqual((path, "2.6.0+cu124"), (software["pythonPath"], software["torch"]))

    @unittest.skipUnless(shutil.which("busybox"), "no BusyBox here")
    def test_busybox_dd_is_understood(self):
        from seatrial_payload import disktools

        target = os.path.join(self.base, "f")
        done = subprocess.run(["busybox", "dd", "if=/dev/zero", "of=" + target, "bs=1M", "count=64"], stderr=subprocess.PIPE)
        # Some builds print a rate, some only the records.
        self.assertTrue(disktools.parse_dd(done.stderr) or disktools.parse_dd_records(done.stderr, 1 << 20) == 64 << 20, done)

    def frozen(self):
        """A file system on which every write waits in the kernel, beyond the reach of any signal."""
        image, mount = os.path.join(self.base, "image"), os.path.join(self.base, "frozen")
        os.mkdir(mount)
        with open(image, "wb") as f:
            f.truncate(32 << 20)
        if subprocess.run(["mkfs.ext4", "-q", "-F", image]).returncode or subprocess.run(["mount", "-o", "loop", image, mount]).returncode:
            self.skipTest("no loop mounts here")
        fd = os.open(mount, os.O_RDONLY)
        fcntl.ioctl(fd, FIFREEZE, 0)

        def thaw():
            try:
                fcntl.ioctl(fd, FITHAW, 0)
            except OSError:
                pass

        def remove():
            thaw()
            os.close(fd)
            wait_until(lambda: subprocess.run(["umount", mount], stderr=subprocess.DEVNULL).returncode == 0)

        self.addCleanup(remove)
        return mount, thaw

    @root_only
    @unittest.skipUnless(shutil.which("mkfs.ext4"), "no mkfs.ext4 here")
    def test_a_probe_in_uninterruptible_sleep_is_left_behind_and_told(self):
        mount, thaw = self.frozen()
        events = self.finish("network", seconds=60, task={"path": os.path.join(mount, "x")})
        params = of(events, "finding", code="PROBE_TIMEOUT")[0]["params"]
        self.assertEqual(("True", "True"), (params["abandoned"], params["timedOut"]))
        self.assertEqual("ok", events[-1]["status"])
        thaw()

    @root_only
    @unittest.skipUnless(shutil.which("mkfs.ext4"), "no mkfs.ext4 here")
    def test_a_stage_in_uninterruptible_sleep_is_ended_by_its_supervisor(self):
        mount, thaw = self.frozen()
        self.start("network", "r1", task={"path": os.path.join(mount, "x"), "self": True})
        wait_until(lambda: of(self.poll("r1")[0], "finding", code="PROBE_TIMEOUT"), 30, 0.3)
        answer = self.command("stop", "r1", check=False)[0]
        self.assertFalse(answer["stopped"])
        self.assertTrue(answer["left"])
        events, state = self.poll("r1")
        self.assertEqual(("stopped", "ended"), (events[-1]["status"], state["state"]))
        thaw()
        wait_until(lambda: self.command("stop", "r1", check=False)[0]["stopped"])

    def test_terminal_gone_does_not_end_the_run(self):
        """The shell that started it dies with SIGHUP to its whole group, as when a connection drops."""
        spec = self.spec(task={})
        shell = subprocess.Popen(["sh", "-c", "%s %s run compute --id r1 --spec %s; sleep 60" % (sys.executable, self.pyz, spec)],
                                 stdout=subprocess.PIPE, start_new_session=True)
        self.assertIn(b'"state":"started"', shell.stdout.readline())
        os.killpg(shell.pid, signal.SIGHUP)
        shell.wait()
        shell.stdout.close()
        events = self.await_end("r1", 60)
        self.assertEqual(3000, len([e for e in self.everything("r1") if e["type"] == "fact"]), events[-1])

    def everything(self, run_id):
        with open(os.path.join(self.dir, "runs", run_id, "events.jsonl"), "rb") as f:
            return self.lines(f.read())


if __name__ == "__main__":
    unittest.main()
