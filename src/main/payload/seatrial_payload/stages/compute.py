"""Stage ``compute``: how fast each GPU calculates and moves data, and whether its answers are right."""

import os
from concurrent.futures import ThreadPoolExecutor

from ..context import median
from ..gpu import failures, fleet, matmul, sampler

TOGETHER = ("bf16", "fp8")
# The most telling figures first: where time is short, the others are left out and that is said.
ORDER = ("bf16", "memory", "fp8", "training", "tf32", "fp16", "fp32")
QUICK_SECONDS = 172


def run(ctx):
    if ctx.spec.gpus == "none":
        _host_core(ctx)
        return
    found = fleet.find(ctx)
    if found is None:
        return
    _host_core(ctx)
    options = ctx.spec.section("compute")
    several = len(found.gpus) > 1
    plan = _Plan(ctx, found, options, several)
    with sampler.Background(found.state, 1.0) as watched:
        plan.watched = watched
        if several and ctx.spec.quick:
            plan.brief()
        else:
            for gpu in found.gpus:
                plan.alone(gpu)
            if several:
                plan.together(TOGETHER)
    plan.judge_throttling()


class _Plan:
    """The order of measurements, and how much time each may take."""

    def __init__(self, ctx, found, options, several):
        self.ctx, self.found, self.options, self.several = ctx, found, options, several
        self.watched = None
        self.windows = []  # (gpu, start, end) under sustained load
        self.dtypes = [d for d in options.get("dtypes") or matmul.DTYPES if d in matmul.DTYPES]
        self.steps = len(found.gpus) * (len(self.dtypes) + 2) + (3 if several else 0)
        self.step = 0

    def timing(self):
        """Blocks and seconds; the shape and the data are the same in both, only the patience differs."""
        quick = self.ctx.spec.quick
        timing = {"shortBlocks": 7, "sustainedBlocks": 5, "blockSeconds": 2.0 if quick else 10.0, "warmSeconds": 4.0 if quick else 10.0}
        if quick and self.several:
            timing.update(blockSeconds=1.0, warmSeconds=2.0)
        timing.update({k: v for k, v in self.options.items() if k in timing})
        return timing

    def expected(self):
        t = self.timing()
        return t["warmSeconds"] + t["sustainedBlocks"] * t["blockSeconds"] + 5

    def left(self):
        """Seconds that may still be used; a quick stage costs three minutes at most, whatever the number of GPUs."""
        left = self.ctx.remaining()
        return min(left, QUICK_SECONDS - self.ctx.elapsed()) if self.ctx.spec.quick else left

    def enough(self, seconds, what):
        if self.left() > seconds:
            return True
        self.ctx.finding("PROBE_TIMEOUT", "info", "ours", "%s was not measured: the time for this stage is used up." % what,
                         {"probe": what, "left": "%.0f s" % self.left()}, "", "Use the standard preset, or give the stage more time.")
        return False

    def advance(self, text):
        self.ctx.progress(self.step / float(self.steps), text)
        self.step += 1

    def alone(self, gpu):
        for step in ORDER:
            if step == "memory":
                self.advance("memory and host link of %s" % gpu.label)
                if self.enough(15, "memory of %s" % gpu.label):
                    args = {"gpu": gpu.handle, "seed": self.ctx.spec.seed}
                    self.memory(gpu, self.inner("gpu.memory:run", args, self.limit(120)), "")
            elif step == "training":
                self.advance("training step on %s" % gpu.label)
                if self.enough(16, "training step on %s" % gpu.label):
                    args = {"gpu": gpu.handle, "seed": self.ctx.spec.seed}
                    self.training(gpu, self.inner("gpu.transformer:run", args, self.limit(120)))
            elif step in self.dtypes:
                self.advance("%s matrix product on %s" % (step, gpu.label))
                if not matmul.supported(step, gpu.capability):
                    continue
                if self.enough(self.expected(), "%s on %s" % (step, gpu.label)):
                    args = dict(self.timing(), gpu=gpu.handle, dtype=step, seed=self.ctx.spec.seed)
                    self.products(gpu, self.inner("gpu.matmul:run", args, self.limit(self.expected() * 2 + 90)), step, "")

    def brief(self):
        """Several GPUs within three minutes: what tells most of every one of them comes first."""
        gpus, count = self.found.gpus, len(self.found.gpus)
        self.steps = 2 * count + 4
        main = [d for d in ("bf16", "fp16") if d in self.dtypes and all(matmul.supported(d, gpu.capability) for gpu in gpus)][:1]
        self.together(main)
        for gpu in gpus:
            self.advance("%s alone" % gpu.label)
            if main and self.enough(self.expected() + 5, "%s alone" % gpu.label):
                product = dict(self.timing(), dtype=main[0], seed=self.ctx.spec.seed)
                both = {"gpu": gpu.handle, "product": product, "memory": {"seed": self.ctx.spec.seed, "blockSeconds": 0.3}}
                result = self.inner("gpu.alone:run", both, self.limit(120))
                value = result.value
                if not value:
                    failures.report(self.ctx, result, "Product and memory", {"gpu": gpu.label})
                    continue
                for part, take in (("product", lambda r: self.products(gpu, r, main[0], "")), ("memory", lambda r: self.memory(gpu, r, ""))):
                    result.value, result.error = value.get(part), value.get(part + "Error", "")
                    take(result)
        if "fp8" in self.dtypes and self.left() > self.expected() + 10:
            self.together(["fp8"], links=False)
        for gpu in gpus:
            self.advance("training step on %s" % gpu.label)
            if self.left() > 16:
                self.training(gpu, self.inner("gpu.transformer:run", {"gpu": gpu.handle, "seed": self.ctx.spec.seed}, self.limit(60)))

    def limit(self, seconds):
        """A probe's own limit, inside what the stage may still use."""
        return max(10.0, min(seconds, self.left()))

    def together(self, dtypes, links=True):
        """Every GPU at once: shared power, cooling and uplinks show only now."""
        for dtype in [d for d in self.dtypes if d in dtypes]:
            gpus = [gpu for gpu in self.found.gpus if matmul.supported(dtype, gpu.capability)]
            self.advance("%s on all GPUs at once" % dtype)
            if gpus and self.enough(self.expected() + 10, "%s on all GPUs at once" % dtype):
                args = dict(self.timing(), dtype=dtype, seed=self.ctx.spec.seed)
                for gpu, result in self.all_at_once("gpu.matmul:run", gpus, args, self.limit(self.expected() * 2 + 150)):
                    self.products(gpu, result, dtype, "_together")
        if not links:
            return
        self.advance("host links of all GPUs at once")
        if self.enough(30, "host links of all GPUs at once"):
            args = {"what": ["h2d", "d2h"], "seed": self.ctx.spec.seed, "blockSeconds": 1.0}
            for gpu, result in self.all_at_once("gpu.memory:run", self.found.gpus, args, self.limit(180)):
                self.memory(gpu, result, "_together")

    def inner(self, function, args, limit):
        return self.ctx.run_python(function, args, limit, self.found.python)

    def all_at_once(self, function, gpus, args, limit):
        place = os.path.join(self.ctx.run_dir, "tmp", "meet-%d" % self.step)

        def one(gpu):
            spot = {"dir": place, "name": str(gpu.index), "count": len(gpus), "seconds": 90}
            return self.inner(function, dict(args, gpu=gpu.handle, meet=spot), limit)

        with ThreadPoolExecutor(len(gpus)) as pool:
            return list(zip(gpus, pool.map(one, gpus)))

    def products(self, gpu, result, dtype, suffix):
        value = result.value
        if not value:
            failures.report(self.ctx, result, "%s matrix product" % dtype, {"gpu": gpu.label})
            return
        if value.get("unsupported"):
            return
        right = self.right(gpu, value, dtype)
        window = (value["sustained"]["from"], value["sustained"]["to"])
        self.windows.append((gpu,) + window)
        common = {"shape": value["shape"], "seed": self.ctx.spec.seed, "relativeError": value["relativeError"]}
        figures = [("sustained", dict(common, blockSeconds=value["sustained"]["blockSeconds"], warmSeconds=value["sustained"]["warmSeconds"],
                                      **sampler.summary(self.watched.between(*window), gpu.uuid)))]  # fmt: skip
        if not suffix:
            figures.insert(0, ("short", dict(common, iterations=value["short"]["iterations"])))
        for kind, attrs in figures:
            if suffix:
                attrs["everyoneCame"] = bool(value.get("met"))
            self.measure("matmul_%s_%s%s" % (dtype, kind, suffix), "TFLOP/s", gpu, value[kind]["tflops"], value, value["method"], right, attrs)

    def right(self, gpu, value, dtype):
        """Whether the product was right; a finding when not."""
        worst = max(value["relativeError"], value["relativeErrorAfter"])
        if value["finite"] and worst <= value["tolerance"] and value["bitEqual"]:
            return True
        wrong = not value["finite"] or worst > value["tolerance"]
        self.ctx.finding(
            "WRONG_RESULT", "fail" if wrong else "warn", "vendor",
            "A matrix product gave a wrong result." if wrong else "The same matrix product gave different bits before and after load.",
            {"gpu": gpu.label, "dtype": dtype, "error": "%.3g" % worst, "allowed": "%.3g" % value["tolerance"]}, "",
            "Do not use this card; run once more on another machine." if wrong else "Repeat; with a second difference do not use this card.")
        return False

    def memory(self, gpu, result, suffix):
        value = result.value
        if not value:
            failures.report(self.ctx, result, "Memory and host link", {"gpu": gpu.label})
            return
        copy = value.get("copy")
        if copy:
            right = self.equal(gpu, copy["equal"], "device memory")
            self.measure("memory_copy" + suffix, "GB/s", gpu, copy["gbs"], value, copy["method"], right, {"bytes": copy["bytes"]})
        if "linkEqual" not in value:
            return
        right = self.equal(gpu, value["linkEqual"], "host link")
        attrs = {"bytes": value["pinnedBytes"]}
        seen = sampler.summary(self.watched.between(value["from"], value["to"]), gpu.uuid)
        attrs.update({name: seen[name] for name in ("pcieGen", "pcieWidth") if name in seen})
        if suffix:
            attrs["everyoneCame"] = bool(value.get("met"))
        if not value["pinned"]:
            self.ctx.step_down("pinned memory", "pageable memory", "No memory could be locked (ulimit -l).")
            attrs["pageable"] = True
        for name in ("h2d", "d2h"):
            if value.get(name):
                trust = right and value["pinned"]
                self.measure(name + "_pinned" + suffix, "GB/s", gpu, value[name], value, value["pinnedMethod"], trust, dict(attrs))

    def equal(self, gpu, equal, what):
        if not equal:
            self.ctx.finding("WRONG_RESULT", "fail", "vendor", "Data changed on its way through the %s." % what, {"gpu": gpu.label}, "",
                             "Do not use this card; run once more on another machine.")
        return equal

    def training(self, gpu, result):
        value = result.value
        if not value:
            failures.report(self.ctx, result, "Training step", {"gpu": gpu.label})
            return
        if not value["learns"]:
            self.ctx.finding("WRONG_RESULT", "fail", "vendor", "A small model's loss did not fall while it trained.", {"gpu": gpu.label},
                             str(value["losses"]), "Do not use this card; run once more on another machine.")
        self.measure("train_step_small", "tokens/s", gpu, value["tokensPerSecond"], value, value["method"], value["learns"],
                     {"firstLoss": value["losses"][0], "lastLoss": value["losses"][-1], "stepsPerBlock": value["stepsPerBlock"]})

    def measure(self, name, unit, gpu, samples, value, method, right, attrs):
        self.ctx.measurement(name, None, unit, gpu=gpu.uuid or value.get("uuid"), samples=samples, tool="torch", tool_version=value["torch"],
                             method=method, confidence="normal" if right else "low", attrs=attrs)

    def judge_throttling(self):
        """Hardware slowdown and heat, seen while loaded. A power cap at full load is normal and is no finding."""
        for gpu in self.found.gpus:
            masks = [reading.reasons(gpu.uuid) for owner, start, end in self.windows if owner is gpu
                     for reading in self.watched.between(start, end)]  # fmt: skip
            masks = [mask for mask in masks if mask is not None]
            for code, severity, bits, message in (
                ("THROTTLE_HW", "fail", sampler.HW_BITS, "The hardware slowed this GPU down while it was loaded."),
                ("THROTTLE_THERMAL", "warn", sampler.SW_THERMAL, "The driver slowed this GPU down because of heat."),
            ):
                percent = sampler.share(masks, bits)
                if percent and percent > 1 and sum(1 for mask in masks if int(mask) & bits) > 1:
                    self.ctx.finding(code, severity, "vendor", message, {"gpu": gpu.label, "share": "%.1f %%" % percent}, "",
                                     "Ask the vendor about power and cooling of this host; try another machine.")


def _host_core(ctx):
    """One core by the environment stage's method, here beside the GPU's figures: it may be another hour."""
    result = ctx.run_python("inner.cpu:run", {"threads": 1, "blocks": 5, "seconds": 0.2}, 60)
    value = result.value
    if not value:
        failures.report(ctx, result, "Host core")
        return
    ctx.measurement("host_cpu_single_core", None, "Mop/s", samples=value["single"], tool="python", tool_version=value["python"], method="md5/1",
                    attrs={"interpreterMops": round(median(value["interpreter"]), 2)})
