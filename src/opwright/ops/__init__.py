"""The operators, as functions: `opwright.ops.rms_norm(x, weight, 1e-6)`; the same are in `torch.ops.opwright`.

Importing this registers every operator in PyTorch, once: those of this package, and those of modules that other
packages name in the entry-point group `opwright.operators`. A module that cannot be imported is a warning here and a
line in `opwright doctor`, and the others are there all the same.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

from opwright.errors import NoTorch

if importlib.util.find_spec("torch") is None:
    raise NoTorch()

from opwright.frameworks.torch.aliases import define_aliases
from opwright.frameworks.torch.decompositions import decompositions
from opwright.frameworks.torch.loading import function_of, functions, load, register

load()

__all__ = ["decompositions", "define_aliases", "register", *functions()]
globals().update(functions())  # plain attributes: looking one up costs nothing


def __getattr__(name: str) -> Callable[..., Any]:
    return function_of(name)


def __dir__() -> list[str]:
    return sorted(["decompositions", "define_aliases", "register", *functions()])
