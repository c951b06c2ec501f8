"""Stage ``network``: from this machine to the places that the plan names.

Nothing outside is contacted unless the plan names it. The user's own path is measured by the service
from its side; here are the machine's interfaces, downloads within a byte budget (traffic may be
billed), and latency and loss by opening TCP connections (ping often is not allowed in containers).
"""

import json
import os
import re
from urllib.parse import urlsplit

from ..inner import host as hostinfo

MIB = 1 << 20
BUDGET = 200 * MIB
TRIES = 20
IPERF_SECONDS = 10
# What one direction may cost where the plan sets no budget; egress is billed by the GiB.
IPERF_BUDGET = 1 << 30
_PLACE = re.compile(r"^(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})))(?::(\d{1,5}))?$")


def run(ctx):
    options = ctx.spec.section("network")
    ctx.fact("network", {"nics": hostinfo._nics(), "rdma": hostinfo._rdma(), "proxy": _proxied()})
    urls = [u for u in options.get("urls") or [] if isinstance(u, str)][:16]
    place = options.get("iperf3")
    if place:
        ctx.progress(0.02, "iperf3")
        _iperf(ctx, str(place), options.get("maxBytes"))
    if not urls and place:
        return
    if not urls:
        ctx.finding("NETWORK_NO_TARGETS", "info", "ours", "The plan names no addresses, so nothing outside was contacted from the machine.", {}, "",
                    "Name the addresses that the work needs (model hub, object store) under network.urls.")
        return
    budget = options.get("maxBytes")
    budget = int(budget) if isinstance(budget, (int, float)) and not isinstance(budget, bool) and budget > 0 else BUDGET
    seconds = options.get("seconds")
    seconds = float(seconds) if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 < seconds <= 600 else 20.0
    spent = 0
    for number, url in enumerate(urls):
        if not _valid(ctx, url):
            continue
        ctx.progress((number + 0.2) / len(urls), "connecting to %s" % urlsplit_host(url))
        # With a proxy the direct connection may fail where downloads work.
        if not _latency(ctx, url) and not _proxied():
            continue
        share = (budget - spent) // (len(urls) - number)
        ctx.progress((number + 0.5) / len(urls), "downloading from %s" % urlsplit_host(url))
        spent += _download(ctx, url, share, seconds)
    ctx.fact("networkBytes", {"budget": budget, "received": spent})


def urlsplit_host(url):
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"


def _proxied():
    return sorted(k for k in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY") if os.environ.get(k))


def _valid(ctx, url):
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return True
    except ValueError:
        pass
    ctx.finding("NETWORK_BAD_URL", "warn", "unknown", "The address %s cannot be measured: only http and https addresses can." % url[:200],
                {"url": url[:500]}, "", "Correct network.urls in the plan.")
    return False


def _latency(ctx, url):
    """Latency and loss of opening connections; True when the place was reached at least once."""
    result = ctx.run_python("inner.net:latency", {"url": url, "tries": TRIES}, 60)
    samples = [p["ms"] for p in result.parts if isinstance(p, dict) and "ms" in p]
    errors = [str(p["error"]) for p in result.parts if isinstance(p, dict) and "error" in p]
    value = result.value if isinstance(result.value, dict) else {}
    attrs = {"host": value.get("host") or urlsplit_host(url), "port": value.get("port"), "address": value.get("address"), "dnsMs": value.get("dnsMs")}
    if samples:
        near = sorted(abs(a - b) for a, b in zip(samples, samples[1:]))
        attrs["jitterMs"] = round(sum(near) / len(near), 3) if near else None
        if near:
            ctx.measurement("network_jitter", sum(near) / len(near), "ms", method="tcp-connect/1", attrs={"host": attrs["host"], "port": attrs["port"]})
        ctx.measurement("network_latency", None, "ms", samples=samples, method="tcp-connect/1", attrs=attrs)
        # A refusal is an answer; what was lost is what got none.
        lost = sum(1 for e in errors if e == "timed out")
        tries = len(samples) + len(errors)
        ctx.measurement("network_loss", 100.0 * lost / tries, "%", method="tcp-connect/1", attrs=dict(attrs, tries=tries))
    if not samples and not _proxied():
        why = value.get("error") or (errors[0] if errors else "no answer within the time limit" if result.timed_out else result.error or "unknown")
        ctx.finding("NETWORK_NO_EGRESS", "fail", "vendor", "%s cannot be reached from this machine: %s." % (attrs["host"], why),
                    {"url": url, "host": attrs["host"], "why": why}, "\n".join(errors[:5]) or result.evidence(),
                    "Open the way in the vendor's firewall, use a mirror that can be reached, or set a proxy.")
    return bool(samples)


def _download(ctx, url, budget, seconds):
    """Downloads from one address until budget or time is used up; returns the bytes received."""
    if budget <= 0:
        return 0
    result = ctx.run_python("inner.net:download", {"url": url, "max_bytes": int(budget), "seconds": seconds}, seconds + 40)
    parts = [p for p in result.parts if isinstance(p, dict)]
    value = result.value if isinstance(result.value, dict) else {}
    received = int(value.get("bytes") or max([p.get("received", 0) for p in parts] or [0]))
    samples = [p["rate"] / 1e6 for p in parts if p.get("rate")]
    attrs = {"url": url, "host": urlsplit_host(url), "bytes": received, "seconds": value.get("seconds"), "firstByteMs": value.get("firstByteMs"), "status": value.get("status")}
    if received > 0 and value.get("seconds"):
        # Under a few MiB the start-up of the connection is what was measured.
        confidence = "normal" if received >= 8 * MIB else "low"
        ctx.measurement("network_download", received / value["seconds"] / 1e6, "MB/s", samples=samples, tool="python", method="http-get/1", confidence=confidence, attrs=attrs)
    elif not value or value.get("error"):
        why = value.get("error") or ("no answer within the time limit" if result.timed_out else result.error or "unknown")
        status = value.get("status")
        code, owner = ("NETWORK_HTTP_ERROR", "unknown") if status else ("NETWORK_NO_EGRESS", "vendor")
        ctx.finding(code, "warn" if status else "fail", owner, "Nothing could be downloaded from %s: %s." % (attrs["host"], why),
                    {"url": url, "why": why, "status": status or ""}, result.evidence(),
                    "Check the address in the plan." if status else "Open the way in the vendor's firewall, use a mirror that can be reached, or set a proxy.")
    return received


def _iperf(ctx, place, budget):
    """Both directions against the plan's own iperf3 server, then loss and jitter by a little UDP; within the byte budget."""
    found = _PLACE.match(place)
    port = int(found.group(3) or 5201) if found else 0
    if not 0 < port < 65536:
        ctx.finding("NETWORK_BAD_URL", "warn", "unknown", "%s is no address of an iperf3 server." % place[:200], {"url": place[:500]}, "", "Write host or host:port under network.iperf3.")
        return
    host = found.group(1) or found.group(2)
    most = int(budget // 2) if isinstance(budget, (int, float)) and not isinstance(budget, bool) and budget > 1 else IPERF_BUDGET
    base = ["iperf3", "-J", "-c", host, "-p", str(port)]
    for name, direction in (("upload", []), ("download", ["-R"])):
        ran = ctx.run_probe(base + ["-n", str(most)] + direction, IPERF_SECONDS + 20)
        if ran.missing:
            ctx.step_down("iperf3", "downloads from the addresses that the plan names", "")
            return
        if ran.timed_out:  # a slow way does not carry the budget in time: measured by the clock instead
            ran = ctx.run_probe(base + ["-t", str(IPERF_SECONDS)] + direction, IPERF_SECONDS + 20)
        seen = parse_iperf(ran.text)
        if seen.get("bytesPerSecond") is None:
            why = seen.get("error") or ("no answer within the time limit" if ran.timed_out else "exit status %s" % ran.rc)
            ctx.finding("NETWORK_IPERF3", "warn", "unknown", "iperf3 could not measure the way to %s: %s." % (host, why), {"host": host, "why": why}, ran.evidence(),
                        "Start iperf3 -s at the other end and open its port for TCP and UDP.")
            return
        attrs = {"host": host, "port": port, "bytes": seen.get("bytes"), "seconds": seen.get("seconds"), "retransmits": seen.get("retransmits")}
        long = (seen.get("seconds") or 0) >= 1
        ctx.measurement("network_iperf3_" + name, seen["bytesPerSecond"] / 1e6, "MB/s", samples=[s / 1e6 for s in seen["samples"]], tool="iperf3",
                        tool_version=seen.get("version"), method="iperf3-tcp/1", confidence="normal" if long else "low", attrs=attrs)
    ran = ctx.run_probe(base + ["-u", "-b", "10M", "-t", "3"], 30)
    seen = parse_iperf(ran.text)
    for name, key, unit in (("network_iperf3_jitter", "jitterMs", "ms"), ("network_iperf3_loss", "lossPercent", "%")):
        if seen.get(key) is not None:
            ctx.measurement(name, seen[key], unit, tool="iperf3", tool_version=seen.get("version"), method="iperf3-udp-10m/1", attrs={"host": host, "port": port})


def parse_iperf(text):
    """{bytesPerSecond, bytes, seconds, retransmits, samples, jitterMs, lossPercent, version, error} from ``iperf3 -J``; absent is None.

    Total: any text gives a dict. Words before the JSON are passed over.
    """
    seen = {"samples": []}
    text = str(text)
    start = text.find("{")
    try:
        document = json.loads(text[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return seen
    if document.get("error"):
        seen["error"] = str(document["error"])[:300]
    first = document.get("start")
    version = first.get("version") if isinstance(first, dict) else None
    seen["version"] = str(version)[:50] if version else None
    end = document.get("end") if isinstance(document.get("end"), dict) else {}
    received = end.get("sum_received") if isinstance(end.get("sum_received"), dict) else end.get("sum")
    received = received if isinstance(received, dict) else {}
    sent = end.get("sum_sent") if isinstance(end.get("sum_sent"), dict) else {}
    bits = _figure(received.get("bits_per_second"))
    if bits and not seen.get("error"):
        seen["bytesPerSecond"] = bits / 8
    seen.update(bytes=_figure(received.get("bytes")), seconds=_figure(received.get("seconds")), retransmits=_figure(sent.get("retransmits")))
    udp = end.get("sum") if isinstance(end.get("sum"), dict) else {}
    seen.update(jitterMs=_figure(udp.get("jitter_ms")), lossPercent=_figure(udp.get("lost_percent")))
    for interval in document.get("intervals")[:256] if isinstance(document.get("intervals"), list) else []:
        total = interval.get("sum") if isinstance(interval, dict) else None
        rate = _figure(total.get("bits_per_second")) if isinstance(total, dict) else None
        if rate:
            seen["samples"].append(rate / 8)
    return seen


def _figure(value):
    """A finite number that is not negative, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or not 0 <= value < 1e18:
        return None
    return value
