"""Which schemas operators can have, and the schemas of the forms that are made from them.

In: the schema that an author states. It returns new tensors and writes nothing, or it writes into its arguments. Out:
why an operator cannot have it; its forms: as stated, and for one that returns new tensors `f.out`, which writes them
into tensors of the caller, and `f_`, which writes them into arguments; the functional twin of one that writes. Nothing
here needs a framework.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from opwright.schema import Alias, Argument, Base, List, Optional, Result, Schema, Type
from opwright.schema.dtypes import Dtype
from opwright.schema.types import aliases

# Kinds of arguments that operators can have.
KINDS = (
    *("Tensor", "Tensor[]", "Tensor?[]", "int", "SymInt", "bool", "float", "str", "Scalar"),
    *("int[]", "SymInt[]", "float[]", "bool[]", "ScalarType", "Device", "Generator"),
)
_TENSOR = Base("Tensor")


@dataclass(frozen=True)
class Into:
    """Where a call puts a result: the name of an argument, the result's index, and what was given (None: nowhere)."""

    name: str
    result: int
    tensor: Any


@dataclass(frozen=True)
class Form:
    """One schema under which an operator is called.

    into: arguments that are given for results, each with the index of its result. A form that an operator states writes
    what its schema says, without that.
    """

    kind: Literal["stated", "out", "in_place"]
    schema: Schema
    into: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        """Its name as a framework has it: name or name.overload."""
        return f"{self.schema.name}.{self.schema.overload}" if self.schema.overload else self.schema.name

    @property
    def is_writing(self) -> bool:
        return is_writing(self.schema)

    def taken(
        self, stated: Schema, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], list[Into]]:
        """A call of this form as all arguments of the stated one, and where its results go."""
        values = self.schema.complete(args, kwargs)
        if not self.into:
            return values, []
        named = {argument.name: value for argument, value in zip(self.schema.arguments, values, strict=True)}
        own = tuple(named[argument.name] for argument in stated.arguments)
        return own, [Into(name, result, named[name]) for name, result in self.into]

    def written(self) -> Callable[..., Sequence[Any]]:
        """A function of a call of this form: the tensors that it writes."""
        written = [(i, a) for i, a in enumerate(self.schema.arguments) if a.is_written]
        places = [(i, a.name) for i, a in written]

        def only(*args: Any, **kwargs: Any) -> Sequence[Any]:
            return (args[place] if place < len(args) else kwargs[name],)

        def found(*args: Any, **kwargs: Any) -> Sequence[Any]:
            listed: list[Any] = []
            for place, name in places:
                value = args[place] if place < len(args) else kwargs.get(name)
                listed += value if isinstance(value, (list, tuple)) else (value,)
            return [one for one in listed if one is not None]

        if len(written) == 1 and isinstance(written[0][1].type, Base):
            (place, name), *_ = places
            return only
        return found


def is_writing(schema: Schema) -> bool:
    """Whether a call writes into its arguments."""
    return any(argument.is_written for argument in schema.arguments)


# What operators can have --------------------------------------------------------------------------------------------


def reason_against(schema: Schema) -> str:
    """Why an operator cannot have a schema; "" if it can."""
    for argument in schema.arguments:
        if reason := _reason_against_argument(argument):
            return reason
    if not any(argument.kind.startswith("Tensor") for argument in schema.arguments):
        return "has no tensor among its arguments"
    sets = [name for argument in schema.arguments for alias in aliases(argument.type) for name in alias.before]
    if len(sets) != len(set(sets)):
        return "has written arguments that may be one: give each a letter of its own"
    return _reason_against_results(schema)


def _reason_against_argument(argument: Argument) -> str:
    for alias in aliases(argument.type):
        if not alias.writes:
            return f"has an argument {argument.name} that shares memory: operators return new tensors"
        if alias.before != alias.after or argument.kind not in ("Tensor", "Tensor[]") or _is_list_alias(argument.type):
            return f"has an argument {argument.name} with the alias {alias}: only tensors are written, as Tensor(a!)"
    if argument.kind not in KINDS:
        return f"has an argument {argument.name} of the type {argument.type}, which operators cannot have"
    if keyword.iskeyword(argument.name):
        return f"has an argument {argument.name}, which is a word of Python"
    if isinstance(argument.default, Dtype):
        return f"has an argument {argument.name} whose default is a data type: write ScalarType? with None"
    return ""


def _is_list_alias(kind: Type) -> bool:
    return isinstance(kind, List) and kind.alias is not None


def _reason_against_results(schema: Schema) -> str:
    if is_writing(schema):
        if any(result.type != _TENSOR for result in schema.results):
            return "writes into its arguments, and can return new tensors only: write -> ()"
        return ""
    if not schema.results or any(result.type not in (_TENSOR, Optional(_TENSOR)) for result in schema.results):
        return "must return one or more new tensors, or write into an argument: Tensor(a!)"
    taken = {argument.name for argument in schema.arguments} & {"out", *out_names(schema)}
    if taken:
        return f"has an argument {min(taken)}, which is what its out form calls a result"
    return ""


def reason_against_writes(schema: Schema, writes: Mapping[str, int]) -> str:
    """Why there is no form that writes results into these arguments; "" if there is one."""
    if writes and is_writing(schema):
        return "writes into its arguments by itself, so it cannot have writes"
    kinds = {argument.name: argument.kind for argument in schema.arguments}
    for name, result in writes.items():
        if kinds.get(name) != "Tensor":
            return f"writes into {name}, which is {'no tensor' if name in kinds else 'none of its arguments'}"
        if not 0 <= result < len(schema.results):
            return f"writes result {result} into {name}, but has {len(schema.results)}"
    if len(set(writes.values())) != len(writes):
        return "writes one result into two arguments"
    return ""


# Forms --------------------------------------------------------------------------------------------------------------


def forms_of(schema: Schema, writes: Mapping[str, int]) -> list[Form]:
    """All forms of an operator, that which its author states first."""
    stated = Form("stated", schema)
    if is_writing(schema):
        return [stated]
    out = Form("out", out_form(schema), tuple((name, i) for i, name in enumerate(out_names(schema))))
    in_place = [Form("in_place", written_form(schema, writes), tuple(writes.items()))] if writes else []
    return [stated, out, *in_place]


def out_names(schema: Schema) -> tuple[str, ...]:
    """What the written arguments of the out form are called."""
    count = len(schema.results)
    return ("out",) if count == 1 else tuple(f"out{i}" for i in range(count))


def out_form(schema: Schema) -> Schema:
    """The form that writes into tensors of the caller."""
    written = [
        Argument(name, _written(result.type, i), keyword_only=True)
        for i, (name, result) in enumerate(zip(out_names(schema), schema.results, strict=True))
    ]
    overload = f"{schema.overload}_out" if schema.overload else "out"
    return replace(schema, overload=overload, arguments=(*schema.arguments, *written), results=())


def written_form(schema: Schema, writes: Mapping[str, int]) -> Schema:
    """The form that writes results into arguments, by name, and returns the others."""
    places = {name: i for i, name in enumerate(writes)}
    arguments = tuple(
        replace(one, type=_written(one.type, places[one.name])) if one.name in writes else one
        for one in schema.arguments
    )
    results = tuple(result for i, result in enumerate(schema.results) if i not in writes.values())
    return replace(schema, name=f"{schema.name}_", arguments=arguments, results=results)


def functional_twin(schema: Schema) -> Schema:
    """What a schema that writes would be if it returned what it writes, behind its own results."""

    def unwritten(kind: Type) -> Type:
        if isinstance(kind, Base):
            return replace(kind, alias=None)
        return replace(kind, of=unwritten(kind.of))  # type: ignore[arg-type]  # of an optional: never an optional

    arguments = tuple(replace(one, type=unwritten(one.type)) for one in schema.arguments)
    written = (Result(unwritten(one.type)) for one in schema.arguments if one.is_written)
    name = f"{schema.name.removesuffix('_')}_functional"
    return replace(schema, name=name, arguments=arguments, results=(*schema.results, *written))


def _written(kind: Type, place: int) -> Type:
    own = (chr(ord("a") + place),)
    tensor = Base("Tensor", Alias(own, own, writes=True))
    return Optional(tensor) if isinstance(kind, Optional) else tensor


# The C border -------------------------------------------------------------------------------------------------------


def with_addresses(schema: Schema) -> Schema:
    """The same with addresses in place of texts, as refused calls come."""

    def changed(argument: Argument) -> Argument:
        if argument.kind != "str":
            return argument
        number = Base("int")
        default = (None if argument.is_optional else 0) if argument.has_default else argument.default
        return replace(argument, type=Optional(number) if argument.is_optional else number, default=default)

    return replace(schema, arguments=tuple(map(changed, schema.arguments)))
