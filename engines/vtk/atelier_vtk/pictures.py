"""Image files: PNG of 8-bit colours, TIFF of 32-bit floats."""

import struct
import zlib

import numpy as np

_STRIP_ROWS = 64


def halved(image):
    """An image of even size at half its size, each pixel the mean of four."""
    rows = image[0::2].astype(np.uint16) + image[1::2]
    return ((rows[:, 0::2] + rows[:, 1::2] + 2) >> 2).astype(np.uint8)


def write_png(path, image):
    """Writes (height, width, 3 or 4) uint8, the first row at the top."""
    height, width, channels = image.shape
    # Each row as its difference to the row above ("up" filter): small for pictures, and quick.
    rows = np.zeros((height, 1 + width * channels), np.uint8)
    flat = image.reshape(height, -1)
    rows[:, 0] = 2
    rows[0, 1:] = flat[0]
    np.subtract(flat[1:], flat[:-1], out=rows[1:, 1:])
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 3)), (b"IEND", b"")):
            file.write(struct.pack(">I", len(body)) + kind + body)
            file.write(struct.pack(">I", zlib.crc32(kind + body)))


def write_tiff(path, image, description):
    """Writes (height, width) float32 as a TIFF with Deflate strips; description is its ImageDescription."""
    height, width = image.shape
    data = np.ascontiguousarray(image, dtype="<f4")
    strips = [zlib.compress(data[r : r + _STRIP_ROWS], 1) for r in range(0, height, _STRIP_ROWS)]
    text = description.encode("ascii", "replace") + b"\0"
    text += b"\0" * (len(text) % 2)
    first_strip = 8 + len(text)
    offsets = first_strip + np.cumsum([0] + [len(s) for s in strips])
    tables = int(offsets[-1]) + int(offsets[-1]) % 2
    count = len(strips)
    short, long, ascii_ = 3, 4, 2
    entries = [
        (256, long, 1, width),
        (257, long, 1, height),
        (258, short, 1, 32),  # bits per sample
        (259, short, 1, 8),  # Deflate
        (262, short, 1, 1),  # black is zero
        (270, ascii_, len(text), 8),
        (273, long, count, int(offsets[0]) if count == 1 else tables),
        (277, short, 1, 1),  # samples per pixel
        (278, long, 1, _STRIP_ROWS),
        (279, long, count, len(strips[0]) if count == 1 else tables + 4 * count),
        (339, short, 1, 3),  # IEEE floating point
    ]
    directory = tables + (8 * count if count > 1 else 0)
    with open(path, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, directory) + text)
        file.write(b"".join(strips))
        file.write(b"\0" * (tables - int(offsets[-1])))
        if count > 1:
            file.write(struct.pack(f"<{count}I", *offsets[:-1].tolist()))
            file.write(struct.pack(f"<{count}I", *[len(s) for s in strips]))
        file.write(struct.pack("<H", len(entries)))
        for tag, kind, number, value in entries:
            file.write(struct.pack("<HHII", tag, kind, number, value))
        file.write(struct.pack("<I", 0))
