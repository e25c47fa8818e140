"""Direct search for better places of nodes, one node after the other (Freitag and
Ollivier-Gooch, Int. J. Numer. Meth. Engng 40, 1997)."""

import itertools

import numpy as np

# To the 26 neighbours in a cube.
DIRECTIONS = np.array(
    [np.array(d) / np.linalg.norm(d) for d in itertools.product((-1, 0, 1), repeat=3) if any(d)]
)


def improve(nodes, fixed, worth, wanted, sweeps, most, move, judge):
    """Moves the nodes of elements that are worth less than wanted, in sweeps over at most
    so many nodes; changes worth in place.

    nodes is [element][node]; fixed says which nodes stay. move(node, star) moves one, whose
    elements are star, and says whether it did; judge(elements) is their worth.
    """
    for _ in range(sweeps):
        bad = np.flatnonzero(worth < wanted)
        bad = bad[np.argsort(worth[bad])]
        chosen = list(dict.fromkeys(v for v in nodes[bad].ravel().tolist() if not fixed[v]))[:most]
        changed = set()
        for node, star in _stars(nodes, chosen).items():
            if move(node, star):
                changed.update(star)
        if not changed:
            return
        changed = sorted(changed)
        worth[changed] = judge(changed)


def _stars(nodes, chosen):
    """The elements of each node."""
    element, place = np.nonzero(np.isin(nodes, chosen))
    stars = {v: [] for v in chosen}
    for e, v in zip(element.tolist(), nodes[element, place].tolist(), strict=True):
        stars[v].append(e)
    return stars
