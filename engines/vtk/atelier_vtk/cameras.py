"""Cameras: where they stand, and their matrices.

Camera axes are those of computer vision: x to the right, y down, z along the line of
sight. A pixel (u, v) has its centre at whole numbers, (0, 0) at the top left:
u = fx·X/Z + cx, v = fy·Y/Z + cy with (X, Y, Z) = extrinsics · (x, y, z, 1).
"""

from dataclasses import dataclass

import numpy as np

from .protocol import INVALID, DriverError

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


def make(view, index, points, bounds, request):
    """The Camera of one requested view; points are those that are drawn."""
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
            _tighten(camera, direction, points)
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
        raise DriverError(
            INVALID,
            "The camera's position is its focal point.",
            "Move one of them.",
            f"/views/{index}/position",
        )
    if np.linalg.norm(np.cross(sight, up)) < 1e-9 * np.linalg.norm(sight) * max(np.linalg.norm(up), 1e-300):
        raise DriverError(
            INVALID,
            "view_up is zero or lies along the line of sight.",
            "Name another view_up.",
            f"/views/{index}/view_up",
        )


MARGIN = 0.92  # part of the picture that a tight view fills


def _tighten(camera, direction, points):
    """Moves the camera along its line of sight, and sideways, until the part fills the picture."""
    half_y = MARGIN * np.tan(np.radians(FIELD_OF_VIEW) / 2)
    slopes = (half_y * camera.width / camera.height, half_y)
    rotation = camera.rotation()
    seen = (points - camera.focal_point) @ rotation.T
    # A point at distance d - z is inside when |x - shift| <= slope (d + z); solved for both sides.
    shift, distances = np.zeros(3), []
    for axis, slope in enumerate(slopes):
        upper = (seen[:, axis] - slope * seen[:, 2]).max()
        lower = (-seen[:, axis] - slope * seen[:, 2]).max()
        shift[axis] = (upper - lower) / 2
        distances.append((upper + lower) / 2 / slope)
    middle = camera.focal_point + shift @ rotation
    distance = max(distances)
    nearest = -seen[:, 2].min()
    camera.focal_point = middle
    camera.position = middle + max(distance, nearest * 1.0001 + 1e-9) * direction


def _clip(camera, points, diagonal):
    depth = (points - camera.position) @ camera.rotation()[2]
    near, far = float(depth.min()), float(depth.max())
    margin = 1e-3 * diagonal
    camera.far = max(far + margin, 2 * margin)
    camera.near = max(near - margin, 1e-3 * camera.far, 1e-2 * margin)
