"""The kernel's asynchronous disk requests (io_submit), through ctypes: many in flight without a thread for each.

Threads cost a hand-over of the interpreter's lock per request and cannot keep a fast disk busy. Where
the kernel or a sandbox refuses these calls, ``open_queue`` returns None and threads are used.
"""

import ctypes
import errno
import mmap
import os
import platform
import struct
import time

_CALLS = {"x86_64": (206, 207, 208, 209), "aarch64": (0, 1, 4, 2)}  # setup, destroy, getevents, submit
_OFFSET_AT = 40  # of aio_offset in struct iocb
_IOCB = struct.Struct("<QIIHhIQQqQII")
_EVENT = struct.Struct("<QQqq")


class Queue:
    """A queue of ``depth`` requests of one size on one file; the slot number names a request."""

    def __init__(self, fd, depth, size, write):
        self.depth, self.size = depth, size
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._setup, self._destroy, self._get, self._put = _CALLS[platform.machine()]
        self._context = ctypes.c_ulong(0)
        self._call(self._setup, ctypes.c_ulong(depth), ctypes.byref(self._context))
        self._memory = mmap.mmap(-1, depth * size)
        self.view = memoryview(self._memory)
        if write:
            for slot in range(depth):
                self._memory.seek(slot * size)
                self._memory.write(os.urandom(size))
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._blocks = bytearray(64 * depth)
        for slot in range(depth):
            _IOCB.pack_into(self._blocks, 64 * slot, slot, 0, 0, 1 if write else 0, 0, fd, base + slot * size, size, 0, 0, 0, 0)
        first = ctypes.addressof(ctypes.c_char.from_buffer(self._blocks))
        self._addresses = [first + 64 * slot for slot in range(depth)]
        self._list = (ctypes.c_void_p * depth)()
        self._events = bytearray(_EVENT.size * depth)
        self._events_pointer = ctypes.byref(ctypes.c_char.from_buffer(self._events))
        self._events_view = memoryview(self._events)
        self._timeout = (ctypes.c_long * 2)(30, 0)

    def _call(self, number, *args):
        value = self._libc.syscall(ctypes.c_long(number), *args)
        if value < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return value

    def buffer(self, slot):
        return self.view[slot * self.size: (slot + 1) * self.size]

    def submit(self, requests):
        """Sends [(slot, offset)]."""
        for i, (slot, offset) in enumerate(requests):
            struct.pack_into("<q", self._blocks, 64 * slot + _OFFSET_AT, offset)
            self._list[i] = self._addresses[slot]
        sent = 0
        while sent < len(requests):
            where = ctypes.byref(self._list, sent * ctypes.sizeof(ctypes.c_void_p))
            try:
                sent += self._call(self._put, self._context, ctypes.c_long(len(requests) - sent), where)
            except OSError as e:
                if e.errno != errno.EAGAIN:
                    raise
                time.sleep(0.0005)

    def completed(self):
        """Waits for at least one; returns the slots. Raises OSError for a failed or short transfer."""
        while True:
            try:
                n = self._call(self._get, self._context, ctypes.c_long(1), ctypes.c_long(self.depth), self._events_pointer, self._timeout)
                break
            except OSError as e:
                if e.errno != errno.EINTR:
                    raise
        if n == 0:
            raise OSError(errno.ETIMEDOUT, "the disk did not answer for 30 s")
        slots = []
        for slot, _, moved, _ in _EVENT.iter_unpack(self._events_view[: n * _EVENT.size]):
            if moved < 0:
                raise OSError(-moved, os.strerror(-moved))
            if moved != self.size:
                raise OSError(errno.EIO, "short transfer")
            slots.append(slot)
        return slots

    def close(self):
        """Waits for what is in flight, then frees the queue."""
        try:
            self._call(self._destroy, self._context)
        except OSError:
            pass


def open_queue(fd, depth, size, write):
    """A Queue that has been shown to work with one request, or None."""
    try:
        queue = Queue(fd, depth, size, write)
    except (OSError, KeyError, AttributeError, ValueError):
        return None
    if write:
        return queue
    try:
        queue.submit([(0, 0)])
        queue.completed()
        return queue
    except OSError:
        queue.close()
        return None
