"""What every probe on torch shares: opening one device, timing blocks, agreeing on a common start."""

import os
import statistics
import time


def open_torch(args):
    """Imports torch so that it sees exactly the GPUs named, and returns (torch, device).

    ``gpu`` is a UUID (preferred: vendors renumber indices) or an index, ``gpus`` a list of them, ``device`` may be
    "cpu" for machines without a GPU. The variables must be set before torch is imported.
    """
    for name, value in (args.get("env") or {}).items():
        os.environ[str(name)] = str(value)
    if args.get("device") == "cpu":
        import torch

        return torch, torch.device("cpu")
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    if args.get("gpus"):
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(g) for g in args["gpus"])
    elif args.get("gpu") is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = str(args["gpu"])
    import torch

    torch.cuda.init()
    torch.cuda.set_device(0)
    return torch, torch.device("cuda", 0)


def synchronize(torch, device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def timed(torch, device, function, iterations):
    """Seconds that ``iterations`` calls take, by device events on a GPU and by the host's clock elsewhere."""
    if device.type != "cuda":
        start = time.perf_counter()
        for _ in range(iterations):
            function()
        return time.perf_counter() - start
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    first.record()
    for _ in range(iterations):
        function()
    last.record()
    last.synchronize()
    return first.elapsed_time(last) / 1000.0


def seconds_per_call(torch, device, function):
    """A first estimate, after two calls that pay for handles and kernel choice."""
    timed(torch, device, function, 2)
    return max(timed(torch, device, function, 3) / 3, 1e-7)


def iterations_for(seconds, per_call, least=3, most=20000):
    return int(max(least, min(most, round(seconds / per_call))))


def median(values):
    return statistics.median(values) if values else None


def meet(args):
    """Waits until all probes of a group are ready, so that "all at once" is at once.

    ``meet`` is {"dir", "name", "count", "seconds"}. Returns whether everybody came.
    """
    spot = args.get("meet")
    if not spot:
        return True
    os.makedirs(spot["dir"], exist_ok=True)
    with open(os.path.join(spot["dir"], spot["name"]), "w") as mark:
        mark.write("ready")
    until = time.monotonic() + float(spot.get("seconds", 60))
    while time.monotonic() < until:
        if len(os.listdir(spot["dir"])) >= int(spot["count"]):
            return True
        time.sleep(0.01)
    return False


def device_facts(torch, device):
    """Which device answered, so that a figure can be tied to a UUID even without nvidia-smi."""
    facts = {"torch": str(torch.__version__), "torchCuda": getattr(torch.version, "cuda", None)}
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        uuid = getattr(properties, "uuid", None)
        facts.update(
            name=properties.name,
            smCount=properties.multi_processor_count,
            capability="%d.%d" % (properties.major, properties.minor),
            memoryBytes=properties.total_memory,
            uuid=("GPU-%s" % uuid if uuid is not None and not str(uuid).startswith(("GPU-", "MIG-")) else uuid and str(uuid)),
        )
    return facts


def devices(**args):
    """All devices that torch sees, for machines on which nvidia-smi does not answer."""
    import torch

    found = []
    for index in range(torch.cuda.device_count()):
        facts = device_facts(torch, torch.device("cuda", index))
        found.append(dict(facts, index=index))
    return {"devices": found, "torch": str(torch.__version__)}
