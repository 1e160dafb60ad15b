"""What the backward of an operator gets, and what it gives.

In: of a call the gradients of the results, which tensors need one, the arguments and the results. Out: for each tensor
that is no constant its gradient, or None. A backward gets all arguments in the order of the schema, and behind them the
results that it saves. Tensors that it does not save are None: no graph keeps them. Refuses names that the schema does
not have, and a backward that gives another number of gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.errors import BadDefinition
from opwright.schema import Schema


@dataclass(frozen=True)
class Gradients:
    """The tensors of an operator as its backward sees them: places among the arguments, and among the results."""

    name: str  # of the operator
    places: tuple[int, ...]  # of tensors that have a gradient
    constants: tuple[int, ...]  # of tensors that have none
    saved: tuple[int, ...]
    saved_results: tuple[int, ...]

    def given(self, values: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """What a backward gets of a call."""
        unsaved = {*self.places, *self.constants} - {*self.saved}
        kept = [None if i in unsaved else value for i, value in enumerate(values)]
        return kept + [results[i] for i in self.saved_results]

    def of(
        self, backward: Callable[..., Any], grads: Sequence[Any], needed: Sequence[bool], given: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The gradients by a backward, one for each of `places`."""
        found = backward(*grads, tuple(needed), *given)
        listed = found if isinstance(found, tuple) else (found,)
        if len(listed) != len(self.places):
            code = backward.__code__
            at = f"{code.co_filename}:{code.co_firstlineno}"
            reason = f"has a backward that gives {len(listed)} gradients for {len(self.places)} tensors"
            hint = "give a gradient or None for each tensor that is no constant"
            raise BadDefinition(name=self.name, where=at, reason=reason, hint=hint)
        return listed


def gradients_of(schema: Schema, constants: Sequence[str], saves: Sequence[str] | None) -> Gradients:
    """The tensors of a schema. saves: arguments and results by name; without it all arguments."""
    tensors = {one.name: i for i, one in enumerate(schema.arguments) if one.is_tensor}
    results = {one.name: i for i, one in enumerate(schema.results) if one.name}
    kept = tuple(tensors) if saves is None else tuple(saves)
    return Gradients(
        schema.qualified,
        tuple(i for name, i in tensors.items() if name not in constants),
        tuple(tensors[name] for name in constants),
        tuple(i for name, i in tensors.items() if name in kept),
        tuple(i for name, i in results.items() if name in kept),
    )


def reason_against(schema: Schema, gradient: str, constants: Sequence[str], saves: Sequence[str] | None) -> str:
    """Why an operator cannot have these constants or save these tensors; "" if it can."""
    if gradient == "none" and (constants or saves is not None):
        return "has no gradient, so it has no constants and saves nothing"
    tensors = [one.name for one in schema.arguments if one.is_tensor]
    results = [one.name for one in schema.results if one.name]
    for name in constants:
        if name not in tensors:
            return f"has the constant {name}, which is no tensor among its arguments"
    if tensors and len(set(constants)) == len(tensors):
        return "has constants only, so it has no gradient"
    for name in saves or ():
        if name not in tensors + results:
            return f"saves {name}, which is no tensor among its arguments, and no result that the schema names"
        if name in tensors and name in results:
            return f"saves {name}, which is an argument and a result"
    return ""
