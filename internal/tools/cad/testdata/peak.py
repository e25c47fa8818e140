"""The largest von Mises stress of a part by other programs: Gmsh makes the mesh,
CalculiX solves it. Run by the Python of the engine gmsh:

    peak.py '{"step": FILE, "size": MM, "per_circle": N, "young": MPA, "poisson": NU,
              "held": [[AXIS, MM, [AXIS...]]...], "pulled": [AXIS, MM, [MPA, MPA, MPA]]}'

held are planes (axis 0 to 2, coordinate) with the directions that are held there,
pulled is a plane with its traction. The elements around the peak are made smaller until
it changes by less than STILL. Prints {"tetrahedra": N, "peaks": [MPA...], "at": [MM, MM, MM]}
as JSON, the coarsest mesh first.
"""

import json
import os
import subprocess
import sys
import tempfile

import gmsh
import numpy as np

_TRIANGLE, _TETRAHEDRON = 9, 11
# Gmsh has the middles of the edges 30, 32, 31 last, CalculiX 03, 13, 23.
_NODES = [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]
_STILL, _MOST_MESHES = 0.005, 8


def main(case):
    gmsh.initialize(readConfigFiles=False, interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.occ.importShapes(case["step"])
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMax", case["size"])
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", case["per_circle"])
    peaks, fine = [], []
    while len(peaks) < _MOST_MESHES:
        points, tetrahedra, triangles = _mesh(fine)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "part.inp"), "w", encoding="ascii") as deck:
                _write(deck, case, points, tetrahedra, triangles)
            subprocess.run(["ccx", "part"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(folder, "part.frd"), encoding="ascii", errors="replace") as answer:
                peak, node = _peak(answer)
        peaks.append(peak)
        if len(peaks) > 2 and max(abs(p / peak - 1) for p in peaks[-3:]) < _STILL:
            break
        fine.append((points[node], _size(points, tetrahedra, node)))
    print(json.dumps({"tetrahedra": len(tetrahedra), "peaks": peaks, "at": list(points[node])}))


def _size(points, tetrahedra, node):
    """The mean length of the edges at a node."""
    around = tetrahedra[(tetrahedra == node).any(axis=1)][:, :4]
    pairs = [(i, j) for i in range(4) for j in range(i)]
    return np.mean([np.linalg.norm(points[around[:, i]] - points[around[:, j]], axis=1) for i, j in pairs])


def _mesh(fine):
    """Elements of half the size in balls about earlier peaks."""
    gmsh.model.mesh.clear()
    field = gmsh.model.mesh.field
    for old in field.list():
        field.remove(old)
    balls = []
    for (x, y, z), size in fine:
        balls.append(field.add("Ball"))
        ball = {"XCenter": x, "YCenter": y, "ZCenter": z, "Radius": 3 * size, "Thickness": 9 * size}
        for name, value in {**ball, "VIn": size / 2, "VOut": 1e22}.items():
            field.setNumber(balls[-1], name, value)
    if balls:
        least = field.add("Min")
        field.setNumbers(least, "FieldsList", balls)
        field.setAsBackgroundMesh(least)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    points = np.full((int(tags.max()) + 1, 3), np.nan)
    points[tags.astype(int)] = xyz.reshape(-1, 3)
    tetrahedra = gmsh.model.mesh.getElementsByType(_TETRAHEDRON)[1].astype(int).reshape(-1, 10)
    triangles = gmsh.model.mesh.getElementsByType(_TRIANGLE)[1].astype(int).reshape(-1, 6)
    return points, tetrahedra[:, _NODES], triangles


def _write(deck, case, points, tetrahedra, triangles):
    deck.write("*NODE, NSET=ALL\n")
    for node in np.unique(tetrahedra):
        deck.write("{}, {:.12g}, {:.12g}, {:.12g}\n".format(node, *points[node]))
    deck.write("*ELEMENT, TYPE=C3D10, ELSET=PART\n")
    for number, nodes in enumerate(tetrahedra, start=1):
        deck.write(f"{number}, " + ", ".join(map(str, nodes)) + "\n")
    deck.write(f"*MATERIAL, NAME=M\n*ELASTIC\n{case['young']}, {case['poisson']}\n")
    deck.write("*SOLID SECTION, ELSET=PART, MATERIAL=M\n*BOUNDARY\n")
    for axis, at, directions in case["held"]:
        for node in np.unique(_on_plane(points, triangles, axis, at)):
            for direction in directions:
                deck.write(f"{node}, {direction + 1}, {direction + 1}\n")
    deck.write("*STEP\n*STATIC\n*CLOAD\n")
    axis, at, traction = case["pulled"]
    pulled = _on_plane(points, triangles, axis, at)
    a, b, c = (points[pulled[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    # The shape functions of the corners have the integral 0, those of the middles a third.
    force = np.bincount(pulled[:, 3:].ravel(), weights=np.repeat(area / 3, 3), minlength=len(points))
    for node in np.flatnonzero(force):
        for direction in range(3):
            if traction[direction]:
                deck.write(f"{node}, {direction + 1}, {force[node] * traction[direction]:.12g}\n")
    deck.write("*EL FILE\nS\n*END STEP\n")


def _on_plane(points, triangles, axis, at):
    return triangles[(np.abs(points[triangles][:, :, axis] - at) < 1e-6).all(axis=1)]


def _peak(answer):
    """The largest stress of a node, and its number."""
    largest, where, inside = 0.0, 0, False
    for line in answer:
        if line.startswith(" -4"):
            inside = line.split()[1] == "STRESS"
        elif inside and line.startswith(" -1"):
            xx, yy, zz, xy, yz, zx = (float(line[13 + 12 * k : 25 + 12 * k]) for k in range(6))
            shear = 3 * (xy * xy + yz * yz + zx * zx)
            stress = (((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2 + shear) ** 0.5
            if stress > largest:
                largest, where = stress, int(line[3:13])
    return largest, where


main(json.loads(sys.argv[1]))
