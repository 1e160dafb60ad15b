"""An operator for any schema, made from the schema alone: what the core must carry, without what an operator computes.

In: the text of a schema. Out: `made`, an operator in a namespace of its own whose reference mixes all arguments into
each result, or into each tensor that it writes, so that an argument that is lost or exchanged shows; and the arguments
of a call. All tensors have one shape and are float32.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, Operator, operator
from opwright.schema import Argument, Schema, parse

SHAPE = (3, 4)


def stub(text: str, space: str) -> Operator:
    """An operator with a schema. One that returns new tensors gets a form that writes them into its first tensors."""
    schema = parse(text)
    tensors = [argument.name for argument in schema.arguments if argument.is_tensor]
    is_functional = not any(argument.is_written for argument in schema.arguments)
    writes = {name: i for i, name in enumerate(tensors[: len(schema.results)])} if is_functional else {}
    found = operator(f"{space}::{text}", dtypes=(torch.float32,), writes=writes)
    like = next(i for i, argument in enumerate(schema.arguments) if argument.kind in ("Tensor", "Tensor[]"))

    @found.infer
    def infer(*facts: Any) -> Any:
        one = facts[like] if isinstance(facts[like], host.Tensor) else facts[like][0]
        results = tuple(host.dense(one.shape, one.dtype) for _ in schema.results)
        return results if len(results) > 1 else results[0] if results else None

    @found.reference
    def reference(*values: Any) -> Any:
        """Mixes all arguments."""
        mixed = _mixed(schema, values)
        for i, (argument, value) in enumerate(zip(schema.arguments, values, strict=True)):
            if argument.is_written and value is not None:
                value.copy_(mixed * (i + 1))
        results = tuple(mixed + i + 1 for i, _ in enumerate(schema.results))
        return results if len(results) > 1 else results[0] if results else None

    @found.cases
    def cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
        seed = int(torch.randint(1000, (), generator=random))
        for is_full in (True, False):
            placed, named = schema.split(arguments_of(schema, seed, is_full))
            yield Case(*placed, **named)

    return found


def _mixed(schema: Schema, values: Sequence[Any]) -> Tensor:
    """A sum of all arguments, each with a weight of its own."""
    total = torch.zeros(SHAPE)
    for i, value in enumerate(values):
        for number in value if isinstance(value, (list, tuple)) else (value,):
            total = total + (1 + i / 8) * _number(number)
    return total


def _number(value: Any) -> Any:
    if isinstance(value, torch.Generator):
        return torch.rand(SHAPE, generator=value)
    if isinstance(value, str):
        return float(len(value))
    if isinstance(value, torch.dtype):
        return float(value.itemsize)
    return 0.0 if value is None else value


def arguments_of(schema: Schema, seed: int, is_full: bool) -> tuple[Any, ...]:
    """The arguments of a call; without what may be absent if it is not full. No generator: graphs carry none."""
    random = torch.Generator().manual_seed(seed)
    made = {
        "int": 3,
        "SymInt": 5,
        "float": 0.5,
        "bool": True,
        "str": "auto",
        "Scalar": 1.5,
        "ScalarType": torch.float16,
        "int[]": [2, 7],
    }

    def value_of(argument: Argument) -> Any:
        if argument.is_optional and (not is_full or argument.kind == "Generator"):
            return None
        if argument.kind == "Tensor[]":
            return [torch.rand(SHAPE, generator=random) for _ in range(2)]
        return torch.rand(SHAPE, generator=random) if argument.is_tensor else made[argument.kind]

    return tuple(map(value_of, schema.arguments))
