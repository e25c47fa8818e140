"""Reads the inputs of a job into one Mesh, and refuses what is damaged.

Surfaces come as .npy arrays (the caller has parsed OBJ, STL, PLY, OFF or GLB);
field files are read by VTK: .vtu, .vtp, .vti, .vtr, .vts and legacy .vtk.
"""

import json
import os
import re

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkStringOutputWindow
from vtkmodules.vtkCommonDataModel import vtkDataSet, vtkPolyData, vtkUnstructuredGrid
from vtkmodules.vtkFiltersCore import vtkAppendFilter
from vtkmodules.vtkIOLegacy import vtkGenericDataObjectReader
from vtkmodules.vtkIOXML import vtkXMLGenericDataObjectReader

from . import celltypes
from .codes import FILE_EMPTY as EMPTY
from .codes import FILE_UNREADABLE as UNREADABLE
from .mesh import Block, Mesh, from_grid
from .protocol import Error

FIELD = "/input_path"


def read(request):
    """The Mesh of request["surface"] or request["pieces"]."""
    mesh = _surface(request["surface"]) if "surface" in request else _pieces(request["pieces"])
    mesh.own_length_unit = mesh.length_unit
    if request.get("length_unit"):
        mesh.length_unit = request["length_unit"]
    _check(mesh)
    return mesh


def _surface(files):
    points = np.load(files["points"]).astype(np.float64)
    triangles = np.load(files["triangles"]).astype(np.int64)
    mesh = Mesh(points, [Block(celltypes.TRIANGLE, triangles, np.arange(len(triangles)))], len(triangles))
    if "face_id" in files:
        mesh.cell_data["face_id"] = np.load(files["face_id"]).reshape(-1, 1)
    return mesh


def _pieces(paths):
    append = vtkAppendFilter()
    # Coincident points stay apart: on the two sides of an element face a field may jump.
    append.MergePointsOff()
    notes = {}
    for path in paths:
        data = _load(path)
        _check_cells(data, os.path.basename(path))
        if data.GetNumberOfPoints() and data.GetNumberOfCells():
            append.AddInputData(data)
        notes.update(_note(path))
    if append.GetNumberOfInputConnections(0) == 0:
        raise Error(EMPTY, "The file has no points or no cells.", field=FIELD)
    append.Update()
    mesh = from_grid(append.GetOutput())
    ghosts = mesh.cell_data.pop("vtkGhostType", None)
    mesh.point_data.pop("vtkGhostType", None)
    if ghosts is not None and ghosts.any():
        for block in mesh.blocks:
            keep = ghosts[block.ids, 0] == 0
            block.conn, block.ids = block.conn[keep], block.ids[keep]
    mesh.units.update(notes.get("units", {}))
    mesh.length_unit = notes.get("length_unit", "")
    return mesh


def _load(path):
    if os.path.getsize(path) == 0:
        raise Error(EMPTY, f"The file {os.path.basename(path)} has no content.", field=FIELD)
    with open(path, "rb") as file:
        legacy = file.read(32).startswith(b"# vtk DataFile")
    # VTK reports faults as text, not as exceptions.
    said = vtkStringOutputWindow()
    previous = vtkStringOutputWindow.GetInstance()
    vtkStringOutputWindow.SetInstance(said)
    try:
        reader = vtkGenericDataObjectReader() if legacy else vtkXMLGenericDataObjectReader()
        reader.SetFileName(path)
        if legacy:
            reader.ReadAllScalarsOn()
            reader.ReadAllVectorsOn()
            reader.ReadAllTensorsOn()
            reader.ReadAllFieldsOn()
        reader.Update()
        data = reader.GetOutput() if legacy else reader.GetOutputAsDataSet(0)
    finally:
        vtkStringOutputWindow.SetInstance(previous)
    fault = _first_error(said.GetOutput())
    if legacy and not fault and isinstance(data, vtkDataSet) and not data.GetNumberOfCells():
        fault = "none of its cells can be read"  # the legacy reader says nothing
    if fault or not isinstance(data, vtkDataSet) or reader.GetErrorCode():
        fault = fault or "its content is of another kind"
        raise Error(
            UNREADABLE,
            f"{os.path.basename(path)} is not a whole VTK data set: {fault}.",
            "Write the file again; it may be cut off or damaged.",
            FIELD,
        )
    return data


def _check_cells(data, name):
    """Refuses cells that VTK's own filters would follow out of their arrays."""
    groups = []
    if isinstance(data, vtkUnstructuredGrid):
        groups = [data.GetCells()]
    elif isinstance(data, vtkPolyData):
        groups = [data.GetVerts(), data.GetLines(), data.GetPolys(), data.GetStrips()]
    for cells in groups:
        conn, offsets = (vtk_to_numpy(a) for a in (cells.GetConnectivityArray(), cells.GetOffsetsArray()))
        sound = not len(offsets) or (offsets[0] == 0 and offsets[-1] <= len(conn))
        sound = sound and (len(offsets) < 2 or (np.diff(offsets) >= 0).all())
        if not sound or (len(conn) and (conn.min() < 0 or conn.max() >= data.GetNumberOfPoints())):
            message = f"{name} has a cell that names a point which is not there."
            raise Error(UNREADABLE, message, "Write the file again; it may be damaged.", FIELD)
    kinds = data.GetCellTypesArray() if isinstance(data, vtkUnstructuredGrid) else None
    if kinds and kinds.GetNumberOfValues() != groups[0].GetNumberOfCells():
        raise Error(UNREADABLE, f"{name} has not one type for each cell.", field=FIELD)


def _first_error(text):
    """The first sentence of VTK's error text, without its object's name and address."""
    for line in text.splitlines():
        if re.match(r"\s*(ERROR|Generic Warning|Warning):? In ", line):
            continue  # where in VTK's sources
        line = re.sub(r"^\S+ \((0x)?[0-9a-f]+\):\s*", "", line.strip())
        if line:
            return line.rstrip(". ")[:300]
    return ""


def _note(path):
    """The JSON of a comment `<!-- atelier {...} -->` near the file's top: units, length_unit."""
    with open(path, "rb") as file:
        found = re.search(rb"<!--\s*atelier\s+(\{.*?\})\s*-->", file.read(8192), re.DOTALL)
    try:
        note = json.loads(found[1]) if found else {}
    except ValueError:
        return {}
    return note if isinstance(note, dict) else {}


def _check(mesh):
    hint = "Write the file again; it may be cut off or damaged."
    if not len(mesh.points) or not any(len(b.conn) for b in mesh.blocks):
        raise Error(EMPTY, "The file has no points or no cells.", field=FIELD)
    for block in mesh.blocks:
        if len(block.conn):
            celltypes.check(block.kind, block.conn.shape[1])
    used = np.unique(np.concatenate([b.conn.ravel() for b in mesh.blocks]))
    if not np.isfinite(mesh.points[used]).all():
        raise Error(UNREADABLE, "A coordinate is not a finite number.", hint, FIELD)
    # Points without a cell must not blow up the bounds.
    unused = np.ones(len(mesh.points), bool)
    unused[used] = False
    mesh.points[unused] = mesh.points[used[0]]
    if mesh.diagonal() == 0:
        raise Error(UNREADABLE, "All points lie in one place.", field=FIELD)
