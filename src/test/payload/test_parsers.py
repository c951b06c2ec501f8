"""Parsers on output with the oddities that real tools show, and on seeded mutations of each: never an exception."""

import random
import unittest

import harness  # noqa: F401  (puts the payload on the path)
from fakes import HEALTHY
from seatrial_payload import diagnose, disktools, nvidia, software, versions
from seatrial_payload.inner import host

XML = """<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <driver_version>550.54.15</driver_version><cuda_version>12.4</cuda_version><attached_gpus>1</attached_gpus>
  <gpu id="00000000:65:00.0">
    <product_name>NVIDIA A40-24Q</product_name>
    <uuid>GPU-aaaaaaaa-0000-0000-0000-00000000000a</uuid>
    <mig_mode><current_mig>N/A</current_mig></mig_mode>
    <mig_devices>None</mig_devices>
    <persistence_mode>Enabled</persistence_mode>
    <gpu_virtualization_mode><virtualization_mode>VGPU</virtualization_mode></gpu_virtualization_mode>
    <pci><pci_device_id>223510DE</pci_device_id><pci_bus_id>00000000:65:00.0</pci_bus_id>
      <pci_gpu_link_info><pcie_gen><max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen>
      <link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths></pci_gpu_link_info></pci>
    <fb_memory_usage><total>24576 MiB</total><used>0 MiB</used></fb_memory_usage>
    <utilization><gpu_util>0 %</gpu_util></utilization>
    <ecc_mode><current_ecc>Requested functionality has been deprecated</current_ecc></ecc_mode>
    <power_readings><power_limit>N/A</power_limit><default_power_limit>300.00 W</default_power_limit></power_readings>
    <processes><process_info><pid>7</pid></process_info></processes>
  </gpu>
</nvidia_smi_log>
"""
HELP = 'List of valid properties:\n\n"timestamp"\nWhen.\n\n"name" or "gpu_name"\nThe name "as sold".\n\n"index"\n\n"uuid" or "gpu_uuid"\n\n' + \
    '"clocks.current.sm" or "clocks.sm"\n\n"clocks_event_reasons.active" or "clocks_throttle_reasons.active"\n\n"memory.total"\n'
NVLINK = """GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-a)
\t Link 0: 25 GB/s
\t Link 1: 25 GB/s
\t Link 2: <inactive>
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-b)
\t Link 0: 26.562 GB/s
GPU 2: NVIDIA H100 PCIe (UUID: GPU-c)
\t NVML: Unable to retrieve NVLink information as all links are inActive
"""
LIST = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-x)\n  MIG 1g.10gb     Device  0: (UUID: MIG-y)\n  MIG 3g.40gb     Device  1: (UUID: MIG-z)\n"
FIO = """fio: this platform's clock is unsteady, carrying on
note: both iodepth and numjobs were given
{
  "fio version" : "fio-3.28",
  "jobs" : [
    {"jobname" : "trial", "error" : 0,
     "read" : {"io_bytes" : 1048576000, "bw_bytes" : 512000000, "bw" : 500000, "iops" : 125000.5, "total_ios" : 256000,
               "clat_ns" : {"percentile" : {"50.000000" : 700000, "99.000000" : 2500000}}},
     "write" : {"io_bytes" : 0, "bw_bytes" : 0, "bw" : 0, "iops" : 0.0, "total_ios" : 0, "clat_ns" : {"N" : 0}}}
  ],
  "disk_util" : [ ]
}
trailing words
"""
FIO_ERROR = 'fio: pid=77, err=5/file:io_u.c:1803, func=io_u error, error=Input/output error\n{\n "jobs" : [ {"error" : 5, "read" : {"io_bytes" : 0, "total_ios" : 0}} ]\n}\n'
FIO_LATENCY = '{\n"jobs":[{"error":0,"write":{"io_bytes":10,"bw":1000,"iops":9,"total_ios":3,"lat_ns":{"percentile":{"99.000000":1000000}}}}]\n}'
CPUINFO = "processor\t: 0\nmodel name\t: Example CPU @ 2.50GHz\nflags\t\t: fpu hypervisor sse\n\nprocessor\t: 1\nmodel name\t: Example CPU @ 2.50GHz\n"
MOUNTS = ("22 1 0:20 / / rw,relatime - overlay overlay rw,lowerdir=/a\n23 22 0:21 / /proc rw - proc proc rw\n"
          "24 22 8:1 / /my\\040data rw,noatime shared:1 - ext4 /dev/sdb1 ro,errors=remount-ro\n25 22 0:9 / /dev/shm rw - tmpfs shm rw,size=65536k\n")


class NvidiaTest(unittest.TestCase):
    def test_absent_is_never_zero(self):
        for text in ("[N/A]", "N/A", "", "  ", "[Not Supported]", "Not Supported", "[Requested functionality has been deprecated]",
                     "Requested functionality has been deprecated", "[Insufficient Permissions]", "Unknown", None):
            self.assertIsNone(nvidia.number(text), text)
            self.assertIsNone(nvidia.yes(text), text)
        self.assertEqual(0, nvidia.whole("0"))
        self.assertEqual((320.0, 16, 16376, 0), (nvidia.number("320.00 W"), nvidia.whole("16x"), nvidia.whole("16376 MiB"), nvidia.whole("0 us")))
        self.assertIsNone(nvidia.number("P0"))

    def test_failing_cells_are_trouble_not_values(self):
        for text in ("[Unknown Error]", "Unknown Error", "ERR!", "[GPU is lost]", "[GPU requires reset]"):
            self.assertTrue(nvidia.trouble(text), text)
            self.assertIsNone(nvidia.cell(text), text)
        self.assertFalse(nvidia.trouble("[N/A]"))

    def test_fields_are_those_the_driver_knows_each_once(self):
        self.assertEqual(["index", "name", "uuid", "memory.total", "clocks.current.sm", "clocks_event_reasons.active"], nvidia.choose_fields(HELP))
        self.assertEqual(list(nvidia.BASIC), nvidia.choose_fields("nvidia-smi: command failed"))
        self.assertEqual("a.b", nvidia.bad_field('Field "a.b" is not a valid field to query.\n'))

    def test_rows_are_kept_and_odd_lines_apart(self):
        fields = ["index", "uuid", "memory.total"]
        rows, odd = nvidia.parse_csv("warning: infoROM is corrupted at gpu 0000:02:00.0\n0, GPU-12345678, 100\n1, GPU-abcdefgh, [N/A]\n2, GPU\n", fields)
        self.assertEqual(["100", "[N/A]"], [r["memory.total"] for r in rows])
        self.assertEqual(2, len(odd))

    def test_links_lists_and_ids(self):
        self.assertEqual({0: 2, 1: 1, 2: 0}, nvidia.parse_links(NVLINK))
        self.assertEqual({}, nvidia.parse_links("Device does not have or support Nvlink"))
        self.assertEqual((1, ["1g.10gb", "3g.40gb"]), nvidia.parse_list(LIST))
        self.assertEqual(("2330", "10de"), nvidia.pci_ids("0x233010DE"))
        self.assertEqual((None, None), nvidia.pci_ids("[N/A]"))

    def test_xml_of_a_virtual_gpu(self):
        document = nvidia.parse_xml(XML.encode())
        fact = nvidia.gpu_fact(document["gpus"][0])
        self.assertEqual(("12.4", "550.54.15"), (document["cuda"], fact["driver"]))
        self.assertEqual(("2235", 24576, 1, 4, 8, 16), tuple(fact[k] for k in ("pciDeviceId", "memoryMiB", "pcieGen", "pcieGenMax", "pcieWidth", "pcieWidthMax")))
        self.assertIsNone(fact["eccMode"])
        self.assertIsNone(fact["mig"])
        self.assertIsNone(fact["powerLimitW"])
        self.assertIsNone(nvidia.parse_xml('<!DOCTYPE x [<!ENTITY a "aa">]><nvidia_smi_log><!ENTITY a "b"></nvidia_smi_log>'))

    def test_recovery_action_none_is_an_answer(self):
        self.assertEqual("None", nvidia.gpu_fact(HEALTHY)["recoveryAction"])
        self.assertIsNone(nvidia.gpu_fact({"gpu_recovery_action": "[N/A]"})["recoveryAction"])


class DiskToolsTest(unittest.TestCase):
    def test_fio_between_noise(self):
        side = disktools.parse_fio(FIO)["read"]
        self.assertEqual((512000000.0, 125000.5, 2.5), (side["bw"], side["iops"], side["p99"]))
        self.assertIsNone(disktools.parse_fio(FIO)["write"])

    def test_fio_error_counts_whatever_the_exit_status(self):
        self.assertEqual(5, disktools.parse_fio(FIO_ERROR)["error"])
        self.assertEqual((1.0, 1024000.0), (disktools.parse_fio(FIO_LATENCY)["write"]["p99"], disktools.parse_fio(FIO_LATENCY)["write"]["bw"]))
        self.assertTrue(disktools.parse_fio("fio: looks like your file system does not support direct=1/buffered=0\n" + FIO)["refusedDirect"])
        self.assertIsNone(disktools.parse_fio("fio: command not found"))

    def test_dd_in_its_forms(self):
        self.assertAlmostEqual(1e9, disktools.parse_dd("256+0 records in\n500000000 bytes (500 MB, 477 MiB) copied, 0.5 s, 1.0 GB/s\n"))
        self.assertAlmostEqual(1e8, disktools.parse_dd("1+0 records out\n50000000 bytes (47.7MB) copied, 0.500000 seconds, 95.4MB/s\n"))
        self.assertIsNone(disktools.parse_dd("0 bytes copied, 0 s"))
        self.assertIsNone(disktools.parse_dd("dd: failed to open"))
        self.assertEqual(512 << 20, disktools.parse_dd_records("512+0 records in\n512+0 records out\n", 1 << 20))
        self.assertIsNone(disktools.parse_dd_records("0+0 records out\n", 1 << 20))


class DiagnoseTest(unittest.TestCase):
    TEXTS = {
        "TORCH_ARCH_MISSING": ["CUDA error: no kernel image is available for execution on the device",
                               "X with CUDA capability sm_120 is not compatible with the current PyTorch installation."],
        "CUDA_DRIVER_TOO_OLD": ["The NVIDIA driver on your system is too old (found version 11040)."],
        "CUDA_ERROR_804": ["Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW"],
        "CUDA_ERROR_802": ["Error 802: system not yet initialized", "cuInit: Error 802: system not yet initialized"],
        "CUDA_UNUSABLE": ["cudaGetDeviceCount() returned Error 101: invalid device", "RuntimeError: No CUDA GPUs are available",
                          "CUDA error: unspecified launch failure", "CUDA error: unknown error",
                          "libcudnn_graph.so.9: cannot open shared object file: No such file", "CUDNN_STATUS_NOT_INITIALIZED",
                          "libcublas.so.12: cannot open shared object file", "undefined symbol: ncclCommRegister"],
        "CUDA_PROGRAM_ERROR": ["CUDA error: device-side assert triggered", "CUDA error: an illegal memory access was encountered"],
        "ECC_UNCORRECTED": ["CUDA error: uncorrectable ECC error encountered"],
        "OTHER_TENANT_LOAD": ["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB"],
        "TORCH_CPU_ONLY": ["AssertionError: Torch not compiled with CUDA enabled"],
        "DRIVER_LIB_MISMATCH": ["Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.1"],
        "GPU_LOST": ["Failed to initialize NVML: Unknown Error", "Unable to determine the device handle for GPU0000:A1:00.0: Unknown Error",
                     "GPU is lost.  Reboot the system to recover this GPU"],
        "NO_GPU": ["No devices were found"],
        "DRIVER_NOT_LOADED": ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."],
        "SHM_SMALL": ["NCCL WARN Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)", "NCCL WARN Call to posix_fallocate failed : No space left on device /dev/shm/nccl-a"],
        "P2P_BROKEN": ["NCCL WARN Cuda failure 'peer access is not supported between these two devices'"],
        "NCCL_FAILED": ["Bootstrap : no socket interface found", "ncclSystemError: System call failed", "python[1]: segfault at 8 ip 0 sp 0 error 4 in libnccl.so.2[7f]"],
    }

    def test_every_known_text_gets_its_code_owner_and_next_step(self):
        for code, texts in self.TEXTS.items():
            for text in texts:
                found = diagnose.diagnose("motd noise\n" + text + "\nmore")
                self.assertIn(code, [d.code for d in found], text)
                for d in found:
                    self.assertTrue(d.owner in ("vendor", "image", "unknown") and d.message and d.next_step and d.evidence, d)

    def test_numbers_in_texts_are_explained(self):
        self.assertEqual("11.4", diagnose.diagnose(self.TEXTS["CUDA_DRIVER_TOO_OLD"][0])[0].params["driverCuda"])

    def test_harmless_text_is_not_diagnosed(self):
        for text in ("", "all good", "Epoch 3: loss 0.4", "Fabric: Completed", "801.2 TFLOP/s", "took 804 ms", "12802 samples"):
            self.assertEqual([], diagnose.diagnose(text), text)


class FitTest(unittest.TestCase):
    def test_architectures(self):
        wheel = ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"]
        for capability, fit in (("8.9", True), ("9.0", True), ("7.0", True), ("12.0", False), ("10.0", False), (None, None)):
            self.assertEqual(fit, software.fits(wheel, capability), capability)
        self.assertTrue(software.fits(["sm_80", "compute_90"], "12.0"))
        self.assertFalse(software.fits(["sm_90a"], "10.0"))
        self.assertTrue(software.fits(["sm_120"], "12.0"))

    def test_versions(self):
        for version, wanted, fit in (
            ("2.11.0+cu130", ">=2.4", True), ("2.3.1", ">=2.4", False), ("12.1", "12.1", True), ("12.10", "12.1", False), ("12.1.3", "==12.1.*", True),
            ("3.0", ">=2,<3", False), ("2.9", ">=2,<3", True), ("2.4.9", "~=2.4.1", True), ("2.5", "~=2.4.1", False), ("2.4", "!=2.4", False),
            ("2.4.1", "<=2.4", True), ("2.4.1", ">2.4", False), ("x", ">=1", None), ("1.0", "latest", None), ("1.0", "", None)):
            self.assertEqual(fit, versions.satisfies(version, wanted), (version, wanted))


class HostTest(unittest.TestCase):
    def test_files_of_the_kernel(self):
        self.assertEqual((2, "Example CPU @ 2.50GHz", True), host.parse_cpuinfo(CPUINFO))
        self.assertEqual(1.5, host.parse_cpu_max("150000 100000\n"))
        self.assertIsNone(host.parse_cpu_max("max 100000\n"))
        self.assertEqual(4, host.parse_meminfo("MemFree: 1 kB\nMemTotal:       4096 kB\n"))
        mounts = host.parse_mountinfo(MOUNTS)
        self.assertEqual([("/", "overlay"), ("/my data", "ext4"), ("/dev/shm", "tmpfs")], [m[:2] for m in mounts])
        self.assertIn("ro", mounts[1][3].split(","))


class TotalityTest(unittest.TestCase):
    """Each parser on several hundred broken variants of each text, from a fixed seed."""

    ROUNDS = 400

    def test_no_bytes_raise(self):
        csv = ", ".join(HEALTHY[f] for f in HEALTHY)
        texts = [XML, HELP, NVLINK, LIST, FIO, FIO_ERROR, FIO_LATENCY, CPUINFO, MOUNTS, csv, ">=2.4,<3", "150000 100000", "0x233010DE"]
        texts += [t for many in DiagnoseTest.TEXTS.values() for t in many]
        parsers = [
            nvidia.parse_xml, nvidia.choose_fields, nvidia.parse_links, nvidia.parse_list, nvidia.bad_field, diagnose.diagnose, disktools.parse_fio,
            disktools.parse_dd, lambda b: disktools.parse_dd_records(b, 512), lambda b: nvidia.parse_csv(b, list(HEALTHY)), lambda b: nvidia.gpu_fact({k: b.decode("utf-8", "replace") for k in HEALTHY}),
            lambda b: host.parse_cpuinfo(b.decode("utf-8", "replace")), lambda b: host.parse_mountinfo(b.decode("utf-8", "replace")),
            lambda b: host.parse_cpu_max(b.decode("utf-8", "replace")), lambda b: host.parse_meminfo(b.decode("utf-8", "replace")),
            lambda b: versions.satisfies(b.decode("utf-8", "replace"), b.decode("utf-8", "replace")),
            lambda b: software.fits([b.decode("utf-8", "replace")], b.decode("utf-8", "replace")),
        ]
        generator = random.Random(20240229)
        for text in texts:
            for turn in range(self.ROUNDS if len(text) > 200 else 40):
                data = mutate(text.encode(), generator)
                for parser in parsers:
                    try:
                        parser(data)
                    except Exception as e:
                        self.fail("%s on %r" % (e, data[:300]))


def mutate(data, generator):
    data = bytearray(data)
    for _ in range(generator.randrange(1, 6)):
        at = generator.randrange(len(data) + 1)
        kind = generator.randrange(7)
        if kind == 0:
            data[at:at] = bytes(generator.randrange(256) for _ in range(generator.randrange(1, 9)))
        elif kind == 1:
            del data[at: at + generator.randrange(1, 40)]
        elif kind == 2:
            data[at:at] = generator.choice([b"[N/A]", b"ERR!", b"\r\n", b"\0", b"\xff\xfe", b"9" * 400, b"-1", b"NaN", b"1e999", b"<", b"&x;", b"{", b"]", b'"', b"\\"])
        elif kind == 3 and at < len(data):
            data[at] ^= 1 << generator.randrange(8)
        elif kind == 4:
            data = data[:at]
        elif kind == 5:
            data += data[: generator.randrange(len(data) + 1)]
        else:
            other = generator.randrange(len(data) + 1)
            data[min(at, other): max(at, other)] = data[min(at, other): max(at, other)][::-1]
    return bytes(data)


if __name__ == "__main__":
    unittest.main()
