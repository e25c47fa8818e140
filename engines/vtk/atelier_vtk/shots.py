"""The images of a job: cameras, colour pictures, depth and normal images."""

import json

import numpy as np

from . import annotate, cameras, pictures, scene, shading
from .codes import BUFFER_EXTRACTION_FAILED as BUFFER
from .codes import RENDER_PACK_FAILED as RENDER
from .protocol import Error, progress
from .verify import Residual

SUPERSAMPLED = 8_300_000  # pixels of a picture, up to which it is drawn at twice its size
MULTISAMPLED = 17_000_000

_DARK, _LIGHT = (38, 42, 48), (232, 235, 239)
# Bottom, top of a gradient, and the colour of text.
BACKGROUNDS = {
    "white": ((1.0, 1.0, 1.0), None, _DARK),
    "gradient": ((0.985, 0.988, 0.992), (0.80, 0.85, 0.91), _DARK),
    "gray": ((0.82, 0.835, 0.85), None, _DARK),
    "dark": ((0.10, 0.115, 0.14), (0.20, 0.23, 0.28), _LIGHT),
    "black": ((0.0, 0.0, 0.0), None, _LIGHT),
}


class Shots:
    """Draws the views of one Job."""

    def __init__(self, job):
        self.job, self.request, self.stage = job, job.request, job.stage
        self.bounds = self.residual = None

    def draw(self):
        """Writes all images; returns what the answer says of each view."""
        r = self.request
        shell = self.job.shell
        loose = np.r_[self.job.surface.lines.ravel(), self.job.surface.dots]
        drawn = np.concatenate([shell.points, self.job.points[loose]])
        self.bounds = drawn.min(axis=0), drawn.max(axis=0)
        margins = self._margins()
        if self.job.ghost is not None:  # the outline of the rest shape is to be seen whole
            drawn = np.concatenate([drawn, self.job.ghost[0]])
        eyes = [cameras.make(v, i, drawn, self.bounds, r, margins) for i, v in enumerate(r["views"])]
        buffers = r["outputs"]["depth"] or r["outputs"]["normal"]
        if buffers and not len(shell.triangles):
            raise Error(
                BUFFER, "The mesh has lines or points only.", "Set output_depth and output_normal to false."
            )
        residual = Residual(shell) if len(shell.triangles) else None
        views = [{"view": v["name"], "camera": eye} for v, eye in zip(r["views"], eyes, strict=True)]
        self._buffers(views, residual)
        if r["outputs"]["color"]:
            self._colours(views)
        if all(v["coverage"] == 0 for v in views):
            raise Error(
                RENDER, "No view shows any of the part.", "Point the cameras at the bounds given.", "/views",
                {"bounds_min": self.bounds[0].tolist(), "bounds_max": self.bounds[1].tolist()},
            )  # fmt: skip
        for v in views:
            if v["coverage"] == 0:
                self.job.warn("nothing_visible", f"The view {v['view']} shows nothing of the part.")
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
            if self.job.scalar:
                margins[1] = min(0.3, 124 * unit / self.request["width"])
            if self.job.scalar or self.request.get("title"):
                margins[2] = min(0.25, 84 * unit / self.request["height"])
        return margins

    def _buffers(self, views, residual):
        """Depth and normals of all views, without anti-aliasing; also what part of each is covered."""
        r, out = self.request, self.request["outputs"]
        extra = self._line_actors(1.0) if not len(self.job.shell.triangles) else []
        actor = scene.normal_actor(self.job.shell) if len(self.job.shell.triangles) else None
        self.stage.show(([actor] if actor else []) + extra)
        self.stage.light(plain=True)
        self.stage.background((0.0, 0.0, 0.0))
        for i, view in enumerate(views):
            progress(0.3 + 0.3 * i / len(views), f"depth and normals of {view['view']}")
            eye, stem = view["camera"], r["views"][i]["stem"]
            if actor:
                scene.set_normal_space(actor, self._normal_matrix(eye))
            self.stage.draw(eye, r["width"], r["height"], 0)
            depth = self._depth()
            if depth is None:
                view["coverage"] = float(self.stage.colours().any(axis=2).mean())  # no normal is black
                view["depth_range"] = None
                continue
            view["coverage"] = float((depth > 0).mean())
            view["depth_range"] = [float(depth[depth > 0].min()), float(depth.max())] if depth.any() else None
            if residual:
                residual.add(eye, depth)
            if out["depth"]:
                name = f"{stem}_depth.tiff"
                note = {
                    "depth": "along the line of sight",
                    "unit": self.job.mesh.length_unit,
                    "background": 0,
                }
                pictures.write_tiff(name, depth, json.dumps(note))
                self._artifact(view, "depth_path", name, "image/tiff")
            if out["normal"]:
                image = self.stage.colours().copy()
                image[depth == 0] = 0
                pictures.write_png(f"{stem}_normal.png", image)
                self._artifact(view, "normal_path", f"{stem}_normal.png", "image/png")

    def _depth(self):
        """The depth image; None where it cannot be read back and colours are all that is asked for."""
        try:
            return self.stage.depths()
        except Error as fault:
            if self.request["outputs"]["depth"] or self.request["outputs"]["normal"]:
                raise
            self.job.warn_once(
                "depth_unreadable", fault.message + " The pictures were not held against the part."
            )
            return None

    def _normal_matrix(self, eye):
        if self.request.get("normal_space") == "camera":
            return np.eye(3)
        # VTK's camera has y up and z to the viewer: rows right, up, backward.
        rotation = eye.rotation() * np.array([[1.0], [-1.0], [-1.0]])
        return rotation.T

    def _artifact(self, view, key, name, mime):
        view[key] = name
        self.job.artifacts.append({"name": name, "mime_type": mime, "primary": True})

    def _colours(self, views):
        r = self.request
        pixels = r["width"] * r["height"]
        factor = 2 if pixels <= SUPERSAMPLED else 1
        samples = 0 if factor == 2 or pixels > MULTISAMPLED else 4
        unit = factor * self._sizes()[1]
        actors = self._line_actors(unit)
        if len(self.job.shell.triangles):
            lighting = r.get("lighting", True)
            actors.append(
                scene.surface_actor(
                    self.job.shell, self.job.point_values, self.job.triangle_values, self.job.lut, lighting
                )
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
        r, actors, shell = self.request, [], self.job.shell
        if r.get("edges") and len(self.job.surface.edges):
            edges = shading.unique_edges(self.job.surface.edges, shell.merged)
            actors.append(scene.line_actor(self.job.points, edges, scene.EDGE_COLOUR, 0.5 * unit))
        if r.get("feature_edges", True) and len(self.job.surface.triangles):
            edges = shading.feature_edges(
                self.job.points, self.job.surface.triangles, shell.merged, self.job.group
            )
            if len(edges):
                actors.append(scene.line_actor(self.job.points, edges, scene.LINE_COLOUR, 1.3 * unit))
        if self.job.ghost is not None and len(self.job.ghost[1]):
            actors.append(scene.line_actor(*self.job.ghost, scene.GHOST_COLOUR, 1.1 * unit, rank=1))
        if len(self.job.surface.lines):
            actors.append(
                scene.line_actor(self.job.points, self.job.surface.lines, scene.LINE_COLOUR, 2 * unit)
            )
        if len(self.job.surface.dots):
            actors.append(
                scene.dot_actor(self.job.points, self.job.surface.dots, (0.27, 0.42, 0.62), 5 * unit)
            )
        return actors

    def _annotate(self, canvas, eye):
        job = self.job
        annotate.axes(canvas, eye.rotation())
        heading, lines = self.request.get("title", ""), []
        if job.scalar:
            label, unit = job.scalar.label(), job.stats["unit"]
            heading = heading or label
            if job.categories is None:
                low, high = job.stats["min"], job.stats["max"]
                low, high = annotate.quantities((low, high), unit)
                lines.append(f"min {low}    max {high}")
            annotate.scalar_bar(canvas, job.table, job.low, job.high, unit, label, job.categories)
        if job.shift is not None:
            lines.append(f"deformation {annotate.TIMES} {annotate.number(job.scale)}")
        if self.request.get("time") is not None:
            lines.append(f"t = {annotate.number(self.request['time'])}")
        if heading or lines:
            annotate.title(canvas, heading, lines)
        size = np.ptp(job.mesh.points, axis=0)
        shown, factor = annotate.display_unit(job.mesh.length_unit, float(size.max()))
        words = f" {annotate.TIMES} ".join(annotate.number(s * factor) for s in size)
        annotate.caption(canvas, f"{words} {shown}".strip())
