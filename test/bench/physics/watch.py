"""Runs a program and watches it: its time, and the memory of all its processes."""

import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass

PAUSE = 0.02


@dataclass
class Run:
    seconds: float
    kilobytes: float  # the peaks of all processes, added up
    lines: list[tuple[float, str]]  # of the output, with the seconds at which they came
    fault: str = ""


def _read(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""


def _family(pid):
    """A process and all that descend from it."""
    yield pid
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return
    for thread in threads:
        for child in _read(f"/proc/{pid}/task/{thread}/children").split():
            yield from _family(int(child))


def _peak(pid):
    for line in _read(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def watch(command, folder, limit, env=None, send=""):
    """env is added to the environment; send goes to the standard input."""
    peaks, lines, late = {}, [], False
    with tempfile.TemporaryFile("w+", dir=folder) as faults:
        begin = time.monotonic()
        child = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=faults,
            start_new_session=True,
        )
        child.stdin.write(send.encode())
        child.stdin.close()
        os.set_blocking(child.stdout.fileno(), False)
        end = os.pidfd_open(child.pid)
        awaited, rest = [end, child.stdout], b""
        while child.poll() is None:
            for pid in _family(child.pid):
                peaks[pid] = max(peaks.get(pid, 0), _peak(pid))
            ready, _, _ = select.select(awaited, [], [], PAUSE)
            if child.stdout in ready:
                text = child.stdout.read()
                if not text:
                    awaited.remove(child.stdout)
                *whole, rest = (rest + text).split(b"\n")
                at = time.monotonic() - begin
                lines += [(at, line.decode("utf-8", "replace")) for line in whole]
            if time.monotonic() - begin > limit and not late:
                late = True
                os.killpg(child.pid, signal.SIGKILL)
        seconds = time.monotonic() - begin
        os.close(end)
        rest += child.stdout.read() or b""
        lines += [(seconds, line.decode("utf-8", "replace")) for line in rest.splitlines()]
        fault = ""
        if late:
            fault = f"no end in {limit:.0f} s"
        elif child.returncode != 0:
            faults.seek(0)
            said = (faults.read() + "\n".join(line for _, line in lines)).strip()
            fault = f"ended with {child.returncode}: {said[-500:]}"
    return Run(seconds, sum(peaks.values()), lines, fault)
