"""The nearest points of a patch of quadratic triangles."""

import numpy as np

from . import elements

_FINE = 4  # steps of the lattice on which the nearest point is first sought
_LATTICE = np.array([(i, j) for i in range(_FINE + 1) for j in range(_FINE + 1 - i)]) / _FINE
_ALONG = np.linspace(0, 1, _FINE + 1)
_STEPS = 8
_NEAR = 16  # triangles whose spheres are nearest
_CANDIDATES = 4  # of these, by their lattices
_CHUNK = 1_000_000  # distances at once


class Patch:
    """Curved triangles [triangle][6][3]."""

    def __init__(self, nodes):
        self.nodes = nodes
        self._lattice = elements.on_triangles(nodes, _LATTICE)
        # A quadratic triangle lies in the convex hull of its Bézier points.
        hull = np.concatenate(
            [nodes[:, :3], 2 * nodes[:, 3:] - elements.straight(nodes, elements.TRIANGLE_EDGES)[:, 3:]],
            axis=1,
        )
        self._centres = hull.mean(axis=1)
        self._radii = np.linalg.norm(hull - self._centres[:, None], axis=2).max(axis=1)

    def bounds(self, points):
        """For each point the distance of a near point of the patch, hardly ever more
        than the least, and where that is: triangle and place on it."""
        least = np.full(len(points), np.inf)
        triangle, place = np.zeros(len(points), int), np.zeros((len(points), 2))
        near = min(_NEAR, len(self.nodes))
        count = min(_CANDIDATES, near)
        chunk = max(1, _CHUNK // max(len(self.nodes), near * self._lattice.shape[1]))
        middle = self._centres.mean(axis=0)
        centres = self._centres - middle
        own = (centres**2).sum(axis=1)
        for at in range(0, len(points), chunk):
            part = slice(at, at + chunk)
            p = points[part]
            q = p - middle
            square = own - 2 * q @ centres.T + (q**2).sum(axis=1)[:, None]
            reach = np.sqrt(np.maximum(square, 0)) - self._radii
            spheres = np.argpartition(reach, near - 1, axis=1)[:, :near]
            lattice = ((self._lattice[spheres] - p[:, None, None]) ** 2).sum(axis=3)
            closest = np.argpartition(lattice.min(axis=2), count - 1, axis=1)[:, :count]
            for k in closest.T:
                rows = np.arange(len(p))
                chosen = spheres[rows, k]
                found, uv = _feet(p, self.nodes[chosen], _LATTICE[lattice[rows, k].argmin(axis=1)])
                better = found < least[part]
                least[part][better] = found[better]
                triangle[part][better], place[part][better] = chosen[better], uv[better]
        return least, triangle, place

    def distance(self, point, known):
        """The distance of a point, of which it is known not to be more than that."""
        possible = np.linalg.norm(self._centres - point, axis=1) - self._radii <= known
        if not possible.any():
            return known
        square = ((self._lattice[possible] - point) ** 2).sum(axis=2)
        points = np.broadcast_to(point, (len(square), 3))
        return min(
            known, float(_feet(points, self.nodes[possible], _LATTICE[square.argmin(axis=1)])[0].min())
        )


def _feet(points, nodes, uv):
    """Distance of each point from its triangle, and the place there: the least of
    the foot of the perpendicular (Gauss and Newton's way from uv) and of the nearest
    points of the three edges, ends included."""
    least, best = _interior(points, nodes, uv)
    for k, (i, j) in enumerate(elements.TRIANGLE_EDGES):
        found, t = _on_edge(points, nodes[:, i], nodes[:, 3 + k], nodes[:, j])
        corners = np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
        there = (1 - t)[:, None] * corners[i] + t[:, None] * corners[j]
        better = found < least
        least, best = np.where(better, found, least), np.where(better[:, None], there, best)
    return least, best


def _interior(points, nodes, uv):
    least, best = np.full(len(points), np.inf), uv
    for _ in range(_STEPS):
        there, tangents = elements.on_triangle(nodes, uv)
        gap = points - there
        distance = np.linalg.norm(gap, axis=1)
        better = distance < least
        least, best = np.where(better, distance, least), np.where(better[:, None], uv, best)
        normal = np.einsum("pac,pbc->pab", tangents, tangents)
        normal += 1e-14 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(2) + 1e-300 * np.eye(2)
        step = np.linalg.solve(normal, np.einsum("pac,pc->pa", tangents, gap)[..., None])[..., 0]
        uv = np.clip(uv + step, 0, 1)
        uv = uv / np.maximum(uv.sum(axis=1, keepdims=True), 1)
    return least, best


def _on_edge(points, a, middle, b):
    """Nearest points of the parabolas through a, middle, b: distance and parameter."""

    def at(t):
        t = t[:, None]
        return (1 - t) * (1 - 2 * t) * a + 4 * t * (1 - t) * middle + t * (2 * t - 1) * b

    tries = np.stack([np.linalg.norm(points - at(np.full(len(points), t)), axis=1) for t in _ALONG])
    t = _ALONG[tries.argmin(axis=0)]
    least, best = tries.min(axis=0), t
    for _ in range(_STEPS):
        s = t[:, None]
        tangent = (4 * s - 3) * a + 4 * (1 - 2 * s) * middle + (4 * s - 1) * b
        step = (tangent * (points - at(t))).sum(axis=1) / np.maximum((tangent**2).sum(axis=1), 1e-300)
        t = np.clip(t + step, 0, 1)
        distance = np.linalg.norm(points - at(t), axis=1)
        better = distance < least
        least, best = np.where(better, distance, least), np.where(better, t, best)
    return least, best
