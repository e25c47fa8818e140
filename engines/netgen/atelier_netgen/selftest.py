"""Golden cases: parts made by OpenCASCADE, meshed, and held against closed forms."""

import json
import math
import os
import time

import netgen.occ as occ

from . import finish, measure, mesher, model, sizing
from .protocol import Error

# name, shape, expected volume in mm³, relative tolerance
_CASES = (
    (
        "tube",
        lambda: occ.Cylinder((0, 0, 0), occ.Z, r=10, h=30) - occ.Cylinder((0, 0, 0), occ.Z, r=8, h=30),
        math.pi * (10**2 - 8**2) * 30,
        1e-4,
    ),
    ("sphere", lambda: occ.Sphere(occ.Pnt(1, 2, 3), 5), 4 / 3 * math.pi * 5**3, 1e-4),
    (
        "two cubes that touch",
        lambda: occ.Compound([occ.Box((0, 0, 0), (1, 1, 1)), occ.Box((1, 0, 0), (2, 1, 1))]),
        2,
        1e-12,
    ),
)
_SIZES = {"growth": 0.3, "elements_per_circle": 24}


def run():
    """Prints a line for each case; the exit status is 0 when all are right."""
    right = True
    for name, make, expected, tolerance in _CASES:
        start = time.monotonic()
        line = {"type": "selftest", "case": name, "expected": expected}
        try:
            make().WriteStep("selftest.step")
            part = model.Model("selftest.step")
            mesh = finish.finish(mesher.generate(part, sizing.Sizes(_SIZES, part), 60, "."), 2)
            pairs = measure.interfaces(measure.faces(mesh, part))
            line["actual"] = float(mesh.volumes().sum())
            line["ok"] = (
                abs(line["actual"] / expected - 1) <= tolerance
                and len(measure.groups([b.id for b in part.bodies], pairs)) == 1
            )
        except Error as fault:
            line.update(ok=False, message=f"{fault.code}: {fault.message}")
        finally:
            if os.path.exists("selftest.step"):
                os.remove("selftest.step")
        line["seconds"] = time.monotonic() - start
        right = right and line["ok"]
        print(json.dumps(line), flush=True)
    return 0 if right else 1
