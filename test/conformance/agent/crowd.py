"""A hundred sessions at once: every event arrives, no manifest gets another's
steps. With --fixtures it writes the model's script instead."""

import json
import os
import sys
import threading
import time

from client import call, chat, session

COUNT = 100


def fixtures():
    """Write the script: two calls side by side, then the answer, each with its own mark."""
    rules = []
    for n in range(COUNT):
        mark = f"mark-{n:03d};"
        both = [{"name": "echo_json", "arguments": {"message": mark, "n": k}} for k in (1, 2)]
        rules.append(
            {"match": {"userMessage": mark, "hasToolResult": True}, "response": {"content": f"Done {mark}"}}
        )
        rules.append(
            {"match": {"userMessage": mark, "hasToolResult": False}, "response": {"toolCalls": both}}
        )
    return {"fixtures": rules}


def one(base, n, faults):
    """Run one conversation and hold everything it left against its mark."""
    mark = f"mark-{n:03d};"
    try:
        name = session(base)
        told = chat(base, name, f"echo {mark} twice")
        kinds = [kind for _, kind, _ in told]
        numbers = [number for number, _, _ in told]
        want = {"tool_call_start": 2, "tool_call_complete": 2, "agent_done": 1}
        if any(kinds.count(kind) != times for kind, times in want.items()) or numbers != sorted(set(numbers)):
            faults.append(f"{mark}: events {list(zip(numbers, kinds, strict=True))}")
        if told[-1][2].get("reply") != f"Done {mark}":
            faults.append(f"{mark}: ended with {told[-1]}")
        manifest = call(f"{base}/v1/sessions/{name}")
        inputs = [step["input"]["message"] for step in manifest["steps"]]
        said = [m["content"] for m in manifest["messages"]]
        if (
            inputs != [mark, mark]
            or said != [f"echo {mark} twice", f"Done {mark}"]
            or manifest["status"] != "idle"
        ):
            faults.append(f"{mark}: steps {inputs}, messages {said}, {manifest['status']}")
    except Exception as error:
        faults.append(f"{mark}: {error!r}")


def memory(pid):
    """Return the resident memory now and at its highest, in MB."""
    with open(f"/proc/{pid}/status") as status:
        found = dict(line.split(":", 1) for line in status if line.startswith("Vm"))
    return [int(found[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM")]


def main():
    """Run all at once and print the figures."""
    if sys.argv[1:] == ["--fixtures"]:
        print(json.dumps(fixtures()))
        return
    base, faults = os.environ["ATELIER_URL"], []
    before = memory(os.environ["ATELIER_PID"])[0]
    crowd = [threading.Thread(target=one, args=(base, n, faults)) for n in range(COUNT)]
    began = time.monotonic()
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    took = time.monotonic() - began
    if faults:
        sys.exit("crowd.py: " + "\n".join(faults[:10]))
    now, highest = memory(os.environ["ATELIER_PID"])
    print(
        f"{COUNT} sessions at once in {took:.1f} s, every event and manifest right; "
        f"memory {before:.0f} MB before, {highest:.0f} MB at most, {now:.0f} MB after"
    )


main()
