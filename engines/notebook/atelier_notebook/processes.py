"""Runs inside the kernel: commands and child processes that fail without failing a cell.

A command's exit status is told where nothing reads it: code that reads one decides what it means.
"""

import asyncio.subprocess
import functools
import itertools
import multiprocessing.process
import os
import shlex
import signal
import subprocess
import sys
import time
import weakref

from IPython.core.interactiveshell import InteractiveShell

from .callers import discarded, of_notebook, passes_on

_NO_RAISE = "--no-raise-error"
_keys = itertools.count()
_unread = {}  # key -> (execution count of its cell, arguments, words): exit statuses that nothing has read
_begun = weakref.WeakSet()  # processes of subprocess
_children = {}  # process id of a forked child that has not been waited for -> execution count
_told_to_end = set()  # process ids that the notebook sent a signal
_in_background = []  # (process of %%script --bg, execution count, line)
_spawned = []  # (process of multiprocessing that is no fork, execution count)


def watch(record, cell, shell):
    """Records what fails. cell tells the execution count of the cell that runs."""
    _watch_popen(cell)
    _watch_readers()
    _watch_calls(record, cell)
    _watch_asyncio()
    _watch_shell(record, cell, shell)
    _watch_children(record, cell)


def _failed(code, pid=None):
    """How a process failed, in words; "" where it did not, or was told to end."""
    if code is None or code == sys.maxsize or code == 0 or -code == signal.SIGPIPE:
        return ""  # subprocess sets maxsize where the status is lost; a pipe's reader may have enough
    if code < 0 and pid in _told_to_end:
        return ""
    return f"exit status {code}" if code > 0 else signal.Signals(-code).name


def _line(arguments):
    if isinstance(arguments, (str, bytes, os.PathLike)):
        return os.fsdecode(arguments).strip()
    return shlex.join(map(os.fsdecode, arguments))


def _watch_popen(cell):
    popen = subprocess.Popen

    @functools.wraps(popen.__init__)
    def begin(self, *args, original=popen.__init__, **kwargs):
        self.begun_by_cell = cell() if of_notebook(sys._getframe(1)) else 0
        try:
            original(self, *args, **kwargs)
        except BaseException:
            _read(self)  # the cell has the exception
            raise
        if self.begun_by_cell:
            _begun.add(self)

    def get(self):
        if not passes_on(sys._getframe(1)):
            _read(self)
        return self.__dict__["returncode"]

    def end(self, code):
        self.__dict__["returncode"] = code
        how = _failed(code, self.pid)
        if how and getattr(self, "begun_by_cell", 0):
            self.unread = next(_keys)
            _unread[self.unread] = (self.begun_by_cell, self.args, f"{_line(self.args)} ended with {how}")

    popen.__init__, popen.returncode = begin, property(get, end)


def _read(thing):
    _unread.pop(getattr(thing, "unread", None), None)


def _newest(arguments):
    """The key of the last command with these very arguments, None for none."""
    return next((key for key, (_, args, _) in reversed(_unread.items()) if args is arguments), None)


def _watch_readers():
    """What subprocess makes of a process passes the status on."""

    def get(self):
        if not passes_on(sys._getframe(1)):
            _read(self)
        return self.__dict__["returncode"]

    def take(self, code):
        self.__dict__["returncode"], self.unread = code, _newest(self.args) if code else None

    subprocess.CompletedProcess.returncode = property(get, take)

    def raised(self, returncode, cmd, *args, original=subprocess.CalledProcessError.__init__, **kwargs):
        _unread.pop(_newest(cmd), None)
        original(self, returncode, cmd, *args, **kwargs)

    subprocess.CalledProcessError.__init__ = raised


def _watch_calls(record, cell):
    """Functions that return the status: it is read unless the call is a statement of its own."""

    def follow(owner, name, forget):
        original = getattr(owner, name)

        @functools.wraps(original)
        def call(*args, **kwargs):
            result = original(*args, **kwargs)
            frame = sys._getframe(1)
            if result and not passes_on(frame) and not discarded(frame):
                forget(*args, **kwargs)
            return result

        setattr(owner, name, call)

    def forget(self, *_, **__):
        _read(self)

    def forget_arguments(*args, **kwargs):
        _unread.pop(_newest(args[0] if args else kwargs.get("args")), None)

    follow(subprocess.Popen, "wait", forget)
    follow(subprocess.Popen, "poll", forget)
    follow(subprocess, "call", forget_arguments)
    follow(os._wrap_close, "close", lambda self: _read(self._proc))

    def getoutput(cmd, **kwargs):
        status, text = subprocess.getstatusoutput(cmd, **kwargs)
        if status and of_notebook(sys._getframe(1)):
            record("command", f"{_line(cmd)} ended with {_failed(status)}")
        return text

    subprocess.getoutput = functools.wraps(subprocess.getoutput)(getoutput)

    def system(command, original=os.system):
        status = original(command)
        frame = sys._getframe(1)
        how = _failed(os.waitstatus_to_exitcode(status)) if status else ""
        if how and cell() and of_notebook(frame) and (passes_on(frame) or discarded(frame)):
            record("command", f"{_line(command)} ended with {how}")
        return status

    os.system = functools.wraps(os.system)(system)


def _watch_asyncio():
    process = asyncio.subprocess.Process

    def get(self, original=process.returncode.fget):
        if not passes_on(sys._getframe(1)):
            _read(self._transport.get_extra_info("subprocess"))
        return original(self)

    async def wait(self, original=process.wait):
        code = await original(self)
        frame = sys._getframe(1)
        if code and not passes_on(frame) and not discarded(frame):
            _read(self._transport.get_extra_info("subprocess"))
        return code

    process.returncode, process.wait = property(get), wait


def _watch_shell(record, count, shell):
    # A pseudo-terminal is out of the sandbox's reach; what a command writes is
    # read from the file descriptors instead.
    kind = type(shell)
    kind.system = kind.system_piped = InteractiveShell.system_raw

    scripts = shell.magics_manager.registry["ScriptMagics"]
    original = scripts.shebang

    @functools.wraps(original)
    def script(line, cell):
        quiet = _NO_RAISE in line.split()
        before = len(scripts.bg_processes)
        try:
            result = original(line.replace(_NO_RAISE, "") if quiet else line, cell)
            _in_background.extend((p, count(), line.strip()) for p in scripts.bg_processes[before:])
            return result
        except Exception as failure:
            if not quiet or not hasattr(failure, "returncode"):
                raise
            record("command", f"%%script {line.strip()} ended with exit status {failure.returncode}")

    _watch_cd(record, shell)
    _watch_store(record, shell)
    scripts.shebang = shell.magics_manager.magics["cell"]["script"] = script  # %%bash calls the first


def _watch_cd(record, shell):
    """%cd prints that there is no such folder, and the notebook goes on in the old one."""
    folders = shell.magics_manager.registry["OSMagics"]
    original = folders.cd

    @functools.wraps(original)
    def cd(parameter_s=""):
        before = os.getcwd()
        original(parameter_s)
        wanted = os.path.expanduser(parameter_s.strip().strip("\"'"))
        if wanted and os.getcwd() == before and not wanted.startswith("-") and not os.path.isdir(wanted):
            record("command", f"%cd {parameter_s.strip()} found no such folder")

    folders.cd = shell.magics_manager.magics["line"]["cd"] = cd  # %pushd calls the first


def _watch_store(record, shell):
    """%store -r prints that nothing is stored by a name, and the notebook goes on without it."""
    magics = shell.magics_manager.magics["line"]
    original = magics.get("store")
    if original is None:
        return

    @functools.wraps(original)
    def store(parameter_s=""):
        words = parameter_s.split()
        original(parameter_s)
        aliases = shell.db.get("stored_aliases", {})
        names = [w for w in words if not w.startswith("-")] if "-r" in words else []
        for name in names:
            if "autorestore/" + name not in shell.db and name not in aliases:
                record("command", f"%store -r found nothing stored as {name}")

    magics["store"] = store


def _watch_children(record, cell):
    """Children that a cell forks or spawns, by itself or by multiprocessing."""

    def settle(pid, status):
        count = _children.pop(pid, None)
        how = _failed(os.waitstatus_to_exitcode(status), pid) if count is not None else ""
        if how:
            record("child", how, count)

    def kill(pid, signal_, original=os.kill):
        original(pid, signal_)
        _told_to_end.add(pid)

    def killpg(group, signal_, original=os.killpg):
        original(group, signal_)
        _told_to_end.add(group)  # its leader's process id

    os.kill, os.killpg = functools.wraps(os.kill)(kill), functools.wraps(os.killpg)(killpg)

    def fork(original=os.fork):
        pid = original()
        if pid:
            _children[pid] = cell()
        else:
            _children.clear()
        return pid

    def spawning(original):
        @functools.wraps(original)
        def spawn(*args, **kwargs):
            pid = original(*args, **kwargs)
            _children[pid] = cell()
            return pid

        return spawn

    def waiting(original):
        @functools.wraps(original)
        def wait(*args):
            found = original(*args)
            settle(*found[:2])
            return found

        return wait

    os.fork, os.posix_spawn, os.posix_spawnp = fork, spawning(os.posix_spawn), spawning(os.posix_spawnp)
    os.wait, os.waitpid, os.wait3, os.wait4 = map(waiting, (os.wait, os.waitpid, os.wait3, os.wait4))

    def start(self, original=multiprocessing.process.BaseProcess.start):
        original(self)
        if self._popen.method != "fork":  # a fork is seen by itself
            _spawned.append((self, cell()))

    multiprocessing.process.BaseProcess.start = start


def rest(deadline):
    """What was seen by the end of the notebook: (execution count, kind, words)."""
    running = [
        (p.begun_by_cell, "unfinished", f"process {_line(p.args)}")
        for p in {*_begun, *subprocess._active}
        if getattr(p, "begun_by_cell", 0) and not _ends(p._internal_poll, deadline)
    ]
    told = [(count, "command", words) for count, _, words in _unread.values()]  # polling adds to them
    return told + running + _scripts_left(deadline) + _children_left(deadline) + _spawned_left(deadline)


def _scripts_left(deadline):
    left = []
    for process, count, line in _in_background:
        if not _ends(lambda process=process: process._transport.get_returncode(), deadline):
            left.append((count, "unfinished", f"process %%script {line}"))
        elif how := _failed(process._transport.get_returncode(), process.pid):
            left.append((count, "command", f"%%script {line} ended with {how}"))
    return left


def _ends(poll, deadline):
    """Waits until poll() tells a status."""
    while poll() is None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _children_left(deadline):
    left = []
    idle = {p.pid for p in multiprocessing.active_children() if p.daemon}  # these end with their parent
    for pid, count in list(_children.items()):
        if pid in idle:
            continue
        try:
            if not _ends(lambda pid=pid: os.waitpid(pid, os.WNOHANG)[0] or None, deadline):
                left.append((count, "unfinished", f"process {pid}"))
        except ChildProcessError:
            _children.pop(pid, None)  # somebody waited for it by another call
    return left


def _spawned_left(deadline):
    left = []
    for process, count in _spawned:
        try:
            if not process.daemon and not _ends(lambda process=process: process.exitcode, deadline):
                left.append((count, "unfinished", f"process {process.name}"))
            elif how := _failed(process.exitcode, process.pid):
                left.append((count, "child", how))
        except ValueError:
            continue  # it was closed, which only a process that has ended can be
    return left
