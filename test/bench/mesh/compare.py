"""Meshes CAD files by volume_mesh_cad and by Netgen and Gmsh alone with their defaults,
each in a process of its own, and has all meshes judged by the same program (judge.py).

    compare.py ATELIER ENGINES FOLDER PART...

Prints a table; with RESULTS=FILE in the environment it writes what it measured as JSON.
Judges nothing itself: figures of a machine are no test.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = float(os.environ.get("LIMIT", "300"))  # seconds for each mesh


def measured(command, folder):
    """Runs a command; its output, seconds and peak memory in MB, or None and why."""
    begin = time.monotonic()
    with open(os.path.join(folder, "out"), "w+b") as out:
        child = subprocess.Popen(
            command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True
        )
        while True:
            done, status, used = os.wait4(child.pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() - begin > LIMIT:
                os.killpg(child.pid, 9)
                os.wait4(child.pid, 0)
                return {"fault": f"no end in {LIMIT:.0f} s", "seconds": LIMIT}
            time.sleep(0.01)
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    row = {"seconds": time.monotonic() - begin, "megabytes": used.ru_maxrss / 1024, "text": text}
    if status != 0:
        row["fault"] = f"ended with {os.waitstatus_to_exitcode(status)}"
    return row


def judged(row, engines, cad, mesh):
    if "fault" not in row:
        python = os.path.join(engines, "gmsh", "bin", "python")
        said = subprocess.run(
            [python, os.path.join(HERE, "judge.py"), cad, mesh], capture_output=True, text=True
        )
        if said.returncode == 0:
            row |= json.loads(said.stdout.splitlines()[-1])  # readers of IGES talk before
        else:
            row["fault"] = "cannot be judged: " + (said.stderr.strip().splitlines() or ["no word"])[-1]
    row.pop("text", None)
    return row


# A call for few elements: as few around a circle as an engineer would take, sizes that
# grow at once, and Gmsh's default largest size, a tenth of the diagonal.
def sparing(diagonal):
    return {"max_size": diagonal / 10, "elements_per_circle": 8, "growth": 1}


def own(atelier, engines, folder, cad, **more):
    call = {"file_path": cad, **more}
    if cad.endswith((".brep", ".brp")):
        call["length_unit"] = "mm"  # the format names none
    call = json.dumps(call)
    data = os.path.join(folder, "data")
    shutil.rmtree(data, ignore_errors=True)
    command = [atelier, "call", "volume_mesh_cad", call, "--root", "/", "--engines", engines, "--data", data]
    command += ["--database", os.path.join(data, "jobs.db")]
    row = measured(command, folder)
    try:
        answer = json.loads(row["text"])
        output = answer["output"]
        if answer["status"] != "ok":
            return {"fault": output["error_message"], "seconds": row["seconds"]}
    except (KeyError, ValueError):
        return {"fault": row.get("fault", "no answer"), "seconds": row["seconds"]}
    evidence = output["evidence"]
    row |= {
        "mesher": output["attempts"][-1]["mesher"],
        "tries": len(output["attempts"]),
        "mesh_seconds": sum(one["seconds"] for one in output["attempts"]),
        "trust": evidence["trust"],
        "exact_volume": output["exact_volume"],
        "own_volume": output["volume"],
        "own_distance": max(output["distance_to_cad"], output["distance_from_cad"]),
        "off_plane": output["off_plane"],
        "bodies": output["body_count"],
        "interfaces": output["interface_count"],
    }
    file = os.path.join(folder, "own.mesh")
    meshes = [content for content in _contents(data) if content.startswith(b"MFEM mesh")]
    if len(meshes) != 1:
        return row | {"fault": f"{len(meshes)} meshes are among the artifacts"}
    with open(file, "wb") as out:
        out.write(meshes[0])
    return judged(row, engines, cad, file)


def _contents(data):
    """What the call has stored: files, and small contents in the database."""
    for place, _, names in os.walk(data):
        for name in names:
            with open(os.path.join(place, name), "rb") as stored:
                yield stored.read()
    with sqlite3.connect(os.path.join(data, "jobs.db")) as db:
        yield from (bytes(row[0]) for row in db.execute("SELECT content FROM small_blobs"))


def alone(name, engines, folder, cad):
    made = os.path.join(folder, f"{name}.npz")
    python = os.path.join(engines, name, "bin", "python")
    return judged(
        measured([python, os.path.join(HERE, f"alone_{name}.py"), cad, made], folder), engines, cad, made
    )


def cell(row, exact):
    if "fault" in row:
        return f"{row['fault'][:60]} ({row['seconds']:.0f} s)"
    off = 100 * (row.get("own_volume", row["volume"]) / exact - 1) if exact else float("nan")
    lost = f", {row['lost']} faces lost" if row["lost"] > 0 else ""
    return (
        f"{row['tetrahedra']:,}, {row['seconds']:.1f} s, {row['megabytes']:.0f} MB, "
        f"{row['angles'][0]:.1f} to {row['angles'][1]:.0f}°, {row['distance']:.1e}, {off:+.3f} %{lost}"
    )


def beside(few, gmsh):
    """A sparing mesh by its ratios to Gmsh's: elements, and distance to the CAD faces."""
    if "fault" in few or "fault" in gmsh:
        return few.get("fault", "-")[:60]
    elements, distance = (few[key] / max(gmsh[key], 1e-300) for key in ("tetrahedra", "distance"))
    count, off, seconds = few["tetrahedra"], few["distance"], few["seconds"]
    return f"{count:,} ({elements:.2f}), {off:.1e} ({distance:.2g}), {seconds:.1f} s"


def main(atelier, engines, folder, parts):
    print("Each cell: tetrahedra, seconds, peak memory, dihedral angles, distance of the mesh to")
    print("the CAD faces over the diagonal, volume against the exact one. Sparing: 8 elements")
    print("around a circle; in brackets over Gmsh's.\n")
    print(
        "| part | Atelier (whole call, order 2) | by, trust | Netgen alone | Gmsh alone | Atelier, sparing |"
    )
    print("|---|---|---|---|---|---|")
    results = {}
    for cad in parts:
        name = os.path.basename(cad)
        mine = own(atelier, engines, folder, cad)
        others = {peer: alone(peer, engines, folder, cad) for peer in ("netgen", "gmsh")}
        few = {"fault": "no default mesh"}
        if "diagonal" in mine:
            few = own(atelier, engines, folder, cad, **sparing(mine["diagonal"]))
        results[name] = {"atelier": mine, **others, "sparing": few}
        exact = mine.get("exact_volume")
        by = f"{mine['mesher']}, {mine['trust']}" if "mesher" in mine else "-"
        cells = [
            name,
            cell(mine, exact),
            by,
            *(cell(row, exact) for row in others.values()),
            beside(few, others["gmsh"]),
        ]
        print("| " + " | ".join(cells) + " |", flush=True)
    if os.environ.get("RESULTS"):
        with open(os.environ["RESULTS"], "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], [os.path.abspath(p) for p in sys.argv[4:]])
