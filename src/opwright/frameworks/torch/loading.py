"""Finds all operators, registers them and keeps their functions.

In: the folder of operators, and entry points of other packages. Out: `functions()`: by name what `opwright.ops` offers.
It happens once in a process, under a lock. Another package's module that fails is noted in `failures` with a warning.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import threading
import warnings
from collections.abc import Callable
from typing import Any

import opwright.operators
from opwright.errors import NoSuchOperator
from opwright.frameworks.torch.functions import Functions, functions_for
from opwright.frameworks.torch.register import register as register_one
from opwright.frameworks.torch.register import registered
from opwright.operators._operator import OWN, Operator, operators

GROUP = "opwright.operators"
_lock = threading.RLock()
_functions: dict[str, Functions] = {}  # by qualified name
failures: dict[str, str] = {}  # entry points that could not be loaded, and why


def load() -> None:
    """Defines and registers every operator that is not registered yet."""
    with _lock:
        for module in pkgutil.iter_modules(opwright.operators.__path__):
            if not module.name.startswith("_"):
                importlib.import_module(f"{opwright.operators.__name__}.{module.name}")
        for point in sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: point.name):
            _load_point(point)
        for found in operators().values():
            if found.schema.space == OWN:
                register(found)


def _load_point(point: importlib.metadata.EntryPoint) -> None:
    """Whatever another package does wrong, the operators that are right must be there."""
    before = operators().keys()
    try:
        importlib.import_module(point.value)
        for name in operators().keys() - before:
            register(operators()[name])
    except Exception as error:
        failures[point.name] = f"{type(error).__name__}: {error}"
        where = f"{point.dist.name} " if point.dist else ""
        text = f"the operators of {where}({point.value}) are not there: {failures[point.name]}"
        warnings.warn(text, RuntimeWarning, stacklevel=4)


def register(operator: Operator) -> Callable[..., Any]:
    """Registers an operator in PyTorch, once, and gives its function.

    For an operator in a file of your own; a package names its module in the entry-point group `opwright.operators`.
    """
    with _lock:
        name = operator.schema.qualified
        if name not in _functions:
            _functions[name] = functions_for(registered.get(name) or register_one(operator))
        return _functions[name].functional


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of this package's operators, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for made in list(_functions.values()):
        if made.operator.schema.space == OWN:
            found[made.operator.name] = made.functional
            if made.in_place is not None:
                found[f"{made.operator.name}_"] = made.in_place
    return found


def function_for(operator: Operator) -> Callable[..., Any]:
    """The function of a registered operator."""
    return _functions[operator.schema.qualified].functional


def operator_named(name: str) -> Operator:
    """A registered operator by its name, or by namespace::name if it is another package's."""
    qualified = name if "::" in name else f"{OWN}::{name}"
    if qualified not in _functions:
        import difflib

        own = [key.removeprefix(f"{OWN}::") for key in _functions]
        near = difflib.get_close_matches(name, own, n=1)
        way_out = f"did you mean {near[0]}?" if near else f"there are {', '.join(own)}"
        raise NoSuchOperator(name=name, way_out=way_out)
    return _functions[qualified].operator


def function_of(name: str) -> Callable[..., Any]:
    """A function by name; raises AttributeError with the nearest ones."""
    known = functions()
    if name not in known:
        import difflib

        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"module 'opwright.ops' has no operator {name!r}{hint}")
    return known[name]
