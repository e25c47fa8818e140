"""Runs inside the kernel: what the cells imported."""

import sys
from importlib import metadata

_before = set(sys.modules)


def packages():
    """The distributions of the modules imported since the kernel began, with versions, and Python's own."""
    roots = {name.partition(".")[0] for name in set(sys.modules) - _before}
    roots -= set(sys.stdlib_module_names)
    owners = metadata.packages_distributions()
    names = {dist for root in roots for dist in owners.get(root, ())}
    return {name: metadata.version(name) for name in sorted(names)}
