"""Quadratic triangles and tetrahedra: geometry, Jacobians, measures.

Nodes of a tetrahedron: four vertices, then the middles of the edges EDGES in
their order; of a triangle: three vertices, then the middles of TRIANGLE_EDGES.
Arrays of coordinates are [element][node][3].
"""

import itertools

import numpy as np

EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
TRIANGLE_EDGES = ((1, 2), (0, 2), (0, 1))


def _barycentric(points):
    return np.column_stack([1 - points.sum(axis=1), points])


def _shape(points, edges):
    """Shape functions [point][node] and their gradients [point][node][axis] at
    points of the reference simplex (Zienkiewicz and Taylor, vol. 1, sec. 6.5)."""
    b = _barycentric(points)
    n, dim = b.shape[1], points.shape[1]
    gradient_of_b = np.vstack([-np.ones(dim), np.eye(dim)])
    values = np.empty((len(points), n + len(edges)))
    gradients = np.empty((len(points), n + len(edges), dim))
    for i in range(n):
        values[:, i] = b[:, i] * (2 * b[:, i] - 1)
        gradients[:, i] = (4 * b[:, i] - 1)[:, None] * gradient_of_b[i]
    for k, (i, j) in enumerate(edges):
        values[:, n + k] = 4 * b[:, i] * b[:, j]
        gradients[:, n + k] = 4 * (b[:, i, None] * gradient_of_b[j] + b[:, j, None] * gradient_of_b[i])
    return values, gradients


def _cubic_bernstein():
    """The 20 points of the cubic lattice, and the matrix from values there to the
    coefficients of the Bernstein form of degree 3, which bound the polynomial."""
    lattice = [m for m in itertools.product(range(4), repeat=4) if sum(m) == 3]
    points = np.array([m[1:] for m in lattice]) / 3.0
    b = _barycentric(points)
    factorial = (1, 1, 2, 6)
    matrix = np.empty((20, 20))
    for column, m in enumerate(lattice):
        multinomial = 6 / np.prod([factorial[k] for k in m])
        matrix[:, column] = multinomial * np.prod(b ** np.array(m), axis=1)
    return points, np.linalg.inv(matrix)


_LATTICE, _TO_BERNSTEIN = _cubic_bernstein()
_LATTICE_GRADIENTS = _shape(_LATTICE, EDGES)[1]
_CHUNK = 20000


def jacobians(x):
    """The determinant of the map of each quadratic tetrahedron is a cubic
    polynomial: its smallest Bernstein coefficient, which it nowhere falls below,
    the largest, and the mean, which is six times the volume (exact)."""
    low, high, mean = (np.empty(len(x)) for _ in range(3))
    for at in range(0, len(x), _CHUNK):
        part = slice(at, at + _CHUNK)
        jacobian = np.einsum("pna,enc->epca", _LATTICE_GRADIENTS, x[part])
        coefficients = np.linalg.det(jacobian) @ _TO_BERNSTEIN.T
        low[part], high[part] = coefficients.min(axis=1), coefficients.max(axis=1)
        mean[part] = coefficients.mean(axis=1)
    return low, high, mean


def _square_rule(n):
    """Gauss points of the triangle by collapsing a square (Duffy), degree 2n-2."""
    node, weight = np.polynomial.legendre.leggauss(n)
    u, w = (node + 1) / 2, weight / 2
    points = np.array([(a, b * (1 - a)) for a in u for b in u])
    return points, np.array([p * q * (1 - a) for a, p in zip(u, w, strict=True) for q in w])


_AREA_POINTS, _AREA_WEIGHTS = _square_rule(5)
_AREA_GRADIENTS = _shape(_AREA_POINTS, TRIANGLE_EDGES)[1]


def areas(x):
    """Areas of quadratic triangles."""
    out = np.empty(len(x))
    for at in range(0, len(x), _CHUNK):
        tangents = np.einsum("pna,enc->epac", _AREA_GRADIENTS, x[at : at + _CHUNK])
        normal = np.cross(tangents[:, :, 0], tangents[:, :, 1])
        out[at : at + _CHUNK] = np.linalg.norm(normal, axis=2) @ _AREA_WEIGHTS
    return out


def on_triangles(x, points):
    """Points [element][point][3] of quadratic triangles at reference points."""
    return np.einsum("pn,enc->epc", _shape(points, TRIANGLE_EDGES)[0], x)


def on_triangle(x, points):
    """One point of each triangle, and the two tangents there: [element][3], [element][2][3]."""
    values, gradients = _shape(points, TRIANGLE_EDGES)
    return np.einsum("en,enc->ec", values, x), np.einsum("ena,enc->eac", gradients, x)


def straight(x, edges=EDGES):
    """The same elements with the middles of their edges on the chords."""
    corners = x.shape[1] - len(edges)
    out = x.copy()
    for k, (i, j) in enumerate(edges):
        out[:, corners + k] = (x[:, i] + x[:, j]) / 2
    return out


def straighten(points, tetrahedra):
    """Moves the middles of the edges of tetrahedra onto their chords, in place."""
    for k, (i, j) in enumerate(EDGES):
        points[tetrahedra[:, 4 + k]] = (points[tetrahedra[:, i]] + points[tetrahedra[:, j]]) / 2


def dihedral_angles(x):
    """Smallest and largest dihedral angle of each tetrahedron with straight edges, degrees."""
    v = x[:, :4]
    normal = np.stack(
        [
            np.cross(v[:, b] - v[:, a], v[:, c] - v[:, a])
            for a, b, c in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
        ],
        axis=1,
    )
    length = np.linalg.norm(normal, axis=2, keepdims=True)
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0)
    cosines = [-(normal[:, i] * normal[:, j]).sum(axis=1) for i, j in EDGES]
    angles = np.degrees(np.arccos(np.clip(np.stack(cosines, axis=1), -1, 1)))
    return angles.min(axis=1), angles.max(axis=1)


def least_angles(x):
    """The lesser of the smallest dihedral angle and of 180 degrees less the largest, of each
    tetrahedron with straight edges; -1 for one that is inside out."""
    smallest, largest = dihedral_angles(x)
    volume = np.einsum("ec,ec->e", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0])
    return np.where(volume > 0, np.minimum(smallest, 180 - largest), -1.0)
