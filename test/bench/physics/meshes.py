"""The meshes of the benchmark, each in the formats that the codes read: meshes.py FOLDER NAME...

NAME is PHYSICS-ORDER-SIZE, as elasticity-2-30k, or arc-straight or arc-curved. The part is a box
10 x 1 x 1 m of equal bricks, each of them six tetrahedra around its diagonal; the arcs are boxes
bent to a quarter of a ring. The part is held (elasticity) or cold (heat) where x = 0. A traction
pulls its far end down; a heat flux goes into its top.

NAME.mesh is MFEM's (Atelier), .vol Netgen's (NGSolve), .inp CalculiX's, .npz NumPy's (scikit-fem,
and dolfinx, which makes its .xdmf of it).
"""

import json
import os
import sys

import numpy as np

PROBLEM = {"E": 2.1e11, "nu": 0.3, "traction": -1e6}
PROBLEM |= {"conductivity": 16.0, "flux": 100.0, "cold": 300.0}

# Bricks along x, and along y and z, that make about as many unknowns as the name says.
BRICKS = {
    ("elasticity", 1, "1k"): (20, 3),
    ("elasticity", 1, "30k"): (100, 9),
    ("elasticity", 1, "285k"): (195, 21),
    ("elasticity", 2, "1k"): (6, 2),
    ("elasticity", 2, "30k"): (41, 5),
    ("elasticity", 2, "285k"): (107, 10),
    ("heat", 1, "1k"): (26, 5),
    ("heat", 1, "30k"): (132, 14),
    ("heat", 1, "285k"): (294, 30),
    ("heat", 2, "1k"): (20, 2),
    ("heat", 2, "30k"): (66, 7),
    ("heat", 2, "285k"): (147, 15),
}
ARC = (107, 10)
HELD, END, TOP, REST = 1, 2, 3, 4  # numbers of faces

FACES = [(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)]  # counter-clockwise from outside
CALCULIX_EDGES = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
MFEM_EDGES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def box(along, across):
    """Points, x slowest, and tetrahedra."""
    x, y, z = np.linspace(0, 10, along + 1), *[np.linspace(0, 1, across + 1)] * 2
    points = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    i, j, k = np.meshgrid(np.arange(along), np.arange(across), np.arange(across), indexing="ij")

    def corner(bits):
        step = [bits >> axis & 1 for axis in range(3)]
        return (((i + step[0]) * (across + 1) + j + step[1]) * (across + 1) + k + step[2]).ravel()

    even, odd = [(1, 2), (2, 4), (4, 1)], [(1, 4), (2, 1), (4, 2)]
    cells = [[corner(0), corner(a), corner(a | b), corner(7)] for a, b in even]
    cells += [[corner(0), corner(a | b), corner(a), corner(7)] for a, b in odd]
    return points, np.stack([np.stack(cell, axis=1) for cell in cells], axis=1).reshape(-1, 4)


def outer(points, cells):
    """The triangles of the surface, and their numbers."""
    faces = np.concatenate([cells[:, face] for face in FACES])
    low, middle, high = np.sort(faces, axis=1).T
    key = (low * len(points) + middle) * len(points) + high
    _, first, count = np.unique(key, return_index=True, return_counts=True)
    faces = faces[np.sort(first[count == 1])]
    numbers = np.full(len(faces), REST)
    for number, axis, at in ((TOP, 2, 1), (END, 0, 10), (HELD, 0, 0)):
        numbers[(np.abs(points[faces][:, :, axis] - at) < 1e-9).all(axis=1)] = number
    return faces, numbers


def quadratic(points, cells, order_of_edges):
    """All points with the middles of edges, and the middles of each tetrahedron. Middles are
    numbered as tetrahedra name them for the first time, as MFEM numbers them."""
    low, high = np.sort(cells[:, order_of_edges], axis=2).reshape(-1, 2).T
    _, first, which = np.unique(low * len(points) + high, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    first = np.sort(first)
    middles = (points[low[first]] + points[high[first]]) / 2
    return np.vstack([points, middles]), len(points) + rank[which].reshape(-1, 6)


def nodal_loads(points, cells, faces, order):
    """What one unit per area of these faces puts on their nodes, exactly as elements have it."""
    at = points[faces]
    area = np.linalg.norm(np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0]), axis=1) / 2
    if order == 1:
        nodes = faces
    else:
        everything, middles = quadratic(points, cells, CALCULIX_EDGES)
        low, high = np.sort(cells[:, CALCULIX_EDGES], axis=2).reshape(-1, 2).T
        key = low * len(points) + high
        _, first = np.unique(key, return_index=True)
        known, middle = key[first], middles.reshape(-1)[first]
        low, high = np.sort(faces[:, [(0, 1), (1, 2), (2, 0)]], axis=2).reshape(-1, 2).T
        nodes = middle[np.searchsorted(known, low * len(points) + high)].reshape(-1, 3)
        points = everything
    total = np.bincount(nodes.ravel(), np.repeat(area / 3, 3), len(points))
    loaded = np.flatnonzero(total)
    return loaded, total[loaded]


def write_mfem(path, points, cells, faces, numbers, nodes=None):
    meta = {"length_unit": "m"}
    with open(path, "w", encoding="ascii") as out:
        out.write(f"MFEM mesh v1.0\n\n# atelier {json.dumps(meta)}\n\ndimension\n3\n")
        for title, kind, vertices, attributes in (
            ("elements", 4, cells, np.ones(len(cells), dtype=np.int64)),
            ("boundary", 2, faces, numbers),
        ):
            out.write(f"\n{title}\n{len(vertices)}\n")
            kinds = np.full(len(vertices), kind)
            np.savetxt(out, np.column_stack([attributes, kinds, vertices]), fmt="%d")
        out.write(f"\nvertices\n{len(points)}\n")
        if nodes is None:
            out.write("3\n")
            np.savetxt(out, points, fmt="%.17g")
        else:
            out.write("\nnodes\nFiniteElementSpace\nFiniteElementCollection: H1_3D_P2\n")
            out.write("VDim: 3\nOrdering: 1\n\n")
            np.savetxt(out, nodes, fmt="%.17g")


def write_netgen(path, points, cells, faces, numbers):
    from netgen.meshing import FaceDescriptor, Mesh

    mesh = Mesh(dim=3)
    mesh.AddPoints(np.ascontiguousarray(points))
    for number in (HELD, END, TOP, REST):
        mesh.Add(FaceDescriptor(surfnr=number, domin=1, domout=0, bc=number))
        mesh.SetBCName(number - 1, {HELD: "held", END: "end", TOP: "top", REST: "rest"}[number])
        chosen = np.ascontiguousarray(faces[numbers == number], dtype=np.int32)
        mesh.AddElements(dim=2, index=number, data=chosen, base=0)
    mesh.AddElements(dim=3, index=1, data=np.ascontiguousarray(cells, dtype=np.int32), base=0)
    mesh.SetMaterial(1, "solid")
    mesh.Save(path)


def write_calculix(path, physics, order, points, cells, faces, numbers):
    heat = physics == "heat"
    kind = ("DC3D" if heat else "C3D") + ("4" if order == 1 else "10")
    loaded = faces[numbers == (TOP if heat else END)]
    nodes, share = nodal_loads(points, cells, loaded, order)
    if order == 2:
        points, middles = quadratic(points, cells, CALCULIX_EDGES)
        cells = np.hstack([cells, middles])
    held = 1 + np.flatnonzero(points[:, 0] == 0)
    tip = 1 + np.flatnonzero((points == (10, 0, 0)).all(axis=1))[0]
    with open(path, "w", encoding="ascii") as out:
        out.write("*NODE, NSET=ALL\n")
        rows = np.column_stack([np.arange(1, len(points) + 1), points])
        np.savetxt(out, rows, fmt=["%d", "%.12g", "%.12g", "%.12g"], delimiter=",")
        out.write(f"*ELEMENT, TYPE={kind}, ELSET=SOLID\n")
        rows = np.column_stack([np.arange(1, len(cells) + 1), cells + 1])
        np.savetxt(out, rows, fmt="%d", delimiter=",")
        out.write("*NSET, NSET=HELD\n")
        np.savetxt(out, held, fmt="%d")
        out.write(f"*NSET, NSET=TIP\n{tip}\n*MATERIAL, NAME=M\n")
        if heat:
            out.write(f"*CONDUCTIVITY\n{PROBLEM['conductivity']}\n")
        else:
            out.write(f"*ELASTIC\n{PROBLEM['E']},{PROBLEM['nu']}\n")
        out.write("*SOLID SECTION, ELSET=SOLID, MATERIAL=M\n")
        if heat:
            out.write("*INITIAL CONDITIONS, TYPE=TEMPERATURE\nALL,0\n*STEP\n")
            out.write("*HEAT TRANSFER, STEADY STATE, SOLVER=@SOLVER@\n1,1\n")
            out.write(f"*BOUNDARY\nHELD,11,11,{PROBLEM['cold']}\n*CFLUX\n")
            value, at = PROBLEM["flux"], "11"
        else:
            out.write("*STEP\n*STATIC, SOLVER=@SOLVER@\n*BOUNDARY\nHELD,1,3,0\n*CLOAD\n")
            value, at = PROBLEM["traction"], "3"
        rows = np.column_stack([1 + nodes, value * share])
        np.savetxt(out, rows, fmt=["%d," + at, "%.17g"], delimiter=",")
        field = "NT" if heat else "U"
        out.write(f"*NODE PRINT, NSET=TIP\n{field}\n*NODE FILE\n{field}\n*END STEP\n")


def bent(points):
    """A quarter of a ring whose middle line has the box's length."""
    radius = 20 / np.pi
    angle, out = points[:, 0] / radius, radius + points[:, 2] - 0.5
    return np.column_stack([out * np.sin(angle), points[:, 1], out * np.cos(angle)])


def write_arc(folder, name):
    """Both arcs have the same corners; the curved one has its middles on the ring as well."""
    points, cells = box(*ARC)
    faces, numbers = outer(points, cells)
    nodes = bent(quadratic(points, cells, MFEM_EDGES)[0]) if name == "arc-curved" else None
    write_mfem(os.path.join(folder, name + ".mesh"), bent(points), cells, faces, numbers, nodes)


def write_box(folder, name):
    physics, order, size = name.split("-")
    points, cells = box(*BRICKS[physics, int(order), size])
    faces, numbers = outer(points, cells)
    stem = os.path.join(folder, name)
    np.savez(stem + ".npz", points=points, cells=cells)
    write_mfem(stem + ".mesh", points, cells, faces, numbers)
    write_netgen(stem + ".vol", points, cells, faces, numbers)
    write_calculix(stem + ".inp", physics, int(order), points, cells, faces, numbers)


def main(folder, names):
    with open(os.path.join(folder, "problem.json"), "w", encoding="ascii") as out:
        json.dump(PROBLEM, out)
    for name in names:
        (write_arc if name.startswith("arc") else write_box)(folder, name)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
