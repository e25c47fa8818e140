"""Plane sections and half-space cuts of a mesh."""

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPlane
from vtkmodules.vtkFiltersCore import vtkAppendFilter, vtkPlaneCutter
from vtkmodules.vtkFiltersGeneral import vtkTableBasedClipDataSet

from .codes import INVALID_INPUT as INVALID
from .mesh import Mesh, from_grid, to_grid
from .protocol import Error


def cut(mesh, values, on_cells, slice_, clip):
    """The mesh on a plane (slice) or on one side of one (clip), and the scalar on it."""
    shown, scalar = mesh, values
    for spec, keyword, work in ((clip, "clip", _clip), (slice_, "slice", _slice)):
        if not spec:
            continue
        grid = to_grid(shown, scalar, on_cells)
        result = work(grid, _plane(mesh, spec, keyword))
        if not result.GetNumberOfCells():
            low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
            raise Error(
                INVALID,
                f"The plane of {keyword} leaves nothing of the part.",
                f"Its bounds are {np.round(low, 6).tolist()} to {np.round(high, 6).tolist()}.",
                f"/{keyword}/origin",
            )
        # Neighbouring cells keep points of their own where values jump.
        append = vtkAppendFilter()
        append.AddInputData(result)
        append.Update()
        shown = _keep_units(from_grid(append.GetOutput()), mesh)
        arrays = shown.cell_data if on_cells else shown.point_data
        scalar = arrays["scalar"][:, 0] if scalar is not None else None
    return shown, scalar


def _keep_units(new: Mesh, old: Mesh):
    new.length_unit = old.length_unit
    return new


def _plane(mesh, spec, keyword):
    normal = np.array(spec["normal"], float)
    if np.linalg.norm(normal) == 0:
        raise Error(INVALID, "The normal of the plane is zero.", field=f"/{keyword}/normal")
    centre = (mesh.points.min(axis=0) + mesh.points.max(axis=0)) / 2
    plane = vtkPlane()
    plane.SetOrigin(*(spec.get("origin") or centre))
    plane.SetNormal(*(normal / np.linalg.norm(normal)))
    return plane


def _slice(grid, plane):
    cutter = vtkPlaneCutter()
    cutter.SetInputData(grid)
    cutter.SetPlane(plane)
    cutter.MergePointsOff()
    cutter.Update()
    return cutter.GetOutput()


def _clip(grid, plane):
    clipper = vtkTableBasedClipDataSet()
    clipper.SetInputData(grid)
    clipper.SetClipFunction(plane)
    # The side that the normal points to is taken away.
    clipper.InsideOutOn()
    clipper.Update()
    return clipper.GetOutput()
