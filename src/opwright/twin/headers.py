"""Renders the C++ that follows from the table: one wrapper per form of a call, and which chapters a text includes.

In: the table. Out: file name (relative to `GENERATED`) -> text, written by `tools/generate.py`. A wrapper tests the
row's rules, states the footprints and goes through `issue`; what it means is the row's own expression or function.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Mapping

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import (
    ARRAY,
    LOCALS,
    MASK,
    REQUIRED,
    SIMT,
    Access,
    Each,
    Form,
    Function,
    Parameter,
    Row,
    parse_parameter,
)
from opwright.ascendc.socs import A5
from opwright.ascendc.table import CHAPTER_OF, CHAPTERS, ROWS
from opwright.ascendc.traits import GivesBack, SetsFields, WaitsForCores
from opwright.twin import paths, shared_headers
from opwright.twin.build import CHOSEN, INCLUDE
from opwright.twin.shared_headers import NOTE
from opwright.twin.wrappers import Wrapper
from opwright.twin.wrappers import render as render_wrappers

GENERATED = INCLUDE / "opwright" / "generated"
_FROM_CHAPTERS = "the chapters of opwright/ascendc"
_MATRIX = "OPWRIGHT_MATRIX"  # a macro: some core has the matrix unit, or a text names what is made for it


def render() -> dict[str, str]:
    """All generated headers."""
    return {
        **shared_headers.render(),
        **{f"calls/{chapter}.h": _chapter(chapter, CHAPTERS[chapter]) for chapter in _wrapped()},
        "chapters.h": _chapters(),
        "simt_chapters.h": _simt_chapters(),
        "simt_declared.h": _declared_for_threads(),
    }


def _wrapped() -> list[str]:
    """Chapters whose calls go through `issue`; the C++ of those of threads is written by hand."""
    return [chapter for chapter, rows in CHAPTERS.items() if not any(row.space == SIMT for row in rows)]


def _chapters() -> str:
    """What `kernel_operator.h` includes: all chapters, or those that the build asks for, see `build.chapter_flags`."""
    includes = _if_chosen({chapter: f"calls/{chapter}.h" for chapter in _wrapped()})
    reasons = [f"{CHOSEN}_{chapter}" for chapter in CHAPTERS if paths.is_of_matrix(chapter)]
    reasons = [f"defined({reason})" for reason in ("OPWRIGHT_AIC", "OPWRIGHT_BOTH_KINDS", *reasons)]
    matrix = f"#if {' || '.join([f'!defined({CHOSEN})', *reasons])}\n#define {_MATRIX}\n#endif\n"
    mixed = "#define OPWRIGHT_MIXED  // a text with threads that includes this has cores too\n"
    return f"{NOTE.format(source=_FROM_CHAPTERS)}\n{mixed}{matrix}\n{includes}"


def _simt_chapters() -> str:
    """The headers, by hand, of the calls of threads; those of the chapter `simt` are in every text with threads."""
    names = [name for name in CHAPTERS if name not in _wrapped() and (INCLUDE / "opwright" / f"{name}.h").exists()]
    includes = _if_chosen({chapter: f"../{chapter}.h" for chapter in names if chapter != SIMT})
    return f"{NOTE.format(source=_FROM_CHAPTERS)}\n{includes}"


def _if_chosen(headers: dict[str, str]) -> str:
    """Includes the header of every chapter that a text asks for."""
    return "".join(
        f'#if !defined({CHOSEN}) || defined({CHOSEN}_{chapter})\n#include "{header}"\n#endif\n'
        for chapter, header in headers.items()
    )


def _declared_for_threads() -> str:
    """Every call of threads as public texts declare it, for the strict check: overloads, not templates."""
    lines = []
    for row in ROWS.values():
        for form in row.forms:
            if row.space != SIMT or row.fields or form.text or row.effect == "object":
                continue
            kinds = row.dtypes_of(form)
            for names in itertools.product(*(types.by_soc[A5[0]] for types in kinds.values())):
                types = {variable: DTYPES[name].cpp for variable, name in zip(kinds, names, strict=True)}
                parameters = ", ".join(_declared_kind(parameter, types) for parameter in form.in_text)
                returns = _declared_kind(parse_parameter(f"result: {form.result}"), types) if form.result else "void"
                lines.append(f"__simt_callee__ {returns} {row.cpp}({parameters});\n")
    note = NOTE.format(source=_FROM_CHAPTERS)
    return f'{note}\n#include "../half.h"\n\n{"".join(dict.fromkeys(lines))}'


def _declared_kind(parameter: Parameter, types: Mapping[str, str]) -> str:
    """The C++ type of a parameter or a result."""
    match parameter.kind:
        case "address" | "ub_address":
            return f"opwright::{'Gm' if parameter.kind == 'address' else 'Ub'}<{types[parameter.variable]}>"
        case "predicate":
            return "int32_t"
        case "number" | "scalar":
            return types[parameter.variable]
        case kind:
            return DTYPES[kind].cpp if kind in DTYPES else kind


def _chapter(chapter: str, rows: tuple[Row, ...]) -> str:
    own = (INCLUDE / "opwright" / f"{chapter}.h").exists()
    structs = [_struct(row) for row in rows if _is_struct(row)]
    made = [paths.Path(form, _wrapper(row, form)) for row in rows for form in row.forms if form.meaning]
    together = paths.groups(made)
    chosen = {id(path) for group in together for path in group}
    functions = [path.wrapper for path in made if id(path) not in chosen]
    choices, alone = paths.render(together), paths.without_matrix(together)
    of_matrix = ["../../paths"] if together else []
    others = _chapters_of_objects(chapter, rows)
    if alone:
        of_matrix = [*filter(paths.is_of_matrix, others), *of_matrix]
        others = [other for other in others if other not in of_matrix]
        choices = [f"#ifdef {_MATRIX}\n", *choices, "#else\n", *alone, "#endif\n"]
    wrappers = "\n".join([*structs, *render_wrappers(chapter, functions), *choices])
    space = f"\nnamespace AscendC {{\n\n{wrappers}\n}}  // namespace AscendC\n" if wrappers else ""
    steps = any(access.strides or MASK in form.named for row in rows for form in row.forms for access in form.accesses)
    include = _include([f"../../{chapter}"] if own and chapter != "tensor" else [])
    include += _include([*others, *(["../../repeat"] if steps else [])])
    include += f"#ifdef {_MATRIX}\n{_include(of_matrix)}#endif\n" if alone else _include(of_matrix)
    note = NOTE.format(source=f"opwright/ascendc/{chapter}.py")
    return f'{note}\n{include}#include "../../tensor.h"\n{_shared_functions(rows)}{space}'


def _include(names: list[str]) -> str:
    return "".join(f'#include "{name}.h"\n' for name in names)


def _chapters_of_objects(chapter: str, rows: tuple[Row, ...]) -> list[str]:
    """The other chapters whose classes the functions of a chapter take."""
    forms = [form for row in rows for form in row.forms if form.meaning]
    made_by = {parameter.made_by for form in forms for parameter in form.parameters} - {""}
    return sorted({CHAPTER_OF[name] for name in made_by} - {chapter})


def _is_struct(row: Row) -> bool:
    """Whether a row makes a small value: a struct with one field for each parameter. Others are in their header."""
    form = row.forms[0]
    is_small = not any(
        parameter.is_tensor or parameter.kind == ARRAY or (parameter.template and parameter.kind in ENUMS)
        for parameter in form.parameters
    )
    return is_small and row.effect == "value" and form.result.startswith("object ")


def _struct(row: Row) -> str:
    """The struct of a row: a field for each parameter, and for each form a constructor that tests what it gets."""
    parameters = {parameter.name: parameter for form in row.forms for parameter in form.in_text}
    (variable,) = {parameter.variable for parameter in parameters.values() if parameter.variable} or {""}
    fields = [parameter for parameter in parameters.values() if not parameter.template]
    lines = [
        f"struct {row.cpp} {{",
        *(f"    {_field_type(field)} {_field_name(field)}{_field_default(field)};" for field in fields),
        f"    {row.cpp}() = default;",
        *(line for form in row.forms for line in _constructor(row, form)),
        "};",
    ]
    return (f"template <typename {variable}>\n" if variable else "") + "\n".join(lines) + "\n"


def _constructor(row: Row, form: Form) -> list[str]:
    """The lines of one constructor; none for a form without parameters, or for one that only has more fields to set."""
    fields = [one for one in form.in_text if not one.template]
    if not fields or form.get(SetsFields):
        return []
    index = {parameter.name: position for position, parameter in enumerate(form.parameters)}
    arguments = ", ".join(
        f"opwright::Argument<{_field_type(field)}> {field.name}"
        if field.is_integer
        else f"{_field_type(field)} {field.name}"
        for field in fields
    )
    checks = [f"opwright::require_fits(at, {index[field.name]}, {field.name});" for field in fields if field.is_integer]
    checks += [test for number, rule in enumerate(form.rules) if (test := rule.cpp(number, index))]
    return [
        f"    OPWRIGHT_INLINE {row.cpp}({arguments}, int32_t line = __builtin_LINE())",
        f"        : {', '.join(f'{_field_name(field)}({field.name})' for field in fields)} {{",
        "        const opwright::At at(line);",
        *(f"        {check}" for check in checks),
        "    }",
    ]


def _field_type(parameter: Parameter) -> str:
    kind = parameter.variable or parameter.kind
    if kind in ENUMS:
        return ENUMS[kind].cpp
    return "bool" if kind == "predicate" else DTYPES[kind].cpp if kind in DTYPES else kind


def _field_name(parameter: Parameter) -> str:
    first, *others = parameter.name.split("_")
    return first + "".join(other.capitalize() for other in others)


def _field_default(parameter: Parameter) -> str:
    # A variable that a branch sets is made before it; what it holds until then is what the call would default to.
    if isinstance(parameter.default, enum.Enum):
        return f" = {ENUMS[parameter.kind].spell(parameter.default)}"
    return f" = {str(parameter.default).lower()}" if parameter.default and parameter.default is not REQUIRED else "{}"


def _template_parameter(form: Form, parameter: Parameter) -> str:
    if parameter.kind == "dtype":
        return f"typename {parameter.variable}"
    kind = parameter.kind
    kind = ENUMS[kind].cpp if kind in ENUMS else DTYPES[kind].cpp if kind in DTYPES else kind
    default = f" = {str(parameter.default).lower()}" if isinstance(parameter.default, bool) else ""
    if form.spells_all:
        default = ""
    elif isinstance(parameter.default, enum.Enum):
        default = f" = {ENUMS[parameter.kind].spell(parameter.default)}"
    return f"{kind} {parameter.name}{default}"


def _function_parameter(parameter: Parameter) -> str:
    name = parameter.name
    match parameter.kind:
        case kind if kind in LOCALS:
            return f"const LocalTensor<{parameter.variable}>& {name}"
        case "global":
            return f"const GlobalTensor<{parameter.variable}>& {name}"
        case "object":
            element = f"<{parameter.variable}>" if parameter.variable else ""
            return f"const {ROWS[parameter.made_by].cpp}{element}& {name}"
        case "list":
            return f"const opwright::List<{parameter.made_by}>& {name}"
        case "array":
            return f"const {DTYPES[parameter.element].cpp} (&{name})[{parameter.length}]"
        case "number":
            return f"const {parameter.variable}& {name}"
        case "bool" | "predicate":
            return f"bool {name}"
        case kind if parameter.is_number:
            return f"{DTYPES[kind].cpp} {name}"
        case kind if kind in ENUMS:
            return f"{ENUMS[kind].cpp} {name}"
        case kind:
            default = f" = {parameter.default}" if isinstance(parameter.default, int) else ""
            return f"opwright::Argument<{DTYPES[kind].cpp}> {name}{default}"


def _checks(form: Form) -> list[str]:
    """One line per integer argument and per rule."""
    index = {parameter.name: position for position, parameter in enumerate(form.parameters)}
    lines = [
        f"opwright::require_fits(at, {index[parameter.name]}, {parameter.name});"
        for parameter in form.parameters
        if parameter.is_integer and not parameter.template
    ]
    tests = [(rule, rule.cpp(number, index)) for number, rule in enumerate(form.rules)]
    early = [test for rule, test in tests if test and not rule.over_footprints]
    late = [test for rule, test in tests if test and rule.over_footprints]
    footprints = [
        f"const auto {_view(access)} = opwright::{'writes' if access.writes else 'reads'}({access.operand}, "
        f"{index[access.operand]}, {_extent(form, access)});"
        for access in form.accesses
    ]
    return [*lines, *early, *_mask(form), *footprints, *late]


def _mask(form: Form) -> list[str]:
    """What a vector call does with the mask register, and what it takes from it."""
    if form.composed:
        return ["opwright::leave_full_mask(at);"]
    for access in form.accesses:
        if access.strides:
            is_set_mask = MASK if MASK in form.named else "true"
            arguments = f"at, {access.mask}, lane_count, {_unsigned(access.count)}"
            return [_lane_count(form), f"const auto chosen = opwright::chosen_repeats<{is_set_mask}>({arguments});"]
        if _takes_register(form, access):
            chosen = f"opwright::chosen_count<{MASK}>(at, {access.count}, lane_count)"
            return [_lane_count(form), f"const auto chosen = {chosen};"]
        if form.pipe == "PIPE_V" and access.count == "count" and access.floor == 1:
            return ["opwright::leave_full_mask(at);"]
    return []


def _lane_count(form: Form) -> str:
    """How many lanes a repeat has: as many as fit of the widest elements that the call steps through."""
    stepped = {access.operand for access in form.accesses if access.strides or _takes_register(form, access)}
    tensors = ", ".join(parameter.name for parameter in form.parameters if parameter.name in stepped)
    return f"const uint32_t lane_count = opwright::lanes_of({tensors});"


def _takes_register(form: Form, access: Access) -> bool:
    """Whether a count may be left to the mask register."""
    return MASK in form.named and not access.strides and not access.runs


def _extent(form: Form, access: Access) -> str:
    """The arguments of a footprint that say how far it reaches."""
    if _takes_register(form, access):
        kind = next(parameter.variable for parameter in form.parameters if parameter.name == access.operand)
        return f"opwright::extent_of<{kind}>(chosen, lane_count)"
    if not access.strides:
        return access.runs or f"{access.count}, {access.floor}"
    strides = ", ".join(map(_unsigned, access.strides))
    lanes = "opwright::Lanes::first(lane_count)" if access.whole else "chosen.lanes"
    return f"opwright::Steps{{lane_count, chosen.repeats, {strides}, {lanes}, chosen.tail}}"


def _unsigned(stride: str) -> str:
    """A stride of a call as a footprint has it."""
    return stride if "." in stride or stride.isdigit() else f"uint32_t({stride})"


def _view(access: Access) -> str:
    """The C++ name of a footprint and of the view of it."""
    return f"{access.operand}_{'written' if access.writes else 'read'}"


def _views(form: Form) -> list[str]:
    """The names of all that a body gets a view of."""
    return [*(_view(access) for access in form.accesses), *(["state_touched"] if form.state_touched else [])]


def _lambda(form: Form, captures: str = "") -> str:
    """The meaning of an elementwise form as a function of one element of each source."""
    assert isinstance(form.meaning, Each)
    lanes = ", ".join(f"auto {access.operand}" for access in form.accesses if not access.writes)
    return f"[{captures}]({lanes}) {{ return {form.meaning.expression}; }}"


def _shared_functions(rows: tuple[Row, ...]) -> str:
    """What the forms of a composed call have in common: one function, so that the compiler makes one loop of it."""
    shared = [
        f"constexpr auto {row.cpp} = {_lambda(row.forms[0])};\n"
        for row in rows
        if row.forms[0].composed and isinstance(row.forms[0].meaning, Each) and "scalar" not in row.forms[0].named
    ]
    return f"\nnamespace opwright::each {{\n\n{''.join(shared)}\n}}  // namespace opwright::each\n" if shared else ""


def _body(row: Row, form: Form) -> tuple[str, str]:
    """The parameters of the body after `here`, and its statement."""
    views = _views(form)
    parameters = "".join(f", auto {view}" for view in views)
    if isinstance(form.meaning, Each):
        sources = [access.operand for access in form.accesses if not access.writes]
        numbers = [parameter.name for parameter in form.parameters if parameter.kind == "number"]
        # The body sees every scalar in the wide type, under its own name.
        wide = ", ".join(f"{name} = opwright::widen({name})" for name in numbers)
        each = _lambda(form, wide)
        (target,) = (_view(access) for access in form.accesses if access.writes and not access.scratch)
        views = [f"{name}_read" for name in sources]
        if form.composed and not numbers:
            statement = f"opwright::map_apart({', '.join([target, f'opwright::each::{row.cpp}', *views])});"
        else:
            statement = f"opwright::map({', '.join([target, each, *views])});"
        return parameters, "\n        ".join([statement, *_spoils(form)])
    assert isinstance(form.meaning, Function)
    scalars = [
        parameter.name
        for parameter in form.parameters
        if not parameter.is_tensor
        and parameter.kind != "dtype"
        and parameter.name != MASK
        and not any(parameter.name in access.arguments for access in form.accesses)
    ]
    state = [form.state] if form.state else []
    scratch = {_view(access) for access in form.accesses if access.scratch}
    views = [view for view in views if view not in scratch]
    statement = f"opwright::{form.meaning.name}({', '.join(['here', *views, *scalars, *state])});"
    spoils = _spoils(form)
    return parameters, "\n        ".join([statement, *spoils]) if spoils else f"return {statement}"


def _spoils(form: Form) -> list[str]:
    """Overwrites the call's scratch: nothing may rely on what it holds."""
    return [f"opwright::spoil({_view(access)});" for access in form.accesses if access.scratch]


def _units(form: Form) -> list[str]:
    """What a call reports about unit flags before and after it."""
    if form.unit is None:
        return []
    operand, params = form.unit
    view = next(_view(access) for access in form.accesses if access.operand == operand)
    return [
        f"opwright::report_unit(at, {form.pipe}, {view}.footprint, {params}.unitFlag, {ends});"
        for ends in ("false", "true")
    ]


def _is_by_element(form: Form) -> bool:
    """Whether what nothing has written may pass from sources to results, element by element; the result comes first."""
    reads = any(not access.writes for access in form.accesses)
    return reads and (isinstance(form.meaning, Each) or getattr(form.meaning, "by_element", False))


def _wrapper(row: Row, form: Form) -> Wrapper:
    variables = sorted(
        {parameter.variable for parameter in form.parameters if parameter.is_tensor or parameter.made_by}
    )
    variables = [name for name in variables if name]
    # What the call may spell comes first; a text of its own spells one type, and others follow from the arguments.
    spelled = [*dict.fromkeys(form.types)] or (variables[:1] if form.text else variables)
    templates = [f"typename {name}" for name in spelled]
    templates += [_template_parameter(form, parameter) for parameter in form.parameters if parameter.template]
    templates += [f"typename {name}" for name in variables if name not in spelled]
    parameters = [_function_parameter(parameter) for parameter in form.in_text if not parameter.template]
    given = form.get(GivesBack)
    parameters += [f"{kind}& out" for kind in given.types] if given else []
    parameters.append("opwright::Line line = opwright::Line(__builtin_LINE())")
    result = DTYPES[form.result].cpp if form.result else "void"
    views, statement = _body(row, form)
    before = [
        "const opwright::At at(line);",
        *_checks(form),
        *([f"const auto {form.state} = at.core.{form.state};"] if form.state else []),
        *([f"const auto state_touched = {form.state_touched};"] if form.state_touched else []),
    ]
    waits = form.get(WaitsForCores)
    barrier = "opwright::note_barrier(at, PIPE_ALL);"
    units = _units(form)
    # What an enumeration chooses is chosen where the call stands, so that a kernel holds only what it asks for.
    chooses = any(parameter.kind in ENUMS and not parameter.template for parameter in form.parameters)
    return Wrapper(
        inline="OPWRIGHT_INLINE" if chooses else "__aicore__ inline",
        result=result,
        name=row.cpp,
        templates=tuple(templates),
        parameters=tuple(parameters),
        before=(before[0], barrier, *before[1:]) if waits else (*before, *units[:1]),
        returns="return " if form.result else "out = " if given else "",
        pipe=form.pipe,
        arguments=f"const opwright::At&{' here' if 'here' in statement else ''}{views}",
        statement=statement,
        operands="".join(f", {view}" for view in _views(form)),
        after=(barrier,) if waits else tuple(units[1:]),
        may_share=not (form.state or form.result or given),
        issue="issue_by_element" if _is_by_element(form) else "issue",
    )
