"""What is written on a picture: title, scalar bar, axes. Drawn in the finished image, so that
text stays sharp at every size."""

import math
import re

import numpy as np
import vtkmodules.vtkRenderingFreeType  # noqa: F401  registers the text renderer
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkTextProperty, vtkTextRenderer

TITLE_ROOM = 118  # for the bar's title, in units; shots.py leaves 124 free
SMALLEST = 200  # pixels; smaller pictures carry no text
_PREFIXED = {"Pa", "N", "J", "W", "V", "A", "Hz", "T", "F", "H", "Ω"}
_ONLY_SMALLER = {"m", "s"}  # nobody writes km/s or ks for what is computed here
_PREFIXES = {-12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
TIMES, MINUS = "\u00d7", "\u2212"


class Canvas:
    """An image (height, width, 3) uint8 to draw into; places from the top left, unit scales all sizes."""

    def __init__(self, image, ink):
        self.image = image
        self.height, self.width = image.shape[:2]
        self.unit = max(0.6, min(self.width / 1024, self.height / 768))
        self.ink = np.array(ink, np.float32)

    def blend(self, x, y, alpha, colour):
        """Lays a colour over the image where alpha (h, w) 0..1 says, clipped to the picture."""
        x, y = round(x), round(y)
        h, w = alpha.shape
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, self.width), min(y + h, self.height)
        if x0 >= x1 or y0 >= y1:
            return
        part = alpha[y0 - y : y1 - y, x0 - x : x1 - x, None]
        window = self.image[y0:y1, x0:x1]
        below = window.astype(np.float32)
        window[:] = below + part * (np.asarray(colour, np.float32) - below) + 0.5

    def text(self, words, x, y, size, align="left", bold=False, strength=1.0):
        """Writes one line; (x, y) is its left, middle or right end at half height. ^ raises the
        number after it, as in 10^-3 and m^2."""
        pieces = self._pieces(words, size, bold)
        left = {"left": 0, "center": 0.5, "right": 1}[align] * sum(p.shape[1] for p, _ in pieces)
        for alpha, up in pieces:
            self.blend(x - left, y - alpha.shape[0] / 2 - up, alpha * strength, self.ink)
            left -= alpha.shape[1]

    def width_of(self, words, size, bold=False):
        """The width of one line in pixels."""
        return sum(p.shape[1] for p, _ in self._pieces(words, size, bold))

    def _pieces(self, words, size, bold):
        """Coverage of the parts of a line, and how far each is raised."""
        pixels = max(7, round(size * self.unit))
        out = []
        for k, part in enumerate(re.split(r"\^([-\u2212]?\d+(?:\.\d+)?)", words)):
            if k % 2:
                out.append(
                    (_glyphs(part.replace("-", MINUS), max(6, round(0.7 * pixels)), bold), 0.4 * pixels)
                )
            elif part:
                # Spaces at the ends have no coverage: they are kept as room.
                room = round(0.3 * pixels)
                ink = _glyphs(part.strip(), pixels, bold)
                before, after = (
                    (len(part) - len(part.lstrip())) * room,
                    (len(part) - len(part.rstrip())) * room,
                )
                out.append((np.pad(ink, ((0, 0), (before, after))), 0))
        return out


def _glyphs(words, size, bold):
    style = vtkTextProperty()
    style.SetFontSize(size)
    style.SetBold(bold)
    style.SetFontFamilyToArial()
    style.SetColor(1, 1, 1)
    picture = vtkImageData()
    extent = [0, 0]
    vtkTextRenderer.GetInstance().RenderString(style, words, picture, extent, 72)
    width, height, _ = picture.GetDimensions()
    if not words or not picture.GetPointData().GetScalars():
        return np.zeros((1, 1), np.float32)
    pixels = vtk_to_numpy(picture.GetPointData().GetScalars()).reshape(height, width, -1)
    return pixels[extent_rows(extent, height), : extent[0], 3][::-1].astype(np.float32) / 255


def extent_rows(extent, height):
    """The rows that hold text; the image is padded to a power of two."""
    return slice(0, min(extent[1], height))


def display_unit(unit, largest):
    """The unit and factor in which values up to a size are numbers from 1 to 1000: 2.4e8 Pa as
    240 MPa, 3.1e3 W/m^2 as 3.1 kW/m^2. Where a unit takes no prefix, a power of ten stands before it."""
    if not math.isfinite(largest) or largest == 0:
        return unit, 1.0
    exponent = 3 * math.floor(math.log10(largest) / 3 + 1e-9)
    base = re.split(r"[\s/·*^]", unit, maxsplit=1)[0]
    if not unit.startswith(base + "^") and (
        (base in _PREFIXED and exponent in _PREFIXES) or (base in _ONLY_SMALLER and exponent in (-9, -6, -3))
    ):
        return _PREFIXES[exponent] + unit, 10.0**-exponent
    if -1 <= math.floor(math.log10(largest)) <= 4:
        return unit, 1.0
    power = math.floor(math.log10(largest))
    return f"{TIMES}10^{power} {unit}".strip(), 10.0**-power


def number(value, digits=4):
    """A number with a few significant digits and a true minus sign."""
    text = f"{value + 0.0:.{digits}g}"  # no minus zero
    found = re.fullmatch(r"(-?[\d.]+)e([+-])0*(\d+)", text)
    if found:
        power = ("-" if found[2] == "-" else "") + found[3]
        text = f"{found[1]}{TIMES}10^{power}"
    return text.replace("-", MINUS)


def quantities(values, unit):
    """Values in the one unit in which the largest reads well: mPa beside MPa is misread."""
    shown, factor = display_unit(unit, max(map(abs, values)))
    gap = "" if shown.startswith(TIMES) else " "
    return [f"{number(value * factor)}{gap}{shown}".strip() for value in values]


def _ticks(low, high):
    """About six round values inside a range, and the decimals they need."""
    raw = (high - low) / 5
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(s for s in (1, 2, 2.5, 5, 10) if s * decade >= raw * 0.75) * decade
    first = math.ceil(low / step - 1e-6)
    values = [i * step for i in range(first, math.floor(high / step + 1e-6) + 1)]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    return values, decimals


def _wrapped(canvas, words, room):
    """Lines that fit; a unit stays whole."""
    lines = []
    for word in re.findall(r"\([^()]*\)|\S+", words):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and canvas.width_of(joined, 15, bold=True) <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def scalar_bar(canvas, table, low, high, unit, title, categories=None):
    """A vertical bar on the right: colours from low to high with ticks, the title and unit above."""
    u = canvas.unit
    width, height = round(20 * u), round(0.5 * canvas.height)
    left, top = round(canvas.width - 104 * u), round(0.27 * canvas.height)
    rows = (np.arange(height)[::-1] + 0.5) / height
    bar = table[np.minimum((rows * len(table)).astype(int), len(table) - 1)]
    frame = np.ones((height + 2, width + 2), np.float32)
    canvas.blend(left - 1, top - 1, frame * 0.55, canvas.ink)
    canvas.image[top : top + height, left : left + width] = bar[:, None]
    shown, factor = display_unit(unit, max(abs(low), abs(high)))
    end = canvas.width - 14 * u
    lines = _wrapped(canvas, f"{title} ({shown})" if shown else title, TITLE_ROOM * u)
    for i, line in enumerate(reversed(lines)):
        canvas.text(line, end, top - (22 + 19 * i) * u, 15, "right", bold=True)
    if categories is not None:
        step = max(1, math.ceil(len(categories) / 20))
        labels = [((i + 0.5) / len(categories), str(c)) for i, c in enumerate(categories)][::step]
    elif high * factor - low * factor > 0:
        values, decimals = _ticks(low * factor, high * factor)
        spread = (high - low) * factor
        labels = [
            ((v - low * factor) / spread, f"{v + 0.0:.{decimals}f}".replace("-", MINUS)) for v in values
        ]
    else:
        labels = [(0.5, number(low * factor))]
    for part, words in labels:
        y = top + height * (1 - part)
        tick = np.full((1, max(2, round(4 * u))), 0.7, np.float32)
        canvas.blend(left + width + 1, y - 0.5, tick, canvas.ink)
        canvas.text(words, left + width + 8 * u, y, 13)


def title(canvas, heading, lines):
    """A heading at the top left with smaller lines below it."""
    u = canvas.unit
    if heading:
        canvas.text(heading, 20 * u, 28 * u, 20, bold=True)
    for i, line in enumerate(lines):
        canvas.text(line, 20 * u, ((53 if heading else 28) + 20 * i) * u, 14, strength=0.85)


def caption(canvas, words):
    """A small line at the bottom right."""
    u = canvas.unit
    canvas.text(words, canvas.width - 16 * u, canvas.height - 18 * u, 13, "right", strength=0.8)


_AXES = (("X", (214, 60, 60)), ("Y", (64, 150, 64)), ("Z", (58, 98, 205)))


def axes(canvas, rotation):
    """The directions of x, y and z at the bottom left, as the camera (its rotation's rows) sees them."""
    u = canvas.unit
    radius, size = 34 * u, 2 * math.ceil(56 * u)
    centre = size / 2
    at_x, at_y = 8 * u, canvas.height - size - 8 * u
    grid = np.stack(np.meshgrid(np.arange(size) + 0.5, np.arange(size) + 0.5), axis=-1) - centre
    # Those that point away from the viewer first.
    for i in sorted(range(3), key=lambda axis: -rotation[2, axis]):
        name, colour = _AXES[i]
        tip = rotation[:2, i] * radius
        canvas.blend(at_x, at_y, _arrow(grid, tip, u), colour)
        length = float(np.linalg.norm(tip))
        beyond = tip * (1 + 11 * u / length) if length > 0.25 * radius else tip + np.array([9 * u, -9 * u])
        ink, canvas.ink = canvas.ink, np.array(colour, np.float32)
        canvas.text(name, at_x + centre + beyond[0], at_y + centre + beyond[1], 13, "center", bold=True)
        canvas.ink = ink


def _arrow(grid, tip, u):
    """Coverage of an arrow from the middle to tip: a shaft and a tapered head."""
    length = float(np.linalg.norm(tip))
    if length < 1.5 * u:
        return np.clip(3.2 * u - np.linalg.norm(grid, axis=-1) + 0.5, 0, 1).astype(np.float32)
    along = grid @ (tip / length)
    across = np.abs(grid @ np.array([-tip[1], tip[0]]) / length)
    head = min(11 * u, 0.5 * length)
    shaft = np.minimum(np.minimum(along + 1, length - head * 0.6 - along), 1.5 * u - across)
    taper = (length - along) / head * 4.4 * u
    cone = np.minimum(np.minimum(along - (length - head), length - along), taper - across)
    return np.clip(np.maximum(shaft, cone) + 0.5, 0, 1).astype(np.float32)
