"""Every shape of a response against openresponses-types, and of a stream against
all rules for its events."""

import json

from harness import BARE, WITH_MODEL, forced, main, post, valid_events, valid_response

ECHO = {"tool_choice": forced("echo_json", {"message": "a"})}
FAILING = {"tool_choice": forced("mesh_repair_pmp", {"input_path": "none.obj"})}
TOOL = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}}
ALLOWED = {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "echo_json"}]}
SETTINGS = {
    "instructions": "i",
    "temperature": 0,
    "top_p": 0.5,
    "max_output_tokens": 64,
    "max_tool_calls": 2,
    "metadata": {"k": "v"},
    "truncation": "auto",
    "user": "u",
    "safety_identifier": "s",
    "prompt_cache_key": "p",
    "parallel_tool_calls": False,
    "reasoning": {"effort": "low"},
    "tools": [{"type": "function", "name": "echo_json"}],
    "text": {
        "format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}},
        "verbosity": "low",
    },
}
SHAPES = [
    (BARE, "x", {}),
    (BARE, "x", ECHO),
    (BARE, "x", {**ECHO, **SETTINGS}),
    (BARE, "x", FAILING),
    (BARE, "x", {**ECHO, "background": True}),
    (BARE, "x", {**ECHO, "include": ["function_call"]}),
    (BARE, "x", {**ECHO, "wait_ms": 1}),
    (BARE, "x", {**ECHO, "store": False, "text": {"format": {"type": "json_object"}}}),
    (WITH_MODEL, "say hello", {}),
    (WITH_MODEL, "say hello", {"background": True}),
    (WITH_MODEL, "say hello", {"tool_choice": ALLOWED}),
    (WITH_MODEL, "divide ten volts", {}),
    (WITH_MODEL, "echo twice", {"include": ["function_call"]}),
    (WITH_MODEL, "call it wrongly", {}),
    (WITH_MODEL, "will it rain", {"tools": [TOOL]}),
]


def request(base, text, extra):
    return post(base, "/v1/responses", {"model": "autosage-0.1", "input": text, **extra})


def check_responses():
    for base, text, extra in SHAPES:
        status, _, raw = request(base, text, extra)
        assert status == 200, raw
        valid_response(json.loads(raw))


def check_streams():
    for base, text, extra in SHAPES:
        status, headers, raw = request(base, text, {**extra, "stream": True})
        assert status == 200 and headers["Content-Type"] == "text/event-stream", raw
        events, _ = valid_events(raw)
        assert events[-1]["type"] == "response.completed", events[-1]


def check_a_stream_that_breaks_off():
    _, _, raw = request(WITH_MODEL, "break off", {"stream": True})
    events, _ = valid_events(raw)
    assert [e["type"] for e in events[-2:]] == ["response.failed", "error"], events[-2:]


main(globals())
