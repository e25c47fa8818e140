"""Runs inside the kernel: what went wrong there without making its cell fail."""

import asyncio
import gc
import threading
from asyncio import base_events

from ipykernel.zmqshell import ZMQInteractiveShell

_MOST = 50
_CHARACTERS = 200
_found = []  # (execution count of the cell that ran, kind, text)


def watch(shell):
    """Records commands that fail, exceptions that end threads and tasks, and calls of exit()."""

    def record(kind, text):
        if len(_found) < _MOST:
            _found.append((shell.execution_count, kind, " ".join(str(text).split())[:_CHARACTERS]))

    def raised(kind, fault):
        record(kind, f"{type(fault).__name__}: {fault}".removesuffix(": "))

    def system(self, command):
        ZMQInteractiveShell.system_raw(self, command)
        status = self.user_ns.get("_exit_code")
        if status:
            record("command", f"{command.strip()} ended with exit status {status}")

    # A pseudo-terminal is out of the sandbox's reach; what a command writes is
    # read from the file descriptors instead.
    ZMQInteractiveShell.system = ZMQInteractiveShell.system_piped = system

    def thread(args, told=threading.excepthook):
        if args.exc_type is not SystemExit:
            raised("thread", args.exc_value)
        told(args)

    threading.excepthook = thread

    def task(self, context, told=base_events.BaseEventLoop.call_exception_handler):
        if context.get("exception"):
            raised("task", context["exception"])
        told(self, context)

    base_events.BaseEventLoop.call_exception_handler = task

    def leave(self, told=ZMQInteractiveShell.ask_exit):
        record("exit", "exit() was called, and the cells after it ran all the same")
        told(self)

    ZMQInteractiveShell.ask_exit = leave


def found():
    """What was recorded, and the exceptions of tasks that nobody asked for."""
    rest = []
    for thing in gc.get_objects():
        if type(thing) in (asyncio.Task, asyncio.Future) and thing.done() and thing._log_traceback:
            fault = thing.exception()
            rest.append((0, "task", f"{type(fault).__name__}: {fault}"[:_CHARACTERS]))
    return (_found + rest)[:_MOST]
