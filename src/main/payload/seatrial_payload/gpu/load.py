"""Steady load for the stability stage. Method ``soak/1``: bfloat16 products of 8192 (float16 before 8.0), no pause.

Each period writes one line to ``out``: when, how fast, and whether a fixed product still gives the very same bits.
At the moments named it also takes a canary: memory copy and host link, a few seconds.
"""

import json
import os
import time

from . import matmul, memory, torchbase

METHOD = "soak/1"


def run(**args):
    """args: gpu, seed, seconds, period, out, stop (file that ends it), shape, canaries ({label: epoch seconds})."""
    torch, device = torchbase.open_torch(args)
    wide = device.type != "cuda" or matmul.supported("bf16", torch.cuda.get_device_capability(device))
    shape = int(args.get("shape", matmul.SHAPE))
    dtype = "bf16" if wide else "fp16"
    multiply, left, right = matmul.prepare(torch, device, dtype, shape, int(args.get("seed", 1)))
    reference = multiply()
    torchbase.synchronize(torch, device)
    error = matmul.relative_error(torch, reference, left, right)
    per_call = torchbase.seconds_per_call(torch, device, multiply)
    iterations = torchbase.iterations_for(0.5, per_call, 1)
    facts = {"dtype": dtype, "shape": shape, "relativeError": error, "tolerance": matmul.TOLERANCE[dtype], "method": METHOD}
    facts.update(torchbase.device_facts(torch, device))
    periods, mismatches = 0, 0
    canaries = sorted((args.get("canaries") or {}).items(), key=lambda item: item[1])
    until = time.monotonic() + float(args["seconds"])
    with open(args["out"], "a", buffering=1) as out:
        out.write(json.dumps(dict(facts, ready=True, t=time.time())) + "\n")
        while time.monotonic() < until and not os.path.exists(args["stop"]):
            spent, calls, end = 0.0, 0, min(until, time.monotonic() + float(args.get("period", 10)))
            while calls == 0 or (time.monotonic() < end and not os.path.exists(args["stop"])):
                spent += torchbase.timed(torch, device, multiply, iterations)
                calls += iterations
            same = bool(torch.equal(reference, multiply()))
            periods, mismatches = periods + 1, mismatches + (not same)
            line = {"t": round(time.time(), 3), "tflops": round(calls * 2.0 * shape**3 / spent / 1e12, 3), "same": same}
            if not same:
                line["relativeError"] = matmul.relative_error(torch, multiply(), left, right)
            out.write(json.dumps(line) + "\n")
            while canaries and time.time() >= canaries[0][1]:
                label = canaries.pop(0)[0]
                out.write(json.dumps({"t": round(time.time(), 3), "canary": label, "figures": _canary(torch, device)}) + "\n")
    return dict(facts, periods=periods, mismatches=mismatches)


def _canary(torch, device):
    small = {"blocks": 3, "blockSeconds": 0.3, "copyBytes": 1 << 30, "pinnedBytes": 256 << 20}
    return memory.measure(torch, device, small)
