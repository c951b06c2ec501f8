"""Brings a task's files from a git address onto the machine: shallow, without submodules, without asking anybody for a password.

A machine is rented for hours and may be anybody's: secrets do not travel there, so only what can be read without them
is cloned. Private sources are uploaded over SSH by the service instead.
"""

import os
import re
import shutil
import time
from urllib.parse import urlsplit

SECONDS = 300.0
SCHEMES = ("https", "http", "ssh", "git", "file")
_SCP = re.compile(r"^(?:[A-Za-z0-9._-]+@)?[A-Za-z0-9.-]+:[^/\\:][^:]*$")
_REF = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$")
_COMMIT = re.compile(r"^[0-9a-f]{7,64}$")

_NO_WAY = re.compile(r"could not resolve host|failed to connect|connection timed out|connection refused|network is unreachable|no route to host|"
                     r"could not resolve proxy|operation timed out|connection reset|couldn't connect|temporary failure in name resolution", re.I)
_CLOSED = re.compile(r"authentication failed|could not read (username|password)|terminal prompts disabled|permission denied \(|repository not found|"
                     r"returned error: 40[134]|access denied|host key verification failed", re.I)
_NO_REF = re.compile(r"couldn't find remote ref|remote branch .* not found|did not match any|not our ref|unadvertised object|bad object", re.I)


def fetch(ctx, options, place):
    """Puts the files at ``url`` (``ref``, ``depth``, ``limitSeconds``) into a new folder. The folder, or None after a finding."""
    url, ref = str(options.get("url") or ""), str(options.get("ref") or "HEAD")
    wrong = _refused(url, ref)
    if wrong:
        _failed(ctx, url, wrong, "unknown", "", "Correct task.git in the plan.")
        return None
    shown = masked(url)
    limit = min(_number(options.get("limitSeconds"), SECONDS), max(1.0, ctx.remaining() - 30))
    depth = int(_number(options.get("depth"), 1))
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place, mode=0o700)
    git = _Git(ctx, place, limit)
    began = time.monotonic()
    # Fetching a ref by itself serves branches, tags and, where the server allows it, commits.
    steps = [["init", "-q"], ["fetch", "-q", "--no-tags", "--no-recurse-submodules", "--depth", str(depth), "--", url, ref]]
    ran = git.all(steps)
    if ran.rc not in (0, None) and _COMMIT.match(ref) and _NO_REF.search(ran.err_text):
        ran = git.all([["fetch", "-q", "--no-recurse-submodules", "--", url, "+refs/heads/*:refs/remotes/o/*"], ["update-ref", "FETCH_HEAD", ref]])
    if ran.ok:
        ran = git.all([["checkout", "-q", "--detach", "FETCH_HEAD"]])
    if not ran.ok:
        _why(ctx, ran, shown, ref, limit)
        return None
    seconds = time.monotonic() - began
    commit = git.one(["rev-parse", "HEAD"]).text.strip()[:64]
    ctx.fact("taskSource", {"url": shown, "ref": ref, "commit": commit, "depth": depth, "submodules": os.path.exists(os.path.join(place, ".gitmodules"))})
    ctx.measurement("task_source_seconds", seconds, "s", tool="git", method="git-fetch/1", attrs={"url": shown, "commit": commit})
    if os.path.exists(os.path.join(place, ".gitmodules")):
        ctx.finding("TASK_SUBMODULES", "info", "unknown", "The task's source names submodules; they are not fetched.", {"url": shown}, "",
                    "If the task needs them, fetch them in task.prepare.")
    return place


def masked(url):
    """The address without name and password, for everything that is written down."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]*://)[^/@]*@", r"\1", str(url))[:300]


def _refused(url, ref):
    """Why this address cannot be used, or None."""
    if not _REF.match(ref):
        return "the ref %s is not a branch, tag or commit" % ref[:100]
    if _SCP.match(url):
        return None
    try:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:
            return "only https, http, ssh and git addresses can be cloned"
        if parts.password or (parts.username and parts.scheme in ("http", "https")):
            return "the address holds a name or password, and secrets do not travel to rented machines"
        if parts.scheme != "file" and (not parts.hostname or parts.hostname.startswith("-")):
            return "the address names no host"
    except ValueError as e:
        return str(e)
    return None


class _Git:
    def __init__(self, ctx, place, limit):
        self.ctx, self.place, self.until = ctx, place, time.monotonic() + limit
        # No prompt of any kind, no hooks, no other transport than those above; proxies of the machine stay.
        self.env = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "true", "SSH_ASKPASS": "true", "GCM_INTERACTIVE": "never",
                    "GIT_ALLOW_PROTOCOL": ":".join(SCHEMES), "GIT_LFS_SKIP_SMUDGE": None, "GIT_DIR": None, "GIT_WORK_TREE": None,
                    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes -oStrictHostKeyChecking=accept-new -oUserKnownHostsFile=/dev/null -oConnectTimeout=15"}

    def one(self, argv):
        settings = ["-c", "credential.helper=", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false", "-c", "safe.directory=*"]
        return self.ctx.run_probe(["git"] + settings + ["-C", self.place] + argv, max(1.0, self.until - time.monotonic()), self.env)

    def all(self, steps):
        """The last of these that ran: the first that failed, else the last."""
        for argv in steps:
            ran = self.one(argv)
            if not ran.ok:
                break
        return ran


def _why(ctx, ran, shown, ref, limit):
    words = ran.evidence()
    if ran.missing:
        _failed(ctx, shown, "git is not installed on this machine", "image", "", "Upload the folder instead (task.upload), or use an image with git.")
    elif ran.timed_out:
        _failed(ctx, shown, "it did not end within %.0f s" % limit, "transport", words, "Upload the folder instead (task.upload), or use a mirror nearer to the machine.")
    elif _NO_WAY.search(words):
        _failed(ctx, shown, "this machine has no way there", "vendor", words, "Upload the folder instead (task.upload): it goes over SSH and needs no way out.")
    elif _CLOSED.search(words):
        _failed(ctx, shown, "it is not public, and no password or key is sent to the machine", "unknown", words, "Upload the folder instead (task.upload).")
    elif _NO_REF.search(words):
        _failed(ctx, shown, "it has no %s" % ref, "unknown", words, "Correct the ref in the plan.")
    else:
        _failed(ctx, shown, "git ended with exit status %s" % ran.rc, "unknown", words, "Read git's words, or upload the folder instead (task.upload).")


def _failed(ctx, shown, why, owner, evidence, next_step):
    ctx.finding("TASK_SOURCE_FAILED", "fail", owner, "The task's source could not be fetched from %s: %s." % (masked(shown), why),
                {"url": masked(shown), "why": why}, evidence, next_step)


def _number(value, default):
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else default
