"""Stage ``stability``: every GPU loaded for hours, looked at every ten seconds.

It looks for what a short test cannot see: speed that drifts down, heat, errors, a card that disappears. It ends at
once when the outcome is decided, since each further hour costs money and can tell nothing new.
"""

import datetime
import gzip
import json
import os
import time

from .. import nvidia
from ..gpu import failures, fleet, load, soak, xid
from ..probes import parse_inner

PERIOD = 10.0
READY_SECONDS = 180
RAW_SAMPLES_CAP = 12 << 20


class Decided(Exception):
    """A finding that ends the stage early."""


def run(ctx):
    found = fleet.find(ctx)
    if found is None:
        return
    options = ctx.spec.section("stability")
    seconds = min(float(options.get("seconds", 3600)), max(30.0, ctx.remaining() - 60))
    watch = _Watch(ctx, found, seconds, options)
    try:
        watch.start()
        watch.loop()
    except Decided as decided:
        watch.saved(str(decided))
    finally:
        watch.close()
    watch.tell()


class _Watch:
    def __init__(self, ctx, found, seconds, options):
        self.ctx, self.found, self.seconds = ctx, found, seconds
        self.period = float(options.get("period", PERIOD))
        self.options = options
        self.place = os.path.join(ctx.run_dir, "tmp")
        self.stop_file = os.path.join(self.place, "soak-stop")
        self.loads = {}
        self.tracks = {gpu.handle: soak.Track() for gpu in found.gpus}
        self.first = self.last = None
        self.hung = 0
        self.began = self.loaded = None
        self.samples = gzip.open(os.path.join(self.place, "samples.jsonl.gz"), "wt")
        self.written = 0
        self.restarted = set()
        self.said = 0.0

    # Start and end

    def start(self):
        self.log = xid.Log(self.ctx)
        if self.log.available is False:
            self.ctx.step_down("dmesg", "error counters, recovery action and the list of GPUs", self.log.why)
        for _, number, line in self.log.history[-20:]:
            self.ctx.finding("XID_%d" % number, "info", "vendor", "The kernel's log has an Xid from before this stage.", {"xid": number, "when": "before"}, line, "")
        self.first = self.look()
        now = time.time()
        self.canaries = canaries(now, self.seconds, self.options)
        for gpu in self.found.gpus:
            self.launch(gpu)
        self.began = time.time()

    def launch(self, gpu):
        out = os.path.join(self.place, "soak-%d.jsonl" % gpu.index)
        args = {"gpu": gpu.handle, "seed": self.ctx.spec.seed, "seconds": self.left() + 5, "period": self.period, "out": out, "stop": self.stop_file, "canaries": self.canaries}
        if self.options.get("shape"):
            args["shape"] = self.options["shape"]
        self.loads[gpu.handle] = soak.Load(gpu, self.ctx.start(self.ctx.inner_argv("gpu.load:run", args, self.found.python)), out)

    def left(self):
        return self.seconds - (time.time() - self.began if self.began else 0)

    def close(self):
        with open(self.stop_file, "w") as mark:
            mark.write("stop")
        until = time.monotonic() + 15
        for item in self.loads.values():
            if not item.process.wait(max(0.1, until - time.monotonic())):
                item.process.kill()
            try:
                self.take(item)
            except Decided:
                pass  # its finding is written, and the stage ends anyway
        self.samples.close()

    # Watching

    def loop(self):
        next_log = time.time() + 60
        while self.left() > 0:
            time.sleep(max(0.05, min(self.period, self.left())))
            reading = self.look()
            for item in list(self.loads.values()):
                self.take(item)
                self.check_load(item)
            if time.time() >= next_log:
                next_log = time.time() + 60
                self.check_log()
            self.say(reading)
        self.check_log()

    def look(self):
        reading = self.found.state.read()
        if reading.missing:  # the list came from torch; the load itself is then the only witness
            return reading
        if reading.hung:
            self.hung += 1
            if self.hung >= 3:
                self.decide("GPU_HUNG", "nvidia-smi did not answer three times in a row.", {"at": soak.stamp(reading.at)}, "")
            return reading
        self.hung = 0
        self.check_present(reading)
        self.last = reading
        if self.loaded:
            self.note(reading)
        return reading

    def check_present(self, reading):
        missing = [gpu for gpu in self.found.gpus if gpu.uuid and gpu.uuid not in reading.rows]
        if not missing and not reading.lost:
            return
        again = self.found.state.read()  # one more look: a single garbled answer must not end a night's trial
        missing = [gpu for gpu in self.found.gpus if gpu.uuid and gpu.uuid not in again.rows]
        if again.hung or not (missing or again.lost):
            return
        gpus = ", ".join(gpu.label for gpu in missing) or "unknown"
        words = again.lost or reading.lost or ""
        message = "The container lost its access to the GPUs." if "initialize nvml" in words.lower() else "A GPU disappeared from the machine."
        params = {"gpu": gpus, "at": soak.stamp(reading.at), "lastSeen": soak.stamp(self.last.at) if self.last else "never"}
        self.decide("GPU_LOST", message, params, words)

    def note(self, reading):
        for gpu in self.found.gpus:
            self.tracks[gpu.handle].add(reading, gpu.uuid)
            self.check_errors(reading, gpu)
        if self.written < RAW_SAMPLES_CAP:
            line = json.dumps({"t": round(reading.at, 3), "gpus": list(reading.rows.values())}) + "\n"
            self.written += len(line)
            self.samples.write(line)

    def check_errors(self, reading, gpu):
        grown = soak.grown(self.first, reading, gpu.uuid, "ecc.errors.uncorrected.volatile.total")
        if grown:
            self.decide("ECC_UNCORRECTED", "The GPU could not correct a memory error during the load.",
                        {"gpu": gpu.label, "errors": grown, "at": soak.stamp(reading.at)}, "")
        row = reading.rows.get(gpu.uuid, {})
        action = nvidia.cell(row.get("gpu_recovery_action"))
        if action and action.lower() != "none":
            self.decide("RECOVERY_ACTION", "The driver asks for a recovery of this GPU.", {"gpu": gpu.label, "action": action, "at": soak.stamp(reading.at)}, "")
        if str(row.get("remapped_rows.failure", "")).lower() == "yes" and str(self.first.rows.get(gpu.uuid, {}).get("remapped_rows.failure", "")).lower() != "yes":
            self.decide("REMAP_FAILURE", "The GPU could not replace a bad memory row.", {"gpu": gpu.label, "at": soak.stamp(reading.at)}, "")

    def take(self, item):
        """Reads what a load wrote since the last look."""
        for line in item.lines():
            track = self.tracks[item.gpu.handle]
            if line.get("ready"):
                self.loaded = self.loaded or time.time()
                if not line["relativeError"] <= line["tolerance"]:
                    self.decide("WRONG_RESULT", "A matrix product gave a wrong result.", {"gpu": item.gpu.label, "error": line["relativeError"]}, "")
                item.ready = line
            elif "canary" in line:
                track.canaries.append((line["canary"], line["figures"], line["t"]))
            elif "tflops" in line:
                track.speed.append((line["t"], line["tflops"]))
                if not line["same"]:
                    self.wrong(item, line)

    def wrong(self, item, line):
        track = self.tracks[item.gpu.handle]
        track.mismatches += 1
        params = {"gpu": item.gpu.label, "at": soak.stamp(line["t"]), "times": track.mismatches}
        if track.mismatches > 1 or line.get("relativeError", 0) > item.ready["tolerance"]:
            self.decide("WRONG_RESULT", "The same calculation gave other bits under load.", params, "")
        self.ctx.finding("WRONG_RESULT", "warn", "vendor", "The same calculation gave other bits once.", params, "", "A second time ends the test.")

    def check_load(self, item):
        if not item.ready and time.time() - item.started > READY_SECONDS:
            item.process.kill()
            self.decide("PROBE_TIMEOUT", "The load did not start within %d s." % READY_SECONDS, {"gpu": item.gpu.label}, item.process.finish().evidence())
        if item.process.wait(0) and self.left() > self.period:
            self.take(item)
            result = parse_inner(item.process.finish())
            if result.value:
                return
            words = (result.error + "\n" + result.evidence()).strip()
            self.check_log()
            known = failures.diagnose(words)
            again = item.gpu.handle in self.restarted
            if not item.ready or again or (known and known.code in ("ECC_UNCORRECTED", "GPU_LOST")):
                code = known.code if known else "CUDA_UNUSABLE"
                self.decide(code, known.message if known else "The load ended by itself.", {"gpu": item.gpu.label, "at": soak.stamp(time.time())}, words)
            self.restarted.add(item.gpu.handle)
            self.ctx.finding("CUDA_UNUSABLE", "warn", "vendor", "The load was ended by an error and is started once more.",
                             {"gpu": item.gpu.label, "at": soak.stamp(time.time())}, words, "A second time ends the test.")
            self.launch(item.gpu)
        elif item.ready and item.quiet() > max(120.0, 6 * self.period):
            item.process.kill()
            self.decide("GPU_HUNG", "The load stopped making progress.", {"gpu": item.gpu.label, "at": soak.stamp(time.time())}, "")

    def check_log(self):
        for bus, number, line in self.log.new():
            severity = xid.severity(number, line)
            params = {"xid": number, "bus": bus, "when": "during"}
            if number in xid.DECISIVE:
                self.decide("XID_%d" % number, "The GPU's driver reported a fatal error during the load.", params, line)
            # An application's Xid is no application's here: the only one running is ours, and it is known to be right.
            self.ctx.finding("XID_%d" % number, "warn" if severity == "info" else severity, "vendor",
                             "The GPU's driver reported an error during the load.", params, line, "Ask the vendor what happened on this host.")

    def decide(self, code, message, params, evidence):
        self.ctx.finding(code, "fail", "vendor", message, params, evidence, "Give this machine back and ask the vendor for another.")
        raise Decided(code)

    def saved(self, code):
        used = time.time() - (self.began or time.time())
        self.ctx.finding("STABILITY_ENDED_EARLY", "info", "ours", "The outcome was decided, so the load ended early.",
                         {"because": code, "afterSeconds": int(used), "savedSeconds": int(max(0, self.seconds - used))}, "", "")

    def say(self, reading):
        hottest = max([reading.value(gpu.uuid, "temperature.gpu") or 0 for gpu in self.found.gpus] or [0])
        speeds = [track.speed[-1][1] for track in self.tracks.values() if track.speed]
        text = "%d min, %s TFLOP/s, %s °C" % ((time.time() - self.began) / 60, "/".join("%.0f" % s for s in speeds[:8]) or "-", hottest or "-")
        # Eight hours at one event a period would be thousands of lines.
        if time.time() - self.said >= max(10.0, self.seconds / 300):
            self.said = time.time()
            self.ctx.progress(1 - max(0.0, self.left()) / self.seconds, text)

    # Telling

    def tell(self):
        with open(os.path.join(self.place, "samples.jsonl.gz"), "rb") as f:
            self.ctx.raw("samples.jsonl.gz", f.read())
        for gpu in self.found.gpus:
            item = self.loads.get(gpu.handle)
            self.tell_gpu(gpu, self.tracks[gpu.handle], item.ready if item else None)

    def tell_gpu(self, gpu, track, ready):
        common = {"gpu": gpu.uuid or (ready or {}).get("uuid"), "tool": "torch", "tool_version": (ready or {}).get("torch"), "method": load.METHOD}
        attrs = {"seconds": int(track.speed[-1][0] - track.speed[0][0]) if track.speed else 0, "period": self.period, "dtype": (ready or {}).get("dtype"), "mismatches": track.mismatches}
        blocks = soak.blocks([speed for _, speed in track.speed], 48)
        if blocks:
            self.ctx.measurement("soak_throughput", soak.middle([s for _, s in track.speed]), "TFLOP/s", samples=blocks, attrs=dict(attrs, **track.state()), **common)
        drift = soak.drift(track.speed)
        if drift:
            self.ctx.measurement("soak_drift", drift.pop("percent"), "%", attrs=drift, **common)
        smi = dict(common, tool="nvidia-smi", tool_version=None)
        hot = soak.percentile(track.temperature, 95)
        if hot is not None:
            self.ctx.measurement("gpu_temperature_p95", hot, "°C", attrs={"max": max(track.temperature), "n": len(track.temperature)}, **smi)
        for name, share in track.throttle(track.first, self.last, gpu.uuid).items():
            self.ctx.measurement(name, share["percent"], "%", attrs={"from": share["from"], "seconds": share["seconds"]}, **smi)
            if name != "throttle_power_share" and share["percent"] > 1:
                hard = name == "throttle_hw_share"
                self.ctx.finding("THROTTLE_HW" if hard else "THROTTLE_THERMAL", "fail" if hard else "warn", "vendor",
                                 "The hardware slowed this GPU down." if hard else "The driver slowed this GPU down because of heat.",
                                 {"gpu": gpu.label, "share": "%.1f %%" % share["percent"]}, "", "Ask the vendor about power and cooling of this host.")
        for field, code, message in (
            ("ecc.errors.corrected.volatile.total", "ECC_CORRECTED", "Corrected memory errors grew during the load."),
            ("remapped_rows.correctable", "REMAP_PENDING", "The GPU replaced memory rows during the load."),
            ("remapped_rows.uncorrectable", "REMAP_PENDING", "The GPU replaced memory rows after uncorrectable errors during the load."),
        ):
            grown = soak.grown(self.first, self.last, gpu.uuid, field)
            if grown:
                self.ctx.finding(code, "warn", "vendor", message, {"gpu": gpu.label, "grown": grown}, "", "Watch this card; ask the vendor if it goes on.")
        for label, figures, at in track.canaries:
            self.tell_canary(label, figures, at, common)

    def tell_canary(self, label, figures, at, common):
        attrs = {"moment": label, "at": soak.stamp(at)}
        pairs = [("canary_memory_copy", figures.get("copy", {}).get("gbs")), ("canary_h2d", figures.get("h2d")), ("canary_d2h", figures.get("d2h"))]
        for name, samples in pairs:
            if samples:
                self.ctx.measurement(name, None, "GB/s", samples=samples, attrs=attrs, **common)


def canaries(now, seconds, options):
    """{label: epoch seconds}: start, middle, end, and the vendor's evening peak when it falls into the load.

    The service may name moments itself (``canaryAt``: epoch seconds); else 20:30 of the machine's own zone is taken.
    """
    moments = {"start": now + min(60, seconds / 10), "middle": now + seconds / 2, "end": now + seconds * 0.95}
    asked = options.get("canaryAt")
    if isinstance(asked, list):
        wanted = [float(at) for at in asked if isinstance(at, (int, float))][:10]
    else:
        local = datetime.datetime.fromtimestamp(now)
        peak = local.replace(hour=20, minute=30, second=0, microsecond=0)
        wanted = [(peak + datetime.timedelta(days=day)).timestamp() for day in (0, 1)]
    for number, at in enumerate(at for at in wanted if now < at < now + seconds):
        moments["peak" if number == 0 else "peak-%d" % (number + 1)] = at
    return moments
