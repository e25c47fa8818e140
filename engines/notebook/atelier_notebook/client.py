"""nbclient, with bounds on what a notebook's outputs may weigh."""

from contextlib import suppress

from nbclient import NotebookClient
from nbformat import ValidationError

# A cell keeps this much of its output; what it writes beyond is dropped with a
# note, and a notebook that writes flood_bytes in all is stopped.
CELL_BYTES = 1 << 20
NOTE = "\n[… more output was left out …]\n"
UNFIT = "\n[… an output was left out, since its content is not of the types that a notebook can hold …]\n"


class Flood(Exception):
    """The notebook writes without end."""


class Client(NotebookClient):
    """Executes single cells, and keeps what they show within bounds."""

    flood_bytes = 100 << 20

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.total = 0  # bytes of all outputs so far, kept or not
        self.written = {}  # bytes kept, by cell
        self.cut = set()  # cells of which something was left out
        self.dirty = False
        self.flooded = None  # set by the run: called when the flood begins

    def output(self, outs, msg, display_id, cell_index):
        """Appends an output within the bounds; streams grow instead of piling up."""
        content = msg["content"]
        size = _weight(content)
        self.total += size
        self.dirty = True
        if self.total > self.flood_bytes and self.flooded:
            self.flooded()
        room = CELL_BYTES - self.written.get(cell_index, 0)
        if msg["msg_type"] == "error":
            content["traceback"] = content.get("traceback", [])[-60:]
        elif size > room:
            if cell_index in self.cut:
                return None
            self.cut.add(cell_index)
            self.written[cell_index] = CELL_BYTES
            if msg["msg_type"] != "stream":
                return super().output(outs, _note(msg, NOTE), None, cell_index)
            content["text"] = content["text"][:room] + NOTE
        else:
            self.written[cell_index] = self.written.get(cell_index, 0) + size
        last = outs[-1] if outs else None
        if (
            msg["msg_type"] == "stream"
            and last
            and last["output_type"] == "stream"
            and last["name"] == content["name"]
            and not self.clear_before_next_output
        ):
            last["text"] += content["text"]
            return last
        try:
            return super().output(outs, msg, display_id, cell_index)
        except ValidationError:  # what a cell sends past display() is checked by nobody before
            return super().output(outs, _note(msg, UNFIT), None, cell_index)

    def _update_display_id(self, display_id, msg):
        with suppress(ValidationError):
            super()._update_display_id(display_id, msg)

    def clear_output(self, outs, msg, cell_index):
        """Gives back the room of what is cleared."""
        super().clear_output(outs, msg, cell_index)
        self.written[cell_index] = 0
        self.cut.discard(cell_index)


def _note(msg, text):
    """A message that says instead of another one why that is not there."""
    header = msg["header"] | {"msg_type": "stream"}  # nbformat goes by the header's
    return msg | {"msg_type": "stream", "header": header, "content": {"name": "stderr", "text": text}}


def _weight(content):
    """Bytes of an output's content, about."""
    size = len(content.get("text", "")) + sum(map(len, content.get("traceback", ())))
    for value in (content.get("data") or {}).values():
        size += len(value) if isinstance(value, str) else len(str(value))
    return size
