"""The interconnect stage: what it reads, what it refuses, and how it names a cause."""

import json
import os
import random
import unittest
import unittest.mock

from gpu_fakes import UUIDS, FakeContext, Smi, result, torch_missing
from harness import PayloadCase, of
from seatrial_payload.gpu import topology
from seatrial_payload.stages import interconnect

TOPO = "\t\x1b[4mGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\nGPU0\t X \tNV18\tPIX\t0-31\t0\t\tN/A\nGPU1\tNV18\t X \tSYS\t0-31\t0\t\tN/A\nNIC0\tPIX\tSYS\t X \n\nLegend:\n\n  X    = Self\n  NV#  = bonded NVLinks\n"
NVLINK = "GPU 0: NVIDIA H200 (UUID: GPU-x)\n\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n\t Link 2: <inactive>\nGPU 1: NVIDIA H200 (UUID: GPU-y)\n\t Link 0: <inactive>\n"
OLD = """#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error
     1048576        262144     float     sum    75.00   13.98   24.46  2e-07    76.00   13.80   24.14  2e-07
hostname:1:2 [0] NCCL INFO Launch mode Parallel
  8589934592    2147483648     float     sum    63896  134.44  235.26    N/A    63959  134.30  235.03    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 68.4
"""
NEW = """# nccl-tests version 2.19.6
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
  1073741824     268435456     float     sum      -1   4000.0  268.44  469.76      0   4001.0  268.37  469.64       0
# Out of bounds values : 3 FAILED
"""
JSON = json.dumps({"config": {}, "results": [{"size": 1073741824, "count": 268435456, "out_of_place": {"time": 1.0, "alg_bw": 268.4, "bus_bw": 469.8, "nwrong": 0}}, {"size": "x"}, 3]})


class Parsers(unittest.TestCase):
    def test_the_matrix_through_colours_and_network_cards(self):
        self.assertEqual({"gpus": ["GPU0", "GPU1"], "links": [["X", "NV18"], ["NV18", "X"]]}, topology.topo(TOPO))
        self.assertEqual([["X"]], topology.topo("\tGPU0\tCPU Affinity\nGPU0\t X \t0-15\n")["links"])

    def test_only_active_links_count(self):
        self.assertEqual({0: 2, 1: 0}, topology.nvlinks(NVLINK))
        self.assertEqual({}, topology.nvlinks("Device does not have or support Nvlink\n"))

    def test_both_layouts_of_the_table(self):
        self.assertEqual([24.46, 235.26], [row["busbw"] for row in topology.nccl_text(OLD)])
        self.assertIsNone(topology.nccl_text(OLD)[-1]["wrong"])
        self.assertEqual([{"bytes": 1073741824, "busbw": 469.76, "wrong": 0}], topology.nccl_text(NEW))
        self.assertEqual([3, 0, None], [topology.out_of_bounds(text) for text in (NEW, OLD, "")])
        self.assertEqual([{"bytes": 1073741824, "busbw": 469.8, "wrong": 0}], topology.nccl_json(JSON))

    def test_what_nccl_says_of_itself(self):
        log = "NCCL version 2.28.9+cuda13.0\nn:1 NCCL INFO NVLS multicast support is not available on dev 0\nChannel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
        self.assertEqual({"nvls": False, "transports": ["P2P/CUMEM"], "version": "2.28.9"}, topology.nccl_log(log))
        self.assertIs(True, topology.nccl_log("NVLS multicast support is available on dev 0")["nvls"])
        self.assertIsNone(topology.nccl_log("")["nvls"])

    def test_any_text_gives_a_value(self):
        rng = random.Random(7)
        for sample in (TOPO, NVLINK, OLD, NEW, JSON):
            for _ in range(300):
                data = list(sample)
                for _ in range(rng.randint(1, 20)):
                    at = rng.randrange(len(data))
                    data[at : at + rng.randint(0, 5)] = [rng.choice("\x00\n\t9eE-:[]{}é, ")] * rng.randint(0, 4)
                    data = data or [""]
                text = "".join(data)
                for parser in (topology.topo, topology.nvlinks, topology.nccl_text, topology.nccl_json, topology.nccl_log, topology.out_of_bounds):
                    parser(text)


def rank(args, seconds=0.001, wrong=0):
    if args["env"].get("NCCL_P2P_DISABLE"):
        seconds *= 20
    return {"rank": args["rank"], "count": args["count"], "nccl": "2.28.9", "torch": "2.11.0",
            "results": [{"bytes": size, "secondsPerCall": [seconds * (1 + args["rank"])] * 5, "wrong": wrong} for size in args["sizes"]],
            "steps": taken(args)}


def taken(args, work=0.02, late=0.0):
    """Steps of one rank: as long as the others' work, or longer by ``extra`` or later by ``late`` (a share)."""
    extra, slowest = float(args.get("extra", 0)), 0.5
    mine = work * (1 + extra)
    return {"work": [mine] * 30, "wait": [max(0.0, work * slowest - (mine - work) - late * work) + 0.001] * 30, "bytes": 1 << 25} if args.get("steps", 30) else None


def peers(args):
    count = len(args["gpus"])
    return {"count": count, "bytes": 1 << 28, "method": "peer-copy/1", "torch": "2.11.0",
            "pairs": [{"from": i, "to": j, "access": True, "gbs": [390.0] * 5, "equal": True} for i in range(count) for j in range(count) if i != j]}


class Stage(unittest.TestCase):
    def run_stage(self, count=2, all_reduce=rank, pairs=peers, programs=None, **options):
        tools = dict({"nvidia-smi": Smi(count)}, **(programs or {}))
        ctx = FakeContext(self, {"stage": "interconnect", "phase": "multi", "limitSeconds": 600, "quick": True, "interconnect": options}, tools,
                          {"gpu.allreduce:run": all_reduce, "gpu.peer:run": pairs})
        tool, interconnect._tool = interconnect._tool, lambda: "all_reduce_perf" if "all_reduce_perf" in tools else None
        try:
            interconnect.run(ctx)
        finally:
            interconnect._tool = tool
        return ctx

    def test_one_gpu_has_nothing_to_connect(self):
        ctx = self.run_stage(1)
        self.assertEqual((["SINGLE_GPU"], []), (ctx.codes(), ctx.of("measurement")))

    def test_the_slowest_rank_and_the_largest_size_count(self):
        ctx = self.run_stage(4)
        figures = ctx.of("measurement", name="allreduce_busbw")
        top = [f for f in figures if f["attrs"]["largest"]]
        self.assertEqual([1 << 30], [f["attrs"]["bytes"] for f in top])
        self.assertAlmostEqual((1 << 30) / 0.004 / 1e9 * 1.5, top[0]["value"], places=1)
        self.assertEqual(12, len(ctx.of("measurement", name="p2p_copy")))
        self.assertEqual((UUIDS[0], UUIDS[1]), tuple(ctx.of("measurement", name="p2p_copy")[0]["attrs"][k] for k in ("from", "to")))
        self.assertEqual(["TOOL_MISSING"], ctx.codes())

    def test_a_rank_with_more_work_is_named_though_all_take_equally_long(self):
        late = self.run_stage(4, extraWork={"2": 0.5}).of("measurement", name="allreduce_busbw")[-1]["attrs"]
        self.assertEqual((2, UUIDS[2], 0.5, "work"), tuple(late[k] for k in ("slowestRank", "slowestRankGpu", "slowestRankLate", "slowestRankBecause")))

    def test_a_rank_whose_host_is_late_is_named_as_such(self):
        late = interconnect.late([taken({}), taken({}), taken({}, late=0.3)])
        self.assertEqual((2, 0.3, "host"), (late["slowestRank"], late["slowestRankLate"], late["slowestRankBecause"]))
        self.assertEqual(0.0, interconnect.late([taken({}), taken({})])["slowestRankLate"])
        self.assertIsNone(interconnect.late([taken({}), None]))
        self.assertIsNone(interconnect.late([{"work": [], "wait": []}] * 2))

    def linked(self, cells="NV18"):
        topo = TOPO.replace("NV18", cells)
        return {"nvidia-smi": lambda argv: result(topo) if argv[1:2] == ["topo"] else Smi(2)(argv)}

    def test_what_direct_copies_gain_is_measured(self):
        ctx = self.run_stage(2, programs=self.linked())
        control = ctx.of("measurement", name="allreduce_busbw_without_p2p")[0]
        self.assertAlmostEqual(20, control["attrs"]["gain"], places=1)
        self.assertEqual(["TOOL_MISSING"], ctx.codes())

    def test_nvlink_that_gains_nothing_is_unused(self):
        def flat(args):
            return rank(dict(args, env={}))

        self.assertIn("P2P_UNUSED", self.run_stage(2, flat, programs=self.linked()).codes())
        self.assertNotIn("P2P_UNUSED", self.run_stage(2, flat, programs=self.linked("PIX")).codes())

    def test_the_switch_for_multicast_reaches_the_ranks(self):
        with unittest.mock.patch.dict(os.environ, {"NCCL_NVLS_ENABLE": "0", "TORCH_SYMM_MEM_DISABLE_MULTICAST": "1"}):
            ctx = self.run_stage(2)
            env = ctx.probe_env({"NCCL_DEBUG": "INFO"})
        self.assertEqual(("0", "1"), (env["NCCL_NVLS_ENABLE"], env["TORCH_SYMM_MEM_DISABLE_MULTICAST"]))
        self.assertIs(False, ctx.of("measurement", name="allreduce_busbw")[0]["attrs"]["nvls"])
        for function, args, _ in ctx.asked:
            self.assertFalse([name for name in args.get("env", {}) if "NVLS" in name or "MULTICAST" in name], function)

    def test_a_hang_that_goes_away_without_p2p_is_broken_p2p(self):
        def all_reduce(args):
            return rank(args) if args["env"].get("NCCL_P2P_DISABLE") else result(timed_out=True, rc=None)

        ctx = self.run_stage(2, all_reduce)
        finding = ctx.of("finding", code="P2P_BROKEN")[0]
        self.assertEqual(("fail", "vendor", "true"), (finding["severity"], finding["owner"], finding["params"]["hung"]))
        self.assertEqual([], ctx.of("measurement", name="allreduce_busbw"))

    def test_small_shared_memory_is_named(self):
        words = "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-abc (size 5967872)"
        ctx = self.run_stage(2, lambda args: result(rc=1, err=words, error="DistBackendError: NCCL error"))
        self.assertEqual(1, len(ctx.of("finding", code="SHM_SMALL", owner="image", severity="fail")))

    def test_a_wrong_sum_fails_whatever_its_speed(self):
        ctx = self.run_stage(2, lambda args: rank(args, wrong=4))
        self.assertIn("ALLREDUCE_WRONG", ctx.codes())
        self.assertEqual({"low"}, {e["confidence"] for e in ctx.of("measurement", name="allreduce_busbw")})

    def test_a_failure_with_and_without_p2p_is_told_as_such(self):
        ctx = self.run_stage(2, lambda args: result(rc=1, error="DistBackendError: NCCL error: unhandled system error"))
        self.assertIn("NCCL_FAILED", ctx.codes())
        self.assertNotIn("P2P_BROKEN", ctx.codes())

    def test_a_copy_that_changed_its_data(self):
        def pairs(args):
            value = peers(args)
            value["pairs"][1]["equal"] = False
            return value

        self.assertIn("P2P_BROKEN", self.run_stage(2, pairs=pairs).codes())

    def test_ncclstests_when_it_is_there(self):
        ctx = self.run_stage(2, programs={"all_reduce_perf": lambda argv: result(NEW.replace("3 FAILED", "0 OK"))})
        figure = ctx.of("measurement", name="allreduce_busbw")[0]
        self.assertEqual((469.76, "nccl-tests"), (figure["value"], figure["tool"]))
        self.assertEqual([], ctx.codes())

    def test_wrong_values_counted_by_nccltests(self):
        ctx = self.run_stage(2, programs={"all_reduce_perf": lambda argv: result(NEW)})
        self.assertIn("ALLREDUCE_WRONG", ctx.codes())

    def test_a_build_that_measures_each_gpu_with_itself_is_passed_over(self):
        alone = NEW.replace("469.76", "0.00").replace("469.64", "0.00")
        ctx = self.run_stage(2, programs={"all_reduce_perf": lambda argv: result(alone)})
        self.assertEqual("torch.distributed/nccl", ctx.of("measurement", name="allreduce_busbw")[0]["tool"])


@unittest.skipIf(torch_missing(), torch_missing())
class OnTorch(PayloadCase):
    def test_ranks_meet_and_their_sum_is_right(self):
        events = self.finish("interconnect", 120, gpus="none", limitSeconds=110, interconnect={"backend": "gloo", "ranks": 3, "sizes": [1 << 20]})
        self.assertEqual([], of(events, "finding"))
        figure = of(events, "measurement", name="allreduce_busbw")[0]
        self.assertEqual((3, 1 << 20), (figure["attrs"]["ranks"], figure["attrs"]["bytes"]))

    def test_a_rank_that_does_extra_work_is_found(self):
        events = self.finish("interconnect", 120, gpus="none", limitSeconds=110,
                             interconnect={"backend": "gloo", "ranks": 2, "sizes": [1 << 16], "extraWork": {"1": 1.5}})
        late = of(events, "fact", name="ranks")[0]["value"]
        self.assertEqual((1, "work"), (late["slowestRank"], late["slowestRankBecause"]), late)
        self.assertGreater(late["slowestRankLate"], 0.5)


if __name__ == "__main__":
    unittest.main()
