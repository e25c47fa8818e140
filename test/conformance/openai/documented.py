"""Runs every block of docs/openai.md as it stands, but for the address."""

import contextlib
import io
import json
import pathlib
import re
import subprocess

from harness import BARE, WITH_MODEL, main

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "openai.md"
ADDRESS = "http://127.0.0.1:8080"


def blocks(language):
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    assert found, language
    for text in found:
        yield text.replace(ADDRESS, WITH_MODEL if text.startswith("# with a model") else BARE)


def check_python_blocks():
    wanted = ["v(out) = 7.5 V", "The divider gives 5 V.", "completed ok"]
    for text, want in zip(blocks("python"), wanted, strict=True):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(text, str(PAGE), "exec"), {})
        assert want in said.getvalue(), said.getvalue()


def check_shell_blocks():
    for text in blocks("bash"):
        done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["error"]["param"] == "tool_choice.arguments.message", done.stdout


main(globals())
