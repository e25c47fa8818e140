"""The kernel: ipykernel, with less than it would have elsewhere.

Arguments: the connection file, and the folder to work in.
"""

import os
import sys

from ipykernel import kernelapp
from ipykernel.kernelapp import IPKernelApp

from . import faults
from .seal import hide, ignore_modes, seal
from .streams import NoPipe, drain, plain_streams

_STREAMS = "--IPKernelApp.outstream_class=atelier_notebook.streams.Paced"


class Kernel(IPKernelApp):
    """A kernel without heartbeat: its parent sees by its process whether it lives."""

    def init_heartbeat(self):
        self.hb_port = 0


def main(connection, work):
    """Runs until it is told to stop, or killed."""
    hide()
    ignore_modes()
    kernelapp.IOPubThread = NoPipe
    os.register_at_fork(after_in_child=plain_streams)
    app = Kernel.instance()
    app.initialize(["-f", connection, "--HistoryManager.enabled=False", "--log-level=50", _STREAMS])
    faults.watch(app.shell)
    app.shell.events.register("post_run_cell", drain)
    seal()
    os.chdir(work)
    sys.path.insert(0, "")  # a cell may write a module and import it
    app.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
