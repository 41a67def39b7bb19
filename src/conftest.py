"""Doctests of a bridge are read where its package is."""

from importlib.util import find_spec

_PACKAGES = {"syllabus": "syllabus", "accelerate": "trl", "torch": "trl"}
collect_ignore = [
    f"autotelic/bridges/{bridge}.py"
    for package, bridge in _PACKAGES.items()
    if find_spec(package) is None
]
