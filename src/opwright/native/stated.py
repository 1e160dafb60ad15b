"""What an operator's file states for the library: `infer`, `launch` and kernels, without PyTorch.

In: the parts of a file. Out: `Stated`, which stood for the operator while these parts were executed. Files that
operators share are loaded without their package, which needs PyTorch; they must not need it themselves.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from opwright.host.variants import Variant, variants_of
from opwright.kernel.function import KernelFunction
from opwright.schema import parse
from opwright.schema.dtypes import Dtype
from opwright.store.operator_files import Parts

PACKAGE = "opwright.operators"


class Stated:
    """Keeps what a file says of its operator, as `opwright.operators.Operator` would."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions: dict[str, Callable[..., Any]] = {}
        self.kernels: dict[str, Variant] = {}

    def infer(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps it."""
        self.functions["infer"] = function
        return function

    def launch(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Keeps it."""
        self.functions["launch"] = function
        return function

    def kernel(
        self,
        kernel: KernelFunction,
        variants: Sequence[Sequence[Dtype]],
        ranks: Sequence[int] | None = None,
        **constants: object,
    ) -> None:
        """Keeps its variants."""
        self.kernels |= variants_of(kernel, variants, ranks, constants)

    def __getattr__(self, kind: str) -> Callable[[object], None]:
        """Whatever else a family gives the operator is not for the library."""
        return lambda given: None


def stated_by(path: Path, parts: Parts) -> Stated:
    """What a file states."""
    stated = Stated(parse(parts.schema).name)
    space = _space(f"{PACKAGE}.{path.stem}", _Shared(path.parent))
    space[parts.operator] = stated
    exec(compile(ast.Module(parts.needed, []), str(path), "exec"), space)
    return stated


class _Shared:
    """Files that operators share, each loaded once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: dict[str, ModuleType] = {}

    def module(self, name: str) -> ModuleType:
        """A file by its name in the package; that of the process if it is loaded."""
        qualified = f"{PACKAGE}.{name}"
        if qualified in sys.modules:
            return sys.modules[qualified]
        if name not in self.modules:
            path = self.folder / f"{name}.py"
            made = self.modules[name] = ModuleType(f"{__name__}:{path}")
            sys.modules[made.__name__] = made  # where dataclasses look
            made.__dict__.update(_space(made.__name__, self))
            exec(compile(path.read_bytes(), str(path), "exec"), made.__dict__)
        return self.modules[name]


def _space(name: str, shared: _Shared) -> dict[str, Any]:
    """Globals for a file; what it imports of the package comes from `shared`."""

    def importing(name: str, globals: Any = None, locals: Any = None, names: Any = (), level: int = 0) -> Any:
        if name == PACKAGE:
            return SimpleNamespace(**{one: shared.module(one) for one in names})
        if name.startswith(f"{PACKAGE}."):
            return shared.module(name.removeprefix(f"{PACKAGE}."))
        return builtins.__import__(name, globals, locals, names, level)

    return {"__name__": name, "__builtins__": {**vars(builtins), "__import__": importing}}
