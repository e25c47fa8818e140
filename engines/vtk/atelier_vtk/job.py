"""One job: from the request to files and the answer."""

import os
import time
from dataclasses import replace

import numpy as np

from . import colormaps, fields, glb, scene, shading
from .codes import INVALID_INPUT as INVALID
from .cut import cut
from .protocol import Error, progress
from .read import read
from .shots import Shots
from .stage import Stage
from .surface import extract


class Job:
    """Holds what the pictures of one request share."""

    def __init__(self, request, stage):
        self.request, self.stage = request, stage
        self.warnings, self.artifacts, self.timing = [], [], {}
        self._clock = time.perf_counter()

    def run(self):
        """Draws everything; returns the result line."""
        self._load()
        self._lap("read_ms")
        if self.own_unit:
            # Only the caller converts units: it asks again, with the factor.
            output = {"own_unit": self.own_unit}
            return {
                "type": "result",
                "output": output,
                "artifacts": [],
                "metrics": self.timing,
                "warnings": [],
            }
        self._shape()
        self._lap("surface_ms")
        if self.stage is None:
            self.stage = Stage()
            self._lap("context_ms")
        shots = Shots(self)
        views = shots.draw()
        self.residual, self.bounds = shots.residual, shots.bounds
        self._lap("draw_ms")
        if self.request["outputs"].get("glb"):
            self._glb()
            self._lap("glb_ms")
        return {
            "type": "result",
            "output": self._output(views),
            "artifacts": self.artifacts,
            "metrics": {**self.timing, "triangles": len(self.shell.triangles), "driver": self.stage.driver()},
            "warnings": self.warnings,
        }

    def _lap(self, name):
        now = time.perf_counter()
        self.timing[name] = round(1000 * (now - self._clock), 1)
        self._clock = now

    def warn(self, code, message):
        """Adds a warning to the answer."""
        self.warnings.append({"code": code, "message": message})

    def warn_once(self, code, message):
        """Adds a warning that holds for the whole job."""
        if all(w["code"] != code for w in self.warnings):
            self.warn(code, message)

    def _load(self):
        r = self.request
        progress(0.02, "reading")
        self.mesh = read(r)
        self.arrays = fields.describe(self.mesh)
        self.scalar = self.stats = None
        self.own_unit = ""
        if r.get("field"):
            unit, convert = r.get("unit", ""), r.get("convert")
            self.scalar = fields.scalar(self.mesh, r["field"], r.get("component"), unit, convert)
            own = fields.unit_of(self.mesh, r["field"])
            if unit and own != unit and not convert:
                self.own_unit = own
            self.stats = fields.statistics(self.mesh, self.scalar)
            if self.stats["not_finite"]:
                count = self.stats["not_finite"]
                self.warn("field_not_finite", f"{count} values are NaN or infinite; they are shown gray.")
        elif r.get("component") is not None or r.get("range"):
            raise Error(INVALID, "component and range need a field.", "Name the field.", "/field")
        self.shift, self.scale = None, 1.0
        if r.get("warp"):
            self.shift = fields.displacement(self.mesh, r["warp"]["field"])
            self.scale = fields.warp_scale(self.mesh, self.shift, r["warp"].get("scale", "auto"))

    def _shape(self):
        """The surface that is drawn, its colours, and its lines."""
        progress(0.1, "extracting the surface")
        r, mesh = self.request, self.mesh
        cutting = bool(r.get("slice") or r.get("clip"))
        shown, values = mesh, self.scalar.values if self.scalar else None
        if cutting:
            whole = mesh if self.shift is None else self._moved(mesh)
            on_cells = bool(self.scalar and self.scalar.on_cells)
            shown, values = cut(whole, values, on_cells, r.get("slice"), r.get("clip"))
        self.surface = extract(shown)
        self.points = self.surface.points
        self.ghost = None
        if self.shift is not None and not cutting:
            self.ghost = self._outline(mesh)
            self.points = self.points + self.scale * self.surface.interpolate(self.shift)
        self.shell = scene.shell(self.surface, self.points, shown.diagonal())
        self._colour(values)
        self.group = None
        if "face_id" in shown.cell_data:
            self.group = shown.cell_data["face_id"][self.surface.cell, 0]

    def _moved(self, mesh):
        return replace(mesh, points=mesh.points + self.scale * self.shift)

    def _outline(self, mesh):
        """Sharp edges of the rest shape, which is the surface before it is moved."""
        points = self.surface.points
        merged = scene.coincident(points, mesh.diagonal())
        return points, shading.feature_edges(points, self.surface.triangles, merged)

    def _colour(self, values):
        """Range and table, and the values at vertices or triangles."""
        self.point_values = self.triangle_values = self.lut = self.categories = None
        if self.scalar is None:
            return
        low, high = self.request.get("range") or (self.stats["min"], self.stats["max"])
        if self.scalar.on_cells:
            self.triangle_values = values[self.surface.cell]
        else:
            self.point_values = self.shell.values(self.surface.interpolate(values))
        self.table = colormaps.table(self.request.get("colormap") or "viridis")
        if self.scalar.on_cells and not self.request.get("colormap") and not self.request.get("range"):
            self._categorise()
            if self.categories is not None:
                low, high = 0.0, float(len(self.categories))
        self.low, self.high = float(low), float(high)
        if not self.low < self.high:
            self.warn("field_constant", f"The field has one value only, {self.low:g}.")
        margin = 0.0 if self.low < self.high else max(1e-12, 1e-3 * abs(self.low))
        self.lut = scene.lookup(self.table, self.low - margin, self.high + margin)

    def _categorise(self):
        """Whole numbers that name things (CAD faces, attributes) get colours that differ."""
        if not self.scalar.name.lower().endswith(("id", "ids", "attribute", "material", "region")):
            return
        names, place = np.unique(self.triangle_values, return_inverse=True)
        if len(names) > 256 or (names != names.round()).any():
            return
        self.categories = [int(n) for n in names]
        self.table = colormaps.palette(len(names))
        self.triangle_values = place.ravel() + 0.5

    def _glb(self):
        progress(0.96, "writing the surface")
        glb.write("surface.glb", self)
        self.artifacts.append({"name": "surface.glb", "mime_type": "model/gltf-binary"})

    def _output(self, views):
        output = {
            "views": [self._view(v) for v in views],
            "camera_intrinsics": views[0]["camera"].intrinsics(),
            "bounds_min": self.bounds[0],
            "bounds_max": self.bounds[1],
            "length_unit": self.mesh.length_unit,
            "own_length_unit": self.mesh.own_length_unit,
            "arrays": self.arrays[:32],
        }
        if len(self.arrays) > 32:
            self.warn("arrays_cut", f"The file has {len(self.arrays)} fields; the first 32 are listed.")
        if self.scalar:
            named = self.categories is not None
            ends = [self.stats["min"], self.stats["max"]] if named else [self.low, self.high]
            output["field"] = {**self.stats, "range": ends}
            output["field_own_unit"] = fields.unit_of(self.mesh, self.request["field"])
        if self.shift is not None:
            largest = float(np.linalg.norm(self.shift, axis=1).max())
            output["warp"] = {"field": self.request["warp"]["field"], "scale": self.scale, "largest": largest}
        if self.request["outputs"].get("glb"):
            output["glb_path"] = "surface.glb"
        if self.residual is not None:
            output["depth_residual"] = self.residual
        return output

    def _view(self, view):
        eye = view["camera"]
        told = {k: view[k] for k in ("color_path", "depth_path", "normal_path") if k in view}
        return {
            "view": view["view"],
            **told,
            "extrinsics": np.round(eye.extrinsics(), 12),
            "position": eye.position,
            "focal_point": eye.focal_point,
            "view_up": eye.view_up,
            "near": eye.near,
            "far": eye.far,
            "coverage": view["coverage"],
            "depth_range": view["depth_range"],
        }


def remove_pictures(request):
    """Takes away what a failed job may have left."""
    for view in request.get("views", []):
        for ending in ("color.png", "depth.tiff", "normal.png"):
            name = f"{view.get('stem')}_{ending}"
            if os.path.exists(name):
                os.remove(name)
