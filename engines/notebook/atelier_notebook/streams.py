"""The kernel's output channel, for a kernel without TCP and with little memory."""

import codecs
import fcntl
import os
import select
import struct
import sys
import termios
import threading

from ipykernel.iostream import IOPubThread, OutStream

_PIECE = 1 << 20
_TOLD = 1 << 16  # bytes that are passed on to the process's own stderr, for a kernel that dies


class NoPipe(IOPubThread):
    """Forked children have no TCP to send their output by; see plain_streams."""

    def _setup_pipe_in(self):
        self._pipe_flag = False


class Paced(OutStream):
    """Sends what is printed before it piles up, so that a flood costs no memory here.

    What children and libraries write to the descriptor is shown by the cell during
    which they wrote it: drain() waits for it.
    """

    _pending = 0

    def __init__(self, *args, **kwargs):
        self._taking = threading.Lock()
        super().__init__(*args, **kwargs)

    def write(self, string):
        """Writes, and waits for the channel after every piece.

        Raises UnicodeEncodeError for half a surrogate pair, as a terminal's stream does.
        """
        if not string.isascii():
            string.encode()
        written = super().write(string)
        self._pending += len(string)
        if self._pending >= _PIECE:
            self._pending = 0
            self.flush()
        return written

    def _watch_pipe_fd(self):
        decoder, told = codecs.getincrementaldecoder("utf-8")(errors="replace"), 0
        while self._should_watch:
            select.select([self._fid], [], [])
            with self._taking:  # so that a byte is either in the pipe or written
                piece = os.read(self._fid, 1 << 16)
                if not piece:
                    return
                self.write(decoder.decode(piece))
            if told < _TOLD:
                told += os.write(self._original_stdstream_copy, piece)

    def drain(self):
        """Waits until what stands in the pipe by now has been written."""
        if not self._should_watch:
            return
        for _ in range(10_000):
            with self._taking:
                if struct.unpack("i", fcntl.ioctl(self._fid, termios.FIONREAD, b"\0" * 4))[0] == 0:
                    return
            select.select([], [], [], 0.001)


def drain(*_):
    """For the end of a cell."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Paced):
            stream.drain()


def plain_streams():
    """Lets a forked child write to the descriptors, which the kernel reads."""
    sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
