"""Speed of one host core, in million rounds a second of a fixed integer loop. Method ``host-core/1``.

Pure Python on purpose: it needs nothing, and what starves a GPU on a weak host is exactly an interpreter that
launches kernels. Compare only between runs of the same Python minor version; the answer names it.
"""

import sys
import time

METHOD = "host-core/1"
ROUNDS = 2000000


def run(**args):
    """args: blocks, rounds."""
    rounds = int(args.get("rounds", ROUNDS))
    _work(rounds // 4)
    figures = []
    for _ in range(int(args.get("blocks", 5))):
        start = time.perf_counter()
        value = _work(rounds)
        figures.append(rounds / (time.perf_counter() - start) / 1e6)
    right = _expected(rounds) == value
    return {"mops": figures, "right": right, "method": METHOD, "python": "%d.%d" % sys.version_info[:2]}


def _work(rounds):
    value = 1
    for _ in range(rounds):
        value = (value * 1103515245 + 12345) & 0x7FFFFFFF
    return value


def _expected(rounds):
    """The same value by repeated squaring of the affine step, so that a wrong core does not go unseen."""
    factor, add, total_factor, total_add, left = 1103515245, 12345, 1, 0, rounds
    while left:
        if left & 1:
            total_factor, total_add = (total_factor * factor) & 0x7FFFFFFF, (total_add * factor + add) & 0x7FFFFFFF
        factor, add = (factor * factor) & 0x7FFFFFFF, (add * factor + add) & 0x7FFFFFFF
        left >>= 1
    return (total_factor + total_add) & 0x7FFFFFFF
