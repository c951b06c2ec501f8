"""What one real H200 gave (fixtures/h200, identifiers replaced), read again by the code of today."""

import datetime
import json
import os
import unittest

import harness  # noqa: F401  (puts the payload on the path)
from seatrial_payload.gpu import matmul, sampler, soak, topology

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "h200")
UUID = "GPU-00000000-0000-0000-0000-000000000000"


def lines(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def at(event):
    return datetime.datetime.fromisoformat(event["at"].replace("Z", "+00:00"))


class Recorded(unittest.TestCase):
    def test_a_quick_compute_stage_fits_three_minutes_and_leaves_nothing_out(self):
        events = lines("compute.jsonl")
        self.assertLess((at(events[-1]) - at(events[0])).total_seconds(), 180)
        names = {e["name"] for e in events if e["type"] == "measurement"}
        self.assertLessEqual({"matmul_%s_%s" % (d, k) for d in matmul.DTYPES for k in ("short", "sustained")}, names)
        self.assertEqual([], [e for e in events if e["type"] == "finding"])

    def test_power_cap_all_the_time_is_no_throttling(self):
        track, readings = soak.Track(), [sampler.Reading(s["t"], {row["uuid"]: row for row in s["gpus"]}) for s in lines("stability-samples.jsonl")]
        for reading in readings:
            track.add(reading, UUID)
        shares = track.throttle(readings[0], readings[-1], UUID)
        self.assertEqual((0.0, 0.0), (shares["throttle_hw_share"]["percent"], shares["throttle_thermal_share"]["percent"]))
        self.assertGreater(shares["throttle_power_share"]["percent"], 95)
        told = {e["name"]: e["value"] for e in lines("stability.jsonl") if e["type"] == "measurement"}
        self.assertEqual(told["gpu_temperature_p95"], soak.percentile(track.temperature, 95))
        self.assertAlmostEqual(told["throttle_power_share"], shares["throttle_power_share"]["percent"], places=1)

    def test_one_gpu_alone_in_the_matrix(self):
        with open(os.path.join(HERE, "nvidia-smi-topo.txt"), encoding="utf-8") as f:
            self.assertEqual({"gpus": ["GPU0"], "links": [["X"]]}, topology.topo(f.read()))
        self.assertEqual(["SINGLE_GPU"], [e["code"] for e in lines("interconnect.jsonl") if e["type"] == "finding"])

    def test_the_tiny_training_was_held_back_by_one_thread(self):
        finding = [e for e in lines("task.jsonl") if e.get("code") == "TASK_BOTTLENECK"][0]
        self.assertEqual("single-core", finding["params"]["bottleneck"])


if __name__ == "__main__":
    unittest.main()
