"""The tetrahedra of a field file and the values of a cell field, as arrays for another engine."""

import numpy as np

from . import fields
from .codes import INVALID_INPUT as INVALID
from .protocol import Error, progress
from .read import FIELD, read

# VTK's tetrahedra: linear, quadratic, Lagrange and Bézier of any degree. Their corners come first.
_TETRAHEDRA = {10, 24, 71, 78}


def run(request):
    """Writes corners [n][4][3], in the file's unit, and values [n] into request["output"],
    NumPy's .npz; returns the result line."""
    progress(0.1, "reading the field")
    mesh, name = read(request), request["cell_field"]
    blocks = [block for block in mesh.blocks if block.kind in _TETRAHEDRA]
    if not blocks:
        raise Error(INVALID, "The file has no tetrahedra.", "Give a solution on a volume mesh.", FIELD)
    if name not in mesh.cell_data:
        listed = ", ".join(sorted(array["name"] for array in fields.describe(mesh))) or "none"
        raise Error(
            INVALID,
            f"The file has no cell field {name}; its fields: {listed}.",
            "Give the solution of fea.solve or heat.solve on a mesh of this part.",
            FIELD,
        )
    ids = np.concatenate([block.ids for block in blocks])
    values = mesh.cell_data[name][ids]
    if values.shape[1] != 1 or not np.isfinite(values).all() or (values < 0).any():
        message = f"The cell field {name} is not one finite number of at least zero for each cell."
        raise Error(INVALID, message, "Give the solution of a solve that converged.", FIELD)
    corners = mesh.points[np.concatenate([block.conn[:, :4] for block in blocks])]
    np.savez(request["output"], corners=corners, values=values[:, 0].astype(np.float64))
    output = {"cells": len(ids), "length_unit": mesh.length_unit}
    return {"type": "result", "output": output, "artifacts": [], "metrics": {}, "warnings": []}
