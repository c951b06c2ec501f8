"""Reads texts (a JSON list) from standard input and prints, for each, the findings that the payload makes of it."""

import json
import sys

from harness import SOURCE  # noqa: F401  (puts the payload on the path)
from seatrial_payload import diagnose

for text in json.load(sys.stdin):
    found = [{"type": "finding", "code": d.code, "severity": d.severity, "owner": d.owner, "message": d.message, "params": d.params,
              "evidence": d.evidence, "next": d.next_step} for d in diagnose.diagnose(text)]
    print(json.dumps(found))
