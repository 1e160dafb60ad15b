"""`infer` of an operator for tensors of PyTorch.

In: the arguments of a call; tensors may be fake, sizes symbolic. Out: facts of them for the operator's `infer`, and
tensors without values as it describes the results. Refuses what `infer` refuses, as the operator's errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from opwright import host
from opwright.schema import Argument, Schema
from opwright.schema.dtypes import DTYPES
from opwright.settings import settings

_DTYPES = {getattr(torch, name): dtype for name, dtype in DTYPES.items() if hasattr(torch, name)}


class _Facts(host.Tensor):
    """Facts of a tensor of PyTorch; what few operators ask for is found when it is asked for."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor, self.dtype, self.shape = tensor, dtype_of(tensor.dtype), host.Shape(tensor.shape)

    @property
    def layout(self) -> host.Shape:  # type: ignore[override]
        return host.Shape(self.tensor.stride())

    @property
    def device(self) -> str:  # type: ignore[override]
        return "cpu" if self.tensor.is_cpu else str(self.tensor.device)


def dtype_of(dtype: torch.dtype) -> host.Dtype:
    """A dtype of PyTorch as host functions have it."""
    return _DTYPES.get(dtype) or host.dtype_named(str(dtype).removeprefix("torch."))


def torch_dtype(dtype: host.Dtype) -> torch.dtype:
    """A dtype of host functions as PyTorch has it."""
    found: torch.dtype = getattr(torch, dtype.name)
    return found


def facts_of_tensor(tensor: torch.Tensor) -> host.Tensor:
    """A tensor as host functions see it."""
    return _Facts(tensor)


def facts_of(argument: Argument, value: Any) -> Any:
    """An argument as host functions see it."""
    read = _READ.get(argument.kind)
    return value if read is None or value is None else read(value)


def _scalar(number: Any) -> Any:
    if type(number) is complex:
        host.refuse_type("a Scalar cannot be complex; it may be a bool, an integer or a float")
    return number


def _generator(generator: torch.Generator) -> host.Generator:
    """A generator's seed and place, as signed numbers. PyTorch does not count what one of the CPU has given."""
    seed = generator.initial_seed()
    offset = 0 if generator.device.type == "cpu" else generator.get_offset()
    return host.Generator(seed - (1 << 64) if seed >= 1 << 63 else seed, offset)


# By an argument's kind; what is not here is a fact as it is.
_READ: dict[str, Callable[[Any], Any]] = {
    "Tensor": _Facts,
    "ScalarType": dtype_of,
    "Device": str,
    "Generator": _generator,
    "Scalar": _scalar,
    "float": lambda number: float(number) if type(number) is int else number,
    "Tensor[]": lambda tensors: tuple(map(_Facts, tensors)),
    "Tensor?[]": lambda tensors: tuple(None if one is None else _Facts(one) for one in tensors),
    "float[]": lambda numbers: tuple(map(float, numbers)),
    "bool[]": tuple,
    "int[]": host.Shape,
    "SymInt[]": host.Shape,
}


def check(operator: str, arguments: Sequence[Argument], infer: Callable[..., Any], values: Sequence[Any]) -> None:
    """Raises what is wrong with a call."""
    try:
        infer(*map(facts_of, arguments, values))
    except host.Refusal as refusal:
        raise host.error_of(operator, refusal) from None


def fake(arguments: Sequence[Argument], infer: Callable[..., Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """Tensors like the results, without values, for a call that was checked; None for one that is absent."""
    facts = list(map(facts_of, arguments, values))
    tensors: dict[int, torch.Tensor] = {}
    for fact in facts:
        for one in fact if isinstance(fact, tuple) else (fact,):
            if isinstance(one, _Facts):
                tensors[id(one)] = one.tensor
    results = infer(*facts)
    listed = results if isinstance(results, tuple) else (results,)
    return tuple(None if result is None else _made(result, tensors) for result in listed)


def launch(schema: Schema, function: Callable[..., host.Launch], values: Sequence[Any], soc: str) -> host.Launch:
    """What a launch function says of arguments and results."""
    arguments, results = values[: len(schema.arguments)], values[len(schema.arguments) :]
    facts = [*map(facts_of, schema.arguments, arguments), *map(facts_of_tensor, results)]
    return function(*facts, host.soc_named(soc or settings.soc))


def _made(result: host.Tensor, tensors: dict[int, torch.Tensor]) -> torch.Tensor:
    """A tensor as facts describe it; they have no device but that of the first argument."""
    dtype = torch_dtype(result.dtype)
    if isinstance(result.layout, host.Tensor):
        return torch.empty_like(tensors[id(result.layout)], dtype=dtype)
    first = next(iter(tensors.values()))
    if result.layout is None:
        return first.new_empty(result.shape, dtype=dtype)
    return first.new_empty_strided(result.shape, result.layout, dtype=dtype)
