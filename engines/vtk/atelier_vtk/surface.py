"""The visible surface of a mesh as triangles, with curved cells sampled through their
own shape functions.

Points are taken as the same where they coincide, since solvers write each element
with points of its own; but values stay those of the element that a face belongs to,
so that a jump between elements is shown as a jump.
"""

from dataclasses import dataclass

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkStaticPointLocator, vtkUnstructuredGrid

from . import celltypes as ct
from .codes import FILE_UNREADABLE as UNREADABLE
from .mesh import Block
from .protocol import Error

BUDGET = 1_500_000  # triangles, above which curved faces are sampled less finely


@dataclass
class Surface:
    """What is drawn: samples of the mesh's faces, and what connects them."""

    points: np.ndarray  # (n, 3) positions of the samples
    triangles: np.ndarray  # (t, 3)
    cell: np.ndarray  # (t,) the mesh's cell
    edges: np.ndarray  # (e, 2) samples: element edges in straight pieces, shared ones twice
    samplers: list  # (first sample, point ids (f, k), weights (s, k)): f·s samples follow
    lines: np.ndarray  # (l, 2) samples of line cells
    dots: np.ndarray  # (d,) samples of vertex cells

    def interpolate(self, values):
        """Point values of the mesh, (points,) or (points, c), at the samples."""
        out = np.zeros((len(self.points), *values.shape[1:]))
        for first, nodes, weights in self.samplers:
            count = len(nodes) * len(weights)
            picked = np.einsum("sk,fk...->fs...", weights, values[nodes])
            out[first : first + count] = picked.reshape(count, *values.shape[1:])
        return out


def coincident(points, diagonal):
    """For each point the one that it coincides with (the same id for all of a place)."""
    data = vtkPolyData()
    into = vtkPoints()
    into.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=np.float64)))
    data.SetPoints(into)
    locator = vtkStaticPointLocator()
    locator.SetDataSet(data)
    locator.BuildLocator()
    merged = np.zeros(len(points), dtype=np.int64)
    locator.MergePoints(2e-7 * diagonal, merged)
    return merged


def extract(mesh):
    """The Surface of a mesh: faces that one cell only has, and cells that are faces, lines or points."""
    merged = coincident(mesh.points, mesh.diagonal())
    faces, solids, lines, dots = [], [], [], []
    for block in mesh.blocks:
        if not len(block.conn):
            continue
        if block.kind in (ct.VERTEX, ct.POLY_VERTEX):
            dots.append(block.conn.ravel())
        elif block.kind in {ct.LINE, ct.POLY_LINE} | ct.CURVED_LINES:
            lines.append(_segments(block))
        elif block.kind in ct.TRIANGULAR | ct.QUADRANGULAR:
            faces.append(block)
        elif block.kind in (ct.STRIP, ct.POLYGON):
            faces.append(_fan(block))
        else:
            solids.extend(_faces_of(block))
    faces.extend(_fan(b) if b.kind == ct.POLYGON else b for b in _boundary(solids, merged))
    if not faces and not lines and not dots:
        raise Error(UNREADABLE, "The mesh has no surface that could be drawn.", field="/input_path")
    return _sample(mesh, faces, lines, dots)


def _segments(block):
    """Line cells as pairs; the inner nodes of a curved one lie behind its two ends."""
    conn = block.conn
    if block.kind not in (ct.LINE, ct.POLY_LINE):
        conn = np.concatenate([conn[:, :1], conn[:, 2:], conn[:, 1:2]], axis=1)
    return np.stack([conn[:, :-1], conn[:, 1:]], axis=2).reshape(-1, 2)


def _fan(block):
    """Polygons (taken as convex) and strips as triangles."""
    k = block.conn.shape[1]
    if block.kind == ct.STRIP:
        corners = [(i, i + 1, i + 2) if i % 2 == 0 else (i + 1, i, i + 2) for i in range(k - 2)]
    else:
        corners = [(0, i, i + 1) for i in range(1, k - 1)]
    conn = block.conn[:, np.array(corners)].reshape(-1, 3)
    return Block(ct.TRIANGLE, conn, np.repeat(block.ids, len(corners)))


def _template(kind, size):
    """One cell of a type with the point ids 0 to size-1, to ask VTK about its nodes."""
    grid = vtkUnstructuredGrid()
    points = vtkPoints()
    points.SetNumberOfPoints(size)
    for i in range(size):
        points.SetPoint(i, 0, 0, 0)
    grid.SetPoints(points)
    grid.InsertNextCell(kind, size, list(range(size)))
    return grid


def _faces_of(block):
    """The faces of volume cells, before it is known which lie inside."""
    grid = _template(block.kind, block.conn.shape[1])
    cell = grid.GetCell(0)
    for i in range(cell.GetNumberOfFaces()):
        face = cell.GetFace(i)
        local = [face.GetPointIds().GetId(k) for k in range(face.GetNumberOfPoints())]
        yield Block(face.GetCellType(), block.conn[:, local], block.ids)


def _corner_count(block):
    if block.kind == ct.POLYGON:  # of a pentagonal or hexagonal prism
        return block.conn.shape[1]
    return 3 if block.kind in ct.TRIANGULAR else 4


def _boundary(solids, merged):
    """Keeps of volume cells' faces those whose corners no second face has."""
    if not solids:
        return []
    keys = []
    for block in solids:
        corners = merged[block.conn[:, : _corner_count(block)]]
        if corners.shape[1] == 3:
            corners = np.concatenate([corners, np.full((len(corners), 1), -1)], axis=1)
        keys.append(np.sort(corners, axis=1)[:, :4])  # two faces share at most two corners
    keys = np.concatenate(keys) + 1
    base = len(merged) + 1
    low, high = keys[:, 0] * base + keys[:, 1], keys[:, 2] * base + keys[:, 3]
    order = np.lexsort((low, high))
    same = (low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1])
    alone = np.ones(len(keys), bool)
    alone[order[1:][same]] = False
    alone[order[:-1][same]] = False
    kept, first = [], 0
    for block in solids:
        mine = alone[first : first + len(block.conn)]
        first += len(block.conn)
        if mine.any():
            kept.append(Block(block.kind, block.conn[mine], block.ids[mine]))
    return kept


def _divisions(blocks):
    """Samples per face edge and block: 1 for straight faces, else fine within the budget."""
    degrees = [ct.degree(b.kind, b.conn.shape[1]) for b in blocks]
    wanted = [1 if d <= 1 else min(12, 2 * d + 2) for d in degrees]

    def total(divisions):
        return sum(
            len(b.conn) * n * n * (1 if b.kind in ct.TRIANGULAR else 2)
            for b, n in zip(blocks, divisions, strict=True)
        )

    while total(wanted) > BUDGET and max(wanted) > 2:
        wanted = [max(2, n - 2) if n > 2 else n for n in wanted]
    return wanted


def _lattice(kind, n):
    """Samples of a face: parametric points (s, 2), triangles, and the rim as a closed polyline."""
    if kind in ct.TRIANGULAR:
        index = {}
        for j in range(n + 1):
            for i in range(n + 1 - j):
                index[i, j] = len(index)
        upward = [(index[i, j], index[i + 1, j], index[i, j + 1]) for j in range(n) for i in range(n - j)]
        inner = [(i, j) for j in range(n) for i in range(n - 1 - j)]
        downward = [(index[i + 1, j], index[i + 1, j + 1], index[i, j + 1]) for i, j in inner]
        rim = [index[i, 0] for i in range(n)] + [index[n - j, j] for j in range(n)]
        rim += [index[0, n - j] for j in range(n)] + [index[0, 0]]
        return np.array(list(index)) / n, np.array(upward + downward), np.array(rim)
    index = {(i, j): j * (n + 1) + i for j in range(n + 1) for i in range(n + 1)}
    corners = []
    for j in range(n):
        for i in range(n):
            a, b, c, d = index[i, j], index[i + 1, j], index[i + 1, j + 1], index[i, j + 1]
            corners += [(a, b, c), (a, c, d)]
    rim = [index[i, 0] for i in range(n)] + [index[n, j] for j in range(n)]
    rim += [index[n - i, n] for i in range(n)] + [index[0, n - j] for j in range(n)] + [index[0, 0]]
    return np.array(list(index)) / n, np.array(corners), np.array(rim)


def _weights(kind, size, parametric):
    """Shape functions (s, k) of a face type at parametric points, as VTK defines them."""
    grid = _template(kind, size)
    cell = grid.GetCell(0)
    rows = np.zeros((len(parametric), size))
    for row, (r, s) in zip(rows, parametric, strict=True):
        weights = [0.0] * size
        cell.InterpolateFunctions((float(r), float(s), 0.0), weights)
        row[:] = weights
    return rows


def _sample(mesh, faces, lines, dots):
    """Samples straight faces at their corners (shared), curved ones on a lattice (own samples)."""
    divisions = _divisions(faces)
    straight = [b for b, n in zip(faces, divisions, strict=True) if n == 1]
    curved = [(b, n) for b, n in zip(faces, divisions, strict=True) if n > 1]
    singles = [np.concatenate(part) if part else np.zeros(0, np.int64) for part in (lines, dots)]
    nodes = np.unique(np.concatenate([b.conn.ravel() for b in straight] + [s.ravel() for s in singles]))
    place = np.zeros(len(mesh.points), np.int64)
    place[nodes] = np.arange(len(nodes))
    samplers = [(0, nodes[:, None], np.ones((1, 1)))]
    triangles, cells, edges = ([np.zeros(shape, np.int64)] for shape in ((0, 3), (0,), (0, 2)))
    first = len(nodes)
    for block, n in [(b, 1) for b in straight] + curved:
        parametric, corners, rim = _lattice(block.kind, n)
        weights = _weights(block.kind, block.conn.shape[1], parametric)
        if n == 1:  # the lattice is the corners, in VTK's order or the pixel's
            ids = place[block.conn[:, weights.argmax(axis=1)]]
        else:
            ids = first + np.arange(len(block.conn) * len(weights)).reshape(len(block.conn), -1)
            samplers.append((first, block.conn, weights))
            first += ids.size
        triangles.append(ids[:, corners].reshape(-1, 3))
        cells.append(np.repeat(block.ids, len(corners)))
        edges.append(np.stack([ids[:, rim[:-1]], ids[:, rim[1:]]], axis=2).reshape(-1, 2))
    surface = Surface(
        np.zeros((first, 3)),
        np.concatenate(triangles),
        np.concatenate(cells),
        np.concatenate(edges),
        samplers,
        place[singles[0].reshape(-1, 2)],
        place[singles[1].ravel()],
    )
    surface.points = surface.interpolate(mesh.points)
    return surface
