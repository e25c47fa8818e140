"""The notebook engine: runs a notebook from top to bottom in a kernel of its own."""

__version__ = "1.0.0"
