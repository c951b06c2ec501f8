"""Which GPUs a stage works on, and with which Python."""

from . import failures, sampler


class Gpu:
    """``uuid`` is None where nvidia-smi does not answer; ``handle`` is what CUDA_VISIBLE_DEVICES takes."""

    def __init__(self, index, uuid, name, capability):
        self.index, self.uuid, self.name = index, uuid, name
        self.handle = uuid or index
        try:
            self.capability = tuple(int(part) for part in str(capability).split("."))[:2]
        except ValueError:
            self.capability = (0, 0)

    @property
    def label(self):
        return self.uuid or "GPU %d" % self.index


class Fleet:
    def __init__(self, gpus, python, state):
        self.gpus, self.python, self.state = gpus, python, state


def find(context, need_torch=True):
    """The fleet, or None after a finding that says why there is none. ``gpus: none`` asks for none: no finding."""
    wanted = context.spec.gpus
    if wanted == "none":
        return None
    state = sampler.Sampler(context)
    reading = state.read()
    python = context.torch_python() if need_torch else None
    gpus = [
        Gpu(int(sampler.number(row.get("index", "")) or 0), uuid, row.get("name"), row.get("compute_cap"))
        for uuid, row in reading.rows.items()
    ]
    if reading.hung:
        context.finding("GPU_HUNG", "fail", "vendor", "nvidia-smi does not answer within 20 s.", {}, "",
                        "A GPU or its driver hangs: give this machine back.")
    if not gpus and python and not reading.hung:
        gpus = _by_torch(context, python)
    if wanted != "all":
        gpus = [gpu for gpu in gpus if gpu.index in wanted]
    if not gpus:
        if not reading.hung:
            context.finding("NO_GPU", "fail", "vendor", "No GPU was found, so none was measured.", {"asked": wanted},
                            reading.lost or ("There is no nvidia-smi." if reading.missing else ""), "Check that the offer has a GPU and that the instance got it.")
        return None
    if need_torch and python is None:
        context.finding("TORCH_MISSING", "warn", "image", "No Python with PyTorch was found; the GPU was not measured.", {}, "",
                        "Use an image with PyTorch.")
        return None
    gpus.sort(key=lambda gpu: gpu.index)
    return Fleet(gpus, python, state)


def _by_torch(context, python):
    asked = context.run_python("gpu.torchbase:devices", {}, 90, python)
    if not asked.value:
        failures.report(context, asked, "Listing GPUs with PyTorch")
        return []
    found = [Gpu(d["index"], d.get("uuid"), d.get("name"), d.get("capability")) for d in asked.value["devices"]]
    if found:
        context.step_down("nvidia-smi", "PyTorch's own list of GPUs")
    return found
