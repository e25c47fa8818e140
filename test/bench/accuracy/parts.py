"""Five parts whose largest stress is asked for, in millimetres, made by OpenCASCADE through
Netgen's Python module: parts.py FOLDER writes NAME.step and NAME.json, the conditions of each.
Where a coordinate is 0 the shafts and the blocks are cut by planes of symmetry."""

import json
import os
import sys

from netgen.occ import Box, Cylinder, Sphere, X, Z

SYMMETRY = [{"where": {"plane": f"{axis}_min"}, "type": "fixed", "components": [axis]} for axis in "xyz"]
CLAMPED = [{"where": {"plane": "x_min"}, "type": "fixed"}]


def _pulled(plane, traction):
    return [{"where": {"plane": plane}, "type": "load", "value": traction}]


def _octant(shape):
    return shape * Box((0, 0, 0), (900, 900, 900))


def _filleted(shape, radius, at):
    return shape.MakeFillet([edge for edge in shape.edges if at(edge)], radius)


def plate():
    """A plate 70 x 45 x 6 with a hole of 14, pulled along."""
    shape = Box((0, 0, 0), (70, 45, 6)) - Cylinder((35, 22.5, -1), Z, r=7, h=8)
    return shape, CLAMPED + _pulled("x_max", [1e6, 0, 0])


def shaft():
    """A shaft of 20 and 32 mm with a fillet of 2.5 between them, pulled along."""
    shape = Cylinder((0, 0, -1), Z, r=16, h=26) + Cylinder((0, 0, 0), Z, r=10, h=50)
    shape = _filleted(
        shape,
        2.5,
        lambda e: abs(e.center.z - 25) < 1e-6 and abs((e.start.x**2 + e.start.y**2) ** 0.5 - 10) < 1e-6,
    )
    return _octant(shape), SYMMETRY + _pulled("z_max", [0, 0, 1e6])


def pit():
    """A block 50 x 40 x 30 with a pit of 4 mm on two sides, pulled along."""
    shape = Box((-1, -1, -1), (25, 20, 15)) - Sphere((0, 0, 15), 4)
    return _octant(shape), SYMMETRY + _pulled("x_max", [1e6, 0, 0])


def bar():
    """A cantilever with shoulders whose fillets have 2.4 mm, bent sideways."""
    shape = Box((0, -12, 0), (27, 12, 7)) + Box((0, -6, 0), (54, 6, 7))
    shape = _filleted(
        shape,
        2.4,
        lambda e: (
            abs(e.center.x - 27) < 1e-6 and abs(abs(e.center.y) - 6) < 1e-6 and abs(e.center.z - 3.5) < 1e-6
        ),
    )
    return shape, CLAMPED + _pulled("x_max", [0, 1e6, 0])


def drilled():
    """A shaft of 20 mm with a hole of 5 mm across it, pulled along."""
    shape = Cylinder((0, 0, -1), Z, r=10, h=46) - Cylinder((-20, 0, 0), X, r=2.5, h=40)
    return _octant(shape), SYMMETRY + _pulled("z_max", [0, 0, 1e6])


def main(folder):
    for make in (plate, shaft, pit, bar, drilled):
        shape, conditions = make()
        stem = os.path.join(folder, make.__name__)
        shape.WriteStep(stem + ".step")
        with open(stem + ".json", "w", encoding="utf-8") as out:
            json.dump(conditions, out)


if __name__ == "__main__":
    main(sys.argv[1])
