"""Runs a kernel as plain Python over NumPy arrays: the meaning of the language, step by step, and a debugger's view.

In: a function, what it is called with, and a seed for the order of `tile.parallel`. Out: the arrays that it wrote.
Refuses arguments that a launch would refuse, and mistakes of the kernel at the line where they happen.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from types import FunctionType
from typing import Any, cast

import numpy as np

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import (
    ArgumentError,
    NotAnArray,
    UnsupportedDtype,
    WrongArguments,
    WrongByteOrder,
)
from opwright.kernel.arrays import MAX_RANK
from opwright.tile.carried import refuse_carried
from opwright.tile.names import AUTO_IN_NUMPY, auto
from opwright.tile.numbers import Float32, as_on_core, wrapped
from opwright.tile.parameters import Kind
from opwright.tile.place import Run, running
from opwright.tile.sizes import Sizes, TensorFacts, parameters_of_sizes, sizes_for
from opwright.tile.tensor import Tensor


def evaluate(
    function: FunctionType,
    kinds: Mapping[str, Kind],
    sizes: Sizes | None,
    arguments: tuple[object, ...],
    keywords: Mapping[str, object],
    seed: int,
) -> None:
    """Runs the function once."""
    given = bind(function, kinds, sizes, arguments, keywords)
    refuse_carried(function, {name: value for name, value in given.items() if kinds[name] is Kind.CONSTANT})
    # The kernel is the outermost frame of the author's that errors show.
    token = running.set(Run(function.__name__, function.__code__, random.Random(seed)))
    try:
        as_on_core(function)(**given)
    finally:
        running.reset(token)


def bind(
    function: FunctionType,
    kinds: Mapping[str, Kind],
    sizes: Sizes | None,
    arguments: tuple[object, ...],
    keywords: Mapping[str, object],
) -> dict[str, Any]:
    """A value for each parameter. Constants come from the call, then from `sizes`, then from their defaults."""
    signature = inspect.signature(function)
    name = function.__name__
    try:
        bound = signature.bind_partial(*arguments, **keywords).arguments
    except TypeError as error:
        raise WrongArguments(kernel=name, message=str(error), signature=_shown(signature)) from None
    given = {one: _argument(name, one, kinds[one], value) for one, value in bound.items()}
    wanted = parameters_of_sizes(sizes) if sizes is not None else []
    if sizes is not None and all(tensor in given for tensor in wanted):
        tensors = {tensor: cast("Tensor", given[tensor]) for tensor in wanted}
        facts = {tensor: TensorFacts(tuple(map(int, one.shape)), one.dtype) for tensor, one in tensors.items()}
        found = sizes_for(name, sizes, kinds, facts)
        given = {**found, **given}
    for one, parameter in signature.parameters.items():
        if one not in given and parameter.default is not parameter.empty:
            given[one] = _argument(name, one, kinds[one], parameter.default)
    if missing := [one for one in signature.parameters if one not in given]:
        message = f"missing {', '.join(missing)}"
        raise WrongArguments(kernel=name, message=message, signature=_shown(signature))
    return {one: AUTO_IN_NUMPY if value is auto else value for one, value in given.items()}


def _shown(signature: inspect.Signature) -> str:
    words = (
        one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in signature.parameters.values()
    )
    return f"({', '.join(words)})"


def _argument(kernel: str, name: str, kind: Kind, value: Any) -> object:
    """An argument as the kernel sees it."""
    if kind is Kind.CONSTANT:
        return value
    if kind is Kind.TENSOR or (kind is Kind.ANY and isinstance(value, np.ndarray)):
        return _tensor(kernel, name, value)
    if isinstance(value, (bool, np.bool_)) or kind is Kind.BOOL:
        if not isinstance(value, (bool, np.bool_)) or kind not in (Kind.BOOL, Kind.ANY):
            raise ArgumentError(kernel=kernel, message=f"argument {name} is a {type(value).__name__}, not {kind.value}")
        return bool(value)
    is_integer = isinstance(value, (int, np.integer))
    if is_integer and kind is not Kind.FLOAT:
        return wrapped(int(value))
    if kind is not Kind.INT and (is_integer or isinstance(value, (float, np.floating))):
        return Float32(value)
    if kind is Kind.ANY:
        raise NotAnArray(kernel=kernel, name=name, type=type(value).__name__)
    raise ArgumentError(kernel=kernel, message=f"argument {name} is a {type(value).__name__}, not {kind.value}")


def _tensor(kernel: str, name: str, value: Any) -> Tensor:
    if not isinstance(value, np.ndarray):
        message = f"argument {name} is a {type(value).__name__}: kernel.numpy takes arrays of NumPy"
        raise ArgumentError(kernel=kernel, message=message)
    dtype = value.dtype
    if not dtype.isnative:
        raise WrongByteOrder(kernel=kernel, name=name, order=dtype.byteorder)
    if dtype.name not in DTYPES:
        raise UnsupportedDtype(kernel=kernel, name=name, dtype=dtype, allowed=", ".join(DTYPES))
    if not 1 <= value.ndim <= MAX_RANK:
        message = f"argument {name} has {value.ndim} axes: a tensor has 1 to {MAX_RANK}"
        raise ArgumentError(kernel=kernel, message=message)
    return Tensor(name, value)
