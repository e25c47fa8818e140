"""Shared by the drivers: the servers' addresses, the judges of a response and of
a stream, and a runner that counts."""

import asyncio
import copy
import inspect
import json
import os
import re
import sys
import time
import traceback
import urllib.error
import urllib.request

import openresponses_types as spec
from openresponses_types import types as spec_types

BARE = os.environ["ATELIER_BARE"]  # base URL of a server without a model
WITH_MODEL = os.environ["ATELIER_WITH_MODEL"]  # base URL of one with aimock behind it
AIMOCK = os.environ["AIMOCK_URL"]

NETLIST = "V1 in 0 DC 10\nR1 in out 1k\nR2 out 0 3k\n.end"  # out = 10 V * 3/4 = 7.5 V
CIRCUIT = {"netlist": NETLIST, "control": ["op", "quit"]}


def forced(name, arguments):
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


def _camel(event_type):
    words = re.split(r"[._]", event_type.removeprefix("response."))
    return "".join(w.capitalize() for w in words)


def valid_response(body):
    """Hold a response against the published types of the specification.

    Their generator has made the schema of a json_schema format null-only, which
    the specification does not say, so that one value is left out of the check.
    """
    body = copy.deepcopy(body)
    if body["text"]["format"]["type"] == "json_schema":
        body["text"]["format"]["schema"] = None
    spec.ResponseResource.model_validate_json(json.dumps(body))
    return body


def valid_events(raw):
    """Hold a stream against the rules of the specification; return its events."""
    frames = [f for f in raw.split("\n\n") if f.strip()]
    comments = [f for f in frames if f.startswith(":")]
    frames = [f for f in frames if not f.startswith(":")]
    assert frames[-1] == "data: [DONE]", frames[-1]
    events, open_items = [], {}
    for number, frame in enumerate(frames[:-1]):
        lines = dict(line.split(": ", 1) for line in frame.split("\n"))
        assert set(lines) == {"event", "data"}, frame
        event = json.loads(lines["data"])
        assert event["type"] == lines["event"], frame
        assert event["sequence_number"] == number, frame
        name = (
            "ErrorStreamingEvent"
            if event["type"] == "error"
            else f"Response{_camel(event['type'])}StreamingEvent"
        )
        if "response" in event:
            valid_response(event["response"])
        elif not event["type"].startswith("response.mcp_call"):
            getattr(spec_types, name).model_validate_json(json.dumps(event))
        if event["type"] == "response.output_item.added":
            open_items[event["item"]["id"]] = event["output_index"]
        if "item_id" in event:
            assert open_items[event["item_id"]] == event["output_index"], frame
        if event["type"] == "response.output_item.done":
            del open_items[event["item"]["id"]]
        events.append(event)
    assert not open_items, open_items
    assert [e["type"] for e in events[:2]] == ["response.created", "response.in_progress"]
    return events, comments


def post(base, path, body, headers=None):
    """A bare request: status, headers, text."""
    request = urllib.request.Request(
        base + path, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})}
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, reply.headers, reply.read().decode()
    except urllib.error.HTTPError as fault:
        return fault.code, fault.headers, fault.read().decode()


def journal():
    """What the model behind the server was asked, newest last."""
    with urllib.request.urlopen(AIMOCK + "/__aimock/journal", timeout=10) as reply:
        return json.load(reply)


async def _run(checks):
    """All in one event loop, as the clients keep connections between the checks."""
    failed = 0
    for name, check in checks.items():
        try:
            if inspect.iscoroutinefunction(check):
                await check()
            else:
                check()
        except Exception:
            failed += 1
            print(f"FAILED {name}", file=sys.stderr)
            traceback.print_exc()
    return failed


def main(scope):
    """Run the functions of a module whose names begin with check_."""
    checks = {n: f for n, f in scope.items() if n.startswith("check_")}
    start = time.monotonic()
    failed = asyncio.run(_run(checks))
    what = os.path.basename(scope["__file__"])
    print(f"{what}: {len(checks) - failed} of {len(checks)} in {time.monotonic() - start:.1f} s")
    sys.exit(1 if failed else 0)
