"""A schema as data: names, arguments, results, and its text.

In: parts, from `parse` or from another schema by `dataclasses.replace`. Out: the canonical text by `str`, which `parse`
reads back to an equal schema, and the arguments of a call in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from opwright.schema.defaults import Value, written
from opwright.schema.types import Optional, Type, aliases, plain


class Required:
    """The default of an argument that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = Required()
Default: TypeAlias = Value | Required


@dataclass(frozen=True)
class Argument:
    """One argument."""

    name: str
    type: Type
    default: Default = REQUIRED
    keyword_only: bool = False

    @property
    def has_default(self) -> bool:
        return not isinstance(self.default, Required)

    @cached_property
    def is_optional(self) -> bool:
        """Whether it may be None."""
        return isinstance(self.type, Optional)

    @cached_property
    def kind(self) -> str:
        """The type of what is given if it is not None: "Tensor", "int[]"."""
        return plain(self.type.of if isinstance(self.type, Optional) else self.type)

    @cached_property
    def is_tensor(self) -> bool:
        return self.kind == "Tensor"

    @cached_property
    def is_written(self) -> bool:
        """Whether a call writes into it."""
        return any(alias.writes for alias in aliases(self.type))

    def __str__(self) -> str:
        default = "" if isinstance(self.default, Required) else f"={written(self.default)}"
        return f"{self.type} {self.name}{default}"


@dataclass(frozen=True)
class Result:
    """One result; most have no name."""

    type: Type
    name: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}".rstrip()


@dataclass(frozen=True)
class Schema:
    """`space::name.overload(arguments) -> results`; space and overload may be empty."""

    space: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]

    def __str__(self) -> str:
        return f"{self.space}::{self.text}" if self.space else self.text

    @property
    def text(self) -> str:
        """The text without the namespace."""
        listed = [str(argument) for argument in self.arguments]
        first = next((i for i, argument in enumerate(self.arguments) if argument.keyword_only), None)
        if first is not None:
            listed.insert(first, "*")
        results = ", ".join(map(str, self.results))
        results = results if len(self.results) == 1 else f"({results})"
        overload = f".{self.overload}" if self.overload else ""
        return f"{self.name}{overload}({', '.join(listed)}) -> {results}"

    @property
    def qualified(self) -> str:
        """The name with the namespace, and with that of the overload."""
        name = f"{self.name}.{self.overload}" if self.overload else self.name
        return f"{self.space}::{name}" if self.space else name

    def split(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """All arguments as those by place and those by name."""
        pairs = list(zip(self.arguments, values, strict=True))
        by_place = [value for argument, value in pairs if not argument.keyword_only]
        return by_place, {argument.name: value for argument, value in pairs if argument.keyword_only}

    def complete(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments in order: a caller may leave out those that have their default."""
        if not kwargs and len(args) == len(self._defaults):
            return tuple(args)
        given = {**dict(zip(self._defaults, args, strict=False)), **kwargs}
        return tuple(given.get(name, default) for name, default in self._defaults.items())

    @cached_property
    def _defaults(self) -> dict[str, Value]:
        """By name, None for an argument that has none."""
        return {a.name: None if isinstance(a.default, Required) else a.default for a in self.arguments}
