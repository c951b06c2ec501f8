"""What known failure texts of drivers, CUDA, PyTorch and NCCL mean, whose they are, and what to do next.

A user should read a diagnosis, not a stack trace. The first matching entry of a kind wins; the texts
are matched anywhere in the output, in any case.
"""

import re
from collections import namedtuple

Diagnosis = namedtuple("Diagnosis", "code severity owner message params evidence next_step")

_DRIVER_FOR_CUDA = {11: "450", 12: "525", 13: "580"}

# (pattern, code, severity, owner, message, next step[, cause]). Named groups become parameters; so does the cause, which
# tells apart what shares a code, so that other languages can say the same.
_TABLE = (
    (r"Driver/library version mismatch", "DRIVER_LIB_MISMATCH", "fail", "vendor",
     "The NVIDIA kernel driver and the NVML library have different versions: the host's driver was upgraded without a "
     "reload, or the image carries a driver library of its own.",
     "Ask the vendor to reboot the host, or create the instance again; with an own image, remove its libnvidia-ml."),
    (r"couldn't communicate with the NVIDIA driver|Driver Not Loaded", "DRIVER_NOT_LOADED", "fail", "vendor",
     "The NVIDIA driver is not loaded on this machine.",
     "Choose an image with the driver, or ask the vendor to install it."),
    (r"NVML Shared Library Not Found|couldn't find libnvidia-ml", "DRIVER_NOT_LOADED", "fail", "image",
     "The NVML library is missing: the driver's libraries were not passed into this machine.",
     "Use an image or a container runtime that passes the NVIDIA driver through (capability 'utility').", "libraries"),
    (r"GPU is lost|fallen off the bus|GPU_IS_LOST", "GPU_LOST", "fail", "vendor",
     "A GPU fell off the bus: the driver cannot reach it any more.",
     "Give the machine back and ask the vendor for another host; keep the evidence for the refund."),
    (r"Unable to determine the device handle for (?:GPU|gpu)\s*(?P<gpu>[0-9A-Fa-f:.]+)?", "GPU_LOST", "fail", "vendor",
     "The driver cannot open one of the GPUs; this is often seen together with Xid 79.",
     "Give the machine back and ask the vendor for another host.", "handle"),
    (r"Failed to initialize NVML: Unknown Error", "GPU_LOST", "fail", "vendor",
     "Access to the GPU was taken from this container, as happens when the host reloads its services.",
     "Create the instance again; in production this ends jobs, so ask the vendor how it is prevented.", "access"),
    (r"Failed to initialize NVML: Insufficient Permissions|initialize NVML: No Permission", "CUDA_UNUSABLE", "fail", "image",
     "This user may not open the GPU's device files.",
     "Log in as root or as a member of the group that owns /dev/nvidia*.", "permission"),
    (r"No devices (?:were )?found|RmInitAdapter failed", "NO_GPU", "fail", "vendor",
     "The driver is loaded, but no GPU answers: it is absent or failed to start.",
     "Give the machine back and ask the vendor for another host.", "silent"),
    (r"no kernel image is available for execution|(?P<arch>sm_\d+\w?) is not compatible with the current PyTorch", "TORCH_ARCH_MISSING", "fail", "image",
     "The installed PyTorch was built without this GPU's architecture.",
     "Use an image with a PyTorch build for this GPU: Blackwell needs CUDA 12.8 or later, Volta and older need CUDA 12.x or earlier."),
    (r"driver on your system is too old \(found version (?P<found>\d+)\)|CUDA driver version is insufficient|Error 35\b", "CUDA_DRIVER_TOO_OLD", "fail", "vendor",
     "The host's NVIDIA driver is too old for the CUDA version that PyTorch was built with.",
     "Choose a host with a newer driver (CUDA 11 needs 450, CUDA 12 needs 525, CUDA 13 needs 580), or an image with an older CUDA; "
     "a driver cannot be upgraded from inside a container."),
    (r"Error 804|forward compatibility was attempted on non supported HW|COMPAT_NOT_SUPPORTED_ON_DEVICE", "CUDA_ERROR_804", "fail", "image",
     "The image carries CUDA compatibility libraries newer than the host's driver, and this card does not support that.",
     "Remove the cuda-compat package from the image's library path, or use an image whose CUDA fits the driver."),
    (r"Error 802|system not yet initialized|SYSTEM_NOT_READY", "CUDA_ERROR_802", "fail", "vendor",
     "The NVSwitch fabric is not ready: the fabric manager does not run on the host.",
     "Ask the vendor to start the fabric manager with the driver's exact version."),
    (r"uncorrectable ECC error|ECC_UNCORRECTABLE|Error 214\b", "ECC_UNCORRECTED", "fail", "vendor",
     "The GPU reported a memory error that could not be corrected.",
     "Give the machine back; the GPU needs a reset or a replacement."),
    (r"cudaGetDeviceCount.{0,200}Error (?:100|101)\b|No CUDA GPUs are available|no CUDA-capable device is detected|invalid device ordinal", "CUDA_UNUSABLE", "fail", "image",
     "CUDA sees no GPU: none was passed into this machine, or CUDA_VISIBLE_DEVICES hides it.",
     "Unset CUDA_VISIBLE_DEVICES; if that does not help, ask the vendor why the GPU is not passed in.", "hidden"),
    (r"NCCL.{0,200}(?:/dev/shm|shm).{0,200}No space left|No space left on device.{0,80}/dev/shm|NCCL.{0,200}unable to mmap|Error while creating shared memory segment", "SHM_SMALL", "warn", "image",
     "/dev/shm is too small for NCCL's and the data loaders' shared memory.",
     "Start the container with a larger --shm-size (a quarter of the memory is usual), or set NCCL_SHM_DISABLE=1 and accept less speed."),
    (r"peer access is not supported|peer mapping resources exhausted|Cuda failure.{0,40}peer access", "P2P_BROKEN", "warn", "vendor",
     "The GPUs cannot reach each other's memory directly (IOMMU, ACS or the driver forbids it).",
     "Run with NCCL_P2P_DISABLE=1 to confirm; ask the vendor to switch IOMMU and ACS off for these slots."),
    (r"no socket interface found|NCCL_SOCKET_IFNAME", "NCCL_FAILED", "fail", "image",
     "NCCL found no network interface for its start-up.",
     "Set NCCL_SOCKET_IFNAME to an interface that exists, e.g. lo or eth0.", "socket"),
    (r"segfault at .{0,160}libnccl", "NCCL_FAILED", "fail", "image",
     "NCCL crashed.", "Use an image with another NCCL version.", "crash"),
    (r"NCCL.{0,200}unhandled (?:system|cuda) error|ncclSystemError|ncclUnhandledCudaError|ncclInternalError", "NCCL_FAILED", "fail", "unknown",
     "NCCL failed inside a system or CUDA call.",
     "See the evidence; run again with NCCL_DEBUG=INFO for the cause."),
    (r"Torch not compiled with CUDA enabled|PyTorch.{0,40}without CUDA", "TORCH_CPU_ONLY", "fail", "image",
     "The installed PyTorch is the CPU-only build.", "Install the CUDA build of PyTorch, or use another image."),
    (r"libcudnn[\w.]*so[\w.]*: cannot open shared object|CUDNN_STATUS_NOT_INITIALIZED", "CUDA_UNUSABLE", "fail", "image",
     "cuDNN could not be loaded or started: the image is incomplete, or GPU memory was already used up.",
     "Use an image whose cuDNN belongs to its PyTorch; check that nobody else uses the GPU's memory.", "cudnn"),
    (r"libcuda\.so[\w.]*: cannot open shared object", "CUDA_UNUSABLE", "fail", "image",
     "The CUDA driver library is missing: the driver was not passed into this machine for computing.",
     "Use an image or a container runtime that passes the NVIDIA driver through (capability 'compute').", "libcuda"),
    (r"(?P<library>lib(?:cudart|cublas|nccl|nvrtc|nvJitLink|cusparse|cufft)[\w.-]*\.so[\w.]*): (?:cannot open shared object|undefined symbol)|undefined symbol: (?P<symbol>\w*(?:nccl|cublas|cuda|nvJitLink)\w*)", "CUDA_UNUSABLE", "fail", "image",
     "A CUDA library is missing or does not fit the others in the image.",
     "Use an image whose PyTorch and CUDA libraries were installed together; check LD_LIBRARY_PATH for a second CUDA.", "library"),
    (r"CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|out of memory", "OTHER_TENANT_LOAD", "fail", "vendor",
     "GPU memory ran out although this test needs little: somebody else uses the card, or only a slice of it was sold.",
     "Compare free with total memory; ask the vendor who shares the card.", "memory"),
    (r"device-side assert|illegal memory access|Error 700\b|misaligned address", "CUDA_PROGRAM_ERROR", "fail", "unknown",
     "The program running on the GPU failed (an assertion or an illegal memory access).",
     "Usually a fault of the program; if it happens to a program that works elsewhere, look for Xid 13 or 31 and suspect the card."),
    (r"unspecified launch failure|CUDA error: unknown error|Error 719\b|Error 999\b|CUDA_ERROR_LAUNCH_FAILED", "CUDA_UNUSABLE", "fail", "vendor",
     "CUDA stopped working in the middle: the card is suspect.",
     "Look for Xid 79 or 119 and for a missing GPU; give the machine back if it happens again.", "died"),
    (r"Error 803|system has unsupported display driver / cuda driver combination|SYSTEM_DRIVER_MISMATCH", "DRIVER_LIB_MISMATCH", "fail", "image",
     "The CUDA library in this image does not belong to the host's driver.",
     "Remove libcuda from the image, or use another image.", "image"),
)

_COMPILED = tuple((re.compile(row[0], re.IGNORECASE | re.DOTALL),) + row[1:6] + (row[6] if len(row) > 6 else "",) for row in _TABLE)


def driver_for(cuda_major):
    """Oldest driver branch for a CUDA major version, as text, or None."""
    return _DRIVER_FOR_CUDA.get(cuda_major)


def cuda_level(number):
    """``11040`` as ``11.4``: the number in PyTorch's message is the driver's CUDA level, not its version."""
    try:
        n = int(number)
    except (TypeError, ValueError):
        return None
    return "%d.%d" % (n // 1000, n % 1000 // 10)


def diagnose(text):
    """All diagnoses for a text, each code once, in the order of the table. Total for any text or bytes."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = str(text)[-200000:]
    found, codes = [], set()
    for pattern, code, severity, owner, message, next_step, cause in _COMPILED:
        match = pattern.search(text)
        if not match or code in codes:
            continue
        codes.add(code)
        params = {k: v for k, v in match.groupdict().items() if v}
        if cause:
            params["cause"] = cause
        if "found" in params:
            params["driverCuda"] = cuda_level(params.pop("found")) or ""
        begin = max(0, text.rfind("\n", 0, match.start()) + 1, match.start() - 600)
        end = text.find("\n", match.end())
        evidence = text[begin: min(len(text) if end < 0 else end, match.end() + 600)]
        found.append(Diagnosis(code, severity, owner, message, params, evidence, next_step))
    return found


def report(ctx, text, params=None):
    """Writes a finding for every diagnosis; returns their codes (empty when the text is not known)."""
    codes = []
    for d in diagnose(text):
        ctx.finding(d.code, d.severity, d.owner, d.message, dict(params or {}, **d.params), d.evidence, d.next_step)
        codes.append(d.code)
    return codes
