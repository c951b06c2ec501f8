"""Compares the compute stage with an independent timing in plain torch, on the same machine, taking turns.

    python3 src/test/payload/compare_compute.py OUT_DIR [TURNS]

The independent side shares no code with the payload: host clock instead of device events, its own data and loops.
Prints one table and writes OUT_DIR/compare.json; a miss of the 3 % aim is printed like any other row.
"""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAYLOAD = os.path.join(HERE, "..", "..", "main", "payload")
AIM = 0.03


def independent():
    """One turn of plain torch; prints JSON."""
    import torch

    gpu, figures = torch.device("cuda"), {}

    def clock(call, seconds, least=3):
        torch.cuda.synchronize()
        calls, start = 0, time.perf_counter()
        while calls < least or time.perf_counter() - start < seconds:
            for _ in range(4):
                call()
            torch.cuda.synchronize()
            calls += 4
        return (time.perf_counter() - start) / calls

    size = 8192
    for name, dtype in (("bf16", torch.bfloat16), ("fp16", torch.float16), ("tf32", torch.float32), ("fp32", torch.float32), ("fp8", torch.float32)):
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        x, y = (torch.empty(size, size, device=gpu).normal_().to(dtype) for _ in "xy")
        call = lambda: x @ y  # noqa: E731
        if name == "fp8":
            x, y = x.to(torch.float8_e4m3fn), y.to(torch.float8_e4m3fn).t()
            unit = torch.tensor(1.0, device=gpu)
            call = lambda: torch._scaled_mm(x, y, scale_a=unit, scale_b=unit, out_dtype=torch.bfloat16)  # noqa: E731
        clock(call, 0.05)
        short = []
        for _ in range(7):
            time.sleep(0.3)
            call()
            short.append(2 * size**3 / clock(call, 0.05) / 1e12)
        figures["matmul_%s_short" % name] = statistics.median(short)
        clock(call, 4)
        figures["matmul_%s_sustained" % name] = 2 * size**3 / clock(call, 10) / 1e12
        del x, y, call
    torch.cuda.empty_cache()
    one = torch.empty(1 << 30, device=gpu).normal_()
    two = torch.empty_like(one)
    clock(lambda: two.copy_(one), 0.2)
    figures["memory_copy"] = 2 * one.nbytes / clock(lambda: two.copy_(one), 1.5) / 1e9
    del one, two
    host = torch.empty(1 << 30, dtype=torch.uint8, pin_memory=True)
    card = torch.empty(1 << 30, dtype=torch.uint8, device=gpu)
    for name, target, source in (("h2d_pinned", card, host), ("d2h_pinned", host, card)):
        figures[name] = host.nbytes / clock(lambda: target.copy_(source, non_blocking=True), 1.5) / 1e9
    print(json.dumps(figures))


def payload(out, turn):
    """One quick compute stage; returns its figures and seconds."""
    home = os.path.join(out, "home")
    env = dict(os.environ, SEATRIAL_DIR=home)
    spec = os.path.join(out, "spec.json")
    with open(spec, "w") as f:
        json.dump({"stage": "compute", "gpus": "all", "quick": True, "limitSeconds": 300, "seed": 1}, f)
    start, run_id = time.time(), "turn-%d" % turn
    subprocess.run([sys.executable, PAYLOAD, "run", "compute", "--id", run_id, "--spec", spec], env=env, check=True, stdout=subprocess.DEVNULL)
    events = os.path.join(home, "runs", run_id, "events.jsonl")
    while True:
        time.sleep(0.5)
        with open(events) as f:
            lines = [json.loads(line) for line in f if line.endswith("\n")]
        if lines and lines[-1]["type"] == "end":
            break
    seconds = time.time() - start
    with open(os.path.join(out, "compute-%d.jsonl" % turn), "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)
    return {e["name"]: e["value"] for e in lines if e["type"] == "measurement"}, seconds


def main(out, turns):
    os.makedirs(out, exist_ok=True)
    ours, theirs, seconds = [], [], []
    for turn in range(turns):
        asked = subprocess.run([sys.executable, __file__, "--independent"], stdout=subprocess.PIPE, check=True)
        theirs.append(json.loads(asked.stdout.splitlines()[-1].decode()))
        figures, spent = payload(out, turn)
        ours.append(figures)
        seconds.append(spent)
    rows = {}
    for name in theirs[0]:
        ratios = [a[name] / b[name] for a in ours for b in theirs if name in a]
        if ratios:
            rows[name] = {"ours": [a.get(name) for a in ours], "plain": [b[name] for b in theirs],
                          "medianRatio": statistics.median(ratios), "range": [min(ratios), max(ratios)]}
    with open(os.path.join(out, "compare.json"), "w") as f:
        json.dump({"turns": turns, "stageSeconds": seconds, "rows": rows}, f, indent=1)
    print("turns %d, stage seconds %s" % (turns, ["%.0f" % s for s in seconds]))
    for name, row in rows.items():
        verdict = "ok" if abs(row["medianRatio"] - 1) <= AIM else "MISS"
        print("%-24s ours %10.1f plain %10.1f ratio %.3f (%.3f..%.3f) %s" % (
            name, statistics.median(x for x in row["ours"] if x), statistics.median(row["plain"]), row["medianRatio"], *row["range"], verdict))


if __name__ == "__main__":
    if sys.argv[1:] == ["--independent"]:
        independent()
    elif len(sys.argv) in (2, 3):
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 3)
    else:
        sys.exit(__doc__)
