"""The RC filter by the official OpenAI client: one forced call, no model."""

import os
from math import pi
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
    netlist=Path(__file__).with_name("filter.cir").read_text(),
    control=["ac dec 50 10 100k", "meas ac corner when vdb(out)=-3.0103"],
)
by_hand = 1 / (2 * pi * 1600 * 100e-9)  # 1/(2 pi R C)
corner = done["measurements"]["corner"]
print(f"corner {corner:.2f} Hz, by hand {by_hand:.2f} Hz ({corner / by_hand - 1:+.3%})")
assert abs(corner / by_hand - 1) < 0.001
