"""fea.solve and heat.solve beside dolfinx, NGSolve, CalculiX and scikit-fem, on the same meshes.

    compare.py ATELIER ENGINES PYTHON FOLDER CASE...

PYTHON has the peers' packages, FOLDER/meshes the meshes of the cases and the arcs. Prints tables
with targets beside the figures; with RESULTS=FILE in the environment it writes what it measured as
JSON. Judges nothing: figures of a machine are no test.
"""

import json
import math
import os
import sys

from codes import PEERS, Workshop

ROUNDS = int(os.environ.get("ROUNDS", "3"))
LONG = float(os.environ.get("LONG", "12"))  # seconds; who takes longer is not run again
AGREED = 1e-5  # of the tip's displacement, between any two codes
TARGETS = {"1": (0.5, 2.6), "2": (0.35, 1.6)}  # of the best peer's time; kB for each unknown
SPEEDUP, CURVED = 1.6, 1.3
ONE_THREAD = "driver, one thread"


def head(*cells):
    line(cells)
    line(["---"] * len(cells))


def line(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def seconds(value):
    return "-" if value is None else f"{value:.2f}"


def ratio(a, b):
    return "-" if a is None or b is None else f"{a / b:.2f}"


def whole(row):
    return row.get("seconds")


def own(row):
    """Seconds in which the solution is computed from the mesh in memory, where a code tells."""
    stages = row.get("stages", {})
    return stages["assemble"] + stages["solve"] if "solve" in stages else None


def alternate(runs):
    """Runs each of name -> function, in turn, ROUNDS times; the quickest run of each."""
    best = {}
    for number in range(ROUNDS):
        for name, run in runs.items():
            before = best.get(name)
            if before and ("fault" in before or before["seconds"] > LONG):
                continue
            row = run()
            if not before or ("fault" not in row and row["seconds"] < before["seconds"]):
                best[name] = row
            best[name]["runs"] = number + 1
    return best


def faulty(rows):
    """Why one of the runs failed, if one did."""
    return next((row["fault"].splitlines()[0][:100] for row in rows if "fault" in row), None)


def farthest(rows):
    """The largest difference between two codes' values at the tip, over its size."""
    tips = [row["tip"] for row in rows if "tip" in row]
    return max(math.dist(a, b) / math.hypot(*a) for a in tips for b in tips)


def show(case, rows):
    unknowns = next(row["unknowns"] for row in rows.values() if "unknowns" in row)
    physics, order, _ = case.split("-")
    off = farthest(rows.values())
    print(f"\n## {physics.capitalize()}, order {order}, {unknowns:,} unknowns\n")
    if off <= AGREED:
        print(f"Any two codes agree at the tip to {off:.1e}.\n")
    else:
        print(f"NOT COMPARABLE: the codes differ at the tip by {off:.1e}, more than {AGREED:g}.\n")
    head(
        "code",
        "solver",
        "whole process, s",
        "assemble and solve, s",
        "solve, s",
        "kB/unknown",
        "runs",
    )
    for code, row in rows.items():
        if "fault" in row:
            line([code, faulty([row]), seconds(row["seconds"]), "-", "-", "-", str(row["runs"])])
            continue
        times = [row["seconds"], own(row), row.get("stages", {}).get("solve")]
        memory = f"{row['kilobytes'] / unknowns:.2f}"
        line([code, row["solver"], *map(seconds, times), memory, str(row["runs"])])


def quickest(rows, of):
    """The least time of a peer, and which."""
    known = [(of(rows[code]), code) for code in PEERS if "fault" not in rows[code]]
    return min((pair for pair in known if pair[0] is not None), default=(None, "no peer"))


def summary(results):
    print("\n## Atelier over the best peer\n")
    print("Whole processes, of which Atelier's also recovers stresses, states error bars and")
    print("checks the model; then assembly and solution alone: the driver's, over those of the")
    print("quickest peer that tells its own.\n")
    head(
        "problem",
        "best peer, s",
        "Atelier, s",
        "ratio",
        "target",
        "assemble and solve, s",
        "Atelier's driver, s",
        "ratio",
        "kB/unknown",
        "target",
    )
    for case, rows in results.items():
        mine, driver = rows["Atelier"], rows["driver"]
        if faulty([mine, driver]):
            line([case, faulty([mine, driver]), *["-"] * 8])
            continue
        target, memory = TARGETS[case.split("-")[1]]
        cells = [case]
        for row, of, goal in ((mine, whole, [f"{target:g}"]), (driver, own, [])):
            best, peer = quickest(rows, of)
            cells += [f"{seconds(best)} ({peer})", seconds(of(row)), ratio(of(row), best), *goal]
        line([*cells, f"{mine['kilobytes'] / mine['unknowns']:.2f}", f"{memory:g}"])


def stages(results):
    print("\n## Stages of Atelier's driver, s\n")
    print("Checks: stresses, error bars by dual solutions, kinematics, buckling.\n")
    names = {"read": "read, supports", "assemble": "assemble, multigrid", "solve": "solve"}
    names |= {"stress": "stresses, checks", "write": "write"}
    head("problem", *names.values())
    for case, rows in results.items():
        told = rows["driver"].get("stages")
        if told:
            line([case, *(seconds(told[name]) for name in names)])


def paired(first, second):
    """What two runs take, whole and in assembly and solution, and the first over the second."""
    cells = []
    for of in (whole, own):
        one, other = of(first), of(second)
        cells += [seconds(one), seconds(other), ratio(one, other)]
    return cells


def threads(results):
    measured = {case: rows for case, rows in results.items() if ONE_THREAD in rows}
    if not measured:
        return
    print("\n## One thread against two: the driver\n")
    own_words = ["assemble and solve on one, s", "on two, s", "times"]
    head("problem", "whole on one, s", "on two, s", "times", *own_words, "target")
    for case, rows in measured.items():
        one, two = rows[ONE_THREAD], rows["driver"]
        fault = faulty([one, two])
        line([case, fault, *["-"] * 6] if fault else [case, *paired(one, two), f"{SPEEDUP:g}"])


def curved(workshop):
    print("\n## A quarter of a ring of order 2, curved against straight: the driver\n")
    own_words = ["assemble and solve curved, s", "straight, s", "times"]
    head("unknowns", "whole curved, s", "straight, s", "times", *own_words, "target")
    names = ("arc-curved", "arc-straight")
    rows = alternate({name: lambda name=name: workshop.run("driver", name) for name in names})
    bent, straight = (rows[name] for name in names)
    fault = faulty([bent, straight])
    if fault:
        line(["-", fault, *["-"] * 6])
    else:
        line([f"{bent['unknowns']:,}", *paired(bent, straight), f"{CURVED:g}"])
    return rows


def main(atelier, engines, python, folder, cases):
    workshop = Workshop(atelier, engines, python, folder)
    workshop.prepare(cases)
    print("# Physics beside the peers\n")
    print(f"Load of the machine before: {os.getloadavg()[0]:.2f}. Runs alternate between the")
    print(f"codes, and the quickest of {ROUNDS} counts; who takes more than {LONG:g} s runs once.")
    print("Peers compute displacements or temperatures alone, and write them (NumPy's arrays,")
    print(".frd). Atelier is its whole call, which also recovers stresses, states error bars,")
    print("checks the model and writes VTU; driver is its native program alone, which does the")
    print("same but holds nothing against finer meshes. Memory: the peaks of all processes, added up.")
    results = {}
    for case in cases:
        codes = ["Atelier", "driver", *PEERS]
        runs = {code: lambda code=code, case=case: workshop.run(code, case) for code in codes}
        if case.startswith("elasticity") and case.endswith("285k"):
            runs[ONE_THREAD] = lambda case=case: workshop.run("driver", case, 1)
        results[case] = alternate(runs)
        show(case, results[case])
    summary(results)
    stages(results)
    threads(results)
    arcs = curved(workshop)
    print(f"\nLoad of the machine after: {os.getloadavg()[0]:.2f}, its own threads among it.")
    if os.environ.get("RESULTS"):
        with open(os.environ["RESULTS"], "w", encoding="utf-8") as out:
            json.dump(results | {"arcs": arcs}, out, indent=1)


if __name__ == "__main__":
    atelier, engines, python, folder, *cases = sys.argv[1:]
    main(os.path.abspath(atelier), os.path.abspath(engines), python, os.path.abspath(folder), cases)
