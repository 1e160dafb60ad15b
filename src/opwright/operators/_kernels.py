"""The provider "kernel" where Python launches it: on the checked twin, and on machines without the library.

In: an operator with `launch` and kernels, and the arguments of a call. Out: the results, which the kernel that `launch`
names has computed; of an operator that writes, its arguments are written. Tensors that lie as `launch` refuses them, or
with gaps that the kernel does not take, are copied. Refuses what `launch` refuses of dense tensors, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from opwright import host
from opwright.errors import BadType, BadValue, NotSupported
from opwright.schema import Schema

REFUSED = (BadType, BadValue, NotSupported)  # by `launch`


class Operator(Protocol):
    """What is needed of `opwright.operators.Operator`."""

    schema: Schema
    kernels: dict[str, host.Variant]
    functions: dict[str, Callable[..., Any]]

    def fake(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Tensors like the results."""

    def launch_for(self, *values: Any) -> host.Launch:
        """What `launch` says."""


def run(operator: Operator, *values: Any) -> Any:
    """Launches the kernel of a call."""
    described = operator.fake([_on_meta(value) for value in values])
    results = tuple(torch.empty_strided(one.shape, one.stride(), dtype=one.dtype) for one in described)
    if any(result.numel() for result in results) or not results:
        _launch(operator, values, results)
    return results[0] if len(results) == 1 else results or None


def refusal(operator: Operator, *facts: Any) -> str | None:
    """Why `launch` refuses a call that is legal; None if it does not. facts: as predicates of providers get them."""
    values = tuple(_on_meta(value) for value in facts)
    try:
        _launch_of(operator, values, operator.fake(values))
    except REFUSED as refused:
        return str(refused.fields["message"])
    return None


def _launch_of(
    operator: Operator, values: tuple[Any, ...], results: tuple[Tensor, ...]
) -> tuple[host.Launch, tuple[Any, ...]]:
    """The launch of a call, and the arguments that it is for: dense ones, if it refuses those that are given."""
    try:
        return operator.launch_for(*values, *results), values
    except REFUSED:
        dense = tuple(value.contiguous() if isinstance(value, Tensor) else value for value in values)
        return operator.launch_for(*dense, *results), dense


def _on_meta(value: Any) -> Any:
    """A tensor, or facts of one, without its memory."""
    if isinstance(value, tuple):
        return tuple(map(_on_meta, value))
    if isinstance(value, Tensor):
        return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
    return value.tensor() if hasattr(value, "tensor") else value


def _launch(operator: Operator, given_values: tuple[Any, ...], results: tuple[Tensor, ...]) -> None:
    launch, values = _launch_of(operator, given_values, results)
    if not launch.blocks:
        return
    variant = operator.kernels[launch.kernel]
    code = operator.functions["launch"].__code__
    named = dict(zip(code.co_varnames, (*values, *results), strict=False))
    numbers: Any = iter(launch.arguments)
    ranks = dict(zip(variant.tensors, variant.ranks or (), strict=False))
    given: dict[str, Any] = dict(variant.constants)
    arguments = operator.schema.arguments
    written = {*code.co_varnames[len(arguments) : len(values) + len(results)]}  # the results, and what the schema says
    written |= {one.name for one in arguments if one.is_written}
    both = zip(arguments, given_values, values, strict=True)
    copied = [(one, dense) for argument, one, dense in both if argument.is_written and one is not dense]
    for parameter in variant.kernel.binder.parameters:
        name = parameter.name
        if parameter.kind != "address":
            if name not in given and parameter.kind != "constant":
                given[name] = next(numbers)
            continue
        tensor = given[name] = named[name]
        if parameter.parts is not None:  # its shape and strides, as `launch` sees it, are among the numbers
            rank = ranks[name]
            shape, strides = ([next(numbers) for _ in range(rank)] for _ in range(2))
            given[name] = _laid_out(tensor, shape, strides, variant.tensors[name].name)
        elif not tensor.is_contiguous():
            given[name] = tensor.contiguous()
            if name in written:
                copied.append((tensor, given[name]))
    kernel: Any = variant.kernel
    kernel[launch.blocks](**given)
    for tensor, dense in copied:
        tensor.copy_(dense)


def _laid_out(tensor: Tensor | None, shape: list[int], strides: list[int], dtype: str) -> Tensor:
    """A tensor with the dimensions that a kernel wants; without elements for one that is absent."""
    if tensor is None:
        return torch.empty(shape if 0 in shape else [0] * len(shape), dtype=getattr(torch, dtype))
    return tensor.as_strided(shape, strides)
