"""Runs inside the kernel: what the cells imported."""

import sys
from importlib import metadata


def _roots():
    return {name.partition(".")[0] for name in sys.modules}


_before = _roots()


def packages():
    """The distributions of the modules imported since the kernel began, with versions."""
    roots = _roots() - _before - set(sys.stdlib_module_names)
    owners = metadata.packages_distributions()
    names = {dist for root in roots for dist in owners.get(root, ())}
    return {name: metadata.version(name) for name in sorted(names)}
