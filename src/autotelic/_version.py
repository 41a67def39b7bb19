__version__ = "0.2.0"

NUMBERS = 2
"""Raised whenever the same settings and seed give other numbers: a run is not continued across it, and
studies train anew. A test holds a small run to numbers written down with it."""
