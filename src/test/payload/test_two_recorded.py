"""What one real machine with two H200 gave (fixtures/h200x2, identifiers replaced), read again by the code of today."""

import datetime
import json
import os
import unittest

import harness  # noqa: F401  (puts the payload on the path)
from seatrial_payload import nvidia
from seatrial_payload.gpu import sampler, soak, topology

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "h200x2")
UUIDS = ["GPU-00000000-0000-0000-0000-00000000000%d" % n for n in range(2)]


def text(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


def lines(name):
    return [json.loads(line) for line in text(name).splitlines()]


def figures(events, name):
    return {e["gpu"]: e for e in events if e["type"] == "measurement" and e["name"] == name}


def at(event):
    return datetime.datetime.fromisoformat(event["at"].replace("Z", "+00:00"))


class Recorded(unittest.TestCase):
    def test_both_cards_with_all_their_links(self):
        gpus = next(e["value"] for e in lines("environment.jsonl") if e["type"] == "fact" and e["name"] == "gpus")
        self.assertEqual(UUIDS, [gpu["uuid"] for gpu in gpus])
        self.assertEqual([18, 18], [gpu["nvlinks"] for gpu in gpus])
        self.assertEqual([], [e for e in lines("environment.jsonl") if e["type"] == "finding"])
        self.assertEqual([["X", "NV18"], ["NV18", "X"]], topology.topo(text("nvidia-smi-topo.txt"))["links"])
        self.assertEqual({0: 18, 1: 18}, topology.nvlinks(text("nvidia-smi-nvlink.txt")))
        self.assertEqual({0: 18, 1: 18}, nvidia.parse_links(text("nvidia-smi-nvlink.txt")))

    def test_a_quick_compute_stage_of_both_fits_three_minutes(self):
        events = lines("compute.jsonl")
        self.assertLess((at(events[-1]) - at(events[0])).total_seconds(), 180)
        for name in ("matmul_bf16_sustained", "memory_copy", "h2d_pinned", "d2h_pinned", "train_step_small"):
            self.assertEqual(UUIDS, sorted(figures(events, name)), name)
        for name in ("matmul_bf16_sustained_together", "matmul_fp8_sustained_together", "h2d_pinned_together", "d2h_pinned_together"):
            self.assertEqual([True, True], [e["attrs"]["everyoneCame"] for e in figures(events, name).values()], name)
        self.assertEqual([], [e for e in events if e["type"] == "finding"])

    def test_copies_are_symmetric_and_the_direct_way_gains_tenfold(self):
        events = lines("interconnect.jsonl")
        there, back = (figures(events, "p2p_copy")[uuid]["value"] for uuid in UUIDS)
        self.assertLess(abs(there - back) / max(there, back), 0.10)
        largest = [e for e in events if e["type"] == "measurement" and e["attrs"].get("largest")][0]
        self.assertEqual((8 << 30, False, ["P2P/CUMEM"]), tuple(largest["attrs"][k] for k in ("bytes", "nvls", "transports")))
        control = figures(events, "allreduce_busbw_without_p2p")[None]
        self.assertEqual(["SHM/direct"], control["attrs"]["transports"])
        self.assertGreater(control["attrs"]["gain"], 9)

    def test_large_messages_agree_with_the_independent_timing(self):
        rows = json.loads(text("allreduce-compare.json"))["rows"]
        for size in (128 << 20, 1 << 30, 8 << 30):
            self.assertLess(abs(rows[str(size)]["medianRatio"] - 1), 0.05, size)

    def test_the_late_rank_is_named_and_the_healthy_machine_has_none(self):
        def late(name):
            fact = next(e["value"] for e in lines(name) if e["type"] == "fact" and e["name"] == "ranks")
            return fact["slowestRank"], fact["slowestRankLate"]

        self.assertLess(late("interconnect.jsonl")[1], 0.05)
        self.assertEqual(1, late("interconnect-extra-work.jsonl")[0])
        self.assertGreater(late("interconnect-extra-work.jsonl")[1], 0.5)
        self.assertEqual(0, late("interconnect-neighbour.jsonl")[0])
        self.assertGreater(late("interconnect-neighbour.jsonl")[1], 1.0)

    def test_five_minutes_of_load_on_both(self):
        events = lines("stability.jsonl")
        self.assertEqual(["TOOL_MISSING"] * len([e for e in events if e["type"] == "finding"]), [e["code"] for e in events if e["type"] == "finding"])
        for name in ("soak_throughput", "soak_drift", "gpu_temperature_p95", "throttle_hw_share"):
            self.assertEqual(UUIDS, sorted(figures(events, name)), name)
        tracks = {uuid: soak.Track() for uuid in UUIDS}
        for sample in lines("stability-samples.jsonl"):
            rows = {row["uuid"]: row for row in sample["gpus"]}
            for uuid, track in tracks.items():
                track.add(sampler.Reading(sample["t"], rows), uuid)
        for uuid, track in tracks.items():
            self.assertGreater(soak.middle(track.power), 680)
            self.assertEqual(0.0, sampler.share(track.masks, sampler.HW_BITS))


if __name__ == "__main__":
    unittest.main()
