"""Gmsh alone with its defaults: alone_gmsh.py CAD OUT.npz."""

import sys

import gmsh
import numpy as np

_TRIANGLE, _TETRAHEDRON = 2, 4

gmsh.initialize(readConfigFiles=False, interruptible=False)
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.importShapes(sys.argv[1])
gmsh.model.occ.synchronize()
gmsh.model.mesh.generate(3)
tags, xyz, _ = gmsh.model.mesh.getNodes()
points = np.zeros((int(tags.max()) + 1, 3))
points[tags.astype(int)] = xyz.reshape(-1, 3)
triangles, faces = [np.empty((0, 3), int)], [np.empty(0, int)]
for _, tag in gmsh.model.getEntities(2):
    found = gmsh.model.mesh.getElementsByType(_TRIANGLE, tag)[1].astype(int).reshape(-1, 3)
    triangles.append(found)
    faces.append(np.full(len(found), tag))
np.savez(
    sys.argv[2],
    points=points,
    tetrahedra=gmsh.model.mesh.getElementsByType(_TETRAHEDRON)[1].astype(int).reshape(-1, 4),
    triangles=np.concatenate(triangles),
    faces=np.concatenate(faces),
)
