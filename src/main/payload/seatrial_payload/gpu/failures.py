"""What a failed GPU program said, turned into whose fault it is and what to do next."""

import re

# (pattern, code, severity, owner, message, next step); the first that matches wins, so the specific come first.
_KNOWN = [
    (re.compile(pattern, re.I), code, severity, owner, message, step)
    for pattern, code, severity, owner, message, step in (
        (r"uncorrectable ECC error", "ECC_UNCORRECTED", "fail", "vendor",
         "The GPU reported a memory error that it could not correct.",
         "Give this machine back and ask the vendor for another card."),
        (r"no kernel image is available|is not compatible with the current PyTorch", "TORCH_ARCH_MISSING", "fail", "image",
         "This build of PyTorch has no code for this GPU.",
         "Use an image whose PyTorch was built for this compute capability (RTX 50 and B200 need CUDA 12.8 or later)."),
        (r"driver on your system is too old|driver version is insufficient", "CUDA_DRIVER_TOO_OLD", "fail", "vendor",
         "The host's driver is older than PyTorch's CUDA needs.",
         "Choose an image with an older CUDA, or ask the vendor for a newer driver (525 for CUDA 12, 580 for CUDA 13)."),
        (r"error 804|forward compatibility was attempted", "CUDA_ERROR_804", "fail", "image",
         "The image carries a newer libcuda than the host's driver, and this GPU does not allow that.",
         "Remove the compat libraries from the image, or use another image."),
        (r"error 802|system not yet initialized", "CUDA_ERROR_802", "fail", "vendor",
         "CUDA waits for the NVSwitch fabric: the host's fabric manager is not running.",
         "Ask the vendor to start the fabric manager, or take another host."),
        (r"not compiled with CUDA", "TORCH_CPU_ONLY", "fail", "image",
         "This PyTorch was built without CUDA.", "Use an image with a CUDA build of PyTorch."),
        (r"no module named .?torch", "TORCH_MISSING", "warn", "image",
         "No Python with PyTorch was found; the GPU was not measured.", "Use an image with PyTorch."),
        (r"Driver/library version mismatch", "DRIVER_LIB_MISMATCH", "fail", "vendor",
         "The driver's library and its kernel module are of different versions.", "Reboot or recreate the instance."),
        (r"GPU is lost|fallen off the bus|unable to determine the device handle", "GPU_LOST", "fail", "vendor",
         "A GPU disappeared from the machine.", "Give this machine back; its power, riser or board needs a look."),
        (r"/dev/shm|shared memory segment|unable to mmap", "SHM_SMALL", "warn", "image",
         "The shared memory of this container is too small for communication between GPUs.",
         "Ask for a larger /dev/shm (--shm-size), at least 1 GiB."),
        (r"peer access is not supported|peer mapping|p2p.*(fail|error|disabled)", "P2P_BROKEN", "warn", "vendor",
         "The GPUs of this machine cannot reach each other's memory.",
         "Ask the vendor about IOMMU, ACS and the virtual machine's topology."),
        (r"out of memory", "OTHER_TENANT_LOAD", "warn", "vendor",
         "The GPU has no room for a small test: someone else uses it, or it is a slice.",
         "Compare free with total memory; ask whether the card is shared."),
        (r"nccl|ProcessGroup|socketStartConnect|Bootstrap", "NCCL_FAILED", "fail", "unknown",
         "Communication between the GPUs failed.", "Look at the evidence; the repeated run without P2P names the cause."),
        (r"no CUDA GPUs are available|cudaGetDeviceCount|CUDA driver initialization failed|error 10[01]\b", "CUDA_UNUSABLE",
         "fail", "unknown", "CUDA sees no usable GPU.",
         "Check that the instance really has its GPU, and CUDA_VISIBLE_DEVICES in the image."),
        (r"unspecified launch failure|illegal memory access|CUDA error: unknown|misaligned address|CUDA error", "CUDA_UNUSABLE",
         "fail", "vendor", "A program known to be right was ended by a GPU error.",
         "Look for Xid lines; run again once, then on another machine."),
    )
]  # fmt: skip


def diagnose(text):
    """(code, severity, owner, message, next step) for a failure's text, or None when it is not a known one."""
    for pattern, code, severity, owner, message, step in _KNOWN:
        if pattern.search(str(text)[:200000]):
            return code, severity, owner, message, step
    return None


def report(context, result, what, params=None):
    """Writes the finding for an inner probe that gave no value. Returns its code."""
    params = dict(params or {}, probe=what)
    words = (result.error + "\n" + result.evidence()).strip()
    if result.timed_out:
        context.finding("PROBE_TIMEOUT", "fail", "unknown", "%s did not end in time." % what, params, words,
                        "A hang under load points to the GPU or its driver: run again, then try another machine.")
        return "PROBE_TIMEOUT"
    known = diagnose(words)
    if known:
        code, severity, owner, message, step = known
        context.finding(code, severity, owner, message, params, words, step)
        return code
    context.finding("CUDA_UNUSABLE", "fail", "unknown", "%s failed (exit status %s)." % (what, result.rc), params, words,
                    "Read the evidence; a signal 9 means that the machine's memory limit ended it.")
    return "CUDA_UNUSABLE"
