"""Calls every tool with every example that the OpenAPI document shows of it; each
must be answered with 2xx.

Usage: examples.py DOCUMENT URL PAGE; the token is ATELIER_TOKEN."""

import json
import os
import pathlib
import sys
import urllib.error
import urllib.request

document, url, page = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]

# What the machine of the checks does not have, and the suite that does. The
# builders of notebooks need a notebook in a certain state, and the tools of studies a
# study; tests of cmd/atelier make them.
ELSEWHERE = {
    "mlx.load": "make test-mlx",
    "verify_claim": "internal/tools/claim",
    "mlx.unload": "make test-mlx",
    "search.web": "make test-search",
    "notebook.fetch_model_card": "internal/tools/notebook",
    "notebook.emit_code_cell": "cmd/atelier",
    "notebook.emit_markdown_step": "cmd/atelier",
    "notebook.finalize": "cmd/atelier",
    "notebook.record_assessment": "cmd/atelier",
    "notebook.remove_cell": "cmd/atelier",
    "notebook.revise_cell": "cmd/atelier",
    "study_ask": "cmd/atelier",
    "study_change": "cmd/atelier",
    "study_compare": "cmd/atelier",
    "study_report": "cmd/atelier",
    "study_run": "cmd/atelier",
}


def answered(path: str, body: dict) -> tuple[int, str]:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["ATELIER_TOKEN"]}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return reply.status, ""
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()[:400]


passed = failed = 0
for path, item in json.loads(document.read_text())["paths"].items():
    tool = path.removeprefix("/v1/tools/")
    if tool == path or tool in ("execute", "{name}") or tool in ELSEWHERE or "post" not in item:
        continue
    examples = item["post"]["requestBody"]["content"]["application/json"].get("examples", {})
    if not examples:
        failed += 1
        print(f"{tool} has no example", file=sys.stderr)
    for name, example in examples.items():
        body = dict(example["value"], url=page) if tool == "web.fetch" else example["value"]
        status, said = answered(path, body)
        if 200 <= status < 300:
            passed += 1
        else:
            failed += 1
            print(f"{tool}, example {name}: {status} {said}", file=sys.stderr)
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
