"""Stage ``network``: from this machine to the places that the plan names.

Nothing outside is contacted unless the plan names it. The user's own path is measured by the service
from its side; here are the machine's interfaces, downloads within a byte budget (traffic may be
billed), and latency and loss by opening TCP connections (ping often is not allowed in containers).
"""

import os
from urllib.parse import urlsplit

from ..inner import host as hostinfo

MIB = 1 << 20
BUDGET = 200 * MIB
TRIES = 20


def run(ctx):
    options = ctx.spec.section("network")
    ctx.fact("network", {"nics": hostinfo._nics(), "rdma": hostinfo._rdma(), "proxy": _proxied()})
    urls = [u for u in options.get("urls") or [] if isinstance(u, str)][:16]
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
