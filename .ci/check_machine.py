"""Checks that a real machine without a GPU was measured and given back."""
import json
import sys

doc = json.load(open(sys.argv[1], encoding="utf-8"))
trial = doc["trials"][0]
stages = {s["stage"]: s for s in trial["stages"]}
print(trial["candidate"], trial["verdict"], {n: s["verdict"] for n, s in stages.items()})
assert doc["status"] == "completed", doc["status"]
assert doc["simulated"] is False
assert stages["environment"]["verdict"] in ("PASS", "WARN"), stages["environment"]
local = trial["provider"] == "this-machine"
assert stages["storage"]["measurements"], stages["storage"]
assert any(m["name"] == "host_cpu_single_core" for s in trial["stages"] for m in s["measurements"]), "host CPU"
# Between a service and the machine it runs on there is no network to measure.
assert stages["network"]["verdict"] == "SKIPPED" if local else stages["network"]["measurements"], stages["network"]
assert all(s["verdict"] != "FAIL" for s in stages.values() if s["stage"] in ("environment",)), stages
assert all(lease["state"] == "HANDED_BACK" for lease in trial["leases"]), trial["leases"]
