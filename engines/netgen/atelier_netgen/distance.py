"""The distance between the mesh's surface and the CAD faces, both ways.

Every candidate is first given a bound of its distance, which is cheap; then those
with the largest bounds are measured exactly, until none is left that could be worse.
"""

import netgen.occ as occ
import numpy as np

from . import elements
from .nearest import Patch

# A curved element whose nodes lie on the CAD face is furthest from it between the
# nodes, near the quarters of its edges (the error of a parabola is of third degree).
_FIRST = np.array([(1 / 3, 1 / 3), (0.25, 0), (0.75, 0), (0, 0.25), (0, 0.75), (0.25, 0.75), (0.75, 0.25)])
_CLOSE = np.array([(i, j) for i in range(9) for j in range(9 - i)]) / 8
_MOST_FIRST = 200_000  # points of the mesh that are looked at first
_WORST = 800  # triangles that are then looked at closely
_MOST_CAD_POINTS = 30_000
_ON_EDGE = 16  # points of each CAD edge
_MOST_EXACT = 300  # measured by OpenCASCADE
_ON_FACE = 1e-6  # of the largest coordinate: a point this near to a CAD face lies on it


def distances(mesh, model):
    """Largest distance from the mesh to the CAD faces and back, in mm."""
    patches = {}
    for index in range(1, len(model.faces) + 1):
        chosen = np.flatnonzero(mesh.faces == index)
        if len(chosen):
            patches[index] = (Patch(mesh.points[mesh.triangles[chosen]]), mesh.uv[chosen])
    trimmed = _Trimmed(model)
    to_cad, feet, seen = _to_cad(model, patches, trimmed)
    to_mesh, shown = _to_mesh(model, patches, feet, trimmed)
    return {"mesh_to_cad": to_cad, "cad_to_mesh": to_mesh, "samples": seen + shown}


def _to_cad(model, patches, trimmed):
    """The mesh's distance, the CAD points nearest to its worst points as (face, point),
    and how many points were looked at."""
    count = sum(len(patch.nodes) for patch, _ in patches.values())
    every = max(1, count * len(_FIRST) // _MOST_FIRST)
    rough, rows = [], []
    for index, (patch, uv) in patches.items():
        surface = model.faces[index - 1].surf
        chosen = np.arange(0, len(patch.nodes), every)
        gaps, _ = _over_surface(surface, patch.nodes[chosen], uv[chosen], _FIRST, 1)
        rough.append(gaps.reshape(len(chosen), -1).max(axis=1))
        rows.extend((index, k) for k in chosen)
    order = np.argsort(-np.concatenate(rough))[:_WORST]
    fine = []
    for index, k in (rows[i] for i in order):
        patch, uv = patches[index]
        there = elements.on_triangles(patch.nodes[k : k + 1], _CLOSE)[0]
        gaps, feet = _over_surface(
            model.faces[index - 1].surf, patch.nodes[k : k + 1], uv[k : k + 1], _CLOSE, 3
        )
        worst = int(gaps.argmax())
        fine.append((float(gaps[worst]), index, there[worst], feet[worst]))
    fine.sort(key=lambda row: -row[0])
    largest = 0.0
    for tried, (bound, index, point, foot) in enumerate(fine):
        if bound <= largest:
            break
        if tried == _MOST_EXACT:
            largest = bound  # as it may be
            break
        exact = trimmed.distance(index, point)
        if exact > bound and trimmed.holds(index, foot, exact):
            exact = bound
        largest = max(largest, exact)
    return (
        largest,
        [(index, foot) for _, index, _, foot in fine[:_MOST_EXACT]],
        len(rows) * len(_FIRST) + len(order) * len(_CLOSE),
    )


class _Trimmed:
    """The CAD faces within their outlines.

    OpenCASCADE's distance of a point (BRepExtrema_DistShapeShape) is that of an edge
    where it finds no foot on the surface, as it does in the middle of some faces of IGES
    files. Its triangulation of the face tells what lies amid it.
    """

    def __init__(self, model):
        self._faces, self._drawn, self._patches = model.faces, model.drawn, {}

    def distance(self, index, point):
        return self._faces[index - 1].Distance(occ.Vertex(occ.Pnt(*map(float, point))))

    def holds(self, index, point, edge):
        """Whether a point of the surface lies amid the face: far nearer to its
        triangulation than to its edge."""
        if index not in self._patches:
            corners, _, of_face = self._drawn()
            mine = corners[of_face == index - 1]
            self._patches[index] = Patch(_flat(mine)) if len(mine) else None
        patch = self._patches[index]
        return patch is not None and patch.distance(np.asarray(point), edge) < 0.1 * edge


def _flat(corners):
    """Quadratic triangles with straight edges."""
    middles = [corners[:, list(pair)].mean(axis=1) for pair in elements.TRIANGLE_EDGES]
    return np.concatenate([corners, np.stack(middles, axis=1)], axis=1)


def _over_surface(surface, nodes, uv, places, steps):
    """For places on triangles whose nodes have the parameters uv: distance from the
    CAD surface, a bound that steps of Newton bring down, and the CAD points."""
    points = elements.on_triangles(nodes, places).reshape(-1, 3)
    parameters = elements.on_triangles(uv, places).reshape(-1, 2)
    gaps, feet = np.empty(len(points)), np.empty((len(points), 3))
    for k, (point, start) in enumerate(zip(points.tolist(), parameters.tolist(), strict=True)):
        gaps[k], feet[k] = _foot(surface, point, start, steps)
    return gaps, feet


def _foot(surface, point, uv, steps):
    """The distance of a point from a surface and the foot, by Gauss and Newton's way."""
    x, y, z = point
    u, v = uv
    least, best = np.inf, point
    for step in range(steps + 1):
        p, a, b = surface.D1(u, v)
        gx, gy, gz = x - p.x, y - p.y, z - p.z
        gap = (gx * gx + gy * gy + gz * gz) ** 0.5
        if gap < least:
            least, best = gap, (p.x, p.y, p.z)
        aa = a.x * a.x + a.y * a.y + a.z * a.z
        bb = b.x * b.x + b.y * b.y + b.z * b.z
        ab = a.x * b.x + a.y * b.y + a.z * b.z
        determinant = aa * bb - ab * ab
        if step == steps or determinant <= 1e-12 * aa * bb:  # a pole
            break
        ga, gb = gx * a.x + gy * a.y + gz * a.z, gx * b.x + gy * b.y + gz * b.z
        u += (ga * bb - gb * ab) / determinant
        v += (gb * aa - ga * ab) / determinant
    return least, best


def _to_mesh(model, patches, feet, trimmed):
    """The largest distance of points of the CAD faces: of their outlines, of
    OpenCASCADE's own triangulation and of where the mesh is furthest; and their number."""
    shown, _, of_face = model.drawn()
    most = max(30, _MOST_CAD_POINTS // len(patches))
    worst = {}
    for index, foot in feet:
        worst.setdefault(index, []).append(foot)
    rows, samples = [], 0
    for index, (patch, uv) in patches.items():
        face = model.faces[index - 1]
        points = [
            *_outline(face, most, _ON_FACE * model.diagonal),
            *_drawn(face.surf, patch, uv, shown[of_face == index - 1], most),
            *worst.get(index, ()),
        ]
        if points:
            points = np.array(points)
            bounds, _, _ = patch.bounds(points)
            samples += len(points)
            rows.extend((float(bound), index, point) for bound, point in zip(bounds, points, strict=True))
    rows.sort(key=lambda row: -row[0])
    near_enough = _ON_FACE * float(np.abs(model.box).max())
    largest, exact = 0.0, 0
    for bound, index, point in rows:
        if bound <= largest:
            break
        gap = patches[index][0].distance(point, bound)
        if gap <= largest:
            continue
        exact += 1
        edge = 0.0 if exact > _MOST_EXACT else trimmed.distance(index, point)
        # A point beside the trimmed face is none of its points.
        if edge <= near_enough or trimmed.holds(index, point, edge):
            largest = gap
    return largest, samples


def _outline(face, most, shortest):
    edges = face.edges
    each = max(2, min(_ON_EDGE, most // max(1, len(edges))))
    for edge in edges:
        if edge.mass <= shortest:  # a pole has no curve, and the binding crashes on it
            continue
        begin, end = edge.parameter_interval
        for t in np.linspace(begin, end, each, endpoint=False):
            p = edge.Value(float(t))
            yield p.x, p.y, p.z


def _drawn(surface, patch, uv, triangles, most):
    """Points of the face at the vertices and centres of its triangulation, which has
    single precision: each is moved to the surface."""
    corners = np.unique(triangles.reshape(-1, 3), axis=0)
    corners, centres = (rows[:: max(1, 2 * len(rows) // most)] for rows in (corners, triangles.mean(axis=1)))
    near = np.concatenate([corners, centres])
    if len(near) == 0:
        return
    _, triangle, place = patch.bounds(near)
    for row, (point, k, at) in enumerate(zip(near.tolist(), triangle, place, strict=True)):
        start = elements.on_triangles(uv[k : k + 1], at[None])[0, 0]
        gap, foot = _foot(surface, point, start.tolist(), 4)
        # Where no triangle is near, Newton's way may lead elsewhere: a vertex is on the face as it is.
        yield point if row < len(corners) and gap > _ON_FACE * np.abs(near).max() else foot


def off_plane(mesh, model):
    """How far nodes of plane faces lie off their plane, at most, beyond what the vertices of
    the CAD model do, which need not lie on its faces."""
    largest = 0.0
    for index, face in enumerate(model.faces, start=1):
        chosen = mesh.triangles[mesh.faces == index]
        if len(chosen):
            corners = np.array([list(vertex.p) for vertex in face.vertices]).reshape(-1, 3)
            largest = max(largest, _off_plane(mesh.points[chosen], corners))
    return largest


def _off_plane(nodes, corners):
    """0 where the face is not plane."""
    points = nodes.reshape(-1, 3)
    middle = points.mean(axis=0)
    points, corners = points - middle, corners - middle
    normal = np.linalg.svd(points.T @ points)[0][:, 2]
    off = float(np.abs(points @ normal).max())
    if off >= 1e-4 * np.linalg.norm(np.ptp(points, axis=0)):
        return 0.0
    return max(0.0, off - float(np.abs(corners @ normal).max(initial=0)))
