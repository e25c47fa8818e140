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

from codes import PEERS, Workshop, tiny

ROUNDS = int(os.environ.get("ROUNDS", "3"))
LONG = float(os.environ.get("LONG", "20"))  # seconds; who takes longer is not run again
AGREED = 1e-5  # of the tip's displacement, between any two codes
TARGETS = {"1": (0.5, 2.6), "2": (0.35, 1.6)}  # of the best peer's time; kB for each unknown
SPEEDUP, CURVED = 1.6, 1.3
EVERYTHING = ["Atelier", "driver", *PEERS]


def alternate(runs):
    """Runs each of name -> function, in turn, ROUNDS times; the quickest run of each."""
    best = {}
    for number in range(ROUNDS):
        for name, run in runs.items():
            before = best.get(name)
            if before and ("fault" in before or before["seconds"] > LONG):
                continue
            row = run()
            if not before or row["seconds"] < before["seconds"]:
                best[name] = row
            best[name]["runs"] = number + 1
    return best


def farthest(rows):
    """The largest difference between two codes' displacements of the tip, over its size."""
    tips = [row["tip"] for row in rows if "tip" in row]
    return max(math.dist(a, b) / math.hypot(*a) for a in tips for b in tips)


def seconds(value):
    return "-" if value is None else f"{value:.2f}"


def own(row):
    """Seconds in which the displacements are computed from the mesh in memory."""
    stages = row.get("stages") or {}
    return sum(stages[name] for name in ("assemble", "solve")) if "solve" in stages else None


def show(case, rows):
    unknowns = next(row["unknowns"] for row in rows.values() if "unknowns" in row)
    physics, order, _ = case.split("-")
    off = farthest(rows.values())
    print(f"\n{physics.capitalize()}, order {order}, {unknowns:,} unknowns; all agree about the tip to")
    print(f"{off:.1e} of its {'displacement' if physics == 'elasticity' else 'temperature'}", end="")
    print(".\n" if off <= AGREED else f", more than {AGREED:g}: THE COMPARISON IS VOID.\n")
    print("| code | solver | whole process, s | assemble and solve, s | solve, s | kB for each unknown | runs |")
    print("|---|---|---|---|---|---|---|")
    for code, row in rows.items():
        if "fault" in row:
            print(f"| {code} | {row['fault'].splitlines()[0][:80]} | - | - | - | - | {row['runs']} |")
            continue
        cells = [code, row["solver"], seconds(row["seconds"]), seconds(own(row))]
        cells += [seconds((row.get("stages") or {}).get("solve"))]
        cells += [f"{row['kilobytes'] / unknowns:.2f}", str(row["runs"])]
        print("| " + " | ".join(cells) + " |")
    sys.stdout.flush()


def ratio(a, b):
    return "-" if a is None or b is None else f"{a / b:.2f}"


def best(rows, of):
    known = [(of(rows[code]), code) for code in PEERS if "fault" not in rows[code]]
    return min((pair for pair in known if pair[0] is not None), default=(None, "-"))


def summary(results):
    print("\nAtelier over the best peer: whole processes, of which Atelier's also recovers stresses,")
    print("states error bars and checks the model, and assembly with solution alone (the driver's).\n")
    print(
        "| problem | best peer | its whole, s | Atelier, s | ratio | target | assemble and solve | "
        "kB for each unknown | target |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for case, rows in results.items():
        if "fault" in rows["Atelier"] or "fault" in rows["driver"]:
            print(f"| {case} | - | - | {rows['Atelier'].get('fault', rows['driver'].get('fault'))} |" + " - |" * 5)
            continue
        most, memory = TARGETS[case.split("-")[1]]
        whole, peer = best(rows, lambda row: row["seconds"])
        alone, other = best(rows, own)
        mine = rows["Atelier"]
        cells = [case, peer, seconds(whole), seconds(mine["seconds"]), ratio(mine["seconds"], whole)]
        cells += [f"{most:g}", f"{ratio(own(rows['driver']), alone)} of {other}"]
        cells += [f"{mine['kilobytes'] / mine['unknowns']:.2f}", f"{memory:g}"]
        print("| " + " | ".join(cells) + " |")


def stages(results):
    print("\nThe driver alone, seconds of its stages: the last but one recovers the stresses, and")
    print("then states error bars and checks the model.\n")
    print("| problem | read | assemble, multigrid | solve | stresses, error bars, checks | write |")
    print("|---|---|---|---|---|---|")
    for case, rows in results.items():
        if rows["driver"].get("stages"):
            print(f"| {case} | " + " | ".join(seconds(s) for s in _in_order(rows["driver"])) + " |")


def _in_order(row):
    return [row["stages"][name] for name in ("read", "assemble", "solve", "stress", "write")]


def threads(workshop, cases):
    print("\nOne thread against two: the whole call, and assembly with solution alone.\n")
    print("| problem | one, s | two, s | times | assemble and solve, s | s | times | target |")
    print("|---|---|---|---|---|---|---|---|")
    results = {}
    for case in cases:
        runs = {
            (code, n): lambda code=code, n=n, case=case: workshop.run(code, case, n)
            for code in ("Atelier", "driver")
            for n in (1, 2)
        }
        rows = results[case] = alternate(runs)
        faults = [row["fault"] for row in rows.values() if "fault" in row]
        if faults:
            print(f"| {case} | {faults[0].splitlines()[0][:80]} |" + " - |" * 6)
            continue
        cells = [case]
        for code, of in (("Atelier", lambda row: row["seconds"]), ("driver", own)):
            one, two = of(rows[code, 1]), of(rows[code, 2])
            cells += [seconds(one), seconds(two), ratio(one, two)]
        print("| " + " | ".join([*cells, f"{SPEEDUP:g}"]) + " |", flush=True)
    return {f"{case}/{code}/{n}": row for case, rows in results.items() for (code, n), row in rows.items()}


def curved(workshop):
    runs = {
        (code, shape): lambda code=code, shape=shape: workshop.run(code, f"arc-{shape}")
        for code in ("Atelier", "driver")
        for shape in ("straight", "curved")
    }
    rows = alternate(runs)
    print("\nA quarter of a ring of order 2, with straight and with curved elements: the whole call,")
    print("and assembly with solution alone.\n")
    print("| unknowns | straight, s | curved, s | times | assemble and solve, s | s | times | target |")
    print("|---|---|---|---|---|---|---|---|")
    faults = [row["fault"] for row in rows.values() if "fault" in row]
    if faults:
        print(f"| {faults[0].splitlines()[0][:80]} |" + " - |" * 7)
    else:
        cells = [f"{rows['Atelier', 'curved']['unknowns']:,}"]
        for code, of in (("Atelier", lambda row: row["seconds"]), ("driver", own)):
            straight, bent = of(rows[code, "straight"]), of(rows[code, "curved"])
            cells += [seconds(straight), seconds(bent), ratio(bent, straight)]
        print("| " + " | ".join([*cells, f"{CURVED:g}"]) + " |", flush=True)
    return {f"arc/{code}/{shape}": row for (code, shape), row in rows.items()}


def main(atelier, engines, python, folder, cases):
    workshop = Workshop(atelier, engines, python, folder)
    workshop.prepare(cases)
    print(f"Load of the machine before: {os.getloadavg()[0]:.2f}. Each figure is of the quickest of up to")
    print(f"{ROUNDS} runs that alternate between the codes; who takes more than {LONG:g} s runs once. Peers")
    print("compute the displacements or temperatures alone, and write them as NumPy arrays (CalculiX:")
    print(".frd); Atelier's call (order, probes) answers with stresses, error bars, checks and VTU.")
    print("driver: its native program alone, with the same answer but no finer meshes.", flush=True)
    results = {}
    for case in cases:
        runs = {code: lambda code=code, case=case: workshop.run(code, case) for code in EVERYTHING}
        results[case] = alternate(runs)
        show(case, results[case])
    summary(results)
    stages(results)
    large = [case for case in cases if case.startswith("elasticity") and case.endswith("285k")]
    more = threads(workshop, large or cases[-1:])
    more |= curved(workshop)
    print(f"\nLoad of the machine after: {os.getloadavg()[0]:.2f} (its own two threads among it).")
    if os.environ.get("RESULTS"):
        with open(os.environ["RESULTS"], "w", encoding="utf-8") as out:
            json.dump(results | more, out, indent=1)


if __name__ == "__main__":
    main(*(os.path.abspath(path) for path in sys.argv[1:3]), sys.argv[3], os.path.abspath(sys.argv[4]), sys.argv[5:])
