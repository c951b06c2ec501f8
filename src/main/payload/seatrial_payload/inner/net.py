"""Network probes: opening connections, and downloading within a byte budget."""

import socket
import ssl
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from ..probes import emit_part

BLOCK = 256 * 1024
SLICE = 1.0


def _told(error):
    reason = getattr(error, "reason", error)
    if isinstance(reason, socket.timeout):
        return "timed out"
    if isinstance(reason, socket.gaierror):
        return "the name cannot be resolved (%s)" % reason.strerror
    if isinstance(reason, ssl.SSLError):
        return "TLS failed (%s)" % str(reason)[:200]
    return str(getattr(reason, "strerror", None) or reason)[:300]


def latency(url, tries, pause=0.1, timeout=3.0):
    """Opens connections one after another. Hands over ``ms`` or ``error`` for each."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError as e:
        return {"error": "the address is not valid: %s" % e}
    if not host or not port:
        return {"error": "the address is not valid"}
    out = {"host": host, "port": port}
    began = time.perf_counter()
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as e:
        out["error"] = _told(e)
        emit_part({"error": out["error"]})
        return out
    out["dnsMs"] = round((time.perf_counter() - began) * 1e3, 2)
    family, kind, proto, _, address = found[0]
    failures = 0
    for turn in range(tries):
        s = socket.socket(family, kind, proto)
        s.settimeout(timeout)
        began = time.perf_counter()
        try:
            s.connect(address)
            emit_part({"ms": round((time.perf_counter() - began) * 1e3, 4)})
        except OSError as e:
            failures += 1
            emit_part({"error": _told(e)})
            # An address that never answered is not asked twenty times.
            if failures == turn + 1 and failures < len(found):
                family, kind, proto, _, address = found[failures]
            elif failures == turn + 1 and failures >= 3:
                break
        finally:
            s.close()
        time.sleep(pause)
    out["address"] = address[0]
    return out


class _NoUpload(urllib.request.HTTPRedirectHandler):
    """Follows redirects to web addresses only: never to a file or another scheme."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if urlsplit(newurl).scheme not in ("http", "https"):
            raise urllib.error.HTTPError(newurl, code, "redirect to another scheme", headers, fp)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url, max_bytes, seconds, timeout=10.0):
    """Downloads up to ``max_bytes`` within ``seconds``; small files are fetched again. {bytes, seconds, error, …}

    The clock runs from the first byte on, over all repetitions. Hands over one rate per second.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        return {"bytes": 0, "seconds": 0.0, "error": "only http and https addresses can be measured"}
    opener = urllib.request.build_opener(_NoUpload)
    received, busy, first, status, error = 0, 0.0, None, None, None
    end = time.monotonic() + seconds
    slice_bytes, slice_busy = 0, 0.0
    for turn in range(1000):
        left = max_bytes - received
        if left <= 0 or time.monotonic() >= end:
            break
        headers = {"User-Agent": "seatrial", "Accept-Encoding": "identity", "Cache-Control": "no-cache"}
        if turn == 0:
            # Servers that know ranges then do not send what we would throw away.
            headers["Range"] = "bytes=0-%d" % (left - 1)
        before = received
        began = time.perf_counter()
        try:
            with opener.open(urllib.request.Request(url, headers=headers), timeout=timeout) as answer:
                status = answer.status
                mark = time.perf_counter()
                if first is None:
                    first = (mark - began) * 1e3
                while left > 0 and time.monotonic() < end:
                    block = answer.read(min(BLOCK, left))
                    moment = time.perf_counter()
                    busy += moment - mark
                    slice_busy += moment - mark
                    mark = moment
                    if not block:
                        break
                    received += len(block)
                    slice_bytes += len(block)
                    left -= len(block)
                    if slice_busy >= SLICE:
                        emit_part({"rate": slice_bytes / slice_busy, "received": received})
                        slice_bytes, slice_busy = 0, 0.0
        except urllib.error.HTTPError as e:
            status, error = e.code, "HTTP status %d" % e.code
            break
        except (OSError, ValueError, EOFError) as e:
            error = _told(e)
            break
        except Exception as e:  # http.client has errors of its own for answers that are no HTTP
            error = "%s: %s" % (type(e).__name__, str(e)[:200])
            break
        if received == before:
            error = error or "the answer is empty"
            break
    return {"bytes": received, "seconds": round(busy, 6), "firstByteMs": round(first, 2) if first is not None else None, "status": status, "error": error if received == 0 else None}
