"""Values of a printed function: the text of each where it is used, and lines that name one.

In: values of the IR. Out: expressions and assignments. Refuses operations that no Python of `opwright.asc` stands for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from opwright.ascendc.socs import Soc
from opwright.ascendc.table import ROWS
from opwright.emit.python.calls import call, made
from opwright.emit.python.expressions import (
    ATOM,
    SPELLINGS,
    Expression,
    as_element,
    as_number,
    bare,
    chained,
    literal,
    parts,
    plain,
    ternary,
    type_name,
    unwidened,
)
from opwright.emit.python.names import Scopes
from opwright.emit.python.reading import Reading
from opwright.errors import Location, NotPrintable
from opwright.ir import Operation, SSAValue
from opwright.ir.aggregates import ArrayOp, ElementOp, MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp
from opwright.ir.language import At, BinaryOp, CastOp, ConstantOp, FuncOp, LoadOp, StoreOp, TruncDivOp, VariableOp
from opwright.ir.threads import PointerOp
from opwright.ir.types import (
    BOOL,
    FLOAT,
    INT,
    UINT64,
    CellType,
    GlobalType,
    ObjectType,
    ScalarType,
    StructType,
    unquoted,
)

INDENT = "    "
Line = tuple[str, str]  # a line, and the place that it comes from: "line:column" as operations have it, or ""


@dataclass(frozen=True)
class Method:
    """A function that is printed as a method of a class."""

    owner: str
    name: str


@dataclass
class Module:
    """What the functions of a printed text share."""

    soc: Soc
    methods: dict[str, Method] = field(default_factory=dict)  # by the symbol of the function
    classes: dict[str, str] = field(default_factory=dict)  # the symbol of a struct -> how its class is called
    names: set[str] = field(default_factory=set)  # of functions and classes
    stores: dict[tuple[str, str], int] = field(default_factory=dict)  # how often the methods set a field


def refuse(operation: Operation, why: str) -> NotPrintable:
    """The refusal of an operation, with its line."""
    line, _, column = At.of(operation).partition(":")
    at = Location("<kernel>", int(line), int(column)) if line else None
    return NotPrintable(at, operation=operation.name, why=why)


class Values:
    """The part of a printed function that knows values. It is the `Writer` of its expressions."""

    def __init__(self, function: FuncOp, module: Module) -> None:
        self.function = function
        self.module = module
        self.reading = Reading(function)
        self.scopes = Scopes(module.names, self.reading.last_use)
        self.names: dict[SSAValue, str] = {}
        self.pending: dict[Operation, SSAValue] = {}  # calls of `__init__` -> the object that they make
        self.lines: list[Line] = []
        self.depth = 1

    def line(self, text: str, operation: Operation) -> None:
        """Appends one line."""
        self.lines.append((INDENT * self.depth + text, At.of(operation)))

    def is_within(self, operation: Operation) -> bool:
        """Whether an operation is written where it is used."""
        return self.reading.is_within(operation)

    def is_tested(self, operation: Operation) -> bool:
        """Whether the front end adds a test to an operation."""
        return operation in self.reading.tested

    def comes_before(self, operation: Operation, other: Operation) -> bool:
        """Whether an operation stands before another one."""
        return self.reading.position[operation] < self.reading.position[other]

    def is_written(self, value: SSAValue) -> bool:
        """Whether a value has no name: it is written where it is used."""
        return value not in self.names

    def name(self, value: SSAValue, wish: str | None, operation: Operation) -> str:
        """Names a value from here on."""
        position = self.reading.position[operation]
        self.names[value] = self.scopes.take(wish or _noun(value), value, position, is_own=wish is None)
        return self.names[value]

    def expression(self, value: SSAValue) -> Expression:
        """The text of a value: its name, or what it is computed from."""
        name = self.names.get(value)
        if name is not None:
            return Expression(name)
        assert isinstance(value.owner, Operation), "every parameter has a name"
        return self.computed(value.owner)

    def computed(self, operation: Operation) -> Expression:
        """What an operation computes."""
        match operation:
            case LoadOp() if (choice := self.reading.choices.get(operation)) is not None:
                sides = [bare(self, unwidened(self, store.value)) for store in choice.stores]
                condition = self.expression(choice.condition)
                return ternary(condition, *sides) if choice.word == "if" else chained(choice.word, condition, *sides)
            case LoadOp():
                return self.expression(operation.cell)
            case CallOp():
                return call(operation, self, self.module.soc)
            case HelperCallOp():
                return self.invocation(operation)
            case MemberOp():
                return Expression(f"{self.expression(operation.instance).text}.{unquoted(operation.field)}")
            case ElementOp():
                index = bare(self, unwidened(self, operation.index)).text
                return Expression(f"{self.expression(operation.array).text}[{index}]")
            case PointerOp():
                return self.expression(operation.value)
            case ArrayOp():
                return self.array(operation)
        write = SPELLINGS.get(type(operation))
        if write is None:
            raise refuse(operation, "no Python of opwright.asc stands for it")
        return write(operation, self)

    def array(self, operation: ArrayOp) -> Expression:
        """An array of the stack."""
        kind = ScalarType(operation.result.type.dtype)
        values = [literal(value.data, kind).text for value in operation.values]
        dtype = f"asc.{kind.dtype.data}"
        filled = self.reading.filled.get(operation, {})
        for number, store in filled.items():
            values[number] = plain(self, as_element(self, store.value)).text
        if not filled and len(set(values)) == 1 and len(values) > 1:
            fill = "" if operation.values.data[0].data in ("0", (0.0).hex()) else f", {values[0]}"
            return Expression(f"asc.array({dtype}, {len(values)}{fill})")
        return Expression(f"asc.array({dtype}, [{', '.join(values)}])")

    def invocation(self, operation: HelperCallOp) -> Expression:
        """A call of a helper or a method."""
        callee = unquoted(operation.callee)
        method = self.module.methods.get(callee)
        arguments = list(operation.arguments)
        name = callee
        if method is not None:
            name = f"{self.expression(arguments.pop(0)).within(ATOM - 1)}.{method.name}"
        return Expression(f"{name}({self.listed(arguments)})")

    def listed(self, values: Sequence[SSAValue]) -> str:
        """Arguments of a function of the author's."""
        return ", ".join(self.expression(value).text for value in values)

    def result(self, operation: Operation) -> None:
        """A line that names a value, unless it is written where it is used."""
        if self.reading.is_within(operation):
            return
        results = list(operation.results)
        if isinstance(results[0].type, GlobalType) and results[0].type.dtype.data == "?":
            return  # a tensor that was never given memory, so nothing can use it
        text = self.computed(operation).text
        is_unused = not any(self.reading.uses(result) for result in results) and self.reading.name(results[0]) is None
        if is_unused and isinstance(operation, (CallOp, HelperCallOp)):
            self.line(text, operation)
            return
        wish = self.reading.name(results[0])
        if wish is not None and not wish.isidentifier():
            raise refuse(operation, f"{wish!r} is no name of Python")
        if isinstance(operation, ConstantOp):
            return
        names = [self.name(result, wish, operation) for result in results]
        if self.becomes_narrow(results[0]):
            assert isinstance(results[0].type, ScalarType)
            source = as_number(self, results[0]) if isinstance(operation, CastOp) else results[0]
            text = text if source is results[0] else plain(self, source).text
            self.line(f"{names[0]}: {type_name(results[0].type)} = {text}", operation)
            return
        is_one = len(results) == 1
        self.line(self.assignment(names[0], results[0], text) if is_one else f"{', '.join(names)} = {text}", operation)

    def becomes_narrow(self, value: SSAValue) -> bool:
        """Whether the name of a value becomes a variable that is not of the type in which it is computed with."""
        if not isinstance(value.type, ScalarType) or value.type in (INT, FLOAT, BOOL, UINT64):
            return False
        variables = [use.operation for use in value.uses if isinstance(use.operation, VariableOp)]
        return any(self.reading.name(one.cell) == self.reading.name(value) for one in variables)

    def stored(self, operation: StoreOp) -> str:
        """What is set, before the conversions that setting it adds."""
        cell = operation.cell
        assert isinstance(cell.type, CellType)
        if isinstance(cell.owner, ElementOp):
            return plain(self, as_element(self, operation.value)).text
        return self.as_variable(operation.value)

    def as_variable(self, value: SSAValue) -> str:
        """A value that a variable starts with or is set to."""
        if not isinstance(value.type, ScalarType):
            return self.expression(value).text
        if value.type in (INT, FLOAT, BOOL):
            return bare(self, unwidened(self, value)).text
        if value.type.dtype.data == "uint64":
            return self.expression(value).text
        return plain(self, as_number(self, value)).text

    def object_of(self, kind: ObjectType | GlobalType) -> str:
        """A new object, from its type."""
        if isinstance(kind, GlobalType):
            return "asc.GlobalTensor()"
        return made(ROWS[kind.kind.data], kind.made_with)

    def assignment(self, place: str, value: SSAValue, text: str) -> str:
        """`place = text`, or `place += ...` where what is set is computed from what is there."""
        computed = value.owner
        is_plain = isinstance(computed, (BinaryOp, TruncDivOp))
        if is_plain and computed.operator.data not in ("min", "max"):  # type: ignore[union-attr]
            left, symbol, right = parts(computed, self)  # type: ignore[arg-type]
            if left.text == place:
                return f"{place} {symbol}= {right.text}"
        return f"{place} = {text}"


def initialiser(operation: Operation) -> HelperCallOp | None:
    """The call of `__init__` that follows a new object."""
    current = operation.next_op
    while current is not None:
        if isinstance(current, HelperCallOp) and list(current.arguments)[:1] == [operation.results[0]]:
            return current
        current = current.next_op
    return None


def _noun(result: SSAValue) -> str:
    """A name for a value that its author did not name."""
    if isinstance(result.type, ObjectType):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", result.type.kind.data.rpartition(".")[2]).lower()
    if isinstance(result.type, StructType):
        return "object"
    return "value"
