"""The compute stage: what it measures, what it refuses to believe, and how it ends without a GPU."""

import shutil
import unittest

from gpu_fakes import UUIDS, FakeContext, Smi, result, torch_missing
from harness import PayloadCase, of
from seatrial_payload.gpu import failures, matmul, sampler
from seatrial_payload.stages import compute

HOST = {"single": [9.0] * 5, "interpreter": [11.0] * 5, "python": "3.12.3"}
MEMORY = {"copy": {"gbs": [4250.0] * 5, "bytes": 1 << 32, "equal": True, "method": "copy/1"}, "h2d": [55.1] * 5, "d2h": [55.2] * 5, "pinned": True,
          "pinnedBytes": 1 << 29, "pinnedMethod": "pinned/1", "linkEqual": True, "from": 0, "to": 1, "met": True, "torch": "2.11.0"}
TRAINING = {"tokensPerSecond": [437000.0] * 5, "losses": [10.5, 0.1], "learns": True, "method": "train-step/1", "stepsPerBlock": 50, "torch": "2.11.0"}


def product(args, **changes):
    value = {"dtype": args["dtype"], "shape": 8192, "method": "matmul/1", "torch": "2.11.0", "met": True, "finite": True, "bitEqual": True,
             "relativeError": 1e-5, "relativeErrorAfter": 1e-5, "tolerance": 1e-2, "short": {"tflops": [780.0] * 7, "iterations": 40},
             "sustained": {"tflops": [668.0] * 5, "blockSeconds": 2.0, "warmSeconds": 4.0, "from": 0, "to": 1}}
    value.update(changes)
    return value


def probes_of(**changes):
    inner = {"inner.cpu:run": lambda a: HOST, "gpu.matmul:run": product, "gpu.memory:run": lambda a: MEMORY, "gpu.transformer:run": lambda a: TRAINING,
             "gpu.alone:run": lambda a: {"product": product(a["product"]), "memory": MEMORY}}
    inner.update(changes)
    return inner


class WithoutGpu(PayloadCase):
    @unittest.skipIf(shutil.which("nvidia-smi"), "this machine has a GPU")
    def test_no_gpu_is_a_finding_and_measures_nothing(self):
        events = self.finish("compute", gpus="all", quick=True, limitSeconds=60)
        self.assertEqual("ok", events[-1]["status"])
        self.assertEqual(1, len(of(events, "finding", code="NO_GPU")))
        self.assertEqual([], of(events, "measurement"))

    def test_a_host_asked_for_alone_is_measured(self):
        events = self.finish("compute", gpus="none", limitSeconds=60)
        self.assertEqual(["host_cpu_single_core"], [e["name"] for e in of(events, "measurement")])
        self.assertEqual([], of(events, "finding"))


class OnOneGpu(unittest.TestCase):
    def run_stage(self, smi=None, torch=True, spec=None, **inner):
        ctx = FakeContext(self, dict({"stage": "compute", "limitSeconds": 300, "quick": True}, **(spec or {})), {"nvidia-smi": smi or Smi()}, probes_of(**inner), torch)
        compute.run(ctx)
        return ctx

    def names(self, ctx):
        return {e["name"] for e in ctx.of("measurement")}

    def test_everything_a_hopper_card_has(self):
        ctx = self.run_stage()
        wanted = {"matmul_%s_%s" % (d, k) for d in matmul.DTYPES for k in ("short", "sustained")}
        self.assertEqual(wanted | {"host_cpu_single_core", "memory_copy", "h2d_pinned", "d2h_pinned", "train_step_small"}, self.names(ctx))
        self.assertEqual([], ctx.codes())
        figure = ctx.of("measurement", name="matmul_bf16_sustained")[0]
        self.assertEqual((UUIDS[0], "TFLOP/s", 668.0, 5, "matmul/1"), (figure["gpu"], figure["unit"], figure["value"], figure["n"], figure["method"]))

    def test_formats_the_card_lacks_are_not_asked_for(self):
        self.assertNotIn("matmul_fp8_short", self.names(self.run_stage(Smi(name="NVIDIA A100-SXM4-80GB", capability="8.0"))))
        volta = self.names(self.run_stage(Smi(name="Tesla V100-SXM2-32GB", capability="7.0")))
        self.assertIn("matmul_fp16_short", volta)
        self.assertFalse(volta & {"matmul_bf16_short", "matmul_tf32_short", "matmul_fp8_short"})

    def test_a_wrong_product_fails_and_its_speed_is_not_trusted(self):
        ctx = self.run_stage(**{"gpu.matmul:run": lambda a: product(a, relativeErrorAfter=3.0)})
        self.assertEqual({"fail"}, {e["severity"] for e in ctx.of("finding", code="WRONG_RESULT")})
        self.assertEqual("low", ctx.of("measurement", name="matmul_bf16_short")[0]["confidence"])

    def test_other_bits_within_rounding_only_warn(self):
        ctx = self.run_stage(**{"gpu.matmul:run": lambda a: product(a, bitEqual=False)})
        self.assertEqual({"warn"}, {e["severity"] for e in ctx.of("finding", code="WRONG_RESULT")})

    def test_a_product_that_is_not_finite_fails(self):
        ctx = self.run_stage(**{"gpu.matmul:run": lambda a: product(a, finite=False, relativeError=float("inf"))})
        self.assertIn("fail", {e["severity"] for e in ctx.of("finding", code="WRONG_RESULT")})

    def test_data_changed_on_the_host_link_fails(self):
        ctx = self.run_stage(**{"gpu.memory:run": lambda a: dict(MEMORY, linkEqual=False)})
        self.assertIn("WRONG_RESULT", ctx.codes())

    def test_a_probe_that_hangs_is_a_finding_and_the_others_go_on(self):
        ctx = self.run_stage(**{"gpu.matmul:run": lambda a: result(timed_out=True, rc=None)})
        self.assertIn("PROBE_TIMEOUT", ctx.codes())
        self.assertIn("memory_copy", self.names(ctx))

    def test_no_torch_measures_nothing(self):
        ctx = self.run_stage(torch=False)
        self.assertEqual((["TORCH_MISSING"], set()), (ctx.codes(), self.names(ctx)))

    def test_a_hung_tool_is_the_vendors(self):
        smi = lambda argv: result(timed_out=True, rc=None)  # noqa: E731
        self.assertEqual(["GPU_HUNG"], self.run_stage(smi).codes())

    def test_quick_leaves_out_what_its_three_minutes_do_not_hold(self):
        ctx = FakeContext(self, {"stage": "compute", "limitSeconds": 900, "quick": True}, {"nvidia-smi": Smi()}, probes_of())
        ctx._began -= 130
        compute.run(ctx)
        skipped = ctx.of("finding", code="PROBE_TIMEOUT")
        self.assertEqual([], skipped, "130 s used: all still fits, since canned probes take no time")
        ctx._began -= 30
        ctx.log.events.clear()
        compute.run(ctx)
        self.assertTrue(ctx.of("finding", code="PROBE_TIMEOUT"))
        self.assertTrue(all(limit <= 172 for _, _, limit in ctx.asked))


class OnSeveralGpus(unittest.TestCase):
    def run_stage(self, quick, began=0, **inner):
        ctx = FakeContext(self, {"stage": "compute", "phase": "multi", "limitSeconds": 900, "quick": quick}, {"nvidia-smi": Smi(4)}, probes_of(**inner))
        ctx._began -= began
        compute.run(ctx)
        return ctx

    def test_quick_is_three_minutes_for_all_of_them(self):
        spent = [0]

        def slow(answer):
            def take(args):
                spent[0] += 12
                ctx._began -= 12
                return answer(args)
            return take

        inner = {"gpu.alone:run": slow(lambda a: {"product": product(a["product"]), "memory": MEMORY}), "gpu.transformer:run": slow(lambda a: TRAINING)}
        ctx = FakeContext(self, {"stage": "compute", "phase": "multi", "limitSeconds": 1800, "quick": True}, {"nvidia-smi": Smi(8)}, probes_of(**inner))
        ctx._began -= 40  # both together
        compute.run(ctx)
        self.assertLessEqual(40 + spent[0], 180)
        self.assertEqual(UUIDS, sorted(e["gpu"] for e in ctx.of("measurement", name="matmul_bf16_sustained")))
        self.assertEqual(UUIDS, sorted(e["gpu"] for e in ctx.of("measurement", name="h2d_pinned_together")))
        self.assertNotIn("PROBE_TIMEOUT", ctx.codes())
        self.assertTrue(all(limit <= 172 for _, _, limit in ctx.asked))

    def test_one_part_that_fails_spares_the_other(self):
        ctx = self.run_stage(True, **{"gpu.alone:run": lambda a: {"memory": MEMORY, "productError": "RuntimeError: CUDA error: no kernel image is available for execution on the device"}})
        self.assertEqual(4, len(ctx.of("measurement", name="h2d_pinned")))
        self.assertIn("TORCH_ARCH_MISSING", ctx.codes())

    def test_each_alone_then_all_at_once(self):
        self.everyone(self.run_stage(True))
        self.everyone(self.run_stage(False))

    def everyone(self, ctx):
        for name in ("matmul_bf16_sustained", "h2d_pinned", "matmul_bf16_sustained_together", "h2d_pinned_together"):
            self.assertEqual(UUIDS[:4], sorted(e["gpu"] for e in ctx.of("measurement", name=name)), name)
        met = [args["meet"] for function, args, _ in ctx.asked if "meet" in args]
        self.assertEqual({4}, {spot["count"] for spot in met})
        self.assertEqual([], ctx.codes())

    def test_only_the_gpus_asked_for(self):
        ctx = FakeContext(self, {"stage": "compute", "gpus": [2], "limitSeconds": 900, "quick": True}, {"nvidia-smi": Smi(4)}, probes_of())
        compute.run(ctx)
        self.assertEqual({UUIDS[2], None}, {e["gpu"] for e in ctx.of("measurement")})


class Throttling(unittest.TestCase):
    def judged(self, mask):
        ctx = FakeContext(self, {"stage": "compute", "limitSeconds": 300}, {"nvidia-smi": Smi()}, {})
        found = compute.fleet.find(ctx)
        plan = compute._Plan(ctx, found, {}, False)
        readings = [sampler.Reading(at, {UUIDS[0]: {"clocks_event_reasons.active": mask}}) for at in range(10)]
        plan.watched = type("W", (), {"between": lambda self, a, b: readings})()
        plan.windows = [(found.gpus[0], 0, 10)]
        plan.judge_throttling()
        return ctx.codes()

    def test_a_power_cap_at_full_load_is_normal(self):
        self.assertEqual([], self.judged("0x0000000000000004"))

    def test_hardware_slowdown_and_heat_are_findings(self):
        self.assertEqual(["THROTTLE_HW"], self.judged("0x0000000000000008"))
        self.assertEqual(["THROTTLE_HW", "THROTTLE_THERMAL"], self.judged("0x0000000000000060"))


class Cells(unittest.TestCase):
    def test_the_ways_to_say_nothing_are_absent_and_never_zero(self):
        for cell in ("", "N/A", "[N/A]", "[Not Supported]", "[Requested functionality has been deprecated]", "[Unknown Error]", "[GPU is lost]", "ERR!"):
            self.assertIsNone(sampler.number(cell), cell)
        self.assertEqual([690.5, 1455, 4, 0], [sampler.number(c) for c in ("690.50 W", "1455 MHz", "0x0000000000000004", "0 us")])

    def test_lines_of_another_shape_are_left_out(self):
        fields = ["index", "uuid", "temperature.gpu"]
        rows = sampler.parse(fields, "Warning: something\n0, GPU-1, 50\n1, GPU-2\nFailed to initialize NVML: Unknown Error\n")
        self.assertEqual([{"index": "0", "uuid": "GPU-1", "temperature.gpu": "50"}], rows)
        self.assertEqual("Failed to initialize NVML: Unknown Error", sampler.gone("x\nFailed to initialize NVML: Unknown Error"))

    def test_only_fields_this_driver_knows_are_asked(self):
        text = '"index"\nZero based.\n\n"clocks_event_reasons.active" or "clocks_throttle_reasons.active"\nBitmask, see "uuid" below.\n'
        self.assertEqual(["index", "clocks_event_reasons.active", "clocks_throttle_reasons.active"], sampler.supported(text))


class Failures(unittest.TestCase):
    def test_each_known_text_has_its_owner(self):
        for words, code, owner in (
            ("CUDA error: no kernel image is available for execution on the device", "TORCH_ARCH_MISSING", "image"),
            ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040).", "CUDA_DRIVER_TOO_OLD", "vendor"),
            ("Error 804: forward compatibility was attempted on non supported HW", "CUDA_ERROR_804", "image"),
            ("Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized", "CUDA_ERROR_802", "vendor"),
            ("CUDA error: uncorrectable ECC error encountered", "ECC_UNCORRECTED", "vendor"),
            ("AssertionError: Torch not compiled with CUDA enabled", "TORCH_CPU_ONLY", "image"),
            ("RuntimeError: No CUDA GPUs are available", "CUDA_UNUSABLE", "image"),
            ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB", "OTHER_TENANT_LOAD", "vendor"),
            ("CUDA error: unspecified launch failure", "CUDA_UNUSABLE", "vendor"),
            ("NCCL WARN Error while creating shared memory segment /dev/shm/nccl-a (size 5967872)", "SHM_SMALL", "image"),
        ):
            found = failures.diagnose(words)
            self.assertEqual((code, owner), (found.code, found.owner), words)
        self.assertIsNone(failures.diagnose("all is well"))


@unittest.skipIf(torch_missing(), torch_missing())
class OnTorch(unittest.TestCase):
    def test_products_are_right_and_repeatable(self):
        for dtype in ("fp32", "bf16"):
            value = matmul.run(device="cpu", dtype=dtype, shape=256, shortBlocks=2, sustainedBlocks=2, blockSeconds=0.02, warmSeconds=0.01)
            self.assertTrue(value["finite"] and value["bitEqual"], value)
            self.assertLessEqual(max(value["relativeError"], value["relativeErrorAfter"]), value["tolerance"])

    def test_a_dropped_tile_is_seen_wherever_it_lies(self):
        import torch

        multiply, left, right = matmul.prepare(torch, torch.device("cpu"), "fp32", 512, 1)
        for row, column in ((0, 0), (130, 70), (480, 333)):
            wrong = multiply()
            wrong[row : row + 16, column : column + 16] = 0
            self.assertGreater(matmul.relative_error(torch, wrong, left, right), matmul.TOLERANCE["bf16"])
        wrong = multiply()
        wrong[5, 5] = float("nan")
        self.assertEqual(float("inf"), matmul.relative_error(torch, wrong, left, right))

    def test_memory_and_training_answer_on_a_host(self):
        from seatrial_payload.gpu import memory, transformer

        value = memory.run(device="cpu", blocks=2, blockSeconds=0.01, copyBytes=1 << 22, pinnedBytes=1 << 22)
        self.assertTrue(value["copy"]["equal"] and value["linkEqual"])
        size = {"layers": 1, "width": 32, "heads": 2, "tokens": 16, "batch": 2, "vocabulary": 64}
        self.assertTrue(transformer.run(device="cpu", blocks=1, blockSeconds=0.01, size=size)["learns"])


if __name__ == "__main__":
    unittest.main()
