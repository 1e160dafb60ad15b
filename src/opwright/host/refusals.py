"""Refusals of host functions: what is wrong with a call, in words.

In: conditions, which may be symbolic or unknown, and messages. Out: nothing, or `Refusal`. A message does not name the
operator: the border does, with `errors_of`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from opwright.errors import BadType, BadValue, NotSupported, OperatorError
from opwright.host.facts import Tensor
from opwright.host.sizes import Refusal, is_refuted
from opwright.schema.dtypes import Dtype

_ERRORS: dict[str, type[OperatorError]] = {"type": BadType, "value": BadValue, "unsupported": NotSupported}
_LOWER = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}


@contextmanager
def errors_of(operator: str) -> Iterator[None]:
    """Turns refusals into the errors that users of an operator see."""
    try:
        yield
    except Refusal as refusal:
        raise error_of(operator, refusal) from None


def error_of(operator: str, refusal: Refusal) -> OperatorError:
    """A refusal as the error that users of an operator see."""
    return _ERRORS[refusal.kind](operator=operator, message=refusal.text)


def refuse(message: str) -> NoReturn:
    """A value, a shape or a device that the operator does not take: BadValue."""
    raise Refusal("value", message)


def refuse_type(message: str) -> NoReturn:
    """A type or a dtype that the operator does not take: BadType."""
    raise Refusal("type", message)


def require(condition: bool, message: str) -> None:
    """Refuses a call unless a condition holds. One that is unknown passes."""
    if is_refuted(condition):
        refuse(message)


def require_dtype(name: str, tensor: Tensor, dtypes: Sequence[Dtype]) -> None:
    """Refuses a tensor of another dtype."""
    if tensor.dtype not in dtypes:
        listed = ", ".join(map(str, dtypes))
        refuse_type(f"{name} cannot be {tensor.dtype}; it may be {listed}")


def require_device(name: str, tensor: Tensor, other_name: str, other: Tensor) -> None:
    """Refuses a tensor on another device than that of another one."""
    if tensor.device != other.device:
        refuse(f"{name} is on {tensor.device}, but {other_name} on {other.device}")


def require_choice(name: str, text: str, choices: Sequence[str]) -> None:
    """Refuses a text that is none of a few, and says which one is near."""
    if text not in choices:
        *first, last = map(repr, choices)
        near = difflib.get_close_matches(text.translate(_LOWER), choices, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        refuse(f"{name} is {text!r}, but must be {', '.join(first)} or {last}{meant}")
