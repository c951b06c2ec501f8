"""Compares fio with the Python fallback on one device, in turns, and prints the ratios.

    python3 src/test/payload/compare_fio.py [DIRECTORY] [ROUNDS] [SECONDS]

Aim: within 15 % for sequential, 25 % for random access. A miss is printed, not repeated until it fits.
"""

import os
import shutil
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "main", "payload")))

from seatrial_payload import disktools, probes  # noqa: E402
from seatrial_payload.inner import disk  # noqa: E402
from seatrial_payload.stages.storage import _Work  # noqa: E402


def fio(path, size, mode, block, depth, jobs, seconds):
    work = _Work.__new__(_Work)
    work.file, work.size = path, size
    result = probes.run_probe(work._fio_argv(mode, block, depth, jobs, seconds, "libaio"), seconds + 60)
    side = disktools.parse_fio(result.out)["write" if mode == "write" else "read"]
    return side["iops"] if mode == "randread" else side["bw"] / 1e9


def python(path, mode, seconds, turn):
    if mode == "randread":
        return statistics.median(disk.random_read(path, seconds, True, turn)["samples"])
    return statistics.median(disk.sequential(path, mode, seconds)["samples"]) / 1e9


def main(argv):
    folder = tempfile.mkdtemp(prefix=".seatrial-compare-", dir=argv[0] if argv else None)
    rounds, seconds = int(argv[1]) if len(argv) > 1 else 5, int(argv[2]) if len(argv) > 2 else 5
    path = os.path.join(folder, "work")
    worst = 0
    try:
        laid = disk.lay_out(path, 4 << 30, True, 60)
        print("file: %d MiB" % (laid["bytes"] >> 20))
        for mode, block, depth, jobs, unit, aim in (
            ("write", "1M", 16, 1, "GB/s", 0.15), ("read", "1M", 16, 1, "GB/s", 0.15), ("randread", "4k", 32, 4, "IOPS", 0.25)):
            ratios = []
            for turn in range(rounds):
                # The order changes each round, so that a disk's burst allowance favours neither.
                if turn % 2:
                    mine, theirs = python(path, mode, seconds, turn), fio(path, laid["bytes"], mode, block, depth, jobs, seconds)
                else:
                    theirs, mine = fio(path, laid["bytes"], mode, block, depth, jobs, seconds), python(path, mode, seconds, turn)
                ratios.append(mine / theirs)
                print("%-8s round %d  fio %10.3f  python %10.3f %s  ratio %.3f" % (mode, turn + 1, theirs, mine, unit, ratios[-1]), flush=True)
            middle = statistics.median(ratios)
            hit = abs(middle - 1) <= aim
            worst |= not hit
            print("%-8s median ratio %.3f, range %.3f to %.3f, aim within %.0f %%: %s" % (mode, middle, min(ratios), max(ratios), 100 * aim, "met" if hit else "MISSED"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
