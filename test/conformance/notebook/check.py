"""Holds notebooks of a running Atelier against nbformat, nbclient and ast."""

import ast
import hashlib
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request

import nbformat
from nbclient import NotebookClient
from papermill.parameterize import parameterize_notebook

URL, SHARED = sys.argv[1], pathlib.Path(sys.argv[2])


def post(path, body, kind):
    request = urllib.request.Request(URL + path, body, {"Content-Type": kind})
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


def call(tool, **arguments):
    body = json.dumps({"tool": tool, "input": arguments}).encode()
    result = post("/v1/tools/execute", body, "application/json")
    assert result["status"] == "ok", (tool, result)
    return result["output"]


def upload(path):
    mark = "suite-boundary"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{path.name}"\r\n'
    body = head.encode() + b"Content-Type: application/json\r\n\r\n" + path.read_bytes()
    body += f"\r\n--{mark}--\r\n".encode()
    answer = post("/v1/files", body, f"multipart/form-data; boundary={mark}")
    return "file:" + answer["file_id"]


TOPICS = ["Rows", "Columns", "Totals", "Shares", "Ranks", "Reports"]


def lesson():
    """Builds six steps on a small table and returns what finalize answers."""
    call("notebook.begin", notebook_id="suite", title="A table by hand")
    for n, topic in enumerate(TOPICS, 1):
        word = topic.lower()
        remarks = [
            f"Name the {word} before you count them.",
            f"Do not lose the {word} on the way down.",
            f"Print the {word} when in doubt about them.",
        ]
        call(
            "notebook.emit_markdown_step",
            notebook_id="suite",
            section_number=n,
            title=f"Step {n}: {topic}",
            body=f"This step is about {word}. A table is a list of rows, and a row is a list of "
            f"cells; the {word} follow from both. Write down what you expect of the {word} before "
            "the code below shows it: an expectation that fails teaches more than an output that "
            "was merely read. Then change one number above and explain what moves. Step "
            f"{n} of {len(TOPICS)} ends with an assertion that holds for any table.",
            callouts=[
                {"type": "note", "message": r + f" This is remark {i} of step {n}."}
                for i, r in enumerate(remarks)
            ],
            estimated_tokens=600,
        )
        cell = call(
            "notebook.emit_code_cell",
            notebook_id="suite",
            section_number=n,
            language="python",
            code=f"table_{n} = [[row * {n} + column for column in range(4)] for row in range(3)]\n"
            f"{word} = [sum(row) for row in table_{n}]\nprint({word})\n"
            f"assert sum({word}) == sum(map(sum, zip(*table_{n})))\n",
        )
        assert cell["runnable"], cell
    prompt = "Which property of a table stays the same when its rows are put into another order?"
    call(
        "notebook.record_assessment",
        notebook_id="suite",
        section_number=3,
        questions=[
            {
                "prompt": prompt,
                "options": ["The first row", "The sum of all cells", "The last column's order"],
                "correct_index": 1,
                "explanation": "A sum does not depend on the order in which its terms are added up.",
            }
        ],
    )
    summary = "You built a table, summed its rows and columns, took shares and ranks, and wrote a report. "
    return call(
        "notebook.finalize", notebook_id="suite", outline_summary=summary * 3, reading_time_minutes=12
    )


def run_lesson():
    path = lesson()["notebook_path"]
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    quality = call("validator.run_quality", notebook_path=path)
    assert quality["metrics"]["qualityScore"] >= 90 and quality["strict"]["passes"], quality
    colab = call("validator.run_colab", notebook_path=path)
    assert colab["isCompatible"] and colab["fixedNotebookPath"].endswith(".colab.ipynb"), colab
    assert nbformat.read(colab["fixedNotebookPath"], as_version=4) == nbformat.read(path, as_version=4)
    run_by_the_tool(path, notebook)
    return len(notebook.cells)


def run_by_the_tool(path, own):
    """Runs the lesson by validator.run_execution: its outputs are those of the run made here."""
    ran = call("validator.run_execution", notebook_path=path)
    assert ran["ok"] and ran["cells_run"] == ran["cells_total"] and ran["failure"] is None, ran
    assert ran["evidence"]["trust"] == "verified", ran["evidence"]
    executed = nbformat.read(ran["executed_notebook"], as_version=4)
    nbformat.validate(executed)
    assert len(executed.cells) == len(own.cells)
    for mine, theirs in zip(own.cells, executed.cells, strict=True):
        assert mine.source == theirs.source
        # The environment cell shows the version of Python, which may differ.
        if mine.cell_type == "code" and "platform" not in mine.source:
            assert shown(mine) == shown(theirs), (shown(mine), shown(theirs))
    receipt = json.load(urllib.request.urlopen(URL + ran["receipt_url"]))
    sources = [c.source for c in own.cells if c.cell_type == "code" and c.source.strip()]
    hashes = [hashlib.sha256(s.encode()).hexdigest() for s in sources]
    assert [c["source_sha256"] for c in receipt["cells"]] == hashes, receipt
    quality = call("validator.run_quality", notebook_path=path)
    assert quality["execution"]["state"] == "current", quality["execution"]
    after = call("validator.run_quality", notebook_path=ran["executed_notebook"])
    assert after["execution"]["state"] == "current" and after["strict"]["passes"], after
    assert not any(f["code"] == "outputs_missing" for f in after["strict"]["findings"]), after


def shown(cell):
    return "".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in cell.outputs)


GIVEN = {
    "n": 5,
    "share": -0.25,
    "name": 'a "b" \\ é',
    "on": True,
    "none": None,
    "list": [1, [2, "x"]],
    "map": {"k": [1.5]},
}


def same_as_papermill():
    """Injects parameters by the tool and by papermill: the same cell in the same place, the same values."""
    tagged, injected = ("n = 2", ["parameters"]), ("n = 3", ["injected-parameters"])
    plain = [("import math", []), ("print(math.pi)", [])]
    cases = [
        plain,
        [plain[0], tagged, plain[1]],
        [plain[0], tagged, injected, plain[1]],
        [tagged, plain[0], injected],
    ]
    for cells in cases:
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(s, metadata={"tags": t}) for s, t in cells],
            metadata={"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}},
        )
        path = pathlib.Path(os.environ["HOME"], "parameters.ipynb")
        nbformat.write(notebook, path)
        ran = call("validator.run_execution", notebook_path=str(path), parameters=GIVEN)
        ours = nbformat.read(ran["executed_notebook"], as_version=4).cells
        notebook.metadata["papermill"] = {}
        theirs = parameterize_notebook(notebook, GIVEN).cells
        assert [c.metadata.get("tags") for c in ours] == [c.metadata.get("tags") for c in theirs]
        for mine, other in zip(ours, theirs, strict=True):
            if mine.metadata.tags == ["injected-parameters"]:
                assert values(mine.source) == values(other.source) == GIVEN, mine.source
            else:
                assert mine.source == other.source
    return len(cases)


def values(source):
    names = {}
    exec(source, names)
    del names["__builtins__"]
    return names


def text(cell):
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else source


def parse(source):
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def statements(tree):
    """The dumps of all statements that hold no other statements."""
    leaves = [n for n in ast.walk(tree) if isinstance(n, ast.stmt) and not getattr(n, "body", None)]
    return [ast.dump(n) for n in leaves]


def compare(before, after):
    """Says how many statements changed; every cell keeps its place and stays Python."""
    changed = 0
    assert len(before["cells"]) == len(after["cells"])
    for old, new in zip(before["cells"], after["cells"], strict=True):
        if text(old) == text(new):
            continue
        tree, fixed = parse(text(old)), parse(text(new))
        assert tree is None or fixed is not None, text(new)
        if tree is None:
            continue
        a, b = statements(tree), statements(fixed)
        assert len(a) == len(b), text(new)
        different = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        for x, _ in different:
            assert "install" in x or "TOKEN" in x, x
        changed += len(different)
    return changed


def fix_oracle():
    folder = SHARED / "notebook" / "oracle"
    fixed = changed = 0
    for listing in [folder / "expected.json", folder / "synthetic" / "expected.json"]:
        for name, expected in json.loads(listing.read_text()).items():
            issues = expected.get("colabIssuesDetected") or []
            if not any(i["severity"] == "critical" for i in issues):
                continue
            path = listing.parent / name
            answer = call("validator.run_colab", notebook_path=upload(path))
            assert answer["isCompatible"], (name, answer)
            again = call("validator.run_colab", notebook_path=answer["fixedNotebookPath"])
            assert again["isCompatible"] and again["original"]["isCompatible"] and not again["fixed"], name
            after = json.loads(pathlib.Path(answer["fixedNotebookPath"]).read_text())
            nbformat.validate(nbformat.from_dict(after))
            changed += compare(json.loads(path.read_text()), after)
            fixed += 1
    return fixed, changed


if __name__ == "__main__":
    cells = run_lesson()
    injected = same_as_papermill()
    has_oracle = (SHARED / "notebook" / "oracle").exists()
    fixed, changed = fix_oracle() if has_oracle else (0, 0)
    done = f"a lesson of {cells} cells valid and run, {injected} injections as papermill's"
    print(f"notebook: {done}; {fixed} flawed notebooks fixed, {changed} statements changed")
    print(f"{cells + injected + fixed} passed, 0 failed, {0 if has_oracle else 1} skipped")
