"""Golden cases: shapes made by OpenCASCADE, meshed, and held against closed forms."""

import json
import math
import os
import time

import gmsh
import numpy as np

from . import mesher
from .protocol import Error

# name, maker of the shape, faces, volume, relative tolerance of a mesh with straight edges
_CASES = (
    ("box", lambda occ: occ.addBox(1, 2, 3, 4, 5, 6), 6, 120.0, 1e-12),
    ("pointed cone", lambda occ: occ.addCone(0, 0, 0, 0, 0, 20, 10, 0), 2, math.pi * 10**2 * 20 / 3, 0.02),
)
_FILE, _MADE = "selftest.brep", "selftest.npz"


def run():
    """Prints a line for each case; the exit status is 0 when all are right."""
    right = True
    for name, make, faces, expected, tolerance in _CASES:
        start = time.monotonic()
        line = {"type": "selftest", "case": name, "expected": expected}
        try:
            _write(make)
            sizes = {
                "largest": 4,
                "smallest": 0.2,
                "growth": 0.3,
                "per_circle": 24,
                "bodies": 1,
                "faces": faces,
                "local_faces": [],
                "local_points": [],
            }
            mesher.generate(_FILE, sizes, _MADE, 60)
            made = np.load(_MADE)
            x = made["points"][made["tetrahedra"][:, :4]]
            line["actual"] = float(np.abs(np.linalg.det(x[:, 1:] - x[:, :1])).sum() / 6)
            line["ok"] = (
                abs(line["actual"] / expected - 1) <= tolerance and len(np.unique(made["faces"])) == faces
            )
        except Error as fault:
            line.update(ok=False, message=f"{fault.code}: {fault.message}")
        finally:
            for name in (_FILE, _MADE):
                if os.path.exists(name):
                    os.remove(name)
        line["seconds"] = time.monotonic() - start
        right = right and line["ok"]
        print(json.dumps(line), flush=True)
    return 0 if right else 1


def _write(make):
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        make(gmsh.model.occ)
        gmsh.model.occ.synchronize()
        gmsh.write(_FILE)
    finally:
        gmsh.finalize()
