"""Runs the examples and holds their figures against hand calculations.

Usage: check.py URL PROJECT FOLDER [CHROMIUM]. Of each example: run.sh, client.py, a
call through the server that its mcp.json starts, and its README's prompt in the
workbench; where there is no Chromium, in the session that the workbench would use.
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
chromium = "".join(sys.argv[4:5])
NUMBER = r"([-\d.e]+)"

# A beam clamped 24 and 32 mm below the load, bending and shear, rigid 18 mm above it; in um.
STIFF, WEAK = 18.96, 38.45
POISEUILLE = 8 * 1.412 * 0.060 * 0.02 / 0.005**2  # Pa
FINS = 38.32  # K: fin efficiency 0.981, see the README
CORNER = 1 / (2 * pi * 1600 * 100e-9)  # Hz
FAR_DOWN = 1 / (1 + (1e5 / CORNER) ** 2) ** 0.5  # of the input, at 100 kHz
GAIN = 3.121  # Rc || RL over Re + Ut/Ie

# For each example: where run.sh tells the figure, and its band; where client.py and
# the answer to the prompt do (as run.sh by default); a call by MCP with its figure.
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
        "file": "bracket.step",
        "run": (rf"largest displacement is {NUMBER} µm", (STIFF, WEAK)),
        "client": (rf"deflection {NUMBER} um", (STIFF, WEAK)),
        "mcp": (importing("bracket/bracket.step"), VOLUME, near(54692.56661, 1e-9)),
    },
    "pipe_flow": {
        "file": "pipe.step",
        "run": (rf"pressure drops by {NUMBER} Pa", near(POISEUILLE, 0.05)),
        "client": (rf"pressure drop {NUMBER} Pa", near(POISEUILLE, 0.05)),
        "mcp": (importing("pipe_flow/pipe.step"), VOLUME, near(pi * 25 * 60, 1e-9)),
    },
    "heat_sink": {
        "file": "heat_sink.step",
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


def walk(examples):
    """The answers of the workbench in a real browser, by example."""
    tasks = []
    for name, example in examples.items():
        place, file = project / "examples" / name, example.get("file")
        shown = ".colourbar" if file else ".uplot"
        file = file and str(place / file)
        tasks.append({"name": name, "file": file, "prompt": prompt_of(place / "README.md"), "shown": shown})
    command = ["node", str(project / ".cache" / "browser" / "walk.mjs"), url, chromium]
    done = subprocess.run(command, input=json.dumps(tasks), stdout=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit("the workbench did not answer")
    return json.loads(done.stdout)


def chat(examples):
    """The answers of sessions, by example."""
    answers = {}
    with httpx2.Client(base_url=url, timeout=120) as client:
        for name, example in examples.items():
            place, file = project / "examples" / name, example.get("file")
            body = {"files": {"file": (file, (place / file).read_bytes())}} if file else {"json": {}}
            session = client.post("/v1/sessions", **body).json()["session_id"]
            prompt = {"prompt": prompt_of(place / "README.md")}
            answers[name] = client.post(f"/v1/sessions/{session}/chat", json=prompt).json()["reply"]
    return answers


async def by_mcp(config, tool, arguments):
    """The text that a tool answers through the server that a configuration starts."""
    text = config.read_text().replace("/usr/local/bin/atelier", str(project / "bin" / "atelier"))
    entry = json.loads(text.replace("/home/you/atelier", str(project)))["mcpServers"]["atelier"]
    env = dict(os.environ, ATELIER_DATA=str(folder / "mcp"), ATELIER_LOG_LEVEL="error")
    async with Client(StdioServerParameters(command=entry["command"], args=entry["args"], env=env)) as client:
        result = await client.call_tool(tool, arguments)
        return "".join(part.text for part in result.content if part.type == "text")


def check(name, example):
    place, started = project / "examples" / name, time.monotonic()
    value = held(name, run(name, ["bash", str(place / "run.sh")]), *example["run"])
    held(name, run(name, [sys.executable, str(place / "client.py")]), *example["client"])
    call, figure, band = example["mcp"]
    held(name, asyncio.run(by_mcp(place / "mcp.json", *call)), figure, band)
    print(f"{name}: {value:g}, in its band, in {time.monotonic() - started:.0f} s", flush=True)


for name, example in EXAMPLES.items():
    check(name, example)
answers = walk(EXAMPLES) if chromium else chat(EXAMPLES)
for name, example in EXAMPLES.items():
    held(name, answers[name], *example.get("session", example["run"]))
way = "the workbench" if chromium else "sessions, as there is no Chromium"
print(f"{len(answers)} prompts answered in {way}")
print(f"{4 * len(EXAMPLES)} passed, 0 failed, 0 skipped")
