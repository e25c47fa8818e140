"""Actors of a job: the surface in its colours, its lines, and its normals as colours."""

from dataclasses import dataclass

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

from . import shading
from .surface import coincident

PLAIN = (0.70, 0.745, 0.80)  # a part without a field
LINE_COLOUR = (0.13, 0.15, 0.18)
EDGE_COLOUR = (0.22, 0.25, 0.29)
GHOST_COLOUR = (0.62, 0.64, 0.67)
NAN_COLOUR = (0.55, 0.55, 0.55)


@dataclass
class Shell:
    """A surface ready to draw: vertices with normals, values and their source samples."""

    points: np.ndarray  # (n, 3)
    normals: np.ndarray  # (n, 3)
    triangles: np.ndarray  # (t, 3)
    sample: np.ndarray  # (n,) the surface's sample of each vertex
    merged: np.ndarray  # coincident samples of the surface

    def values(self, per_sample):
        """Values of samples at the vertices."""
        return per_sample[self.sample]


def shell(surface, points, diagonal):
    """The Shell of a surface at given sample positions (deformed or not)."""
    merged = coincident(points, diagonal)
    if not len(surface.triangles):
        none = np.zeros((0, 3))
        return Shell(none, none, np.zeros((0, 3), np.int64), np.zeros(0, np.int64), merged)
    corners, vectors, reversed_ = shading.normals(points, surface.triangles, merged)
    triangles = surface.triangles.copy()
    triangles[reversed_] = triangles[reversed_][:, ::-1]
    corners[reversed_] = corners[reversed_][:, ::-1]
    # One vertex for each pair of a sample and a normal.
    key = triangles.ravel() * len(vectors) + corners.ravel()
    pairs, vertex = np.unique(key, return_inverse=True)
    sample, normal = pairs // len(vectors), pairs % len(vectors)
    return Shell(points[sample], vectors[normal], vertex.reshape(-1, 3), sample, merged)


def lookup(table, low, high):
    """A vtkLookupTable of 256 colours over a range."""
    lut = vtkLookupTable()
    lut.SetNumberOfTableValues(len(table))
    for i, (r, g, b) in enumerate(table.astype(float) / 255):
        lut.SetTableValue(i, r, g, b, 1.0)
    lut.SetTableRange(low, high)
    lut.SetNanColor(*NAN_COLOUR, 1.0)
    return lut


def surface_actor(shell_, point_values=None, triangle_values=None, lut=None, lighting=True):
    """The triangles, in one colour or coloured by values of vertices or triangles."""
    data = shading.polydata(shell_.points, shell_.triangles)
    normals = numpy_to_vtk(shell_.normals.astype(np.float32), deep=True)
    data.GetPointData().SetNormals(normals)
    mapper = vtkPolyDataMapper()
    values = point_values if point_values is not None else triangle_values
    if values is not None:
        array = numpy_to_vtk(np.ascontiguousarray(values, dtype=np.float64), deep=True)
        (data.GetPointData() if point_values is not None else data.GetCellData()).SetScalars(array)
        mapper.SetLookupTable(lut)
        mapper.UseLookupTableScalarRangeOn()
        # Colours between nodes are those of the values there, not mixtures of the nodes' colours.
        mapper.SetInterpolateScalarsBeforeMapping(point_values is not None)
    else:
        mapper.ScalarVisibilityOff()
    mapper.SetInputData(data)
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(1.0, 1.0)
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetInterpolationToPhong()
    look.SetColor(*PLAIN)
    if not lighting:
        look.LightingOff()
    elif values is not None:
        look.SetAmbient(0.42)  # bright enough that a colour can be found in the bar again
        look.SetDiffuse(0.62)
    else:
        look.SetAmbient(0.26)
        look.SetDiffuse(0.86)
        look.SetSpecular(0.12)
        look.SetSpecularPower(30)
    return actor


def line_actor(points, edges, colour, width, rank=2):
    """Line pieces (e, 2) between points; of lines in one place that of the higher rank is seen.

    They are opaque, since transparency would double the drawing time.
    """
    data = vtkPolyData()
    into = vtkPoints()
    used, ends = np.unique(edges, return_inverse=True)
    into.SetData(numpy_to_vtk(np.ascontiguousarray(points[used]), deep=True))
    data.SetPoints(into)
    data.SetLines(shading.cells(ends.reshape(-1, 2)))
    return _plain_actor(data, colour, width, rank)


def dot_actor(points, dots, colour, size):
    """Round points."""
    data = vtkPolyData()
    into = vtkPoints()
    into.SetData(numpy_to_vtk(np.ascontiguousarray(points[dots]), deep=True))
    data.SetPoints(into)
    data.SetVerts(shading.cells(np.arange(len(dots))[:, None]))
    actor = _plain_actor(data, colour, 1.0)
    actor.GetProperty().SetPointSize(size)
    actor.GetProperty().RenderPointsAsSpheresOn()
    return actor


def _plain_actor(data, colour, width, rank=2):
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.ScalarVisibilityOff()
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, -float(rank))
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.LightingOff()
    look.SetColor(*colour)
    look.SetLineWidth(width)
    return actor


# The normal that the picture is lit with, turned to the viewer by VTK, as a colour.
_NORMAL_CODE = """//VTK::Light::Impl
  gl_FragData[0] = vec4(normalize(fromCamera * normalVCVSOutput) * 0.5 + 0.5, 1.0);
"""


def normal_actor(shell_):
    """The triangles with n·0.5 + 0.5 as colour."""
    actor = surface_actor(shell_)
    actor.GetMapper().SetResolveCoincidentTopologyToOff()
    actor.GetShaderProperty().AddFragmentShaderReplacement("//VTK::Light::Impl", True, _NORMAL_CODE, False)
    set_normal_space(actor, np.eye(3))
    return actor


def set_normal_space(actor, from_camera):
    """from_camera turns a normal of the camera (x right, y up, z to the viewer) into the wanted space."""
    uniforms = actor.GetShaderProperty().GetFragmentCustomUniforms()
    # OpenGL holds matrices by columns.
    uniforms.SetUniformMatrix3x3("fromCamera", np.ascontiguousarray(from_camera.T).ravel().tolist())
