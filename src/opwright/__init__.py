"""Opwright: write an NPU kernel in Python and prove it on any machine.

`from opwright import asc` gives the kernel language; `import opwright.ops` registers the operators in PyTorch, and
`opwright.calls`, `opwright.explain` and `opwright.using` are about them. Importing this package loads nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright import asc, ops
    from opwright._version import __version__
    from opwright.frameworks.torch.calls import calls
    from opwright.frameworks.torch.explain import explain
    from opwright.frameworks.torch.using import using

__all__ = ["__version__", "asc", "calls", "explain", "ops", "using"]


def __getattr__(name: str) -> object:
    import importlib

    if name in ("asc", "ops"):
        return importlib.import_module(f"opwright.{name}")
    if name in ("calls", "explain", "using"):
        importlib.import_module("opwright.ops")  # they are about operators that are registered
        return getattr(importlib.import_module(f"opwright.frameworks.torch.{name}"), name)
    if name == "__version__":
        return importlib.import_module("opwright._version").__version__
    raise AttributeError(f"module 'opwright' has no attribute {name!r}")
