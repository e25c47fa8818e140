"""A kernel process and the client that speaks to it."""

import asyncio
import os
import resource
import shutil
import signal
import sys
from pathlib import Path

from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec

from .codes import KERNEL_DIED as KERNEL
from .protocol import Error

OWN = ".kernel"  # sockets, configuration and caches; goes when the run is over
WORK = "files"  # the kernel's working folder: what cells write there becomes artifacts
_START_S = 60


class _Manager(AsyncKernelManager):
    """Starts this package's own kernel, whatever the machine has installed."""

    command = ()

    @property
    def kernel_spec(self):
        return KernelSpec(argv=list(self.command), display_name="Python 3", language="python")


class Session:
    """One kernel, to be used once."""

    def __init__(self):
        self.manager = self.client = None

    async def start(self):
        """Starts the kernel and waits until it answers."""
        own = Path(OWN).absolute()
        for part in ("home", "matplotlib"):
            (own / part).mkdir(parents=True, exist_ok=True)
        Path(WORK).mkdir(exist_ok=True)
        for fonts in Path(sys.prefix, "matplotlib-cache").glob("*.json"):
            shutil.copyfile(fonts, own / "matplotlib" / fonts.name)  # copytree would set modes
        self.manager = _Manager(transport="ipc", ip=f"{OWN}/s", connection_file=str(own / "connection.json"))
        self.manager.command = [
            *(sys.executable, "-IB", "-m", "atelier_notebook.kernel"),
            *("{connection_file}", WORK),
        ]
        with open(own / "stderr", "wb") as stderr:
            await self.manager.start_kernel(
                cwd=str(Path.cwd()), env=_environment(own), stdout=stderr, stderr=stderr
            )
        self.client = self.manager.client()
        self.client.start_channels(stdin=False, hb=False, control=False)
        self.client.allow_stdin = False
        try:
            await self.client.wait_for_ready(timeout=_START_S)
        except RuntimeError as fault:
            self.kill()
            raise Error(KERNEL, f"The kernel did not start: {fault}. {self.last_words()}") from None

    def bound(self, memory_mb):
        """Holds the kernel to the job's limits: those of this process, and a share of its memory.

        What passes the memory raises MemoryError in the cell, before the sandbox ends everything.
        """
        if not hasattr(resource, "prlimit"):
            return
        data = max(memory_mb - 200, 256) << 20  # room for this process, and for what libraries map
        wanted = {which: resource.getrlimit(which) for which in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE)}
        for which, (soft, hard) in (wanted | {resource.RLIMIT_DATA: (data, data)}).items():
            most = resource.prlimit(self.manager.provisioner.pid, which)[1]
            if most != resource.RLIM_INFINITY:
                soft, hard = (most if v == resource.RLIM_INFINITY else min(v, most) for v in (soft, hard))
            resource.prlimit(self.manager.provisioner.pid, which, (soft, hard))

    def dead(self):
        """Whether the kernel's process has ended."""
        return self.manager.provisioner.process.poll() is not None

    def kill(self):
        """Ends the kernel and its children at once."""
        process = getattr(self.manager.provisioner, "process", None) if self.manager else None
        if process is None:
            return
        for end in (lambda: os.killpg(process.pid, signal.SIGKILL), process.kill):
            try:
                end()
            except OSError:
                continue  # it has ended already

    async def ended(self):
        """Waits until the kernel's process is gone, and tells how."""
        process = self.manager.provisioner.process
        while process.poll() is None:
            await asyncio.sleep(0.1)
        code = process.returncode
        if code < 0:
            return f"signal {signal.Signals(-code).name}"
        return f"exit status {code}"

    def last_words(self):
        """The end of what the kernel wrote past its channels."""
        try:
            return Path(OWN, "stderr").read_bytes()[-1500:].decode(errors="replace").strip()
        except OSError:
            return ""

    def close(self):
        """Ends everything and removes what only the run needed."""
        self.kill()
        if self.client:
            self.client.stop_channels()
        shutil.rmtree(OWN, ignore_errors=True)


def _environment(own):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER", "IPYTHON"))}
    return env | {
        "PATH": f"{sys.prefix}/bin:{env.get('PATH', '')}",
        "HOME": str(own / "home"),
        "IPYTHONDIR": str(own / "home"),
        "MPLCONFIGDIR": str(own / "matplotlib"),
        "JUPYTER_CONFIG_DIR": str(own / "home"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "PIP_NO_INDEX": "1",  # there is no network; so pip says at once what it lacks
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
