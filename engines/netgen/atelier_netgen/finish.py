"""Makes a valid mesh of what a mesher gave: turned to positive volume, smoothed, and curved
as far as every Jacobian stays positive."""

from dataclasses import dataclass

import numpy as np

from . import codes, elements, smooth, untangle
from .protocol import Error

# Swapping the first two vertices of a tetrahedron turns it inside out.
_TURNED = [1, 0, 2, 3, 4, 7, 8, 5, 6, 9]


@dataclass
class Mesh:
    """A finished mesh; node numbers from 0."""

    points: np.ndarray
    tetrahedra: np.ndarray  # [element][10]
    bodies: np.ndarray  # [element], from 1
    triangles: np.ndarray  # [triangle][6], boundary and interfaces
    faces: np.ndarray  # [triangle], face of the joined shape, from 1
    face_bodies: np.ndarray
    uv: np.ndarray  # [triangle][6][2], parameters of the nodes on the face's surface
    order: int
    curved: int  # elements with an edge that is not straight
    straightened: int
    jacobian: float  # least ratio of smallest to largest Jacobian
    attempts: list

    def volumes(self):
        return elements.jacobians(self.points[self.tetrahedra])[2] / 6

    def outer(self):
        """Which triangles lie on the outside, and not between two bodies."""
        return (self.face_bodies[self.faces] == 0).any(axis=1)


def finish(raw, order):
    """A Mesh of order 1 or 2. Raises Error for an element that is inverted even
    with straight edges."""
    tetrahedra = raw.tetrahedra.copy()
    corners = raw.points[tetrahedra[:, :4]]
    signed = np.einsum(
        "ec,ec->e",
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
        corners[:, 3] - corners[:, 0],
    )
    turned = signed < 0
    tetrahedra[turned] = tetrahedra[turned][:, _TURNED]
    points = raw.points.copy()
    smooth.smooth(points, tetrahedra, raw.triangles)
    straightened = 0
    if order == 1:
        elements.straighten(points, tetrahedra)
    else:
        straightened = untangle.untangle(points, tetrahedra, raw.triangles)
    low, high, _ = elements.jacobians(points[tetrahedra])
    if low.min() <= 0:
        worst = int(low.argmin())
        at = points[tetrahedra[worst, :4]].mean(axis=0)
        place = ", ".join(f"{x:.4g}" for x in at)
        raise Error(
            codes.VOLUME_MESH_FAILED,
            f"{int((low <= 0).sum())} elements have no volume, one at ({place}) mm",
            "Give a smaller max_size.",
            "/max_size",
        )
    return Mesh(
        points,
        tetrahedra,
        raw.bodies,
        raw.triangles,
        raw.faces,
        raw.face_bodies,
        raw.uv,
        order,
        int(untangle.bent(points, tetrahedra).sum()),
        straightened,
        float((low / high).min()),
        raw.attempts,
    )
