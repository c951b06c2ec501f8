"""The environment stage as a whole, on machines played by a fake nvidia-smi and a fake torch."""

import os
import unittest
import zipapp

import fakes
from fakes import card
from harness import PayloadCase, of


class EnvironmentTest(PayloadCase):
    def setUp(self):
        super().setUp()
        # What is under test here is not the figures.
        self.change("hostfacts.py", "seconds = 0.4 if", "seconds = 0.02 if")
        self.change("gpufacts.py", "time.sleep(1.0 if", "time.sleep(0.05 if")

    def change(self, name, old, new):
        path = os.path.join(self.base, "tree/seatrial_payload", name)
        with open(path) as f:
            text = f.read()
        self.assertIn(old, text)
        with open(path, "w") as f:
            f.write(text.replace(old, new))
        self.pack()

    def pack(self):
        os.makedirs(self.dir, exist_ok=True)
        zipapp.create_archive(os.path.join(self.base, "tree"), self.pyz)

    def alarms(self):
        """What was warned of, without what this test's own machine lacks (a CUDA library) or has little of."""
        return sorted({e["code"] for e in of(self.events, "finding") if e["severity"] != "info"
                       and e["code"] not in ("CPU_OVERSOLD", "SHM_SMALL", "LOW_ULIMIT", "STORAGE_SPACE") and "libcuda" not in e["evidence"]})

    def look(self, smi=True, torch=None, requires=None, gpus=None, env=None, **spec):
        environment = {}
        if smi is not False:
            scenario = smi if isinstance(smi, dict) else {}
            environment.update(fakes.smi(os.path.join(self.base, "bin"), gpus, **scenario))
        if torch is not None:
            environment.update(fakes.torch(os.path.join(self.base, "lib"), **torch))
        environment.update(env or {})
        keys = {"quick": True, "gpus": "all", "expectGpus": 1, "requires": requires or {}}
        keys.update(spec)
        self.events = self.finish("environment", env=environment, seconds=90, **keys)
        self.assertEqual("ok", self.events[-1]["status"], self.events[-1])
        return self.events

    def codes(self, *severities):
        return sorted({e["code"] for e in of(self.events, "finding") if e["severity"] in (severities or ("warn", "fail"))})

    def gpu(self):
        return of(self.events, "fact", name="gpus")[0]["value"][0]

    def test_a_healthy_card_raises_nothing(self):
        self.look(torch={})
        fact = self.gpu()
        self.assertEqual(("2330", "10de", 81559, "9.0", 5, 700.0, "None", False), tuple(
            fact[k] for k in ("pciDeviceId", "pciVendorId", "memoryMiB", "computeCapability", "pcieGenMax", "powerLimitW", "recoveryAction", "remapPending")))
        # The fake card cannot compute, which is all that may be said here.
        self.assertEqual(["CUDA_UNUSABLE"], self.codes("fail"))
        software = of(self.events, "fact", name="software")[0]["value"]
        self.assertEqual(("2.6.0+cu124", "12.4", "2.21.5", "9.1.0"), tuple(software[k] for k in ("torch", "torchCuda", "nccl", "cudnn")))
        names = [e["name"] for e in of(self.events, "measurement")]
        self.assertEqual(["host_cpu_single_core", "host_cpu_all_cores"], names)
        host = of(self.events, "fact", name="host")[0]["value"]
        self.assertGreaterEqual(host["cpusUsable"], 1)
        self.assertTrue(host["filesystems"] and host["memoryMiB"])

    def test_signs_of_trouble_on_one_card(self):
        self.look(gpus=[card(
            power__limit="500.00", enforced__power__limit="500.00", ecc__mode__current="Disabled", remapped_rows__pending="Yes",
            remapped_rows__failure="Yes", gpu_recovery_action="Drain and Reset", utilization__gpu="97", memory__used="40000",
            ecc__errors__uncorrected__volatile__total="3", persistence_mode="Disabled", mig__mode__current="Enabled", fabric__state="In Progress")],
            phase="multi")
        self.assertEqual(
            ["ECC_OFF", "ECC_UNCORRECTED", "FABRIC_NOT_READY", "MIG_SLICE", "OTHER_TENANT_LOAD", "POWER_CAPPED", "RECOVERY_ACTION", "REMAP_FAILURE", "REMAP_PENDING", "TORCH_MISSING"],
            self.alarms())
        for e in of(self.events, "finding"):
            if e["severity"] == "fail" and e["code"] != "CUDA_UNUSABLE":
                self.assertEqual("vendor", e["owner"], e)

    def test_cells_that_tell_of_a_lost_card_fail(self):
        self.look(gpus=[card(temperature__gpu="[GPU is lost]", power__draw="[Unknown Error]")])
        self.assertIn("GPU_LOST", self.codes("fail"))
        self.assertIsNone(self.gpu()["temperatureC"])

    def test_virtual_gpu_and_soft_slice(self):
        self.look(gpus=[card(name="GRID A100-20C")], env={"CUDA_DEVICE_MEMORY_LIMIT_0": "8000m"})
        self.assertTrue({"VGPU", "SOFT_SLICE"} <= set(self.codes("fail")), self.codes())

    def test_consumer_card_with_ecc_off_and_odd_cells_is_no_alarm(self):
        self.look(gpus=[card(name="NVIDIA GeForce RTX 4090", ecc__mode__current="Disabled", fabric__state="N/A", temperature__memory="[N/A]", memory__used="350",
                             gpu_recovery_action="[N/A]", remapped_rows__pending="[N/A]", mig__mode__current="[N/A]")])
        self.assertEqual(["TORCH_MISSING"], self.alarms())
        self.assertIsNone(self.gpu()["recoveryAction"])

    def test_a_field_the_driver_refuses_is_dropped(self):
        self.look(smi={"refused": ["pstate", "fabric.state"], "hidden": ["uuid", "index"]})
        self.assertEqual("2330", self.gpu()["pciDeviceId"])

    def test_an_old_driver_without_new_fields(self):
        old = {k: v for k, v in fakes.HEALTHY.items() if k not in ("gpu_recovery_action", "fabric.state", "clocks_event_reasons.active", "compute_cap")}
        self.look(gpus=[old])
        self.assertIsNone(self.gpu()["computeCapability"])
        self.assertEqual(["TORCH_MISSING"], self.alarms())

    def test_xml_takes_over_when_the_table_fails(self):
        from test_parsers import XML

        self.look(gpus=[{"uuid": "none", "index": "x"}], smi={"xml": XML})
        self.assertEqual(24576, self.gpu()["memoryMiB"])
        self.assertIn("VGPU", self.codes("fail"))

    def test_texts_of_failure(self):
        for text, code in (
            ("Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.1", "DRIVER_LIB_MISMATCH"),
            ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", "DRIVER_NOT_LOADED"),
            ("No devices were found", "NO_GPU"),
            ("Unable to determine the device handle for GPU 0000:0B:00.0: Unknown Error", "GPU_LOST")):
            self.command("clean", check=False)
            self.pack()
            self.look(gpus=[], smi={"text": text})
            self.assertIn(code, self.codes("fail"), text)
            self.assertIn("NO_GPU", self.codes("fail"), text)
            self.assertEqual([], of(self.events, "fact", name="gpus")[0]["value"])

    def test_no_gpu_is_a_failure_only_when_one_is_expected(self):
        self.look(smi=False)
        finding = of(self.events, "finding", code="NO_GPU")[0]
        self.assertEqual(("fail", "vendor"), (finding["severity"], finding["owner"]))
        self.command("clean")
        self.pack()
        self.events = self.finish("environment", quick=True, gpus="none", expectGpus=0, seconds=60)
        self.assertEqual([], [c for c in self.codes("info", "warn", "fail") if c.startswith(("NO_GPU", "TORCH", "GPU", "TOOL", "CUDA"))])
        self.assertEqual([], of(self.events, "fact", name="gpus")[0]["value"])

    def test_fewer_cards_than_paid_for(self):
        self.look(expectGpus=8)
        finding = of(self.events, "finding", code="GPU_COUNT_MISMATCH")[0]
        self.assertEqual(("8", "1"), (finding["params"]["expected"], finding["params"]["found"]))

    def test_a_hanging_nvidia_smi_is_asked_once(self):
        self.change("gpufacts.py", "SMI_TIMEOUT = 25.0", "SMI_TIMEOUT = 1.0")
        self.look(smi={"hang": True})
        self.assertEqual(1, len(of(self.events, "finding", code="GPU_HUNG")))

    def test_software_that_does_not_fit(self):
        for torch, codes in (
            ({"archs": ["sm_50", "sm_80"], "run": "CUDA error: no kernel image is available for execution on the device"}, ["TORCH_ARCH_MISSING"]),
            ({"archs": ["sm_100"], "run": "x"}, ["CUDA_UNUSABLE", "TORCH_ARCH_MISSING"]),
            ({"cuda": None, "version": "2.4.0+cpu"}, ["TORCH_CPU_ONLY"]),
            ({"init": "Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW"}, ["CUDA_ERROR_804"]),
            ({"init": "Error 802: system not yet initialized"}, ["CUDA_ERROR_802"]),
            ({"init": "The NVIDIA driver on your system is too old (found version 11040)."}, ["CUDA_DRIVER_TOO_OLD"])):
            self.command("clean", check=False)
            self.pack()
            self.look(torch=torch)
            self.assertTrue(set(codes) <= set(self.codes("fail")), (torch, self.codes("fail")))

    def test_requirements_name_both_versions(self):
        self.look(torch={}, requires={"torch": ">=2.7", "cuda": ">=12.1", "python": ">=3", "no-such-package": ">=1", "nccl": "nonsense"})
        found = {e["params"]["name"]: e for e in of(self.events, "finding", code="REQUIRES_UNMET")}
        self.assertEqual({"torch", "no-such-package", "nccl"}, set(found))
        self.assertIn(">=2.7", found["torch"]["message"])
        self.assertIn("2.6.0+cu124", found["torch"]["message"])
        self.assertEqual(("fail", "warn"), (found["no-such-package"]["severity"], found["nccl"]["severity"]))


if __name__ == "__main__":
    unittest.main()
