"""Fills closed surfaces by volume_mesh_quartet and by fTetWild (pytetwild), each call in a
process of its own, and measures how the cost of ours grows: stuffing.py ATELIER FOLDER
SURFACE... where a surface is an OBJ file, or the word sphere. LARGEST is how many
tetrahedra the growth goes to.

Prints two tables and judges nothing. The figures of Quartet are recorded ones, of its
commit a99c049 with -o on an idle machine of another kind: no registry has the program.
"""

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LARGEST = float(os.environ.get("LARGEST", "1e7"))
PATIENCE = 600  # seconds for a call of fTetWild, which takes half an hour on the bunny
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))

# surface: spacings, and of Quartet: tetrahedra, smallest and largest angle, seconds.
SPACINGS = {
    "quartet_sphere.obj": ((0.1, (3470, 28.20, 115.70, 0.22)), (0.05, (25280, 26.25, 118.78, 1.64))),
    "bunny_watertight.obj": ((4.0, (9802, 26.90, 121.28, 0.96)), (2.0, (75172, 21.13, 123.62, 5.44))),
    "joint.obj": ((0.05, (3821, 20.61, 125.72, None)),),
    "sphere.obj": ((0.1, None), (0.05, None)),
}


def measured(command, folder, patience=None):
    """Seconds, peak memory in MB, and what a command says; None where it takes too long."""
    begin = time.monotonic()
    with open(os.path.join(folder, "out"), "w+b") as out:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        late = threading.Timer(patience, child.kill) if patience else None
        if late:
            late.start()
        _, status, used = os.wait4(child.pid, 0)
        if late:
            late.cancel()
            if not late.is_alive() and os.WIFSIGNALED(status):
                return None
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    if status != 0:
        raise SystemExit(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}: {text[-500:]}")
    return time.monotonic() - begin, used.ru_maxrss / 1024, text


def own(atelier, folder, surface, dx, most=3_000_000):
    call = {"input_path": surface, "dx": dx, "length_unit": "mm", "output_file": "body.mesh"}
    call["max_tetrahedra"] = most
    command = [atelier, "call", "volume_mesh_quartet", json.dumps(call), "--root", "/"]
    command += ["--data", os.path.join(folder, "data"), "--limits", json.dumps({"timeout_ms": 1_800_000})]
    seconds, megabytes, text = measured(command, folder)
    answer = json.loads(text)
    if answer["status"] != "ok":
        return {"fault": answer["output"]["error_message"]}
    output = answer["output"]
    return {
        "tetrahedra": output["stats"]["tetrahedra_count"],
        "angles": (output["min_dihedral_deg"], output["max_dihedral_deg"]),
        "volume": output["volume"],
        "seconds": seconds,
        "megabytes": megabytes,
        "trust": output["evidence"]["trust"],
    }


def peer(folder, surface, edge):
    """fTetWild with an edge length of ours, and its own defaults beside that."""
    done = measured([sys.executable, __file__, "peer", surface, str(edge)], folder, PATIENCE)
    if done is None:
        return {"fault": f"no answer within {PATIENCE} s"}
    seconds, megabytes, text = done
    return json.loads(text.splitlines()[-1]) | {"seconds": seconds, "megabytes": megabytes}


def run_peer(surface, edge):
    import types

    sys.modules["pyvista"] = types.ModuleType("pyvista")  # asked for at import, and not used here
    import pytetwild

    points, triangles = read(surface)
    x, t = pytetwild.tetrahedralize(points, triangles, edge_length_abs=edge)
    volume = np.einsum(
        "ij,ij->i", x[t[:, 1]] - x[t[:, 0]], np.cross(x[t[:, 2]] - x[t[:, 0]], x[t[:, 3]] - x[t[:, 0]])
    )
    print(
        json.dumps({"tetrahedra": len(t), "angles": angles(x[t]), "volume": float(np.abs(volume).sum() / 6)})
    )


def angles(x):
    normal = np.stack([np.cross(x[:, j] - x[:, i], x[:, k] - x[:, i]) for i, j, k in FACES], axis=1)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    cosines = np.stack([-(normal[:, i] * normal[:, j]).sum(axis=1) for i, j in EDGES])
    found = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    smallest, largest = float(found.min()), float(found.max())
    return min(smallest, 180 - largest), max(largest, 180 - smallest)  # whichever way round they are


def read(path):
    with open(path, encoding="utf-8") as text:
        rows = [line.split() for line in text]
    points = np.array([row[1:4] for row in rows if row and row[0] == "v"], float)
    faces = [[int(corner.split("/")[0]) - 1 for corner in row[1:]] for row in rows if row and row[0] == "f"]
    return points, np.array([[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)], np.int32)


def sphere(path, rounds=5):
    """An icosahedron, divided; all corners at a distance of 1 from the middle."""
    g = (1 + 5**0.5) / 2
    x = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    x += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    f = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2)]
    f += [(10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5)]
    f += [(2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    x = [np.array(p, float) for p in x]
    for _ in range(rounds):
        middle, divided = {}, []
        for tri in f:
            m = []
            for k in range(3):
                key = tuple(sorted((tri[k], tri[(k + 1) % 3])))
                if key not in middle:
                    middle[key] = len(x)
                    x.append((x[key[0]] + x[key[1]]) / 2)
                m.append(middle[key])
            divided += [(tri[0], m[0], m[2]), (tri[1], m[1], m[0]), (tri[2], m[2], m[1]), tuple(m)]
        f = divided
    with open(path, "w", encoding="utf-8") as out:
        for p in x:
            out.write("v {:.15g} {:.15g} {:.15g}\n".format(*(p / np.linalg.norm(p))))
        for tri in f:
            out.write("f {} {} {}\n".format(*(k + 1 for k in tri)))


def cell(row):
    if "fault" in row:
        return row["fault"][:80]
    small, large = row["angles"]
    each = 1e6 * row["megabytes"] / row["tetrahedra"]
    return (
        f"{row['tetrahedra']:,}, {row['seconds']:.2f} s, {small:.1f} to {large:.1f}°, {each:,.0f} bytes each"
    )


def main(atelier, folder, surfaces):
    print("Each cell: tetrahedra, seconds of the whole process, dihedral angles, peak memory of the")
    print("process for each tetrahedron.\n")
    print("| surface, dx | volume_mesh_quartet | fTetWild, edges of dx | Quartet -o, recorded |")
    print("|---|---|---|---|")
    for surface in surfaces:
        name = os.path.basename(surface)
        for dx, recorded in SPACINGS[name]:
            told = "-"
            if recorded:
                told = f"{recorded[0]:,}, {recorded[3] or '-'} s, {recorded[1]:.1f} to {recorded[2]:.1f}°"
            cells = [
                f"{name}, {dx:g}",
                cell(own(atelier, folder, surface, dx)),
                cell(peer(folder, surface, dx)),
                told,
            ]
            print("| " + " | ".join(cells) + " |", flush=True)
    print("\n| sphere, dx | volume_mesh_quartet | microseconds each | trust |\n|---|---|---|---|")
    ball, count = surfaces[0], 1e4
    while count <= LARGEST * 1.01:
        dx = (12 * 4.19 / (0.96 * count)) ** (1 / 3)  # some more come out: 10 million is the limit
        row = own(atelier, folder, ball, dx, most=10_000_000)
        each = 1e6 * row["seconds"] / row["tetrahedra"] if "seconds" in row else float("nan")
        print(f"| {dx:.4g} | {cell(row)} | {each:.1f} | {row.get('trust', '-')} |", flush=True)
        count *= 10**0.5


if __name__ == "__main__":
    if sys.argv[1] == "peer":
        run_peer(sys.argv[2], float(sys.argv[3]))
    else:
        ball = os.path.join(sys.argv[2], "sphere.obj")
        sphere(ball)
        main(sys.argv[1], sys.argv[2], [ball, *sys.argv[3:]])
