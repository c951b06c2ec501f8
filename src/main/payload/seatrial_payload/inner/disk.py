"""Disk work in plain Python: O_DIRECT, page-aligned buffers, many requests at once.

Requests in flight are threads (a read or write runs without the interpreter's lock); random reads
use several processes as well, since one interpreter cannot issue enough of them. Shared memory,
semaphores and pools are not used: containers without /dev/shm have none.
"""

import errno
import itertools
import json
import mmap
import os
import random
import threading
import time

from . import aio
from ..probes import emit_part

BLOCK = 1 << 20
SMALL = 4096
RAMP = 0.5
O_DIRECT = getattr(os, "O_DIRECT", 0)


def _buffer(size, fill=False):
    m = mmap.mmap(-1, size)
    if fill:
        m.write(os.urandom(size))
    return m


def _stamp(view, number):
    """Makes every 4 KiB of a block different from all others, so that no store can deduplicate it."""
    pages = len(view) // SMALL
    for place in range(3):
        view[64 + place::SMALL] = bytes([(number >> (8 * place)) & 255]) * pages


def supports_direct(path):
    """Whether the file system takes and really serves direct requests; some open, then fail on reading."""
    if not O_DIRECT:
        return {"direct": False, "why": "no O_DIRECT on this system"}
    fd = None
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | O_DIRECT, 0o600)
        m = _buffer(SMALL, True)
        want = m[:]
        if os.pwritev(fd, [m], 0) != SMALL:
            return {"direct": False, "why": "short write"}
        os.fsync(fd)
        got = _buffer(SMALL)
        if os.preadv(fd, [got], 0) != SMALL or got[:] != want:
            return {"direct": False, "why": "what was written is not what is read"}
        return {"direct": True, "why": ""}
    except OSError as e:
        return {"direct": False, "errno": e.errno, "why": "%s (%s)" % (e.strerror, errno.errorcode.get(e.errno, e.errno))}
    finally:
        if fd is not None:
            os.close(fd)


class _Slices:
    """Work done per slice of time, after the ramp."""

    def __init__(self, seconds, count):
        self.count = count
        self.length = seconds / count
        self.begin = time.perf_counter() + RAMP
        self.end = self.begin + seconds

    def index(self, moment):
        n = int((moment - self.begin) / self.length) if moment >= self.begin else -1
        return n if n < self.count else -1


def _run_threads(depth, work):
    """Runs ``work(number)`` in so many threads; returns the first OSError, if any."""
    errors = []

    def guard(n):
        try:
            work(n)
        except OSError as e:
            errors.append(e)

    threads = [threading.Thread(target=guard, args=(n,), daemon=True) for n in range(depth)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors[0] if errors else None


def _told(error):
    return None if error is None else {"errno": error.errno, "name": errno.errorcode.get(error.errno, ""), "text": error.strerror}


def lay_out(path, size, direct, limit, depth=16):
    """Writes the work file with random data, for at most ``limit`` seconds. {bytes, seconds, error}"""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | (O_DIRECT if direct else 0), 0o600)
    numbers = itertools.count()
    done = [0] * depth
    reached = []
    end = time.perf_counter() + limit

    def work(n):
        view = memoryview(_buffer(BLOCK, True))
        while time.perf_counter() < end:
            number = next(numbers)
            if (number + 1) * BLOCK > size:
                return
            _stamp(view, number)
            if os.pwritev(fd, [view], number * BLOCK) != BLOCK:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            done[n] += BLOCK
        reached.append(True)

    began = time.perf_counter()
    error = _run_threads(depth, work)
    try:
        os.fsync(fd)
    except OSError as e:
        error = error or e
    spent = time.perf_counter() - began
    # Holes at the end would be read without the disk.
    whole = max(0, sum(done) - (depth * BLOCK if error else 0))
    try:
        os.ftruncate(fd, whole)
        if not direct:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError:
        pass
    os.close(fd)
    return {"bytes": whole, "seconds": spent, "error": _told(error), "cut": bool(reached)}


def sequential(path, mode, seconds, slices=5, depth=16):
    """Direct reads or writes of 1 MiB in turn through the file, again and again. {samples in bytes/s, error}"""
    size = os.path.getsize(path) // BLOCK
    if size == 0:
        return {"samples": [], "error": {"errno": 0, "name": "", "text": "the work file is empty"}}
    fd = os.open(path, (os.O_RDONLY if mode == "read" else os.O_WRONLY) | O_DIRECT)
    queue = aio.open_queue(fd, depth, BLOCK, mode == "write")
    clock = _Slices(seconds, slices)
    if queue is not None:
        total, error = _sequential_queue(queue, size, mode, clock)
    else:
        total, error = _sequential_threads(fd, size, mode, clock, depth)
    if mode == "write":
        try:
            os.fsync(fd)
        except OSError as e:
            error = error or e
    os.close(fd)
    return {"samples": [t / clock.length for t in total], "error": _told(error), "engine": "threads" if queue is None else "aio"}


def _sequential_queue(queue, size, mode, clock):
    total, number, batch = [0] * clock.count, 0, []
    slots, error = list(range(queue.depth)), None
    try:
        while True:
            for slot in slots:
                if mode == "write":
                    _stamp(queue.buffer(slot), number + (1 << 20))
                batch.append((slot, number % size * BLOCK))
                number += 1
            queue.submit(batch)
            batch = []
            slots = queue.completed()
            moment = time.perf_counter()
            if moment >= clock.end:
                break
            at = clock.index(moment)
            if at >= 0:
                total[at] += len(slots) * BLOCK
    except OSError as e:
        error = e
    queue.close()
    return total, error


def _sequential_threads(fd, size, mode, clock, depth):
    numbers = itertools.count()
    total = [[0] * clock.count for _ in range(depth)]

    def work(n):
        view = memoryview(_buffer(BLOCK, mode == "write"))
        mine = total[n]
        while True:
            number = next(numbers)
            if mode == "write":
                _stamp(view, number + (1 << 20))
                moved = os.pwritev(fd, [view], number % size * BLOCK)
            else:
                moved = os.preadv(fd, [view], number % size * BLOCK)
            if moved != BLOCK:
                raise OSError(errno.EIO, "short transfer")
            moment = time.perf_counter()
            if moment >= clock.end:
                return
            at = clock.index(moment)
            if at >= 0:
                mine[at] += moved

    error = _run_threads(depth, work)
    return [sum(t[i] for t in total) for i in range(clock.count)], error


def buffered_read(path):
    """Reads the whole file once through the page cache, which was asked to forget it. {samples, error}"""
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    view = memoryview(_buffer(BLOCK))
    moved, error = 0, None
    began = time.perf_counter()
    try:
        while True:
            n = os.readv(fd, [view])
            if n <= 0:
                break
            moved += n
    except OSError as e:
        error = e
    spent = time.perf_counter() - began
    os.close(fd)
    return {"samples": [moved / spent] if moved and spent else [], "error": _told(error)}


def random_read(path, seconds, direct, seed, slices=5, depth=128):
    """4 KiB reads at random places. {samples in reads/s, p50, p99, max in ms, error}"""
    size = os.path.getsize(path) // SMALL
    if size == 0:
        return {"samples": [], "error": {"errno": 0, "name": "", "text": "the work file is empty"}}
    processes = max(1, min(4, os.cpu_count() or 1, depth))
    # All processes agree on one moment to begin, else the first slices would be short of hands.
    clock = _Slices(seconds, slices)
    clock.begin += 0.3
    clock.end += 0.3
    pipes = []
    for p in range(processes):
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(read_end)
                out = _random_worker(path, size, direct, clock, slices, depth // processes, seed * 1000 + p)
                data = json.dumps(out).encode("ascii")
                while data:
                    data = data[os.write(write_end, data):]
            finally:
                os._exit(0)
        os.close(write_end)
        pipes.append((pid, read_end))
    counts, histogram, error, engine = [0] * slices, {}, None, None
    for pid, read_end in pipes:
        data = b""
        while True:
            block = os.read(read_end, 65536)
            if not block:
                break
            data += block
        os.close(read_end)
        os.waitpid(pid, 0)
        out = json.loads(data.decode("ascii")) if data else {"counts": [0] * slices, "histogram": {}, "error": {"text": "a process ended early"}}
        counts = [a + b for a, b in zip(counts, out["counts"])]
        for k, v in out["histogram"].items():
            histogram[int(k)] = histogram.get(int(k), 0) + v
        error, engine = error or out["error"], engine or out.get("engine")
    return {
        "samples": [c / clock.length for c in counts], "error": error, "processes": processes, "engine": engine,
        "p50": _percentile(histogram, 0.50), "p99": _percentile(histogram, 0.99), "max": _percentile(histogram, 1.0),
    }


def _bucket(nanoseconds):
    """Logarithmic bucket, about 2 % wide."""
    bits = max(0, nanoseconds.bit_length() - 6)
    return (bits << 6) | (nanoseconds >> bits)


def _value(bucket):
    return ((bucket & 63) + 0.5) * (1 << (bucket >> 6)) / 1e6


def _percentile(histogram, share):
    total = sum(histogram.values())
    if not total:
        return None
    rest = total * share
    for bucket in sorted(histogram):
        rest -= histogram[bucket]
        if rest <= 0:
            return round(_value(bucket), 4)
    return None


def _random_worker(path, size, direct, clock, slices, depth, seed):
    fd = os.open(path, os.O_RDONLY | (O_DIRECT if direct else 0))
    if not direct:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    queue = aio.open_queue(fd, depth, SMALL, False) if direct else None
    if queue is not None:
        out = _random_queue(queue, size, clock, slices, seed)
        os.close(fd)
        return out
    counts = [[0] * slices for _ in range(depth)]
    histograms = [{} for _ in range(depth)]

    def work(n):
        pick = random.Random(seed * 4096 + n).random
        views = [_buffer(SMALL)]
        mine, histogram = counts[n], histograms[n]
        now, read = time.perf_counter_ns, os.preadv
        begin, length, end = int(clock.begin * 1e9), int(clock.length * 1e9), int(clock.end * 1e9)
        while True:
            place = int(pick() * size) * SMALL
            a = now()
            if read(fd, views, place) != SMALL:
                raise OSError(errno.EIO, "short read")
            b = now()
            if b >= end:
                return
            if b >= begin:
                at = (b - begin) // length
                if at < slices:
                    mine[at] += 1
                    k = _bucket(b - a)
                    histogram[k] = histogram.get(k, 0) + 1

    error = _run_threads(depth, work)
    os.close(fd)
    merged = {}
    for h in histograms:
        for k, v in h.items():
            merged[k] = merged.get(k, 0) + v
    return {"counts": [sum(c[i] for c in counts) for i in range(slices)], "histogram": merged, "error": _told(error), "engine": "threads"}


def _random_queue(queue, size, clock, slices, seed):
    pick, now = random.Random(seed).random, time.perf_counter_ns
    counts, latencies, error = [0] * slices, {}, None
    begin, length, end = int(clock.begin * 1e9), int(clock.length * 1e9), int(clock.end * 1e9)
    started = [0] * queue.depth
    slots = list(range(queue.depth))
    try:
        while True:
            batch = [(slot, int(pick() * size) * SMALL) for slot in slots]
            moment = now()
            for slot in slots:
                started[slot] = moment
            queue.submit(batch)
            slots = queue.completed()
            moment = now()
            if moment >= end:
                break
            if moment >= begin:
                at = (moment - begin) // length
                if at < slices:
                    counts[at] += len(slots)
                    for slot in slots:
                        k = (moment - started[slot]) >> 12
                        latencies[k] = latencies.get(k, 0) + 1
    except OSError as e:
        error = e
    queue.close()
    histogram = {}
    for k, v in latencies.items():
        b = _bucket((k << 12) + 2048)
        histogram[b] = histogram.get(b, 0) + v
    return {"counts": counts, "histogram": histogram, "error": _told(error), "engine": "aio"}


def make_files(folder, count, size, limit, threads=16):
    """Makes many small files of random data in folders of 500. {files, seconds, error}"""
    data = os.urandom(size + 65536)
    numbers = itertools.count()
    made = [0] * threads
    end = time.perf_counter() + limit

    def work(n):
        while time.perf_counter() < end:
            number = next(numbers)
            if number >= count:
                return
            part = os.path.join(folder, "%04d" % (number // 500))
            os.makedirs(part, exist_ok=True)
            at = number * 61 % 65536
            fd = os.open(os.path.join(part, "%06d.bin" % number), os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.write(fd, data[at: at + size])
                os.fsync(fd)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(fd)
            made[n] += 1

    began = time.perf_counter()
    error = _run_threads(threads, work)
    return {"files": sum(made), "seconds": time.perf_counter() - began, "error": _told(error)}


def read_files(folder, limit, seed, threads=8, slices=5, cap=200000):
    """Reads files in random order, each opened, read and closed, as a data loader does.

    {files, bytes, seconds, samples in files/s, error}; samples are parts of equally many files.
    """
    names = []
    for where, folders, files in os.walk(folder):
        folders.sort()
        names += [os.path.join(where, f) for f in sorted(files)]
        if len(names) >= cap:
            break
    random.Random(seed).shuffle(names)
    parts = [names[i * len(names) // slices: (i + 1) * len(names) // slices] for i in range(slices)]
    end = time.perf_counter() + limit
    samples, files, moved, error = [], 0, 0, None
    began = time.perf_counter()
    for part in parts:
        got = [[0, 0] for _ in range(threads)]
        todo = iter(part)
        lock = threading.Lock()

        def work(n):
            view = memoryview(bytearray(BLOCK))
            while time.perf_counter() < end:
                with lock:
                    name = next(todo, None)
                if name is None:
                    return
                fd = os.open(name, os.O_RDONLY)
                try:
                    while True:
                        k = os.readv(fd, [view])
                        if k <= 0:
                            break
                        got[n][1] += k
                finally:
                    os.close(fd)
                got[n][0] += 1

        start = time.perf_counter()
        error = error or _run_threads(threads, work)
        done = sum(g[0] for g in got)
        if done == len(part) and done:
            samples.append(done / (time.perf_counter() - start))
        files += done
        moved += sum(g[1] for g in got)
        if time.perf_counter() >= end:
            break
    return {"files": files, "bytes": moved, "seconds": time.perf_counter() - began, "samples": samples,
            "error": _told(error), "all": files == len(names)}


def run(work, **args):
    """Entry for ``run_python``: one piece of work by name."""
    emit_part({"begin": work})
    try:
        return {
            "supports_direct": supports_direct, "lay_out": lay_out, "sequential": sequential, "buffered_read": buffered_read,
            "random_read": random_read, "make_files": make_files, "read_files": read_files,
        }[work](**args)
    except OSError as e:
        return {"samples": [], "bytes": 0, "files": 0, "seconds": 0.0, "direct": False, "why": e.strerror, "error": _told(e)}
