"""Calls of Ascend C as Python: by their public names, with enumerations, data types and what is not the default.

In: a call of the IR, and who writes its operands. Out: an expression that the front end binds to the same form.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import REQUIRED, Parameter, Row
from opwright.ascendc.socs import Soc
from opwright.ascendc.traits import StartsAt
from opwright.emit.python.expressions import ATOM, SUM, Expression, Writer, as_number, bare, literal, plain, text_of
from opwright.ir import SSAValue, StringAttr
from opwright.ir.aggregates import ArrayOp, ListOp
from opwright.ir.binding.bind import takes
from opwright.ir.calls import CallOp
from opwright.ir.constants import constant_named, name_of_constant
from opwright.ir.language import ConstantOp
from opwright.ir.types import FLOAT, INT, AddressType, ScalarType, unquoted
from opwright.ir.values import Constant, Items, RunTimeValue, Value

_Argument = tuple[Parameter, str, Value, bool]  # a parameter, its text and value, and whether it is the default


def call(operation: CallOp, writer: Writer, soc: Soc) -> Expression:
    """A call."""
    row = operation.row
    if row.fields:
        field = _word(operation, row.forms[0].parameters[0].name) if row.forms[0].parameters else ""
        return Expression(f"asc.{row.name}.{field}" if field else f"asc.{row.name}")
    operands = list(operation.operands)
    match row.short:
        case "__getitem__":
            tensor, place = _owner(writer, operands[0]), bare(writer, operands[1]).text
            return Expression(f"{tensor}[{place}]" if row.owner == "GlobalAddress" else f"{tensor}[{place}:]")
        case "__add__" if isinstance(operands[0].type, AddressType):
            base, offset = writer.expression(operands[0]), bare(writer, operands[1])
            return Expression(f"{base.within(SUM - 1)} + {offset.within(SUM)}", SUM)
        case "__add__":
            return Expression(f"{_owner(writer, operands[0])}[{bare(writer, operands[1]).text}:]")
        case "__setitem__":
            value = plain(writer, as_number(writer, operands[2])).text
            return Expression(f"{_owner(writer, operands[0])}[{bare(writer, operands[1]).text}] = {value}", 0)
    before = f"{_owner(writer, operands[0])}.{row.short}" if row.is_method else f"asc.{row.name}"
    return Expression(f"{before}({', '.join(_arguments(operation, writer, soc))})")


def _owner(writer: Writer, value: SSAValue) -> str:
    """What a method or a subscript belongs to."""
    return writer.expression(value).within(ATOM - 1)


def made(row: Row, words: dict[str, str]) -> str:
    """An object from the constants in its type."""
    form = next(form for form in row.forms if {one.name for one in form.parameters if one.template} == words.keys())
    return f"asc.{row.name}({', '.join(word(one, words[one.name]) for one in form.parameters if one.template)})"


def word(parameter: Parameter, name: str) -> str:
    """A constant argument by its public name."""
    if parameter.kind in ENUMS:
        return f"asc.{parameter.kind}.{name}"
    if parameter.kind == "dtype":
        return f"asc.{name}"
    return text_of(constant_named(parameter, name))


def _word(operation: CallOp, name: str) -> str:
    attribute = operation.attributes[name]
    assert isinstance(attribute, StringAttr)
    return unquoted(attribute)


def _arguments(operation: CallOp, writer: Writer, soc: Soc) -> list[str]:
    """The arguments, as few as bind to the same form, and by name where one before them is left out."""
    form, row = operation.chosen, operation.row
    named = operation.named()
    given: list[_Argument] = []
    for parameter in form.parameters:
        if parameter.name != "self" and parameter.kind != "rest":
            given.append(_argument(operation, parameter, named.get(parameter.name), writer))
    rest = [plain(writer, as_number(writer, value)).text for value in operation.rest()]
    if rest:
        return [*(text for _, text, _, _ in given), *rest]
    owner: list[Value] = [RunTimeValue(operation.operands[0])] if row.is_method else []
    earlier = row.forms[: row.forms.index(form)]
    # Where a tensor lies is worth reading, even if it is the default.
    for least in (len(given),) if form.get(StartsAt) and not row.is_method else (0, len(given)):
        kept = [one for number, one in enumerate(given) if number < least or not one[3]]
        places = 0
        while places < len(kept) and kept[places] is given[places]:
            places += 1
        values = [*owner, *(value for _, _, value, _ in kept[:places])]
        keywords = {parameter.name: value for parameter, _, value, _ in kept[places:]}
        if not any(takes(row, other, soc, values, keywords) for other in earlier):
            break
    else:
        places = 0  # the names of the parameters tell the forms apart
    return [text if number < places else f"{one.name}={text}" for number, (one, text, _, _) in enumerate(kept)]


def _argument(operation: CallOp, parameter: Parameter, value: SSAValue | None, writer: Writer) -> _Argument:
    """One argument."""
    default = parameter.default
    if value is None:
        name = _word(operation, parameter.name)
        is_default = default is not REQUIRED and name == name_of_constant(default)
        return parameter, word(parameter, name), Constant(constant_named(parameter, name)), is_default
    if isinstance(value.owner, ConstantOp):
        number = value.owner.number
        is_default = default is not REQUIRED and number == default
        text = plain(writer, value).text
        if parameter.kind == "scalar" and value.type not in (INT, FLOAT):
            text = writer.expression(value).text
        return parameter, text, Constant(number), is_default
    if isinstance(value.owner, ArrayOp) and writer.is_within(value.owner):
        kind = ScalarType(value.owner.result.type.dtype)
        items = [one.data for one in value.owner.values]
        numbers = Items(tuple(Constant(int(item)) for item in items))
        is_default = default is not REQUIRED and all(int(item) == default[0] for item in items)  # type: ignore[index]
        return parameter, f"[{', '.join(literal(item, kind).text for item in items)}]", numbers, is_default
    if isinstance(value.owner, ListOp):
        items_of_list = Items(tuple(RunTimeValue(item) for item in value.owner.items))
        return parameter, _list(writer, value.owner.items), items_of_list, False
    source = as_number(writer, value) if parameter.kind == "number" or parameter.is_number else value
    if parameter.kind == "scalar":
        source = value
    return parameter, writer.expression(source).text, RunTimeValue(value), False


def _list(writer: Writer, items: Sequence[SSAValue]) -> str:
    return f"[{', '.join(writer.expression(item).text for item in items)}]"
