"""What HiFloat8's operators and its tensor refuse: other types, rules, blocks and scales that do not fit.

In: who asks, and what was given; shapes may be those of a trace. Out: nothing, or BadValue, BadType, NotSupported.
"""

from __future__ import annotations

import difflib
from typing import Any, NoReturn

import torch

from opwright.errors import BadType, BadValue, NotSupported
from opwright.operators._hifloat8 import FLOATS, OVERFLOWS, SMALLEST_NORMAL, Sizes, scale_shape


def check_overflow(who: str, overflow: str) -> None:
    """One of `OVERFLOWS`."""
    if overflow not in OVERFLOWS:
        near = difflib.get_close_matches(str(overflow).lower(), OVERFLOWS, n=1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        refuse_value(who, f"overflow is {overflow!r}, but must be {_either(map(repr, OVERFLOWS))}{meant}")


def check_floats(who: str, input: torch.Tensor, name: str = "input") -> None:
    """A tensor that can be encoded."""
    if input.dtype not in FLOATS:
        refuse_type(who, f"{name} is {_short(input.dtype)}, but must be {_either(map(_short, FLOATS))}")


def check_codes(who: str, codes: torch.Tensor, name: str = "input") -> None:
    """A tensor that can be decoded."""
    if codes.dtype != torch.uint8:
        refuse_type(who, f"{name} is {_short(codes.dtype)}, but codes are uint8")


def check_output_dtype(who: str, dtype: torch.dtype | None) -> None:
    """A type that codes are decoded to."""
    if dtype is not None and dtype not in FLOATS:
        refuse_type(who, f"dtype is {_short(dtype)}, but must be {_either(map(_short, FLOATS))}")


def check_target_max(who: str, target_max: float) -> None:
    """A number that amounts can be divided by in float32."""
    if not SMALLEST_NORMAL <= target_max <= torch.finfo(torch.float32).max:
        refuse_value(who, f"target_max is {target_max}, but must be a positive number that float32 has")


def check_block_size(who: str, block_size: Sizes, shape: Sizes) -> None:
    """An entry for each dimension, each a length or -1."""
    if len(block_size) != len(shape):
        refuse_value(
            who,
            f"block_size {_listed(block_size)} has {_counted(len(block_size), 'entry', 'entries')}, but the tensor has "
            f"{_counted(len(shape), 'dimension', 'dimensions')}",
        )
    for dim, length in enumerate(block_size):
        if _surely((length <= 0) & (length != -1)):
            refuse_value(
                who,
                f"block_size {_listed(block_size)} has {length} at {dim}, but an entry is positive, or -1 for all",
            )


def check_scale(who: str, scale: torch.Tensor, block_size: Sizes, input: torch.Tensor) -> None:
    """A scale that fits the blocks of a tensor. `block_size` is one that was checked."""
    if scale.dtype != torch.float32:
        refuse_type(who, f"scale is {_short(scale.dtype)}, but must be float32")
    if scale.device != input.device:
        refuse_value(who, f"scale is on {scale.device}, but the tensor is on {input.device}")
    wanted = scale_shape(input.shape, block_size)
    differs = len(scale.shape) != len(wanted) or any(
        _surely(got != count) for got, count in zip(scale.shape, wanted, strict=True)
    )
    if differs:
        refuse_value(
            who,
            f"scale has shape {_listed(scale.shape)}, but shape {_listed(input.shape)} in blocks of "
            f"{_listed(block_size)} needs {_listed(wanted)}",
        )


def check_scale_and_block_size(who: str, scale: torch.Tensor | None, block_size: Sizes | None) -> None:
    """Both or neither."""
    if (scale is None) != (block_size is None):
        given, missing = ("block_size", "scale") if scale is None else ("scale", "block_size")
        refuse_value(who, f"{given} is given without {missing}, but one needs the other")


def refuse_value(who: str, text: str) -> NoReturn:
    """An argument of the right type that cannot be used."""
    raise BadValue(operator=who, message=text)


def refuse_type(who: str, text: str) -> NoReturn:
    """An argument of a type that cannot be used."""
    raise BadType(operator=who, message=text)


def refuse_operation(who: str, text: str) -> NoReturn:
    """What is not built."""
    raise NotSupported(operator=who, message=text)


def _surely(condition: Any) -> bool:
    """Whether it holds. What a size that is known only at run time decides is taken to be right."""
    if not isinstance(condition, torch.SymBool):
        return bool(condition)
    # It takes a second to import, and a tracer has it loaded.
    from torch.fx.experimental.symbolic_shapes import guard_or_false

    return bool(guard_or_false(condition))


def _either(names: Any) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}"


def _listed(sizes: Sizes) -> str:
    return f"[{', '.join(map(str, sizes))}]"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _short(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
