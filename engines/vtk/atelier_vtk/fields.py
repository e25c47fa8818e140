"""Fields of a mesh: which there are, one scalar out of each, and its extremes."""

import re
from dataclasses import dataclass

import numpy as np

from .codes import INVALID_INPUT as INVALID
from .protocol import Error

AXES = {"x": 0, "y": 1, "z": 2}
# VTK's order of a symmetric tensor.
SYMMETRIC = ("xx", "yy", "zz", "xy", "yz", "xz")


@dataclass
class Scalar:
    """One number per point or per cell, with what it is called."""

    name: str
    component: str
    unit: str
    on_cells: bool
    values: np.ndarray

    def label(self):
        """What stands above the scalar bar, without the unit."""
        if "mises" in self.name.lower() or self.component == "von_mises":
            return "von Mises stress"
        pretty = re.sub(r"\s*[\[(][^\[\]()]*[\])]\s*$", "", self.name).replace("_", " ")
        return f"{pretty} {self.component.replace('_', ' ')}".strip()


def describe(mesh):
    """The list of arrays for the output, points' before cells'."""
    listing = []
    for association, arrays in (("point", mesh.point_data), ("cell", mesh.cell_data)):
        for name, array in arrays.items():
            size = np.linalg.norm(array, axis=1) if array.shape[1] > 1 else array[:, 0].astype(np.float64)
            finite = size[np.isfinite(size)]
            entry = {"name": name, "association": association, "components": array.shape[1]}
            entry["unit"] = unit_of(mesh, name)
            entry["min"] = float(finite.min()) if len(finite) else None
            entry["max"] = float(finite.max()) if len(finite) else None
            listing.append(entry)
    return listing


def unit_of(mesh, name):
    """The unit that the file gives to an array, or that its name ends with in brackets."""
    unit = mesh.units.get(name)
    if unit:
        return "" if unit == "1" else str(unit)  # a ratio
    found = re.search(r"[\[(]([^\[\]()]+)[\])]\s*$", name)
    return found[1] if found else ""


def _find(mesh, name, field):
    if name in mesh.point_data:
        return mesh.point_data[name], False
    if name in mesh.cell_data:
        return mesh.cell_data[name], True
    known = list(mesh.point_data) + list(mesh.cell_data)
    if not known:
        message = f'There is no field "{name}": the file holds geometry only.'
        raise Error(INVALID, message, f"Leave {field} away.", field)
    names = ", ".join(known[:20])
    raise Error(
        INVALID, f'There is no field "{name}".', f"The file has: {names}.", field, {"fields": known[:64]}
    )


def scalar(mesh, name, component, unit, convert=None):
    """The Scalar of a field; component is None, a name, or an index. convert turns the values
    into the unit: a factor and what is added then."""
    array, on_cells = _find(mesh, name, "/field")
    values, label = _component(array.astype(np.float64), name, component)
    if not np.isfinite(values).any():
        raise Error(INVALID, f'The field "{name}" has no finite value.', field="/field")
    if convert:
        values = values * convert["factor"] + convert["offset"]
    return Scalar(name, label, unit or unit_of(mesh, name), on_cells, values)


def _component(array, name, component):
    count = array.shape[1]
    if component is None:
        if count == 1:
            return array[:, 0], ""
        stress = count in (6, 9) and re.search(r"stress|sigma", name, re.IGNORECASE)
        component = "von_mises" if stress else "magnitude"
    if component == "magnitude":
        return _magnitude(array), "magnitude" if count > 1 else ""
    if component == "von_mises":
        return _von_mises(array, name), "von_mises"
    index = AXES.get(component, component)
    if not isinstance(index, int) or not 0 <= index < count:
        raise Error(
            INVALID,
            f'The field "{name}" has {count} component(s); there is no component {component}.',
            f"Use magnitude or an index from 0 to {count - 1}.",
            "/component",
        )
    if count == 6:
        return array[:, index], SYMMETRIC[index]
    if count == 9:
        return array[:, index], "xyz"[index // 3] + "xyz"[index % 3]
    return array[:, index], "xyz"[index] if 1 < count <= 3 else (str(index) if count > 1 else "")


def _magnitude(array):
    if array.shape[1] == 6:  # the Frobenius norm counts each shear twice
        return np.sqrt((array[:, :3] ** 2).sum(1) + 2 * (array[:, 3:] ** 2).sum(1))
    if array.shape[1] == 1:
        return np.abs(array[:, 0])
    return np.linalg.norm(array, axis=1)


def _von_mises(array, name):
    if array.shape[1] == 1 and "mises" in name.lower():
        return array[:, 0]
    if array.shape[1] == 9:
        array = array[:, [0, 4, 8, 1, 5, 2]]
    if array.shape[1] != 6:
        raise Error(
            INVALID,
            f'The field "{name}" has {array.shape[1]} component(s); von_mises needs a tensor of 6 or 9.',
            "Use the component magnitude, or a stress field.",
            "/component",
        )
    xx, yy, zz, xy, yz, xz = array.T
    shear = xy**2 + yz**2 + xz**2
    return np.sqrt(0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * shear)


def statistics(mesh, field):
    """Extremes and where they are (a point, or a cell's middle), in the file's own coordinates."""
    used = np.zeros(len(field.values), bool)
    for block in mesh.blocks:
        used[block.ids if field.on_cells else block.conn] = True
    values = np.where(used & np.isfinite(field.values), field.values, np.nan)
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    return {
        "name": field.name,
        "component": field.component,
        "unit": field.unit,
        "association": "cell" if field.on_cells else "point",
        "min": float(values[low]),
        "min_at": _place(mesh, field, low),
        "max": float(values[high]),
        "max_at": _place(mesh, field, high),
        "mean": float(np.nanmean(values)),
        "not_finite": int((used & ~np.isfinite(field.values)).sum()),
    }


def _place(mesh, field, index):
    if not field.on_cells:
        return mesh.points[index].tolist()
    for block in mesh.blocks:
        row = np.flatnonzero(block.ids == index)
        if len(row):
            return mesh.points[block.conn[row[0]]].mean(axis=0).tolist()
    return [0.0, 0.0, 0.0]


def displacement(mesh, name):
    """A displacement (n, 3) of the points, from a vector field of 2 or 3 components."""
    array, on_cells = _find(mesh, name, "/warp/field")
    if on_cells or array.shape[1] not in (2, 3):
        what = "a cell field" if on_cells else f"a field of {array.shape[1]} component(s)"
        raise Error(
            INVALID,
            f'The shape cannot be warped by "{name}": it is {what}.',
            "Name a vector field on the points, such as displacement.",
            "/warp/field",
        )
    vectors = np.zeros((len(mesh.points), 3))
    vectors[:, : array.shape[1]] = array
    return np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)


def warp_scale(mesh, vectors, wish):
    """The factor; "auto" shows the largest displacement as up to a tenth of the part, in steps of 1, 2, 5."""
    if wish != "auto":
        return float(wish)
    largest = float(np.linalg.norm(vectors, axis=1).max())
    if largest == 0:
        return 1.0
    raw = 0.1 * mesh.diagonal() / largest
    decade = 10.0 ** np.floor(np.log10(raw))
    step = max(s for s in (1, 2, 5) if s * decade <= raw * (1 + 1e-12))
    return float(step * decade)
