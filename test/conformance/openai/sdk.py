"""The official Python client against both servers: plain, streamed, forced, own
tools, errors, stored and background responses."""

import itertools
import json
import time
from functools import partial

import openai
from harness import BARE, CIRCUIT, WITH_MODEL, forced, journal, main

bare = openai.OpenAI(base_url=BARE + "/v1", api_key="none")
smart = openai.OpenAI(base_url=WITH_MODEL + "/v1", api_key="none")
once = openai.OpenAI(base_url=WITH_MODEL + "/v1", api_key="none", max_retries=0)
USER = [{"role": "user", "content": "run tool"}]
MODEL = "autosage-0.1"
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT_TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}
TOOL = {"type": "function", "name": "get_weather", "parameters": WEATHER, "strict": False}


def voltage(results):
    return results[0]["result"]["summary"]


def check_models():
    assert [m.id for m in bare.models.list()] == [MODEL]
    assert [m.id for m in smart.models.list()] == [MODEL, "upstream-1"]
    assert smart.models.retrieve("upstream-1").object == "model"
    try:
        bare.models.retrieve("nope")
        raise AssertionError("no error")
    except openai.NotFoundError as fault:
        assert fault.code == "not_found" and fault.request_id


def check_forced_chat():
    for arguments in (CIRCUIT, json.dumps(CIRCUIT)):
        r = bare.chat.completions.create(
            model=MODEL, messages=USER, tool_choice=forced("circuits.simulate", arguments)
        )
        assert r.choices[0].finish_reason == "stop" and r.choices[0].message.tool_calls is None
        assert "v(out) = 7.5 V" in r.choices[0].message.content
        assert r.tool_results[0]["status"] == "ok" and "v(out) = 7.5 V" in voltage(r.tool_results)
        assert r.usage.total_tokens == 0


def check_forced_chat_streamed():
    with bare.chat.completions.stream(
        model=MODEL,
        messages=USER,
        stream_options={"include_usage": True},
        extra_body={"tool_choice": forced("circuits_simulate", CIRCUIT)},
    ) as stream:
        for _ in stream:
            pass
        r = stream.get_final_completion()
    assert "v(out) = 7.5 V" in r.choices[0].message.content and r.choices[0].finish_reason == "stop"
    assert r.usage.total_tokens == 0
    chunks = list(
        bare.chat.completions.create(
            model=MODEL, messages=USER, stream=True, tool_choice=forced("echo_json", {"message": "a"})
        )
    )
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert chunks[-1].tool_results[0]["result"]["repeat"] == ["a"]


def check_forced_response():
    r = bare.responses.create(
        model=MODEL,
        input="run",
        extra_body={"tool_choice": {"type": "function", "name": "circuits.simulate", "arguments": CIRCUIT}},
    )
    assert (
        r.status == "completed"
        and "v(out) = 7.5 V" in r.output_text
        and "v(out) = 7.5 V" in voltage(r.tool_results)
    )
    kept = bare.responses.retrieve(r.id)
    assert kept.output_text == r.output_text and kept.tool_results == r.tool_results
    assert bare.responses.input_items.list(r.id).data[0].content[0].text == "run"
    bare.responses.delete(r.id)
    try:
        bare.responses.retrieve(r.id)
        raise AssertionError("no error")
    except openai.NotFoundError as fault:
        assert fault.code == "not_found"


def check_forced_response_streamed():
    with bare.responses.stream(
        model=MODEL, input="run", extra_body={"tool_choice": forced("circuits.simulate", CIRCUIT)}
    ) as stream:
        kinds = [event.type for event in stream]
        r = stream.get_final_response()
    assert (
        kinds[0] == "response.created"
        and kinds[-1] == "response.completed"
        and "v(out) = 7.5 V" in r.output_text
    )


def check_items_by_opt_in():
    call = {"tool_choice": forced("echo_json", {"message": "a"})}
    r = bare.responses.create(model=MODEL, input="x", extra_body={**call, "include": ["mcp_call"]})
    assert [i.type for i in r.output] == ["mcp_call", "message"] and r.output[0].name == "echo_json"
    r = bare.responses.create(
        model=MODEL, input="x", extra_body=call, extra_headers={"Atelier-Tool-Items": "function_call"}
    )
    assert [i.type for i in r.output] == ["function_call", "function_call_output", "message"]


def check_a_tool_that_fails_is_no_http_error():
    r = bare.chat.completions.create(
        model=MODEL, messages=USER, tool_choice=forced("mesh_repair_pmp", {"input_path": "no_such_file.obj"})
    )
    assert (
        r.tool_results[0]["status"] == "error" and r.tool_results[0]["error"]["code"] == "ERR_FILE_NOT_FOUND"
    )


def check_job_reference():
    r = bare.responses.create(
        model=MODEL, input="x", extra_body={"tool_choice": forced("circuits.simulate", CIRCUIT), "wait_ms": 1}
    )
    one = r.tool_results[0]
    assert one["status"] in ("queued", "running", "ok") and one["job_id"].startswith("job_")


def check_errors():
    arguments = "tool_choice.function.arguments"
    cases = [
        (openai.NotFoundError, "unknown_tool", "tool_choice", {"tool_choice": forced("no_such_tool", {})}),
        (
            openai.BadRequestError,
            "invalid_request",
            arguments + ".message",
            {"tool_choice": forced("echo_json", {})},
        ),
        (openai.BadRequestError, "model_missing", arguments, {"tool_choice": "echo_json"}),
        (openai.BadRequestError, "invalid_request", "temperature", {"temperature": 9}),
    ]
    calls = [
        partial(bare.chat.completions.create, model=MODEL, messages=USER),
        partial(bare.responses.create, model=MODEL, input="x"),
    ]
    for (kind, code, param, extra), stream, call in itertools.product(cases, (False, True), calls):
        try:
            call(stream=stream, extra_body=extra)
            raise AssertionError(f"no error for {extra}")
        except openai.APIStatusError as fault:
            assert isinstance(fault, kind), fault
            assert (fault.code, fault.param, fault.type) == (code, param, "invalid_request_error"), fault
            assert fault.request_id and fault.message
    try:
        bare.responses.create(model=MODEL, input="x", previous_response_id="resp_nope")
        raise AssertionError("no error")
    except openai.NotFoundError as fault:
        assert fault.param == "previous_response_id"


def check_no_model():
    r = bare.responses.create(model="gpt-anything", input="x")
    assert "No language model" in r.output_text and "circuits.simulate" in r.output_text
    r = bare.chat.completions.create(model=MODEL, messages=USER)
    assert "No language model" in r.choices[0].message.content


def check_model_chat():
    r = smart.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "divide ten volts"}])
    assert r.choices[0].message.content == "The divider gives 5 V." and "v(out) = 5 V" in voltage(
        r.tool_results
    )
    assert r.usage.total_tokens > 0
    asked = [e["body"] for e in journal() if e["body"].get("tools")][-1]
    names = [t["function"]["name"] for t in asked["tools"]]
    assert "circuits_simulate" in names and not [n for n in names if "." in n], names
    chunks = list(
        smart.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": "say hello"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    pieces = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]
    assert len(pieces) > 1 and "".join(pieces) == "Hello from the model, in more than one piece of text."
    assert chunks[-1].choices == [] and chunks[-1].usage.total_tokens > 0


def check_model_responses():
    r = smart.responses.create(
        model=MODEL, input="echo twice", instructions="be brief", max_output_tokens=200, metadata={"k": "v"}
    )
    assert r.output_text == "Both were echoed." and [t["status"] for t in r.tool_results] == ["ok", "ok"]
    assert r.tool_results[1]["result"]["repeat"] == ["second", "second"] and r.usage.total_tokens > 0
    assert r.instructions == "be brief" and r.metadata == {"k": "v"}
    with smart.responses.stream(model=MODEL, input="divide ten volts") as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output_text == "The divider gives 5 V."
    r = smart.responses.create(model=MODEL, input="call it wrongly")
    assert (
        r.output_text == "I see what was wrong." and r.tool_results[0]["error"]["code"] == "invalid_request"
    )


def check_conversation():
    first = smart.responses.create(
        model=MODEL, input=[{"role": "user", "content": [{"type": "input_text", "text": "say hello"}]}]
    )
    smart.responses.create(model=MODEL, input="say hello", previous_response_id=first.id)
    asked = journal()[-1]["body"]["messages"]
    assert [m["role"] for m in asked] == ["user", "assistant", "user"], asked


def check_own_tools_chat():
    messages = [{"role": "user", "content": "will it rain"}]
    for stream in (False, True):
        if stream:
            with smart.chat.completions.stream(model=MODEL, messages=messages, tools=[CHAT_TOOL]) as s:
                for _ in s:
                    pass
                r = s.get_final_completion()
        else:
            r = smart.chat.completions.create(model=MODEL, messages=messages, tools=[CHAT_TOOL])
        assert r.choices[0].finish_reason == "tool_calls"
        call = r.choices[0].message.tool_calls[0]
        assert call.function.name == "get_weather" and json.loads(call.function.arguments) == {"city": "Bonn"}
    done = smart.chat.completions.create(
        model=MODEL,
        tools=[CHAT_TOOL],
        messages=[
            *messages,
            r.choices[0].message.model_dump(exclude_none=True, exclude={"parsed"}),
            {"role": "tool", "tool_call_id": call.id, "content": "rain in Bonn"},
        ],
    )
    assert done.choices[0].message.content == "Take an umbrella."


def check_own_tools_responses():
    r = smart.responses.create(model=MODEL, input="will it rain", tools=[TOOL])
    call = r.output[0]
    assert call.type == "function_call" and json.loads(call.arguments) == {"city": "Bonn"}
    done = smart.responses.create(
        model=MODEL,
        previous_response_id=r.id,
        tools=[TOOL],
        input=[{"type": "function_call_output", "call_id": call.call_id, "output": "rain in Bonn"}],
    )
    assert done.output_text == "Take an umbrella."
    with smart.responses.stream(model=MODEL, input="will it rain", tools=[TOOL]) as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output[0].name == "get_weather"


def check_a_busy_model_is_asked_again():
    messages = [{"role": "user", "content": "busy at first"}]
    before = len(journal())
    r = once.chat.completions.create(model=MODEL, messages=messages)
    assert r.choices[0].message.content == "Now there is time." and len(journal()) == before + 2


def check_model_errors():
    try:
        once.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": "too long for you"}])
        raise AssertionError("no error")
    except openai.BadRequestError as fault:
        assert fault.code == "model_refused" and "maximum context length" in fault.message
    for start in (
        lambda: once.chat.completions.create(
            model=MODEL, messages=[{"role": "user", "content": "break off"}], stream=True
        ),
        lambda: once.responses.create(model=MODEL, input="break off", stream=True),
    ):
        seen = 0
        try:
            for _ in start():
                seen += 1
            raise AssertionError("no error")
        except openai.APIError as fault:
            assert seen > 0 and fault.code in ("model_unavailable", "model_reply_invalid"), (seen, fault)


def check_background():
    r = bare.responses.create(
        model=MODEL,
        input="x",
        background=True,
        extra_body={"tool_choice": forced("circuits.simulate", CIRCUIT), "wait_ms": 1},
    )
    while r.status in ("queued", "in_progress"):
        time.sleep(0.05)
        r = bare.responses.retrieve(r.id)
    assert r.status == "completed" and "v(out) = 7.5 V" in r.output_text
    endless = {"netlist": "V1 in 0 SIN(0 1 1k)\nR1 in 0 1k\n.end", "control": ["tran 1n 100", "quit"]}
    r = bare.responses.create(
        model=MODEL,
        input="x",
        background=True,
        extra_body={"tool_choice": forced("circuits.simulate", endless), "wait_ms": 1},
    )
    assert r.status in ("queued", "in_progress"), r
    r = bare.responses.cancel(r.id)
    assert r.status == "cancelled"
    r = smart.responses.create(model=MODEL, input="divide ten volts", background=True)
    while r.status in ("queued", "in_progress"):
        time.sleep(0.05)
        r = smart.responses.retrieve(r.id)
    assert r.output_text == "The divider gives 5 V."


main(globals())
