"""VTK's cell types: which can be drawn, and how many nodes each may have.

VTK itself does not check the number, and would read past a cell's end.
"""

from .codes import FILE_UNREADABLE as UNREADABLE
from .codes import INVALID_INPUT as INVALID
from .protocol import Error

VERTEX, POLY_VERTEX, LINE, POLY_LINE, TRIANGLE, STRIP, POLYGON = 1, 2, 3, 4, 5, 6, 7
PIXEL, QUAD, POLYHEDRON = 8, 9, 42

TRIANGULAR = {TRIANGLE, 22, 34, 69, 76}
QUADRANGULAR = {PIXEL, QUAD, 23, 28, 30, 70, 77}
CURVED_LINES = {21, 35, 68, 75}

_FIXED = {
    1: 1,
    3: 2,
    5: 3,
    8: 4,
    9: 4,
    10: 4,
    11: 8,
    12: 8,
    13: 6,
    14: 5,
    15: 10,
    16: 12,
    21: 3,
    22: 6,
    23: 8,
}
_FIXED |= {24: 10, 25: 20, 26: 15, 27: 13, 28: 9, 29: 27, 30: 6, 31: 12, 32: 18, 33: 24, 34: 7, 35: 4, 37: 19}
_LEAST = {POLY_VERTEX: 1, POLY_LINE: 2, STRIP: 3, POLYGON: 3}
_DEGREES = range(1, 11)
# Lagrange (68 to 73) and Bezier (75 to 80) cells of each degree; 7, 15 and 21 have nodes inside too.
_FREE = {
    68: {p + 1 for p in _DEGREES},
    69: {(p + 1) * (p + 2) // 2 for p in _DEGREES} | {7},
    70: {(p + 1) ** 2 for p in _DEGREES},
    71: {(p + 1) * (p + 2) * (p + 3) // 6 for p in _DEGREES} | {15},
    72: {(p + 1) ** 3 for p in _DEGREES},
    73: {(p + 1) ** 2 * (p + 2) // 2 for p in _DEGREES} | {21},
}
_FREE |= {kind + 7: sizes for kind, sizes in _FREE.items()}


def check(kind, size):
    """Raises when cells of a type with a number of nodes cannot be drawn."""
    if kind == POLYHEDRON:
        raise Error(INVALID, "Polyhedral cells are not drawn.", "Split them into tetrahedra.", "/input_path")
    if kind in _FIXED:
        sound = size == _FIXED[kind]
    elif kind in _LEAST:
        sound = size >= _LEAST[kind]
    elif kind in _FREE:
        sound = size in _FREE[kind]
    else:
        raise Error(UNREADABLE, f"Cells of VTK's type {kind} are not known here.", field="/input_path")
    if not sound:
        message = f"A cell of VTK's type {kind} has {size} nodes, which that type cannot have."
        raise Error(UNREADABLE, message, "Write the file again; it may be damaged.", "/input_path")


def degree(kind, size):
    """Polynomial degree of a face type, from its number of nodes."""
    if kind in TRIANGULAR:
        return round(((8 * size + 1) ** 0.5 - 3) / 2)
    return 2 if kind in (23, 30) else max(1, round(size**0.5) - 1)
