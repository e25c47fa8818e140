"""Writes a BREP file's shape as IGES, by Gmsh: to_iges.py FROM.brep TO.igs."""

import sys

import gmsh

gmsh.initialize(readConfigFiles=False, interruptible=False)
gmsh.option.setNumber("General.Terminal", 0)
gmsh.model.occ.importShapes(sys.argv[1])
gmsh.model.occ.synchronize()
gmsh.write(sys.argv[2])
