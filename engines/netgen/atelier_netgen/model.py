"""The CAD model: bodies, faces with their names, and which bodies touch.

Lengths are millimetres, into which OpenCASCADE converts STEP and IGES files.
"""

import math
import os
from collections import Counter
from dataclasses import dataclass

import netgen.occ as occ
import numpy as np

from . import child, codes
from .names import Names
from .protocol import Error

_BOX_GAP = 1e-7  # mm
_NO_NAMES = ("NONE", "''", "$")  # as in engines/occt/src/step_text.cc
_LARGEST = 1e9  # mm
_SEWING = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # mm
_SEWN = 1e-5  # of the diagonal of the box: faces further apart have a gap
_DRAWN = "drawn.npz"
_DRAWING_SECONDS = 30
_AXIS = occ.Axis((0, 0, 0), occ.Z)


@dataclass
class Body:
    id: int
    name: str
    volume: float
    area: float
    faces: range  # their numbers in the file


class Model:
    """A part or an assembly, ready for the mesher.

    Touching bodies share their common faces after joining: a face that two bodies
    have in common becomes one face with two bodies, and one that it covers in part
    is cut along its outline (OpenCASCADE's general fuse).
    """

    def __init__(self, path, bodies=None, join=True, scale=1, names=None):
        """scale is what a length of the file is multiplied by, where OpenCASCADE could not
        know its unit; names is a list of what is named in the file, {path, scale}."""
        shape = _read(path)
        solids = list(shape.solids)
        sewn = not solids
        if sewn:
            _check_extent([shape], scale)
            solids = _sewn(shape)
        if not solids:
            raise Error(
                codes.NOT_WATERTIGHT,
                f"the file holds no solid, only {len(shape.faces)} faces: there is no inside to mesh",
                "Save the part as a solid. Of a STEP file, cad_import_truck says which shells are open.",
                "/file_path",
            )
        self.total_bodies = len(solids)
        self.loose_faces = 0 if bodies else _loose(shape, solids, sewn)
        self._names, self._owners = {}, {}
        copies = list(self._numbered(solids, scale))
        called = [_called(solid) for solid in solids]
        self.nameless = ([], [])  # names of bodies and of faces that no shape here bears
        if names:
            called = self._take(Names(**names), copies, called)
        chosen = _choose(called, bodies)
        self.bodies = [_body(copies, called, i) for i in chosen]
        parts = [copies[i] for i in chosen]
        _check_extent(parts, 1)
        if len(parts) == 1:
            self.shape = parts[0]
        else:
            self.shape = occ.Glue(parts) if join else occ.Compound(parts)
        # Two bodies list a face that they share; the mesher counts it once.
        self.faces = list(dict.fromkeys(self.shape.faces))
        self._check_joining(parts)
        self.geometry = occ.OCCGeometry(self.shape)
        self._drawn = None
        lo, hi = self.shape.bounding_box
        # OpenCASCADE's box stands out by its tolerance on every side.
        self.box = np.array([[lo.x, lo.y, lo.z], [hi.x, hi.y, hi.z]]) + np.array([[_BOX_GAP], [-_BOX_GAP]])
        self.diagonal = float(np.linalg.norm(self.box[1] - self.box[0]))

    def _numbered(self, solids, scale):
        """Copies of the bodies whose faces have their number in the file as a name,
        which survives the joining. Instances of one part become shapes of their own."""
        number = 0
        for body, solid in enumerate(solids, start=1):
            copy = solid.Rotate(_AXIS, 0)  # a rotation makes new shapes, and by nothing moves no point
            if scale != 1:
                copy = copy.Scale((0, 0, 0), scale)
            for face, original in zip(copy.faces, solid.faces, strict=True):
                number += 1
                self._names[number], self._owners[number] = _called(original), body
                face.name = str(number)
            yield copy

    def _take(self, names, copies, called):
        """Names of the bodies from a list, and their own where it has none; those of the
        faces the other way round."""
        bodies = []
        for copy, own in zip(copies, called, strict=True):
            name, faces = names.of(copy)
            bodies.append(name or own)
            for face, listed in zip(copy.faces, faces, strict=True):
                self._names[int(face.name)] = self._names[int(face.name)] or listed
        self.nameless = names.unused(bodies, self._names.values())
        return bodies

    def _check_joining(self, parts):
        solids = list(self.shape.solids)
        volume = sum(s.mass for s in solids)
        wanted = sum(p.mass for p in parts)
        if len(solids) != len(parts) or abs(volume - wanted) > 1e-6 * abs(wanted):
            raise Error(
                codes.VOLUME_MESH_FAILED,
                f"the bodies overlap: {len(parts)} bodies of {wanted:.6g} mm³ together become "
                f"{len(solids)} of {volume:.6g} mm³ when they are joined",
                "Mend the assembly so that no two bodies fill the same space, or leave one out by bodies.",
                "/file_path",
            )

    def drawn(self):
        """OpenCASCADE's own triangulation of the joined shape, in single precision:
        corners and normals out of the bodies, [triangle][3][3], and the face of each
        triangle, from 0. Nothing, where OpenCASCADE makes none in time.

        It is made in a process of its own, since Netgen's threads, which it starts, are
        not there any more in the processes that mesh, and these would wait for them.
        """
        if self._drawn is None:
            child.run(self._draw, _DRAWING_SECONDS)
            self._drawn = (np.empty((0, 3, 3)), np.empty((0, 3, 3)), np.empty(0, int))
            if os.path.exists(_DRAWN):
                with np.load(_DRAWN) as kept:
                    self._drawn = tuple(kept[name] for name in ("corners", "normals", "faces"))
                os.remove(_DRAWN)
        return self._drawn

    def _draw(self):
        data = self.geometry._visualizationData()
        np.savez(
            _DRAWN,
            corners=np.asarray(data["vertices"], float).reshape(-1, 3, 3),
            normals=np.asarray(data["normals"], float).reshape(-1, 3, 3),
            faces=np.asarray(data["indices"], int),
        )

    def thickness(self):
        """How thick the thinnest body of each face is, twice its volume over its area:
        that of a wall, and a third of the edge of a cube."""
        of = {}
        for body in self.bodies:
            for number in body.faces:
                of[number] = 2 * body.volume / body.area
        return np.array([of[self.number_of(face)] for face in self.faces])

    def widths(self):
        """Twice the area of each face over the length of its outline: the width of a
        strip, half the edge of a square."""
        outlines = [sum(edge.mass for edge in face.edges) for face in self.faces]
        return np.array([2 * face.mass / length for face, length in zip(self.faces, outlines, strict=True)])

    def number_of(self, face):
        """The file's number of a face of the joined shape."""
        return int(face.name)

    def name_of(self, number):
        return self._names.get(number, "")

    def faces_called(self, wanted, pointer):
        """Indices in the joined shape of the faces with a number or a name."""
        found = [
            k
            for k, face in enumerate(self.faces)
            if (
                self.number_of(face) == wanted
                if isinstance(wanted, int)
                else self.name_of(self.number_of(face)) == wanted
            )
        ]
        if not found:
            raise self._no_face(wanted, pointer)
        return found

    def _no_face(self, wanted, pointer):
        """Says of a face that is not meshed whether it is there at all, and which are."""
        called = (n for n, name in self._names.items() if wanted in (n, name))
        owner = self._owners.get(next(called, 0), 0)
        why = f"there is no face {wanted!r}"
        if owner and owner not in [body.id for body in self.bodies]:
            why = f"face {wanted!r} belongs to body {owner}, which is not among the bodies of this call"
        elif owner:
            why = f"face {wanted!r} lies on a face of another body and has become one with it"
        ranges = [f"{b.faces[0]} to {b.faces[-1]}" for b in self.bodies]
        if len(self.bodies) == self.total_bodies:
            ranges = [f"1 to {len(self._names)}"]
        known = sorted({self.name_of(self.number_of(face)) for face in self.faces} - {""})
        return Error(
            codes.UNKNOWN_ATTRIBUTE,
            why,
            f"Faces are numbered {', '.join(ranges[:20])}{', …' if len(ranges) > 20 else ''}"
            + (f"; names are {', '.join(known[:20])}." if known else "; none has a name."),
            pointer,
        )


def _body(solids, names, i):
    first = 1 + sum(len(solid.faces) for solid in solids[:i])
    area = sum(face.mass for face in solids[i].faces)
    return Body(i + 1, names[i], solids[i].mass, area, range(first, first + len(solids[i].faces)))


def _check_extent(shapes, scale):
    """Refuses what has no size before any work on it, which such coordinates draw out."""
    boxes = np.array([[tuple(corner) for corner in shape.bounding_box] for shape in shapes]) * scale
    extent = float(np.linalg.norm(boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)))
    if not np.isfinite(extent):
        why = "the shape has no finite extent"
    elif extent <= 0 or extent > _LARGEST:
        why = f"the part has an extent of {extent:.3g} mm, which no part has"
    else:
        return
    raise Error(codes.FILE_UNREADABLE, why, "Look at the coordinates in the file.", "/file_path")


def _called(shape):
    """The name of a shape, without what exporters write where there is none."""
    name = (shape.name or "").strip()
    return "" if name in _NO_NAMES else name


def _read(path):
    try:
        return _all_roots(occ.OCCGeometry(path))
    except Exception as fault:  # the binding throws its own type for what OpenCASCADE cannot read
        raise Error(
            codes.FILE_UNREADABLE,
            "the file cannot be read as a CAD model: it is damaged, or of another format",
            "Give a STEP (.step, .stp), IGES (.iges, .igs) or BREP (.brep) file.",
            "/file_path",
            {"library_message": _one_line(fault)},
        ) from None


def _all_roots(geometry):
    """The shape of a file. Of one with several products that no assembly joins, Netgen's
    reader takes the first for the whole; its product tree has them all, in their places."""
    shape = geometry.shape
    leaves = list(_leaves(geometry.GetAssemblyTree()))
    if sum(len(leaf.shape.faces) for leaf in leaves) <= len(shape.faces):
        return shape
    for leaf in leaves:
        for solid in leaf.shape.solids:
            solid.name = solid.name or leaf.name
    return occ.Compound([leaf.shape for leaf in leaves])


def _leaves(node):
    if node is None:
        return
    if not node.is_assembly:
        yield node
    for part in node.children:
        yield from _leaves(part)


def _sewn(shape):
    """Solids of the faces of a file that has none, as IGES files, where the faces close
    around them, at the least tolerance (mm) at which they do: files are written to as few
    digits as their authors chose."""
    faces = list(shape.faces)
    if not faces:
        return []
    low, high = shape.bounding_box
    most = _SEWN * math.dist(tuple(low), tuple(high))
    best = []
    for tolerance in (t for t in _SEWING if t <= max(most, _SEWING[0])):
        shells = list(occ.Sew(faces, tolerance).shells)
        solids = [solid for solid in map(_solid, filter(_closed, shells)) if solid.mass > 0]
        best = max(best, solids, key=len)
        if len(best) == len(shells):
            break
    return best


def _solid(shell):
    """Sewing turns the faces of a shell alike, out or in."""
    solid = occ.Solid(shell)
    return solid if solid.mass > 0 else occ.Solid(shell.Reversed())


def _loose(shape, solids, sewn):
    """How many faces of the file bound no solid; sewing makes new ones of them."""
    if sewn:
        return max(0, len(shape.faces) - sum(len(solid.faces) for solid in solids))
    used = {face for solid in solids for face in solid.faces}
    return sum(face not in used for face in dict.fromkeys(shape.faces))


def _closed(shell):
    """Whether two faces meet at every edge; the seam of a round face counts twice."""
    meeting = Counter(edge for edge in shell.edges if edge.mass > 0)
    return all(count == 2 for count in meeting.values())


def _one_line(fault):
    return " ".join(str(fault).split())[:200] or type(fault).__name__


def _choose(names, wanted):
    """Indices of the bodies that were asked for by number or name."""
    if not wanted:
        return list(range(len(names)))
    chosen = set()
    for at, item in enumerate(wanted):
        found = [
            i for i, name in enumerate(names) if (i + 1 == item if isinstance(item, int) else name == item)
        ]
        if not found:
            listed = ", ".join(
                f"{i + 1} ({name})" if name else str(i + 1) for i, name in enumerate(names[:20])
            )
            raise Error(
                codes.INVALID_INPUT,
                f"there is no body {item!r}",
                f"The bodies are {listed}.",
                f"/bodies/{at}",
            )
        chosen.update(found)
    return sorted(chosen)
