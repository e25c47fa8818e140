"""How strongly each CAD face is curved, inwards and outwards."""

import numpy as np


def of_faces(model):
    """Curvatures of the faces in 1/mm, [face][2]: where the face is hollow seen from
    outside the body, as a hole or a fillet is, and where it bulges. Each is the median
    over the face's area, and 0 where it does not bend that way.

    Between two points of a surface with normals n the curvature is dp·dn / dp·dp, exactly
    so along a circle; OpenCASCADE's triangulation has such points along the strongest
    bend. Its normals point out of the body.
    """
    corners, normals, of_face = model.drawn()
    found = np.zeros((len(model.faces), 2))
    if len(corners) == 0:
        return found
    ahead = (1, 2, 0)
    dp, dn = corners[:, ahead] - corners, normals[:, ahead] - normals
    squared = np.einsum("tkc,tkc->tk", dp, dp)
    bends = np.einsum("tkc,tkc->tk", dp, dn) / np.where(squared > 0, squared, np.inf)
    area = np.linalg.norm(np.cross(dp[:, 0], dp[:, 1]), axis=1)
    for face in np.unique(of_face):
        chosen = of_face == face
        for side, strongest in enumerate((-bends[chosen].min(axis=1), bends[chosen].max(axis=1))):
            found[face, side] = max(0.0, _median(strongest, area[chosen]))
    return found


def _median(values, weights):
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return values[order][np.searchsorted(reached, reached[-1] / 2)]
