"""The engine protocol: one JSON request line in, JSON lines out."""

import json
import sys

from . import codes

INVALID = codes.INVALID_INPUT
UNREADABLE = codes.NOTEBOOK_UNREADABLE
KERNEL = codes.KERNEL_DIED


class Error(Exception):
    """A failure with a code of the catalogue, where it lies, and what to do."""

    def __init__(self, code, message, hint="", field=""):
        super().__init__(message)
        self.code, self.message, self.hint, self.field = code, message, hint, field


def send(message):
    """Writes one protocol line."""
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def progress(fraction, message):
    """Reports how far the work is, 0 to 1."""
    send({"type": "progress", "fraction": round(fraction, 4), "message": message})


def error(e):
    """The last line of a failed job, of an Error."""
    line = {"type": "error", "code": e.code, "message": e.message}
    for key in ("hint", "field"):
        if getattr(e, key):
            line[key] = getattr(e, key)
    send(line)
