"""Tiny solves through a running server: tiny.py URL ATELIER ENGINES FOLDER CASE..."""

import json
import statistics
import sys
import time
import urllib.request

from codes import Workshop
from compare import head, line

CALLS, WARM = 20, 3
TARGET = 20  # ms


def ask(url, body):
    """The answer, and its milliseconds."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    begin = time.monotonic()
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    took = 1000 * (time.monotonic() - begin)
    answer = json.loads(text)
    if answer["status"] != "ok":
        raise SystemExit(answer["output"]["error_message"])
    return answer, took


def main(url, atelier, engines, folder, cases):
    workshop = Workshop(atelier, engines, "", folder)
    print(f"\n## Tiny solves over HTTP, POST /v1/tools/execute: ms of {CALLS} calls\n")
    print("The driver solves each of them a second time, on elements of half the size.\n")
    head("problem", "unknowns", "median", "quickest", "of the engine", "of the solver", "target")
    for case in cases:
        tool, request = workshop.request(case)
        body = json.dumps({"tool": tool, "input": request}).encode()
        rows = [ask(url + "/v1/tools/execute", body) for _ in range(WARM + CALLS)][WARM:]
        took = [took for _, took in rows]
        metrics = [answer["metrics"] for answer, _ in rows]
        cells = [case, f"{rows[0][0]['output']['unknowns']:,}"]
        cells += [f"{statistics.median(took):.1f}", f"{min(took):.1f}"]
        cells += [f"{statistics.median(row['elapsed_ms'] for row in metrics):.1f}"]
        cells += [f"{1000 * statistics.median(row['solve_seconds'] for row in metrics):.1f}"]
        line([*cells, str(TARGET)])


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
