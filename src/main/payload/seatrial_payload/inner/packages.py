"""Versions of Python packages, by their metadata: nothing is imported."""

import sys


def run(names):
    """{python, packages: {name: version or None}}"""
    found = {}
    for name in names:
        found[name] = None
        try:
            from importlib import metadata

            found[name] = metadata.version(name)
        except Exception:  # absent, or its metadata is broken: the version is unknown either way
            pass
    return {"python": "%d.%d.%d" % sys.version_info[:3], "packages": found}
