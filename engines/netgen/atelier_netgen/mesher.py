"""Runs Netgen with more and more modest demands until it makes a mesh."""

import os
import time
from dataclasses import dataclass

import netgen.meshing as ng
import netgen.occ as occ
import numpy as np

from . import child, codes
from .protocol import Error, log, progress

# How the tries differ: factor of the curvature's resolution, growth, and steps of
# optimisation. What fails on a tangle of small faces often passes with less detail.
_TRIES = ((1.0, None, 3), (0.7, 0.5, 3), (0.5, 0.7, 1))
# What Netgen's messages mean; the first part that a message has tells.
_MEANINGS = (
    ("no tetrahedron", "no tetrahedron was made"),
    ("surface mesh", "the triangles on the faces do not close around the part"),
    ("overlapping", "triangles of different faces run into each other"),
    ("meshing2d", "a face could not be covered with triangles"),
    ("meshing failed", "the space between the faces could not be filled with elements"),
)
_FIRST_SHARE = 0.7  # of the time that is left, for each try but the last: a later one asks for less


class Failed(Error):
    """No try made a mesh of the part, which may be possible for another mesher."""


@dataclass
class Raw:
    """What a mesher made: points, and nodes with body or face numbers (from 0 and 1)."""

    points: np.ndarray
    tetrahedra: np.ndarray
    bodies: np.ndarray
    triangles: np.ndarray
    faces: np.ndarray  # 1 is the first face of the joined shape
    face_bodies: np.ndarray  # [face]: the bodies on its two sides, 0 for outside
    uv: np.ndarray  # [triangle][6][2]: parameters of the nodes on the face's surface
    attempts: list  # {mesher, seconds, error} of each try, the last without an error

    @classmethod
    def load(cls, path, attempts):
        """What a mesher kept of its arrays, by name."""
        with np.load(path) as kept:
            return cls(**{name: kept[name] for name in kept.files}, attempts=attempts)


def generate(model, sizes, budget, folder):
    """Meshes the model; sizes are those of sizing.Sizes. Raises Error with what
    each try ended with."""
    end = time.monotonic() + budget
    attempts, messages = [], []
    expected = f"about {sizes.forecast():,.0f} tetrahedra"
    for attempt, (detail, growth, steps) in enumerate(_TRIES, start=1):
        left = end - time.monotonic()
        share = left if attempt == len(_TRIES) else left * _FIRST_SHARE
        progress(0.1 + 0.2 * (attempt - 1), f"meshing, {expected}, try {attempt} of {len(_TRIES)}")
        parameters = ng.MeshingParameters(
            maxh=sizes.largest,
            minh=sizes.smallest,
            grading=growth or sizes.growth,
            curvaturesafety=max(0.5, sizes.per_outer_circle(detail) / (2 * np.pi)),
            segmentsperedge=1,
            optsteps3d=steps,
        )
        path = os.path.join(folder, f"raw-{attempt}.npz")
        begin = time.monotonic()
        local = sizes.faces(detail)
        why, said = child.run(
            lambda mp=parameters, faces=local, to=path: _mesh(model, sizes, faces, mp, to), share
        )
        why = _meaning(said) if why == "" else why
        attempts.append({"mesher": "netgen", "seconds": time.monotonic() - begin, "error": why or ""})
        if why is None:
            raw = Raw.load(path, attempts)
            os.remove(path)
            lost = _lost(model, raw)
            if not lost:
                return raw
            attempts[-1]["error"] = why = f"faces without triangles: {', '.join(map(str, lost[:10]))}"
        log("warn", f"try {attempt}: {why}" + (f" ({said})" if said else ""))
        messages.append(said)
    failures = [f"try {k}: {one['error']}" for k, one in enumerate(attempts, start=1)]
    raise Failed(
        codes.VOLUME_MESH_FAILED,
        "the part cannot be meshed: " + "; ".join(failures),
        "Give another max_size or more time (limits), or import the file with cad_import_truck and mesh "
        "its surface with volume_mesh_quartet, which takes any closed one.",
        "/file_path",
        {"tries": failures, "attempts": attempts, "library_messages": messages},
    )


def _lost(model, raw):
    present = set(np.unique(raw.faces).tolist())
    return [model.number_of(face) for k, face in enumerate(model.faces, start=1) if k not in present]


def _mesh(model, sizes, local, parameters, to):
    for index, size in local:
        face = model.faces[index]
        for shape in (face, *face.edges):  # Netgen divides edges first, and by their own size
            shape.maxh = min(shape.maxh, size)
    geometry = occ.OCCGeometry(model.shape)  # reads the sizes
    places = [sizes.points()] + ([sizes.refinement.points()] if sizes.refinement else [])
    for points, wanted in places:
        for point, size in zip(points.tolist(), wanted.tolist(), strict=True):
            geometry.RestrictH(ng.Pnt(*point), max(size, sizes.smallest))
    mesh = geometry.GenerateMesh(parameters)
    mesh.SecondOrder()
    solid, surface = mesh.Elements3D().NumPy(), mesh.Elements2D().NumPy()
    if len(solid) == 0:
        raise RuntimeError("no tetrahedron was made")
    points = np.array([list(p.p) for p in mesh.Points()])
    described = list(mesh.FaceDescriptors())
    # Of a descriptor surfnr is the face in the order of the shape, from 1.
    of_descriptor = np.array([d.surfnr for d in described])
    sides = np.zeros((int(of_descriptor.max()) + 1, 2), int)
    for d in described:
        sides[d.surfnr] = (d.domin, d.domout)
    np.savez(
        to,
        points=points,
        tetrahedra=solid["nodes"].astype(np.int64) - 1,
        bodies=solid["index"].astype(np.int64),
        triangles=surface["nodes"].astype(np.int64)[:, :6] - 1,
        faces=of_descriptor[surface["index"].astype(np.int64) - 1],
        face_bodies=sides,
        uv=np.array([e.uv for e in mesh.Elements2D()]),
    )


def _meaning(message):
    for part, meaning in _MEANINGS:
        if part in message.lower():
            return meaning
    return "the mesher gave up"
