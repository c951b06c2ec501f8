"""The append-only event file of one run.

Each event is one line written by one ``write``; a full disk never leaves half a line, and a small
reserve kept beside the file lets the last words (why it ended) be written even then.
"""

import json
import os
import threading

from . import wire

MAX_LINE = 96 * 1024
RESERVE = 256 * 1024


class EventLog:
    def __init__(self, run_dir):
        self.path = os.path.join(run_dir, "events.jsonl")
        self.reserve = os.path.join(run_dir, "reserve")
        self._lock = threading.Lock()
        self._seq, self.ended = self._scan()

    def _scan(self):
        """Highest sequence number so far, and whether the end was written; a torn last line is cut off."""
        seq, ended, good = 0, False, 0
        try:
            with open(self.path, "rb") as f:
                for line in f:
                    if not line.endswith(b"\n"):
                        break
                    good += len(line)
                    try:
                        event = json.loads(line.decode("ascii"))
                        seq = max(seq, int(event.get("seq", 0)))
                        ended = ended or event.get("type") == "end"
                    except (ValueError, AttributeError, TypeError):
                        continue
            if os.path.getsize(self.path) != good:
                os.truncate(self.path, good)
        except OSError:
            pass
        return seq, ended

    def keep_reserve(self):
        """Sets space aside for the last events."""
        try:
            with open(self.reserve, "wb") as f:
                f.write(os.urandom(RESERVE))
        except OSError:
            self._drop_reserve()

    def _drop_reserve(self):
        try:
            os.unlink(self.reserve)
            return True
        except OSError:
            return False

    def append(self, kind, **fields):
        """Appends one event and returns its sequence number; events after the end are dropped (0)."""
        with self._lock:
            if self.ended:
                return 0
            seq = self._seq + 1
            record = {"seq": seq, "at": wire.now(), "type": kind}
            record.update(fields)
            line = wire.encode(record)
            if len(line) > MAX_LINE:
                line = wire.encode(_shorten(record))
            try:
                self._write(line)
            except OSError:
                if not self._drop_reserve():
                    raise
                self._write(line)
            self._seq = seq
            self.ended = kind == "end"
            return seq

    def _write(self, line):
        fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(fd).st_size
            try:
                wire.write_all(fd, line)
            except OSError:
                os.ftruncate(fd, size)
                raise
        finally:
            os.close(fd)


def _shorten(record):
    """The event without what makes it too long; what was cut is said."""
    out = {}
    for key, value in record.items():
        size = len(json.dumps(wire.clean(value)))
        if size <= 8192:
            out[key] = value
        elif isinstance(value, str):
            out[key] = value[:2000]
        elif isinstance(value, list):
            out[key] = value[:32] if len(json.dumps(wire.clean(value[:32]))) <= 65536 else []
        else:
            out[key] = None
    out["shortened"] = True
    return out
