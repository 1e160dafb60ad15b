"""Opwright: write an NPU operator once in Python, prove it on any machine, ship it to every framework.

`from opwright import asc` gives the kernel language. Importing this package loads nothing else.
"""

from __future__ import annotations

from opwright._version import __version__

__all__ = ["__version__", "asc"]


def __getattr__(name: str) -> object:
    if name == "asc":
        import importlib

        return importlib.import_module("opwright.asc")
    raise AttributeError(f"module 'opwright' has no attribute {name!r}")
