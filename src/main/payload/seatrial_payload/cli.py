"""Commands of the payload. Exit status: 0 done, 1 could not, 2 wrong use; one JSON line says why."""

import hashlib
import json
import os
import shutil
import sys
import tarfile

from . import PROTOCOL, STAGES, VERSION, probes, rundir, supervisor, wire
from .spec import Spec, SpecError

USAGE = "run STAGE --id ID --spec FILE | poll ID --from OFFSET | stop ID | collect ID | clean | version"


class UsageError(Exception):
    pass


def main(argv):
    """Runs one command and returns the exit status."""
    try:
        if argv[:1] == ["--inner"]:
            return probes.run_inner(argv[1] if len(argv) > 1 else "", argv[2] if len(argv) > 2 else "")
        command = {"run": _run, "poll": _poll, "stop": _stop, "collect": _collect, "clean": _clean, "version": _version}.get(
            argv[0] if argv else "")
        if command is None:
            raise UsageError("unknown command %r; use: %s" % (argv[0] if argv else "", USAGE))
        return command(argv[1:])
    except UsageError as e:
        wire.say(type="error", code="USAGE", message=str(e))
        return 2
    except SpecError as e:
        wire.say(type="error", code="SPEC", message=str(e))
        return 2
    except rundir.StateError as e:
        wire.say(type="error", code="STATE", message=str(e))
        return 1
    except BrokenPipeError:
        return 1
    except OSError as e:
        wire.say(type="error", code="SYSTEM", message="%s: %s" % (e.strerror, e.filename))
        return 1


def _options(args, names):
    """Positional arguments and named options; everything else is wrong use."""
    plain, named, i = [], {}, 0
    while i < len(args):
        if args[i].startswith("--"):
            if args[i] not in names or i + 1 >= len(args):
                raise UsageError("unknown or incomplete option %s; use: %s" % (args[i], USAGE))
            named[args[i]] = args[i + 1]
            i += 2
        else:
            plain.append(args[i])
            i += 1
    return plain, named


def _id(value):
    if not value or not rundir.ID.match(value):
        raise UsageError("an id is 1 to 64 of a-z, 0-9 and -, not %r" % (value,))
    return value


def _one(args):
    plain, _ = _options(args, ())
    if len(plain) != 1:
        raise UsageError("one id is needed; use: %s" % USAGE)
    return rundir.Run(rundir.home(), _id(plain[0]))


def _run(args):
    plain, named = _options(args, ("--id", "--spec"))
    if len(plain) != 1 or plain[0] not in STAGES:
        raise UsageError("one stage of %s is needed" % ", ".join(STAGES))
    run = rundir.Run(rundir.home(), _id(named.get("--id")))
    if "--spec" not in named:
        raise UsageError("--spec FILE is needed")
    spec = Spec.load(named["--spec"])
    spec.raw["stage"] = plain[0]
    rundir.prepare(rundir.home())
    state, pid = supervisor.start(run, json.dumps(spec.raw).encode("utf-8"))
    wire.say(type="run", id=run.id, state=state, pid=pid)
    return 0


def _poll(args):
    plain, named = _options(args, ("--from",))
    if len(plain) != 1:
        raise UsageError("one id is needed; use: %s" % USAGE)
    run = rundir.Run(rundir.home(), _id(plain[0]))
    try:
        offset = int(named.get("--from", "0"))
    except ValueError:
        raise UsageError("--from needs a number of bytes")
    supervisor.poll(run, offset)
    return 0


def _stop(args):
    run = _one(args)
    left = supervisor.stop(run) if run.exists() else []
    wire.say(type="stop", id=run.id, stopped=not left, left=left)
    return 0 if not left else 1


def _collect(args):
    run = _one(args)
    if not run.exists():
        raise UsageError("no run %s here" % run.id)
    out = os.fdopen(os.dup(1), "wb")
    with out, tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        for name in ("spec.json", "events.jsonl", "supervisor.log", "raw"):
            path = os.path.join(run.dir, name)
            if os.path.exists(path):
                tar.add(path, arcname=run.id + "/" + name, filter=_plain)
    return 0


def _plain(info):
    """Only plain files and folders, without the machine's user names."""
    if not (info.isfile() or info.isdir()):
        return None
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def _clean(args):
    plain, _ = _options(args, ())
    if plain:
        raise UsageError("clean takes no arguments")
    root = rundir.home()
    left = []
    for run in rundir.runs(root):
        left += supervisor.stop(run)
    if os.path.isfile(os.path.join(root, rundir.MARKER)) and _removable(root):
        shutil.rmtree(root, ignore_errors=True)
        if os.path.lexists(root):
            left.append(root)
    elif os.path.isdir(root):
        runs = os.path.join(root, "runs")
        if os.path.lexists(runs) and not rundir.remove_tree(runs):
            left.append(runs)
        left += [os.path.join(root, n) for n in sorted(os.listdir(root))[:20]
                 if os.path.join(root, n) == rundir.program() and os.path.isfile(rundir.program())]
    wire.say(type="clean", removed=not left, left=left)
    return 0 if not left else 1


def _removable(root):
    """Never a home, the root or a mount point, whatever marker lies in it."""
    real = os.path.realpath(root)
    return real not in ("/", os.path.realpath(os.path.expanduser("~"))) and not os.path.ismount(real)


def _version(args):
    if args:
        raise UsageError("version takes no arguments")
    wire.say(type="version", version=VERSION, sha256=_digest(rundir.program()), protocol=PROTOCOL, python="%d.%d.%d" % sys.version_info[:3], stages=list(STAGES))
    return 0


def _digest(path):
    """SHA-256 of the program as it lies here, so that the sender can tell whether it arrived whole; None for a folder."""
    if not os.path.isfile(path):
        return None
    whole = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 16), b""):
            whole.update(block)
    return whole.hexdigest()
