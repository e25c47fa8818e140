"""Runs inside the kernel: what went wrong there without making its cell fail."""

import asyncio
import atexit
import concurrent.futures
import concurrent.futures.thread
import gc
import importlib
import inspect
import itertools
import logging
import re
import sys
import threading
import time
import types
import warnings
from asyncio import base_events

from ipykernel.zmqshell import ZMQDisplayPublisher, ZMQInteractiveShell
from IPython.core.formatters import BaseFormatter, DisplayFormatter, MimeBundleFormatter

from . import processes
from .callers import of_notebook, own_code

_MOST = 50
_CHARACTERS = 200
_PATIENCE = 2.0  # seconds for threads and children that still run after the last cell
_found = []  # (execution count of the cell that ran, kind, text)
_running = 0  # execution count of the cell that runs, or ran last
_at_start = set()  # threads of the kernel itself
_keys = itertools.count()
_untold = {}  # key -> (execution count, words): failures of futures that nobody has asked for
_at_exit = []  # (execution count, function, arguments, keywords) of functions that cells register


def watch(shell):
    """Records commands, children and tests that fail, exceptions that never reach a cell,
    coroutines that are never awaited, and calls of exit()."""

    def begin(info):
        global _running
        if info.store_history:  # the driver's own questions are no cells
            _running += 1  # as the driver counts; IPython's own count is that of the next cell by now
        _watch_tests(info.raw_cell)

    _at_start.update(threading.enumerate())
    processes.watch(_record, lambda: _running, shell)
    _watch_threads()
    _watch_tasks()
    _watch_futures()
    _watch_ignored()
    _watch_atexit()
    _watch_display(shell)
    _watch_bundles()
    shell.events.register("pre_run_cell", begin)

    def leave(self, original=ZMQInteractiveShell.ask_exit):
        _record("exit", "exit() was called, and the cells after it ran all the same")
        original(self)

    ZMQInteractiveShell.ask_exit = leave


def _record(kind, text, count=None):
    count = _running if count is None else count
    if len(_found) < _MOST and _running:
        _found.append((count, kind, _short(text)))


def _short(text):
    return " ".join(str(text).split())[:_CHARACTERS]


def _words(fault):
    try:
        return _short(f"{type(fault).__name__}: {fault}").removesuffix(":")
    except Exception:  # its own __str__ fails
        return type(fault).__name__


def _watch_threads():
    def start(self, original=threading.Thread.start):
        self.begun_by_cell = _running
        invoke = self._invoke_excepthook  # whatever hook the notebook sets

        def told(thread):
            fault = sys.exc_info()[1]
            if not isinstance(fault, SystemExit) or fault.code not in (None, 0):
                _record("thread", _words(fault), thread.begun_by_cell)
            invoke(thread)

        self._invoke_excepthook = told
        original(self)

    threading.Thread.start = start


def _watch_tasks():
    def task(self, context, original=base_events.BaseEventLoop.call_exception_handler):
        if context.get("exception"):
            _record("task", _words(context["exception"]))
        original(self, context)

    def unawaited(coroutine, original=warnings._warn_unawaited_coroutine):
        _record("coroutine", coroutine.__qualname__)
        original(coroutine)

    base_events.BaseEventLoop.call_exception_handler = task
    warnings._warn_unawaited_coroutine = unawaited  # called whatever filters there are


def _watch_futures():
    """A future of a pool keeps an exception until somebody asks for the result."""
    future = concurrent.futures.Future

    def told(self):
        _untold.pop(getattr(self, "untold", None), None)

    def init(self, original=future.__init__):
        self.begun_by_cell = _running if of_notebook(sys._getframe(1)) else 0
        original(self)

    def set_exception(self, exception, original=future.set_exception):
        if self.begun_by_cell:  # noted before it is set: another thread may ask at once
            self.untold = next(_keys)
            _untold[self.untold] = (self.begun_by_cell, _words(exception))
        try:
            original(self, exception)
        except BaseException:
            told(self)
            raise

    def add_done_callback(self, function, original=future.add_done_callback):
        def call(done):
            try:
                function(done)
            except Exception as fault:  # which the pool only logs
                _record("callback", _words(fault), self.begun_by_cell)
                raise

        original(self, call if self.begun_by_cell else function)

    def result(self, timeout=None, original=future.result):
        try:
            return original(self, timeout)
        except BaseException as fault:
            if fault is self._exception:
                told(self)
            raise

    def exception(self, timeout=None, original=future.exception):
        fault = original(self, timeout)
        told(self)
        return fault

    future.__init__, future.set_exception = init, set_exception
    future.result, future.exception = result, exception
    future.add_done_callback = add_done_callback


def _watch_ignored():
    """What Python and its logging print and then ignore."""

    def unraisable(args, original=sys.unraisablehook):
        fault = args.exc_type.__name__ if args.exc_value is None else _words(args.exc_value)
        place = getattr(args.object, "__qualname__", None) or args.err_msg
        _record("ignored", f"{fault} in {place}" if place else fault)
        original(args)

    def unlogged(self, entry, original=logging.Handler.handleError):
        _record("ignored", f"{_words(sys.exc_info()[1])} while logging")
        original(self, entry)

    sys.unraisablehook, logging.Handler.handleError = unraisable, unlogged


def _watch_display(shell):
    """An exception of a __repr__ and the like fails the cell whose value it was to show; ipykernel
    answers so without its name. What display() was to show is only printed, and what is of another
    type than its format needs is left out."""
    raised = []

    def show(self, exc_tuple=None, *args, original=ZMQInteractiveShell.showtraceback, **kwargs):
        original(self, exc_tuple, *args, **kwargs)
        fault = exc_tuple[1] if exc_tuple else None  # given where it is of no statement of the cell
        if fault is None:
            return
        if getattr(self.displayhook, "msg", None) is not None:
            raised.append(fault)
        elif isinstance(fault, BaseExceptionGroup):  # which IPython prints to stderr alone
            _record("ignored", f"{_words(fault)} in showing an object")

    def end(result):
        if raised and result.success:
            result.error_in_exec = raised[0]
        raised.clear()

    def fitting(self, value, shown, original=BaseFormatter._check_return):
        fits = original(self, value, shown)
        if fits is None and value is not None:
            _record(
                "unshown",
                f"what class {type(shown).__name__} gives as {self.format_type} is of type "
                f"{type(value).__name__}, so that it is not shown",
            )
        return fits

    ZMQInteractiveShell.showtraceback, BaseFormatter._check_return = show, fitting
    shell.events.register("post_run_cell", end)


def _watch_bundles():
    """What an object or display() gives by format goes unchecked into the notebook, which holds
    text or bytes in each format but JSON. What it cannot hold is left out, and told."""

    def check(self, value, shown, original=MimeBundleFormatter._check_return):
        given = original(self, value, shown)  # before the text that every object has is looked for
        return _fitting(*given, f"class {type(shown).__name__} gives") if len(given) == 2 else given

    def form(self, obj, *args, original=DisplayFormatter.format, **kwargs):
        return _fitting(*original(self, obj, *args, **kwargs), f"class {type(obj).__name__} gives")

    def publish(self, data, metadata=None, *, original=ZMQDisplayPublisher.publish, **kwargs):
        if isinstance(data, dict):
            data, metadata = _fitting(data, metadata or {}, "display() was given")
        original(self, data, metadata, **kwargs)

    MimeBundleFormatter._check_return, DisplayFormatter.format = check, form
    ZMQDisplayPublisher.publish = publish


def _fitting(bundle, metadata, giver):
    fits = {}
    for form, value in bundle.items():
        single = not isinstance(value, list | tuple)
        parts = [value] if single else value
        allowed = (str, bytes) if single and not str(form).startswith("text/") else str
        wrong = [] if _JSON.match(str(form)) else [part for part in parts if not isinstance(part, allowed)]
        if not wrong:
            fits[form] = value
        elif value is not None:  # None: it has no such format
            held = "" if single else f" and holds one of type {type(wrong[0]).__name__}"
            _record(
                "unshown",
                f"what {giver} as {form} is of type {type(value).__name__}{held}, so that it is not shown",
            )
    if not isinstance(metadata, dict):
        _record(
            "unshown",
            f"what {giver} as metadata is of type {type(metadata).__name__} instead of dict, "
            "so that it is left out",
        )
        metadata = {}
    return fits, metadata


_JSON = re.compile(r"application/(.*\+)?json$")


def _watch_atexit():
    """The kernel is killed in the end, so what cells register runs after the last of them."""

    def register(function, *args, original=atexit.register, **kwargs):
        if _running and of_notebook(sys._getframe(1)):
            _at_exit.append((_running, function, args, kwargs))
            return function
        return original(function, *args, **kwargs)

    def unregister(function, original=atexit.unregister):
        _at_exit[:] = [entry for entry in _at_exit if entry[1] != function]
        original(function)

    atexit.register, atexit.unregister = register, unregister


def _leave():
    while _at_exit:
        count, function, args, kwargs = _at_exit.pop()
        try:
            function(*args, **kwargs)
        except BaseException as fault:
            name = getattr(function, "__qualname__", type(function).__name__)
            _record("ignored", f"{_words(fault)} in {name}, which atexit ran", count)


def _watch_tests(source):
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
            within = any(getattr(a, "_testRunEntered", False) for a in args)  # a suite that tells by itself
            result = original(*args, **kwargs)
            failed = not within and failures(result)
            if failed:
                _record("test", f"{module}: {failed}")
            return result

        run.watched = True
        setattr(place, method, run)

    def unittest(result):
        failed, unexpected = len(result.failures) + len(result.errors), len(result.unexpectedSuccesses)
        told = [f"{failed} of {result.testsRun} failed"] if failed else []
        if unexpected:
            told.append(f"{unexpected} of {result.testsRun} succeeded unexpectedly")
        return ", ".join(told)

    def doctest(result):
        return result.failed and f"{result.failed} of {result.attempted} examples failed"

    def pytest(status):
        return int(status) not in (0, 5) and f"exit status {int(status)}"  # 5: no test was found

    after("unittest", "TestSuite", "run", unittest)
    after("unittest", "TestCase", "run", unittest)
    after("doctest", "DocTestRunner", "run", doctest)
    after("pytest", "", "main", pytest)


def found():
    """What was recorded, what still runs, and what nobody asked for."""
    deadline = time.monotonic() + _PATIENCE
    gc.collect()  # what lies in cycles is finalized
    rest = _wait_for_threads(deadline)
    _leave()
    rest += processes.rest(deadline)
    rest += [(count, "future", words) for count, words in _untold.values()]
    return (_found + rest + _left_in_loops())[:_MOST]


def _left_in_loops():
    """Tasks with an exception that nobody asked for, or with work left, and coroutines never awaited."""
    things = [thing for thing in gc.get_objects() if type(thing) in _OF_LOOPS]
    waiting = {thing.get_coro() for thing in things if isinstance(thing, asyncio.Task) and not thing.done()}
    rest = []
    for thing in things:
        if isinstance(thing, types.CoroutineType):
            if thing not in waiting and inspect.getcoroutinestate(thing) == inspect.CORO_CREATED:
                rest.append((0, "coroutine", thing.__qualname__))
        elif thing.done():
            if thing._log_traceback:
                rest.append((0, "task", _words(thing.exception())))
        elif isinstance(thing, asyncio.Task) and not thing.cancelling() and _own_coroutine(thing.get_coro()):
            rest.append((0, "unfinished", f"task {thing.get_coro().__qualname__}"))
    return rest


_OF_LOOPS = (asyncio.Task, asyncio.Future, types.CoroutineType)


def _own_coroutine(coroutine):
    return isinstance(coroutine, types.CoroutineType) and own_code(coroutine.cr_code)


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
