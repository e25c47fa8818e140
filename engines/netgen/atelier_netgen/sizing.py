"""How large elements are: globally, on curves, in thin walls, on faces and around points."""

import numpy as np

from . import codes, curvature
from .protocol import Error
from .refine import Refinement

# An engineer's mesh of curved elements of order 2.
PER_DIAGONAL = 20
PER_CIRCLE = 48
_LEAST_PER_CIRCLE = 16
# Outer rounds have half the elements of holes and fillets, where stress concentrates.
_OUTER, _LEAST_OUTER = 0.5, 12
# A wall is one layer of elements thick, and a strip one element wide; flat elements spoil
# stress. With 3 thicknesses a clamped plate sinks within 1.6 % of the theory of plates;
# elements of 5 still have dihedral angles of 8 degrees.
_THICKNESSES, _MOST_THICKNESSES, _WIDTHS = 3, 5, 3
# By default a mesh stays near this, on curved faces with fewer elements if need be.
_MODERATE = 40_000
# Tetrahedra of size h in a volume of h³, and on an area of h² of a wall of one layer:
# 3.5 to 6.7 were counted in cubes of 3 to 25 sizes.
_LEAST_PER_CUBE = 3.5
_PER_CUBE = 6.0
_PER_SQUARE = 3.5
_SURE = 3  # the forecast was within this factor for all parts that were tried


class Sizes:
    """Element sizes in millimetres, from the request and the shape.

    A face's size is the least of the largest size, of what its curvature and the
    thickness of its bodies ask for, and of what the caller asks for there. The
    curvature of faces that bulge is left to the mesher, which sees it change along a face.
    """

    def __init__(self, request, model):
        self.largest = request.get("max_size") or model.diagonal / PER_DIAGONAL
        self.smallest = request.get("min_size") or 0.0
        self.growth = request["growth"]
        self.per_circle = request.get("elements_per_circle") or PER_CIRCLE
        self.lowered = False  # per_circle, so that the mesh stays moderate
        self._local = request.get("local_sizes") or []
        self.refinement = None  # of the earlier solution, whose elements these sizes have made
        if self.smallest > self.largest:
            raise Error(
                codes.INVALID_INPUT,
                f"min_size {self.smallest:.4g} mm is above max_size {self.largest:.4g} mm",
                "Give a smaller min_size or leave it out.",
                "/min_size",
            )
        self._volume = sum(body.volume for body in model.bodies)
        # Of every face: what the mesher integrates over edges is asked for once.
        self._thickness, self._widths = model.thickness(), model.widths()
        self._bends = curvature.of_faces(model)
        self._areas = np.array([face.mass for face in model.faces])
        self._walls = np.full(len(model.faces), np.inf)
        if not request.get("max_size"):
            self._walls = self._wall_sizes(_THICKNESSES)
        self._box = model.box
        self._places = {  # of each local size of a face, the faces
            at: model.faces_called(local["face"], f"/local_sizes/{at}/face")
            for at, local in enumerate(self._local)
            if "face" in local
        }
        self._asked = self._sizes_asked()
        if self.forecast() > _MODERATE and np.isfinite(self._walls).any():
            self._walls = self._wall_sizes(_MOST_THICKNESSES)
        if not request.get("elements_per_circle"):
            self._lower()
        self.refinement = Refinement(request["refine"], model) if "refine" in request else None

    def _sizes_asked(self, changed=-1, size=np.inf):
        """The caller's size of every face, with one of the local sizes changed."""
        asked = np.full(len(self._areas), np.inf)
        for at, faces in self._places.items():
            asked[faces] = np.minimum(asked[faces], size if at == changed else self._local[at]["size"])
        return asked

    def _wall_sizes(self, thicknesses):
        return np.minimum(thicknesses * self._thickness, _WIDTHS * self._widths)

    def _lower(self):
        while self.forecast() > _MODERATE and self.per_circle > _LEAST_PER_CIRCLE:
            self.per_circle = max(_LEAST_PER_CIRCLE, self.per_circle / 1.25)
            self.lowered = True

    def per_outer_circle(self, detail=1.0):
        """Elements around a full circle of a face that bulges."""
        return min(self.per_circle, max(_LEAST_OUTER, self.per_circle * _OUTER)) * detail

    def faces(self, detail=1.0):
        """(index of a face in the joined shape, size) of every face with a size of its
        own; detail is a factor of the elements per circle."""
        sizes = self._face_sizes(detail)
        return [(int(k), float(sizes[k])) for k in np.flatnonzero(sizes < self.largest)]

    def _face_sizes(self, detail):
        hollow = self._round(0, self.per_circle * detail)
        by_shape = np.maximum(np.minimum(hollow, self._walls), self.smallest)
        return np.minimum(np.minimum(by_shape, self._asked), self.largest)

    def _round(self, side, per_circle):
        bend = self._bends[:, side]
        return np.divide(2 * np.pi / per_circle, bend, out=np.full(len(bend), np.inf), where=bend > 0)

    def points(self):
        """(points [n][3], sizes [n]) of the places with a size of their own."""
        given = [local for local in self._local if "point" in local]
        return np.array([one["point"] for one in given]).reshape(-1, 3), np.array(
            [one["size"] for one in given]
        )

    def forecast(self):
        """About how many tetrahedra there will be.

        From a face the size grows linearly with the depth d, h + growth·d, so that on an
        area A there are A·c/(2·growth)·(1/h² - 1/H²) of them, c in a cube of size h and H
        the largest; not more than the wall has room for, and at least one layer. A
        face narrower than h counts with the width h.
        """
        h = np.minimum(self._face_sizes(1.0), self._round(1, self.per_outer_circle()))
        h = np.maximum(h, max(self.smallest, 1e-4 * self.largest))
        depth = self._thickness / 2
        grown = _PER_CUBE / (2 * self.growth) * (1 / h**2 - 1 / self.largest**2)
        layer = np.maximum(_PER_SQUARE / h**2, np.minimum(grown, _PER_CUBE * depth / h**3))
        areas = self._areas * np.maximum(1, h / self._widths)
        more = self.refinement.more if self.refinement else 0
        return float((areas * layer).sum() + _PER_CUBE * self._volume / self.largest**3 + more)

    def check(self, most):
        """Refuses what cannot stay below the limit, before any work."""
        least = _LEAST_PER_CUBE * self._volume / self.largest**3  # of the largest size alone
        if least > most:
            fitting = 1.1 * (_LEAST_PER_CUBE * self._volume / most) ** (1 / 3)
            raise Error(
                codes.INVALID_DX,
                f"max_size {self.largest:.4g} mm needs at least {least:.2g} tetrahedra, more than {most}",
                f"Use a max_size of {fitting:.3g} mm or more, or raise max_tetrahedra.",
                "/max_size",
                {"estimated_tetrahedra": round(least), "smallest_max_size": fitting},
            )
        expected = self.forecast()
        if expected > _SURE * most:
            self._blame(expected, most)
            raise Error(
                codes.INVALID_DX,
                f"{self.per_circle:.3g} elements around a circle and the sizes asked for need about "
                f"{expected:.2g} tetrahedra, more than {most}",
                "Give fewer elements_per_circle, larger sizes or a min_size, or raise max_tetrahedra.",
                "/max_tetrahedra",
                {"estimated_tetrahedra": round(expected)},
            )

    def _blame(self, expected, most):
        """Refuses the local size without which the mesh would fit, or all of them."""
        for at in sorted(self._places, key=lambda at: self._local[at]["size"]):
            self._asked = self._sizes_asked(at)
            if self.forecast() > _SURE * most:
                continue
            size = fitting = self._local[at]["size"]
            while fitting < self.largest and self._forecast_with(at, fitting) > most:
                fitting *= 1.1
            fitting = min(fitting, self.largest)
            raise Error(
                codes.INVALID_DX,
                f"a size of {size:.4g} mm on face {self._local[at]['face']!r} needs about {expected:.2g} "
                f"tetrahedra, more than {most}",
                f"Use a size of {fitting:.3g} mm or more there, or raise max_tetrahedra.",
                f"/local_sizes/{at}/size",
                {"estimated_tetrahedra": round(expected)},
            )
        self._asked = np.full(len(self._areas), np.inf)
        if self._places and self.forecast() <= _SURE * most:
            raise Error(
                codes.INVALID_DX,
                f"the local sizes need about {expected:.2g} tetrahedra, more than {most}",
                "Give larger sizes there, fewer of them, or raise max_tetrahedra.",
                "/local_sizes",
                {"estimated_tetrahedra": round(expected)},
            )
        self._asked = self._sizes_asked()

    def _forecast_with(self, at, size):
        """The forecast with another size in one place."""
        self._asked = self._sizes_asked(at, size)
        return self.forecast()

    def _useless(self):
        """What is wrong with each local size that can change nothing, or next to nothing."""
        for at, local in enumerate(self._local):
            if local["size"] > self.largest:
                yield (
                    f"local_sizes/{at} changes nothing: its size {local['size']:.4g} mm is above the "
                    f"largest of this call, {self.largest:.4g} mm (max_size)."
                )
            elif "point" in local:
                low, high = self._box
                point = np.array(local["point"])
                apart = float(np.linalg.norm(np.maximum(0, np.maximum(low - point, point - high))))
                if apart > local["size"]:
                    yield (
                        f"local_sizes/{at} makes few elements smaller, or none: its point lies {apart:.4g} "
                        f"mm outside of the box from {_place(low)} to {_place(high)} mm around the part."
                    )

    def warnings(self, made):
        """What the caller should know of the sizes and the number of tetrahedra."""
        told = self.refinement.warnings(made, self.smallest, self.largest) if self.refinement else []
        told += [{"code": "local_size_without_effect", "message": text} for text in self._useless()]
        if self.lowered:
            told.append(
                {
                    "code": "fewer_elements_on_curves",
                    "message": f"{self.per_circle:.0f} elements go round a full circle of holes and fillets "
                    f"instead of {PER_CIRCLE}: the mesh stays near {_MODERATE:,} tetrahedra, and peak "
                    "stresses there are less exact. Give elements_per_circle, or local_sizes where the "
                    "stress matters.",
                }
            )
        return told


def _place(point):
    return f"({', '.join(f'{x:.4g}' for x in point)})"
