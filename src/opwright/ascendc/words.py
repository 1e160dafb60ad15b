"""Rows in words: the Python signature of a form, its parameters, its pipe, what it touches, how exact it is.

In: a row and its forms. Out: short texts without any markup but backquotes, for the reference pages and the stub.
"""

from __future__ import annotations

import enum
import re

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import (
    ARRAY,
    CORE,
    LIST,
    LOCALS,
    MAX_DIMS,
    OBJECT,
    REQUIRED,
    SIMT,
    Access,
    Dtypes,
    Form,
    Parameter,
    Row,
    parse_parameter,
)
from opwright.ascendc.rules import Rule
from opwright.ascendc.socs import SOCS
from opwright.ascendc.traits import GivesBack

# Kinds whose objects have an element type, and their classes.
TYPED = {
    **dict.fromkeys(LOCALS, "LocalTensor"),
    "global": "GlobalTensor",
    "address": "GlobalAddress",
    "ub_address": "LocalTensor",
    "pointer": "GlobalAddress | LocalTensor",
}
# Parameters that stand for any number of arguments.
STARRED = {"rest": "*arguments: int | float", "values": "*arguments: object, **keywords: object"}
_PYTHON = {
    **TYPED,
    "number": "int | float",
    "predicate": "bool | int",
    "function": "Callable[..., None]",
    "threads": "int | tuple[int, ...]",
    "dtype": "DataType",
    "text": "str",
}
_KINDS = {
    "ub": "a local tensor of {variable} in the unified buffer",
    "l1": "a local tensor of {variable} in L1",
    "l0a": "a local tensor of {variable} in L0A",
    "l0b": "a local tensor of {variable} in L0B",
    "l0": "a local tensor of {variable} in L0A or L0B",
    "l0c": "a local tensor of {variable} in L0C",
    "bt": "a local tensor of {variable} in the bias table",
    "fb": "a local tensor of {variable} in the fixpipe buffer",
    "local": "a local tensor of {variable}",
    "global": "a tensor of {variable} in global memory",
    "address": "an address of {variable} in global memory",
    "ub_address": "an address of {variable} in the unified buffer",
    "pointer": "an address of {variable} in global memory or in the unified buffer",
    "array": "a list of one or two integers ({element})",
    "number": "a number, taken as {variable}",
    "scalar": "a number: its type is {variable}",
    "predicate": "a truth value: a comparison, or a number that is true unless it is 0",
    "dtype": "a data type: {variable}",
    "bool": "True or False",
    "text": "a text between quotes",
    "function": "a function marked @asc.simt",
    "threads": "an integer, or a tuple of up to three",
    "rest": "any further numbers",
    "values": "what the function takes",
}
_PIPES = {
    "PIPE_S": "the scalar unit",
    "PIPE_V": "the vector unit",
    "PIPE_M": "the matrix unit",
    "PIPE_MTE1": "the unit that copies within the matrix memories",
    "PIPE_MTE2": "the unit that copies in from global memory",
    "PIPE_MTE3": "the unit that copies out to global memory",
    "PIPE_FIX": "the unit that copies results of the matrix unit",
    "PIPE_ALL": "every pipe",
}


def is_class(row: Row) -> bool:
    """Whether calling it makes an object."""
    return not row.is_method and row.short[0].isupper()


def python_type(parameter: Parameter) -> str:
    """What a parameter is in Python."""
    if parameter.kind == OBJECT:
        return parameter.made_by.rpartition(".")[2]
    if parameter.kind == LIST:
        return f"Sequence[{parameter.made_by}]"
    if parameter.kind == ARRAY:
        kind = DTYPES.get(parameter.element)
        return f"Sequence[{'bool' if kind is None else 'float' if kind.is_float() else 'int'}]"
    if parameter.is_integer:
        return "int"
    if parameter.is_number:
        return _PYTHON["number"]
    return _PYTHON.get(parameter.kind, parameter.kind)


def default(parameter: Parameter) -> str:
    """` = 0`, or nothing if the argument must be given."""
    if parameter.default is REQUIRED:
        return ""
    value = parameter.default
    if isinstance(value, DataType):
        return f" = {value.name}"
    return f" = {value}" if isinstance(value, enum.Enum) else f" = {value!r}"


def signature(row: Row, form: Form) -> str:
    """How a form is called: `asc.adds(dst: LocalTensor, ...)`, `x_gm.set_global_buffer(buffer: GlobalAddress)`."""
    owner, method = row.owner, row.short if row.is_method else ""
    words = [
        STARRED.get(p.kind) or f"{p.name}: {python_type(p)}{default(p)}" for p in form.parameters if p.name != "self"
    ]
    result = f" -> {result_type(form)}" if (form.result or form.get(GivesBack)) and not is_class(row) else ""
    if method == "__getitem__" and SIMT in row.called_by:
        return f"{owner}[index]{result}"
    if method == "__getitem__":
        return f"{owner}[offset:]{result}, {owner}(offset){result}"
    if method == "__add__":
        return f"{owner} + offset{result}"
    if method == "__setitem__":
        return f"{owner}[index] = value"
    if row.fields:
        return ", ".join(f"asc.{row.name}.{field}".removesuffix(".") for field in row.fields) + result
    return f"{row.name if method else f'asc.{row.name}'}({', '.join(words)}){result}"


def wrapped(signature: str) -> str:
    """A long signature, one parameter to a line."""
    head, bracket, rest = signature.partition("(")
    if len(signature) <= 88 or not bracket:
        return signature
    parameters, _, end = rest.rpartition(")")
    lines = "".join(f"    {parameter},\n" for parameter in re.split(r", (?=\*?\w+: )", parameters))
    return f"{head}(\n{lines}){end}"


def result_type(form: Form) -> str:
    """What a form returns in Python."""
    if given := form.get(GivesBack):
        return "int" if len(given.types) == 1 else f"tuple[{', '.join('int' for _ in given.types)}]"
    if form.result == "integer":
        return "int"
    if form.result.startswith("pointer "):
        return TYPED["address"]  # whichever it is, it is what its owner is
    return python_type(parse_parameter(f"result: {form.result}")) if form.result else "None"


def describe_parameter(form: Form, parameter: Parameter) -> str:
    """What a parameter is: its kind, the elements the call touches."""
    kind = parameter.kind
    if parameter.is_integer:
        words = f"an integer ({kind})"
    elif parameter.is_number:
        words = _KINDS.get(kind, _KINDS["number"]).format(variable=parameter.variable or kind)
    elif kind == LIST:
        words = f"a list of {parameter.made_by}"
    elif kind in ENUMS or kind == OBJECT:
        name = parameter.made_by.rpartition(".")[2] or kind
        words = f"{'an' if name[0] in 'AEIO' else 'a'} {name}"
    else:
        words = _KINDS.get(kind, kind).format(variable=parameter.variable, element=parameter.element)
        if parameter.length != 2:
            noun = "numbers" if parameter.element not in DTYPES or DTYPES[parameter.element].is_float() else "integers"
            words = f"a list of {parameter.length or f'up to {MAX_DIMS}'} {noun} ({parameter.element})"
    if parameter.template:
        words += ", a compile-time constant"
    touched = [describe_access(access) for access in form.accesses if access.operand == parameter.name]
    return "; ".join([words, *touched])


def describe_access(access: Access) -> str:
    """What a call reads or writes of an operand."""
    verb = "writes" if access.writes else "reads"
    if access.scratch:
        given = re.search(r"given_away<(\w+)>", access.runs)
        return f"with `{given[1]}` the call may write it too" if given else "scratch, which the call may overwrite"
    if many := re.fullmatch(r"opwright::as_many\(\w+, (\w+)\)", access.runs):
        return f"{verb} as many elements as `{many[1]}` has"
    if access.runs:
        return f"{verb} the pieces that the other arguments describe"
    if access.strides:
        named = dict.fromkeys(stride.partition(".")[0] for stride in access.strides if not stride.isdigit())
        say = " and ".join(f"`{name}`" for name in named) + (" say" if len(named) > 1 else " says")
        lanes = "all lanes" if access.whole else f"the lanes of `{access.mask}`"
        return f"{verb} {lanes} in `{access.count}` repeats, as {say}"
    if access.count == "1" and access.floor == 1:
        return f"{verb} one element"
    count = f"{access.count} elements" if access.count.isdigit() else f"the first `{access.count}` elements"
    pieces = f", in whole pieces of {access.floor} bytes" if access.floor > 1 else ""
    return f"{verb} {count}{pieces}"


def describe_rule(form: Form, rule: Rule) -> str:
    """A rule's sentence, with the names of parameters marked."""
    names = "|".join(re.escape(parameter.name) for parameter in form.parameters)
    # Fields of its structs are recognised by their underscores.
    text = re.sub(rf"\b(?:{names}|[a-z]\w*_\w+)\b", lambda found: f"`{found.group()}`", rule.sentence)
    return text[0].upper() + text[1:]


def describe_pipe(form: Form) -> str:
    """Where a form runs."""
    if form.pipe in _PIPES:
        return f"`{form.pipe}`, {_PIPES[form.pipe]}"
    if "(" in form.pipe:
        which, _, argument = form.pipe.rpartition("::")[2].removesuffix(")").partition("(")
        return f"the {which.replace('_', ' ')} of `{argument}`"
    return f"the pipe that `{form.pipe}` names"


def describe_runs(row: Row, form: Form) -> str:
    """Where a form runs, or who calls it."""
    return f"Runs on {describe_pipe(form)}" if CORE in row.called_by else "Called by threads"


def describe_exactness(row: Row) -> str:
    """How exact the twin is."""
    kind, _, reason = row.exactness.partition("(")
    reason = reason.removesuffix(")")
    match kind:
        case "exact":
            return "Exact: the twin does what the public texts of Ascend C say, bit for bit."
        case "bounded":
            return f"Bounded: results differ by at most {reason}."
        case _:
            return f"Assumed: {reason}."


def describe_assumes(row: Row) -> str:
    """Which switches decide what a call gives; empty if none does."""
    if not row.assumes:
        return ""
    what = "the switch" if len(row.assumes) == 1 else "the switches"
    return f"Results depend on {what} {' and '.join(row.assumes)} of OPWRIGHT_CHIP_ASSUMPTIONS."


def describe_dtype(kinds: Dtypes) -> str:
    """The element types in one line, SoCs that agree together: "int16, float16 (ascend910b, ascend910_93); ..."."""
    together: dict[tuple[str, ...], list[str]] = {}
    for soc in SOCS:
        if kinds.by_soc[soc]:
            together.setdefault(kinds.by_soc[soc], []).append(soc)
    if len(together) == 1 and all(kinds.by_soc.values()):
        (names,) = together
        return "any element type" if set(names) == set(DTYPES) else ", ".join(names)
    return "; ".join(f"{', '.join(names)} ({', '.join(socs)})" for names, socs in together.items())


def describe_since(form: Form) -> list[str]:
    """Which versions have a form, or element types of it, if not all: "In CANN from 9.1.0 on"."""
    versions: dict[str, list[str]] = {}
    for name, version in form.since.items():
        versions.setdefault(version, []).append(name)
    said = [(" and ".join(filter(None, names)), version) for version, names in versions.items()]
    return [f"{names} in CANN {version}" if names else f"In CANN {version}" for names, version in said]


def describe_where(row: Row, form: Form) -> list[str]:
    """Which SoCs, versions, cores and kernels have a form, if not all."""
    lines = [f"Not on {soc}: {reason}." for soc, reason in row.not_on(form).items()]
    lines += [f"{said}." for said in describe_since(form)]
    if form.only:
        lines.append(f"Only where an {form.only.upper()} comes: other cores ignore it.")
    if form.needs_tpipe:
        lines.append(f"On {', '.join(form.needs_tpipe)} only in kernels that make a `TPipe`.")
    return lines


def absent(kinds: Dtypes) -> list[str]:
    """Why an element type is absent, and where: "no bfloat16 on ascend910b: ..."."""
    lines = []
    for name, why in kinds.why.items():
        socs = [soc for soc in SOCS if name not in kinds.by_soc[soc]]
        lines.append(f"No {name} on {', '.join(socs)}: {why}.")
    return lines


def described(row: Row) -> str:
    """A call for a user at a prompt: how it is called, what it does, which element types it takes, an example."""
    parts = ["\n".join(signature(row, form) for form in row.forms), row.doc]
    lines: dict[str, None] = {}
    for form in row.forms:
        for variable, kinds in row.dtypes_of(form).items():
            lines[f"{variable}: {describe_dtype(kinds)}"] = None
    if lines:
        parts.append("Element types:\n" + "\n".join(f"    {line}" for line in lines))
    shared: dict[str, list[int]] = {}
    for number, form in enumerate(row.forms, 1):
        for line in describe_where(row, form):
            shared.setdefault(line, []).append(number)
    if shared:
        parts.append("\n".join(_describe_forms(numbers, len(row.forms)) + line for line, numbers in shared.items()))
    if row.assumes:
        parts.append(describe_assumes(row))
    if row.example:
        parts.append("Example:\n" + "\n".join(f"    {line}" for line in row.example.splitlines()))
    return "\n\n".join(parts)


def _describe_forms(numbers: list[int], forms: int) -> str:
    """Which of the forms that are listed a line is about, unless it is about all."""
    if len(numbers) == forms:
        return ""
    return f"Form{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))} of {forms}: "
