"""Device memory bandwidth and the host link, pinned, both directions. Methods ``copy/1`` and ``pinned/1``."""

import time

from . import torchbase

COPY_METHOD = "copy/1"
PINNED_METHOD = "pinned/1"
GIB = 1 << 30


def run(**args):
    """args: gpu, what (list of "copy", "h2d", "d2h"), blocks, blockSeconds, copyBytes, pinnedBytes, meet.

    The copy counts bytes read and bytes written. Buffers shrink to an eighth of the free memory, and say so.
    """
    torch, device = torchbase.open_torch(args)
    return dict(measure(torch, device, args), **torchbase.device_facts(torch, device))


def measure(torch, device, args):
    blocks, seconds = int(args.get("blocks", 5)), float(args.get("blockSeconds", 0.5))
    what = args.get("what") or ["copy", "h2d", "d2h"]
    free = torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else 8 * GIB
    answer = {"blockSeconds": seconds}
    if "copy" in what:
        size = _size(args.get("copyBytes", 4 * GIB), free)
        source = _pattern(torch, size, int(args.get("seed", 1)), device)
        target = torch.empty_like(source)
        figures = _rate(torch, device, lambda: target.copy_(source), 2 * size, blocks, seconds)
        answer["copy"] = {"gbs": figures, "bytes": size, "equal": bool(torch.equal(source, target)), "method": COPY_METHOD}
        del source, target
    if "h2d" in what or "d2h" in what:
        answer.update(_link(torch, device, args, what, blocks, seconds, free))
    return answer


def _link(torch, device, args, what, blocks, seconds, free):
    size = _size(args.get("pinnedBytes", GIB // 2), free)
    host = _pattern(torch, size, int(args.get("seed", 1)), torch.device("cpu"))
    back = torch.empty_like(host)
    pinned = True
    if device.type == "cuda":
        try:
            host, back = host.pin_memory(), back.pin_memory()
        except RuntimeError:  # no locked memory allowed: the figure is then of another method, and is marked so
            pinned = False
    there = torch.empty(size, dtype=torch.uint8, device=device)
    answer = {"pinned": pinned, "pinnedBytes": size, "pinnedMethod": PINNED_METHOD}
    answer["met"] = torchbase.meet(args)
    started = time.time()
    if "h2d" in what:
        answer["h2d"] = _rate(torch, device, lambda: there.copy_(host, non_blocking=True), size, blocks, seconds)
    if "d2h" in what:
        there.copy_(host)
        answer["d2h"] = _rate(torch, device, lambda: back.copy_(there, non_blocking=True), size, blocks, seconds)
    answer["from"], answer["to"] = started, time.time()
    there.copy_(host)
    back.copy_(there)
    torchbase.synchronize(torch, device)
    answer["linkEqual"] = bool(torch.equal(host, back))
    return answer


def _rate(torch, device, function, moved, blocks, seconds):
    per_call = torchbase.seconds_per_call(torch, device, function)
    iterations = torchbase.iterations_for(seconds, per_call, 2)
    return [iterations * moved / torchbase.timed(torch, device, function, iterations) / 1e9 for _ in range(blocks)]


def _size(wanted, free):
    return max(1 << 20, min(int(wanted), free // 8 // (1 << 20) * (1 << 20)))


def _pattern(torch, size, seed, device):
    """Random bytes; a random piece repeated, since drawing gigabytes on a host costs more than copying them."""
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    piece = torch.randint(0, 256, (min(size, 16 << 20),), generator=generator, dtype=torch.uint8, device=device)
    return piece.repeat(-(-size // piece.numel()))[:size].contiguous()
