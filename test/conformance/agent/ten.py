"""Ten turns of a model: calls side by side, a wrong argument, a surface with a
hole, a refusal for lack of places, a malformed answer. Prints the calls that
were made, without what differs from run to run."""

import json
import os
import re
import sys

from client import call, chat, session

base, mock = os.environ["ATELIER_URL"], os.environ["AIMOCK_URL"]

# A cube of 10 mm without one of its twelve triangles.
CUBE = b"""v 0 0 0
v 10 0 0
v 10 10 0
v 0 10 0
v 0 0 10
v 10 0 10
v 10 10 10
v 0 10 10
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 2 3 7
f 2 7 6
f 3 4 8
f 3 8 7
f 4 1 5
"""

checks = 0


def check(what, holds, seen=""):
    """Count a check, or end with what was seen."""
    global checks
    checks += 1
    if not holds:
        sys.exit(f"ten.py: {what}: {seen}")


name = session(base, "cube.obj", CUBE)
told = chat(base, name, "work through the ten turns")
kinds = [kind for _, kind, _ in told]
done = told[-1]
check("the last event is the end", done[1] == "agent_done" and done[2]["status"] == "completed", done)
check("the answer is the model's", done[2]["reply"].endswith("All ten turns are done."), done)
numbers = [number for number, _, _ in told]
check("events come in order, once", numbers == sorted(set(numbers)), numbers)
refused = [data for _, kind, data in told if kind == "error"]
check(
    "the wrong argument is told",
    any("circuits.simulate" in e["message"] and e["code"] == "invalid_request" for e in refused),
    refused,
)

manifest = call(f"{base}/v1/sessions/{name}")
steps = [
    " ".join(
        [
            s["tool"],
            s["status"],
            (s.get("error") or {}).get("code", ""),
            json.dumps(s["input"], sort_keys=True),
        ]
    )
    for s in manifest["steps"]
]
steps = [re.sub(r"job_[a-z2-7]{26}", "job_x", s) for s in steps]
tools = [s["tool"] for s in manifest["steps"]]
check(
    "both circuits and the echo ran",
    tools[:3] == ["circuits.simulate", "circuits.simulate", "echo_json"],
    tools,
)
volts = call(f"{base}/v1/jobs/{manifest['steps'][0]['job_id']}")["result"]
# 10 V over two equal resistors
check("the divider gives 5 V", "5 V" in json.dumps(volts), volts)
check(
    "the leaky cube is meshed, repaired, meshed",
    tools[3:6] == ["volume_mesh_quartet", "mesh_repair_pmp", "volume_mesh_quartet"]
    and [s["status"] for s in manifest["steps"][3:6]] == ["failed", "succeeded", "succeeded"],
    steps[3:6],
)
check("nothing else was called", len(steps) == 12, steps)
check(
    "every start has its end",
    kinds.count("tool_call_start") == kinds.count("tool_call_complete") == 12,
    kinds,
)

asked = call(f"{mock}/__aimock/journal")
entries = asked if isinstance(asked, list) else asked.get("entries", asked)
# ten replies, one refusal, one malformed answer
check("the model was asked twelve times", len(entries) == 12, len(entries))
statuses = [entry["response"]["status"] for entry in entries]
check("one of them was refused", statuses.count(429) == 1, statuses)

print("\n".join(steps))
print(f"checks {checks}", file=sys.stderr)
