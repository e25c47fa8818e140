"""What a mesh is worth, by Gmsh's geometry kernel: judge.py CAD MESH, where MESH is
one of Atelier (.mesh) or of alone_*.py (.npz). Prints one line of JSON:

tetrahedra; angles, the smallest and largest dihedral angle, degrees; lost, CAD faces
without a triangle, on the boundary or between two bodies; faces, their number; distance,
the largest from the points looked at on each triangle to its CAD face, over the diagonal;
diagonal; volume, of straight elements.
"""

import json
import sys

import gmsh
import numpy as np

_EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
_MOST = 1000  # triangles of a face that are looked at
_PLACES = np.array(
    [
        (1 / 3, 1 / 3, 1 / 3),
        *((0.5, 0.5, 0), (0, 0.5, 0.5), (0.5, 0, 0.5)),
        *((0.6, 0.2, 0.2), (0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.75, 0.25, 0), (0, 0.25, 0.75)),
    ]
)


def main(cad, path):
    if path.endswith(".mesh"):
        points, tetrahedra, triangles, faces, between = _own(path)
    else:
        points, tetrahedra, triangles, faces = _alone(path)
        between = np.empty((0, 3))
    gmsh.initialize(readConfigFiles=False, interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.occ.importShapes(cad)
    gmsh.model.occ.synchronize()
    tags = [tag for _, tag in gmsh.model.getEntities(2)]
    low, high = np.nanmin(points, axis=0), np.nanmax(points, axis=0)
    a, b, c, d = (points[tetrahedra[:, k]] for k in range(4))
    smallest, largest = _angles(points[tetrahedra[:, :4]])
    at = _on(points[triangles])
    present = np.unique(faces)
    size = float(np.linalg.norm(high - low))
    lost = [tag for k, tag in enumerate(tags) if k + 1 not in present and not _joined(tag, between, size)]
    distance = max((_distance(tags, int(face), at[faces == face]) for face in present), default=0.0)
    answer = {
        "tetrahedra": len(tetrahedra),
        "angles": [float(smallest), float(largest)],
        "faces": len(tags),
        "lost": len(lost),
        "distance": distance / size,
        "diagonal": size,
        "volume": float(np.abs(np.einsum("ij,ij->i", b - a, np.cross(c - a, d - a))).sum() / 6),
    }
    print(json.dumps(answer))


def _joined(tag, between, size):
    """Whether a CAD face lies between two bodies that share nodes: a middle of such a
    triangle is on it."""
    if not len(between):
        return False
    closest, _ = gmsh.model.getClosestPoint(2, tag, between.reshape(-1))
    near = np.linalg.norm(np.asarray(closest).reshape(-1, 3) - between, axis=1) < 1e-3 * size
    return any(
        gmsh.model.isInside(2, tag, list(np.asarray(closest).reshape(-1, 3)[k])) for k in np.flatnonzero(near)
    )


def _distance(tags, face, points):
    """The faces of a CAD file have the same order in each program; where they have not,
    the distance is from the nearest of all."""
    near = _from(tags[face - 1], points)
    if near < 0.2 * np.ptp(points, axis=(0, 1)).max():
        return near
    return min(_from(tag, points) for tag in tags)


def _from(tag, points):
    points = points[:: 1 + len(points) // _MOST]  # free-form faces take milliseconds for each
    flat = points.reshape(-1)
    closest, _ = gmsh.model.getClosestPoint(2, tag, flat)
    return float(np.linalg.norm((np.asarray(closest) - flat).reshape(-1, 3), axis=1).max())


def _on(nodes):
    """Points of straight or quadratic triangles, [triangle][place][3]."""
    if nodes.shape[1] == 3:
        return np.einsum("pn,tnc->tpc", _PLACES, nodes)
    a, b, c = _PLACES.T
    shape = np.stack(
        [a * (2 * a - 1), b * (2 * b - 1), c * (2 * c - 1), 4 * b * c, 4 * a * c, 4 * a * b], axis=1
    )
    return np.einsum("pn,tnc->tpc", shape, nodes)


def _angles(x):
    normal = np.stack(
        [
            np.cross(x[:, j] - x[:, i], x[:, k] - x[:, i])
            for i, j, k in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
        ],
        axis=1,
    )
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    cosines = np.stack([-(normal[:, i] * normal[:, j]).sum(axis=1) for i, j in _EDGES])
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    return angles.min(), angles.max()


def _alone(path):
    with np.load(path) as kept:
        return tuple(kept[name] for name in ("points", "tetrahedra", "triangles", "faces"))


def _own(path):
    """Reads MFEM's format: vertices and, of order 2, the middles of the edges in the
    order in which the elements name them for the first time."""
    with open(path, encoding="utf-8") as text:
        lines = text.read().splitlines()
    elements, boundary = (_block(lines, title) for title in ("elements", "boundary"))
    tetrahedra, triangles, faces = elements[:, 2:], boundary[:, 2:], boundary[:, 0]
    if "nodes" not in lines:
        points = _floats(lines, lines.index("vertices") + 3)
        return points, tetrahedra, triangles, faces, _between(points, tetrahedra, elements[:, 0])
    points = _floats(lines, lines.index("Ordering: 1") + 2)
    corners = int(lines[lines.index("vertices") + 1])
    pairs = np.sort(tetrahedra[:, _EDGES], axis=2).reshape(-1, 2)
    keys, first = np.unique(pairs[:, 0] * corners + pairs[:, 1], return_index=True)
    number = np.empty(len(keys), int)
    number[np.argsort(first)] = np.arange(len(keys))
    sides = np.sort(triangles[:, ((1, 2), (0, 2), (0, 1))], axis=2)
    middles = corners + number[np.searchsorted(keys, sides[:, :, 0] * corners + sides[:, :, 1])]
    triangles = np.concatenate([triangles, middles], axis=1)
    return points, tetrahedra, triangles, faces, _between(points, tetrahedra, elements[:, 0])


def _between(points, tetrahedra, bodies):
    """Middles of the triangles between elements of different bodies."""
    sides = np.sort(tetrahedra[:, ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))].reshape(-1, 3), axis=1)
    owner = np.repeat(bodies, 4)
    order = np.lexsort((owner, *sides.T[::-1]))
    sides, owner = sides[order], owner[order]
    two = (sides[1:] == sides[:-1]).all(axis=1) & (owner[1:] != owner[:-1])
    return points[sides[1:][two]].mean(axis=1)


def _block(lines, title):
    at = lines.index(title)
    return np.array([line.split() for line in lines[at + 2 : at + 2 + int(lines[at + 1])]], int)


def _floats(lines, at):
    return np.array([line.split() for line in lines[at:] if line], float)


main(sys.argv[1], sys.argv[2])
