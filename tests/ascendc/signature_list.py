"""The list of signatures in `signatures/`: what Ascend C declares, one line to a form, to hold rows and texts against.

In: `signatures/<chapter>.tsv`. Out: `read`, the lines by call and form; `line_of`, what a row says of a form in the
same words; `wrong_calls`, the calls of a text that no line allows. Nothing is compiled.

Columns: the call and the number of its form; how the text names it (`.Name` is a method, a name without `AscendC::` is
global); its parameters in the order of C++, each with its kind; those between angle brackets; those that C++ takes as
references to variables; on which element types each SoC has it (`-`: not at all); arguments, objects and types together
that a SoC refuses; since which version it is there; on which SoCs it needs the kernel's TPipe, for room, event ids or
itself; and what more its text says:

- `<T, is_set_mask>`: what stands between angle brackets, if anything does; `always`: it never goes without;
- `object`: its name is a type, which has brackets of its own;
- `deduces N`: C++ takes the type of N from its argument, which must say it; `sets N`: the text always sets the field N;
- `includes H`: the header that declares it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

from opwright.ascendc.coverage import variables_of
from opwright.ascendc.cube_rules import Together
from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.object_rules import OfObject
from opwright.ascendc.row import ANY_LENGTH, ARRAY, SIMT, Form, Parameter, Row
from opwright.ascendc.rules import Chosen, OneNumberOf, Range
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTERS
from opwright.ascendc.traits import Becomes, GivesBack, Places, SetsFields
from opwright.ascendc.type_rules import Conversion, Never, OneOf, SameWidth, TypePair

FOLDER = Path(__file__).parent / "signatures"


@dataclass(frozen=True)
class Line:
    """One form of a call."""

    name: str
    form: str
    cpp: str
    parameters: str
    templates: str
    references: str
    ascend910b: str
    ascend910_93: str
    ascend950: str
    refused: str
    since: str
    needs_tpipe: str
    text: str

    @property
    def key(self) -> tuple[str, int]:
        return self.name, int(self.form)


COLUMNS = [field.name for field in fields(Line)]


@cache
def read() -> dict[tuple[str, int], Line]:
    """All lines; two of one form are a mistake."""
    lines: dict[tuple[str, int], Line] = {}
    for chapter in CHAPTERS:
        with (FOLDER / f"{chapter}.tsv").open(encoding="utf-8", newline="") as file:
            for cells in csv.DictReader(file, dialect="excel-tab"):
                line = Line(**cells)
                assert line.key not in lines, line.key
                lines[line.key] = line
    return lines


# What a row says ----------------------------------------------------------------------------------------------


def _kind(parameter: Parameter) -> str:
    """The kind of a parameter, as signatures have it."""
    length = {2: "", 0: "any"}.get(parameter.length, str(parameter.length)) if parameter.kind == ARRAY else ""
    words = (parameter.kind, parameter.made_by, parameter.element, length, parameter.variable)
    return " ".join([parameter.name, *filter(None, words)])


def named(row: Row, form: Form) -> str:
    """How the text names a call."""
    if row.is_method:
        return f".{row.cpp}"
    if spelled := re.match(r"[*]?([\w:]+)", form.text):
        return spelled[1]
    return row.cpp if row.space == SIMT else f"AscendC::{row.cpp}"


def _arguments(form: Form) -> tuple[list[str], list[str]]:
    """The parameters between brackets and between angle brackets, in the order of the text."""
    before, bracket, behind = form.text.partition("(")
    by_name = {one.name: one for one in form.parameters}
    if bracket:
        within = [part for part in _parts(behind.rpartition(")")[0]) if part != "{out}"]
        named = [re.search(r"{(\w+)}", part) for part in within]
        kinds = [_kind(by_name[one[1]]) if one else f"= {part}" for one, part in zip(named, within, strict=True)]
        return kinds, [
            _kind(by_name[name]) for name in re.findall(r"{(\w+)}", before) if name in by_name.keys() - {"self"}
        ]
    sets = form.get(SetsFields) or SetsFields()
    there = [one for one in form.in_text if one.name != "self" and one.name not in sets.fields]
    # Before an array of any length stands how many numbers it has.
    kinds = [kind for one in there if not one.template for kind in [*_length(one), _kind(one)]]
    return kinds, [_kind(one) for one in there if one.template]


def _length(parameter: Parameter) -> list[str]:
    return [f"{parameter.name}_length uint32"] * (parameter.kind == ARRAY and parameter.length == ANY_LENGTH)


def _types(row: Row, form: Form, soc: str) -> str:
    """The element types on a SoC: `T=float16 float32; U=uint8`."""
    if soc in row.not_on(form):
        return "-"
    kinds = row.dtypes_of(form)
    own = [name for name in kinds if name in variables_of(form)]
    return "; ".join(
        f"{name}={' '.join(one for one in ELEMENTS if one in kinds[name].by_soc[soc])}" for name in sorted(own)
    )


# Rules about what a call is given. Those about where its tensors lie are no part of a signature.
_OF_ARGUMENTS = (Never, Chosen, Range, OneOf, OneNumberOf, OfObject, TypePair, SameWidth)
_OF_TYPES = (Together, Conversion)


def _refused(form: Form) -> str:
    """Arguments, objects and types together that a SoC refuses, or all of them."""
    said = [rule.sentence for rule in form.rules if isinstance(rule, _OF_ARGUMENTS)]
    return "; ".join([*said, *(_together(rule) for rule in form.rules if isinstance(rule, _OF_TYPES))])


def _together(rule: Together | Conversion) -> str:
    """The types that go together on each SoC: `src dst: int32 float16 on ascend910b ascend950, ...`."""
    if isinstance(rule, Together):
        names = (*rule.others, rule.operand)
        taken = {soc: list(map(" ".join, types)) for soc, types in rule.by_soc.items()}
    else:
        names = (rule.source, rule.target, rule.operand)
        taken = {
            soc: [f"{' '.join(pair)} {'/'.join(mode.name for mode in modes)}" for pair, modes in pairs.items()]
            for soc, pairs in rule.modes.items()
        }
    socs: dict[str, list[str]] = {}
    for soc, all_types in taken.items():
        for types in all_types:
            socs.setdefault(types, []).append(soc)
    return f"{' '.join(names)}: " + ", ".join(f"{types} on {' '.join(on)}" for types, on in socs.items())


def _text(row: Row, form: Form, templates: list[str]) -> str:
    """What more the text says."""
    spelled = re.match(r"(?!\w+_cast)[^(<]*<([^(]*)>", form.text)
    between = [part.strip("{}") for part in _parts(spelled[1])] if spelled else [one.split()[0] for one in templates]
    if between and not (spelled or row.is_method or row.space == SIMT):
        kinds = sorted({one.variable for one in form.parameters if one.is_tensor})
        between = [*(form.types or kinds), *between]
    chosen = {rule.operand for rule in form.rules if isinstance(rule, Chosen)}
    if not form.spells_all and {one.split()[0] for one in templates} <= chosen and not spelled:
        between = []  # nothing is left to choose, so that C++ need not have it
    if row.makes:
        between = ["object"]
    elif between:
        between = [f"<{', '.join(between)}>", *["always"] * bool(spelled or form.spells_all)]
    more = (
        ("deduces", form.deduced),
        ("sets", (form.get(SetsFields) or SetsFields()).always),
        ("includes", filter(None, [row.header])),
    )
    return "; ".join([*between, *(f"{word} {name}" for word, names in more for name in names)])


def line_of(row: Row, number: int) -> Line:
    """A form in the words of the list."""
    form = row.forms[number]
    plain, templates = _arguments(form)
    changed = [one.operand for one in (form.get(Becomes), form.get(Places)) if one]
    references = (*form.lvalues, *changed)
    given = form.get(GivesBack)
    return Line(
        row.name,
        str(number),
        named(row, form),
        ", ".join([*plain, *(f"{kind}&" for kind in (given.types if given else ()))]),
        ", ".join(templates),
        " ".join(references),
        *(_types(row, form, soc) for soc in SOCS),
        _refused(form),
        "; ".join(f"{name or 'all'} {version}" for name, version in form.since.items()),
        " ".join(soc for soc in SOCS if soc in form.needs_tpipe),
        _text(row, form, templates),
    )


def disagreements(row: Row, lines: Mapping[tuple[str, int], Line]) -> list[str]:
    """Where a row and the list differ, each with the column."""
    found = [
        f"{row.name} {key[1]}: the row lacks it" for key in lines if key[0] == row.name and key[1] >= len(row.forms)
    ]
    for number in range(len(row.forms)):
        own, listed = line_of(row, number), lines.get((row.name, number))
        if listed is None:
            found.append(f"{row.name} {number}: the list lacks it; look it up and write: {chr(9).join(astuple(own))}")
            continue
        found += [
            f"{row.name} {number}: {column} is {said!r}, the list has {right!r}"
            for column, said, right in zip(COLUMNS, astuple(own), astuple(listed), strict=True)
            if said != right
        ]
    return found


# What a text says ---------------------------------------------------------------------------------------------

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_COMMENT = re.compile(r"//.*")
# Words before a bracket that are no calls.
_NO_CALLS = frozenset(
    "if for while switch return sizeof static_cast reinterpret_cast __attribute__ __launch_bounds__".split()
)
_CALL = re.compile(r"(?P<name>(?:AscendC::(?:\w+::)*|[.]|\b)[A-Za-z_]\w*)(?P<types><)?")
_DEFINED = re.compile(r"(?<!return)(?<!else)[\w>&*] (\w+)\(")  # functions and variables of the text
# Types of the language and of the compiler, members of structs of the text, and what tests fill memories with in C++.
_OTHERS = frozenset(
    "half float int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t bfloat16_t bool "
    "__builtin_nanf __builtin_huge_valf assert dim3 const_cast asc_vf_call printf ub_pointer gm_pointer "
    "__builtin_memcpy __builtin_memset current_core".split()
)


def _steps(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Each place with how many brackets are open behind it. Operators have spaces around them, angle brackets none."""
    depth = 0
    for at in range(start, len(text)):
        char, before = text[at], text[max(at - 1, 0) : at]
        depth += char in "([{" or (char == "<" and before not in ("", " ", "<"))
        before = text[max(at - 2, 0) : at - 1] if before == ">" else before  # of both of >>
        depth -= char in ")]}" or (char == ">" and before not in ("", " ", "-"))
        yield at, depth


def _closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`."""
    return next(at for at, depth in _steps(text, start) if depth == 0) + 1


@cache
def _parts(text: str) -> tuple[str, ...]:
    """Arguments between brackets."""
    cuts = [at for at, depth in _steps(text, 0) if depth == 0 and text[at] == ","]
    parts = [text[begin:end].strip() for begin, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, None], strict=True)]
    return tuple(parts) if parts != [""] else ()


@dataclass(frozen=True)
class Call:
    """A call of a text."""

    name: str
    templates: tuple[str, ...]
    arguments: tuple[str, ...]


def calls_of(text: str) -> Iterator[Call]:
    """Every call: a name, perhaps types, and brackets; also variables that are made by a constructor."""
    text = _COMMENT.sub("", _STRING.sub('""', text))
    for found in _CALL.finditer(text):
        at, templates = found.end(), ()
        if found["types"]:
            at = _closing(text, at - 1)
            templates = _parts(text[found.end() : at - 1])
        is_made = found["name"].startswith("AscendC::") and re.match(r" \w+\(", text[at:])
        at += is_made.end() - 1 if is_made else 0
        if text[at : at + 1] == "(":
            end = _closing(text, at)
            if not (is_made and text[end : end + 2] == " {"):  # a helper that gives such an object back
                yield Call(found["name"], templates, _parts(text[at + 1 : end - 1]))


def _takes(line: Line, call: Call) -> str:
    """Why a line does not allow a call, or ""."""
    kinds = _parts(line.parameters)
    has_rest = any(kind.split()[1:] == ["rest"] for kind in kinds)
    least = len(kinds) - has_rest
    if len(call.arguments) != least and not (has_rest and len(call.arguments) >= least):
        return f"takes {least} arguments"
    said = line.text.split("; ")
    if "object" not in said:
        between = _parts(said[0][1:-1]) if said[0].startswith("<") else ()
        if "always" in said and not call.templates:
            return "must have its types and templates"
        if call.templates and len(call.templates) != len(between):
            return f"has {len(between)} types and templates"
    numbers = {kind.split()[0]: argument for kind, argument in zip(kinds, call.arguments, strict=False)}
    for word in said:
        if word.startswith("deduces ") and re.fullmatch(r"-?\d+", numbers[word.split()[1]]):
            return f"takes the type of {word.split()[1]} from its argument"
    for reference in line.references.split():
        number = next((at for at, kind in enumerate(kinds) if kind.split()[0] == reference), None)
        if number is not None and not re.fullmatch(r"\w+(\.\w+)*", call.arguments[number]):
            return f"takes a variable for {reference}"
    masks = [at for at, kind in enumerate(kinds) if kind in ("mask uint64", "mask array uint64")]
    if any(call.arguments[at] == "0" for at in masks):
        return "takes a mask of 0 for a pointer"
    return ""


@cache
def by_name() -> dict[str, list[Line]]:
    """The lines by how texts name them."""
    named: dict[str, list[Line]] = {}
    for line in read().values():
        named.setdefault(line.cpp, []).append(line)
    return named


_ENUMS = frozenset(spelled for enum in ENUMS.values() for spelled in (enum.cpp, enum.cpp.removesuffix("::")))


def wrong_calls(text: str) -> list[str]:
    """The calls of a text that no line allows."""
    own = {*_DEFINED.findall(text), *_NO_CALLS, *_OTHERS}
    found = []
    for call in calls_of(text):
        if call.name.removeprefix("AscendC::") in own or call.name in _ENUMS:
            continue
        listed = by_name().get(call.name)
        if listed is None:
            found.append(f"{call.name} is in no line of the list")
            continue
        why = [_takes(line, call) for line in listed]
        if all(why):
            nearest = next((one for one in why if not one.endswith("arguments")), why[0])
            found.append(f"{call.name}({', '.join(call.arguments)}): {nearest}")
    return found
