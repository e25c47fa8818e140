"""Tetrahedra from CAD models: Netgen's mesher in the engine protocol."""

__version__ = "0.1.0"
