"""Names of bodies and faces from another reader of the same file.

Netgen's reader names no shape of an assembly. The bodies and faces of both readers are
the same exact shapes, and are matched by where they lie and how large they are.
"""

import json

import numpy as np

_AREA = 1e-5  # two quadratures of one face
_PLACE = 1e-5  # of the diagonal of the body


class Names:
    """The bodies and faces of a list as cad_import_truck's engine writes it; scale are the
    millimetres in its unit."""

    def __init__(self, path, scale):
        with open(path, encoding="utf-8") as file:
            listed = json.load(file)
        bodies = [body for body in listed["bodies"] if body["kind"] == "solid"] or listed["bodies"]
        self._bodies = [body["name"] for body in bodies]
        place = {body["id"]: k for k, body in enumerate(bodies)}
        rows = [face for face in listed["faces"] if face["body"] in place and _measured(face)]
        self._names = [face["name"] for face in rows]
        self._body = np.array([place[face["body"]] for face in rows], int)
        self._area = np.array([face["area"] for face in rows], float) * scale**2
        self._centre = np.array([face["centroid"] for face in rows], float).reshape(-1, 3) * scale

    def of(self, solid):
        """(name of the body, names of its faces) of a shape; empty where nothing in the
        list, or more than one thing with different names, is the same."""
        faces = list(solid.faces)
        centres, areas = np.array([tuple(f.center) for f in faces]), np.array([f.mass for f in faces])
        low, high = solid.bounding_box
        near = _PLACE * float(np.linalg.norm(np.array(tuple(high)) - np.array(tuple(low))))
        same = [self._same(c, a, near) for c, a in zip(centres, areas, strict=True)]
        # Bodies that lie on each other may share a face, and copies in one place all of them.
        counts = np.zeros(len(self._bodies), int)
        for rows in same:
            counts[np.unique(self._body[rows])] += 1
        total = np.bincount(self._body, minlength=len(self._bodies))
        bodies = np.flatnonzero((counts == len(faces)) & (total == len(faces)))
        return _one({self._bodies[b] for b in bodies}), [
            _one({self._names[r] for r in rows if self._body[r] in bodies}) for rows in same
        ]

    def _same(self, centre, area, near):
        apart = np.abs(self._centre - centre).max(axis=1, initial=0)
        return np.flatnonzero((apart <= near) & (np.abs(self._area - area) <= _AREA * area))

    def unused(self, bodies, faces):
        """What of the list has a name that these lack."""
        return (
            sorted({name for name in self._bodies if name} - set(bodies)),
            sorted({name for name in self._names if name} - set(faces)),
        )


def _measured(face):
    return face["area"] is not None and None not in face["centroid"]


def _one(names):
    return names.pop() if len(names) == 1 else ""
