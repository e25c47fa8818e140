"""Runs inside the kernel: who made a call, and whether the caller uses its result."""

import dis
import sysconfig

# Modules that call functions for others: whose call it is, their own caller says.
_CARRIERS = {
    *("asyncio", "atelier_notebook", "atexit", "concurrent", "contextlib", "contextvars"),
    *("functools", "multiprocessing", "os", "subprocess", "threading"),
}
_LIBRARY = tuple({sysconfig.get_path(name) + "/" for name in ("stdlib", "purelib", "platlib")})
_PRINT = 1  # operand of CALL_INTRINSIC_1


def of_notebook(frame):
    """Whether the notebook made the call. What a library leaves unread is the library's decision."""
    while frame:
        root = frame.f_globals.get("__name__", "").partition(".")[0]
        if root not in _CARRIERS:
            return root == "IPython" or own_code(frame.f_code)
        frame = frame.f_back
    return True


def own_code(code):
    """Whether the code is a cell's or that of a module beside the notebook."""
    return not code.co_filename.startswith(_LIBRARY)


def passes_on(frame):
    """Whether the caller only hands on what it reads, or runs a ! line of IPython."""
    name = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in _CARRIERS or name in (
        "IPython.core.interactiveshell",
        "IPython.utils._process_common",
    )


def discarded(frame):
    """Whether the call under way in the frame is a statement of its own, its result unused or only shown."""
    steps = list(dis.get_instructions(frame.f_code))
    # f_lasti may lie in the inline cache of the call, which dis leaves out.
    at = max(i for i, step in enumerate(steps) if step.offset <= frame.f_lasti)
    after = steps[at + 1 :]
    if steps[at].opname == "SEND":  # an await goes on where its loop ends
        after = [s for s in steps if s.offset >= steps[at].argval and s.opname != "END_SEND"]
    return (
        not after
        or after[0].opname in ("POP_TOP", "PRINT_EXPR")
        or (after[0].opname == "CALL_INTRINSIC_1" and after[0].arg == _PRINT)
    )
