"""Runs the cells of one notebook from top to bottom."""

import ast
import asyncio
import json
import os
import platform
import re
import time
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from . import codes, protocol
from .client import Client
from .codes import NOTEBOOK_UNREADABLE as UNREADABLE
from .files import Folder
from .protocol import Error
from .session import WORK, Session

EXECUTED = "executed.ipynb"
STATE = ".running.json"  # which cell runs, for the parent, should it have to end everything
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TRACEBACK_CHARACTERS = 4000
_FAULTS = "__import__('atelier_notebook.faults', fromlist=['found']).found()"
_GONE = [(0, "exit", "the kernel had ended before it was asked what had failed")]
_PACKAGES = "__import__('atelier_notebook.probe', fromlist=['packages']).packages()"


class Run:
    """One run; output() is what the parent gets."""

    def __init__(self, request, session):
        self._request, self._session = request, session
        self._deadline = time.monotonic() + request["deadline"] - time.time()
        self._folder = Folder(WORK)
        self._cells = []
        self._stopped = None
        self._written = (0.0, 0.0)  # when the notebook was last written, and how long that took

    async def run(self):
        """Runs everything that can be run."""
        try:
            notebook = nbformat.read(self._request["notebook"], as_version=4)
        except Exception as fault:
            raise Error(UNREADABLE, f"nbformat cannot read the notebook: {fault}.") from None
        self._notebook = notebook
        self._client = Client(
            notebook,
            km=self._session.manager,
            timeout=None,
            iopub_timeout=20,
            raise_on_iopub_timeout=True,
            record_timing=False,
        )
        self._client.kc = self._session.client
        self._client.reset_execution_trackers()
        self._client.flooded = self._flooded
        await self._ask("__import__('atelier_notebook.probe') and None")
        notebook.metadata["language_info"] = {"name": "python", "version": platform.python_version()}
        self._folder.changed()
        ticking = asyncio.ensure_future(self._tick())
        try:
            await self._all()
        finally:
            ticking.cancel()
        full = any(c.get("error", {}).get("ename") == "MemoryError" for c in self._cells)
        faults = None if full or self._dead() else await self._ask(_FAULTS)
        for record in [c for c in self._cells if "files" in c][-1:]:
            record["files"] += self._folder.changed()  # by what atexit ran
        packages = None if full or self._dead() else await self._ask(_PACKAGES)
        self._session.kill()
        self._write()
        Path(STATE).unlink(missing_ok=True)
        return {
            "cells": self._cells,
            "stopped": self._stopped,
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": platform.platform(),
            "packages": packages or {},
            "faults": self._placed(_GONE if faults is None and not full else faults or []),
        }

    def _placed(self, faults):
        """Faults with the cell during which they were seen; None where that is not known."""
        cells = {c.execution_count: i for i, c in enumerate(self._notebook.cells) if c.cell_type == "code"}
        return [{"index": cells.get(count or -1), "kind": kind, "text": text} for count, kind, text in faults]

    async def _all(self):
        total, failed = len(self._notebook.cells), False
        for index, cell in enumerate(self._notebook.cells):
            if cell.cell_type != "code":
                continue
            record = {"index": index, "id": cell.get("id", ""), "state": "not_run", "seconds": 0.0}
            self._cells.append(record)
            if not cell.source.strip():
                record["state"] = "empty"
            elif "skip-execution" in cell.metadata.get("tags", []):
                record["state"] = "skipped"
            elif self._stopped or (failed and self._request["stop_on_error"]):
                cell.outputs, cell.execution_count = [], None
            else:
                protocol.progress(index / total, f"In [{self._client.code_cells_executed + 1}] runs")
                await self._one(record, cell)
                failed = failed or record["state"] == "error"

    async def _one(self, record, cell):
        index = record["index"]
        Path(STATE).write_text(json.dumps({"index": index, "id": record["id"]}))
        self._write(soon=True)
        cell.outputs = []
        self._flood = asyncio.Event()
        begun = time.monotonic()
        allowed = self._deadline - begun
        limit = min(self._request["cell_timeout_s"], allowed)
        work = asyncio.ensure_future(
            self._client.async_execute_cell(cell, index, execution_count=self._client.code_cells_executed + 1)
        )
        death = asyncio.ensure_future(self._session.ended())
        flood = asyncio.ensure_future(self._flood.wait())
        first = asyncio.FIRST_COMPLETED
        done, _ = await asyncio.wait({work, death, flood}, timeout=max(limit, 0), return_when=first)
        record["seconds"] = round(time.monotonic() - begun, 3)
        if self._flood.is_set():
            self._stop(record, codes.OUTPUT_FLOOD, "")
        elif work in done:
            self._settle(record, cell, work)
        elif death in done:
            await asyncio.sleep(0.1)  # what it said last is still on its way
            self._stop(record, "kernel_died", f"{death.result()}\n{self._session.last_words()}".strip())
        else:
            self._stop(record, "timeout" if limit == allowed else "cell_timeout", "")
        for task in (work, death, flood):
            task.cancel()
        await asyncio.wait({work, death, flood}, timeout=5)
        if not work.cancelled() and work.done():
            work.exception()  # it has been dealt with
        record["files"] = self._folder.changed()
        record["cut"] = index in self._client.cut
        self._client.dirty = True

    def _settle(self, record, cell, work):
        fault = work.exception()
        if isinstance(fault, DeadKernelError):
            self._stop(record, "kernel_died", self._session.last_words())
        elif isinstance(fault, CellTimeoutError):  # it answered, but what it showed never came
            self._stop(record, codes.OUTPUT_FLOOD, "")
        elif isinstance(fault, CellExecutionError):
            record["state"] = "error"
            record["error"] = _failure(cell, fault)
        elif fault:
            raise fault
        else:
            record["state"] = "ok"
            raised = [o for o in cell.outputs if o.output_type == "error"]
            record["raised"] = raised[-1].ename if raised else ""

    def _stop(self, record, reason, detail):
        record["state"] = "stopped"
        place = {"index": record["index"], "id": record["id"]}
        self._stopped = {"reason": reason, "detail": detail[-2000:]} | place
        self._session.kill()

    def _flooded(self):
        self._flood.set()

    def _dead(self):
        return self._stopped is not None or self._session.dead()

    async def _ask(self, expression):
        """The value of an expression in the kernel, None where it has none."""
        client = self._session.client
        identity = client.execute("", silent=True, store_history=False, user_expressions={"it": expression})
        until = min(time.monotonic() + 20, self._deadline)
        while time.monotonic() < until and not self._dead():
            try:
                reply = await client.get_shell_msg(timeout=1)
            except Exception:  # the queue was empty for that time
                continue
            if reply["parent_header"].get("msg_id") == identity:
                value = reply["content"].get("user_expressions", {}).get("it", {})
                try:
                    return ast.literal_eval(value["data"]["text/plain"])
                except (KeyError, ValueError, SyntaxError):
                    return None
        return None

    async def _tick(self):
        while True:
            await asyncio.sleep(1)
            self._write(soon=True)

    def _write(self, soon=False):
        """Writes the notebook as it is; soon: not where nothing is new, or it was just done."""
        at, took = self._written
        if soon and (not self._client.dirty or time.monotonic() < at + 10 * took):
            return
        begun = time.monotonic()
        text = nbformat.writes(self._notebook) + "\n"
        Path(EXECUTED + ".new").write_bytes(text.encode(errors="replace"))  # of a lone surrogate
        os.replace(EXECUTED + ".new", EXECUTED)
        self._client.dirty = False
        self._written = (time.monotonic(), time.monotonic() - begun)


def _failure(cell, fault):
    outputs = [o for o in cell.outputs if o.output_type == "error"]
    lines = outputs[-1].traceback if outputs else str(fault.traceback).splitlines()
    text = _ANSI.sub("", "\n".join(lines))
    place = rf"(?:Cell In\[{cell.execution_count}\], |File <ipython[^>]*>:|)line (\d+)"
    if "Exception Group Traceback" in text:  # written by Python, with the frames of IPython
        place = r'ipykernel_\d+/\d+\.py", line (\d+), in <module>'
    found = re.search(place, text)
    if len(text) > _TRACEBACK_CHARACTERS:
        half = _TRACEBACK_CHARACTERS // 2
        text = text[:half] + "\n[…]\n" + text[-half:]
    return {
        "ename": fault.ename,
        "evalue": _ANSI.sub("", fault.evalue)[:1000],
        "traceback": text.splitlines(),
        "line": int(found[1]) if found else None,
    }


def execute(read, ready=None):
    """Starts a kernel, reads the request with read(), and returns the result line; None without a request.

    ready, where it is given, is called when the kernel waits.
    """
    return asyncio.run(_execute(read, ready))


async def _execute(read, ready):
    begun = time.monotonic()
    session = Session()
    try:
        fault = None
        try:
            await session.start()
        except Error as found:
            fault = found  # told to the job, which is the one who waits for an answer
        started = time.monotonic() - begun
        if ready:
            ready()
        request = await asyncio.get_running_loop().run_in_executor(None, read)
        if request is None:
            return None
        if fault:
            raise fault
        if session.dead():  # while it waited
            session.close()
            session = Session()
            await session.start()
        session.bound(request["memory_mb"])
        output = await Run(request, session).run()
    finally:
        session.close()
    return {"type": "result", "output": output, "metrics": {"kernel_start_s": round(started, 3)}}
