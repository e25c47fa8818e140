"""The VTK engine: pictures, depth and normal images, and field surfaces of meshes."""

__version__ = "0.1.0"
