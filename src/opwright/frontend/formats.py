"""Formats of asc.printf: a constant format and its arguments must fit, as a C compiler would have it. F-strings too.

In: a call of a row that takes a format and the rest. Refuses conversions that C does not have, too few or too many
arguments, and numbers of another kind than the conversion's: on the chip each of these prints what lies in memory.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence

from opwright.ascendc.row import Row
from opwright.errors import WrongFormat
from opwright.frontend import hints
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import numbers
from opwright.ir.types import BOOL, ScalarType, float32, shortest
from opwright.ir.values import Constant, RunTimeValue, Value

_CONVERSION = re.compile(r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d*))?(?:hh|h|ll|l|j|z|t|L)?(.)?", re.DOTALL)
_INTEGERS = "diuxXoc"
_FLOATS = "fFeEgGaA"


# What Python's formats and C's have in common. (Python prints -1 in hexadecimal as -1, C as all ones; before inf and
# nan Python fills up with zeros, C with blanks.)
_PYTHON_INTEGER = re.compile(r"([+ ]?0?\d*)d?")
_PYTHON_FLOAT = re.compile(r"([+ ]?(?:[1-9]\d*)?(?:\.\d+)?)([feEgG])")


def is_format_row(row: Row) -> bool:
    """Whether a call takes a format and what it is for."""
    return [parameter.kind for parameter in row.forms[0].parameters] == ["text", "rest"]


def spread(builder: Builder, row: Row, node: ast.JoinedStr) -> list[Value]:
    """An f-string as a format of C and its arguments. What is constant becomes text, as Python would print it."""
    text = ""
    arguments: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("%", "%%")
            continue
        assert isinstance(part, ast.FormattedValue)
        spec = _spec(builder, row, part)
        value = builder.value(part.value)
        if isinstance(value, Constant) and isinstance(value.value, (int, float, str)):
            if isinstance(value.value, float) and not spec:
                _refuse_long(builder, row, value.value, part)
            text += format(value.value, spec).replace("%", "%%")
        else:
            text += _conversion(builder, row, value, spec, part)
            arguments.append(value)
    return [Constant(text), *arguments]


def _refuse_long(builder: Builder, row: Row, number: float, part: ast.FormattedValue) -> None:
    """Refuses a constant that has more digits than a float of a kernel: computed by Python it would have others."""
    if math.isfinite(number) and shortest(float32(number)) != number:
        _refuse(builder, row, f"the float {number!r} without digits", "say how many digits: {x:.6f}", part.value)


def _spec(builder: Builder, row: Row, part: ast.FormattedValue) -> str:
    """What stands behind the colon."""
    pieces = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
    fixed = [str(piece.value) for piece in pieces if isinstance(piece, ast.Constant)]
    if part.conversion != -1 or len(fixed) != len(pieces):
        message = "!r, !s, !a and computed widths are not for kernels"
        _refuse(builder, row, message, "write {n:8d} or {x:.3f}", part.value)
    return "".join(fixed)


def _conversion(builder: Builder, row: Row, value: Value, spec: str, part: ast.FormattedValue) -> str:
    """The conversion of a run-time value; refuses what C would not print as Python does."""
    is_float = _is_float(value)
    if is_float is None or (isinstance(value, RunTimeValue) and value.type == BOOL):
        hint = hints.DUMP if hints.is_tensor(value) else "print a number: int(b)"
        _refuse(builder, row, f"an f-string cannot print {describe(value)}", hint, part.value)
    if is_float:
        match = _PYTHON_FLOAT.fullmatch(spec)
        if match is None:
            _refuse(builder, row, f"a runtime float as '{spec}'", "say how many digits: {x:.6f}, {x:10.3f}", part.value)
        assert match is not None
        return f"%{match.group(1)}{match.group(2)}"
    match = _PYTHON_INTEGER.fullmatch(spec)
    if match is None:
        _refuse(builder, row, f"a runtime integer as '{spec}'", "write {n}, {n:8d} or {n:08d}", part.value)
    assert match is not None
    return f"%{match.group(1)}ld"


def check_format(builder: Builder, row: Row, arguments: Sequence[Value], node: ast.AST) -> None:
    """Refuses a constant format that its arguments do not fit."""
    if not is_format_row(row) or not arguments:
        return
    text, *given = arguments
    if not isinstance(text, Constant) or not isinstance(text.value, str):
        return  # no form takes that
    wanted = _wanted(builder, row, text.value, node)
    if len(wanted) != len(given):
        message = f"{_count(len(wanted), 'conversion')} in the format, but {_count(len(given), 'argument')} after it"
        _refuse(builder, row, message, "give each conversion one argument; a percent sign is %%", node)
    for conversion, value in zip(wanted, given, strict=True):
        is_float = _is_float(value)
        if hints.is_tensor(value):
            _refuse(builder, row, f"{conversion} takes a number, got {describe(value)}", hints.DUMP, node)
        if is_float is not None and is_float != (conversion[-1] in _FLOATS):
            takes, hint = ("an integer", "use %f, or int(x)") if is_float else ("a float", "use %d, or float(x)")
            _refuse(builder, row, f"{conversion} takes {takes}, got {describe(value)}", hint, node)


def _wanted(builder: Builder, row: Row, text: str, node: ast.AST) -> list[str]:
    """What each argument is for: a conversion, or '*' for a width or a precision."""
    wanted = []
    for match in _CONVERSION.finditer(text.replace("%%", "")):
        width, precision, letter = match.groups()
        if letter is None or letter not in _INTEGERS + _FLOATS:
            reason = "prints text or an address, and arguments are numbers" if letter in ("s", "p") else "is unknown"
            hint = "use %d, %u, %x, %o or %c for integers, %f, %e or %g for floats, %% for a percent sign"
            _refuse(builder, row, f"the conversion {match.group()} {reason}", hint, node)
        wanted += ["*" for part in (width, precision) if part == "*"]
        wanted.append(match.group())
    return wanted


def _is_float(value: Value) -> bool | None:
    """Whether an argument is a float; None: not a number, which is refused elsewhere."""
    if isinstance(value, Constant) and isinstance(value.value, (int, float)):
        return isinstance(value.value, float)
    if isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType):
        return numbers.is_float(value.type)
    return None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number or 'no'} {noun}s"


def _refuse(builder: Builder, row: Row, message: str, hint: str, node: ast.AST) -> None:
    raise WrongFormat(builder.at(node), call=f"asc.{row.name}", message=message, hint=hint)
