"""What a mesh keeps of the CAD shape: its faces with their areas, and what touches."""

import numpy as np

from . import elements


def faces(mesh, model):
    """One row for each face of the joined shape."""
    area = elements.areas(mesh.points[mesh.triangles])
    count = np.bincount(mesh.faces, minlength=len(mesh.face_bodies))
    total = np.bincount(mesh.faces, weights=area, minlength=len(mesh.face_bodies))
    rows = []
    for index, face in enumerate(model.faces, start=1):
        number = model.number_of(face)
        sides = sorted(model.bodies[b - 1].id for b in mesh.face_bodies[index] if b > 0)
        rows.append(
            {
                "face": number,
                "name": model.name_of(number),
                "bodies": sides,
                "triangles": int(count[index]),
                "area": float(total[index]),
                "exact_area": float(face.mass),
            }
        )
    return rows


def interfaces(rows):
    """Pairs of bodies with common faces, and their area."""
    pairs = {}
    for row in rows:
        if len(row["bodies"]) == 2:
            pair = pairs.setdefault(tuple(row["bodies"]), {"bodies": row["bodies"], "faces": 0, "area": 0.0})
            pair["faces"] += 1
            pair["area"] += row["exact_area"]
    return [pairs[key] for key in sorted(pairs)]


def groups(bodies, pairs):
    """Bodies that hang together, as lists of their numbers."""
    of = {b: {b} for b in bodies}
    for pair in pairs:
        a, b = pair["bodies"]
        joined = of[a] | of[b]
        for member in joined:
            of[member] = joined
    return sorted({tuple(sorted(members)) for members in of.values()})
