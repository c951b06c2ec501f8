"""What a failed GPU program said, as one finding: whose fault it is and what to do next."""

from .. import diagnose as texts


def diagnose(text):
    """The first diagnosis of a failure's text, or None when it is not a known one."""
    found = texts.diagnose(text)
    return found[0] if found else None


def report(context, result, what, params=None):
    """Writes the finding for an inner probe that gave no value. Returns its code."""
    params = dict(params or {}, probe=what)
    words = (result.error + "\n" + result.evidence()).strip()
    if result.timed_out:
        context.finding("PROBE_TIMEOUT", "fail", "unknown", "%s did not end in time." % what, params, words,
                        "A hang under load points to the GPU or its driver: run again, then try another machine.")
        return "PROBE_TIMEOUT"
    known = diagnose(words)
    if known:
        context.finding(known.code, known.severity, known.owner, known.message, dict(params, **known.params), words, known.next_step)
        return known.code
    context.finding("CUDA_UNUSABLE", "fail", "unknown", "%s failed (exit status %s)." % (what, result.rc), params, words,
                    "Read the evidence; a signal 9 means that the machine's memory limit ended it.")
    return "CUDA_UNUSABLE"
