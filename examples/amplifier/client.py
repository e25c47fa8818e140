"""The amplifier by the official OpenAI client: one forced call, no model."""

import os
from pathlib import Path

from openai import OpenAI

client = OpenAI(base_url=os.environ.get("ATELIER_URL", "http://127.0.0.1:8080") + "/v1", api_key="none")


def call(tool, **arguments):
    """Runs one tool by a forced call and returns its output."""
    choice = {"type": "function", "function": {"name": tool, "arguments": arguments}}
    answer = client.chat.completions.create(
        model="autosage-0.1",
        messages=[{"role": "user", "content": f"run {tool}"}],
        tool_choice=choice,
        extra_body={"wait_ms": 120000},
    )
    print(answer.choices[0].message.content)
    done = answer.tool_results[0]
    if done["status"] != "ok":
        raise SystemExit(f"{tool}: {done}")
    return done["result"]["output"]


done = call(
    "circuits.simulate",
    netlist=Path(__file__).with_name("amplifier.cir").read_text(),
    control=["op", "ac dec 20 10 1meg", "meas ac gain find vm(out) at=10k"],
)
# The divider as its Thevenin source feeds the base; the emitter takes beta + 1 times that current.
beta, source, inner = 200, 12 * 10 / 57, 47e3 * 10e3 / 57e3
emitter = (source - 0.66) / (1e3 + inner / (beta + 1))
load = 1 / (1 / 3.3e3 + 1 / 100e3)
by_hand = beta / (beta + 1) * load / (1e3 + 0.02585 / emitter)  # Rc || RL over Re + Ut/Ie
gain = done["measurements"]["gain"]
print(f"gain {gain:.3f}, by hand {by_hand:.3f} ({gain / by_hand - 1:+.2%})")
assert abs(gain / by_hand - 1) < 0.02
