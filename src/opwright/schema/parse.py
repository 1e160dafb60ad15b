"""Reads a schema: one method for each rule of the grammar.

    schema    := name ["::" name] ["." name] "(" [argument {"," argument}] ")" "->" results
    argument  := "*" | type name ["=" default]
    results   := result | "(" [result {"," result}] ")"
    result    := type [name]
    type      := base [alias] {"?" | "[" [number] "]" [alias]}
    alias     := "!" | "(" set ["!"] ["->" set] ")"
    set       := "*" | name {"|" name}

In: a text. Out: a `Schema`. Refuses what is no schema, what exists only inside PyTorch (type variables, dictionaries,
tuples, classes, any number of arguments), and what PyTorch would take and then not use as written: an argument without
default after one that has one, two of one name, a star with nothing behind it.
"""

from __future__ import annotations

import difflib
import keyword
from collections.abc import Iterator
from itertools import count, pairwise, product
from string import ascii_lowercase
from typing import NoReturn

from opwright.schema.defaults import EXAMPLES, IN_LISTS, Element, NotAValue, Value, element
from opwright.schema.model import Argument, Result, Schema
from opwright.schema.tokens import END, NAME, NUMBER, SIGN, Token, refuse, tokens
from opwright.schema.types import ANYTHING, BASES, Alias, Base, List, Optional, Type

_AS_PYTORCH = 'write it as PyTorch does: "mylib::scaled(Tensor x, float factor) -> Tensor"'
_SEVERAL = "the results are one type, or several in parentheses: (Tensor, Tensor)"
# Words that PyTorch's own parser keeps for itself: nothing can be called so.
_KEPT = {*keyword.kwlist, "NoneType"} - {
    "async",
    "await",
    "except",
    "finally",
    "from",
    "lambda",
    "nonlocal",
    "try",
    "yield",
}
_INSIDE_PYTORCH = (
    *("Any", "AnyClassType", "AnyEnumType", "AnyListType", "AnyTupleType", "Await", "Dict", "Future", "NoneType"),
    *("QScheme", "RRef", "Storage", "Stream", "SymBool", "SymFloat", "Union", "__torch__", "number"),
)
_MOST_DIGITS = 3  # of the size of a list


def parse(text: str) -> Schema:
    """Reads a schema; raises BadSchema with what is wrong and where."""
    return _Parser(text).schema()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        words = list(tokens(text))
        self._rest = words[::-1]
        used = _names_of_sets(words)
        self._unused = (letter for letter in _letters() if letter not in used)  # for sets that are written as "!"

    # Words ------------------------------------------------------------------------------------------------------

    @property
    def _next(self) -> Token:
        return self._rest[-1]

    def _take(self) -> Token:
        return self._rest.pop() if len(self._rest) > 1 else self._rest[0]

    def _took(self, sign: str) -> bool:
        """Takes a sign, if it is the next word."""
        is_next = self._next.kind == SIGN and self._next.text == sign
        if is_next:
            self._take()
        return is_next

    def _expect(self, sign: str, where: str) -> None:
        if not self._took(sign):
            self._refuse(f"expected {sign!r} {where}, found {self._next.words}")

    def _name(self, what: str) -> Token:
        if self._next.kind != NAME:
            self._refuse(f"expected the name of {what}, found {self._next.words}")
        if self._next.text in _KEPT:
            hint = "PyTorch keeps this word for itself: choose another name"
            self._refuse(f"{what} cannot be called {self._next.text}", hint=hint)
        return self._take()

    def _refuse(self, reason: str, at: Token | None = None, hint: str = _AS_PYTORCH) -> NoReturn:
        refuse(self._text, (at or self._next).start, reason, hint)

    # Rules ------------------------------------------------------------------------------------------------------

    def schema(self) -> Schema:
        space, name = "", self._name("the operator").text
        if self._took("::"):
            space, name = name, self._name("the operator").text
        overload = ""
        if self._took("."):
            token = self._name("an overload")
            overload = token.text
            if overload == "default" or overload.startswith("__"):
                hint = "PyTorch keeps this name for itself: choose another, or leave it out"
                self._refuse(f"an overload cannot be called {overload}", token, hint)
        self._expect("(", "after the name")
        arguments = self._arguments()
        self._expect("->", "after the arguments")
        results = self._results()
        if self._next.kind != END:
            self._refuse(f"unexpected {self._next.words} after the results", hint=_SEVERAL)
        return Schema(space, name, overload, arguments, results)

    def _arguments(self) -> tuple[Argument, ...]:
        found: list[Argument] = []
        star: Token | None = None
        while not self._took(")"):
            if found or star:
                self._expect(",", "between arguments")
            start = self._next
            if self._took("*"):
                if star:
                    self._refuse("there is a second star", start, "arguments after the first are all given by name")
                star = start
                continue
            argument = self._argument(keyword_only=star is not None)
            self._check(found, argument, start)
            found.append(argument)
        if star and not (found and found[-1].keyword_only):
            self._refuse("there is no argument after the star", star, "arguments after it are given by name only")
        return tuple(found)

    def _check(self, before: list[Argument], argument: Argument, start: Token) -> None:
        if any(argument.name == other.name for other in before):
            self._refuse(f"two arguments are called {argument.name}", start, "give one of them another name")
        if before and before[-1].has_default and not argument.has_default and not argument.keyword_only:
            hint = f"give {argument.name} a default as well, or put it in front of {before[-1].name}"
            self._refuse(f"{argument.name} has no default, but {before[-1].name} in front of it has one", start, hint)

    def _argument(self, keyword_only: bool) -> Argument:
        kind = self._type()
        name = self._name("an argument").text
        if not self._took("="):
            return Argument(name, kind, keyword_only=keyword_only)
        return Argument(name, kind, self._default(kind), keyword_only)

    def _results(self) -> tuple[Result, ...]:
        if not self._took("("):
            return (self._result(),)
        found: list[Result] = []
        while not self._took(")"):
            if found:
                self._expect(",", "between results")
            found.append(self._result())
        return tuple(found)

    def _result(self) -> Result:
        kind = self._type()
        return Result(kind, self._name("a result").text if self._next.kind == NAME else "")

    # Types ------------------------------------------------------------------------------------------------------

    def _type(self) -> Type:
        kind: Type = self._base()
        while True:
            start = self._next
            if self._took("?"):
                if isinstance(kind, Optional):
                    self._refuse("a type is optional twice", start, "one question mark is enough")
                kind = Optional(kind)
            elif self._took("["):
                if isinstance(kind, List) and kind.size is not None:
                    self._refuse("a list with a size cannot be in a list", start, "leave the size out")
                size = self._size()
                self._expect("]", "after [ or a size")
                kind = List(kind, size, self._alias())
            else:
                return kind

    def _size(self) -> int | None:
        if not (self._next.kind == NUMBER and self._next.text.isdigit()):
            return None
        if len(self._next.text) > _MOST_DIGITS:
            self._refuse(f"a list cannot have {self._next.text} elements", hint="leave the size out")
        return int(self._take().text)

    def _base(self) -> Base:
        token = self._next
        if token.text == "...":
            self._refuse("'...', any number of values, exists only inside PyTorch")
        if token.text == "(":
            self._refuse("an argument cannot be a tuple", hint="write its parts one by one")
        if token.kind != NAME:
            self._refuse(f"expected a type, found {token.words}")
        if token.text in _INSIDE_PYTORCH:
            self._refuse(f"the type {token.text} exists only inside PyTorch", hint=f"types are {', '.join(BASES)}")
        if token.text not in BASES:
            near = difflib.get_close_matches(token.text, BASES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"types are {', '.join(BASES)}"
            self._refuse(f"there is no type {token.text}", hint=hint)
        return Base(self._take().text, self._alias())

    def _alias(self) -> Alias | None:
        if self._took("!"):
            own = (next(self._unused),)
            return Alias(own, own, writes=True)
        if not self._took("("):
            return None
        before = self._set()
        writes = self._took("!")
        after = self._set() if self._took("->") else before
        self._expect(")", "at the end of an alias")
        return Alias(before, after, writes)

    def _set(self) -> tuple[str, ...]:
        if self._took(ANYTHING):
            return (ANYTHING,)
        names = {self._name("an alias").text}
        while self._took("|"):
            names.add(self._name("an alias").text)
        return tuple(sorted(names))

    # Defaults ---------------------------------------------------------------------------------------------------

    def _default(self, kind: Type) -> Value:
        token = self._next
        if token.text == "None" and isinstance(kind, Optional):
            self._take()
            return None
        if token.text == "None":
            self._refuse(f"None is not a value of {kind}", hint=f"write {kind}? if it may be None")
        own = kind.of if isinstance(kind, Optional) else kind
        if isinstance(own, Base):
            return self._element(own, kind)
        if isinstance(kind, Optional):
            self._refuse(f"the default of {kind} can only be None", hint="PyTorch takes no other: leave it out")
        if not (isinstance(own.of, Base) and own.of.name in IN_LISTS):
            self._refuse(f"{kind} cannot have a default", hint=f"lists of {', '.join(IN_LISTS)} can")
        if self._took("["):
            return self._elements(own.of, kind)
        if own.size is None:
            self._refuse(f"{token.words} is not a value of {kind}", hint="write a list, such as [1, 2]")
        return (self._element(own.of, kind),) * own.size

    def _elements(self, kind: Base, whole: Type) -> tuple[Element, ...]:
        found: list[Element] = []
        while not self._took("]"):
            if found:
                self._expect(",", "between the values of a list")
            found.append(self._element(kind, whole))
        return tuple(found)

    def _element(self, kind: Base, whole: Type) -> Element:
        token = self._next
        try:
            value = element(kind, token)
        except NotAValue as error:
            example = EXAMPLES.get(kind.name)
            hint = (
                f"write, for example, {kind.name} x={example}"
                if example
                else f"{kind.name} has no default but None: write {kind.name}?"
            )
            self._refuse(str(error) or f"{token.words} is not a value of {whole}", hint=hint)
        self._take()
        return value


def _names_of_sets(words: list[Token]) -> set[str]:
    """The names in parentheses, but for those of the arguments and of the results."""
    first = next((i for i, word in enumerate(words) if word.text == "("), len(words))
    found, is_inside = set(), False
    for before, word in pairwise(words[first:]):
        if word.text in ("(", ")"):
            is_inside = word.text == "(" and before.text != "->"
        elif is_inside and word.kind == NAME:
            found.add(word.text)
    return found


def _letters() -> Iterator[str]:
    """a to z, then aa to zz, and so on."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))
