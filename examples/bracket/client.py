"""The bracket by the official OpenAI client: each step is a forced call, no model."""

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


part = client.files.create(file=Path(__file__).with_name("bracket.step"), purpose="user_data")
volume = call("volume_mesh_cad", file_path=part.reference)
solved = call(
    "fea.solve",
    solver_class="LinearElasticity",
    mesh={"type": "file", "path": volume["artifact_url"]},
    config={
        "materials": [{"E": 210e9, "nu": 0.3}],
        "bcs": [
            {"face": "base_bottom", "type": "fixed"},
            {"face": "load_hole", "type": "load", "force": [1000, 0, 0]},
        ],
    },
)


def cantilever(arm):
    """Deflection of the upright's top, m: a beam clamped arm below the load, stiff above it."""
    force, inertia, area = 1000, 0.060 * 0.008**3 / 12, 0.060 * 0.008
    bending = force * arm**3 / (3 * 210e9 * inertia)
    slope = force * arm**2 / (2 * 210e9 * inertia)
    return bending + slope * (0.050 - 0.032) + 1.2 * force * arm / (80.77e9 * area)


# Clamped at the top of the base the beam is too stiff, at its bottom too weak.
low, high = cantilever(0.024), cantilever(0.032)
moved, reaction = solved["max_displacement"]["value"], solved["loads"][0]["force"][0]
print(f"deflection {moved * 1e6:.2f} um, by hand between {low * 1e6:.2f} and {high * 1e6:.2f} um")
print(f"reaction {reaction:.1f} N to a load of 1000 N")
assert low < moved < high and abs(reaction + 1000) < 1
