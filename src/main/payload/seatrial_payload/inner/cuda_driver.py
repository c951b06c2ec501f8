"""Asks the CUDA driver library itself, without PyTorch: does it start, and what are the cards?"""

import ctypes

_ATTRIBUTES = {"smCount": 16, "major": 75, "minor": 76, "pciBus": 33, "pciDevice": 34, "pciDomain": 50}
_NAMES = {
    3: "not initialized", 34: "stub library", 35: "driver too old", 100: "no device", 101: "invalid device",
    214: "uncorrectable ECC error", 802: "system not yet initialized", 803: "driver and library do not fit",
    804: "forward compatibility was attempted on non supported HW", 999: "unknown error",
}


def run():
    """{loaded, error, driverCuda, devices: [...]}; error is text that ``diagnose`` knows."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as e:
        return {"loaded": False, "error": str(e)[:500], "driverCuda": None, "devices": []}
    version = ctypes.c_int(0)
    level = None
    if cuda.cuDriverGetVersion(ctypes.byref(version)) == 0 and version.value:
        level = "%d.%d" % (version.value // 1000, version.value % 1000 // 10)
    code = cuda.cuInit(0)
    if code:
        return {"loaded": True, "code": code, "driverCuda": level, "devices": [],
                "error": "cuInit: Error %d: %s" % (code, _NAMES.get(code, "see the CUDA driver's list of results"))}
    count = ctypes.c_int(0)
    code = cuda.cuDeviceGetCount(ctypes.byref(count))
    if code:
        return {"loaded": True, "code": code, "driverCuda": level, "devices": [], "error": "cuDeviceGetCount: Error %d" % code}
    return {"loaded": True, "error": "", "driverCuda": level, "devices": [_device(cuda, i) for i in range(min(count.value, 256))]}


def _device(cuda, index):
    device = ctypes.c_int(0)
    cuda.cuDeviceGet(ctypes.byref(device), index)
    out = {"ordinal": index}
    value = ctypes.c_int(0)
    for name, attribute in _ATTRIBUTES.items():
        ok = cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) == 0
        out[name] = value.value if ok else None
    name = ctypes.create_string_buffer(256)
    out["name"] = name.value.decode("utf-8", "replace") if cuda.cuDeviceGetName(name, 256, device) == 0 else None
    size = ctypes.c_size_t(0)
    out["memoryMiB"] = size.value >> 20 if cuda.cuDeviceTotalMem_v2(ctypes.byref(size), device) == 0 else None
    raw = (ctypes.c_ubyte * 16)()
    if hasattr(cuda, "cuDeviceGetUuid") and cuda.cuDeviceGetUuid(raw, device) == 0:
        h = bytes(raw).hex()
        out["uuid"] = "GPU-%s-%s-%s-%s-%s" % (h[:8], h[8:12], h[12:16], h[16:20], h[20:])
    return out
