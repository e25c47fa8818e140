"""The engine's entry: one request on stdin, pictures or the arrays of a cell field in the working
folder, one answer on stdout.

--warm imports everything and makes the graphics context first, says {"type":"ready"}, and then
waits for the one request. --version tells what the engine is made of.
"""

import json
import sys
import traceback

from . import __version__, context, protocol
from .codes import HEADLESS_CONTEXT_FAILED as HEADLESS
from .codes import INVALID_INPUT as INVALID
from .codes import RENDER_PACK_FAILED as RENDER
from .protocol import Error

_USAGE = "usage: vtk-driver [--version | --warm] < request.json"


def main(argv):
    """Runs one job; the exit status is 0 after a result and 1 after an error."""
    context.prepare()
    if argv == ["--version"]:
        return _version()
    if argv not in ([], ["--warm"]):
        print(_USAGE, file=sys.stderr)
        return 2
    stage, fault = None, None
    if argv == ["--warm"]:
        try:
            stage = _warm()
        except Error as found:
            fault = found  # told to the job, which is the one who waits for an answer
        protocol.send({"type": "ready"})
    line = sys.stdin.readline()
    if not line.strip():
        return 0 if argv else 1
    try:
        _serve(line, stage, fault)
    except Error as found:
        protocol.error(found)
        return 1
    except MemoryError:
        protocol.error(Error(RENDER, "The memory did not suffice.", "Draw a smaller picture or mesh."))
        return 1
    except Exception as found:
        traceback.print_exc()
        protocol.error(Error(RENDER, f"The picture could not be drawn: {found}."))
        return 1
    return 0


def _warm():
    context.check()
    from . import job  # noqa: F401  VTK's modules
    from .stage import Stage, rehearse

    stage = Stage()
    rehearse(stage)
    return stage


def _serve(line, stage, no_context):
    try:
        request = json.loads(line)
    except ValueError as fault:
        raise Error(INVALID, f"The request is not JSON: {fault}.") from None
    if "cell_field" in request:  # needs no graphics
        from . import cells

        protocol.send(cells.run(request))
        return
    if no_context:
        raise no_context
    if stage is None:
        context.check()
    from .job import Job, remove_pictures

    try:
        protocol.send(Job(request, stage).run())
    except BaseException:
        remove_pictures(request)
        raise


def _version():
    from importlib.metadata import version

    libraries = {"vtk": version("vtk"), "numpy": version("numpy"), "python": sys.version.split()[0]}
    print(json.dumps({"engine": "vtk", "version": __version__, "libraries": libraries}))
    try:
        context.check()
    except Error as fault:
        print(f"{HEADLESS}: {fault.message} {fault.hint}", file=sys.stderr)
    return 0
