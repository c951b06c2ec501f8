"""The detection matrix: faults and healthy machines, played at the payload's border, with what must come of each.

``python3 matrix.py`` prints one JSON line a machine: its name, what was offered, the events that the payload made of it,
and the verdict, the deciding code (or metric) and its owner that the service must reach. The service's own test reads it.
"""

import json
import sys

from gpu_fakes import result
from harness import SOURCE  # noqa: F401  (puts the payload on the path)
from played import Machine

ROWS = []
OFF_BUS = "[Fri Nov 27 03:10:00 2026] NVRM: Xid (PCI:0000:1b:00): %d, pid=4242, name=python3, %s\n"


def fault(name, verdict, code, owner, stage, offered, events, count=1, promised=None):
    """``owner`` is empty where a figure decides; ``code`` then is the metric."""
    ROWS.append({"name": name, "healthy": False, "verdict": verdict, "code": code, "owner": owner, "stage": stage, "gpu": offered,
                 "count": count, "promised": promised or {}, "events": events})


def healthy(name, stage, offered, events, count=1, promised=None):
    ROWS.append({"name": name, "healthy": True, "verdict": "PASS", "code": "", "owner": "", "stage": stage, "gpu": offered,
                 "count": count, "promised": promised or {}, "events": events})


def environment_faults():
    def bad(name, verdict, code, owner, offered, machine, count=1, promised=None, **how):
        fault(name, verdict, code, owner, "environment", offered, machine.environment(**how), count, promised)

    def sold_as(offered, real):
        bad("%s sold as %s" % (real, offered), "FAIL", "GPU_IDENTITY", "vendor", offered, Machine(offered, is_really=real))

    sold_as("RTX-4090", "RTX-4090-D")
    sold_as("A100-SXM4-80G", "A800-SXM4-80G")
    sold_as("H100-SXM5-80G", "H20-96G")
    sold_as("H100-SXM5-80G", "H800-SXM5-80G")
    sold_as("H100-SXM5-80G", "H100-PCIe-80G")
    sold_as("A100-SXM4-80G", "A100-SXM4-40G")
    h100, a100 = "H100-SXM5-80G", "A100-SXM4-80G"
    renamed = Machine(h100, is_really="H20-96G").cell(name="NVIDIA H100 80GB HBM3")
    bad("H20 with an H100's name", "FAIL", "GPU_IDENTITY", "vendor", h100, renamed)
    bad("4090 with 48 GB sold as 4090", "WARN", "GPU_MEMORY_NOT_VENDOR", "vendor", "RTX-4090", Machine("RTX-4090", is_really="RTX-4090-48G"))
    fewer = Machine(a100)
    fewer.cuda_devices[0]["smCount"] = 98
    bad("multiprocessors switched off", "FAIL", "GPU_SM_MISMATCH", "vendor", a100, fewer)
    bad("memory missing", "FAIL", "GPU_MEMORY_SHORT", "vendor", a100, Machine(a100).cell(memory__total="73728"))
    sliced = Machine(h100).cell(mig__mode__current="Enabled", utilization__gpu="[N/A]", remapped_rows__pending="[N/A]")
    sliced.cuda_devices[0].update(smCount=16, memoryMiB=9728)
    bad("MIG slice", "FAIL", "MIG_SLICE", "vendor", h100, sliced, smi=sliced.smi(listed="  MIG 1g.10gb     Device  0: (UUID: MIG-1)\n"))
    share = Machine(a100).cell(name="GRID A100-20C", memory__total="20480", pci__device_id="0x20B210DE")
    bad("vGPU", "FAIL", "VGPU", "vendor", a100, share, smi=share.smi(mode="VGPU"))
    soft = Machine(a100)
    soft.cuda_devices[0]["memoryMiB"] = 40000
    bad("soft slice by its memory", "FAIL", "SOFT_SLICE", "vendor", a100, soft)
    bad("soft slice by its settings", "FAIL", "SOFT_SLICE", "vendor", a100, Machine(a100), slicing=["CUDA_DEVICE_MEMORY_LIMIT=20g"])
    busy = Machine(a100).cell(utilization__gpu="41", memory__used="30211")
    bad("another tenant's load", "FAIL", "OTHER_TENANT_LOAD", "vendor", a100, busy, smi=busy.smi())
    bad("power limit below default", "WARN", "POWER_CAPPED", "vendor", a100, Machine(a100).cell(power__limit="300.00", enforced__power__limit="300.00"))
    bad("memory rows wait for a reset", "FAIL", "REMAP_PENDING", "vendor", a100, Machine(a100).cell(remapped_rows__pending="Yes"))
    bad("memory rows not replaced", "FAIL", "REMAP_FAILURE", "vendor", a100, Machine(a100).cell(remapped_rows__failure="Yes"))
    bad("SRAM errors over the threshold", "FAIL", "ECC_UNCORRECTED", "vendor", a100,
        Machine(a100).cell(ecc__errors__uncorrected__aggregate__sram__thresholdExceeded="Yes"))
    bad("uncorrected errors since the start", "FAIL", "ECC_UNCORRECTED", "vendor", a100, Machine(a100).cell(ecc__errors__uncorrected__volatile__total="2"))
    bad("recovery action set", "FAIL", "RECOVERY_ACTION", "vendor", a100, Machine(a100).cell(gpu_recovery_action="Drain and Reset"))
    bad("a cell that says the card is lost", "FAIL", "GPU_LOST", "vendor", a100, Machine(a100).cell(temperature__gpu="[GPU is lost]"))
    bad("error correction off", "WARN", "ECC_OFF", "vendor", a100, Machine(a100).cell(ecc__mode__current="Disabled"))
    lanes = Machine(a100).cell(pcie__link__width__current="4")
    bad("four lanes seen under load", "WARN", "PCIE_WIDTH", "vendor", a100, lanes, smi=lanes.smi(loaded={"pcie.link.gen.current": "4", "pcie.link.width.current": "4"}))
    bad("one card of eight missing", "FAIL", "GPU_COUNT_MISMATCH", "vendor", a100, Machine(a100, 8).without(7), 8)
    eight = Machine(h100, 8)
    bad("NVLinks down", "FAIL", "NVLINK_MISSING", "vendor", h100, eight, 8, smi=eight.smi(links=12))
    bad("fabric not ready", "FAIL", "FABRIC_NOT_READY", "vendor", h100, Machine(h100, 8).cell(fabric__state="In Progress"), 8)

    def text(name, code, owner, words, verdict="FAIL"):
        machine = Machine(a100)
        machine.cuda_devices = []
        bad(name, verdict, code, owner, a100, machine, smi=machine.smi(says=words), cuda_error="cuInit: Error 999: unknown", no_torch=True)

    text("driver mismatch", "DRIVER_LIB_MISMATCH", "vendor", "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.124\n")
    text("driver not loaded", "DRIVER_NOT_LOADED", "vendor", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
    text("no devices", "NO_GPU", "vendor", "No devices were found\n")
    text("access taken from the container", "GPU_LOST", "vendor", "Failed to initialize NVML: Unknown Error\n")
    text("handle of a card refused", "GPU_LOST", "vendor", "Unable to determine the device handle for GPU0000:1B:00.0: Unknown Error\n")
    hung = Machine(a100)
    bad("nvidia-smi hangs", "FAIL", "GPU_HUNG", "vendor", a100, hung, smi=hung.smi(says=result(timed_out=True, rc=None)))

    def cuda(name, code, owner, words, offered=a100, count=1, **how):
        bad(name, "FAIL", code, owner, offered, Machine(offered, count), count, torch_error=words, **how)

    cuda("error 802", "CUDA_ERROR_802", "vendor", "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized", h100, 8)
    cuda("error 804", "CUDA_ERROR_804", "image", "RuntimeError: Error 804: forward compatibility was attempted on non supported HW", "RTX-4090")
    cuda("driver too old by its own words", "CUDA_DRIVER_TOO_OLD", "vendor", "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).")
    cuda("no device passed in", "CUDA_UNUSABLE", "image", "RuntimeError: No CUDA GPUs are available")
    bad("driver one CUDA behind PyTorch", "FAIL", "CUDA_DRIVER_TOO_OLD", "vendor", a100, Machine(a100, cuda="12.4"), torch="2.9.0+cu130", torch_cuda="13.0")
    bad("wheel without the card's architecture", "FAIL", "TORCH_ARCH_MISSING", "image", "RTX-5090", Machine("RTX-5090"),
        device_error="RuntimeError: CUDA error: no kernel image is available for execution on the device")
    bad("CPU-only PyTorch", "FAIL", "TORCH_CPU_ONLY", "image", a100, Machine(a100), torch="2.6.0+cpu", torch_cuda=None)
    bad("PyTorch hangs on the card", "FAIL", "GPU_HUNG", "vendor", a100, Machine(a100), hung=True)
    bad("PyTorch sees seven of eight", "FAIL", "CUDA_UNUSABLE", "unknown", a100, Machine(a100, 8), 8, device_count=7)
    bad("a small product is wrong", "FAIL", "WRONG_RESULT", "vendor", a100, Machine(a100), correct=False)
    bad("no NCCL", "WARN", "NCCL_MISSING", "image", a100, Machine(a100), nccl=None)
    bad("no cuDNN", "WARN", "CUDNN_MISSING", "image", a100, Machine(a100), cudnn=None)
    bad("PyTorch loads for half a minute", "WARN", "TORCH_IMPORT_SLOW", "vendor", a100, Machine(a100), seconds=33.0)
    bad("task needs a newer PyTorch", "FAIL", "REQUIRES_UNMET", "image", a100, Machine(a100), requires={"torch": ">=2.8"})
    bad("task needs a newer driver", "FAIL", "REQUIRES_UNMET", "vendor", a100, Machine(a100), requires={"driver": ">=580"})
    bad("64 MB shm", "WARN", "SHM_SMALL", "image", a100, Machine(a100), host={"shm": 64})
    bad("oversold CPU by stolen time", "WARN", "CPU_OVERSOLD", "vendor", a100, Machine(a100), cores={"stealShare": 0.21})
    bad("oversold CPU by its speed", "WARN", "CPU_OVERSOLD", "vendor", a100, Machine(a100), cores={"all": [380.0 * 9] * 5})
    bad("fewer cores than promised", "WARN", "PROMISE_BROKEN", "vendor", a100, Machine(a100), 1, {"cpu": "64"})
    bad("half the memory that was promised", "FAIL", "PROMISE_BROKEN", "vendor", a100, Machine(a100), 1, {"memory": "1T"})


def compute_faults():
    a100, h100 = "A100-SXM4-80G", "H100-SXM5-80G"

    def bad(name, verdict, code, owner="", offered=a100, count=1, **how):
        fault(name, verdict, code, owner, "compute", offered, Machine(offered, count).compute(**how), count)

    bf16 = "matmul_bf16_sustained"
    bad("down-clocked", "FAIL", bf16, share=0.64)
    bad("a little slow", "WARN", bf16, share=0.87)
    bad("slow memory", "FAIL", "memory_copy", memory=0.76)
    bad("PCIe x4 under load", "FAIL", "h2d_pinned", link=6.4, width="4")
    bad("PCIe gen 1 under load", "FAIL", "h2d_pinned", link=3.1, gen=1)
    bad("PCIe x8", "WARN", "h2d_pinned", link=12.9, width="8")
    bad("host of an older PCIe generation", "WARN", "h2d_pinned", offered=h100, link=25.8, gen=4)
    bad("unsteady", "WARN", bf16, cv=0.07)
    bad("hardware slowdown by heat", "FAIL", "THROTTLE_HW", "vendor", reasons="0x0000000000000048", waits=3)
    bad("driver slows down by heat", "WARN", "THROTTLE_THERMAL", "vendor", reasons="0x0000000000000020", waits=3)
    bad("wrong product", "FAIL", "WRONG_RESULT", "vendor", relativeErrorAfter=3.0)
    bad("other bits after load", "UNKNOWN", "WRONG_RESULT", "vendor", bitEqual=False)
    bad("one slow card of eight", "FAIL", "GPU_SPREAD", "vendor", count=8, per_gpu={5: 0.88})
    bad("slow when all work", "FAIL", "matmul_bf16_sustained_together", count=8, together=0.7)
    bad("shared uplink", "WARN", "UPLINK_SHARED", "vendor", count=8, link_together=0.24)
    bad("more than the silicon can do", "UNKNOWN", "ABOVE_PEAK", "ours", share=3.4)
    bad("the load hangs", "FAIL", "PROBE_TIMEOUT", "unknown", matmul=lambda a: result(timed_out=True, rc=None))
    bad("memory error under load", "FAIL", "ECC_UNCORRECTED", "vendor",
        matmul=lambda a: result(rc=1, error="RuntimeError: CUDA error: uncorrectable ECC error encountered"))
    bad("launch failure after a good start", "FAIL", "CUDA_UNUSABLE", "vendor", matmul=lambda a: result(rc=1, error="RuntimeError: CUDA error: unspecified launch failure"))
    bad("out of memory with small tensors", "FAIL", "OTHER_TENANT_LOAD", "vendor", matmul=lambda a: result(rc=1, error="torch.OutOfMemoryError: CUDA out of memory."))
    bad("host link not measured", "UNKNOWN", "METRIC_MISSING", "unknown", drop=("linkEqual",))
    bad("no PyTorch", "UNKNOWN", "NOTHING_MEASURED", "image", torch=False)


def disk_and_network_faults():
    a100 = "A100-SXM4-80G"

    def bad(name, verdict, code, owner="", promised=None, **how):
        fault(name, verdict, code, owner, "storage", a100, Machine(a100).storage(**how), 1, promised)

    bad("HDD", "FAIL", "storage_rand_read_4k", source="/dev/sda1", rotational=True, read=0.21, write=0.2, iops=180, p99=60)
    bad("NVMe at a disk's speed", "FAIL", "storage_seq_read", read=0.18)
    bad("NVMe below its class", "WARN", "storage_seq_read", read=1.1)
    bad("slow tail", "FAIL", "storage_rand_read_4k_p99", p99=80)
    bad("half of the promised reads", "FAIL", "storage_seq_read", promised={"disk_read": "7GB/s"})
    bad("page-cache illusion", "UNKNOWN", "METRIC_UNSURE", "ours", direct=False, kind="overlay", source="overlay", read=21.0, iops=900000)
    bad("tmpfs", "UNKNOWN", "METRIC_UNSURE", "ours", kind="tmpfs", source="tmpfs", read=9.0)
    bad("IO error", "FAIL", "STORAGE_IO_ERROR", "vendor", error={"errno": 5, "name": "EIO", "text": "Input/output error"})
    bad("read-only disk", "FAIL", "STORAGE_IO_ERROR", "vendor", refused={"error": "Read-only file system", "errno": 30})
    bad("disk that hangs", "FAIL", "PROBE_TIMEOUT", "vendor", hangs=True)
    bad("disk that is full", "FAIL", "STORAGE_SPACE", "vendor", free=100 << 20)

    def way(name, verdict, code, owner="", promised=None, **how):
        fault(name, verdict, code, owner, "network", a100, Machine(a100).network(**how), 1, promised)

    way("egress blocked", "FAIL", "NETWORK_NO_EGRESS", "vendor", errors=["timed out"] * 20)
    way("name not resolved", "FAIL", "NETWORK_NO_EGRESS", "vendor", errors=["x"], resolved=False)
    way("slow download against the promise", "FAIL", "network_download", promised={"download": "2Gbps"})
    way("connections lost", "WARN", "network_loss", loss=2)
    way("nothing named", "UNKNOWN", "NOTHING_MEASURED", "ours", urls=())


def interconnect_faults():
    h100, a100 = "H100-SXM5-80G", "A100-SXM4-80G"

    def bad(name, verdict, code, owner="", offered=h100, count=8, **how):
        fault(name, verdict, code, owner, "interconnect", offered, Machine(offered, count).interconnect(**how), count)

    shm = "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-x (size 9637888): No space left on device"
    bad("NCCL without shared memory", "FAIL", "SHM_SMALL", "image", all_reduce=lambda a: result(rc=1, err=shm, error="DistBackendError: NCCL error: unhandled system error"))
    bad("P2P broken", "FAIL", "P2P_BROKEN", "vendor",
        all_reduce=lambda a: None if a["env"].get("NCCL_P2P_DISABLE") else result(timed_out=True, rc=None))
    bad("hang with and without P2P", "FAIL", "NCCL_FAILED", "unknown", all_reduce=lambda a: result(timed_out=True, rc=None))
    bad("wrong sum", "FAIL", "ALLREDUCE_WRONG", "vendor", wrong=4)
    bad("data changed between two cards", "FAIL", "P2P_BROKEN", "vendor", unequal=True)
    bad("slow board", "FAIL", "allreduce_busbw", offered=a100, busbw=150, pair=240)
    bad("no in-switch reduction", "WARN", "allreduce_busbw", nvls=False, busbw=362)
    bad("slow even without in-switch reduction", "FAIL", "allreduce_busbw", nvls=False, busbw=250)
    bad("an NVLink pair at PCIe's speed", "FAIL", "P2P_SLOW_LINK", "vendor", link=22.0)
    bad("one direction slower", "FAIL", "P2P_ASYMMETRIC", "vendor", back=250.0)
    bad("one pair slower both ways", "WARN", "P2P_SLOW_PAIR", "vendor", link=300.0)
    bad("one rank late", "WARN", "SLOW_RANK", "vendor", slow_rank=3, busbw=620)
    bad("4090s over a bad host", "FAIL", "allreduce_busbw", offered="RTX-4090", busbw=2.2, pair=2.0, transports=("SHM/direct",), nvls=False)


def stability_faults():
    h200 = "H200-SXM-141G"

    def bad(name, verdict, code, owner="", count=1, **how):
        fault(name, verdict, code, owner, "stability", h200, Machine(h200, count).stability(**how), count)

    def xid(number, words):
        return lambda look: "usb 1-1: new device\n" + (OFF_BUS % (number, words) if look > 1 else "")

    bad("Xid 79", "FAIL", "XID_79", "vendor", dmesg=xid(79, "GPU has fallen off the bus."))
    bad("Xid 48", "FAIL", "XID_48", "vendor", dmesg=xid(48, "DBE (double bit error) at 0x1"))
    bad("Xid 119", "FAIL", "XID_119", "vendor", dmesg=xid(119, "Timeout after 6s of waiting for RPC response"))
    bad("Xid 63", "WARN", "XID_63", "vendor", dmesg=xid(63, "Row remapper: new row marked for remapping"))
    bad("Xid 94 once", "WARN", "XID_94", "vendor", dmesg=xid(94, "Contained: channel 0x1"))
    bad("off the bus without an Xid", "FAIL", "XID_79", "vendor",
        dmesg=lambda look: "ok\n" + ("NVRM: GPU 0000:1b:00.0: GPU has fallen off the bus.\n" if look > 1 else ""))

    def lost(fake):
        if fake.calls > 6:
            fake.count = 1

    bad("card lost without an Xid", "FAIL", "GPU_LOST", "vendor", 2, changes=lost, seconds=60)

    def gone(fake):
        if fake.calls > 5:
            fake.broken = result("Failed to initialize NVML: Unknown Error\n", rc=255)

    bad("container loses its cards", "FAIL", "GPU_LOST", "vendor", changes=gone, seconds=60)

    def silent(fake):
        if fake.calls > 5:
            fake.broken = result(timed_out=True, rc=None)

    bad("nvidia-smi stops answering", "FAIL", "GPU_HUNG", "vendor", changes=silent, seconds=60)

    def ecc(fake):
        fake.cells["ecc.errors.uncorrected.volatile.total"] = "1" if fake.calls > 6 else "0"

    bad("memory error during the load", "FAIL", "ECC_UNCORRECTED", "vendor", changes=ecc, seconds=60)
    bad("the load crashes twice", "FAIL", "CUDA_UNUSABLE", "vendor", behaviour="crashes", seconds=60)
    bad("other bits twice", "FAIL", "WRONG_RESULT", "vendor", behaviour="flips", seconds=60)
    bad("slows down over the load", "FAIL", "soak_drift", behaviour="drifts")
    bad("hardware slowdown for long", "FAIL", "THROTTLE_HW", "vendor", cells={"clocks_event_reasons.active": "0x0000000000000048"})
    bad("hot", "WARN", "gpu_temperature_p95", cells={"temperature.gpu": "87"})
    fault("the task crashes", "FAIL", "TASK_FAILED", "unknown", "task", h200, Machine(h200).task("echo tok/s=10; exit 3"))
    fault("the task tells no figure", "WARN", "TASK_METRIC_MISSING", "unknown", "task", h200, Machine(h200).task("echo nothing"))


def healthy_machines():
    def environment(name, card, count=1, offered=None, promised=None, machine=None, **how):
        healthy(name, "environment", offered or card, (machine or Machine(card, count)).environment(**how), count, promised)

    for card in ("A100-SXM4-80G", "H100-SXM5-80G", "H100-PCIe-80G", "A800-SXM4-80G", "H800-SXM5-80G", "H20-96G", "H200-SXM-141G", "RTX-4090-48G", "L20"):
        environment("%s as itself" % card, card)
    for card in ("A100-SXM4-80G", "A800-SXM4-80G", "H800-SXM5-80G", "H20-96G"):
        environment("eight %s" % card, card, 8)
    environment("V100 as itself", "V100-SXM2-32G", archs=("sm_70", "sm_80"))
    environment("4090 without error correction", "RTX-4090")
    environment("5090 with a fitting wheel", "RTX-5090", torch="2.8.0+cu128", torch_cuda="12.8", archs=("sm_80", "sm_90", "sm_120"))
    idle = Machine("H100-SXM5-80G").cell(pcie__link__gen__current="1")
    environment("idle link at gen 1", "H100-SXM5-80G", machine=idle, smi=idle.smi())
    empty = Machine("A100-SXM4-80G").cell(temperature__memory="N/A", fabric__state="N/A", pcie__link__width__current="[N/A]", power__limit="[Not Supported]",
                                          enforced__power__limit="[N/A]", retired_pages__pending="[N/A]", gpu_recovery_action="[N/A]", ecc__mode__current="[N/A]")
    environment("empty cells", "A100-SXM4-80G", machine=empty)
    environment("non-English locale", "A100-SXM4-80G", machine=Machine("A100-SXM4-80G", locale="zh_CN.UTF-8"))
    environment("persistence off", "A100-SXM4-80G", machine=Machine("A100-SXM4-80G").cell(persistence_mode="Disabled"))
    vm = Machine("H100-SXM5-80G")
    environment("links off in a one-GPU VM", "H100-SXM5-80G", machine=vm, smi=vm.smi(links=0))
    environment("requirements met", "A100-SXM4-80G", requires={"torch": ">=2.4", "cuda": ">=12.1", "driver": ">=525", "nccl": ">=2.20", "cudnn": ">=8.9"})
    environment("a few hundred MiB in use by the driver", "H200-SXM-141G", machine=Machine("H200-SXM-141G").cell(memory__used="620"))
    environment("promised cores and memory kept", "A100-SXM4-80G", promised={"cpu": "32", "memory": "250G"})

    def compute(name, card, count=1, **how):
        healthy(name, "compute", card, Machine(card, count).compute(**how), count)

    for card in ("A100-SXM4-80G", "A800-SXM4-80G", "H100-SXM5-80G", "H100-PCIe-80G", "H800-SXM5-80G", "H20-96G", "H200-SXM-141G", "RTX-4090", "L20", "V100-SXM2-32G", "A100-PCIe-80G"):
        compute("%s figures" % card, card)
    compute("software power cap at full load", "H100-SXM5-80G", reasons="0x0000000000000004", waits=3)
    compute("application clocks at full load", "A100-SXM4-80G", reasons="0x0000000000000002", waits=3)
    compute("eight with the usual spread", "A100-SXM4-80G", 8, per_gpu={0: 0.985, 1: 1.01, 2: 0.99, 6: 1.015})
    compute("lower edge of a pass", "A100-SXM4-80G", share=0.935)

    def disk(name, promised=None, **how):
        healthy(name, "storage", "A100-SXM4-80G", Machine("A100-SXM4-80G").storage(**how), 1, promised)

    disk("NVMe")
    disk("network disk", kind="nfs4", source="10.0.0.1:/x", read=0.6, write=0.3, iops=9000, p99=60)
    disk("overlay on a good disk", kind="overlay", source="overlay")
    disk("promised reads kept", {"disk_read": "3GB/s"})
    healthy("network without a promise", "network", "A100-SXM4-80G", Machine("A100-SXM4-80G").network())
    healthy("network as promised", "network", "A100-SXM4-80G", Machine("A100-SXM4-80G").network(rate=125e6), 1, {"download": "1Gbps"})

    def connect(name, card, count=8, **how):
        healthy(name, "interconnect", card, Machine(card, count).interconnect(**how), count)

    connect("H100 board", "H100-SXM5-80G")
    connect("A100 board", "A100-SXM4-80G", busbw=232, pair=240, nvls=False)
    connect("A800 board as itself", "A800-SXM4-80G", busbw=158, pair=160, nvls=False)
    connect("H800 board as itself", "H800-SXM5-80G", busbw=165, pair=160, nvls=False)
    connect("4090s without P2P", "RTX-4090", busbw=11, pair=12, transports=("SHM/direct",), nvls=False)
    healthy("soak at the power limit", "stability", "H200-SXM-141G", Machine("H200-SXM-141G").stability())
    healthy("soak with an old Xid", "stability", "H200-SXM-141G", Machine("H200-SXM-141G").stability(dmesg=lambda look: OFF_BUS % (79, "GPU has fallen off the bus.")))
    healthy("a task with its figure", "task", "H200-SXM-141G", Machine("H200-SXM-141G").task())


if __name__ == "__main__":
    for part in (environment_faults, compute_faults, disk_and_network_faults, interconnect_faults, stability_faults, healthy_machines):
        part()
    with open(sys.argv[1], "w") if len(sys.argv) > 1 else sys.stdout as out:
        for row in ROWS:
            out.write(json.dumps(row, default=str) + "\n")
