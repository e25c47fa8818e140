"""Cameras: where they stand, and their matrices.

Camera axes are those of computer vision: x to the right, y down, z along the line of
sight. A pixel (u, v) has its centre at whole numbers, (0, 0) at the top left:
u = fx·X/Z + cx, v = fy·Y/Z + cy with (X, Y, Z) = extrinsics · (x, y, z, 1).
"""

from dataclasses import dataclass

import numpy as np

from .codes import INVALID_INPUT as INVALID
from .protocol import Error

FIELD_OF_VIEW = 30.0  # degrees, vertical

# Name: direction from the part to the camera, and up; for a part whose y axis is up.
_Y_UP = {
    "isometric": ((1, 1, 1), (0, 1, 0)),
    "front": ((0, 0, 1), (0, 1, 0)),
    "back": ((0, 0, -1), (0, 1, 0)),
    "left": ((-1, 0, 0), (0, 1, 0)),
    "right": ((1, 0, 0), (0, 1, 0)),
    "top": ((0, 1, 0), (0, 0, -1)),
    "bottom": ((0, -1, 0), (0, 0, 1)),
}
# The same seen on a part whose z axis is up: (x, y, z) -> (x, -z, y).
_Z_UP = {name: tuple((d[0], -d[2], d[1]) for d in pair) for name, pair in _Y_UP.items()}


@dataclass
class Camera:
    """Position, target and up in scene coordinates; near and far along the line of sight."""

    position: np.ndarray
    focal_point: np.ndarray
    view_up: np.ndarray
    near: float
    far: float
    width: int
    height: int

    def intrinsics(self):
        """The 3 x 3 matrix K, in pixels."""
        focal = 0.5 * self.height / np.tan(np.radians(FIELD_OF_VIEW) / 2)
        return np.array([[focal, 0, (self.width - 1) / 2], [0, focal, (self.height - 1) / 2], [0, 0, 1]])

    def rotation(self):
        """The 3 x 3 rotation from the world to the camera; its rows are right, down, forward."""
        forward = self.focal_point - self.position
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, self.view_up)
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(forward, right), forward])

    def extrinsics(self):
        """The 4 x 4 matrix from the world to the camera."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.rotation()
        matrix[:3, 3] = -matrix[:3, :3] @ self.position
        return matrix

    def project(self, points):
        """Pixel coordinates (n, 2) and depth (n,) of points (n, 3)."""
        seen = points @ self.rotation().T + self.extrinsics()[:3, 3]
        pixel = seen @ self.intrinsics().T
        return pixel[:, :2] / pixel[:, 2:], seen[:, 2]


def make(view, index, points, bounds, request, margins):
    """The Camera of one requested view; points are those that are drawn, margins those of a tight view."""
    low, high = bounds
    centre, diagonal = (low + high) / 2, float(np.linalg.norm(high - low))
    width, height = request["width"], request["height"]
    if "position" in view:
        position = np.array(view["position"], float)
        focal = np.array(view.get("focal_point") or centre, float)
        up = np.array(view.get("view_up") or _default_up(request, position, focal), float)
        _check(position, focal, up, index)
        camera = Camera(position, focal, up, 0, 0, width, height)
    else:
        direction, up = (_Z_UP if request.get("up_axis") == "z" else _Y_UP)[view["name"]]
        direction = np.array(direction, float) / np.linalg.norm(direction)
        distance = 2 * diagonal * max(1.0, height / width)
        camera = Camera(centre + distance * direction, centre, np.array(up, float), 0, 0, width, height)
        if request.get("fit") == "tight":
            _tighten(camera, direction, points, margins)
    _clip(camera, points, diagonal)
    return camera


def _default_up(request, position, focal):
    up = np.array((0, 0, 1) if request.get("up_axis") == "z" else (0, 1, 0), float)
    if np.linalg.norm(np.cross(focal - position, up)) < 1e-6 * np.linalg.norm(focal - position):
        return np.array((0, 1, 0) if request.get("up_axis") == "z" else (0, 0, -1), float)
    return up


def _check(position, focal, up, index):
    sight = focal - position
    if np.linalg.norm(sight) == 0:
        raise Error(
            INVALID,
            "The camera's position is its focal point.",
            "Move one of them.",
            f"/views/{index}/position",
        )
    if np.linalg.norm(np.cross(sight, up)) < 1e-9 * np.linalg.norm(sight) * max(np.linalg.norm(up), 1e-300):
        raise Error(
            INVALID,
            "view_up is zero or lies along the line of sight.",
            "Name another view_up.",
            f"/views/{index}/view_up",
        )


def _tighten(camera, direction, points, margins):
    """Moves the camera along its line of sight, and sideways, until the part fills the picture.

    margins are the parts of the picture (left, right, top, bottom) that stay free.
    """
    half_y = np.tan(np.radians(FIELD_OF_VIEW) / 2)
    half_x = half_y * camera.width / camera.height
    left, right, top, bottom = (1 - 2 * m for m in margins)
    rotation = camera.rotation()
    seen = (points - camera.focal_point) @ rotation.T
    # With z the depth behind the focal plane, a point is inside of a side with a slope when
    # x - shift <= slope (distance + z), and for the opposite side with -x and -shift.
    limits = []
    for axis, plus, minus in ((0, half_x * right, half_x * left), (1, half_y * bottom, half_y * top)):
        upper = (seen[:, axis] - plus * seen[:, 2]).max()
        lower = (-seen[:, axis] - minus * seen[:, 2]).max()
        limits.append((upper, lower, plus, minus))
    distance = max((upper + lower) / (plus + minus) for upper, lower, plus, minus in limits)
    distance = max(distance, -seen[:, 2].min() * 1.0001 + 1e-9)
    shift = np.zeros(3)
    for axis, (upper, lower, plus, minus) in enumerate(limits):
        shift[axis] = (upper - plus * distance + minus * distance - lower) / 2
    camera.focal_point = camera.focal_point + shift @ rotation
    camera.position = camera.focal_point + distance * direction


def _clip(camera, points, diagonal):
    depth = (points - camera.position) @ camera.rotation()[2]
    near, far = float(depth.min()), float(depth.max())
    margin = 1e-3 * diagonal
    camera.far = max(far + margin, 2 * margin)
    camera.near = max(near - margin, 1e-3 * camera.far, 1e-2 * margin)
