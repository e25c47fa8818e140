"""The engine's entry: one request on stdin, the mesh in the working folder, one answer on stdout.

--version tells what the engine is made of, --selftest runs golden cases.
"""

import json
import os
import sys
import tempfile
import time
import traceback

from . import __version__, codes, protocol
from .protocol import Error

_USAGE = "usage: gmsh-driver [--version | --selftest] < request.json"


def main(argv):
    """Runs one job; the exit status is 0 after a result and 1 after an error."""
    if argv == ["--version"]:
        return _version()
    if argv == ["--selftest"]:
        from . import selftest

        return selftest.run()
    if argv:
        print(_USAGE, file=sys.stderr)
        return 2
    try:
        request = json.loads(sys.stdin.readline())
    except ValueError as fault:
        protocol.error(Error(codes.INVALID_INPUT, f"the request is not JSON: {fault}"))
        return 1
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["HOME"] = home  # the toolkit of its window writes there
            answer = _serve(request)
        protocol.send(answer)
    except Error as fault:
        protocol.error(fault)
        return 1
    except MemoryError:
        protocol.error(Error(codes.MEMORY_EXCEEDED, "the memory did not suffice", "Give a larger max_size."))
        return 1
    except Exception as fault:
        traceback.print_exc()
        protocol.error(Error(codes.VOLUME_MESH_FAILED, f"the part could not be meshed: {fault}"))
        return 1
    return 0


def _serve(request):
    from . import mesher

    begin = time.monotonic()
    with open(request["sizes"], encoding="utf-8") as kept:
        sizes = json.load(kept)
    if "refinement" in request:
        sizes["refinement"] = request["refinement"]
    mesher.generate(request["path"], sizes, request["output_file"], request["budget_s"])
    output = {"seconds": time.monotonic() - begin}
    return {"type": "result", "output": output, "artifacts": [], "warnings": [], "metrics": {}}


def _version():
    from importlib.metadata import version

    libraries = {"gmsh": version("gmsh"), "python": sys.version.split()[0]}
    print(json.dumps({"engine": "gmsh", "version": __version__, "libraries": libraries}))
    return 0
