"""Element sizes from the error that a solver estimates in each element of an earlier mesh."""

import numpy as np

from . import codes
from .protocol import Error

# An element is not divided finer than this at once: the estimate is of the old mesh.
_LEAST = 1 / 8
_UNCHANGED = 0.95  # of its size, and an element is left as it is
_DEGREE = 2  # the error of quadratic elements, in the energy norm, goes with h²
# Boxes of one part differ by what curves lose between nodes, and OpenCASCADE's of a
# spline may be that of its poles: shares of the diagonal.
_OUTSIDE, _LEAST_SPAN = 0.05, 0.7
_UNITS = {"m": 1000.0, "mm": 1.0}


class Refinement:
    """Sizes, mm, at points of an earlier mesh of the same part."""

    def __init__(self, request, model):
        with np.load(request["path"]) as kept:
            corners, errors = kept["corners"], kept["values"]
        scale = request.get("scale")
        for unit in [scale] if scale else _UNITS.values():
            if _fits(corners * unit, model):
                corners = corners * unit
                break
        else:
            raise _other_part(corners * (scale or _UNITS["m"]), model)
        if not (errors > 0).any():
            raise Error(
                codes.INVALID_INPUT,
                "the solution has no estimated error anywhere, so it asks for no smaller element",
                "Give the solution of a case with loads, or sizes.",
                "/refine_from",
            )
        ratio = ratios(errors, request["factor"])
        self.count, self.factor = len(errors), request["factor"]  # the earlier mesh, and how it shall grow
        self.more = float((ratio**-3 - 1).sum())  # tetrahedra beyond those of the earlier mesh
        self._corners, self._ratio = corners, ratio
        self._sizes = ratio * _edges(corners).mean(axis=1)

    def warnings(self, made, smallest, largest):
        """What came of it, where that is not what was asked for."""
        if not (self._sizes < largest).any():
            why = f"the solution asks for no edge below {largest:.4g} mm, the largest size of this call"
        elif made >= self.count * (1 + (self.factor - 1) / 2):
            return []
        elif smallest and (self._sizes < smallest).any():
            why = f"min_size {smallest:.4g} mm is larger than many of the sizes that the solution asks for"
        else:
            why = "the other sizes of this call are larger than those of the earlier mesh"
        return [
            {
                "code": "refinement_not_reached",
                "message": f"{made:,} tetrahedra were made; the earlier mesh has {self.count:,}, and about "
                f"{self.factor:.3g} times as many were asked for: {why}.",
            }
        ]

    def points(self):
        """(points [n][3], sizes [n]) where elements become smaller, about as dense as the
        new ones will be."""
        parts = np.minimum(np.ceil(1 / self._ratio), 4).astype(int)
        parts[self._ratio >= _UNCHANGED] = 0
        places, sizes = [np.empty((0, 3))], [np.empty(0)]
        for count in np.unique(parts[parts > 0]):
            chosen = parts == count
            weights = _lattice(count)
            places.append(np.einsum("wc,ecx->ewx", weights, self._corners[chosen]).reshape(-1, 3))
            sizes.append(np.repeat(self._sizes[chosen], len(weights)))
        return np.concatenate(places), np.concatenate(sizes)

    def field(self):
        """(corners [element][4][3], sizes there [element][4]) in the whole part, without jumps."""
        _, node = np.unique(self._corners.reshape(-1, 3), axis=0, return_inverse=True)
        least = np.full(node.max() + 1, np.inf)
        np.minimum.at(least, node, np.repeat(self._sizes, 4))
        return self._corners, least[node].reshape(-1, 4)


def ratios(errors, factor):
    """New over old size of each element, for factor times as many elements.

    Of all ratios r in [_LEAST, 1] with sum r⁻³ = factor·n, those of the least sum of
    e²·r²ᵖ, which is the square of the error that is to be expected: by Lagrange's
    multiplier r ~ e^(-2/(2p+3)).
    """
    with np.errstate(divide="ignore"):
        shape = (errors / errors.max()) ** (-2 / (2 * _DEGREE + 3))
    low, high = np.log(_LEAST / shape[np.isfinite(shape)].max()), 0.0
    wanted = factor * len(errors)
    for _ in range(60):  # bisection: fewer elements the larger the constant
        middle = (low + high) / 2
        if (np.clip(np.exp(middle) * shape, _LEAST, 1) ** -3).sum() > wanted:
            low = middle
        else:
            high = middle
    return np.clip(np.exp(high) * shape, _LEAST, 1)


def _lattice(parts):
    """Barycentric coordinates [n][4] of the points that divide each edge in so many parts."""
    counts = np.stack(np.meshgrid(*[np.arange(parts + 1)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    counts = counts[counts.sum(axis=1) <= parts]
    return np.column_stack([counts, parts - counts.sum(axis=1)]) / parts


def _edges(corners):
    ends = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    return np.linalg.norm(corners[:, ends[:, 0]] - corners[:, ends[:, 1]], axis=2)


def _fits(corners, model):
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    inside = (low - model.box[0] > -_OUTSIDE * model.diagonal) & (
        model.box[1] - high > -_OUTSIDE * model.diagonal
    )
    return inside.all() and np.linalg.norm(high - low) >= _LEAST_SPAN * model.diagonal


def _other_part(corners, model):
    sizes = [np.ptp(corners.reshape(-1, 3), axis=0), np.ptp(model.box, axis=0)]
    place = [corners.min(axis=(0, 1)), model.box[0]]
    told = [
        f"{' x '.join(f'{x:.4g}' for x in size)} mm from ({', '.join(f'{x:.4g}' for x in at)})"
        for size, at in zip(sizes, place, strict=True)
    ]
    return Error(
        codes.INVALID_INPUT,
        f"the solution is of another part: it spans {told[0]}, the CAD model {told[1]}",
        "Give the solution on a mesh of this file and of these bodies.",
        "/refine_from",
    )
