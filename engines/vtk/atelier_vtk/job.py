"""One job: from the request to files and the answer."""

import json
import os
import time

import numpy as np

from . import annotate, cameras, colormaps, fields, glb, pictures, scene, shading
from .cut import cut
from .protocol import BUFFER, INVALID, RENDER, DriverError, progress
from .read import read
from .stage import Stage
from .surface import extract
from .verify import Residual

SUPERSAMPLED = 8_300_000  # pixels of a picture, up to which it is drawn at twice its size
MULTISAMPLED = 17_000_000


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
        self._shape()
        self._lap("surface_ms")
        if self.stage is None:
            self.stage = Stage()
            self._lap("context_ms")
        views = self._pictures()
        self._lap("draw_ms")
        if self.request["outputs"].get("glb"):
            self._glb()
            self._lap("glb_ms")
        return {
            "type": "result",
            "output": self._output(views),
            "artifacts": self.artifacts,
            "metrics": {**self.timing, "triangles": len(self.shell.triangles), "driver": self.stage.describe()},
            "warnings": self.warnings,
        }

    def _lap(self, name):
        now = time.perf_counter()
        self.timing[name] = round(1000 * (now - self._clock), 1)
        self._clock = now

    def warn(self, code, message):
        """Adds a warning to the answer."""
        self.warnings.append({"code": code, "message": message})

    def _load(self):
        r = self.request
        progress(0.02, "reading")
        self.mesh = read(r)
        self.arrays = fields.describe(self.mesh)
        self.scalar = self.stats = None
        if r.get("field"):
            self.scalar = fields.scalar(self.mesh, r["field"], r.get("component"), r.get("unit", ""))
            self.stats = fields.statistics(self.mesh, self.scalar)
            if self.stats["not_finite"]:
                count = self.stats["not_finite"]
                self.warn("field_not_finite", f"{count} values of the field are NaN or infinite; they are shown gray.")
        elif r.get("component") is not None or r.get("range"):
            raise DriverError(INVALID, "component and range need a field.", "Name the field.", "/field")
        self.shift, self.scale = None, 1.0
        if r.get("warp"):
            self.shift = fields.displacement(self.mesh, r["warp"]["field"])
            self.scale = fields.warp_scale(self.mesh, self.shift, r["warp"].get("scale", "auto"))

    def _shape(self):
        """The surface that is drawn, its colours, and its lines."""
        progress(0.1, "extracting the surface")
        r, mesh = self.request, self.mesh
        self.ghost = None
        if self.shift is not None and not (r.get("slice") or r.get("clip")):
            self.ghost = self._outline(mesh)
        whole = mesh
        if self.shift is not None and (r.get("slice") or r.get("clip")):
            mesh = self._moved(mesh)
        shown, values = mesh, self.scalar.values if self.scalar else None
        if r.get("slice") or r.get("clip"):
            shown, values = cut(mesh, values, bool(self.scalar and self.scalar.on_cells), r.get("slice"), r.get("clip"))
        self.surface = extract(shown)
        points = self.surface.points
        if shown is whole and self.shift is not None:
            points = points + self.scale * self.surface.interpolate(self.shift)
        self.points = points
        self.shell = scene.shell(self.surface, points, shown.diagonal())
        self._colour(values)
        self.group = None
        if "face_id" in shown.cell_data:
            self.group = shown.cell_data["face_id"][self.surface.cell, 0]

    def _moved(self, mesh):
        from dataclasses import replace

        return replace(mesh, points=mesh.points + self.scale * self.shift)

    def _outline(self, mesh):
        surface = extract(mesh)
        merged = scene.coincident(surface.points, mesh.diagonal())
        return surface.points, shading.feature_edges(surface.points, surface.triangles, merged)

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
        from numpy import unique

        if not self.scalar.name.lower().endswith(("id", "ids", "attribute", "material", "region")):
            return
        names, place = unique(self.triangle_values, return_inverse=True)
        if len(names) > 256 or (names != names.round()).any():
            return
        self.categories = [int(n) for n in names]
        self.table = colormaps.palette(len(names))
        self.triangle_values = place.ravel() + 0.5

    def _pictures(self):
        r = self.request
        shell = self.shell
        drawn = np.concatenate([shell.points, self.points[np.r_[self.surface.lines.ravel(), self.surface.dots]]])
        self.bounds = drawn.min(axis=0), drawn.max(axis=0)
        margins = self._margins()
        eyes = [cameras.make(v, i, drawn, self.bounds, r, margins) for i, v in enumerate(r["views"])]
        buffers = r["outputs"]["depth"] or r["outputs"]["normal"]
        if buffers and not len(shell.triangles):
            raise DriverError(
                BUFFER, "The mesh has lines or points only.", "Set output_depth and output_normal to false."
            )
        residual = Residual(shell) if len(shell.triangles) else None
        views = [{"view": v["name"], "camera": eye} for v, eye in zip(r["views"], eyes, strict=True)]
        self._buffers(views, residual)
        if r["outputs"]["color"]:
            self._colours(views)
        if all(v["coverage"] == 0 for v in views):
            raise DriverError(
                RENDER, "No view shows any of the part.", "Point the cameras at the bounds given.", "/views",
                {"bounds_min": self.bounds[0].tolist(), "bounds_max": self.bounds[1].tolist()},
            )  # fmt: skip
        for v in views:
            if v["coverage"] == 0:
                self.warn("nothing_visible", f"The view {v['view']} shows nothing of the part.")
        self.residual = residual.worst() if residual else None
        return views

    def _annotated(self):
        return self.request.get("annotations", True) and self._sizes()[0] >= annotate.SMALLEST

    def _sizes(self):
        """The shorter side of the picture in pixels, and the unit that texts and lines scale with."""
        width, height = self.request["width"], self.request["height"]
        return min(width, height), max(0.6, min(width / 1024, height / 768))

    def _margins(self):
        """Parts of the picture that a tight view leaves free: left, right, top, bottom."""
        margins = [0.04, 0.04, 0.04, 0.04]
        if self._annotated() and self.request["outputs"]["color"]:
            unit = self._sizes()[1]
            margins[3] = max(0.04, 36 * unit / self.request["height"])
            if self.scalar:
                margins[1] = min(0.3, 124 * unit / self.request["width"])
            if self.scalar or self.request.get("title"):
                margins[2] = min(0.25, 84 * unit / self.request["height"])
        return margins

    def _buffers(self, views, residual):
        """Depth and normals of all views, without anti-aliasing; also tells what part of a picture is covered."""
        r, out = self.request, self.request["outputs"]
        extra = self._line_actors(1.0) if not len(self.shell.triangles) else []
        actor = scene.normal_actor(self.shell) if len(self.shell.triangles) else None
        self.stage.show(([actor] if actor else []) + extra)
        self.stage.light(plain=True)
        self.stage.background((0.0, 0.0, 0.0))
        for i, view in enumerate(views):
            progress(0.3 + 0.3 * i / len(views), f"depth and normals of {view['view']}")
            eye, stem = view["camera"], r["views"][i]["stem"]
            if actor:
                scene.set_normal_space(actor, self._normal_matrix(eye))
            self.stage.draw(eye, r["width"], r["height"], 0)
            depth = self.stage.depths()
            view["coverage"] = float((depth > 0).mean())
            view["depth_range"] = [float(depth[depth > 0].min()), float(depth.max())] if depth.any() else None
            if residual:
                residual.add(eye, depth)
            if out["depth"]:
                name = f"{stem}_depth.tiff"
                note = {"depth": "along the line of sight", "unit": self.mesh.length_unit, "background": 0}
                pictures.write_tiff(name, depth, json.dumps(note))
                self._artifact(view, "depth_path", name, "image/tiff")
            if out["normal"]:
                image = self.stage.colours().copy()
                image[depth == 0] = 0
                pictures.write_png(f"{stem}_normal.png", image)
                self._artifact(view, "normal_path", f"{stem}_normal.png", "image/png")

    def _normal_matrix(self, eye):
        if self.request.get("normal_space") == "camera":
            return np.eye(3)
        # VTK's camera has y up and z to the viewer: rows right, up, backward.
        rotation = eye.rotation() * np.array([[1.0], [-1.0], [-1.0]])
        return rotation.T

    def _artifact(self, view, key, name, mime):
        view[key] = name
        self.artifacts.append({"name": name, "mime_type": mime, "primary": True})

    def _colours(self, views):
        r = self.request
        pixels = r["width"] * r["height"]
        factor = 2 if pixels <= SUPERSAMPLED else 1
        samples = 0 if factor == 2 or pixels > MULTISAMPLED else 4
        unit = factor * self._sizes()[1]
        actors = self._line_actors(unit)
        if len(self.shell.triangles):
            lighting = r.get("lighting", True)
            actors.append(
                scene.surface_actor(self.shell, self.point_values, self.triangle_values, self.lut, lighting)
            )
        self.stage.show(actors)
        self.stage.light(plain=False)
        bottom, top, ink = BACKGROUNDS[r.get("background") or "white"]
        self.stage.background(bottom, top)
        for i, view in enumerate(views):
            progress(0.6 + 0.35 * i / len(views), f"picture of {view['view']}")
            self.stage.draw(view["camera"], factor * r["width"], factor * r["height"], samples)
            image = pictures.halved(self.stage.colours()) if factor == 2 else self.stage.colours().copy()
            canvas = annotate.Canvas(image, ink)
            if self._annotated():
                self._annotate(canvas, view["camera"])
            name = f"{r['views'][i]['stem']}_color.png"
            pictures.write_png(name, canvas.image)
            self._artifact(view, "color_path", name, "image/png")

    def _line_actors(self, unit):
        r, actors, shell = self.request, [], self.shell
        if r.get("edges") and len(self.surface.edges):
            edges = shading.unique_edges(self.surface.edges, shell.merged)
            actors.append(scene.line_actor(self.points, edges, scene.EDGE_COLOUR, 0.5 * unit))
        if r.get("feature_edges", True) and len(self.surface.triangles):
            edges = shading.feature_edges(self.points, self.surface.triangles, shell.merged, self.group)
            if len(edges):
                actors.append(scene.line_actor(self.points, edges, scene.LINE_COLOUR, 1.3 * unit))
        if self.ghost is not None and len(self.ghost[1]):
            actors.append(scene.line_actor(*self.ghost, scene.GHOST_COLOUR, 1.1 * unit))
        if len(self.surface.lines):
            actors.append(scene.line_actor(self.points, self.surface.lines, scene.LINE_COLOUR, 2 * unit))
        if len(self.surface.dots):
            actors.append(scene.dot_actor(self.points, self.surface.dots, (0.27, 0.42, 0.62), 5 * unit))
        return actors

    def _annotate(self, canvas, eye):
        annotate.axes(canvas, eye.rotation())
        heading, lines = self.request.get("title", ""), []
        if self.scalar:
            label = self.scalar.label()
            heading = heading or label
            if self.categories is None:
                unit, factor = annotate.display_unit(self.stats["unit"], max(abs(self.stats["min"]), abs(self.stats["max"])))
                low, high = (f"{annotate.number(self.stats[k] * factor)} {unit}".strip() for k in ("min", "max"))
                lines.append(f"min {low}    max {high}")
            annotate.scalar_bar(canvas, self.table, self.low, self.high, self.stats["unit"], label, self.categories)
        if self.shift is not None:
            lines.append(f"deformation × {annotate.number(self.scale)}")
        if self.request.get("time") is not None:
            lines.append(f"t = {annotate.number(self.request['time'])}")
        if heading or lines:
            annotate.title(canvas, heading, lines)
        size = self.mesh.points.max(axis=0) - self.mesh.points.min(axis=0)
        words = " × ".join(annotate.number(s, 4) for s in size)
        annotate.caption(canvas, f"{words} {self.mesh.length_unit}".strip())

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
            "arrays": self.arrays[:32],
        }
        if len(self.arrays) > 32:
            self.warn("arrays_cut", f"The file has {len(self.arrays)} fields; the first 32 are listed.")
        if self.scalar:
            ends = [self.low, self.high] if self.categories is None else [self.stats["min"], self.stats["max"]]
            output["field"] = {**self.stats, "range": ends}
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


_DARK, _LIGHT = (38, 42, 48), (232, 235, 239)
# Bottom, top of a gradient, and the colour of text.
BACKGROUNDS = {
    "white": ((1.0, 1.0, 1.0), None, _DARK),
    "gradient": ((0.985, 0.988, 0.992), (0.80, 0.85, 0.91), _DARK),
    "gray": ((0.82, 0.835, 0.85), None, _DARK),
    "dark": ((0.10, 0.115, 0.14), (0.20, 0.23, 0.28), _LIGHT),
    "black": ((0.0, 0.0, 0.0), None, _LIGHT),
}


def remove_pictures(request):
    """Takes away what a failed job may have left."""
    for view in request.get("views", []):
        for ending in ("color.png", "depth.tiff", "normal.png"):
            name = f"{view.get('stem')}_{ending}"
            if os.path.exists(name):
                os.remove(name)
