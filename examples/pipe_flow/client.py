"""Flow through a pipe by the official OpenAI client: each step is a forced call, no model."""

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


part = client.files.create(file=Path(__file__).with_name("pipe.step"), purpose="user_data")
cad = call("cad_import_truck", file_path=part.reference)
surface = call("mesh_repair_pmp", input_path=cad["artifact_url"])
volume = call("volume_mesh_quartet", input_path=surface["artifact_url"], dx=2)
solved = call(
    "cfd.solve",
    solver_class="NavierStokes",
    mesh={"type": "file", "path": volume["artifact_url"]},
    config={
        "density": 1261,
        "viscosity": 1.412,
        "steady": True,
        "dt": 0.1,
        "t_final": 10,
        "bcs": [
            {"face": "inlet", "type": "inlet", "velocity": [0.02, 0, 0], "profile": "parabolic"},
            {"face": "outlet", "type": "outlet", "pressure": 0},
            {"face": ["wall_upper", "wall_lower"], "type": "wall"},
        ],
    },
)

by_hand = 8 * 1.412 * 0.060 * 0.02 / 0.005**2  # Hagen-Poiseuille: 8 mu L v / r^2
drop = solved["pressure_drop"]
print(f"pressure drop {drop:.1f} Pa, by hand {by_hand:.1f} Pa ({drop / by_hand - 1:+.2%})")
assert abs(drop / by_hand - 1) < 0.05
