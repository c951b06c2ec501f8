"""Checks the quickstart's JSON document against what the README promises."""
import json
import sys

doc = json.load(open(sys.argv[1], encoding="utf-8"))
trials = {t["candidate"]: t for t in doc["trials"]}
verdicts = {name: t["verdict"] for name, t in trials.items()}
print("verdicts:", verdicts, "spent:", doc["budget"]["spent"], doc["budget"]["currency"])
assert doc["status"] == "completed", doc["status"]
assert doc["simulated"] is True
assert verdicts == {"sim-steady": "PASS", "sim-discount": "FAIL", "sim-flaky": "PASS"}, verdicts
assert float(doc["budget"]["spent"]) <= float(doc["budget"]["cap"])
assert float(doc["budget"]["overrun"]) == 0.0, doc["budget"]
leases = [lease for t in doc["trials"] for lease in t["leases"]]
assert all(lease["state"] in ("RELEASED", "NOT_CREATED") for lease in leases), leases
assert not any(lease["gpus"] > 1 for lease in trials["sim-discount"]["leases"]), "discount never gets several GPUs"
for name in ("sim-steady", "sim-flaky"):
    assert any(lease["gpus"] == 8 and lease["state"] == "RELEASED" for lease in trials[name]["leases"]), name
