"""Runs inside the kernel: what went wrong there without making its cell fail."""

import asyncio
import concurrent.futures.thread
import functools
import gc
import importlib
import os
import signal
import threading
import time
from asyncio import base_events

from ipykernel.zmqshell import ZMQInteractiveShell

_MOST = 50
_CHARACTERS = 200
_PATIENCE = 2.0  # seconds for threads and children that still run after the last cell
_NO_RAISE = "--no-raise-error"
_found = []  # (execution count of the cell that ran, kind, text)
_running = 0  # execution count of the cell that runs, or ran last
_children = {}  # process id of a forked child that has not been waited for -> execution count
_at_start = set()  # threads of the kernel itself


def watch(shell):
    """Records commands and tests that fail, exceptions that end threads, tasks and forked
    children, and calls of exit()."""

    def record(kind, text, count=None):
        if len(_found) < _MOST:
            _found.append((count or _running, kind, " ".join(str(text).split())[:_CHARACTERS]))

    def begin(info):
        global _running
        if info.store_history:  # the driver's own questions are no cells
            _running += 1  # as the driver counts; IPython's own count is that of the next cell by now
        _watch_tests(record, info.raw_cell)

    _at_start.update(threading.enumerate())
    _watch_commands(record, shell)
    _watch_exceptions(record)
    _watch_children(record)
    shell.events.register("pre_run_cell", begin)

    def leave(self, original=ZMQInteractiveShell.ask_exit):
        record("exit", "exit() was called, and the cells after it ran all the same")
        original(self)

    ZMQInteractiveShell.ask_exit = leave


def _watch_commands(record, shell):
    def system(self, command):
        ZMQInteractiveShell.system_raw(self, command)
        status = self.user_ns.get("_exit_code")
        if status:
            record("command", f"{command.strip()} ended with exit status {status}")

    # A pseudo-terminal is out of the sandbox's reach; what a command writes is
    # read from the file descriptors instead.
    ZMQInteractiveShell.system = ZMQInteractiveShell.system_piped = system

    scripts = shell.magics_manager.registry["ScriptMagics"]
    original = scripts.shebang

    @functools.wraps(original)
    def script(line, cell):
        quiet = _NO_RAISE in line.split()
        try:
            return original(line.replace(_NO_RAISE, "") if quiet else line, cell)
        except Exception as failure:
            if not quiet or not hasattr(failure, "returncode"):
                raise
            record("command", f"%%script {line.strip()} ended with exit status {failure.returncode}")

    scripts.shebang = shell.magics_manager.magics["cell"]["script"] = script  # %%bash calls the first


def _watch_exceptions(record):
    def raised(kind, fault, count=None):
        record(kind, f"{type(fault).__name__}: {fault}".removesuffix(": "), count)

    def start(self, original=threading.Thread.start):
        self.begun_by_cell = _running
        original(self)

    def thread(args, original=threading.excepthook):
        if args.exc_type is not SystemExit:
            raised("thread", args.exc_value, getattr(args.thread, "begun_by_cell", None))
        original(args)

    threading.Thread.start, threading.excepthook = start, thread

    def task(self, context, original=base_events.BaseEventLoop.call_exception_handler):
        if context.get("exception"):
            raised("task", context["exception"])
        original(self, context)

    base_events.BaseEventLoop.call_exception_handler = task


def _watch_children(record):
    """A child that a cell forks, by itself or by multiprocessing, and that fails."""

    def fork(original=os.fork):
        pid = original()
        if pid:
            _children[pid] = _running
        else:
            _children.clear()
        return pid

    def waitpid(pid, options, original=os.waitpid):
        found, status = original(pid, options)
        count = _children.pop(found, None)
        if count is not None:
            code = os.waitstatus_to_exitcode(status)
            if code > 0:
                record("child", f"exit status {code}", count)
            elif code < 0 and -code not in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
                record("child", signal.Signals(-code).name, count)
        return found, status

    os.fork, os.waitpid = fork, waitpid


def _watch_tests(record, source):
    """Tests that fail print so, and raise nothing: the runners that a cell names are watched."""

    def after(module, owner, method, failures):
        if module not in (source or ""):
            return
        try:
            place = importlib.import_module(module)
            place = getattr(place, owner) if owner else place
        except (ImportError, AttributeError):
            return
        original = getattr(place, method)
        if getattr(original, "watched", False):
            return

        def run(*args, **kwargs):
            result = original(*args, **kwargs)
            failed = failures(result)
            if failed:
                record("test", f"{module}: {failed}")
            return result

        run.watched = True
        setattr(place, method, run)

    def unittest(result):
        return (
            not result.wasSuccessful()
            and f"{len(result.failures) + len(result.errors)} of {result.testsRun} failed"
        )

    def doctest(result):
        return result.failed and f"{result.failed} of {result.attempted} examples failed"

    def pytest(status):
        return int(status) not in (0, 5) and f"exit status {int(status)}"  # 5: no test was found

    after("unittest", "TextTestRunner", "run", unittest)
    after("doctest", "DocTestRunner", "run", doctest)
    after("pytest", "", "main", pytest)


def found():
    """What was recorded, what still runs, and the exceptions of tasks that nobody asked for."""
    deadline = time.monotonic() + _PATIENCE
    rest = _wait_for_threads(deadline) + _wait_for_children(deadline)
    for thing in gc.get_objects():
        if type(thing) in (asyncio.Task, asyncio.Future) and thing.done() and thing._log_traceback:
            fault = thing.exception()
            rest.append((0, "task", f"{type(fault).__name__}: {fault}"[:_CHARACTERS]))
    return (_found + rest)[:_MOST]


def _wait_for_threads(deadline):
    """Python waits for such threads before it ends; workers of a pool wait for work for ever."""
    rest = []
    for thread in threading.enumerate():
        if thread in _at_start or thread.daemon or thread in concurrent.futures.thread._threads_queues:
            continue
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            rest.append((getattr(thread, "begun_by_cell", 0), "unfinished", f"thread {thread.name}"))
    return rest


def _wait_for_children(deadline):
    rest = []
    for pid, count in list(_children.items()):
        try:
            while os.waitpid(pid, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    rest.append((count, "unfinished", f"process {pid}"))
                    break
                time.sleep(0.02)
        except ChildProcessError:
            _children.pop(pid, None)  # somebody waited for it by another call
    return rest
