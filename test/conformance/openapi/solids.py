"""Writes the files that the examples of the tools name, so that fuzzed calls
reach the engines: the unit cube as STL, OBJ or tetrahedral MFEM mesh, a bracket
as STEP, a netlist. The document for the fuzzer names them where they are, and
knows no page but those of this machine.

Usage: solids.py DOCUMENT FUZZED FOLDER STEP PAGE"""

import itertools
import json
import pathlib
import shutil
import sys

CORNERS = list(itertools.product((0, 1), repeat=3))  # index 4 x + 2 y + z
# Two triangles for each face, seen counter-clockwise from outside.
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]
# The six tetrahedra around the diagonal from (0,0,0) to (1,1,1) (Kuhn).
TETRAHEDRA = [(0, 4, 6, 7), (0, 6, 2, 7), (0, 2, 3, 7), (0, 3, 1, 7), (0, 1, 5, 7), (0, 5, 4, 7)]


def stl() -> str:
    lines = ["solid cube"]
    for triangle in TRIANGLES:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*CORNERS[i]) for i in triangle]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid cube", ""])


def obj() -> str:
    lines = ["v {} {} {}".format(*c) for c in CORNERS]
    lines += ["f {} {} {}".format(*(i + 1 for i in t)) for t in TRIANGLES]
    return "\n".join([*lines, ""])


def faces_of_tetrahedra() -> list[tuple[int, tuple[int, ...]]]:
    """Boundary triangles with the number, from 1, of the cube's face."""
    count = {}
    for tet in TETRAHEDRA:
        for face in itertools.combinations(tet, 3):
            count.setdefault(frozenset(face), []).append(face)
    outer = []
    for faces in count.values():
        if len(faces) == 1:
            side = next(n for n, quad in enumerate(QUADS, 1) if set(faces[0]) <= set(quad))
            outer.append((side, faces[0]))
    return outer


def mesh() -> str:
    boundary = faces_of_tetrahedra()
    lines = ["MFEM mesh v1.0", "", "dimension", "3", "", "elements", str(len(TETRAHEDRA))]
    lines += ["1 4 {} {} {} {}".format(*t) for t in TETRAHEDRA]
    lines += ["", "boundary", str(len(boundary))]
    lines += ["{} 2 {} {} {}".format(side, *face) for side, face in boundary]
    lines += ["", "vertices", str(len(CORNERS)), "3"]
    lines += ["{} {} {}".format(*c) for c in CORNERS]
    return "\n".join([*lines, ""])


NETLIST = "divider\nV1 in 0 10\nR1 in out 1k\nR2 out 0 1k\n.op\n.end\n"
CONTENTS = {".stl": stl, ".obj": obj, ".mesh": mesh, ".msh": mesh, ".cir": lambda: NETLIST}


def placed(value, folder: pathlib.Path, step: pathlib.Path):
    """The value with every file name in it replaced by that of a real file."""
    if isinstance(value, dict):
        return {k: placed(v, folder, step) for k, v in value.items()}
    if isinstance(value, list):
        return [placed(v, folder, step) for v in value]
    if not isinstance(value, str) or "\n" in value:
        return value
    name = pathlib.PurePosixPath(value.rsplit(":", 1)[-1]).name
    path = folder / name
    suffix = path.suffix.lower()
    if suffix in (".step", ".stp"):
        shutil.copyfile(step, path)
    elif suffix in CONTENTS:
        path.write_text(CONTENTS[suffix]())
    else:
        return value
    return str(path)


def keep_local(api: dict, page: str) -> None:
    """Calls that read pages read the one that the suite serves, or are refused."""
    address = api["components"]["schemas"]["web_fetch_input"]["properties"]["url"]
    address["pattern"] = r"^http://(127[.]0[.]0[.]1|localhost|10[.]0[.]0[.]1)(:[1-9][0-9]{1,3})?/[a-z]{0,9}$"
    body = api["paths"]["/v1/tools/web.fetch"]["post"]["requestBody"]["content"]["application/json"]
    for example in body["examples"].values():
        example["value"]["url"] = page


def main() -> None:
    document, fuzzed, folder, step = map(pathlib.Path, sys.argv[1:5])
    api = json.loads(document.read_text())
    keep_local(api, sys.argv[5])
    folder.mkdir(parents=True, exist_ok=True)
    for path, item in api["paths"].items():
        if path.startswith("/v1/tools/") and path != "/v1/tools/execute" and "post" in item:
            # Sessions that do not exist would end most calls before their tool.
            item["post"]["parameters"] = [p for p in item["post"]["parameters"] if p["name"] != "session_id"]
            body = item["post"]["requestBody"]["content"]["application/json"]
            for example in body.get("examples", {}).values():
                example["value"] = placed(example["value"], folder, step)
    fuzzed.write_text(json.dumps(api))


main()
