"""Whether driver, CUDA, PyTorch, NCCL and cuDNN fit each other, the cards, and the task's ``requires``."""

import re
import threading
import time

from . import diagnose, gpufacts, nvidia, probes, versions

_OWN = ("torch", "cuda", "python", "nccl", "cudnn", "driver")


def run(ctx, gpus):
    """Writes the fact ``software`` and its findings. *gpus* is None when no GPU is wanted."""
    python = ctx.torch_python()
    facts = {
        "driver": gpus.driver if gpus else None, "driverCuda": gpus.driver_cuda if gpus else None,
        "torch": None, "torchCuda": None, "nccl": None, "cudnn": None, "archList": [], "python": None,
        "pythonPath": python, "cudaAvailable": None, "torchImportSeconds": None,
    }
    wants_gpu = gpus is not None and ctx.spec.expect_gpus > 0
    if python is None:
        if wants_gpu:
            ctx.finding("TORCH_MISSING", "warn", "image", "No Python with PyTorch was found, so the GPU's speed cannot be measured.", {}, "",
                        "Choose an image with PyTorch; nothing is installed silently.")
        if gpus and gpus.facts and gpus.cuda and gpus.cuda.get("error"):
            _tell(ctx, gpus, gpus.cuda["error"])
    else:
        _torch(ctx, gpus, python, facts)
    packages = sorted(k for k in ctx.spec.requires if k.lower() not in _OWN)
    found = ctx.run_python("inner.packages:run", {"names": packages}, 30, python=python).value
    if isinstance(found, dict):
        facts["python"] = found["python"]
        facts["packages"] = found["packages"]
    ctx.fact("software", facts)
    _requires(ctx, facts)


def _tell(ctx, gpus, text, fallback=None):
    """Diagnoses a text, each code once per stage; an unknown text becomes the fallback finding."""
    found = diagnose.diagnose(text)
    for d in found:
        if d.code not in gpus.codes:
            gpus.codes.add(d.code)
            ctx.finding(d.code, d.severity, d.owner, d.message, d.params, d.evidence, d.next_step)
    if not found and fallback:
        gpus.codes.add("CUDA_UNUSABLE")
        ctx.finding("CUDA_UNUSABLE", "fail", "unknown", fallback, {}, text, "See the evidence; compare driver and CUDA versions.")


def _torch(ctx, gpus, python, facts):
    versions_of, devices, result, under_load = _ask(ctx, gpus, python)
    facts.update({k: versions_of.get(k) for k in ("torch", "torchCuda", "nccl", "cudnn")})
    facts["hip"] = versions_of.get("hip")
    facts["archList"] = versions_of.get("archList") or []
    facts["torchImportSeconds"] = seconds = versions_of.get("importSeconds")
    value = result.value if isinstance(result.value, dict) else {}
    facts["cudaAvailable"] = bool(value.get("available") and devices)
    if seconds and seconds > 20:
        ctx.finding("TORCH_IMPORT_SLOW", "warn", "vendor", "Importing PyTorch took %.0f s: the disk that holds the image is slow." % seconds,
                    {"seconds": "%.0f" % seconds}, "", "Every process of a job pays this; prefer an image on a local disk.")
    if gpus is None:
        return
    if not versions_of:
        if result.timed_out:
            ctx.finding("PROBE_TIMEOUT", "fail", "unknown", "Importing PyTorch did not end in time.", {}, result.evidence(),
                        "A dead network disk or a dying GPU is usual; look at the evidence, then change the host.")
        else:
            _tell(ctx, gpus, result.error + "\n" + result.err_text, "PyTorch cannot be imported.")
        return
    if not versions_of.get("torchCuda"):
        if versions_of.get("hip"):
            return
        gpus.codes.add("TORCH_CPU_ONLY")
        ctx.finding("TORCH_CPU_ONLY", "fail" if ctx.spec.expect_gpus else "info", "image", "The installed PyTorch (%s) is the CPU-only build." % versions_of.get("torch"),
                    {"torch": versions_of.get("torch")}, "", "Install the CUDA build of PyTorch, or use another image.")
        return
    if result.timed_out:
        gpus.codes.add("GPU_HUNG")
        ctx.finding("GPU_HUNG", "fail", "vendor", "PyTorch started, but the GPU does not answer.", {}, result.evidence(),
                    "Give the machine back; ask the vendor for another host.")
    _fit(ctx, gpus, facts)
    errors = [e for e in [value.get("error"), value.get("loadError"), result.error] + [d.get("error") for d in devices] if e]
    for error in errors:
        _tell(ctx, gpus, error, "PyTorch cannot use the GPU.")
    _devices(ctx, gpus, devices, under_load)


def _ask(ctx, gpus, python):
    """Runs the torch probe; while it loads the cards, their links are read: an idle link runs at a lower speed."""
    loading = threading.Event()
    want = gpus is not None and bool(gpus.rows) and not gpus.hung and probes.which("nvidia-smi") is not None

    def line(_, text):
        if b'"loading"' in text:
            loading.set()

    args = {"load_seconds": 4.0 if want else 0.0, "seed": ctx.spec.seed}
    env = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    if isinstance(ctx.spec.gpus, list):
        env["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, ctx.spec.gpus))
    process = ctx.start(ctx.inner_argv("inner.torch_props:run", args, python), env=env, cap=4 << 20, on_line=line)
    deadline = time.monotonic() + min(100.0, ctx.remaining() * 0.7)
    rows = []
    while not process.wait(0.1):
        if loading.is_set() and want:
            loading.clear()
            time.sleep(1.2)
            rows, _ = gpufacts.query(ctx, gpus, ("index", "uuid", "pcie.link.gen.current", "pcie.link.width.current", "clocks.current.sm"))
        if time.monotonic() > deadline:
            process.result.timed_out = True
            break
    process.kill()
    result = probes.parse_inner(process.finish())
    found, devices = {}, []
    for part in result.parts:
        if isinstance(part, dict):
            found.update(part.get("versions") or {})
            if isinstance(part.get("device"), dict):
                devices.append(part["device"])
    return found, devices, result, rows


def _fit(ctx, gpus, facts):
    torch_cuda, driver_cuda = versions.parse(facts["torchCuda"]), versions.parse(facts["driverCuda"])
    if torch_cuda and driver_cuda and driver_cuda[0] < torch_cuda[0]:
        gpus.codes.add("CUDA_DRIVER_TOO_OLD")
        ctx.finding("CUDA_DRIVER_TOO_OLD", "fail", "vendor",
                    "The driver %s supports CUDA %s, but PyTorch %s needs CUDA %s." % (facts["driver"], facts["driverCuda"], facts["torch"], facts["torchCuda"]),
                    {"driver": facts["driver"], "driverCuda": facts["driverCuda"], "torch": facts["torch"], "torchCuda": facts["torchCuda"]}, "",
                    "Choose a host with driver %s or newer, or an image with CUDA %d." % (diagnose.driver_for(torch_cuda[0]) or "a newer branch", driver_cuda[0]))
    for fact in gpus.facts[:1]:
        if fits(facts["archList"], fact["computeCapability"]) is False:
            gpus.codes.add("TORCH_ARCH_MISSING")
            ctx.finding("TORCH_ARCH_MISSING", "fail", "image",
                        "PyTorch %s was built for %s; this GPU needs sm_%s." % (facts["torch"], " ".join(facts["archList"]), (fact["computeCapability"] or "").replace(".", "")),
                        {"torch": facts["torch"], "archList": " ".join(facts["archList"]), "computeCapability": fact["computeCapability"]}, "",
                        "Use an image with a PyTorch build for this GPU: Blackwell needs CUDA 12.8 or later, Volta and older CUDA 12 or earlier.")
    for name in ("nccl", "cudnn"):
        if facts["torch"] and not facts[name]:
            ctx.finding(name.upper() + "_MISSING", "warn", "image", "PyTorch %s comes without %s." % (facts["torch"], {"nccl": "NCCL", "cudnn": "cuDNN"}[name]),
                        {"torch": facts["torch"]}, "", "Use another image if the job needs it.")


def fits(arch_list, capability):
    """Whether a build for these architectures runs on a card; None when it cannot be told.

    Binary code runs on the same major version from its own minor version up; ``compute_XY`` is
    compiled on the spot for anything newer; a suffix (``sm_90a``) binds to exactly one version.
    """
    have = versions.parse(capability)
    if not arch_list or not have or len(have) < 2:
        return None
    for arch in arch_list:
        match = re.match(r"(sm|compute)_(\d+)(\d)([a-z]?)\Z", str(arch))
        if not match:
            continue
        need = (int(match.group(2)), int(match.group(3)))
        if match.group(4) == "a":
            ok = have[:2] == need
        elif match.group(1) == "sm":
            ok = have[0] == need[0] and have[1] >= need[1]
        else:
            ok = have[:2] >= need
        if ok:
            return True
    return False


def _devices(ctx, gpus, devices, under_load):
    for device in devices:
        fact = _fact_of(gpus, device)
        if fact is not None:
            fact["smCount"] = fact["smCount"] or device.get("smCount")
            fact["computeCapability"] = fact["computeCapability"] or device.get("computeCapability")
            fact["cudaMemoryMiB"] = fact.get("cudaMemoryMiB") or device.get("memoryMiB")
        if device.get("correct") is False:
            ctx.finding("WRONG_RESULT", "fail", "vendor", "A small matrix product on the GPU differs from the processor's by %s." % device.get("maxError"),
                        {"gpu": device.get("uuid") or device.get("ordinal"), "maxError": device.get("maxError")}, "", "Give the machine back: the card computes wrongly.")
    for row in under_load:
        for fact in gpus.facts:
            if fact["uuid"] and fact["uuid"] == nvidia.cell(row.get("uuid")):
                gen, width = nvidia.whole(row.get("pcie.link.gen.current")), nvidia.whole(row.get("pcie.link.width.current"))
                if gen is not None and width is not None:
                    fact.update(pcieGen=gen, pcieWidth=width, pcieUnderLoad=True)
    if gpus.facts and devices and len(devices) < len(gpus.facts):
        ctx.finding("CUDA_UNUSABLE", "fail", "unknown", "PyTorch sees %d of %d GPUs." % (len(devices), len(gpus.facts)),
                    {"seen": len(devices), "found": len(gpus.facts)}, "", "Check CUDA_VISIBLE_DEVICES, and the fabric manager on NVSwitch machines.")


def _fact_of(gpus, device):
    for fact in gpus.facts:
        if device.get("uuid") and (fact["uuid"] or "").lower() == device["uuid"].lower():
            return fact
    ordinal = device.get("ordinal")
    return gpus.facts[ordinal] if isinstance(ordinal, int) and ordinal < len(gpus.facts) else None


def _requires(ctx, facts):
    """Compares with the task's requirements; each clash names both versions."""
    packages = {k.lower(): v for k, v in (facts.get("packages") or {}).items()}
    for name, wanted in sorted(ctx.spec.requires.items()):
        key = name.lower()
        if key == "cuda":
            have, source = facts["torchCuda"] or facts["driverCuda"], "PyTorch" if facts["torchCuda"] else "the driver"
        else:
            have, source = facts.get(key) if key in _OWN else packages.get(key), "the image"
        params = {"name": name, "wanted": wanted, "found": have or ""}
        if not have:
            ctx.finding("REQUIRES_UNMET", "fail", "image", "The task needs %s %s, but none was found." % (name, wanted), params, "",
                        "Choose an image that has it, or install it in the task's prepare step.")
            continue
        fine = versions.satisfies(have, wanted)
        if fine is None:
            ctx.finding("REQUIRES_UNMET", "warn", "unknown", "The requirement %s %s cannot be compared with version %s." % (name, wanted, have), params, "",
                        "Write requirements like >=2.4,<3.")
        elif not fine:
            ctx.finding("REQUIRES_UNMET", "fail", "vendor" if key == "driver" else "image",
                        "The task needs %s %s, but %s has %s." % (name, wanted, source, have), params, "",
                        "Choose another image, or change the task's requirement.")
