"""The engine's entry: one request on stdin, the mesh in the working folder, one answer on stdout.

--version tells what the engine is made of, --selftest runs golden cases.
"""

import json
import sys
import time
import traceback

import numpy as np

from . import __version__, codes, protocol
from .protocol import Error

_USAGE = "usage: netgen-driver [--version | --selftest] < request.json"


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
        protocol.send(_serve(request))
    except Error as fault:
        protocol.error(fault)
        return 1
    except MemoryError:
        protocol.error(Error(codes.MEMORY_EXCEEDED, "the memory did not suffice", "Give a larger max_size."))
        return 1
    except Exception as fault:
        traceback.print_exc()
        protocol.error(
            Error(
                codes.VOLUME_MESH_FAILED,
                "the part could not be meshed: the engine stopped at a fault of its own",
                "Give another max_size, or import the file with cad_import_truck and mesh its surface "
                "with volume_mesh_quartet.",
                "/file_path",
                {"library_message": " ".join(str(fault).split())[:300]},
            )
        )
        return 1
    return 0


def _serve(request):
    import netgen.meshing as ng

    from . import finish, handover, mesher, model, sizing, write

    ng.SetMessageImportance(0)
    most = request["max_tetrahedra"]
    begin = time.monotonic()
    protocol.progress(0.02, "reading")
    part = model.Model(
        request["path"],
        request.get("bodies"),
        request.get("join", True),
        request.get("scale", 1),
        request.get("names"),
    )
    sizes = sizing.Sizes(request, part)
    sizes.check(most)
    read = time.monotonic()
    if "made" in request:
        raw = mesher.Raw.load(request["made"], request["attempts"])
    elif request.get("only_shape"):
        handover.write(part, sizes, request["shape_file"])
        return {"type": "result", "output": {}, "artifacts": [], "warnings": [], "metrics": {}}
    else:
        try:
            raw = mesher.generate(part, sizes, request["budget_s"] - (read - begin), ".")
        except mesher.Failed:
            if "shape_file" in request:
                handover.write(part, sizes, request["shape_file"])
            raise
    made = time.monotonic()
    if len(raw.tetrahedra) > most:
        raise Error(
            codes.INVALID_DX,
            f"the mesh has {len(raw.tetrahedra)} tetrahedra, above max_tetrahedra {most}",
            "Give a larger max_size, fewer elements_per_circle, or raise max_tetrahedra.",
            "/max_tetrahedra",
        )
    protocol.progress(0.7, "checking the elements")
    mesh = finish.finish(raw, request["order"])
    protocol.progress(0.8, "measuring against the CAD shape")
    output = _report(part, mesh)
    write.mfem(request["output_file"], mesh, output["faces"])
    output |= {
        "max_size": sizes.largest,
        "elements_per_circle": sizes.per_circle,
        "expected_tetrahedra": round(sizes.forecast()),
    }
    end = time.monotonic()
    metrics = {"read_seconds": read - begin, "mesh_seconds": made - read, "check_seconds": end - made}
    return {
        "type": "result",
        "output": output,
        "artifacts": [],
        "warnings": sizes.warnings(len(raw.tetrahedra)) + _nameless(part),
        "metrics": metrics,
    }


def _nameless(part):
    """Names in the file that were given to nothing."""
    told = []
    for kind, names in zip(("bodies", "faces"), part.nameless, strict=True):
        if names:
            listed = ", ".join(names[:10])
            listed += f" and {len(names) - 10} more" if len(names) > 10 else ""
            told.append(
                {
                    "code": "names_lost",
                    "message": f"These names of {kind} in the file are not in the mesh, since the "
                    f"shapes that bear them were not found for certain: {listed}. Numbers can be given "
                    "instead.",
                }
            )
    return told


def _report(part, mesh):
    from . import distance, elements, measure

    faces = measure.faces(mesh, part)
    outside = [row for row in faces if len(row["bodies"]) == 1]
    pairs = measure.interfaces(faces)
    volumes = mesh.volumes()
    smallest, largest = elements.dihedral_angles(mesh.points[mesh.tetrahedra])
    bodies = [
        {
            "body": b.id,
            "attribute": k,
            "name": b.name,
            "tetrahedra": int((mesh.bodies == k).sum()),
            "volume": float(volumes[mesh.bodies == k].sum()),
            "exact_volume": b.volume,
        }
        for k, b in enumerate(part.bodies, start=1)
    ]
    return {
        "tetrahedra": len(mesh.tetrahedra),
        "nodes": len(np.unique(mesh.tetrahedra[:, : 4 if mesh.order == 1 else 10])),
        "order": mesh.order,
        "curved": mesh.curved,
        "straightened": mesh.straightened,
        "jacobian": mesh.jacobian,
        "attempts": mesh.attempts,
        "diagonal": part.diagonal,
        "bbox_min": part.box[0],
        "bbox_max": part.box[1],
        "min_dihedral": float(smallest.min()),
        "max_dihedral": float(largest.max()),
        "volume": float(volumes.sum()),
        "exact_volume": sum(b.volume for b in part.bodies),
        "area": sum(row["area"] for row in outside),
        "exact_area": sum(row["exact_area"] for row in outside),
        "bodies": bodies,
        "total_bodies": part.total_bodies,
        "loose_faces": part.loose_faces,
        "faces": faces,
        "interfaces": pairs,
        "groups": measure.groups([b.id for b in part.bodies], pairs),
        "distance": distance.distances(mesh, part) | {"off_plane": distance.off_plane(mesh, part)},
    }


def _version():
    from importlib.metadata import version

    from netgen.occ import occ_version

    libraries = {
        "netgen": version("netgen-mesher"),
        "OpenCASCADE": str(occ_version),
        "python": sys.version.split()[0],
    }
    print(json.dumps({"engine": "netgen", "version": __version__, "libraries": libraries}))
    return 0
