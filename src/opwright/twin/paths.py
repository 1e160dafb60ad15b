"""Writes the C++ functions that stand for several forms, which differ in the memories of their tensors only.

In: the forms of a chapter that name memories or structs of the matrix unit, or share their C++ parameters with one that
does, each with the function that headers.py made of it. Out: the text: every form as a function of the namespace
`paths`, and one function for all of them that looks where its tensors lie; what is left of them without that unit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.row import MEMORIES_OF_KIND, Form
from opwright.ascendc.table import CHAPTER_OF
from opwright.twin.wrappers import Wrapper, declared_name


def is_of_matrix(chapter: str) -> bool:
    """Whether the calls and structs of a chapter are the matrix unit's."""
    return chapter.startswith("cube_")


@dataclass(frozen=True, eq=False)
class Path:
    """One form, and the C++ function that would be its own."""

    form: Form
    wrapper: Wrapper

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for forms that C++ cannot tell apart."""
        wrapper = self.wrapper
        return wrapper.name, wrapper.templates, tuple(map(_kind, wrapper.parameters))

    @property
    def is_of_matrix(self) -> bool:
        """Whether the form names a memory that an AIC has, or has tensors and a struct of the matrix unit."""
        kinds = {one.kind for one in self.form.parameters} & MEMORIES_OF_KIND.keys()
        structs = {CHAPTER_OF[one.made_by] for one in self.form.parameters if one.made_by}
        return bool(kinds - {"ub"}) or (bool(kinds) and any(map(is_of_matrix, structs)))


def groups(paths: Sequence[Path]) -> list[list[Path]]:
    """Forms that one function must serve together; forms with a function of their own are left out."""
    alike: dict[tuple[object, ...], list[Path]] = {}
    for path in paths:
        alike.setdefault(path.key, []).append(path)
    return [group for group in alike.values() if any(path.is_of_matrix for path in group)]


def render(together: Sequence[Sequence[Path]]) -> list[str]:
    """The functions: those of all paths, then those that choose one."""
    if not together:
        return []
    named = [_named(group, number) for number, group in enumerate(together)]
    functions = "\n".join(dict.fromkeys(path.wrapper.text() for group in named for path in group))
    choices = [_choice(group, own) for group, own in zip(together, named, strict=True)]
    return [f"namespace paths {{\n\n{functions}\n}}  // namespace paths\n", *choices]


def without_matrix(together: Sequence[Sequence[Path]]) -> list[str]:
    """What is left of the functions where there is no matrix unit: all tensors lie in UB, and nothing is to choose."""
    return [path.wrapper.text() for group in together for path in group if not path.is_of_matrix]


def _named(group: Sequence[Path], number: int) -> list[Path]:
    """The same with names of their own; those that do the same have one."""
    wrappers = [path.wrapper for path in group]
    names = [f"{wrapper.name}_{number}_{wrappers.index(wrapper)}" for wrapper in wrappers]
    return [replace(path, wrapper=replace(path.wrapper, name=name)) for path, name in zip(group, names, strict=True)]


def _choice(group: Sequence[Path], named: Sequence[Path]) -> str:
    """The function that looks where its tensors lie."""
    first = group[0]
    locals_ = [number for number, one in enumerate(first.form.parameters) if one.kind in MEMORIES_OF_KIND]
    tensors = ", ".join(first.form.parameters[number].name for number in locals_)
    memories = ", ".join(
        "{" + ", ".join(_bits(path.form.parameters[number].kind) for number in locals_) + "}" for path in group
    )
    lines = [
        f"constexpr uint32_t operands[] = {{{', '.join(map(str, locals_))}}};",
        f"constexpr uint32_t memories[][{len(locals_)}] = {{{memories}}};",
    ]
    types = ", ".join(declared_name(template) for template in first.wrapper.templates)
    arguments = ", ".join(declared_name(parameter) for parameter in first.wrapper.parameters)
    for number, path in enumerate(named):
        called = f"paths::{path.wrapper.name}{f'<{types}>' if types else ''}({arguments})"
        lines += [
            f"if constexpr ({' && '.join([f'opwright::may_lie(memories[{number}])', *_elements(path.form)])}) {{",
            f"    if (opwright::lie(memories[{number}], {tensors})) return {called};",
            "}",
        ]
    lines.append(f"opwright::fail_memory(line, memories, operands, {tensors});")
    return replace(first.wrapper, inline="OPWRIGHT_INLINE").around(lines)


def _bits(kind: str) -> str:
    return " | ".join(f"opwright::bit(opwright::Memory::{memory})" for memory in MEMORIES_OF_KIND[kind])


def _kind(declaration: str) -> str:
    """The type of a parameter: its declaration without name and default."""
    return re.sub(rf"\b{declared_name(declaration)}\b", "", declaration.partition(" = ")[0])


def _elements(form: Form) -> list[str]:
    """Tests of the element types, where a form has its own: other paths need not compile for them."""
    tests = []
    for variable, kinds in form.dtypes.items():
        names = dict.fromkeys(name for names in kinds.by_soc.values() for name in names)
        types = ", ".join(dict.fromkeys(ELEMENTS[name].cpp for name in names))
        tests.append(f"opwright::is_one_of<{variable}, {types}>")
    return tests
