"""Makes the curved elements valid: moves inner nodes out of the way of curved faces, and
straightens by degrees, and counts, only what stays invalid."""

import numpy as np

from . import elements, search

# The smallest Bernstein coefficient of an element's Jacobian must stay above this
# share of the largest: the map is then one to one, and not nearly flat anywhere.
LEAST_JACOBIAN = 0.02
_WANTED = 0.1  # where nodes are moved, they are moved until this share
_SWEEPS = 10
_MOST = 400  # nodes in a sweep
_LEAST_ANGLE = 7.0  # degrees: no vertex goes where a dihedral angle falls below it
_STEPS = (0.2, 0.07, 0.02)  # of the mean length of the edges around a node
_HALVINGS = 5  # of how far an edge bulges, before it is straight
_ROUNDS = 100


def untangle(points, tetrahedra, triangles):
    """Changes points in place; returns how many elements bulge less than their CAD faces.

    The nodes of faces stay where they are as long as moving others helps: each inner node
    of a bad element goes where the worst Jacobian around it is best (direct search, as in
    Freitag and Ollivier-Gooch, Int. J. Numer. Meth. Engng 40, 1997). The bulges of
    elements that are still bad are halved; neighbours share them, so they are looked at again.
    """
    before = points.copy()
    flatter = _by_degrees(points, tetrahedra, triangles)
    if elements.jacobians(points[tetrahedra])[0].min() <= 0:
        points[:] = before
        flatter = _at_once(points, tetrahedra)
    return flatter


def _by_degrees(points, tetrahedra, triangles):
    fixed = np.zeros(len(points), bool)
    fixed[triangles] = True
    worth = _worth(points[tetrahedra])
    search.improve(
        tetrahedra,
        fixed,
        worth,
        LEAST_JACOBIAN,
        _SWEEPS,
        _MOST,
        lambda node, star: _move(points, tetrahedra, node, star),
        lambda changed: _worth(points[tetrahedra[changed]]),
    )
    halved = np.zeros(len(points), np.int8)
    mended = np.zeros(len(tetrahedra), bool)
    for _ in range(_ROUNDS):
        bad = np.flatnonzero((worth < LEAST_JACOBIAN) & bent(points, tetrahedra))
        if len(bad) == 0:
            break
        _flatten(points, tetrahedra[bad], halved)
        mended[bad] = True
        around = np.flatnonzero(np.isin(tetrahedra, tetrahedra[bad, 4:]).any(axis=1))
        worth[around] = _worth(points[tetrahedra[around]])
    return int(mended.sum())


def _at_once(points, tetrahedra):
    """Straightens the elements that are bad, until none is left."""
    mended = np.zeros(len(tetrahedra), bool)
    for _ in range(_ROUNDS):
        bad = (_worth(points[tetrahedra]) < LEAST_JACOBIAN) & bent(points, tetrahedra)
        if not bad.any():
            break
        elements.straighten(points, tetrahedra[bad])
        mended |= bad
    return int(mended.sum())


def bent(points, tetrahedra):
    """Which elements have an edge that is not straight."""
    x = points[tetrahedra]
    offset = np.linalg.norm(x - elements.straight(x), axis=2).max(axis=1)
    return offset > 1e-9 * np.linalg.norm(np.ptp(x[:, :4], axis=1), axis=1)


def _worth(x):
    """The share of the largest Jacobian that the smallest has; where it is negative, its
    share of the cube of the element's size, which says how far an element is folded."""
    low, high, _ = elements.jacobians(x)
    size = np.linalg.norm(np.ptp(x[:, :4], axis=1), axis=1)
    return low / np.where(low > 0, high, size**3)


def _either(x):
    """The worth of elements and of the same with straight edges: a vertex must not go
    where only the bulges of its faces keep its elements valid, since these may be halved."""
    return np.minimum(_worth(x), _worth(elements.straight(x)))


def _move(points, tetrahedra, node, star):
    """A vertex takes the middles of its edges half the way with it. It does not go where an
    element becomes flat: to let a face bulge less is the lesser evil."""
    nodes = tetrahedra[star]
    x = points[nodes]
    share = (nodes == node).astype(float)
    for k, (i, j) in enumerate(elements.EDGES):
        share[:, 4 + k] += 0.5 * ((nodes[:, i] == node) | (nodes[:, j] == node))
    begun = best = min(_either(x).min(), _WANTED)
    reach = np.linalg.norm(x[:, 0] - x[:, 1], axis=1).mean()
    moved = np.zeros(3)
    angle = min(elements.least_angles(x).min(), _LEAST_ANGLE)
    for step in _STEPS:
        tried = moved + step * reach * search.DIRECTIONS
        there = (x + share[None, :, :, None] * tried[:, None, None]).reshape(-1, *x.shape[1:])
        worth = np.where(elements.least_angles(there) < angle, -np.inf, _either(there))
        worth = worth.reshape(len(tried), -1).min(axis=1)
        if worth.max() > best:
            best, moved = worth.max(), tried[worth.argmax()]
    if best <= begun + 1e-4:
        return False
    targets, first = np.unique(nodes[share > 0], return_index=True)
    points[targets] += share[share > 0][first][:, None] * moved
    return True


def _flatten(points, bad, halved):
    """Halves one bulge of each element, the one that is most in its way."""
    x = points[bad]
    flatter = np.repeat(x[:, None], len(elements.EDGES), axis=1)
    chords = elements.straight(x)[:, 4:]
    for k in range(len(elements.EDGES)):
        last = halved[bad[:, 4 + k]] >= _HALVINGS
        flatter[:, k, 4 + k] = np.where(last[:, None], chords[:, k], (x[:, 4 + k] + chords[:, k]) / 2)
    gain = _worth(flatter.reshape(-1, *x.shape[1:])).reshape(len(bad), -1)
    # A straight edge cannot be flattened further.
    gain[np.linalg.norm(x[:, 4:] - chords, axis=2) <= 1e-12 * np.abs(x).max()] = -np.inf
    chosen = gain.argmax(axis=1)
    rows = np.arange(len(bad))
    mids, first = np.unique(bad[rows, 4 + chosen], return_index=True)
    points[mids] = flatter[rows, chosen, 4 + chosen][first]
    halved[mids] += 1
