"""Runs a library in a process of its own with a deadline, so that a part on which it
does not end, or on which it crashes, costs its time and nothing else."""

import os
import signal
import time


def run(work, seconds):
    """Runs work in a child. Why it did not go well, None when it did; and what the
    library itself said, which is empty when work did not end or crashed.

    The reasons are "no mesh after N s", "the mesher crashed" and, of an exception, "".
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(2, 1)  # the library's own messages are no lines of the protocol
        status = 0
        try:
            work()
        except BaseException as fault:
            os.write(write, " ".join(str(fault).split())[:300].encode() or type(fault).__name__.encode())
            status = 1
        os._exit(status)
    os.close(write)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                child = 0
                if status == 0:
                    return None, ""
                if os.WIFSIGNALED(status):
                    return "the mesher crashed", signal.Signals(os.WTERMSIG(status)).name
                return "", os.read(read, 1000).decode(errors="replace")
            time.sleep(0.005)
        return f"no mesh after {seconds:.0f} s", ""
    finally:
        os.close(read)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
