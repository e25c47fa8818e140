"""How large elements are: globally, on curves, on faces and around points."""

from . import codes
from .protocol import Error

# An engineer's mesh of curved elements of order 2.
PER_DIAGONAL = 20
# Netgen makes at least this many tetrahedra of size h in a volume of h³: 3.5 to 6.7
# were counted in cubes of 3 to 25 sizes.
_LEAST_PER_CUBE = 3.5


class Sizes:
    """Element sizes in millimetres, from the request."""

    def __init__(self, request, model):
        self.largest = request.get("max_size") or model.diagonal / PER_DIAGONAL
        self.smallest = request.get("min_size") or 0.0
        self.growth = request["growth"]
        self.per_circle = request["elements_per_circle"]
        self._local = request.get("local_sizes") or []
        if self.smallest > self.largest:
            raise Error(
                codes.INVALID_INPUT,
                f"min_size {self.smallest:.4g} mm is above max_size {self.largest:.4g} mm",
                "Give a smaller min_size or leave it out.",
                "/min_size",
            )

    def faces(self, model):
        """(index of a face in the joined shape, size) of every face with a size of its own."""
        for at, local in enumerate(self._local):
            if "face" in local:
                for index in model.faces_called(local["face"], f"/local_sizes/{at}/face"):
                    yield index, local["size"]

    def points(self):
        """(point, size) of every place with a size of its own."""
        for local in self._local:
            if "point" in local:
                yield local["point"], local["size"]

    def check(self, model, most):
        """Refuses what cannot stay below the limit, before any work: elements of the
        largest size alone would be more."""
        volume = sum(body.volume for body in model.bodies)
        least = _LEAST_PER_CUBE * volume / self.largest**3
        if least > most:
            fitting = (_LEAST_PER_CUBE * volume / most) ** (1 / 3)
            raise Error(
                codes.INVALID_DX,
                f"max_size {self.largest:.4g} mm needs at least {least:.2g} tetrahedra, more than {most}",
                f"Use a max_size of {1.1 * fitting:.3g} mm or more, or raise max_tetrahedra.",
                "/max_size",
                {"estimated_tetrahedra": round(least), "smallest_max_size": 1.1 * fitting},
            )
