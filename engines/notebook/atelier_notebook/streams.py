"""The kernel's output channel, for a kernel without TCP and with little memory."""

import sys

from ipykernel.iostream import IOPubThread, OutStream

_PIECE = 1 << 20


class NoPipe(IOPubThread):
    """Forked children have no TCP to send their output by; see plain_streams."""

    def _setup_pipe_in(self):
        self._pipe_flag = False


class Paced(OutStream):
    """Sends what is printed before it piles up, so that a flood costs no memory here."""

    _pending = 0

    def write(self, string):
        """Writes, and waits for the channel after every piece."""
        written = super().write(string)
        self._pending += len(string)
        if self._pending >= _PIECE:
            self._pending = 0
            self.flush()
        return written


def plain_streams():
    """Lets a forked child write to the descriptors, which the kernel reads."""
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
