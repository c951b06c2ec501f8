"""Parsers for ``nvidia-smi topo -m``, ``nvlink -s``, nccl-tests output and NCCL's own log. Total: any text gives a value."""

import json
import re

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CELL = re.compile(r"^(X|SYS|NODE|PHB|PXB|PIX|NV\d+)$")
ROW_CAP = 200


def topo(text):
    """The link matrix {"gpus": [names], "links": [[cells]]} from the table; empty lists when there is none."""
    lines = [_ANSI.sub("", line).rstrip() for line in str(text).splitlines()[:ROW_CAP]]
    header = next((line for line in lines if re.match(r"^\s*GPU\d+(\s|$)", line)), None)
    if header is None:
        return {"gpus": [], "links": []}
    names = re.findall(r"\bGPU\d+\b", header.split("CPU Affinity")[0])
    links = []
    for line in lines:
        cells = line.split()
        if cells and cells[0] in names and cells != names and len(cells) > len(names) and line is not header:
            row = cells[1 : len(names) + 1]
            if all(_CELL.match(cell) for cell in row):
                links.append(row)
    return {"gpus": names[: len(links)], "links": links}


def nvlinks(text):
    """Active links by GPU index: {0: 18}; a GPU whose links are all down has 0, one without any is left out."""
    found, current = {}, None
    for line in str(text).splitlines()[:4000]:
        head = re.match(r"^GPU\s+(\d+)\s*:", line)
        if head:
            current = int(head.group(1))
            continue
        link = re.match(r"^\s*Link\s+\d+\s*:\s*(.*)$", line)
        if link and current is not None:
            found.setdefault(current, 0)
            if re.match(r"^\d+(\.\d+)?\s*GB/s", link.group(1)):
                found[current] += 1
    return found


def nccl_json(data):
    """Rows [{bytes, busbw, wrong}] from ``all_reduce_perf -J``; an empty list when it is not that."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError, UnicodeDecodeError):
        return []
    results = document.get("results") if isinstance(document, dict) else None
    rows = []
    for entry in results if isinstance(results, list) else []:
        place = entry.get("out_of_place") if isinstance(entry, dict) else None
        if isinstance(place, dict):
            row = _row(entry.get("size"), place.get("bus_bw"), place.get("nwrong"))
            if row:
                rows.append(row)
    return rows


def nccl_text(text):
    """The same from the printed table, old or new layout: the eight last columns are twice time, algbw, busbw, wrong."""
    rows = []
    for line in str(text).splitlines()[:20000]:
        cells = line.split()
        if line.lstrip().startswith("#") or len(cells) not in (12, 13) or not cells[0].isdigit() or not cells[1].isdigit():
            continue
        row = _row(cells[0], cells[-6], cells[-5])
        if row:
            rows.append(row)
    return rows


def out_of_bounds(text):
    """The count after ``Out of bounds values``, or None."""
    found = re.search(r"Out of bounds values\s*:\s*(\d+)", str(text))
    return int(found.group(1)) if found else None


def _row(size, busbw, wrong):
    try:
        row = {"bytes": int(size), "busbw": float(busbw)}
    except (TypeError, ValueError, OverflowError):
        return None
    if row["bytes"] <= 0 or not 0 <= row["busbw"] < 1e6:
        return None
    try:
        row["wrong"] = int(float(wrong))
    except (TypeError, ValueError, OverflowError):
        row["wrong"] = None
    return row


def nccl_log(text):
    """What NCCL says it uses: {"nvls": True | False | None, "transports": [...], "version": ...}."""
    text = str(text)[: 4 << 20]
    nvls = None
    if re.search(r"NVLS multicast support is available|NVLS comm 0x|Connected NVLS tree", text):
        nvls = True
    elif re.search(r"NVLS multicast support is not available|NVLS_ENABLE set by environment to 0", text):
        nvls = False
    version = re.search(r"NCCL version ([0-9.]+)", text)
    transports = sorted(set(re.findall(r"\bvia (P2P/[A-Za-z]+|SHM/[A-Za-z]+|SHM|NET/[A-Za-z]+)", text)))
    return {"nvls": nvls, "transports": transports[:10], "version": version.group(1) if version else None}
