"""Writes the C++ functions of a chapter, and once what several of them have in common.

In: `Wrapper`, a function as headers.py makes it from one form of a row. Out: their text. Calls that differ only in what
one element becomes share a function that tests and issues, so that a chapter of thirty calls stays short to read and to
compile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LEAST = 8  # lines that a common function must save: it has a head and an end of its own


@dataclass(frozen=True)
class Wrapper:
    """One function: what comes before `issue`, what is issued, what comes after."""

    inline: str
    result: str
    name: str
    templates: tuple[str, ...]
    parameters: tuple[str, ...]
    before: tuple[str, ...]
    returns: str  # before the call of `issue`: "return ", "out = " or nothing
    pipe: str
    arguments: str  # of the body
    statement: str  # of the body
    operands: str
    after: tuple[str, ...] = ()
    may_share: bool = True  # the body needs nothing that `before` makes
    issue: str = "issue"  # the C++ function that takes it

    @property
    def body(self) -> str:
        """What is issued. Template parameters are constants; all else is captured by value, so that it can wait."""
        return f"[=]({self.arguments}) {{\n        {self.statement}\n    }}"

    def text(self) -> str:
        """The function with everything in it."""
        issue = f"{self.returns}opwright::{self.issue}(at, {self.pipe}, {self.body}{self.operands});"
        return self.around([*self.before, issue, *self.after])

    def around(self, lines: Sequence[str]) -> str:
        """The head of the function with other lines in it."""
        head = f"template <{', '.join(self.templates)}>\n" if self.templates else ""
        inside = "".join(f"    {line}\n" for line in lines)
        return f"{head}{self.inline} {self.result} {self.name}({', '.join(self.parameters)}) {{\n{inside}}}\n"


def render(chapter: str, wrappers: Sequence[Wrapper]) -> list[str]:
    """The functions of a chapter, those that they share first."""
    alike: dict[tuple[object, ...], list[Wrapper]] = {}
    for wrapper in wrappers:
        alike.setdefault(_key(wrapper), []).append(wrapper)
    groups = [group for group in alike.values() if (len(group) - 1) * len(group[0].before) > _LEAST]
    commons = [_Common(f"{chapter}_{number}", group) for number, group in enumerate(groups)]
    by_wrapper = {id(wrapper): common for common in commons for wrapper in common.group}
    shared = "\n".join(common.text() for common in commons)
    functions = [
        by_wrapper[id(wrapper)].call(wrapper) if id(wrapper) in by_wrapper else wrapper.text() for wrapper in wrappers
    ]
    return [*([f"namespace shared {{\n\n{shared}\n}}  // namespace shared\n"] if commons else []), *functions]


def _key(wrapper: Wrapper) -> tuple[object, ...]:
    """Equal for functions that one function can serve."""
    if not wrapper.may_share:
        return (id(wrapper),)
    passed = tuple(_passed(wrapper))
    return (wrapper.templates, passed, wrapper.before, wrapper.pipe, wrapper.issue, wrapper.operands, wrapper.after)


def _passed(wrapper: Wrapper) -> list[str]:
    """The parameters that the common part looks at, without their defaults."""
    said = " ".join((*wrapper.before, *wrapper.after))
    plain = [parameter.partition(" = ")[0] for parameter in wrapper.parameters]
    return [parameter for parameter in plain if re.search(rf"\b{declared_name(parameter)}\b", said)]


def declared_name(declaration: str) -> str:
    """The name that a declaration of a parameter declares: `const uint64_t (&mask)[2]` declares mask."""
    plain = declaration.partition(" = ")[0]
    array = re.search(r"\(&(\w+)\)", plain)
    return array.group(1) if array else re.findall(r"\w+", plain)[-1]


class _Common:
    """What several functions have in common. What they issue is an argument of it."""

    def __init__(self, name: str, group: Sequence[Wrapper]) -> None:
        self.name = name
        self.group = group
        first = group[0]
        values = [template.partition(" = ")[0] for template in first.templates if "typename" not in template]
        self.values = [declared_name(value) for value in values]
        self.templates = (*values, *(one for one in first.templates if "typename" in one), "typename Body")

    def text(self) -> str:
        first = self.group[0]
        issue = f"opwright::{first.issue}(at, {first.pipe}, body{first.operands});"
        names = ", ".join(wrapper.name for wrapper in self.group)
        shared = Wrapper(
            "OPWRIGHT_INLINE", "void", self.name, self.templates, (*_passed(first), "Body body"), (), "", "", "", "", ""
        )
        return f"// {names}.\n{shared.around([*first.before, issue, *first.after])}"

    def call(self, wrapper: Wrapper) -> str:
        values = f"<{', '.join(self.values)}>" if self.values else ""
        arguments = ", ".join(declared_name(parameter) for parameter in _passed(wrapper))
        return wrapper.around([f"shared::{self.name}{values}({arguments}, {wrapper.body});"])
