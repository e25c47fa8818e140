"""The engine protocol: one JSON request line in, JSON lines out."""

import json
import math
import sys


class Error(Exception):
    """A failure with a code of the catalogue, where it lies, and what to do."""

    def __init__(self, code, message, hint="", field="", details=None):
        super().__init__(message)
        self.code, self.message = code, message
        self.hint, self.field, self.details = hint, field, details or {}


def _plain(value):
    """Numbers that JSON cannot hold (NaN, infinity) become null; numpy types become Python's."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def send(message):
    """Writes one protocol line."""
    sys.stdout.write(json.dumps(_plain(message), separators=(",", ":"), ensure_ascii=False) + "\n")
    sys.stdout.flush()


def progress(fraction, message):
    """Reports how far the work is, 0 to 1."""
    send({"type": "progress", "fraction": round(fraction, 4), "message": message})


def log(level, message):
    """Reports a log line: info, warn or error."""
    send({"type": "log", "level": level, "message": message})


def error(e):
    """The last line of a failed job, of an Error."""
    line = {"type": "error", "code": e.code, "message": e.message}
    for key in ("hint", "field", "details"):
        if getattr(e, key):
            line[key] = getattr(e, key)
    send(line)
