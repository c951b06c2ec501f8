"""Stage ``environment``: what this machine is, before anything is measured on it."""

from .. import gpufacts, hostfacts, software


def run(ctx):
    ctx.progress(0.02, "host")
    host, signs = hostfacts.run(ctx)
    gpus = None
    if ctx.spec.gpus != "none":
        ctx.progress(0.15, "GPUs")
        gpus = gpufacts.find(ctx)
        gpufacts.select(gpus, ctx.spec.gpus)
        ctx.progress(0.30, "load of others")
        gpufacts.others(ctx, gpus)
    ctx.progress(0.40, "software")
    software.run(ctx, gpus)
    ctx.fact("gpus", gpus.facts if gpus else [])
    if gpus:
        gpufacts.judge(ctx, gpus, signs)
    ctx.progress(0.75, "processors")
    hostfacts.measure(ctx, host)
