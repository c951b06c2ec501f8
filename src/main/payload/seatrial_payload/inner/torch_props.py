"""What PyTorch says about itself and the cards, a tiny correctness check, and a short load on request."""

import time

from ..probes import emit_part


def run(load_seconds=0.0, seed=1):
    """Hands over ``versions`` at once, then ``devices``; with a load it says ``loading`` when it begins."""
    began = time.monotonic()
    import torch

    out = {
        "torch": str(torch.__version__),
        "torchCuda": torch.version.cuda,
        "hip": getattr(torch.version, "hip", None),
        "importSeconds": round(time.monotonic() - began, 2),
        "archList": [],
        "nccl": None,
        "cudnn": None,
    }
    try:
        out["archList"] = list(torch.cuda.get_arch_list())
    except Exception as e:  # every part is told on its own, whatever fails in another
        out["archError"] = str(e)[:500]
    try:
        v = torch.cuda.nccl.version()
        out["nccl"] = ".".join(map(str, v)) if isinstance(v, tuple) else str(v)
    except Exception:
        pass
    try:
        v = torch.backends.cudnn.version()
        if v:
            out["cudnn"] = "%d.%d.%d" % ((v // 10000, v % 10000 // 100, v % 100) if v >= 90000 else (v // 1000, v % 1000 // 100, v % 100))
    except Exception:
        pass
    emit_part({"versions": out})
    if not torch.version.cuda:
        return {"available": False, "error": "Torch not compiled with CUDA enabled"}
    try:
        torch.cuda.init()
        count = torch.cuda.device_count()
    except Exception as e:
        return {"available": False, "error": "%s: %s" % (type(e).__name__, e)}
    devices = []
    for i in range(count):
        p = torch.cuda.get_device_properties(i)
        d = {
            "ordinal": i, "name": p.name, "smCount": p.multi_processor_count, "memoryMiB": p.total_memory >> 20,
            "computeCapability": "%d.%d" % (p.major, p.minor),
            "uuid": "GPU-" + str(p.uuid) if hasattr(p, "uuid") else None,
        }
        try:
            d.update(_check(torch, i, seed))
        except Exception as e:
            d["error"] = "%s: %s" % (type(e).__name__, str(e)[:1500])
        devices.append(d)
        emit_part({"device": d})
    if load_seconds and devices and not devices[0].get("error"):
        emit_part({"loading": True})
        try:
            _load(torch, count, load_seconds, seed)
        except Exception as e:
            return {"available": True, "loadError": "%s: %s" % (type(e).__name__, str(e)[:1500])}
    return {"available": True, "error": ""}


def _check(torch, index, seed):
    """A small product on the card against the same on the CPU in double precision."""
    g = torch.Generator().manual_seed(seed + index)
    a, b = (torch.randn(256, 256, generator=g) for _ in range(2))
    old = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        got = (a.cuda(index) @ b.cuda(index)).double().cpu()
    finally:
        torch.backends.cuda.matmul.allow_tf32 = old
    want = a.double() @ b.double()
    error = float((got - want).abs().max())
    free, total = torch.cuda.mem_get_info(index) if hasattr(torch.cuda, "mem_get_info") else (None, None)
    return {"maxError": error, "correct": error == error and error < 1e-2,
            "freeMiB": free >> 20 if free is not None else None, "totalMiB": total >> 20 if total is not None else None}


def _load(torch, count, seconds, seed):
    """Copies and products on all cards, so that links and clocks show their working state."""
    buffers = []
    for i in range(count):
        host = torch.empty(64 << 20, dtype=torch.uint8).random_(0, 255)
        try:
            host = host.pin_memory()
        except RuntimeError:
            pass
        buffers.append((i, host, torch.empty(64 << 20, dtype=torch.uint8, device="cuda:%d" % i), torch.randn(2048, 2048, device="cuda:%d" % i)))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for i, host, card, square in buffers:
            with torch.cuda.device(i):
                for _ in range(4):
                    card.copy_(host, non_blocking=True)
                    host.copy_(card, non_blocking=True)
                    torch.mm(square, square)
        for i in range(count):
            torch.cuda.synchronize(i)
