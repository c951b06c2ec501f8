"""The storage stage on this machine's own disk, with small files and short runs, and its steps down."""

import os
import shutil
import tempfile
import unittest

import fakes
import harness  # noqa: F401
from harness import PayloadCase, of
from seatrial_payload.inner import disk

FIO_FAKE = """#!/bin/sh
echo "some warning"
echo "fio: pid=1, err=%d/file:x.c:1"
echo "{"
echo ' "fio version":"fio-9.9", "jobs":[{"error":%d,"read":{"bw_bytes":2000000000,"iops":50000,"io_bytes":9,"total_ios":9,"clat_ns":{"percentile":{"99.000000":3000000}}},"write":{"bw_bytes":1000000000,"iops":1,"io_bytes":9,"total_ios":9}}]'
echo "}"
"""
NO_FIO = "#!/bin/sh\necho 'fio: unable to load engine'\nexit 1\n"


class StorageTest(PayloadCase):
    def measure(self, env=None, place=None, quick=True, **options):
        place = place or os.path.join(self.base, "disk")
        os.makedirs(place, exist_ok=True)
        options = dict({"dir": place, "seconds": 1, "maxBytes": 96 << 20}, **options)
        environment = {"PATH": self.tools()}
        environment.update(env or {})
        self.events = self.finish("storage", seconds=180, env=environment, quick=quick, storage=options)
        self.left = os.listdir(place) if os.path.isdir(place) else []
        return {e["name"]: e for e in of(self.events, "measurement")}

    def tools(self):
        """A path with dd but without fio, whatever this machine has."""
        folder = os.path.join(self.base, "bin")
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(os.path.join(folder, "dd")):
            os.symlink(shutil.which("dd"), os.path.join(folder, "dd"))
        fakes.program(folder, "fio", NO_FIO)
        return folder

    def test_python_measures_all_figures_and_leaves_nothing(self):
        found = self.measure()
        self.assertEqual({"storage_seq_write", "storage_seq_read", "storage_rand_read_4k", "storage_rand_read_4k_p99", "storage_small_files"}, set(found))
        for m in found.values():
            self.assertGreater(m["value"], 0)
        self.assertEqual(("python", "seq-1m-qd16/1", 5), tuple(found["storage_seq_read"][k] for k in ("tool", "method", "n")))
        self.assertEqual([], self.left)
        self.assertIn("TOOL_MISSING", [e["code"] for e in of(self.events, "finding")])
        fact = of(self.events, "fact", name="storage")[0]["value"]
        self.assertTrue(fact["fileMiB"] <= 96 and fact["type"])

    def test_fio_is_preferred_and_its_noise_is_skipped(self):
        folder = os.path.join(self.base, "fio")
        fakes.program(folder, "fio", FIO_FAKE % (0, 0))
        found = self.measure(env={"PATH": folder + ":/usr/bin:/bin"})
        self.assertEqual((2.0, 1.0, 50000.0, 3.0), tuple(found[n]["value"] for n in (
            "storage_seq_read", "storage_seq_write", "storage_rand_read_4k", "storage_rand_read_4k_p99")))
        self.assertEqual(("fio", "fio-9.9"), (found["storage_seq_read"]["tool"], found["storage_seq_read"]["toolVersion"]))

    def test_an_error_that_fio_reports_with_status_0_is_a_failure(self):
        folder = os.path.join(self.base, "fio")
        fakes.program(folder, "fio", FIO_FAKE % (5, 5))
        self.measure(env={"PATH": folder + ":/usr/bin:/bin"})
        finding = of(self.events, "finding", code="STORAGE_IO_ERROR")[0]
        self.assertEqual(("fail", "vendor"), (finding["severity"], finding["owner"]))

    def test_memory_is_not_taken_for_a_disk(self):
        if not os.path.isdir("/dev/shm"):
            self.skipTest("no /dev/shm here")
        place = tempfile.mkdtemp(dir="/dev/shm")
        self.addCleanup(shutil.rmtree, place, True)
        found = self.measure(place=place)
        self.assertEqual("warn", of(self.events, "finding", code="STORAGE_TMPFS")[0]["severity"])
        self.assertEqual({"low"}, {m["confidence"] for m in found.values()})
        self.assertEqual([], self.left)

    def test_dd_is_the_last_step_down(self):
        """Where Python's own disk work fails as a whole; with BusyBox, whose dd may print no rate, where there is one."""
        import zipapp

        path = os.path.join(self.base, "tree/seatrial_payload/inner/disk.py")
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace('"sequential": sequential', '"sequential": None'))
        zipapp.create_archive(os.path.join(self.base, "tree"), self.pyz)
        tools = self.tools()
        if shutil.which("busybox"):
            os.unlink(os.path.join(tools, "dd"))
            os.symlink(shutil.which("busybox"), os.path.join(tools, "dd"))
        found = self.measure()
        for name in ("storage_seq_write", "storage_seq_read"):
            self.assertEqual(("dd", "low", 1), tuple(found[name][k] for k in ("tool", "confidence", "n")))
        self.assertIn("dd", [e["params"]["used"] for e in of(self.events, "finding", code="TOOL_MISSING")])
        self.assertEqual([], self.left)

    def test_a_directory_that_is_not_there_is_told_plainly(self):
        self.measure(place=os.path.join(self.base, "disk"), dir="/no/such/place")
        finding = of(self.events, "finding", code="STORAGE_IO_ERROR")[0]
        self.assertIn("/no/such/place", finding["message"])
        self.assertEqual("ok", self.events[-1]["status"])

    def test_the_teams_data_is_read_as_a_loader_would(self):
        data = os.path.join(self.base, "data")
        os.makedirs(os.path.join(data, "deep"))
        for n in range(40):
            with open(os.path.join(data, "deep" if n % 2 else "", "%d.bin" % n), "wb") as f:
                f.write(os.urandom(50000))
        found = self.measure(data=data)
        attrs = found["storage_data_read"]["attrs"]
        self.assertEqual((40, 2000000, True), (attrs["files"], attrs["bytes"], attrs["all"]))


class DiskTest(unittest.TestCase):
    """The disk work itself, in this process."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="payload-disk-")
        self.addCleanup(shutil.rmtree, self.dir, True)
        self.path = os.path.join(self.dir, "work")

    def test_the_work_file_has_no_holes_and_no_two_equal_pages(self):
        for direct in (True, False):
            answer = disk.lay_out(self.path, 24 << 20, direct and disk.supports_direct(self.path)["direct"], 60)
            self.assertEqual((24 << 20, None), (answer["bytes"], answer["error"]))
            with open(self.path, "rb") as f:
                pages = set(iter(lambda: f.read(4096), b""))
            self.assertEqual(24 << 8, len(pages))

    def test_both_engines_count_what_they_moved(self):
        disk.lay_out(self.path, 16 << 20, False, 60)
        for opener in (disk.aio.open_queue, lambda *a: None):
            original, disk.aio.open_queue = disk.aio.open_queue, opener
            try:
                read = disk.sequential(self.path, "read", 1.0)
                random = disk.random_read(self.path, 1.0, disk.supports_direct(self.path + "x")["direct"], 7)
            finally:
                disk.aio.open_queue = original
            self.assertEqual((5, None), (len([s for s in read["samples"] if s > 0]), read["error"]))
            self.assertEqual((5, None), (len([s for s in random["samples"] if s > 0]), random["error"]))
            self.assertLessEqual(random["p50"], random["p99"])

    def test_percentiles_are_within_two_percent(self):
        histogram = {}
        for n in range(1, 10001):
            b = disk._bucket(n * 1000)
            histogram[b] = histogram.get(b, 0) + 1
        self.assertAlmostEqual(5.0, disk._percentile(histogram, 0.5), delta=0.12)
        self.assertAlmostEqual(9.9, disk._percentile(histogram, 0.99), delta=0.2)
        self.assertIsNone(disk._percentile({}, 0.5))


if __name__ == "__main__":
    unittest.main()
