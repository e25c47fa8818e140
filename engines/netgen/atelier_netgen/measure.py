"""What a mesh keeps of the CAD shape: volume, areas, distances both ways, planes."""

import netgen.occ as occ
import numpy as np

from . import elements

# Samples are spread evenly over the triangles of each face.
_MOST_SAMPLES = 6000
_INSIDE = np.array([[1 / 3, 1 / 3], [0.2, 0.2], [0.6, 0.2], [0.2, 0.6]])
_MOST_CAD_POINTS = 200  # of one face
_FINE = 4  # steps of the lattice on which the nearest point of a triangle is first sought
_STEPS = 8
_CANDIDATES = 4
_CHUNK = 1_000_000  # distances at once


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


def distances(mesh, model):
    """Largest distance from the mesh to the CAD faces and back, sampled, in mm; and
    how far nodes of plane faces lie off their plane."""
    every = max(1, len(mesh.triangles) * len(_INSIDE) // _MOST_SAMPLES)
    to_cad = to_mesh = off_plane = 0.0
    samples = 0
    where = None
    # The vertices of OpenCASCADE's own triangulation, which lie on the faces.
    drawn = model.geometry._visualizationData()
    shown, of_face = np.asarray(drawn["vertices"], float).reshape(-1, 3, 3), np.asarray(drawn["indices"])
    for index, face in enumerate(model.faces, start=1):
        chosen = np.flatnonzero(mesh.faces == index)
        if len(chosen) == 0:
            continue
        nodes = mesh.points[mesh.triangles[chosen]]
        for point in elements.on_triangles(nodes[::every], _INSIDE).reshape(-1, 3):
            gap = face.Distance(occ.Vertex(occ.Pnt(*point)))
            samples += 1
            if gap > to_cad:
                to_cad, where = gap, point
        cad = _thinned(shown[of_face == index - 1])
        samples += len(cad)
        to_mesh = max(to_mesh, _from_points(cad, nodes))
        off_plane = max(off_plane, _off_plane(nodes))
    return {
        "mesh_to_cad": to_cad,
        "cad_to_mesh": to_mesh,
        "off_plane": off_plane,
        "samples": samples,
        "farthest_at": where,
    }


def _thinned(triangles):
    points = np.unique(triangles.reshape(-1, 3), axis=0)
    return points[:: max(1, len(points) // _MOST_CAD_POINTS)]


def _from_points(points, nodes):
    """Largest distance of points from the curved triangles of their face: of the
    nearest triangles by a lattice on each, Gauss and Newton's way to the foot of the
    perpendicular."""
    lattice = np.array([(i, j) for i in range(_FINE + 1) for j in range(_FINE + 1 - i)]) / _FINE
    near = elements.on_triangles(nodes, lattice)
    worst = 0.0
    chunk = max(1, _CHUNK // near[..., 0].size)
    for at in range(0, len(points), chunk):
        part = points[at : at + chunk]
        square = ((part[:, None, None] - near) ** 2).sum(axis=3)
        closest = np.argsort(square.min(axis=2), axis=1)[:, :_CANDIDATES]
        least = np.full(len(part), np.inf)
        for chosen in closest.T:
            start = square[np.arange(len(part)), chosen].argmin(axis=1)
            least = np.minimum(least, _feet(part, nodes[chosen], lattice[start]))
        worst = max(worst, float(least.max()))
    return worst


def _feet(points, nodes, uv):
    """Distance of each point from its triangle."""
    least = np.full(len(points), np.inf)
    for _ in range(_STEPS):
        there, tangents = elements.on_triangle(nodes, uv)
        gap = points - there
        least = np.minimum(least, np.linalg.norm(gap, axis=1))
        normal = np.einsum("pac,pbc->pab", tangents, tangents)
        normal += 1e-14 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(2)
        uv = np.clip(
            uv + np.linalg.solve(normal, np.einsum("pac,pc->pa", tangents, gap)[..., None])[..., 0], 0, 1
        )
        uv = uv / np.maximum(uv.sum(axis=1, keepdims=True), 1)
    return least


def _off_plane(nodes):
    """How far the nodes of a plane face lie off its plane; 0 where it is not plane."""
    points = nodes.reshape(-1, 3)
    points = points - points.mean(axis=0)
    normal = np.linalg.svd(points.T @ points)[0][:, 2]
    off = float(np.abs(points @ normal).max())
    return off if off < 1e-4 * np.linalg.norm(np.ptp(points, axis=0)) else 0.0


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
