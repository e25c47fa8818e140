"""Colour maps by name, as (256, 3) tables of 8-bit RGB."""

import numpy as np

from . import colortables

# For whole numbers that name things (CAD faces, materials): neighbours differ clearly.
PALETTE = np.array(
    [
        (68, 119, 170),
        (238, 102, 119),
        (34, 136, 51),
        (204, 187, 68),
        (102, 204, 238),
        (170, 51, 119),
        (238, 153, 85),
        (119, 170, 153),
        (136, 136, 204),
        (153, 119, 85),
        (187, 187, 187),
        (85, 153, 102),
    ],
    np.uint8,
)


def table(name):
    """The table of a colour map; a name that ends with _r is reversed."""
    if name.endswith("_r"):
        return table(name[:-2])[::-1]
    if name == "gray":
        return np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    if name == "coolwarm":
        return _diverging((59, 76, 192), (180, 4, 38))
    hexadecimal = getattr(colortables, name.upper())
    return np.frombuffer(bytes.fromhex(hexadecimal), np.uint8).reshape(256, 3)


def palette(count):
    """A categorical table of count colours, repeated where there are more."""
    return PALETTE[np.arange(count) % len(PALETTE)]


# Moreland, "Diverging Color Maps for Scientific Visualization" (2009): the two ends
# meet in white along lines of even hue and saturation in Msh, the polar form of CIELAB.
_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _TO_XYZ.sum(axis=1)


def _diverging(low, high):
    ends = [_to_msh(np.array(c) / 255.0) for c in (low, high)]
    middle = max(ends[0][0], ends[1][0], 88.0)
    rows = []
    for x in np.linspace(0.0, 1.0, 256):
        saturated, part = (ends[0], 2 * x) if x < 0.5 else (ends[1], 2 * (1 - x))
        white = np.array([middle, 0.0, _adjusted_hue(saturated, middle)])
        rows.append(_from_msh((1 - part) * saturated + part * white))
    return (np.clip(rows, 0, 1) * 255 + 0.5).astype(np.uint8)


def _adjusted_hue(saturated, magnitude):
    """The hue at the white end that keeps the step between colours even (Moreland, eq. 2)."""
    m, s, h = saturated
    if m >= magnitude:
        return h
    spin = s * np.sqrt(magnitude**2 - m**2) / (m * np.sin(s))
    return h + spin if h > -np.pi / 3 else h - spin


def _to_msh(rgb):
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92)
    t = (_TO_XYZ @ linear) / _WHITE
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    lab = np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
    m = np.linalg.norm(lab)
    return np.array([m, np.arccos(lab[0] / m), np.arctan2(lab[2], lab[1])])


def _from_msh(msh):
    m, s, h = msh
    lab = m * np.array([np.cos(s), np.sin(s) * np.cos(h), np.sin(s) * np.sin(h)])
    y = (lab[0] + 16) / 116
    f = np.array([y + lab[1] / 500, y, y - lab[2] / 200])
    t = np.where(f**3 > 0.008856, f**3, (f - 16 / 116) / 7.787)
    linear = np.linalg.solve(_TO_XYZ, t * _WHITE)
    return np.where(linear > 0.0031308, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055, 12.92 * linear)
