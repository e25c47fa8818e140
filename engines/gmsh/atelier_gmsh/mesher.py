"""Meshes a shape in OpenCASCADE's BREP format and keeps which CAD face each triangle
lies on. Lengths are those of the file."""

import time

import gmsh
import numpy as np

from . import child, codes
from .protocol import Error, log, progress

# Options by their names in Gmsh's reference manual.
_OPTIONS = {
    "General.Terminal": 0,
    "General.NumThreads": 2,
    # The shape stays as it is: faces are known by their order.
    "Geometry.OCCAutoFix": 0,
    "Mesh.Algorithm3D": 1,  # Delaunay
}
# How the tries differ: Gmsh's algorithm for faces (6 is Frontal-Delaunay, with the best
# triangles, 5 Delaunay), the least size relative to the one asked for, and the share of
# the elements per circle. What overlaps at a point passes with larger triangles there.
_TRIES = ((6, 1, 1), (6, 4, 1), (5, 4, 1), (6, 10, 1), (5, 10, 0.5))
_FIRST_SHARE = 0.5  # of the time that is left, for each try but the last
_TRIANGLE, _TETRAHEDRON = 9, 11  # Gmsh's types of second order
# Gmsh numbers the middles of edges 01, 12, 20 in a triangle and 01, 12, 20, 30, 32, 31
# in a tetrahedron; ours are 12, 02, 01 and 01, 02, 03, 12, 13, 23.
_TRIANGLE_NODES = [0, 1, 2, 4, 5, 3]
_TETRAHEDRON_NODES = [0, 1, 2, 3, 4, 6, 7, 5, 9, 8]


def generate(path, sizes, to, budget):
    """Writes the mesh of the shape in a file, as arrays by name, to another:

    points [n][3], tetrahedra [element][10] and bodies [element] (from 1), triangles
    [triangle][6], faces [triangle] (from 1, in the order of the shape), uv
    [triangle][6][2] (parameters on the face's surface), face_bodies [face][2] (0 is
    outside). sizes is what the engine that wrote the shape asks for, budget the seconds
    for all tries. Raises Error.

    Each try is a process of its own: after a failure Gmsh keeps half of the old mesh.
    """
    end = time.monotonic() + budget
    reasons = []
    for number, one in enumerate(_TRIES, start=1):
        left = end - time.monotonic()
        share = left if number == len(_TRIES) else left * _FIRST_SHARE
        progress(0.15 * number, f"Gmsh is meshing, try {number} of {len(_TRIES)}")
        why, said = child.run(lambda one=one: _try(path, sizes, one, to), share)
        if why is None:
            return
        reasons.append(why or said)
        log("warn", f"try {number} of Gmsh: {reasons[-1]}")
    raise Error(
        codes.VOLUME_MESH_FAILED,
        "Gmsh cannot mesh the part at these sizes: "
        + "; ".join(f"try {k}: {why}" for k, why in enumerate(reasons, start=1)),
        "Give another max_size.",
        "/file_path",
        {"tries": reasons},
    )


def _try(path, sizes, one, to):
    gmsh.initialize(readConfigFiles=False, interruptible=False)
    for name, value in _OPTIONS.items():
        gmsh.option.setNumber(name, value)
    gmsh.logger.start()
    try:
        np.savez(to, **_generate(path, sizes, *one))
    except Exception as fault:  # the binding throws its own type for all that Gmsh cannot do
        told = [line.removeprefix("Error: ") for line in gmsh.logger.get() if line.startswith("Error")]
        raise RuntimeError(told[0] if told else fault) from None


def _generate(path, sizes, algorithm, factor, detail):
    gmsh.model.occ.importShapes(path)
    gmsh.model.occ.synchronize()
    faces = [tag for _, tag in gmsh.model.getEntities(2)]
    solids = [tag for _, tag in gmsh.model.getEntities(3)]
    if (len(solids), len(faces)) != (sizes["bodies"], sizes["faces"]):
        raise RuntimeError(
            f"Gmsh sees {len(solids)} bodies with {len(faces)} faces in the shape, "
            f"which has {sizes['bodies']} with {sizes['faces']}"
        )
    gmsh.option.setNumber("Mesh.Algorithm", algorithm)
    gmsh.option.setNumber("Mesh.MeshSizeMin", min(factor * sizes["smallest"], sizes["largest"]))
    gmsh.option.setNumber("Mesh.MeshSizeMax", sizes["largest"])
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", detail * sizes["per_circle"])
    _ask_for(sizes, faces)
    gmsh.model.mesh.generate(3)
    if len(gmsh.model.mesh.getElements(3)[0]) == 0:
        raise RuntimeError("no tetrahedron was made")
    gmsh.model.mesh.optimize("Netgen")
    gmsh.model.mesh.setOrder(2)
    return _collect(faces, solids)


def _ask_for(sizes, faces):
    field = gmsh.model.mesh.field
    fields = []
    for index, size in sizes["local_faces"]:
        fields.append(field.add("Constant"))
        field.setNumbers(fields[-1], "SurfacesList", [faces[index]])
        field.setNumber(fields[-1], "VIn", size)
    for (x, y, z), size in sizes["local_points"]:
        fields.append(field.add("MathEval"))
        away = f"Sqrt((x-({x:.17g}))^2+(y-({y:.17g}))^2+(z-({z:.17g}))^2)"
        field.setString(fields[-1], "F", f"{size:.17g}+{sizes['growth']:.17g}*{away}")
    if "refinement" in sizes:
        fields.append(_refinement(sizes["refinement"]))
    if fields:
        least = field.add("Min")
        field.setNumbers(least, "FieldsList", fields)
        field.setAsBackgroundMesh(least)


def _refinement(path):
    """The field of sizes [tetrahedron][4] at the corners [tetrahedron][4][3] of an earlier mesh."""
    with np.load(path) as kept:
        corners, wanted = kept["corners"], kept["sizes"]
    view = gmsh.view.add("sizes")
    rows = np.concatenate([corners.transpose(0, 2, 1).reshape(-1, 12), wanted], axis=1)
    gmsh.view.addListData(view, "SS", len(rows), rows.ravel())  # x, y, z of the corners, then values
    made = gmsh.model.mesh.field.add("PostView")
    gmsh.model.mesh.field.setNumber(made, "ViewTag", view)
    return made


def _collect(faces, solids):
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    if len(tags) == 0:
        raise RuntimeError("no node was made")
    at = np.full(int(tags.max()) + 1, -1)
    at[tags.astype(np.int64)] = np.arange(len(tags))
    tetrahedra, bodies = _elements(3, solids, _TETRAHEDRON, _TETRAHEDRON_NODES)
    triangles, of_face = _elements(2, faces, _TRIANGLE, _TRIANGLE_NODES)
    sides = np.zeros((len(faces) + 1, 2), int)
    for k, face in enumerate(faces, start=1):
        touching = [solids.index(solid) + 1 for solid in gmsh.model.getAdjacencies(2, face)[0]]
        sides[k, : len(touching)] = touching[:2]
    return {
        "points": coordinates.reshape(-1, 3),
        "tetrahedra": at[tetrahedra],
        "bodies": bodies,
        "triangles": at[triangles],
        "faces": of_face,
        "face_bodies": sides,
        "uv": np.concatenate(
            [_parameters(face, triangles[of_face == k]) for k, face in enumerate(faces, start=1)]
        ),
    }


def _elements(dimension, entities, kind, order):
    """Nodes of the elements of all entities, and from 1 which entity each is of."""
    nodes, of = [np.empty((0, len(order)), np.int64)], [np.empty(0, np.int64)]
    for k, tag in enumerate(entities, start=1):
        found = gmsh.model.mesh.getElementsByType(kind, tag)[1].astype(np.int64).reshape(-1, len(order))
        nodes.append(found[:, order])
        of.append(np.full(len(found), k))
    return np.concatenate(nodes), np.concatenate(of)


def _parameters(face, triangles):
    """Parameters of the nodes of a face's triangles, [triangle][6][2]."""
    if len(triangles) == 0:
        return np.empty((0, 6, 2))
    tags, _, given = gmsh.model.mesh.getNodes(2, face, includeBoundary=True, returnParametricCoord=True)
    order = np.argsort(tags)
    place = np.searchsorted(tags[order], triangles)
    uv = given.reshape(-1, 2)[order][place]
    low, high = gmsh.model.getParametrizationBounds(2, face)
    middle = (np.asarray(low) + high) / 2
    for axis in range(2):
        if _closed(face, low, high, middle, axis):
            # A node of the seam has the parameter of either side: that of its triangle
            # is the one next to the others.
            period = high[axis] - low[axis]
            others = np.median(uv[:, :, axis], axis=1, keepdims=True)
            uv[:, :, axis] -= period * np.round((uv[:, :, axis] - others) / period)
    return uv


def _closed(face, low, high, middle, axis):
    ends = np.array([middle, middle])
    ends[0, axis], ends[1, axis] = low[axis], high[axis]
    points = np.asarray(gmsh.model.getValue(2, face, ends.reshape(-1))).reshape(2, 3)
    return np.linalg.norm(points[0] - points[1]) < 1e-9 * (1 + np.abs(points).max())
