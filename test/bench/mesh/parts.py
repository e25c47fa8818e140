"""Ten parts for the mesh benchmark, in millimetres, made by OpenCASCADE through
Netgen's Python module: parts.py FOLDER. Two of the files are in other formats; the
IGES file is made of brep_bracket.brep by to_iges.py."""

import os
import sys
from math import cos, pi, radians, sin, tan

from netgen.occ import (
    Axes,
    Axis,
    Box,
    Circle,
    Compound,
    Cylinder,
    Edge,
    Face,
    Pipe,
    Segment,
    Wire,
    WorkPlane,
    X,
    Y,
    Z,
)


def sheet():
    """A bent sheet 300 x 200 x 1 mm with a flange of 60 mm and a bend radius of 2 mm."""
    plate = Box((0, 0, 0), (300, 200, 1)) + Box((0, 0, 0), (1, 200, 60))
    bend = [e for e in plate.edges if abs(e.center.x - 1) < 1e-6 and abs(e.center.z - 1) < 1e-6]
    plate = plate.MakeFillet(bend, 2)
    back = [e for e in plate.edges if abs(e.center.x) < 1e-6 and abs(e.center.z) < 1e-6]
    return plate.MakeFillet(back, 3)


def _helix(radius, pitch, turns):
    on = Cylinder((0, 0, 0), Z, r=radius, h=pitch * turns * 1.1).faces[0]
    return Edge(Segment((0, 0), (2 * pi * turns, pitch * turns)), on)


def spring():
    """A coil spring: wire of 3 mm, mean diameter 20 mm, five turns of 10 mm."""
    line = _helix(10, 10, 5)
    return Pipe(Wire([line]), Face(Wire([Circle(line.start, line.start_tangent, 1.5)])))


def threaded_rod():
    """A rod with the grooves of a thread M12 x 1.75, 20 of them, as rings."""
    pitch, outer, depth = 1.75, 6.0, 0.6134 * 1.75
    length = 20 * pitch
    corners = [(0, 0), (outer, 0)]
    for k in range(20):
        bottom = k * pitch
        half = depth * tan(radians(30))
        middle = bottom + pitch / 2
        corners += [
            (outer, middle - half - 0.1),
            (outer - depth, middle - 0.1),
            (outer - depth, middle + 0.1),
            (outer, middle + half + 0.1),
        ]
    corners += [(outer, length), (0, length)]
    plane = WorkPlane(Axes((0, 0, 0), n=-Y, h=X)).MoveTo(*corners[0])
    for corner in corners[1:]:
        plane.LineTo(*corner)
    return plane.Close().Face().Revolve(Axis((0, 0, 0), Z), 360)


def gear():
    """A spur gear, module 2, 20 teeth of straight flanks, 12 mm wide, bore 12 mm."""
    teeth, pitch, root, tip = 20, 20.0, 17.5, 22.0
    plane = WorkPlane(Axes((0, 0, 0), n=Z, h=X))
    points = []
    for k in range(teeth):
        middle = 2 * pi * k / teeth
        for radius, share in (
            (root, -0.36),
            (pitch, -0.25),
            (tip, -0.12),
            (tip, 0.12),
            (pitch, 0.25),
            (root, 0.36),
        ):
            angle = middle + share * 2 * pi / teeth
            points.append((radius * cos(angle), radius * sin(angle)))
    plane.MoveTo(*points[0])
    for point in points[1:]:
        plane.LineTo(*point)
    return plane.Close().Face().Extrude(12) - Cylinder((0, 0, -1), Z, r=6, h=14)


def casting():
    """A housing of 4 mm walls with bosses and a rib, its upright edges filleted."""
    outer, inner = Box((0, 0, 0), (120, 80, 50)), Box((4, 4, 4), (116, 76, 51))
    outer = outer.MakeFillet([e for e in outer.edges if abs(e.center.z - 25) < 1e-6], 8)
    inner = inner.MakeFillet(
        [e for e in inner.edges if abs(e.center.z - 27.5) < 1e-6 or e.center.z < 4.001], 3
    )
    body = outer - inner
    for x in (14, 106):
        for y in (14, 66):
            body = body + Cylinder((x, y, 0), Z, r=7, h=48)
            body = body - Cylinder((x, y, 20), Z, r=3, h=40)
    body = body + Box((58, 2, 2), (62, 78, 30))
    return body - Cylinder((-1, 40, 26), X, r=12, h=10)


def bimetal():
    """Two bodies that touch over a whole face."""
    return Compound([Box((0, 0, 0), (60, 20, 4)), Box((0, 0, 4), (60, 20, 9))])


def flanges():
    """Two flanges, six bolts with nuts that touch them, and a gap around each shank."""
    bodies = []
    for low in (0, 12):
        disc = Cylinder((0, 0, low), Z, r=50, h=12) - Cylinder((0, 0, low - 1), Z, r=20, h=14)
        for k in range(6):
            x, y = 36 * cos(k * pi / 3), 36 * sin(k * pi / 3)
            disc = disc - Cylinder((x, y, low - 1), Z, r=4.5, h=14)
        bodies.append(disc)
    for k in range(6):
        x, y = 36 * cos(k * pi / 3), 36 * sin(k * pi / 3)
        shank = Cylinder((x, y, 0), Z, r=4, h=30)
        bodies.append(shank + Cylinder((x, y, -5), Z, r=7, h=5))
        bodies.append(Cylinder((x, y, 24), Z, r=7, h=6) - Cylinder((x, y, 23), Z, r=4, h=8))
    return Compound(bodies)


def shaft():
    """A shaft with a key in a hub; the hub's groove leaves a gap above the key."""
    hub = Cylinder((0, 0, 0), Z, r=30, h=30) - Cylinder((0, 0, -1), Z, r=12, h=32)
    hub = hub - Box((-3, 8, -1), (3, 14.5, 31))
    rod = Cylinder((0, 0, -40), Z, r=12, h=120) - Box((-3, 9, 0), (3, 13, 30))
    return Compound([hub, rod, Box((-3, 9, 0), (3, 14, 30))])


def wall():
    """Forty bricks of 20 x 10 x 6 mm in a bond: each lies on two others."""
    bricks = []
    for row in range(5):
        shift = 10 * (row % 2)
        for k in range(8):
            at = 20 * k + shift
            bricks.append(Box((at, 0, 6 * row), (at + 20, 10, 6 * row + 6)))
    return Compound(bricks)


def bracket():
    """An angle with a fillet and two holes."""
    angle = Box((0, 0, 0), (70, 36, 9)) + Box((0, 0, 0), (9, 36, 70))
    corner = [e for e in angle.edges if abs(e.center.x - 9) < 1e-6 and abs(e.center.z - 9) < 1e-6]
    angle = angle.MakeFillet(corner, 6)
    return angle - Cylinder((50, 18, -1), Z, r=5, h=11) - Cylinder((-1, 18, 50), X, r=5, h=11)


def main(folder):
    for make in (sheet, spring, threaded_rod, gear, casting, bimetal, flanges, shaft, wall):
        make().WriteStep(os.path.join(folder, f"{make.__name__}.step"))
    bracket().WriteBrep(os.path.join(folder, "brep_bracket.brep"))


if __name__ == "__main__":
    main(sys.argv[1])
