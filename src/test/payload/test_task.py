"""The task stage: the user's own command, its figures, its failures and what held it back."""

import os
import sys
import time
import unittest

from gpu_fakes import torch_missing
from harness import PayloadCase, of, processes_with, wait_until
from seatrial_payload import taskmetrics, usage

STEPS = "for i in 1 2 3 4 5 6 7 8 9 10; do echo step=$i tok/s=$((1000 + i)); echo \"noise {\\\"loss\\\": 0.$i}\"; done"


class Stage(PayloadCase):
    def run_task(self, seconds=40, limit=60, outer=None, **task):
        task.setdefault("dir", self.base)
        return self.finish("task", seconds, env=outer, gpus="none", limitSeconds=limit, task=task)

    def test_its_own_figures_with_direction_and_unit(self):
        metrics = {"tokens_per_s": {"regex": "tok/s=([0-9.]+)", "unit": "tok/s", "better": "higher"}, "loss": {"json": "loss", "use": "last", "better": "lower"}}
        events = self.run_task(command=STEPS, metrics=metrics)
        speed, loss = of(events, "measurement", name="tokens_per_s")[0], of(events, "measurement", name="loss")[0]
        self.assertEqual((1006.0, "tok/s", "higher", 10), (speed["value"], speed["unit"], speed["attrs"]["better"], speed["attrs"]["seen"]))
        self.assertAlmostEqual(0.1, loss["value"])
        self.assertEqual(0, of(events, "measurement", name="task_seconds")[0]["attrs"]["exit"])
        self.assertEqual("ok", events[-1]["status"])

    def test_a_failing_command_shows_its_last_lines(self):
        events = self.run_task(command="i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo line $i; done; echo 'ValueError: no such file' >&2; exit 3")
        finding = of(events, "finding", code="TASK_FAILED")[0]
        self.assertEqual(("fail", "3"), (finding["severity"], finding["params"]["exit"]))
        with open(os.path.join(self.dir, "runs", "r1", "raw", "task-last.txt")) as f:
            kept = f.read().splitlines()
        self.assertEqual(100, len(kept))
        self.assertTrue({"ValueError: no such file", "line 300"} <= set(kept))

    def test_a_failure_whose_text_is_known_is_diagnosed(self):
        events = self.run_task(command="echo 'CUDA error: no kernel image is available for execution on the device' >&2; exit 1")
        self.assertEqual("image", of(events, "finding", code="TORCH_ARCH_MISSING")[0]["owner"])

    def test_prepare_comes_first_and_its_failure_ends_it(self):
        events = self.run_task(prepare="echo made > made.txt", command="cat made.txt", metrics={"x": {"regex": "(made)"}})
        self.assertEqual(0, of(events, "measurement", name="task_seconds")[0]["attrs"]["exit"])
        self.setUp()
        events = self.run_task(prepare="exit 7", command="touch ran.txt")
        self.assertEqual("prepare", of(events, "finding", code="TASK_FAILED")[0]["params"]["what"])
        self.assertFalse(os.path.exists(os.path.join(self.base, "ran.txt")))

    def test_its_limit_ends_it_and_all_it_started(self):
        mark = "987654%d" % os.getpid()
        events = self.run_task(command="echo before; sleep %s & sleep %s" % (mark, mark), limitSeconds=2)
        self.assertIn("before", of(events, "finding", code="TASK_TIMEOUT")[0]["evidence"])
        wait_until(lambda: not processes_with(mark))
        self.assertTrue(of(events, "measurement", name="task_seconds")[0]["attrs"]["timedOut"])

    def test_what_it_leaves_running_is_ended(self):
        mark = "876543%d" % os.getpid()
        self.run_task(command="sleep %s & echo left" % mark)
        wait_until(lambda: not processes_with(mark))

    def test_a_metric_that_never_came_is_said_and_so_is_a_bad_expression(self):
        events = self.run_task(command="echo nothing", metrics={"a": {"regex": "tok=(\\d+)"}, "b": {"regex": "(("}, "c": {"json": "x.y"}})
        self.assertEqual({"a", "b", "c"}, {e["params"]["metric"] for e in of(events, "finding", code="TASK_METRIC_MISSING")})
        self.assertEqual("ok", events[-1]["status"])

    def test_environment_language_and_folder_are_the_users(self):
        events = self.run_task(outer={"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, command='echo "lang=$LANG mine=$MINE here=$(pwd)"; echo v=$MINE',
                               metrics={"v": {"regex": "^v=(\\d+)"}}, env={"MINE": "42"})
        self.assertEqual(42, of(events, "measurement", name="v")[0]["value"])
        with open(os.path.join(self.dir, "runs", "r1", "raw", "task-last.txt")) as f:
            self.assertIn("lang=zh_CN.UTF-8 mine=42 here=%s" % os.path.realpath(self.base), f.read())

    def test_a_missing_folder_is_ours(self):
        events = self.run_task(command="true", dir="/nowhere/at/all")
        self.assertEqual(("ours", "failed"), (of(events, "finding", code="TASK_FAILED")[0]["owner"], events[-1]["status"]))

    def test_one_busy_thread_is_named(self):
        loop = "import time; e = time.time() + 9\nwhile time.time() < e: pass"
        events = self.run_task(command="%s -c '%s'" % (sys.executable, loop))
        bottleneck = of(events, "finding", code="TASK_BOTTLENECK")[0]["params"]["bottleneck"]
        self.assertIn(bottleneck, ("single-core", "cpu", "cpu-quota"))  # on a busy or one-core host it waits for a core


class Metrics(unittest.TestCase):
    def values(self, rule, *lines):
        return [v for line in lines for v in taskmetrics.reader(rule)(line)]

    def test_numbers_as_people_print_them(self):
        self.assertEqual([1234.5, 1e-3, -2.0], [taskmetrics.number(t) for t in ("1,234.5", "1e-3", "-2 ms")])
        for nothing in ("nan", "inf", "", None, True, "none", [], {}):
            self.assertIsNone(taskmetrics.number(nothing), nothing)

    def test_json_lines_with_noise_before_them_and_nested_keys(self):
        rule = {"json": "perf.p99"}
        self.assertEqual([12.5], self.values(rule, 'INFO {"perf": {"p99": 12.5}}', '{"perf": 3}', "{broken", '{"perf": {"p99": "x"}}'))

    def test_reductions(self):
        values = [1.0] + [float(v) for v in range(100, 109)]
        self.assertEqual(104.0, taskmetrics.reduce(values)[0])
        self.assertEqual([108.0, 1.0, 108.0, 108.0], [taskmetrics.reduce(values, use)[0] for use in ("last", "min", "max", "p99")])
        self.assertEqual(2.0, taskmetrics.reduce([1.0, 2.0, 9.0])[0])


class Bottleneck(unittest.TestCase):
    def named(self, usable=16, **figures):
        sample = {"gpu": 40.0, "cores": 1.0, "hotThread": 0.3, "hotThreadWaits": 0.0, "busyProcesses": 0, "diskReadMBs": 1.0, "netReceiveMBs": 0.0, "ioWait": 0.0, "throttled": None, "waiting": False}
        sample.update(figures)
        return usage.bottleneck([dict(sample) for _ in range(10)], usable)[0]

    def test_each_has_its_name(self):
        self.assertEqual("gpu", self.named(gpu=95.0, hotThread=1.0))
        self.assertEqual("cpu-quota", self.named(throttled=0.6, cores=2.0))
        self.assertEqual("cpu", self.named(usable=4, cores=3.9))
        self.assertEqual("disk", self.named(ioWait=0.7, diskReadMBs=90.0))
        self.assertEqual("disk", self.named(waiting=True, ioWait=None))
        self.assertEqual("network", self.named(waiting=True, netReceiveMBs=80.0))
        self.assertEqual("data-loading", self.named(busyProcesses=4, cores=4.5, hotThread=1.0))
        self.assertEqual("single-core", self.named(hotThread=0.97, busyProcesses=1))
        self.assertEqual("cpu", self.named(hotThread=0.5, hotThreadWaits=0.48))
        self.assertEqual("none", self.named())
        self.assertEqual("unknown", usage.bottleneck([], 4)[0])

    def test_imports_and_saving_are_left_out(self):
        idle = {"gpu": 0.0, "cores": 1.0, "hotThread": 1.0, "busyProcesses": 1, "waiting": False}
        busy = dict(idle, gpu=99.0)
        self.assertEqual("gpu", usage.bottleneck([idle] * 20 + [busy] * 5 + [idle] * 20, 8)[0])

    def test_this_very_process_can_be_watched(self):
        watcher = usage.Watcher(os.getpid())
        self.assertIsNone(watcher.look())
        time.sleep(0.05)
        sample = watcher.look()
        self.assertGreaterEqual(sample["cores"], 0)
        self.assertGreater(usage.cpus(), 0)


@unittest.skipIf(torch_missing(), torch_missing())
class OnTorch(PayloadCase):
    def test_a_tiny_training(self):
        import shutil

        place = os.path.join(self.base, "tiny")
        shutil.copytree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "tiny-train"), place)
        events = self.finish("task", 120, gpus="none", limitSeconds=110, task={
            "dir": place, "command": "python train.py --steps 2 --batch 8", "metrics": {"loss": {"json": "loss", "use": "last"}}})
        self.assertEqual(2, of(events, "measurement", name="loss")[0]["attrs"]["seen"])


if __name__ == "__main__":
    unittest.main()
