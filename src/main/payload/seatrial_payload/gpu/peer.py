"""Copies between every ordered pair of GPUs. Method ``peer-copy/1``."""

from . import torchbase

METHOD = "peer-copy/1"


def run(**args):
    """args: gpus (UUIDs or indices, in order), bytes, blocks. One entry per ordered pair, with the data compared."""
    torch, _ = torchbase.open_torch(args)
    count = torch.cuda.device_count()
    size = int(args.get("bytes", 256 << 20))
    pairs = []
    for source in range(count):
        for target in range(count):
            if source != target:
                pairs.append(_pair(torch, source, target, size, int(args.get("blocks", 5))))
    return {"count": count, "pairs": pairs, "bytes": size, "method": METHOD, "torch": str(torch.__version__)}


def _pair(torch, source, target, size, blocks):
    here, there = torch.device("cuda", source), torch.device("cuda", target)
    torch.cuda.set_device(source)
    generator = torch.Generator(device=here)
    generator.manual_seed(source * 64 + target + 1)
    data = torch.randint(0, 256, (size,), generator=generator, dtype=torch.uint8, device=here)
    copy = torch.zeros(size, dtype=torch.uint8, device=there)
    figures = []
    for block in range(blocks + 1):
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        for _ in range(8):
            copy.copy_(data, non_blocking=True)
        last.record()
        last.synchronize()
        torch.cuda.synchronize(there)
        if block:  # the first pays for opening the peer mapping
            figures.append(8 * size / (first.elapsed_time(last) / 1000.0) / 1e9)
    equal = bool(torch.equal(data.cpu(), copy.cpu()))
    access = bool(torch.cuda.can_device_access_peer(source, target))
    return {"from": source, "to": target, "access": access, "gbs": figures, "equal": equal}
