"""Normals and edge lines of a surface."""

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals

FEATURE_ANGLE = 30.0  # degrees between faces, above which an edge is sharp


def polydata(points, triangles):
    """A vtkPolyData of triangles, in double precision."""
    data = vtkPolyData()
    into = vtkPoints()
    into.SetData(numpy_to_vtk(np.ascontiguousarray(points, dtype=np.float64), deep=True))
    data.SetPoints(into)
    data.SetPolys(cells(triangles))
    return data


def cells(groups):
    """A vtkCellArray of equal-sized cells (n, k)."""
    array = vtkCellArray()
    offsets = np.arange(len(groups) + 1, dtype=np.int64) * groups.shape[1]
    conn = np.ascontiguousarray(groups, dtype=np.int64).ravel()
    array.SetData(numpy_to_vtkIdTypeArray(offsets, deep=True), numpy_to_vtkIdTypeArray(conn, deep=True))
    return array


def normals(points, triangles, merged):
    """Smooth normals per triangle corner, (t, 3) indices into normals (n, 3).

    Triangles that meet at less than the feature angle share a normal; at sharper
    edges each side has its own. merged gives coincident samples one id.
    """
    places, conn = np.unique(merged[triangles], return_inverse=True)
    conn = conn.reshape(-1, 3)
    data = polydata(points[places], conn)
    ids = numpy_to_vtk(np.arange(len(places)), deep=True)
    ids.SetName("place")
    data.GetPointData().AddArray(ids)
    smooth = vtkPolyDataNormals()
    smooth.SetInputData(data)
    smooth.SetFeatureAngle(FEATURE_ANGLE)
    smooth.SplittingOn()
    smooth.ConsistencyOn()
    smooth.Update()
    out = smooth.GetOutput()
    corners = vtk_to_numpy(out.GetPolys().GetConnectivityArray()).reshape(-1, 3).astype(np.int64)
    place = vtk_to_numpy(out.GetPointData().GetArray("place"))
    # Making the winding consistent may have reversed a triangle's corners.
    reversed_ = place[corners[:, 0]] != conn[:, 0]
    corners[reversed_] = corners[reversed_][:, ::-1]
    vectors = vtk_to_numpy(out.GetPointData().GetNormals()).astype(np.float64)
    return corners, _weighted(data, conn, corners, reversed_, vectors), reversed_


def _weighted(data, conn, corners, reversed_, fallback):
    """Normals as means of the facets' by area and angle, so that large flat faces stay flat.

    VTK's own, which count all facets alike, are taken where the mean vanishes.
    """
    points = vtk_to_numpy(data.GetPoints().GetData())
    p = points[conn]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])  # twice the area long
    normal[reversed_] *= -1
    total = np.zeros_like(fallback)
    for i in range(3):
        one, other = p[:, (i + 1) % 3] - p[:, i], p[:, (i + 2) % 3] - p[:, i]
        length = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
        cosine = np.einsum("ij,ij->i", one, other) / np.where(length > 0, length, 1.0)
        weighted = normal * np.arccos(np.clip(cosine, -1, 1))[:, None]
        for axis in range(3):
            total[:, axis] += np.bincount(corners[:, i], weighted[:, axis], len(total))
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return np.where(size > 0, total / np.where(size > 0, size, 1.0), fallback)


def unique_edges(edges, merged):
    """Edge pieces (e, 2) without those that lie on another one."""
    ends = np.sort(merged[edges], axis=1)
    keep = ends[:, 0] != ends[:, 1]
    key = ends[:, 0] * (int(merged.max()) + 1 if len(merged) else 1) + ends[:, 1]
    _, first = np.unique(key[keep], return_index=True)
    return edges[keep][first]


def feature_edges(points, triangles, merged, group=None):
    """Edges (e, 2) of samples that are sharp, open, of more than two, or between groups (CAD faces)."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    longest = np.maximum(((b - a) ** 2).sum(axis=1), ((c - a) ** 2).sum(axis=1))
    whole = length[:, 0] > 1e-9 * longest  # slivers have no direction
    triangles, normal, length = triangles[whole], normal[whole], length[whole]
    if group is not None:
        group = group[whole]
    normal = normal / length
    pairs = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    owner = np.repeat(np.arange(len(triangles)), 3)
    ends = np.sort(merged[pairs], axis=1)
    key = ends[:, 0] * (int(merged.max()) + 1) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    first = np.flatnonzero(np.r_[True, sorted_key[1:] != sorted_key[:-1]])
    count = np.diff(np.r_[first, len(key)])
    two = first[count == 2]
    one, other = owner[order[two]], owner[order[two + 1]]
    # The two sides run along their edge in opposite directions when wound alike.
    alike = np.where((merged[pairs[order[two], 0]] == merged[pairs[order[two + 1], 0]]), -1.0, 1.0)
    cosine = np.einsum("ij,ij->i", normal[one], normal[other]) * alike
    sharp = cosine < np.cos(np.radians(FEATURE_ANGLE))
    creases = order[two[sharp]]
    creases = creases[~_stray(points, merged, pairs[creases])]
    if group is not None:
        creases = np.union1d(creases, order[two[group[one] != group[other]]])
    return pairs[np.concatenate([order[first[count != 2]], creases])]


SHORTEST = 0.03  # of the diagonal: sharp edges that go on for less are noise of a scanned surface


def _stray(points, merged, edges):
    """Which edges belong to a connected run that is shorter than SHORTEST."""
    if not len(edges):
        return np.zeros(0, bool)
    places, ends = np.unique(merged[edges], return_inverse=True)
    ends = ends.reshape(-1, 2)
    label = np.arange(len(places))
    while True:  # the least label spreads along each run
        before = label.copy()
        least = label[ends].min(axis=1)
        np.minimum.at(label, ends[:, 0], least)
        np.minimum.at(label, ends[:, 1], least)
        label = label[label]
        if (label == before).all():
            break
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    run = np.bincount(label[ends[:, 0]], weights=length, minlength=len(places))
    return run[label[ends[:, 0]]] < SHORTEST * np.linalg.norm(np.ptp(points, axis=0))
