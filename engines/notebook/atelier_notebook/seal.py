"""Takes from a kernel, before its first cell, what it needed only to start.

The sandbox lets this engine make Unix sockets, through which the kernel is
spoken to. Once those are bound, a second seccomp filter on all threads refuses
any further socket, so that no cell reaches a service of the machine by its
socket file. Where there is no seccomp the sandbox says so itself.
"""

import ctypes
import platform
import struct
import sys

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with EPERM
_SET_FILTER, _ALL_THREADS = 1, 1  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC

# The numbers of seccomp, and of what is refused: socket, mknod and mknodat.
_NUMBERS = {"x86_64": (317, (41, 133, 259)), "aarch64": (277, (198, 33))}


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def seal():
    """Installs the filter; nothing can take it away again."""
    if sys.platform != "linux" or platform.machine() not in _NUMBERS:
        return
    seccomp, refused = _NUMBERS[platform.machine()]
    code = struct.pack("HBBI", _LOAD, 0, 0, 0)  # the call's number
    for i, number in enumerate(refused):
        code += struct.pack("HBBI", _EQUAL, len(refused) - i, 0, number)
    code += struct.pack("HBBI", _RETURN, 0, 0, _ALLOW) + struct.pack("HBBI", _RETURN, 0, 0, _REFUSE)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, which the sandbox has set already
    program = _Program(len(code) // 8, code)
    libc.syscall(seccomp, _SET_FILTER, _ALL_THREADS, ctypes.byref(program))


def hide():
    """Keeps other processes of the same user from this one's memory."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
