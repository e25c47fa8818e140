"""The heat sink by the official OpenAI client: each step is a forced call, no model."""

import os
from math import sqrt, tanh
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


part = client.files.create(file=Path(__file__).with_name("heat_sink.step"), purpose="user_data")
volume = call("volume_mesh_cad", file_path=part.reference)
cooled = ["front", "back"] + [f"base_top_{i}" for i in range(1, 5)]
cooled += [f"fin_{i}_{side}" for i in range(1, 6) for side in ("left", "tip", "right")]
solved = call(
    "heat.solve",
    solver_class="HeatTransfer",
    mesh={"type": "file", "path": volume["artifact_url"]},
    config={
        "conductivity": 191,
        "steady": True,
        "bcs": [
            {"face": "base_bottom", "type": "heat_flux", "value": 10 / 0.040**2},
            {"face": cooled, "type": "convection", "h": 25, "ambient": 298.15},
        ],
    },
)

# Fins of 20 x 2 mm whose tip counts as half a thickness more; then the base, 4 mm.
k, h, thickness, height, width = 191, 25, 0.002, 0.020, 0.040
m, corrected = sqrt(2 * h / (k * thickness)), height + thickness / 2
efficiency = tanh(m * corrected) / (m * corrected)
fins = 5 * (2 * height * width + thickness * width + 2 * thickness * height)
base = width * (width - 5 * thickness) + 4 * width * 0.004
by_hand = 10 / (h * (base + efficiency * fins)) + 10 * 0.004 / (k * width**2)
rise = solved["temperature"]["max"] - 298.15
print(f"temperature rise {rise:.2f} K, by hand {by_hand:.2f} K ({rise / by_hand - 1:+.2%})")
assert abs(rise / by_hand - 1) < 0.02
