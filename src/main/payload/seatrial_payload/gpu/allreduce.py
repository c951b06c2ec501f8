"""One rank of an all-reduce by size. Method ``allreduce/1``: busbw = bytes / time x 2 (n - 1) / n, decimal GB.

Afterwards the ranks take steps as a training does: the same piece of work each, then an all-reduce. In such a loop all
ranks are as slow as the slowest, so their times of the whole say nothing of who it is; what tells is how long each of
them waits inside the all-reduce. The one that never waits is the one that all wait for.
"""

import datetime
import os
import threading
import time

from . import torchbase

METHOD = "allreduce/1"
STEPS, WARM_STEPS = 30, 5
STEP_BYTES = 32 << 20
STEP_SECONDS = 0.02


def run(**args):
    """args: rank, count, store (file that all ranks share), backend, gpu | device, sizes, iterations, abort, seconds,
    steps (0: none), extra (share of additional work of this rank, to see that a slow rank is found).

    The stage takes the slowest rank of each size. A rank leaves at once when another has failed (file ``abort``):
    an all-reduce with a missing rank never returns by itself.
    """
    torch, device = torchbase.open_torch(args)
    import torch.distributed as dist

    _leave_on(args.get("abort"))
    rank, count = int(args["rank"]), int(args["count"])
    dist.init_process_group(
        args.get("backend", "nccl"),
        init_method="file://" + args["store"],
        rank=rank,
        world_size=count,
        timeout=datetime.timedelta(seconds=float(args.get("seconds", 120))),
    )
    results = []
    for size in args["sizes"]:
        results.append(_size(torch, dist, device, int(size), rank, count, args))
        if results[-1].get("skipped"):
            break
    steps = _steps(torch, dist, device, args)
    dist.barrier()
    dist.destroy_process_group()
    facts = torchbase.device_facts(torch, device)
    return dict(facts, rank=rank, count=count, results=results, steps=steps, nccl=_nccl(torch, device), method=METHOD)


def _size(torch, dist, device, size, rank, count, args):
    if device.type == "cuda" and not _room(torch, dist, device, size):
        return {"bytes": size, "skipped": "memory"}
    elements = size // 4
    # Small whole numbers: their sum is exact in float32, so any difference is a wrong result and not rounding.
    pattern = (torch.arange(elements, device=device) % 251).float()
    data = pattern * (rank + 1)
    dist.all_reduce(data)
    wrong = int((data != pattern * (count * (count + 1) // 2)).sum().item())
    del pattern
    data.fill_(0.0)
    for _ in range(4):
        dist.all_reduce(data)
    iterations = int(args.get("iterations", 20))
    if size < 16 << 20:
        iterations *= 4
    torchbase.synchronize(torch, device)
    dist.barrier()
    blocks = []
    for _ in range(5):
        spent = torchbase.timed(torch, device, lambda: dist.all_reduce(data), max(1, iterations // 5))
        blocks.append(spent / max(1, iterations // 5))
    return {"bytes": size, "secondsPerCall": blocks, "wrong": wrong}


def _steps(torch, dist, device, args):
    """{"work": [seconds], "wait": [seconds], "bytes"} of this rank, one entry per step; None when none were asked for."""
    count = int(args.get("steps", STEPS))
    if not count:
        return None
    cuda = device.type == "cuda"
    shape, kind = (4096, torch.float16) if cuda else (256, torch.float32)
    left, right = (torch.randn(shape, shape, device=device).to(kind) for _ in range(2))
    data = torch.zeros((STEP_BYTES if cuda else 1 << 16) // 4, device=device)
    # The fastest decides for all how many products are one step's work.
    fastest = torch.tensor([torchbase.seconds_per_call(torch, device, lambda: torch.mm(left, right))], device=device)
    dist.all_reduce(fastest, op=dist.ReduceOp.MIN)
    products = torchbase.iterations_for(STEP_SECONDS, fastest.item(), 4, 2000)
    products = int(round(products * (1.0 + float(args.get("extra", 0)))))
    torchbase.synchronize(torch, device)
    dist.barrier()
    work, wait = [], []
    for _ in range(WARM_STEPS + count):
        marks = [_mark(torch, cuda)]
        for _ in range(products):
            torch.mm(left, right)
        marks.append(_mark(torch, cuda))
        dist.all_reduce(data)
        marks.append(_mark(torch, cuda))
        torchbase.synchronize(torch, device)
        work.append(_between(cuda, marks[0], marks[1]))
        wait.append(_between(cuda, marks[1], marks[2]))
    return {"work": work[WARM_STEPS:], "wait": wait[WARM_STEPS:], "bytes": data.numel() * 4}


def _mark(torch, cuda):
    if not cuda:
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def _between(cuda, first, last):
    return first.elapsed_time(last) / 1000.0 if cuda else last - first


def _room(torch, dist, device, size):
    """All ranks must agree whether to go on, else the next all-reduce waits for ever."""
    fits = torch.tensor([1.0 if torch.cuda.mem_get_info(device)[0] > 5 * size else 0.0], device=device)
    dist.all_reduce(fits, op=dist.ReduceOp.MIN)
    return bool(fits.item())


def _nccl(torch, device):
    if device.type != "cuda":
        return None
    version = torch.cuda.nccl.version()
    return ".".join(str(part) for part in version) if isinstance(version, tuple) else str(version)


def _leave_on(path):
    if not path:
        return

    def watch():
        while not os.path.exists(path):
            time.sleep(0.2)
        os._exit(17)

    threading.Thread(target=watch, daemon=True).start()
