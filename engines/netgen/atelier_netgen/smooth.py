"""Moves inner vertices of the worst elements to where these are better."""

import numpy as np

from . import elements, search

_WANTED = 10.0  # degrees: elements with smaller dihedral angles, or larger than 180 less this, are mended
_SWEEPS = 3
_MOST = 500  # vertices in a sweep
_STEPS = (0.3, 0.1, 0.03)  # of the mean distance to the neighbours


def smooth(points, tetrahedra, triangles):
    """Changes points in place: each vertex that lies on no face and belongs to a bad
    element goes where the worst of its elements is best, and the middles of its edges,
    which are straight, with it (Freitag and Ollivier-Gooch, Int. J. Numer. Meth. Engng
    40, 1997). Elements of positive volume stay so."""
    fixed = np.zeros(len(points), bool)
    fixed[triangles] = True
    corners = tetrahedra[:, :4]
    worth = elements.least_angles(points[corners])
    search.improve(
        corners,
        fixed,
        worth,
        _WANTED,
        _SWEEPS,
        _MOST,
        lambda vertex, star: _move(points, tetrahedra, vertex, star),
        lambda changed: elements.least_angles(points[corners[changed]]),
    )


def _move(points, tetrahedra, vertex, star):
    nodes = tetrahedra[star]
    corners = points[nodes[:, :4]]
    here = nodes[:, :4] == vertex
    others = corners[~here].reshape(-1, 3)
    reach = np.linalg.norm(others - points[vertex], axis=1).mean()
    best, place = elements.least_angles(corners).min(), points[vertex].copy()
    begun = best
    for step in _STEPS:
        tried = np.concatenate([place + step * reach * search.DIRECTIONS, [others.mean(axis=0)]])
        moved = np.repeat(corners[None], len(tried), axis=0)
        moved[:, here] = tried[:, None]
        worth = elements.least_angles(moved.reshape(-1, 4, 3)).reshape(len(tried), -1).min(axis=1)
        if worth.max() > best:
            best, place = worth.max(), tried[worth.argmax()]
    if best <= begun + 1e-3:
        return False
    points[vertex] = place
    for k, (i, j) in enumerate(elements.EDGES):
        ends = (nodes[:, i] == vertex) | (nodes[:, j] == vertex)
        points[nodes[ends, 4 + k]] = (points[nodes[ends, i]] + points[nodes[ends, j]]) / 2
    return True
