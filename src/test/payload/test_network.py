"""The network stage against a server of this test; nothing beyond loopback is contacted."""

import http.server
import os
import socket
import threading
import unittest

from harness import PayloadCase, of

SIZE = 12 << 20
DATA = os.urandom(SIZE)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return
        if self.path == "/nonsense":
            self.wfile.write(b"\x00\xff garbage\r\n\r\n")
            return
        self.send_response(200)
        self.send_header("Content-Length", str(SIZE))
        self.end_headers()
        try:
            self.wfile.write(DATA)
            self.server.sent += SIZE
        except OSError:
            pass

    def log_message(self, *args):
        pass


class NetworkTest(PayloadCase):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.requests, self.server.sent = [], 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.base_url = "http://127.0.0.1:%d" % self.server.server_port

    def measure(self, *urls, **options):
        clean = {k: "" for k in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")}
        self.events = self.finish("network", seconds=60, env=clean, network=dict(options, urls=list(urls)))
        self.assertEqual("ok", self.events[-1]["status"])
        return {e["name"]: e for e in of(self.events, "measurement")}

    def test_download_latency_and_loss(self):
        found = self.measure(self.base_url + "/data", maxBytes=SIZE)
        self.assertEqual(SIZE, found["network_download"]["attrs"]["bytes"])
        self.assertGreater(found["network_download"]["value"], 0)
        self.assertEqual((0.0, 20), (found["network_loss"]["value"], found["network_loss"]["attrs"]["tries"]))
        self.assertEqual(20, found["network_latency"]["n"])

    def test_the_byte_budget_holds_over_all_addresses(self):
        self.measure(*[self.base_url + "/%d" % n for n in range(3)], maxBytes=6 << 20)
        received = sum(e["attrs"]["bytes"] for e in of(self.events, "measurement", name="network_download"))
        self.assertLessEqual(received, 6 << 20)
        self.assertGreater(received, 5 << 20)

    def test_small_files_are_fetched_again_until_the_budget_is_used(self):
        found = self.measure(self.base_url + "/small", maxBytes=3 * SIZE, seconds=10)
        self.assertEqual(3 * SIZE, found["network_download"]["attrs"]["bytes"])
        self.assertEqual(3, len(self.server.requests))

    def test_no_addresses_means_no_contact(self):
        self.assertEqual({}, self.measure())
        self.assertEqual(["info"], [e["severity"] for e in of(self.events, "finding")])
        self.assertTrue(of(self.events, "fact", name="network")[0]["value"]["nics"] is not None)

    def test_a_closed_way_is_the_vendors(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            closed = s.getsockname()[1]
        self.measure("http://127.0.0.1:%d/x" % closed, "http://no-such-name.invalid/x")
        findings = of(self.events, "finding", code="NETWORK_NO_EGRESS")
        self.assertEqual([("fail", "vendor")] * 2, [(f["severity"], f["owner"]) for f in findings])
        self.assertIn("refused", findings[0]["message"])
        self.assertIn("resolved", findings[1]["message"])

    def test_a_bad_address_or_answer_is_not_the_vendors(self):
        self.measure("ftp://x/", "http://[bad", "nonsense", self.base_url + "/missing", self.base_url + "/away", self.base_url + "/nonsense")
        self.assertEqual(3, len(of(self.events, "finding", code="NETWORK_BAD_URL")))
        self.assertEqual([], of(self.events, "measurement", name="network_download"))
        self.assertEqual(["404", "302"], [f["params"]["status"] for f in of(self.events, "finding", code="NETWORK_HTTP_ERROR")])


if __name__ == "__main__":
    unittest.main()
