"""MFEM's mesh format, version 1.0, with the unit and the faces' names in its first comment."""

import json

import numpy as np

_TRIANGLE, _TETRAHEDRON = 2, 4  # MFEM's geometry types


def mfem(path, mesh, faces):
    """Writes the mesh. Element attributes are bodies, boundary attributes the file's
    faces; faces between two bodies are inside and no boundary."""
    outer = mesh.outer()
    corners = mesh.tetrahedra[:, :4]
    used = np.unique(corners)
    number = np.full(len(mesh.points), -1)
    number[used] = np.arange(len(used))
    attribute = np.array([0] + [row["face"] for row in faces])[mesh.faces[outer]]
    meta = {
        "length_unit": "mm",
        "faces": [
            {"id": row["face"], "name": row["name"]}
            for row in faces
            if row["name"] and len(row["bodies"]) == 1
        ],
    }
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"MFEM mesh v1.0\n\n# atelier {json.dumps(meta, ensure_ascii=False)}\n\ndimension\n3\n")
        _cells(out, "elements", mesh.bodies, _TETRAHEDRON, number[corners])
        _cells(out, "boundary", attribute, _TRIANGLE, number[mesh.triangles[outer][:, :3]])
        out.write(f"\nvertices\n{len(used)}\n")
        if mesh.order == 1:
            out.write("3\n")
            np.savetxt(out, mesh.points[used], fmt="%.17g")
            return
        out.write("\nnodes\nFiniteElementSpace\nFiniteElementCollection: H1_3D_P2\nVDim: 3\nOrdering: 1\n\n")
        # MFEM numbers edges as its elements name them for the first time.
        middles = mesh.tetrahedra[:, 4:].reshape(-1)
        _, first = np.unique(middles, return_index=True)
        np.savetxt(out, mesh.points[np.concatenate([used, middles[np.sort(first)]])], fmt="%.17g")


def _cells(out, title, attributes, kind, vertices):
    out.write(f"\n{title}\n{len(vertices)}\n")
    np.savetxt(out, np.column_stack([attributes, np.full(len(vertices), kind), vertices]), fmt="%d")
