"""Names and argument orders of other projects, as data: `also=("_C::rms_norm(Tensor! result, Tensor input) -> ()",)`.

In: the schema of another project, and the forms of an operator. Out: an `Also`, which form serves it and from where its
arguments come. They are mapped by name. Arguments that remain are mapped in order: those that are read to those that
the operator still needs, then written ones likewise, which is the form in place, or to the outputs. Refuses, with the
reason, what has no argument of the operator, another type, or a result that goes nowhere. Nothing is defined here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.errors import BadSchema
from opwright.operators._forms import Form, is_writing
from opwright.schema import Argument, Schema, parse

# Kinds that are given for others as they are.
_ALIKE = {("int", "SymInt"), ("SymInt", "int"), ("int[]", "SymInt[]"), ("SymInt[]", "int[]")}


class CannotMap(Exception):
    """Why an operator does not serve a schema."""


@dataclass(frozen=True)
class Also:
    """A schema of another project, the form of an operator that serves it, and by argument of the form where it is."""

    schema: Schema
    form: Form
    places: Mapping[str, int]

    def call(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of the form for a call of the other schema."""
        given = self.schema.complete(args, kwargs)
        values = [
            given[self.places[one.name]] if one.name in self.places else one.default
            for one in self.form.schema.arguments
        ]
        return self.form.schema.split(values)


def also_of(text: str, forms: Sequence[Form]) -> Also:
    """How an operator serves a schema of another project. Raises CannotMap."""
    try:
        schema = parse(text)
    except BadSchema as error:
        raise CannotMap(f"cannot be read: {error.fields['reason']}") from None
    if not schema.space:
        raise CannotMap("has no namespace")
    reasons = []
    for form in (one for one in forms if one.is_writing == is_writing(schema)):
        try:
            return Also(schema, form, _places(schema, form))
        except CannotMap as error:
            reasons.append(f"{form.name} {error}")
    raise CannotMap("; ".join(reasons) or f"{forms[0].name} writes into its arguments")


def _places(schema: Schema, form: Form) -> dict[str, int]:
    """By argument of a form the place of the other schema's argument for it."""
    ours = {one.name: one for one in form.schema.arguments}
    found = {one.name: i for i, one in enumerate(schema.arguments) if one.name in ours}
    for is_written in (False, True):
        rest = [i for i, one in enumerate(schema.arguments) if i not in found.values() and one.is_written == is_written]
        needed = [
            name
            for name, one in ours.items()
            if not one.has_default and name not in found and one.is_written == is_written
        ]
        found |= zip(needed, rest, strict=False)
        if len(rest) > len(needed):
            raise CannotMap(f"has nothing for {schema.arguments[rest[len(needed)]].name}")
        if len(needed) > len(rest):
            raise CannotMap(f"needs {needed[len(rest)]}")
    for name, place in found.items():
        _require_fit(schema.arguments[place], ours[name])
    if len(schema.results) != len(form.schema.results) or any(
        mine.type != its.type for mine, its in zip(form.schema.results, schema.results, strict=True)
    ):
        raise CannotMap("returns something else")
    return found


def _require_fit(given: Argument, wanted: Argument) -> None:
    is_alike = given.kind == wanted.kind or (given.kind, wanted.kind) in _ALIKE
    if not is_alike or (given.is_optional and not wanted.is_optional):
        raise CannotMap(f"has {wanted.name} of the type {wanted.type}, and is given {given.name} of {given.type}")
    if given.is_written != wanted.is_written:
        raise CannotMap(f"{'writes' if wanted.is_written else 'does not write'} {wanted.name}")
