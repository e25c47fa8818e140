"""Runs the examples and holds their figures against hand calculations.

Usage: check.py URL PROJECT FOLDER. Of each example: run.sh, client.py, the prompt
of its README in a session, and a call through the server that its mcp.json starts.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from math import pi
from pathlib import Path

import httpx2
from mcp import Client, StdioServerParameters

url, project, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
NUMBER = r"([-\d.e]+)"

# A beam clamped 24 and 32 mm below the load, bending and shear, rigid 18 mm above it; in um.
STIFF, WEAK = 18.96, 38.45
POISEUILLE = 8 * 1.412 * 0.060 * 0.02 / 0.005**2  # Pa
FINS = 38.32  # K: fin efficiency 0.981, see the README
CORNER = 1 / (2 * pi * 1600 * 100e-9)  # Hz
FAR_DOWN = 1 / (1 + (1e5 / CORNER) ** 2) ** 0.5  # of the input, at 100 kHz
GAIN = 3.121  # Rc || RL over Re + Ut/Ie

# For each example: where run.sh and the session's answer tell the figure, and its
# band; where client.py does; a call by MCP with its figure.
VOLUME = r'"exact_volume":\s*' + NUMBER


def near(value, part):
    return (value * (1 - part), value * (1 + part))


def simulate(file):
    netlist = (project / "examples" / file).read_text()
    return "circuits_simulate", {"netlist": netlist, "control": ["ac dec 50 10 100k"]}


def importing(file):
    return "cad_import_truck", {"file_path": str(project / "examples" / file)}


EXAMPLES = {
    "bracket": {
        "run": (rf"largest displacement is {NUMBER} µm", (STIFF, WEAK)),
        "client": (rf"deflection {NUMBER} um", (STIFF, WEAK)),
        "mcp": (importing("bracket/bracket.step"), VOLUME, near(54692.56661, 1e-9)),
    },
    "pipe_flow": {
        "run": (rf"pressure drops by {NUMBER} Pa", near(POISEUILLE, 0.05)),
        "client": (rf"pressure drop {NUMBER} Pa", near(POISEUILLE, 0.05)),
        "mcp": (importing("pipe_flow/pipe.step"), VOLUME, near(pi * 25 * 60, 1e-9)),
    },
    "heat_sink": {
        "run": (rf"reaches from .* to {NUMBER} K", near(298.15 + FINS, 0.02 * FINS / (298.15 + FINS))),
        "client": (rf"temperature rise {NUMBER} K", near(FINS, 0.02)),
        "mcp": (importing("heat_sink/heat_sink.step"), VOLUME, near(14400, 1e-9)),
    },
    "filter": {
        "run": (rf"'corner': {NUMBER}", near(CORNER, 0.001)),
        "client": (rf"corner {NUMBER} Hz", near(CORNER, 0.001)),
        "session": (rf"at the end {NUMBER}\.", near(FAR_DOWN, 0.001)),
        "mcp": (simulate("filter/filter.cir"), r"v\(out\) from " + NUMBER, near(FAR_DOWN, 0.001)),
    },
    "amplifier": {
        "run": (rf"'gain': {NUMBER}", near(GAIN, 0.02)),
        "client": (rf"gain {NUMBER},", near(GAIN, 0.02)),
        "session": (rf"v\(out\) from {NUMBER} to", near(GAIN, 0.03)),  # at 10 Hz, a little lower
        "mcp": (simulate("amplifier/amplifier.cir"), r"v\(c\) from \S+ to " + NUMBER, near(GAIN, 0.02)),
    },
}


def held(name, text, figure, band):
    """The figure in a text, which must lie in the band."""
    found = re.search(figure, text, re.S)
    value = float(found.group(1).rstrip(".")) if found else None
    if value is None or not band[0] <= value <= band[1]:
        sys.exit(f"{name}: {figure} is {value}, by hand {band[0]:.6g} to {band[1]:.6g}, in:\n{text}")
    return value


def run(name, command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{name}: {command[-1]} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def prompt_of(readme):
    """What the README tells to type into the workbench."""
    found = re.search(r"^(```+)text\n(.*?)^\1$", readme.read_text(), re.S | re.M)
    return found.group(2).strip()


def chat(prompt):
    with httpx2.Client(base_url=url, timeout=120) as client:
        session = client.post("/v1/sessions", json={}).json()["session_id"]
        return client.post(f"/v1/sessions/{session}/chat", json={"prompt": prompt}).json()["reply"]


async def by_mcp(config, tool, arguments):
    """The text that a tool answers through the server that a configuration starts."""
    text = config.read_text().replace("/usr/local/bin/atelier", str(project / "bin" / "atelier"))
    entry = json.loads(text.replace("/home/you/atelier", str(project)))["mcpServers"]["atelier"]
    env = dict(os.environ, ATELIER_DATA=str(folder / "mcp"), ATELIER_LOG_LEVEL="error")
    async with Client(StdioServerParameters(command=entry["command"], args=entry["args"], env=env)) as client:
        result = await client.call_tool(tool, arguments)
        return "".join(part.text for part in result.content if part.type == "text")


def check(name, example):
    place, started, checks = project / "examples" / name, time.monotonic(), 3
    value = held(name, run(name, ["bash", str(place / "run.sh")]), *example["run"])
    held(name, run(name, [sys.executable, str(place / "client.py")]), *example["client"])
    call, figure, band = example["mcp"]
    held(name, asyncio.run(by_mcp(place / "mcp.json", *call)), figure, band)
    prompt = prompt_of(place / "README.md")
    if "session" in example:
        held(name, chat(prompt), *example["session"])
        checks += 1
    elif json.dumps(prompt) not in (place / "run.sh").read_text():
        sys.exit(f"{name}: run.sh does not send the README's prompt")
    print(f"{name}: {value:g}, in its band; {checks} ways in {time.monotonic() - started:.0f} s", flush=True)


for name, example in EXAMPLES.items():
    check(name, example)
