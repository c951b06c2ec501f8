"""Which GPUs this machine really has: nvidia-smi first, the CUDA library where that is missing.

Identity comes before speed: a card sold under another card's name is known by its PCI id, its
number of multiprocessors and its links, in seconds and without a benchmark.
"""

import glob
import os
import re
import time

from . import diagnose, nvidia, probes

SMI_TIMEOUT = 25.0
_VGPU_NAME = re.compile(r"(?:^|\s)GRID |-\d{1,3}[CQAB]\b")
_GEFORCE = re.compile(r"GeForce|TITAN", re.I)
_WORKSTATION = re.compile(r"\bRTX\b|Quadro", re.I)


class Gpus:
    """What was found. ``facts`` are entries of the fact ``gpus``; ``rows`` the raw cells behind them."""

    def __init__(self):
        self.facts = []
        self.rows = []
        self.driver = None
        self.driver_cuda = None
        self.mig_devices = []
        self.cuda = None
        self.hung = False
        self.codes = set()


def find(ctx):
    """Collects identity and state, and writes findings about texts of failure; no judgement of figures yet."""
    gpus = Gpus()
    if probes.which("nvidia-smi") is None:
        ctx.step_down("nvidia-smi", "the CUDA driver library", "no program named nvidia-smi on the path")
    else:
        _ask_smi(ctx, gpus)
    if not gpus.hung:
        _ask_cuda(ctx, gpus)
    return gpus


def smi(ctx, gpus, *args):
    """Runs nvidia-smi once; after it hung once it is not asked again (each try would cost its time limit)."""
    if gpus.hung:
        return None
    result = ctx.run_probe(["nvidia-smi"] + list(args), SMI_TIMEOUT)
    if result.timed_out:
        gpus.hung = True
        gpus.codes.add("GPU_HUNG")
        ctx.finding("GPU_HUNG", "fail", "vendor", "nvidia-smi does not answer within %d s: a GPU or its driver hangs." % SMI_TIMEOUT,
                    {"command": "nvidia-smi " + " ".join(args)[:100]}, result.evidence(),
                    "Give the machine back; ask the vendor for another host and keep this for the refund.")
        return None
    return result


def _report(ctx, gpus, result):
    """Diagnoses known texts, each code once per stage."""
    text = result.text + "\n" + result.err_text
    for d in diagnose.diagnose(text):
        if d.code not in gpus.codes:
            gpus.codes.add(d.code)
            ctx.finding(d.code, d.severity, d.owner, d.message, d.params, d.evidence, d.next_step)


def query(ctx, gpus, fields):
    """Rows of ``--query-gpu``; a field that this driver does not know is dropped and the rest asked again."""
    fields = list(fields)
    for _ in range(12):
        result = smi(ctx, gpus, "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits")
        if result is None:
            return [], None
        unknown = nvidia.bad_field(result.text + result.err_text)
        if unknown is None or unknown not in fields or len(fields) == 1:
            rows, _ = nvidia.parse_csv(result.out, fields)
            return rows, result
        fields.remove(unknown)
    return [], result


def _ask_smi(ctx, gpus):
    known = smi(ctx, gpus, "--help-query-gpu")
    if known is None:
        return
    gpus.rows, result = query(ctx, gpus, nvidia.choose_fields(known.out))
    if result is not None:
        ctx.raw("nvidia-smi-query.csv", result.out + result.err)
        _report(ctx, gpus, result)
    full = smi(ctx, gpus, "-q", "-x")
    document = None
    if full is not None:
        ctx.raw("nvidia-smi-q.xml", full.out + full.err)
        document = nvidia.parse_xml(full.out)
        if document is None:
            _report(ctx, gpus, full)
    if document:
        gpus.driver, gpus.driver_cuda = document["driver"], document["cuda"]
        _merge(ctx, gpus, document["gpus"])
    listed = smi(ctx, gpus, "-L")
    if listed is not None:
        _, gpus.mig_devices = nvidia.parse_list(listed.out)
        _report(ctx, gpus, listed)
    links = smi(ctx, gpus, "nvlink", "-s")
    counts = nvidia.parse_links(links.out) if links is not None else {}
    for row in gpus.rows:
        index = nvidia.whole(row.get("index"))
        gpus.facts.append(nvidia.gpu_fact(row, {"nvlinks": counts.get(index)}))
    if gpus.facts and gpus.driver is None:
        gpus.driver = gpus.facts[0]["driver"]
    topology = smi(ctx, gpus, "topo", "-m")
    if topology is not None and topology.rc == 0:
        ctx.raw("nvidia-smi-topo.txt", topology.out)
        ctx.fact("topology", nvidia.text_of(topology.out)[:8000])


def _merge(ctx, gpus, documents):
    """The document fills what the table lacks; where the table failed as a whole, it takes its place."""
    if not gpus.rows and documents:
        ctx.step_down("nvidia-smi --query-gpu", "nvidia-smi -q -x", "")
        gpus.rows = documents
        return
    by_uuid = {d.get("uuid"): d for d in documents}
    for row in gpus.rows:
        other = by_uuid.get(row.get("uuid"), {})
        for key, value in other.items():
            if key not in row:
                row[key] = value


def _ask_cuda(ctx, gpus):
    """The driver library knows the number of multiprocessors, and says whether CUDA starts at all."""
    result = ctx.run_python("inner.cuda_driver:run", {}, 60, env={"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": None})
    gpus.cuda = result.value if isinstance(result.value, dict) else None
    if result.timed_out:
        gpus.hung = True
        gpus.codes.add("GPU_HUNG")
        ctx.finding("GPU_HUNG", "fail", "vendor", "CUDA does not start within 60 s: a GPU or its driver hangs.", {}, result.evidence(),
                    "Give the machine back; ask the vendor for another host.")
        return
    if gpus.cuda is None:
        return
    gpus.driver_cuda = gpus.driver_cuda or gpus.cuda.get("driverCuda")
    devices = gpus.cuda.get("devices", [])
    if not gpus.facts and devices and not gpus.codes:
        for d in devices:
            gpus.rows.append({})
            gpus.facts.append(_fact_from_cuda(d))
    for fact in gpus.facts:
        device = match(fact, devices)
        if device:
            fact["smCount"] = device.get("smCount")
            fact["cudaMemoryMiB"] = device.get("memoryMiB")
            if not fact["computeCapability"] and device.get("major") is not None:
                fact["computeCapability"] = "%s.%s" % (device["major"], device["minor"])


def _fact_from_cuda(d):
    fact = nvidia.gpu_fact({})
    bus = None
    if d.get("pciBus") is not None:
        bus = "%04x:%02x:%02x.0" % (d.get("pciDomain") or 0, d["pciBus"], d.get("pciDevice") or 0)
    fact.update(index=d.get("ordinal"), uuid=d.get("uuid"), name=d.get("name"), memoryMiB=d.get("memoryMiB"), busId=bus)
    if bus:
        for key, name in (("pciDeviceId", "device"), ("pciVendorId", "vendor")):
            try:
                with open("/sys/bus/pci/devices/%s/%s" % (bus, name)) as f:
                    fact[key] = f.read(16).strip()[2:].lower() or None
            except OSError:
                pass
    return fact


def match(fact, devices):
    """The CUDA device that is this card: by UUID, else by bus, else the only one."""
    for d in devices:
        if d.get("uuid") and d["uuid"].lower() == (fact.get("uuid") or "").lower():
            return d
    address = re.match(r"[0-9A-Fa-f]+:([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2})", fact.get("busId") or "")
    if address:
        for d in devices:
            if d.get("pciBus") == int(address.group(1), 16) and d.get("pciDevice") == int(address.group(2), 16):
                return d
    return devices[0] if len(devices) == 1 else None


def select(gpus, wanted):
    """Keeps the cards that the specification names by index."""
    if isinstance(wanted, list):
        kept = [i for i, f in enumerate(gpus.facts) if f["index"] in wanted]
        gpus.facts = [gpus.facts[i] for i in kept]
        gpus.rows = [gpus.rows[i] for i in kept]


def judge(ctx, gpus, signs):
    """Findings about identity, sharing and health. Comparing with the label sold is the service's part."""
    _count(ctx, gpus)
    for fact, row in zip(gpus.facts, gpus.rows):
        _one(ctx, gpus, fact, row)
    if signs:
        ctx.finding("SOFT_SLICE", "fail", "vendor", "The environment shows that the GPU is sliced by software.",
                    {"signs": "; ".join(signs)[:500]}, "\n".join(signs), "Ask the vendor for a whole GPU, or for the price of the share.")


def _count(ctx, gpus):
    found, expected = len(gpus.facts), ctx.spec.expect_gpus
    if found == 0 and expected > 0:
        if not gpus.codes & {"NO_GPU", "DRIVER_NOT_LOADED", "DRIVER_LIB_MISMATCH", "GPU_HUNG", "GPU_LOST"}:
            other = [name for path, name in (("/dev/kfd", "AMD"), ("/dev/davinci0", "Ascend")) if os.path.exists(path)]
            devices = sorted(glob.glob("/dev/nvidia[0-9]*"))
            if other:
                message = "No NVIDIA GPU was found, but another kind of accelerator (%s)." % ", ".join(other)
            elif devices:
                message = "The GPU's device files are there, but neither nvidia-smi nor the CUDA library can use them."
            else:
                message = "no GPU found: no device files, no nvidia-smi that lists one"
            ctx.finding("NO_GPU", "fail", "vendor", message, {"expected": expected, "devices": " ".join(devices)[:200]},
                        (gpus.cuda or {}).get("error", ""), "Check that the instance type has a GPU; ask the vendor why it is not passed in.")
        elif "NO_GPU" not in gpus.codes:
            ctx.finding("NO_GPU", "fail", "vendor", "No GPU can be used; the cause is told in another finding.", {"expected": expected}, "", "")
    elif found != expected and ctx.spec.gpus == "all" and expected > 0:
        ctx.finding("GPU_COUNT_MISMATCH", "fail", "vendor", "%d GPUs were expected, %d are there." % (expected, found),
                    {"expected": expected, "found": found}, "\n".join(str(f["name"]) for f in gpus.facts), "Ask the vendor for the number that was paid for.")
    elif found < expected:
        ctx.finding("GPU_COUNT_MISMATCH", "fail", "vendor", "Of the %d GPUs asked for, %d are there." % (expected, found),
                    {"expected": expected, "found": found}, "", "Check the GPU indexes in the plan.")


def _one(ctx, gpus, fact, row):
    who = {"gpu": fact["uuid"] or fact["index"], "name": fact["name"] or ""}
    vendor = "vendor"

    def tell(code, severity, message, params=None, evidence="", next_step="", owner=vendor):
        ctx.finding(code, severity, owner, message, dict(who, **(params or {})), evidence, next_step)

    bad = nvidia.troubled(row)
    if bad:
        tell("GPU_LOST" if "lost" in " ".join(str(row[k]) for k in bad).lower() else "RECOVERY_ACTION", "fail",
             "The driver cannot read this card's state.", {"fields": " ".join(bad)[:300]},
             "\n".join("%s: %s" % (k, row[k]) for k in bad)[:1500], "Ask the vendor for a reset of the card or another host.")
    migs = gpus.mig_devices or ["?"] * (nvidia.whole(row.get("mig_devices")) or 0)
    if fact["mig"] or migs:
        tell("MIG_SLICE", "fail", "This is a MIG slice of a card (%s), not a whole one." % (", ".join(migs[:8]) or "MIG mode is on"),
             {"slices": ", ".join(migs[:8])}, "", "Ask for a whole GPU, unless a slice was sold.")
    virtual = (fact["virtualization"] or "").upper()
    if "VGPU" in virtual and "HOST" not in virtual or _VGPU_NAME.search(fact["name"] or ""):
        tell("VGPU", "fail", "This is a virtual GPU, a share of a card.", {"mode": fact["virtualization"] or ""}, fact["name"] or "",
             "Ask for a passed-through GPU, unless a share was sold; an unlicensed vGPU slows down after 20 minutes.")
    total, seen = fact["memoryMiB"], fact.get("cudaMemoryMiB")
    if total and seen and seen < 0.90 * total and not (fact["mig"] or migs):
        tell("SOFT_SLICE", "fail", "CUDA may use %d MiB of the card's %d MiB: it is sliced by software." % (seen, total),
             {"usable": seen, "total": total}, "", "Ask the vendor for a whole GPU, or for the price of the share.")
    limit, default = fact["powerLimitW"], fact["powerDefaultW"]
    if limit and default and limit < 0.95 * default:
        tell("POWER_CAPPED", "warn", "The card's power limit is %.0f W instead of the usual %.0f W; it will be slower under load." % (limit, default),
             {"limitW": "%.0f" % limit, "defaultW": "%.0f" % default}, "", "Ask the vendor to restore the default limit, or for a lower price.")
    if (fact["eccMode"] or "").lower() == "disabled" and not _GEFORCE.search(fact["name"] or ""):
        usual = bool(_WORKSTATION.search(fact["name"] or ""))
        tell("ECC_OFF", "info" if usual else "warn", "Error correction of the GPU's memory is off" + (", as is usual for this card." if usual else "."),
             None, "", "" if usual else "Ask the vendor to switch ECC on; without it memory errors stay unseen.")
    if fact["remapPending"]:
        tell("REMAP_PENDING", "fail", "Memory rows wait to be replaced: the card had memory errors and needs a reset.", None,
             "\n".join("%s: %s" % (k, row.get(k)) for k in ("remapped_rows.pending", "retired_pages.pending")), "Ask the vendor for a reset or another host.")
    if fact["remapFailure"]:
        tell("REMAP_FAILURE", "fail", "Faulty memory rows could not be replaced: the card must be exchanged.", None, "", "Give the machine back.")
    if fact["recoveryAction"] not in (None, "None"):
        tell("RECOVERY_ACTION", "fail", "The driver asks for a recovery action on this card: %s." % fact["recoveryAction"],
             {"action": fact["recoveryAction"]}, "", "Ask the vendor to carry it out, or for another host.")
    if fact["eccUncorrectedVolatile"] or fact["sramThresholdExceeded"]:
        tell("ECC_UNCORRECTED", "fail", "The card has had memory errors that could not be corrected since it was started.",
             {"count": fact["eccUncorrectedVolatile"] or "", "sramThresholdExceeded": fact["sramThresholdExceeded"] or ""}, "", "Give the machine back.")
    elif fact["eccUncorrectedAggregate"]:
        tell("ECC_UNCORRECTED", "warn", "The card has had %d uncorrectable memory errors in its life." % fact["eccUncorrectedAggregate"],
             {"count": fact["eccUncorrectedAggregate"]}, "", "Ask the vendor for another card before a long contract.")
    state = (fact["fabricState"] or "").lower()
    if ctx.spec.phase == "multi" and state and state not in ("completed", "n/a"):
        tell("FABRIC_NOT_READY", "fail", "The NVSwitch fabric is not ready (%s)." % fact["fabricState"], {"state": fact["fabricState"]}, "",
             "Ask the vendor to start the fabric manager.")
    if fact["persistence"] is False:
        tell("PERSISTENCE_OFF", "info", "Persistence mode is off: the first use after a pause takes longer.", None, "", "", "image")


def others(ctx, gpus):
    """Load that is not ours, seen before we make any: three looks, two seconds apart; the middle one counts."""
    if not gpus.rows or "index" not in gpus.rows[0] or gpus.hung or probes.which("nvidia-smi") is None:
        return
    looks = {}
    fields = ("index", "uuid", "memory.used", "utilization.gpu")
    for turn in range(3):
        if turn:
            time.sleep(1.0 if ctx.spec.quick else 2.0)
        rows, _ = query(ctx, gpus, fields)
        for row in rows:
            looks.setdefault(nvidia.cell(row.get("uuid")), []).append((nvidia.whole(row.get("utilization.gpu")), nvidia.whole(row.get("memory.used"))))
    for fact in gpus.facts:
        seen = looks.get(fact["uuid"], [])
        load = sorted(u for u, _ in seen if u is not None)
        memory = sorted(m for _, m in seen if m is not None)
        busy = load[len(load) // 2] if load else 0
        used = memory[len(memory) // 2] if memory else 0
        fact["utilization"] = busy if load else fact["utilization"]
        # The driver itself keeps up to some hundred MiB on idle cards, more on large ones.
        allowed = max(500, (fact["memoryMiB"] or 0) // 100)
        if busy > 5 or used > allowed:
            ctx.finding("OTHER_TENANT_LOAD", "fail" if busy > 5 else "warn", "vendor",
                        "Somebody uses this GPU before the trial does: %d %% busy, %d MiB of memory in use." % (busy, used),
                        {"gpu": fact["uuid"] or "", "utilization": busy, "memoryMiB": used}, "\n".join(map(str, seen)),
                        "Ask the vendor who shares the card; on your own machine, stop other programs first.")
