"""Holds mlx.load and mlx.unload with a real mlx_lm.server on this processor.

Usage: check.py ATELIER MLX_LM_SERVER WORK_FOLDER
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ATELIER, MLX, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3])
GONE = f'gone={sys.executable} -c "1/0" {{model}} {{port}}'  # a server that ends with a traceback

FLAGS = ["--root", str(WORK / "models"), "--mlx", MLX, "--hf-home", str(WORK / "hf")]

checks = 0
started: list[subprocess.Popen] = []
figures: dict[str, float] = {}


def check(holds: object, what: str, seen: object = "") -> None:
    global checks
    checks += 1
    if not holds:
        sys.exit(f"mlx: {what}: {seen}")


class Server:
    """A running atelier; start again after stop or kill uses the same data."""

    def __init__(self, name: str, *flags: str) -> None:
        self.data, self.flags = WORK / name, flags
        self.start()

    def start(self) -> None:
        command = [
            ATELIER,
            "serve",
            "--addr",
            "127.0.0.1:0",
            "--data",
            str(self.data),
            "--root",
            str(WORK / "models"),
        ]
        command += ["--mlx", MLX, "--hf-home", str(WORK / "hf"), "--backend", GONE, *self.flags]
        with open(str(self.data) + ".log", "a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        started.append(self.process)
        self.url = self.process.stdout.readline().split()[-1]

    def stop(self) -> None:
        self.process.terminate()
        check(self.process.wait(90) == 0, "an orderly stop", self.process.returncode)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def ask(self, path: str, body: object = None, method: str = "") -> tuple[int, dict]:
        return ask(self.url + path, body)

    def direct(self, tool: str, **arguments: object) -> tuple[int, dict]:
        """A call by the direct route; an error is its code."""
        return self.ask("/v1/tools/" + tool, arguments)

    def loaded(self) -> dict[str, str]:
        rows = self.ask("/v1/models")[1]["data"]
        return {row["id"]: row.get("root", "") for row in rows if row["id"].startswith("local:")}

    def chat(self, model: str, **more: object) -> tuple[int, dict]:
        return self.ask("/v1/chat/completions", prompt(model, **more))


def ask(url: str, body: object = None) -> tuple[int, dict]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=90) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def prompt(model: str, **more: object) -> dict:
    message = {"role": "user", "content": "Say something."}
    return {"model": model, "messages": [message], "max_tokens": 12, "temperature": 0, **more}


def free_ports(n: int) -> list[int]:
    found = []
    for port in range(8139, 8099, -1):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) != 0:
                found.append(port)
    return found[:n]


def children(port: int) -> list[int]:
    """The ids of the mlx_lm.servers on a port."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if MLX.encode() in words and str(port).encode() in words:
            found.append(int(path.parent.name))
    return found


def until(what: str, holds, patience: float = 120) -> float:
    begun = time.monotonic()
    while not holds() and time.monotonic() - begun < patience:
        time.sleep(0.05)
    check(holds(), "never: " + what)
    return time.monotonic() - begun


def code(answer: tuple[int, dict]) -> tuple[int, str]:
    return answer[0], answer[1].get("error", {}).get("code", "")


def nothing_on(port: int) -> bool:
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) != 0 and not children(port)


def streamed(server: Server, body: dict) -> str:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(server.url + "/v1/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as stream:
        data = [line[6:] for line in stream.read().decode().splitlines() if line.startswith("data: ")]
    check(data.pop() == "[DONE]", "the end of a stream", data)
    return "".join(
        choice["delta"].get("content") or "" for chunk in data for choice in json.loads(chunk)["choices"]
    )


def loaded_and_used(server: Server, port: int) -> None:
    call = {"tool": "mlx.load", "input": {"model": "tiny", "port": port}}
    status, answer = server.ask("/v1/tools/execute", call)
    check(status == 200 and answer["status"] == "ok" and answer["output"]["port"] == port, "load", answer)
    figures["load"] = answer["metrics"]["load_s"]
    check(server.loaded() == {f"local:{port}": "tiny"}, "GET /v1/models", server.loaded())
    check(server.ask(f"/v1/models/local:{port}")[1]["owned_by"] == "mlx", "GET /v1/models/local")
    # The random model at temperature 0 says through atelier what it says by itself.
    status, through = server.chat(f"local:{port}")
    itself = ask(f"http://127.0.0.1:{port}/v1/chat/completions", prompt("default_model"))[1]
    text, choice = itself["choices"][0]["message"]["content"], through["choices"][0]
    check(status == 200 and choice["message"]["content"] == text != "", "a chat", (through, itself))
    for count in ("prompt_tokens", "completion_tokens"):
        check(through["usage"][count] == itself["usage"][count] > 0, count, (through, itself))
    check(through["usage"]["completion_tokens"] == 12, "max_tokens", through)
    check(choice["finish_reason"] == "length", "finish_reason", through)
    check(streamed(server, prompt(f"local:{port}", stream=True)) == text, "a stream")
    body = {"model": f"local:{port}", "input": "Say something.", "max_output_tokens": 12}
    status, response = server.ask("/v1/responses", body)
    check(status == 200 and response["usage"]["output_tokens"] == 12, "a response", response)
    status, again = server.direct("mlx.load", model="tiny", port=port)
    check(status == 200 and again["message"].startswith("Already loaded"), "the same load again", again)
    check(len(children(port)) == 1, "one process", children(port))


def refused(server: Server, port: int, empty: int) -> None:
    def load(**arguments: object) -> tuple[int, str]:
        return code(server.direct("mlx.load", **arguments))

    def unload(at: object) -> tuple[int, str]:
        return code(server.direct("mlx.unload", port=at))

    check(load(model="other", port=port) == (409, "port_busy"), "another model on the port")
    with socket.socket() as foreign:
        foreign.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        foreign.bind(("127.0.0.1", empty))
        foreign.listen()
        check(load(model="tiny", port=empty) == (409, "port_busy"), "a port that another program has")
        check(unload(empty) == (404, "not_listening"), "unload what is not ours")
    for wrong in (8099, 8140, "8100", 8100.5):
        check(load(model="tiny", port=wrong) == (400, "invalid_port"), f"port {wrong}")
        check(unload(wrong) == (400, "invalid_port"), f"unload of port {wrong}")
    check(load(port=empty) == (400, "invalid_request"), "no model")
    for absent in ("nobody", "mlx-community/not-in-the-cache", "/etc", "--help", "../.."):
        check(load(model=absent, port=empty) == (404, "model_not_found"), f"the model {absent}")
    for backend, model, says in (("mlx", "torn", "RuntimeError"), ("gone", "tiny", "ZeroDivisionError")):
        answer = server.direct("mlx.load", model=model, port=empty, backend=backend)
        log = answer[1]["error"]["details"].get("log_tail", "")
        check(code(answer) == (500, "launch_failed") and says in log, f"a crash at start ({backend})", answer)
        check(nothing_on(empty), "what a crash at start leaves")
    check(
        code(server.chat(f"local:{empty}")) == (404, "model_not_found"), "chat with a port that has no model"
    )
    invocation = {
        "request_id": "mlx-1",
        "tool_name": "mlx.load",
        "tool_version": "1.0.0",
        "arguments": {"model": "tiny", "port": 8000},
        "timeout_ms": 60000,
        "capture_selection": {"capture_id": ""},
    }
    status, answer = server.ask("/v1/invocations", invocation)
    fault = (answer.get("errors") or [{}])[0]
    check((status, fault.get("code"), fault.get("field")) == (200, "INVALID_VALUE", "port"), "003", answer)


def survived(server: Server, port: int) -> None:
    (first,) = children(port)
    os.kill(first, signal.SIGKILL)
    until("the server is restarted", lambda: children(port) not in ([], [first]))
    figures["restart"] = until("it answers again", lambda: server.chat(f"local:{port}")[0] == 200)
    (second,) = children(port)
    server.kill()
    check(ask(f"http://127.0.0.1:{port}/health")[0] == 200, "the model server goes on without atelier")
    server.start()
    figures["adopt"] = until("it is listed again", lambda: server.loaded() == {f"local:{port}": "tiny"})
    check(
        children(port) == [second] and server.chat(f"local:{port}")[0] == 200,
        "the same process serves again",
        children(port),
    )
    status, answer = server.direct("mlx.unload", port=port)
    check(status == 200 and answer["ok"] and answer["port"] == port, "unload", answer)
    check(nothing_on(port) and server.loaded() == {}, "what an unload leaves", children(port))
    check(code(server.direct("mlx.unload", port=port)) == (404, "not_listening"), "unload twice")


def stopped(server: Server, port: int) -> None:
    check(server.direct("mlx.load", model="tiny", port=port)[0] == 200, "load")
    server.stop()
    check(nothing_on(port), "what an orderly stop leaves", children(port))
    server.flags = ("--model-url", f"local:{port}", "--keep-backends")
    server.start()
    until("it is loaded again", lambda: f"local:{port}" in server.loaded())
    status, answer = server.chat("autosage-0.1")
    check(status == 200 and answer["usage"]["completion_tokens"] == 12, "--model-url local", answer)
    kept = children(port)
    server.stop()
    check(children(port) == kept != [], "--keep-backends", children(port))
    server.start()
    until("it is taken over", lambda: f"local:{port}" in server.loaded())
    check(children(port) == kept, "the same process", children(port))


def over_stdio(port: int, busy: int) -> None:
    command = [
        ATELIER,
        "mcp",
        "--family",
        "mlxctl",
        "--data",
        str(WORK / "stdio"),
        "--root",
        str(WORK / "models"),
        "--mlx",
        MLX,
    ]
    command += ["--hf-home", str(WORK / "hf")]
    with open(WORK / "stdio.log", "w") as log:
        client = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
    started.append(client)

    def send(message: dict) -> None:
        client.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        client.stdin.flush()

    def request(method: str, params: dict) -> dict:
        send({"id": method, "method": method, "params": params})
        while True:
            message = json.loads(client.stdout.readline())
            if message.get("id") == method and "method" not in message:
                return message["result"]

    request(
        "initialize",
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "check", "version": "1"},
        },
    )
    send({"method": "notifications/initialized"})
    names = [tool["name"] for tool in request("tools/list", {})["tools"]]
    check(names == ["mlx_load", "mlx_unload"], "tools/list of mlxctl", names)
    result = request("tools/call", {"name": "mlx_load", "arguments": {"model": "tiny", "port": port}})
    check(not result.get("isError") and result["structuredContent"]["ok"], "mlx_load over stdio", result)
    check(ask(f"http://127.0.0.1:{port}/health")[0] == 200, "the loaded server")
    result = request("tools/call", {"name": "mlx_load", "arguments": {"model": "tiny", "port": busy}})
    check(result["isError"] and "port_busy" in json.dumps(result), "a port that another atelier has", result)
    result = request("tools/call", {"name": "mlx_unload", "arguments": {"port": port}})
    check(not result.get("isError") and nothing_on(port), "mlx_unload over stdio", result)
    request("tools/call", {"name": "mlx_load", "arguments": {"model": "tiny", "port": port}})
    client.stdin.close()
    check(client.wait(90) == 0 and nothing_on(port), "what a client leaves that has gone", children(port))


def main() -> None:
    begun = time.monotonic()
    port, second, empty = free_ports(3)
    server = Server("data")
    try:
        loaded_and_used(server, port)
        refused(server, port, empty)
        survived(server, port)
        stopped(server, port)
        over_stdio(second, port)
        check(server.direct("mlx.unload", port=port)[0] == 200, "the last unload")
        server.stop()
        check(all(nothing_on(p) for p in (port, second, empty)), "what is left at the end")
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
        for p in (port, second, empty):
            for pid in children(p):
                os.kill(pid, signal.SIGKILL)
    told = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in figures.items())
    print(f"mlx: {checks} checks hold, {told}, {time.monotonic() - begun:.0f} s in all")
    print(f"{checks} passed, 0 failed, 0 skipped")


if __name__ == "__main__":
    main()
