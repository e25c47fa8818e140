"""Meshes as numpy arrays: what is between a file and a picture."""

from dataclasses import dataclass, field

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkUnstructuredGrid


@dataclass
class Block:
    """Cells of one VTK type and node count: conn (m, k) point ids, ids (m,) cell ids."""

    kind: int
    conn: np.ndarray
    ids: np.ndarray


@dataclass
class Mesh:
    """points (n, 3) float64; arrays by name, (n or cells, components); units by array name."""

    points: np.ndarray
    blocks: list
    cells: int
    point_data: dict = field(default_factory=dict)
    cell_data: dict = field(default_factory=dict)
    units: dict = field(default_factory=dict)
    length_unit: str = ""
    own_length_unit: str = ""  # what the file says, whatever the request does

    def diagonal(self):
        """Length of the bounding box's diagonal."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))


def columns(array):
    """An array as (tuples, components)."""
    return array.reshape(len(array), -1)


def from_grid(grid):
    """A Mesh of a vtkUnstructuredGrid; its arrays are views where possible."""
    points = vtk_to_numpy(grid.GetPoints().GetData()).astype(np.float64)
    kinds = vtk_to_numpy(grid.GetCellTypesArray()) if grid.GetNumberOfCells() else np.zeros(0, np.uint8)
    offsets = vtk_to_numpy(grid.GetCells().GetOffsetsArray()).astype(np.int64)
    conn = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).astype(np.int64)
    sizes = np.diff(offsets)
    blocks = []
    for key in np.unique(kinds.astype(np.int64) * 2**32 + sizes):
        kind, size = int(key >> 32), int(key & (2**32 - 1))
        ids = np.flatnonzero((kinds == kind) & (sizes == size))
        if size:
            blocks.append(Block(kind, conn[offsets[ids][:, None] + np.arange(size)], ids))
    mesh = Mesh(points, blocks, len(kinds))
    for data, into in ((grid.GetPointData(), mesh.point_data), (grid.GetCellData(), mesh.cell_data)):
        for i in range(data.GetNumberOfArrays()):
            array = data.GetArray(i)  # None for text arrays
            name = data.GetArrayName(i)
            if array is None or not name:
                continue
            into[name] = columns(vtk_to_numpy(array))
            info = array.GetInformation()
            if info.Has(array.UNITS_LABEL()):
                mesh.units[name] = info.Get(array.UNITS_LABEL())
    return mesh


def to_grid(mesh, scalars=None, on_cells=False):
    """A vtkUnstructuredGrid of the mesh with one array "scalar" when given."""
    grid = vtkUnstructuredGrid()
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(mesh.points), deep=True))
    grid.SetPoints(points)
    order = np.concatenate([b.ids for b in mesh.blocks])
    offsets = np.concatenate([[0], *[np.full(len(b.conn), b.conn.shape[1]) for b in mesh.blocks]]).cumsum()
    cells = vtkCellArray()
    conn = np.concatenate([b.conn.ravel() for b in mesh.blocks])
    cells.SetData(_ids(offsets), _ids(conn))
    kinds = np.concatenate([np.full(len(b.conn), b.kind, np.uint8) for b in mesh.blocks])
    grid.SetCells(numpy_to_vtk(kinds, deep=True), cells)
    if scalars is not None:
        values = scalars[order] if on_cells else scalars
        array = numpy_to_vtk(np.ascontiguousarray(values, dtype=np.float64), deep=True)
        array.SetName("scalar")
        (grid.GetCellData() if on_cells else grid.GetPointData()).AddArray(array)
    return grid


def _ids(array):
    return numpy_to_vtkIdTypeArray(np.ascontiguousarray(array, dtype=np.int64), deep=True)
