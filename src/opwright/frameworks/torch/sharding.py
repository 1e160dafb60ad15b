"""How operators are sharded over devices by DTensor: rows are computed alone, so they may lie on any of them.

In: operators that name `rows`, as they are registered. Out: a rule of DTensor for each: the tensors that it names are
sharded along any dimension but the last, the results likewise, and all others are replicated. What is sharded otherwise
is replicated first. The rules are given when a program imports `torch.distributed.tensor`, before or after this: the
import costs more time than all of `opwright.ops`. The forms that write, and operators without `rows`, have none.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from opwright.operators._operator import Operator

MODULE = "torch.distributed.tensor"
_lock = threading.Lock()
_waiting: list[tuple[Operator, Any]] = []


def register(operator: Operator, overload: Any) -> None:
    """Gives an operator its rule, now or as soon as there is DTensor."""
    if not operator.rows:
        return
    with _lock:
        if MODULE in sys.modules and not _is_watching():
            _give(operator, overload)
            return
        _waiting.append((operator, overload))
        if not _is_watching():
            sys.meta_path.insert(0, _AfterImport())


def _is_watching() -> bool:
    return any(isinstance(finder, _AfterImport) for finder in sys.meta_path)


class _AfterImport(MetaPathFinder):
    """Finds one module as Python does, and gives the rules after it was run; then it is gone."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != MODULE:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_give(module: ModuleType) -> None:
                run(module)
                with _lock:
                    sys.meta_path.remove(self)
                    while _waiting:
                        _give(*_waiting.pop())

            spec.loader.exec_module = run_and_give  # type: ignore[method-assign]
        return spec


def _give(operator: Operator, overload: Any) -> None:
    from torch.distributed.tensor import DTensor, Replicate, Shard
    from torch.distributed.tensor._op_schema import RuntimeSchemaInfo
    from torch.distributed.tensor.experimental import register_sharding

    arguments = operator.schema.arguments
    count = len(operator.schema.results)

    def rule(*args: Any, **kwargs: Any) -> list[tuple[list[Any], list[Any]]]:
        given = {one.name: value for one, value in zip(arguments, args, strict=False)} | kwargs
        tensors = [name for name, value in given.items() if hasattr(value, "placements")]
        rows = [name for name in tensors if name in operator.rows]
        every: list[tuple[list[Any], list[Any]]] = [([Replicate()] * count, [Replicate()] * len(tensors))]
        for dim in range(min((len(given[name].shape) for name in rows), default=1) - 1):
            every.append(([Shard(dim)] * count, [Shard(dim) if name in rows else Replicate() for name in tensors]))
        return every

    register_sharding(overload)(rule)
    # Whatever is no tensor belongs to the key under which DTensor keeps a decision: it may decide what results are.
    placed = [i for i, one in enumerate(arguments) if not one.is_tensor and not one.keyword_only]
    by_name = [one.name for one in arguments if not one.is_tensor and one.keyword_only]
    info = RuntimeSchemaInfo(min(placed, default=100), by_name or None, needs_pytree=True)
    DTensor._op_dispatcher.sharding_propagator.op_to_schema_info[overload] = info
