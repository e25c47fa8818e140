"""The drawn surface as binary glTF 2.0 for a browser.

One primitive of triangles with POSITION, NORMAL, and with a field COLOR_0 (the colour
map's colours, linear, as glTF asks) and _SCALAR (the field's values). A deformed shape
is the rest shape with a morph target whose weight is the scale. asset.extras.atelier
holds the field's name, unit, range and colour map.
"""

import json
import struct

import numpy as np

from . import fields

_FLOAT, _BYTE, _INDEX = 5126, 5121, 5125
_ARRAY, _ELEMENT = 34962, 34963


class _Builder:
    def __init__(self):
        self.body, self.views, self.accessors = bytearray(), [], []

    def add(self, array, kind, component, target=_ARRAY, bounds=False, normalized=False):
        """Appends an array as a buffer view and an accessor; returns the accessor's index."""
        data = np.ascontiguousarray(array).tobytes()
        self.views.append(
            {"buffer": 0, "byteOffset": len(self.body), "byteLength": len(data), "target": target}
        )
        self.body += data + b"\0" * (-len(data) % 4)
        accessor = {
            "bufferView": len(self.views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if bounds:
            rows = array.reshape(len(array), -1)
            accessor["min"], accessor["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        if normalized:
            accessor["normalized"] = True
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def write(path, job):
    """Writes the surface of a job."""
    shell, build = job.shell, _Builder()
    triangles, sample = shell.triangles, shell.sample
    normals, scalars = shell.normals, job.point_values
    if job.triangle_values is not None:  # one value for all of a triangle: corners of its own
        corner = triangles.ravel()
        triangles = np.arange(len(corner)).reshape(-1, 3)
        sample, normals = sample[corner], normals[corner]
        scalars = np.repeat(job.triangle_values, 3)
    morph = job.shift is not None and job.ghost is not None
    rest = job.surface.points if morph else job.points
    attributes = {
        "POSITION": build.add(rest[sample].astype("<f4"), "VEC3", _FLOAT, bounds=True),
        "NORMAL": build.add(normals.astype("<f4"), "VEC3", _FLOAT),
    }
    if scalars is not None:
        finite = np.nan_to_num(scalars, nan=job.low, posinf=job.high, neginf=job.low)
        attributes["_SCALAR"] = build.add(finite.astype("<f4"), "SCALAR", _FLOAT, bounds=True)
        attributes["COLOR_0"] = build.add(_colours(job, finite), "VEC4", _BYTE, normalized=True)
    primitive = {"attributes": attributes, "material": 0, "mode": 4}
    if morph:
        moves = job.surface.interpolate(job.shift)[sample]
        primitive["targets"] = [{"POSITION": build.add(moves.astype("<f4"), "VEC3", _FLOAT, bounds=True)}]
    primitive["indices"] = build.add(triangles.astype("<u4").ravel(), "SCALAR", _INDEX, _ELEMENT)
    mesh = {"primitives": [primitive], "name": "surface"}
    if morph:
        mesh["weights"] = [job.scale]
    _save(path, _document(job, build, mesh), build.body)


def _colours(job, values):
    """The colour map at the values; glTF's vertex colours are linear, the tables are sRGB."""
    span = job.high - job.low or 1.0
    index = np.clip((values - job.low) / span * len(job.table), 0, len(job.table) - 1).astype(int)
    srgb = job.table[index] / 255.0
    linear = np.where(srgb > 0.04045, ((srgb + 0.055) / 1.055) ** 2.4, srgb / 12.92)
    colours = np.full((len(values), 4), 255, np.uint8)
    colours[:, :3] = (linear * 255 + 0.5).astype(np.uint8)
    return colours


def _document(job, build, mesh):
    extras = {"length_unit": job.mesh.length_unit}
    if job.scalar:
        known = {k: job.stats[k] for k in ("name", "component", "unit", "min", "max")}
        colormap = job.request.get("colormap") or "viridis"
        extras["field"] = {**known, "range": [job.low, job.high], "colormap": colormap}
        if job.categories is not None:
            extras["field"]["categories"] = job.categories
    if job.shift is not None:
        extras["warp"] = {"field": job.request["warp"]["field"], "scale": job.scale}
    extras["arrays"] = [a["name"] for a in fields.describe(job.mesh)][:32]
    pbr = {"baseColorFactor": [1, 1, 1, 1], "metallicFactor": 0.0, "roughnessFactor": 0.9}
    if not job.scalar:
        pbr["baseColorFactor"] = [0.45, 0.52, 0.60, 1]
    return {
        "asset": {"version": "2.0", "generator": "atelier", "extras": {"atelier": extras}},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [mesh],
        "materials": [{"pbrMetallicRoughness": pbr, "doubleSided": True}],
        "buffers": [{"byteLength": len(build.body)}],
        "bufferViews": build.views,
        "accessors": build.accessors,
    }


def _save(path, document, body):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(body), b"BIN\0") + body)
