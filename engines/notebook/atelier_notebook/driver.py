"""The engine's entry: one request on stdin, a notebook with outputs in the folder, one answer on stdout.

--warm starts the kernel first, says {"type":"ready"}, and then waits for the one request. --version
tells what the engine is made of; --selftest runs a golden case.
"""

import json
import sys
import tempfile
import time
import traceback

from . import __version__, protocol
from .codes import INVALID_INPUT as INVALID
from .codes import KERNEL_DIED as KERNEL
from .protocol import Error

_USAGE = "usage: notebook-driver [--version | --selftest | --warm] < request.json"


def main(argv):
    """Runs one job; the exit status is 0 after a result and 1 after an error."""
    if argv == ["--version"]:
        return _version()
    if argv == ["--selftest"]:
        return _selftest()
    if argv not in ([], ["--warm"]):
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        answer = _serve(warm=bool(argv))
        if answer is None:
            return 0 if argv else 1
        protocol.send(answer)
    except Error as found:
        protocol.error(found)
        return 1
    except Exception as found:
        traceback.print_exc()
        protocol.error(Error(KERNEL, f"The notebook could not be run: {found}."))
        return 1
    return 0


def _serve(warm):
    from .run import execute
    from .seal import hide

    hide()
    return execute(_request, (lambda: protocol.send({"type": "ready"})) if warm else None)


def _request():
    line = sys.stdin.readline()
    if not line.strip():
        return None
    try:
        return json.loads(line)
    except ValueError as fault:
        raise Error(INVALID, f"The request is not JSON: {fault}.") from None


def _version():
    from importlib.metadata import version

    libraries = {name: version(name) for name in ("nbclient", "ipykernel", "numpy", "pandas", "matplotlib")}
    libraries["python"] = sys.version.split()[0]
    print(json.dumps({"engine": "notebook", "version": __version__, "libraries": libraries}))
    return 0


def _selftest():
    """Runs print(6 * 7) in a kernel, and a cell that sums a NumPy array."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    from .run import EXECUTED, execute

    cells = [new_code_cell("print(6 * 7)"), new_code_cell("import numpy\nprint(numpy.arange(101).sum())")]
    with tempfile.NamedTemporaryFile("w", suffix=".ipynb", dir=".") as file:
        nbformat.write(new_notebook(cells=cells), file)
        file.flush()
        request = {"notebook": file.name, "cell_timeout_s": 60, "stop_on_error": True}
        execute(lambda: request | {"memory_mb": 2048, "deadline": time.time() + 120})
    right = True
    names = ("product_6_7", "sum_to_100")
    for name, expected, cell in zip(names, (42, 5050), nbformat.read(EXECUTED, 4).cells, strict=True):
        text = "".join(o.get("text", "") for o in cell.outputs)
        actual = float(text) if text.strip().isdigit() else -1
        right = right and actual == expected
        case = {"type": "selftest", "case": name, "ok": actual == expected}
        print(json.dumps(case | {"actual": actual, "expected": expected}))
    return 0 if right else 1
