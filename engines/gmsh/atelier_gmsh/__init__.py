"""The Gmsh engine: a second mesher for CAD shapes, in a process of its own."""

__version__ = "1.0.0"
