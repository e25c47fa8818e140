"""Netgen alone with its defaults, as its documentation shows it: alone_netgen.py CAD OUT.npz."""

import sys

import netgen.meshing as ng
import numpy as np
from netgen.occ import OCCGeometry

ng.SetMessageImportance(0)
mesh = OCCGeometry(sys.argv[1]).GenerateMesh()
solid, surface = mesh.Elements3D().NumPy(), mesh.Elements2D().NumPy()
of_descriptor = np.array([d.surfnr for d in mesh.FaceDescriptors()])
np.savez(
    sys.argv[2],
    points=np.array([list(p.p) for p in mesh.Points()]),
    tetrahedra=solid["nodes"].astype(np.int64)[:, :4] - 1,
    triangles=surface["nodes"].astype(np.int64)[:, :3] - 1,
    faces=of_descriptor[surface["index"].astype(np.int64) - 1],
)
