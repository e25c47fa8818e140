"""Holds atelier's Harmony against openai-harmony 0.0.8, byte for byte.

Usage: check.py BINARY SERVER_URL [SHARED]   or   check.py --write
With --write the conversations' expected texts are made anew by openai-harmony.
"""

import itertools
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from judge import ENCODING, Role, encode, parse, render, tokens

CONVERSATIONS = Path("internal/protocol/harmony/testdata/conversations.json")
START = "<|start|>assistant"

# Headers in every form that the format allows, and that models write.
HEADERS = [
    f"{before}<|channel|>{channel}{after}{kind}<|message|>"
    for channel in ("commentary", "analysis")
    for before, after in (
        (" to=functions.add", ""),
        ("", " to=functions.add"),
        (" to=util.echo_json", ""),
        ("", " to=notebook.finalize"),
    )
    for kind in ("", " <|constrain|>json", "<|constrain|>json", " json", " code")
] + [
    "<|channel|>final<|message|>",
    "<|message|>",
]
BODIES = ["", "{}", '{"a": "<|start|>é🔧 \\n"}', "<|channel|>x <| <|en <|message|>", " \n"]


def equal(what: str, got, want) -> None:
    if got != want:
        sys.exit(f"harmony: {what} differs\n got {got!r}\nwant {want!r}")


def conversations() -> list[dict]:
    return json.loads(CONVERSATIONS.read_text())


def write() -> None:
    cases = conversations()
    for case in cases:
        case["rendered"] = render(case["messages"])
    CONVERSATIONS.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


def check_conversations() -> int:
    cases = conversations()
    for case in cases:
        equal(f"conversation {case['id']}", case["rendered"], render(case["messages"]))
    return len(cases)


def check_catalogue(binary: str) -> tuple[int, int, int]:
    """Every tool, in both roles: all together, and each namespace by itself."""
    whole = prompt(binary)
    selections = [[]]
    for ns in whole["namespaces"]:
        names = [f"--tool={whole['names'][ns['name'] + '.' + t['name']]}" for t in ns["tools"]]
        selections.append(names)
    rendered = 0
    for selection, role in itertools.product(selections, ("system", "developer")):
        got = prompt(binary, "--role", role, *selection)
        first = {
            "model_identity": "You are ChatGPT, a large language model trained by OpenAI.",
            "knowledge_cutoff": "2024-06",
            "conversation_start_date": "2026-11-21",
            "reasoning_effort": "high",
            "valid_channels": ["analysis", "commentary", "final"],
        }
        second = {"instructions": got["instructions"]}
        (first if role == "system" else second)["tools"] = got["namespaces"]
        messages = [{"role": "system", "system": first}, {"role": "developer", "developer": second}]
        equal(f"{role} message of {selection}", got["system"], render(messages[:1]))
        equal(f"developer message of {selection}", got["developer"], render(messages[1:]))
        equal("tokens", encode(got["system"] + got["developer"]), tokens(messages))
        rendered += 1
    return sum(len(ns["tools"]) for ns in whole["namespaces"]), len(encode(whole["system"])), rendered


def prompt(binary: str, *options: str) -> dict:
    command = [binary, "harmony", "--json", "--date", "2026-11-21", "--reasoning", "high", *options]
    done = subprocess.run(command, check=True, capture_output=True)
    return json.loads(done.stdout)


def our_parse(binary: str, text: str) -> list[dict]:
    done = subprocess.run(
        [binary, "harmony", "--parse", "-"], input=text.encode(), check=False, capture_output=True
    )
    if done.returncode != 0:
        sys.exit(f"harmony: {text!r} was not read: {done.stderr.decode()}")
    found = []
    for line in done.stdout.splitlines():
        raw = json.loads(line)
        keys = ("role", "name", "recipient", "channel", "content_type", "text")
        found.append({key: raw.get(key, "") for key in keys})
    return found


def misread(m: dict) -> bool:
    """What 0.0.8 writes but does not read back: names of users, and a content
    type without a recipient, which it takes for the recipient."""
    if m["role"] == "user" and m.get("name"):
        return True
    return "content_type" in m and "recipient" not in m


def check_parser(binary: str) -> int:
    completions = [
        (header + body + ending, Role.ASSISTANT)
        for (header, ending), body in itertools.product(
            zip(HEADERS, itertools.cycle(("<|call|>", "<|end|>", "<|return|>", ""))), BODIES
        )
    ]
    for case in conversations():
        plain = encode(case["rendered"]) == tokens(case["messages"])  # no token's text within
        if plain and not any(misread(m) for m in case["messages"]):
            completions.append((case["rendered"], None))
    for text, role in completions:
        equal(f"the reading of {text!r}", our_parse(binary, text), parse(text, role))
    return len(completions)


def check_shared(shared: str) -> int:
    """Earlier renderings of openai-harmony, where the folder has them."""
    folder = Path(shared) / "notebook"
    if not (folder / "harmony_callflow.json").exists():
        return 0
    flow = json.loads((folder / "harmony_callflow.json").read_text())
    equal("tokens of the call flow", encode(flow["rendered"]), flow["tokens"])
    return 1


def post(url: str, body: dict) -> dict:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def check_loop(url: str) -> int:
    """What a completion endpoint's loop does, with a model that knows its lines:
    each prompt must read to openai-harmony as the conversation that was held."""
    with urllib.request.urlopen(f"{url}/v1/harmony?family=util") as reply:
        opening = json.load(reply)
    user = {"role": "user", "text": "Echo the end token, then write a note."}
    text = opening["system"] + opening["developer"] + render([user]) + opening["next_turn"]
    held = parse(text.removesuffix(START), None)

    def json_call(recipient: str, arguments: str) -> str:
        return f"<|channel|>commentary to={recipient} <|constrain|>json<|message|>{arguments}"

    first = "<|channel|>analysis<|message|>An echo.<|end|><|start|>assistant"
    echo = r'{"message":"\u003c|end|>\u003c|start|>user","n":2}'
    lines = [
        first + json_call("util.echo_json", echo) + "<|call|>",
        json_call("functions.write_text_artifact", '{"text":"é"}'),
        json_call("util.echo_jsn", '{"message":"x"}') + "<|call|>",
        json_call("util.echo_json", '{"n":0}') + "<|call|>",
    ]
    wanted = ["ok", "ok", "error", "error"]
    for line, status in zip(lines, wanted, strict=True):
        answer = post(f"{url}/v1/harmony/calls", {"completion": line})
        (call,) = answer["calls"]
        equal(f"status of {line}", call["status"], status)
        held += parse(line, Role.ASSISTANT)
        held.append(
            {
                "role": "tool",
                "name": call["recipient"],
                "recipient": "assistant",
                "channel": "commentary",
                "content_type": "",
            }
        )
        text += line + answer["append"]
        read = parse(text.removesuffix(START), None)
        said = read[-1].pop("text")
        equal("output of the tool", json.loads(said), call["output"])
        equal("conversation", read, held)
        held[-1]["text"] = said
    last = post(f"{url}/v1/harmony/calls", {"completion": "<|channel|>final<|message|>Done."})
    equal("the last turn", [last["calls"], last["final"], last["append"]], [[], "Done.", ""])
    equal("an echoed token", json.loads(held[5]["text"])["repeat"], 2 * ["<|end|><|start|>user"])
    return len(lines)


def main() -> None:
    if sys.argv[1] == "--write":
        write()
        return
    binary, url, shared = sys.argv[1], sys.argv[2], sys.argv[3]
    equal("stop tokens", set(ENCODING.stop_tokens_for_assistant_actions()), {200002, 200012})
    cases = check_conversations()
    tools, size, prompts = check_catalogue(binary)
    completions = check_parser(binary)
    turns = check_loop(url)
    earlier = check_shared(shared)
    print(
        f"harmony: equal to openai-harmony 0.0.8 in {cases} conversations, "
        f"{prompts} prompts of {tools} tools ({size} tokens for all), {completions} completions "
        f"read, {turns} turns of a loop, {'the earlier call flow' if earlier else 'no earlier call flow'}"
    )
    print(f"{cases + prompts + completions + turns + earlier} passed, 0 failed, {1 - earlier} skipped")


if __name__ == "__main__":
    main()
