"""Sizes that may be unknown, and truths about them.

In: integers, torch's symbolic ones, and `Unknown`. Out: the same. Neither asks for a symbol's value where Python does
not branch. Refuses a branch on what is unknown.
"""

from __future__ import annotations

import builtins
from typing import Any, NoReturn


class Refusal(Exception):
    """A call that an operator does not take. kind: "type", "value" or "unsupported"; `text` says why."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.text = kind, text


class _Unknown:
    """What stems from an unknown size. `of` names that size, as "dimension 0 of x"."""

    def __init__(self, of: str) -> None:
        self.of = of

    def _refuse(self) -> NoReturn:
        raise Refusal("unsupported", f"needs to know {self.of}")

    def __bool__(self) -> bool:
        self._refuse()

    def __repr__(self) -> str:
        return "?"

    def __eq__(self, other: object) -> Any:
        return Maybe(self.of)

    def __ne__(self, other: object) -> Any:
        return Maybe(self.of)

    __hash__ = object.__hash__


class Maybe(_Unknown):
    """A truth that is not known."""

    def __and__(self, other: Any) -> Any:
        return False if other is False else self

    def __or__(self, other: Any) -> Any:
        return True if other is True else self

    __rand__, __ror__ = __and__, __or__


class Unknown(_Unknown):
    """A size that is not known."""

    def _unknown(self, *_: object) -> Unknown:
        return self

    def _maybe(self, other: object) -> Maybe:
        return Maybe(self.of)

    def _known(self) -> NoReturn:
        self._refuse()

    def __divmod__(self, other: object) -> tuple[Unknown, Unknown]:
        return self, self

    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __neg__ = __pos__ = __abs__ = _unknown
    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rmod__ = _unknown
    __rdivmod__ = __divmod__
    __lt__ = __le__ = __gt__ = __ge__ = _maybe
    __index__ = __int__ = __float__ = _known


def is_symbolic(value: object) -> bool:
    """Whether a number or a truth is one of torch's symbols."""
    return type(value).__module__ == "torch" and type(value).__name__.startswith("Sym")


def is_refuted(condition: Any) -> bool:
    """Whether a condition is known not to hold. Of torch's symbols those that only run time knows count as right."""
    if condition is True or isinstance(condition, Maybe):
        return False
    if not is_symbolic(condition):
        return not condition
    # It takes a second to import, and a tracer has it loaded.
    from torch.fx.experimental.symbolic_shapes import guard_or_true

    return not guard_or_true(condition)


def negated(truth: Any) -> Any:
    """The contrary; `not` would branch."""
    if isinstance(truth, Maybe):
        return truth
    if not is_symbolic(truth):
        return not truth
    import torch

    return torch.sym_not(truth)


def min(first: int, second: int) -> int:
    """The smaller one; unknown if one of them is. Python's own would branch."""
    return _extreme("min", first, second)


def max(first: int, second: int) -> int:
    """The larger one; unknown if one of them is. Python's own would branch."""
    return _extreme("max", first, second)


def _extreme(name: str, first: Any, second: Any) -> int:
    for value in (first, second):
        if isinstance(value, Unknown):
            return value  # type: ignore[return-value]
    found: int
    if is_symbolic(first) or is_symbolic(second):
        import torch

        found = getattr(torch, f"sym_{name}")(first, second)
    else:
        found = getattr(builtins, name)(first, second)
    return found
