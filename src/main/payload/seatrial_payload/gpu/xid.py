"""Xid lines of the kernel log: which GPU, which number, and what that number means for a rental."""

import re

_LINE = re.compile(r"NVRM:\s+Xid\s+\((?:PCI:)?([0-9a-fA-F:.]+)\):\s+(\d+)\b,?\s*(.*)")
_OFF = re.compile(r"fallen off the bus", re.I)
# Classes by number; everything else is a warning that shows its raw line.
APPLICATION = frozenset((13, 31, 32, 43, 45, 68, 69, 137))
FATAL = frozenset((46, 48, 54, 62, 64, 78, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158, 161))
DECISIVE = frozenset((48, 79, 95, 119, 120, 140))


def parse(text):
    """[(bus, number, line)], oldest first; ``number`` is 79 for a GPU off the bus without an Xid of its own."""
    found, off = [], []
    for line in str(text).splitlines():
        match = _LINE.search(line)
        if match:
            found.append((match.group(1).lower(), int(match.group(2)[:9]), line.strip()[:500]))
        elif "NVRM" in line and _OFF.search(line):
            off.append(("", 79, line.strip()[:500]))
    return found + ([] if any(number == 79 for _, number, _ in found) else off[:1])


def severity(number, line):
    """"fail", "warn" or "info" for one line."""
    if number in FATAL:
        return "fail"
    if 144 <= number <= 150:
        return "fail" if re.search(r"\bFatal\b", line) else "warn"
    if number == 154:
        return "info" if re.search(r"to 0x0\b|\(None\)\s*$", line) else "fail"
    return "info" if number in APPLICATION else "warn"


_WAYS = (
    ["dmesg"],
    ["journalctl", "-k", "-q", "--no-pager", "-n", "20000"],
    ["tail", "-n", "20000", "/var/log/kern.log"],
    ["tail", "-n", "20000", "/var/log/syslog"],
    ["tail", "-n", "20000", "/var/log/messages"],
)


class Log:
    """New Xid lines since the last look. ``available`` is False where a container may not read the kernel's log."""

    def __init__(self, context):
        self._context, self._seen, self.available, self.why, self._way = context, {}, None, "", None
        self.history = self.new()

    def new(self):
        text = self._read()
        if text is None:
            return []
        # The log is a ring: lines are counted, not numbered, so that equal lines without a time stay apart.
        counts, fresh = {}, []
        for bus, number, line in parse(text):
            counts[line] = counts.get(line, 0) + 1
            if counts[line] > self._seen.get(line, 0):
                fresh.append((bus, number, line))
        for line, count in counts.items():
            self._seen[line] = max(count, self._seen.get(line, 0))
        return fresh

    def _read(self):
        """The log by the first way that works; the ways are tried once, then the one that worked is kept."""
        for way in _WAYS if self.available is None else [self._way] if self.available else []:
            read = self._context.run_probe(way, 15, cap=4 << 20)
            if read.ok and (read.out or way[0] == "dmesg"):
                self.available, self._way = True, way
                return read.text
            self.why = self.why or read.evidence(300) or read.reason
        if self.available is None:
            self.available = False
        return None
