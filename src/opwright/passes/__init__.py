"""Passes over the IR: one pass, one file, one flag, one test folder.

In: the operation that holds everything. Out: the same, rewritten in place. A pass is a module of this folder with
`run(root)`, `check(root)`, which raises VerifyException if something is left that `run` takes out, and, where it needs
others to have run, `AFTER`, their names. The first line of its docstring says what it does. OPWRIGHT_WITHOUT leaves
passes out.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection
from graphlib import TopologicalSorter
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright.ir import Operation


def names() -> list[str]:
    """The names of all passes, without loading one."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_")


def in_order() -> dict[str, ModuleType]:
    """Name -> module, in the order in which they run."""
    modules = {name: importlib.import_module(f"{__name__}.{name}") for name in names()}
    before = {name: sorted(getattr(module, "AFTER", ())) for name, module in modules.items()}
    return {name: modules[name] for name in TopologicalSorter(before).static_order()}


def run(root: Operation, without: Collection[str], watch: Callable[[str], None] | None = None) -> None:
    """Runs all passes but those in `without`; `watch` gets the name of each that has run."""
    for name, module in in_order().items():
        if name not in without:
            module.run(root)
            if watch is not None:
                watch(name)
