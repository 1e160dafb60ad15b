"""What HiFloat8's tensor refuses, in the words of its operators: other types, rules, blocks and scales that do not fit.

In: who asks, and what was given; shapes may be those of a trace. Out: nothing, or BadValue, BadType, NotSupported.
"""

from __future__ import annotations

from typing import NoReturn

import torch

from opwright import host
from opwright.errors import BadType, BadValue, NotSupported
from opwright.operators import _hifloat8_host as legal
from opwright.operators._hifloat8 import FLOATS, Sizes
from opwright.operators._infer import dtype_of, facts_of_tensor


def check_overflow(who: str, overflow: str) -> None:
    """One of `OVERFLOWS`."""
    with host.errors_of(who):
        legal.require_overflow(overflow)


def check_floats(who: str, input: torch.Tensor, name: str = "input") -> None:
    """A tensor that can be encoded."""
    if input.dtype not in FLOATS:
        refuse_type(who, f"{name} is {dtype_of(input.dtype)}, but must be {legal.FLOATS_IN_WORDS}")


def check_codes(who: str, codes: torch.Tensor, name: str = "input") -> None:
    """A tensor that can be decoded."""
    if codes.dtype != torch.uint8:
        refuse_type(who, f"{name} is {dtype_of(codes.dtype)}, but codes are uint8")


def check_output_dtype(who: str, dtype: torch.dtype | None) -> None:
    """A type that codes are decoded to."""
    with host.errors_of(who):
        legal.output_dtype(None if dtype is None else dtype_of(dtype))


def check_target_max(who: str, target_max: float) -> None:
    """A number that amounts can be divided by in float32."""
    with host.errors_of(who):
        legal.require_target_max(target_max)


def check_block_size(who: str, block_size: Sizes, shape: Sizes) -> None:
    """An entry for each dimension, each a length or -1."""
    with host.errors_of(who):
        legal.require_block_size(host.Shape(block_size), host.Shape(shape))


def check_scale(who: str, scale: torch.Tensor, block_size: Sizes, input: torch.Tensor) -> None:
    """A scale that fits the blocks of a tensor. `block_size` is one that was checked."""
    with host.errors_of(who):
        legal.require_scale(facts_of_tensor(scale), host.Shape(block_size), facts_of_tensor(input))


def refuse_value(who: str, text: str) -> NoReturn:
    """An argument of the right type that cannot be used."""
    raise BadValue(operator=who, message=text)


def refuse_type(who: str, text: str) -> NoReturn:
    """An argument of a type that cannot be used."""
    raise BadType(operator=who, message=text)


def refuse_operation(who: str, text: str) -> NoReturn:
    """What is not built."""
    raise NotSupported(operator=who, message=text)
