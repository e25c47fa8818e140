"""What the largest von Mises stress of parts costs to 1 %: by `accuracy`, which refines where
the solution errs, and by finer meshes everywhere, each 1.6 times as fine, until fea.solve states
the same error bar for it. Both start from the same mesh, coarser than the default.

    compare.py ATELIER ENGINES FOLDER PART...

PART is NAME.step with its conditions in NAME.json beside it. Prints a table; with RESULTS=FILE in
the environment it writes what it measured as JSON. Judges nothing: figures of a machine are no
test.
"""

import json
import os
import shutil
import subprocess
import sys
import time

TARGET = float(os.environ.get("TARGET", "0.01"))
MOST_UNKNOWNS = int(os.environ.get("MOST_UNKNOWNS", "1500000"))
FINER = 1.6
COARSE = {"elements_per_circle": int(os.environ.get("PER_CIRCLE", "24"))}
FIGURE = "/von_mises/max"


class Workshop:
    def __init__(self, atelier, engines, folder):
        self.command = [atelier, "call"]
        self.flags = ["--root", "/", "--engines", engines, "--data", folder]
        self.flags += ["--database", os.path.join(folder, "jobs.db")]

    def call(self, tool, request):
        """The output of a call, and its seconds."""
        begin = time.monotonic()
        command = [*self.command, tool, json.dumps(request), *self.flags]
        said = subprocess.run(command, capture_output=True, text=True)
        answer = json.loads(said.stdout)
        if answer["status"] != "ok":
            raise RuntimeError(f"{tool}: {answer['output'].get('error_message', said.stdout[:300])}")
        return answer, time.monotonic() - begin

    def mesh(self, step, **sizes):
        answer, seconds = self.call("volume_mesh_cad", {"file_path": step, **sizes})
        return answer["output"], answer, seconds

    def peak(self, mesh, conditions, **more):
        config = {"materials": [{"E": 2.1e11, "nu": 0.3}], "bcs": conditions, **more}
        request = {"solver_class": "LinearElasticity", "mesh": mesh, "config": config}
        answer, seconds = self.call("fea.solve", request)
        output = answer["output"]
        quantity = next(q for q in output["quantities"] if q["figure"] == FIGURE)
        return output, quantity, seconds


def handle(answer):
    """The mesh of an answer as fea.solve takes it."""
    found = next(a for a in answer["artifacts"] if a["name"].endswith(".mesh"))
    return {"type": "file", "path": found["path"]}


def adaptive(workshop, step, conditions):
    out, answer, meshing = workshop.mesh(step, **COARSE)
    asked = {"quantity": FIGURE, "target": TARGET, "max_unknowns": MOST_UNKNOWNS}
    output, quantity, seconds = workshop.peak(handle(answer), conditions, accuracy=asked)
    reached = output["accuracy"]
    return {
        "reached": reached["reached"],
        "reason": reached.get("reason"),
        "value": quantity["value"],
        "error": quantity["error"],
        "trust": quantity["trust"],
        "unknowns": output["unknowns"],
        "meshes": len(reached["steps"]),
        "seconds": meshing + seconds,
        "max_size": out["max_size"],
        "elements_per_circle": out["elements_per_circle"],
    }


def uniform(workshop, step, conditions, first):
    size, around, spent = first["max_size"], first["elements_per_circle"], 0.0
    rows = []
    while True:
        sizes = {"max_size": size, "elements_per_circle": min(200, around)}
        _, answer, meshing = workshop.mesh(step, **sizes)
        output, quantity, seconds = workshop.peak(handle(answer), conditions)
        spent += meshing + seconds
        rows.append(
            {
                "unknowns": output["unknowns"],
                "value": quantity["value"],
                "error": quantity["error"],
                "seconds": meshing + seconds,
                "seconds_in_all": spent,
            }
        )
        error = quantity["error"]
        if error is not None and error <= TARGET * quantity["value"]:
            return rows, True
        if output["unknowns"] * FINER**3 > MOST_UNKNOWNS:
            return rows, False
        size, around = size / FINER, around * FINER


def cell(row, reached, seconds):
    bar = "no bar" if row["error"] is None else f"±{100 * row['error'] / row['value']:.2f} %"
    word = "" if reached else ", not reached"
    return f"{row['value'] / 1e6:.4f} MPa {bar}{word}, {row['unknowns']:,}, {seconds:.0f} s"


def main(atelier, engines, folder, parts):
    print(f"Largest von Mises stress to {100 * TARGET:g} %: figure and its bar, unknowns of the")
    print("answer's mesh (finer ones show its bar), seconds of all calls with their meshes. In")
    print("brackets: of the last call with its mesh alone.\n")
    print("| part | accuracy | meshes | uniform | meshes | unknowns | time |")
    print("|---|---|---|---|---|---|---|")
    results = {}
    for step in parts:
        name = os.path.splitext(os.path.basename(step))[0]
        with open(os.path.splitext(step)[0] + ".json", encoding="utf-8") as conditions_of:
            conditions = json.load(conditions_of)
        data = os.path.join(folder, "data")
        shutil.rmtree(data, ignore_errors=True)
        os.mkdir(data)
        workshop = Workshop(atelier, engines, data)
        local = adaptive(workshop, step, conditions)
        rows, reached = uniform(workshop, step, conditions, local)
        results[name] = {"accuracy": local, "uniform": rows, "uniform_reached": reached}
        last = rows[-1]
        more = "" if reached else "> "
        cells = [
            name,
            cell(local, local["reached"], local["seconds"]),
            str(local["meshes"]),
            cell(last, reached, last["seconds_in_all"]) + f" ({last['seconds']:.0f} s)",
            str(len(rows)),
            f"{more}{last['unknowns'] / local['unknowns']:.1f} times",
            f"{more}{last['seconds_in_all'] / local['seconds']:.1f} times"
            f" ({last['seconds'] / local['seconds']:.1f})",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)
    if os.environ.get("RESULTS"):
        with open(os.environ["RESULTS"], "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], [os.path.abspath(p) for p in sys.argv[4:]])
