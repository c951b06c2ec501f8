"""Compares the interconnect stage's all-reduce with an independent timing in plain torch, on the same machine, in turns.

    python3 src/test/payload/compare_allreduce.py OUT_DIR [TURNS] [BACKEND]

The independent side shares no code with the payload: its own processes and rendezvous, and a host clock around a batch
of calls between two synchronisations. Prints one table and writes OUT_DIR/allreduce.json; a miss of the 5 % aim is
printed like any other row. BACKEND gloo tries the harness itself between processes without a GPU.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PAYLOAD = os.path.join(HERE, "..", "..", "main", "payload")
AIM = 0.05
SIZES = {"nccl": [1 << 20, 16 << 20, 128 << 20, 1 << 30, 8 << 30], "gloo": [1 << 20, 4 << 20]}
RANKS_WITHOUT_GPU = 2


def independent(rank, count, port, backend):
    """One process of plain torch; rank 0 prints {bytes: GB/s}."""
    import torch
    import torch.distributed as dist

    where = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    if backend == "nccl":
        torch.cuda.set_device(where)
    dist.init_process_group(backend, init_method="tcp://127.0.0.1:%d" % port, rank=rank, world_size=count)
    figures = {}
    for size in SIZES[backend]:
        tensor = torch.full((size // 4,), float(rank + 1), device=where)
        calls = 200 if size < 64 << 20 else 20
        for _ in range(5):
            dist.all_reduce(tensor)
            tensor.fill_(1.0)
        spent = []
        for _ in range(5):
            dist.barrier()
            if backend == "nccl":
                torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(calls):
                dist.all_reduce(tensor)
            if backend == "nccl":
                torch.cuda.synchronize()
            spent.append((time.perf_counter() - begin) / calls)
            tensor.fill_(1.0)
        slowest = torch.tensor(spent, device=where)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        figures[size] = 2 * (count - 1) / count * size / statistics.median(slowest.tolist()) / 1e9
        del tensor
    if rank == 0:
        print(json.dumps(figures))
    dist.destroy_process_group()


def plain(count, backend):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    command = [sys.executable, os.path.abspath(__file__), "--rank"]
    ranks = [subprocess.Popen(command + [str(r), str(count), str(port), backend], stdout=subprocess.PIPE) for r in range(count)]
    out = [r.communicate(timeout=240)[0] for r in ranks]
    return {int(size): value for size, value in json.loads(out[0].splitlines()[-1].decode()).items()}


def payload(out, turn, backend):
    """One interconnect stage; returns {bytes: GB/s} and keeps its events."""
    env = dict(os.environ, SEATRIAL_DIR=os.path.join(out, "home"))
    spec, run_id = os.path.join(out, "spec.json"), "turn-%d" % turn
    section = {"sizes": SIZES[backend]} if backend == "nccl" else {"sizes": SIZES[backend], "backend": "gloo", "ranks": RANKS_WITHOUT_GPU}
    with open(spec, "w") as f:
        json.dump({"stage": "interconnect", "phase": "multi", "limitSeconds": 300, "interconnect": section}, f)
    subprocess.run([sys.executable, PAYLOAD, "run", "interconnect", "--id", run_id, "--spec", spec], env=env, check=True, stdout=subprocess.DEVNULL)
    events = os.path.join(env["SEATRIAL_DIR"], "runs", run_id, "events.jsonl")
    while True:
        time.sleep(0.5)
        with open(events) as f:
            lines = [json.loads(line) for line in f if line.endswith("\n")]
        if lines and lines[-1]["type"] == "end":
            break
    with open(os.path.join(out, "interconnect-%d.jsonl" % turn), "w") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)
    return {e["attrs"]["bytes"]: e["value"] for e in lines if e["type"] == "measurement" and e["name"] == "allreduce_busbw"}


def main(out, turns, backend):
    os.makedirs(out, exist_ok=True)
    count = RANKS_WITHOUT_GPU
    if backend == "nccl":
        count = int(subprocess.check_output([sys.executable, "-c", "import torch; print(torch.cuda.device_count())"]))
    ours, theirs = [], []
    for turn in range(turns):
        # The order changes each turn, so that a machine that warms up favours neither.
        for side in ("plain", "ours") if turn % 2 == 0 else ("ours", "plain"):
            if side == "plain":
                theirs.append(plain(count, backend))
            else:
                ours.append(payload(out, turn, backend))
    rows = {}
    for size in SIZES[backend]:
        ratios = [a[size] / b[size] for a in ours for b in theirs if size in a]
        if ratios:
            rows[size] = {"ours": [a.get(size) for a in ours], "plain": [b[size] for b in theirs],
                          "medianRatio": statistics.median(ratios), "range": [min(ratios), max(ratios)]}
    with open(os.path.join(out, "allreduce.json"), "w") as f:
        json.dump({"turns": turns, "ranks": count, "backend": backend, "rows": rows}, f, indent=1)
    print("all-reduce over %d ranks, %s, %d turns of each" % (count, backend, turns))
    for size, row in rows.items():
        verdict = "ok" if abs(row["medianRatio"] - 1) <= AIM else "MISS"
        print("%10d bytes  ours %8.2f plain %8.2f GB/s  ratio %.3f (%.3f..%.3f) %s" % (
            size, statistics.median(x for x in row["ours"] if x), statistics.median(row["plain"]), row["medianRatio"], *row["range"], verdict))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--rank"]:
        independent(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    elif 2 <= len(sys.argv) <= 4:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3, sys.argv[3] if len(sys.argv) > 3 else "nccl")
    else:
        sys.exit(__doc__)
