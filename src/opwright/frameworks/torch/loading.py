"""Finds all operators, registers them and keeps their functions.

In: the folder of operators, and entry points of other packages. Out: `functions()`: by name what `opwright.ops` offers.
It happens once in a process, under a lock. Another package's module that fails is noted in `failures` with a warning.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import pkgutil
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import opwright.operators
from opwright.errors import NoSuchOperator, NoSuchProvider
from opwright.frameworks.torch.functions import Functions, functions_for
from opwright.frameworks.torch.register import register as register_one
from opwright.frameworks.torch.register import registered
from opwright.operators._operator import OWN, Operator, operators
from opwright.settings import settings

GROUP = "opwright.operators"
_lock = threading.RLock()
_functions: dict[str, Functions] = {}  # by qualified name
failures: dict[str, str] = {}  # by module of another package: what is not there, and why


def define_own() -> None:
    """Defines the operators of this package."""
    for module in pkgutil.iter_modules(opwright.operators.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{opwright.operators.__name__}.{module.name}")


def load() -> None:
    """Defines and registers every operator that is not registered yet."""
    with _lock:
        define_own()
        points = sorted(importlib.metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value))
        known = set(failures)
        theirs = [(point, _defined_by(point)) for point in points if point.module not in known]
        _check_setting()
        for found in operators().values():
            if found.schema.space == OWN:
                register(found)
        for point, names in theirs:
            for name in names:
                with _noting(point):
                    register(operators()[name])
        for failed in failures.keys() - known:
            warnings.warn(failures[failed], RuntimeWarning, stacklevel=3)  # where opwright.ops is imported


@contextlib.contextmanager
def _noting(point: importlib.metadata.EntryPoint) -> Iterator[None]:
    """Whatever another package does wrong, the operators that are right must be there."""
    try:
        yield
    except Exception as error:
        where = f"{point.dist.name} ({point.module})" if point.dist else point.module
        failures[point.module] = f"operators of {where} are not there: {type(error).__name__}: {error}"


def _defined_by(point: importlib.metadata.EntryPoint) -> list[str]:
    """Imports a module of another package; gives the operators that it defines, now or when it was imported before."""
    before = operators().keys()
    with _noting(point):
        importlib.import_module(point.module)
    if point.module in failures:
        return []
    return [
        name
        for name, found in operators().items()
        if name not in before or found.module == point.module or found.module.startswith(f"{point.module}.")
    ]


def _check_setting() -> None:
    """Refuses OPWRIGHT_PROVIDERS with an operator or a provider that there is not, before anything is registered."""
    known = {found.label: found for found in operators().values()}
    for name, provider in settings.providers.items():
        if name not in known:
            if "::" in name:  # a file of the user may define it yet
                continue
            raise NoSuchOperator(name=name, hint=f"OPWRIGHT_PROVIDERS names it; {_nearest(name, list(known))}")
        found = known[name]
        providers = dict.fromkeys([*found.providers, *(one for order in found.orders.values() for one in order)])
        if provider not in providers:
            raise NoSuchProvider(operator=name, provider=repr(provider), known=", ".join(providers))


def register(operator: Operator) -> Callable[..., Any]:
    """Registers an operator in PyTorch, once, and gives its function.

    For an operator in a file of your own; a package names its module in the entry-point group `opwright.operators`.
    """
    with _lock:
        name = operator.schema.qualified
        if name not in _functions:
            _functions[name] = functions_for(registered.get(name) or register_one(operator))
        return _functions[name].stated


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of this package's operators, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for made in list(_functions.values()):
        if made.operator.schema.space == OWN:
            found[made.stated.__name__] = made.stated
            if made.in_place is not None:
                found[made.in_place.__name__] = made.in_place
    return found


def function_for(operator: Operator) -> Callable[..., Any]:
    """The function of a registered operator."""
    return _functions[operator.schema.qualified].stated


def operator_named(name: str) -> Operator:
    """A registered operator by its name, or by namespace::name if it is another package's."""
    qualified = name if "::" in name else f"{OWN}::{name}"
    if qualified not in _functions:
        raise NoSuchOperator(name=name, hint=_nearest(name, [made.operator.label for made in _functions.values()]))
    return _functions[qualified].operator


def _nearest(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def function_of(name: str) -> Callable[..., Any]:
    """A function by name; raises AttributeError with the nearest ones."""
    known = functions()
    if name not in known:
        raise AttributeError(f"module 'opwright.ops' has no operator {name!r}; {_nearest(name, list(known))}")
    return known[name]
