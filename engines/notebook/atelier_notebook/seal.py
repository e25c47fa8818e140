"""Seccomp filters that a kernel puts on itself, beside those of the sandbox.

The sandbox lets this engine make Unix sockets, through which the kernel is
spoken to. Once those are bound, seal() refuses any further socket on all
threads, so that no cell reaches a service of the machine by its socket file.
Where there is no seccomp the sandbox says so itself.
"""

import ctypes
import errno as errors
import platform
import struct
import sys

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
_ALLOW, _ERRNO, _EPERM = 0x7FFF0000, 0x00050000, 1  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO
_SET_FILTER, _ALL_THREADS = 1, 1  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC

# The numbers of: seccomp; socket, mknod, mknodat; chmod, fchmod, fchmodat, fchmodat2.
_NUMBERS = {
    "x86_64": (317, (41, 133, 259), (90, 91, 268, 452)),
    "aarch64": (277, (198, 33), (52, 53, 452)),
}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def seal():
    """Refuses further sockets and device files; nothing can undo it."""
    _install(1, _EPERM)


def ignore_modes():
    """Lets a change of a file's mode do nothing instead of fail.

    The sandbox refuses it, since it could reach files elsewhere; shutil.copy and
    much else would stop at that.
    """
    _install(2, 0)


def _install(group, answer):
    if sys.platform != "linux" or platform.machine() not in _NUMBERS:
        return
    numbers = _NUMBERS[platform.machine()]
    calls = numbers[group]
    code = struct.pack("HBBI", _LOAD, 0, 0, 0)  # the call's number
    for i, number in enumerate(calls):
        code += struct.pack("HBBI", _EQUAL, len(calls) - i, 0, number)
    code += struct.pack("HBBI", _RETURN, 0, 0, _ALLOW) + struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | answer)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, which the sandbox has set already
    program = _Program(len(code) // 8, code)
    done = libc.syscall(numbers[0], _SET_FILTER, _ALL_THREADS, ctypes.byref(program))
    if done != 0 and ctypes.get_errno() not in (errors.ENOSYS, errors.EINVAL):  # a kernel without filters
        raise OSError(ctypes.get_errno(), f"the kernel could not be sealed: {done}")


def hide():
    """Keeps other processes of the same user from this one's memory."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
