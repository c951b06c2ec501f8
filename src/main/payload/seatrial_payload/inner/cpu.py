"""Speed of one core and of all usable cores.

The unit of work is one 64-byte block of MD5: integer work in cache that no processor has a special
instruction for, written in C, so that images with different Python versions give equal figures.
The interpreter's own speed is told beside it, since launching GPU work depends on it.
"""

import hashlib
import sys
import threading
import time

BUFFER = 1 << 20
BLOCK = 64


def _hasher():
    try:
        return hashlib.md5(usedforsecurity=False)
    except TypeError:
        return hashlib.md5()


def _steal():
    """(steal, total) clock ticks of all CPUs so far, or None."""
    try:
        with open("/proc/stat") as f:
            ticks = [int(x) for x in f.readline().split()[1:9]]
        return (ticks[7], sum(ticks)) if len(ticks) == 8 else None
    except (OSError, ValueError, IndexError):
        return None


def _spin(data, seconds, out, slot, start):
    start.wait()
    h = _hasher()
    blocks = 0
    began = time.perf_counter()
    while True:
        h.update(data)
        blocks += BUFFER // BLOCK
        spent = time.perf_counter() - began
        if spent >= seconds:
            break
    out[slot] = blocks / spent / 1e6


def _rate(threads, seconds):
    """Million blocks per second of so many threads together (MD5 of large buffers runs without the interpreter's lock)."""
    data = bytes(i * 7 & 255 for i in range(BUFFER))
    out = [0.0] * threads
    start = threading.Event()
    workers = [threading.Thread(target=_spin, args=(data, seconds, out, i, start), daemon=True) for i in range(threads)]
    for w in workers:
        w.start()
    start.set()
    for w in workers:
        w.join()
    return sum(out)


def _interpreter(seconds):
    """Million turns per second of a small loop of dictionary, list and integer work."""
    turns, table, items = 0, {}, list(range(64))
    began = time.perf_counter()
    while True:
        for i in items:
            table[i & 15] = table.get(i & 15, 0) + i
        turns += 64
        spent = time.perf_counter() - began
        if spent >= seconds:
            return turns / spent / 1e6


def run(threads, blocks=5, seconds=0.4):
    """{single: [...], all: [...], interpreter: [...], stealShare, python}"""
    _rate(1, 0.2)
    single = [_rate(1, seconds) for _ in range(blocks)]
    interpreter = [_interpreter(seconds / 2) for _ in range(blocks)]
    before = _steal()
    together = [_rate(threads, seconds) for _ in range(blocks)]
    after = _steal()
    share = None
    if before and after and after[1] > before[1]:
        share = (after[0] - before[0]) / (after[1] - before[1])
    return {"single": single, "all": together, "threads": threads, "interpreter": interpreter, "stealShare": share,
            "python": "%d.%d.%d" % sys.version_info[:3]}
