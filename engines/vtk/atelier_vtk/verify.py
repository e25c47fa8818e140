"""Holds depth images against the geometry: pixels, put back into space, must lie on the surface."""

import numpy as np
from vtkmodules.vtkCommonCore import reference
from vtkmodules.vtkCommonDataModel import vtkStaticCellLocator

from . import shading

SAMPLES = 200  # pixels of a view


class Residual:
    """Collects the distance from unprojected pixels to the surface, over all views."""

    def __init__(self, shell):
        self._data = shading.polydata(shell.points, shell.triangles)
        self._locator = vtkStaticCellLocator()
        self._locator.SetDataSet(self._data)
        self._locator.BuildLocator()
        self._worst, self._pixels = 0.0, 0
        self._diagonal = float(np.linalg.norm(np.ptp(shell.points, axis=0))) or 1.0

    def add(self, camera, depth):
        """Checks evenly spaced covered pixels of one depth image (height, width)."""
        rows, columns = np.nonzero(depth)
        if not len(rows):
            return
        pick = np.linspace(0, len(rows) - 1, min(SAMPLES, len(rows))).astype(int)
        rows, columns = rows[pick], columns[pick]
        k = camera.intrinsics()
        z = depth[rows, columns].astype(np.float64)
        seen = np.stack([(columns - k[0, 2]) / k[0, 0] * z, (rows - k[1, 2]) / k[1, 1] * z, z], axis=1)
        matrix = camera.extrinsics()
        places = (seen - matrix[:3, 3]) @ matrix[:3, :3]
        nearest, cell, sub, squared = [0.0] * 3, reference(0), reference(0), reference(0.0)
        for place in places:
            self._locator.FindClosestPoint(place.tolist(), nearest, cell, sub, squared)
            self._worst = max(self._worst, float(squared.get()) ** 0.5 / self._diagonal)
        self._pixels += len(places)

    def worst(self):
        """The largest distance as a part of the diagonal, and how many pixels were checked."""
        return {"value": self._worst, "pixels": self._pixels} if self._pixels else None
