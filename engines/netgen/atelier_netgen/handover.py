"""The shape for another mesher."""

import json

import numpy as np

# A pointed cone has no least radius: below this share of the largest size curvature
# refines no further, unless the caller says otherwise.
_SMALLEST = 0.02


def write(model, sizes, path):
    """Writes the joined shape in OpenCASCADE's BREP format, which keeps the order of
    its faces and bodies, and the sizes beside it; those of an earlier solution apart,
    as arrays."""
    local = [[index, size] for index, size in sizes.faces()]
    asked = {
        "largest": sizes.largest,
        "smallest": sizes.smallest or _SMALLEST * min([sizes.largest, *(size for _, size in local)]),
        "growth": sizes.growth,
        "per_circle": sizes.per_outer_circle(),
        "bodies": len(model.bodies),
        "faces": len(model.faces),
        "local_faces": local,
        "local_points": [
            [point, size] for point, size in zip(*(a.tolist() for a in sizes.points()), strict=True)
        ],
    }
    model.shape.WriteBrep(path)
    with open(path + ".json", "w", encoding="utf-8") as out:
        json.dump(asked, out)
    if sizes.refinement:
        corners, wanted = sizes.refinement.field()
        np.savez(path + ".npz", corners=corners, sizes=np.maximum(wanted, sizes.smallest))
