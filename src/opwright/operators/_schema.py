"""The schema of an operator and of its forms.

In: a schema as PyTorch writes it. Out: `Schema`: its arguments, and the texts of the forms that write into a tensor
given by the caller. Refuses an argument type that the C border cannot carry, and anything that aliases or writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

# Letters of the border in C++ (native/torch/adapter.cpp); upper case: may be absent.
_KINDS = {"Tensor": "t", "int": "i", "float": "f", "str": "s", "List[int]": "l", "bool": "i"}
_DTYPE = "d"  # the parser calls it an int


@dataclass(frozen=True)
class Argument:
    """One argument: its name, its letter at the border, and its default if it has one."""

    name: str
    kind: str
    text: str  # as in the schema
    has_default: bool
    default: Any
    keyword_only: bool

    @property
    def is_tensor(self) -> bool:
        return self.kind in "tT"


@dataclass(frozen=True)
class Schema:
    """A parsed schema: `space::name(arguments) -> results`."""

    space: str
    name: str
    arguments: tuple[Argument, ...]
    results: int

    @property
    def qualified(self) -> str:
        return f"{self.space}::{self.name}"

    @property
    def kinds(self) -> str:
        """The letters of all arguments."""
        return "".join(argument.kind for argument in self.arguments)

    @property
    def out_names(self) -> tuple[str, ...]:
        """What the written arguments of the out form are called."""
        return ("out",) if self.results == 1 else tuple(f"out{i}" for i in range(self.results))

    def functional(self, name: str) -> str:
        """The schema of the form that returns new tensors."""
        result = "Tensor" if self.results == 1 else f"({', '.join(['Tensor'] * self.results)})"
        return f"{name}({self._listed([a.text for a in self.arguments])}) -> {result}"

    def out(self, name: str) -> str:
        """The schema of the form that writes into tensors of the caller."""
        texts = [argument.text for argument in self.arguments]
        star = [] if any(a.keyword_only for a in self.arguments) else ["*"]
        written = [f"Tensor({chr(ord('a') + i)}!) {out}" for i, out in enumerate(self.out_names)]
        return f"{name}({self._listed([*texts, *star, *written])}) -> ()"

    def in_place(self, name: str) -> str:
        """The schema of the form that writes into its first argument."""
        first, *others = self.arguments
        return f"{name}({self._listed([f'Tensor(a!) {first.name}', *(a.text for a in others)])}) -> ()"

    def with_addresses(self) -> Schema:
        """The same with addresses in place of texts, as refused calls come."""

        def changed(argument: Argument) -> Argument:
            if argument.kind not in "sS":
                return argument
            kind, default = ("int?", "=None") if argument.kind == "S" else ("int", "=0")
            return replace(argument, text=f"{kind} {argument.name}{default if argument.has_default else ''}")

        return replace(self, arguments=tuple(map(changed, self.arguments)))

    def _listed(self, texts: Sequence[str]) -> str:
        parts = list(texts)
        first = next((i for i, a in enumerate(self.arguments) if a.keyword_only), None)
        if first is not None:
            parts.insert(first, "*")
        return ", ".join(parts)

    def split(self, values: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """All arguments as those by place and those by name."""
        pairs = list(zip(self.arguments, values, strict=True))
        by_place = [value for argument, value in pairs if not argument.keyword_only]
        return by_place, {argument.name: value for argument, value in pairs if argument.keyword_only}

    def complete(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments in order: the dispatcher leaves out those that have their default."""
        given = dict(zip((a.name for a in self.arguments), args, strict=False))
        given.update(kwargs)
        return tuple(given.get(a.name, a.default) for a in self.arguments)


def parse_schema(text: str) -> Schema:
    """Reads a schema; raises ValueError with what is wrong with it."""
    try:
        parsed = torch._C.parse_schema(text)
    except RuntimeError as error:
        raise ValueError(f"has a schema that cannot be read: {str(error).strip().splitlines()[0]}") from None
    space, _, name = parsed.name.rpartition("::")
    texts = _argument_texts(text)
    arguments = []
    for argument, own in zip(parsed.arguments, texts, strict=True):
        if argument.alias_info is not None:
            raise ValueError(f"has an argument {argument.name} with an alias: state the form that returns new tensors")
        arguments.append(
            Argument(
                argument.name,
                _kind_of(argument, own),
                own,
                argument.has_default_value(),
                argument.default_value if argument.has_default_value() else None,
                argument.kwarg_only,
            )
        )
    if not parsed.returns or any(str(r.type) != "Tensor" or r.alias_info is not None for r in parsed.returns):
        raise ValueError("must return one or more new tensors")
    if parsed.overload_name:
        raise ValueError("has an overload name; its forms are made for it")
    return Schema(space, name, tuple(arguments), len(parsed.returns))


def _kind_of(argument: Any, text: str) -> str:
    if text.startswith("ScalarType"):
        return _DTYPE.upper() if text.startswith("ScalarType?") else _DTYPE
    kind = str(argument.type)
    optional = kind.startswith("Optional[")
    kind = kind.removeprefix("Optional[").removesuffix("]") if optional else kind
    if kind not in _KINDS:
        raise ValueError(f"has an argument {argument.name} of the type {kind}, which operators cannot have")
    return _KINDS[kind].upper() if optional else _KINDS[kind]


def _argument_texts(text: str) -> list[str]:
    """The arguments as they are written, without the star."""
    inside = text[text.index("(") + 1 : text.rindex(") ->")]
    parts, depth, start, quote = [], 0, 0, ""
    for i, character in enumerate(inside):
        if quote or character in "'\"":  # in the default of a text anything may stand
            quote = "" if character == quote else quote or character
            continue
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append(inside[start:i])
            start = i + 1
    parts.append(inside[start:])
    return [part.strip() for part in parts if part.strip() not in ("", "*")]
