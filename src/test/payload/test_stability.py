"""The stability stage: what it notices, when it ends early, and the arithmetic of its figures."""

import json
import os
import random
import sys
import unittest

from gpu_fakes import UUIDS, FakeContext, Smi, result
from seatrial_payload import probes
from seatrial_payload.gpu import sampler, soak, xid
from seatrial_payload.stages import stability

LOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "fake_load.py")
OFF_BUS = "[Fri Apr  5 10:00:00 2024] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


class Loaded(FakeContext):
    behaviour = "steady"

    def inner_argv(self, function, args=None, python=None):
        return [sys.executable, LOAD, json.dumps(dict(args, behaviour=self.behaviour))]

    def start(self, argv, **_):
        return probes.Process(argv, probes.environment(self.run_dir))


class Stage(unittest.TestCase):
    def run_stage(self, behaviour="steady", smi=None, seconds=1.5, dmesg=None, count=1):
        programs = {"nvidia-smi": smi or Smi(count)}
        if dmesg:
            programs["dmesg"] = dmesg
        ctx = Loaded(self, {"stage": "stability", "limitSeconds": 300, "stability": {"seconds": seconds, "period": 0.1}}, programs)
        ctx.behaviour = behaviour
        stability.run(ctx)
        return ctx

    def test_a_steady_card(self):
        ctx = self.run_stage(count=2, dmesg=lambda argv: result("[1.0] usb 1-1: new device\n"))
        self.assertEqual([], ctx.codes())
        for name in ("soak_throughput", "soak_drift", "gpu_temperature_p95", "throttle_hw_share", "throttle_thermal_share", "canary_h2d"):
            self.assertEqual(UUIDS[:2], [e["gpu"] for e in ctx.of("measurement", name=name)], name)
        self.assertEqual(0.0, ctx.of("measurement", name="throttle_hw_share")[0]["value"])
        self.assertLessEqual(ctx.of("measurement", name="soak_throughput")[0]["n"], 48)
        self.assertEqual(1, len(ctx.of("raw")))

    def test_without_the_kernels_log_it_says_what_is_used(self):
        self.assertEqual(["TOOL_MISSING"], self.run_stage().codes())

    def test_speed_that_falls_is_drift(self):
        drift = self.run_stage("drifts").of("measurement", name="soak_drift")[0]
        self.assertGreater(drift["value"], 1)

    def ends_early(self, code, **how):
        ctx = self.run_stage(seconds=60, **how)
        found = ctx.of("finding", code=code, severity="fail")
        self.assertEqual(1, len(found), ctx.codes())
        saved = ctx.of("finding", code="STABILITY_ENDED_EARLY")[0]["params"]
        self.assertEqual(code, saved["because"])
        self.assertGreater(int(saved["savedSeconds"]), 30)
        return found[0]

    def test_a_lost_card_ends_it_with_the_moment(self):
        smi = Smi(2)
        whole = smi.__call__

        def loses(argv):
            if smi.calls > 6:
                smi.count = 1
            return whole(argv)

        finding = self.ends_early("GPU_LOST", smi=loses, count=2)
        self.assertEqual(UUIDS[1], finding["params"]["gpu"])
        self.assertRegex(finding["params"]["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def broken_after(self, answer):
        smi = Smi()

        def breaks(argv):
            if smi.calls > 5:
                smi.broken = answer
            return smi(argv)

        return breaks

    def test_access_taken_from_the_container(self):
        finding = self.ends_early("GPU_LOST", smi=self.broken_after(result("Failed to initialize NVML: Unknown Error\n", rc=255)))
        self.assertIn("container", finding["message"])

    def test_one_garbled_answer_is_no_loss(self):
        smi = Smi()

        def once(argv):
            return result("\x00\x00garbage") if smi.calls == 5 and not setattr(smi, "calls", 6) else smi(argv)

        self.assertNotIn("GPU_LOST", self.run_stage(smi=once).codes())

    def test_a_tool_that_hangs_three_times(self):
        self.ends_early("GPU_HUNG", smi=self.broken_after(result(timed_out=True, rc=None)))

    def test_uncorrected_memory_errors(self):
        smi = Smi()

        def grows(argv):
            smi.cells["ecc.errors.uncorrected.volatile.total"] = "1" if smi.calls > 6 else "0"
            return smi(argv)

        self.ends_early("ECC_UNCORRECTED", smi=grows)

    def test_old_memory_errors_are_the_environments_business(self):
        smi = Smi()
        smi.cells["ecc.errors.uncorrected.volatile.total"] = "7"
        self.assertNotIn("ECC_UNCORRECTED", self.run_stage(smi=smi).codes())

    def test_an_error_from_the_load_itself(self):
        self.ends_early("ECC_UNCORRECTED", behaviour="ecc")

    def test_a_crash_is_tried_once_more(self):
        finding = self.ends_early("CUDA_UNUSABLE", behaviour="crashes")
        self.assertIn("unspecified launch failure", finding["evidence"])

    def test_wrong_bits(self):
        self.ends_early("WRONG_RESULT", behaviour="wrong")
        self.ends_early("WRONG_RESULT", behaviour="flips")

    def test_hardware_slowdown_is_a_finding_and_a_power_cap_is_not(self):
        smi = Smi()
        smi.cells["clocks_event_reasons.active"] = "0x0000000000000048"
        self.assertIn("THROTTLE_HW", self.run_stage(smi=smi).codes())

    def test_an_xid_from_before_is_history(self):
        ctx = self.run_stage(dmesg=lambda argv: result(OFF_BUS + "\n"))
        self.assertEqual([("XID_79", "info")], [(e["code"], e["severity"]) for e in ctx.of("finding")])


class Xids(unittest.TestCase):
    def test_lines_of_all_ages(self):
        text = "\n".join((OFF_BUS, "NVRM: Xid (0000:03:00): 14, Channel 00000001", "NVRM: Xid", "NVRM: Xid (invalid): some error",
                          "NVRM: Xid (PCI:0008:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 01 (0x0)"))
        self.assertEqual([("0000:9b:00", 79), ("0000:03:00", 14), ("0008:01:00", 149)], [found[:2] for found in xid.parse(text)])

    def test_off_the_bus_without_an_xid(self):
        self.assertEqual([79], [n for _, n, _ in xid.parse("NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.\n")])

    def test_what_a_number_means(self):
        for number, line, severity in ((79, "", "fail"), (48, "", "fail"), (63, "", "warn"), (94, "", "warn"), (119, "", "fail"), (31, "", "info"),
                                       (149, "NETIR Fatal XC0", "fail"), (145, "RLW Nonfatal XC0", "warn"), (154, "changed from 0x0 (None) to 0x4 (Drain and Reset)", "fail"),
                                       (99999, "", "warn")):
            self.assertEqual(severity, xid.severity(number, line), number)

    def test_equal_lines_count_when_they_come_again(self):
        lines = ["NVRM: Xid (PCI:0000:9b:00): 31, pid=1"]
        ctx = FakeContext(self, {"stage": "stability"}, {"dmesg": lambda argv: result("\n".join(lines) + "\n")})
        log = xid.Log(ctx)
        self.assertEqual((1, []), (len(log.history), log.new()))
        lines.append(lines[0])
        self.assertEqual(1, len(log.new()))

    def test_any_text_gives_a_value(self):
        rng = random.Random(3)
        for _ in range(2000):
            data = list(OFF_BUS)
            for _ in range(rng.randint(1, 10)):
                data[rng.randrange(len(data))] = rng.choice("\x00é9(:,)\n ")
            for _, number, line in xid.parse("".join(data)):
                xid.severity(number, line)


class Arithmetic(unittest.TestCase):
    def test_drift_of_a_long_load_ignores_its_warm_up(self):
        speed = [(t, 700.0 if t < 900 else 660.0 if t < 12600 else 640.0) for t in range(0, 14400, 10)]
        self.assertAlmostEqual(100 * 20 / 660.0, soak.drift(speed)["percent"], places=3)
        self.assertIsNone(soak.drift(speed[:5]))

    def test_shares_come_from_counters_where_there_are_any(self):
        def reading(at, counter):
            return sampler.Reading(at, {"u": {"clocks_event_reasons_counters.hw_thermal_slowdown": "%d us" % counter, "clocks_event_reasons.active": "0x4"}})

        track = soak.Track()
        first, last = reading(0, 5_000_000), reading(100, 15_000_000)
        track.add(first, "u")
        shares = track.throttle(first, last, "u")
        self.assertEqual((10.0, "counters"), (shares["throttle_hw_share"]["percent"], shares["throttle_hw_share"]["from"]))
        self.assertEqual((0.0, "samples"), (shares["throttle_thermal_share"]["percent"], shares["throttle_thermal_share"]["from"]))
        self.assertEqual(100.0, shares["throttle_power_share"]["percent"])

    def test_memory_stays_bounded(self):
        track = soak.Track()
        reading = sampler.Reading(0, {"u": {"temperature.gpu": "50", "power.draw": "1", "clocks.sm": "1", "clocks_event_reasons.active": "0x0"}})
        for _ in range(3 * soak.KEEP):
            track.add(reading, "u")
        self.assertLessEqual(len(track.temperature), soak.KEEP)

    def test_canaries_meet_the_evening_when_it_falls_into_the_load(self):
        import datetime

        noon = datetime.datetime(2026, 11, 30, 18, 0).timestamp()
        self.assertIn("peak", stability.canaries(noon, 4 * 3600, {}))
        self.assertNotIn("peak", stability.canaries(noon, 3600, {}))
        self.assertEqual(noon + 60, stability.canaries(noon, 3600, {"canaryAt": [noon + 60, "x", noon + 9999]})["peak"])


if __name__ == "__main__":
    unittest.main()
