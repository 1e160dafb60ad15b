"""The body of one function as Ascend C text, one statement to a line, with the author's names.

In: a `py.func` and what the whole text shares. Out: lines, each with its place in the author's Python. A value that is
used once is written where it is used, unless a variable it reads is set in between.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.traits import SharedByThreads
from opwright.emit.expressions import ATOM, Expression, literal, precedence_of
from opwright.emit.order import is_before, is_in_loop_after
from opwright.emit.shared import INDENT, Line
from opwright.emit.spelling import cpp, element_type
from opwright.emit.values import Values
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.ir.aggregates import ArrayOp, ElementOp, ListOp, MemberOp, NewOp
from opwright.ir.calls import CallOp, asked_kind, other_kind
from opwright.ir.functions import HelperCallOp, InlineOp, ReturnOp
from opwright.ir.language import (
    BreakOp,
    ConditionOp,
    ContinueOp,
    ForOp,
    IfOp,
    StoreOp,
    VariableOp,
    WhileOp,
)
from opwright.ir.names import name_of
from opwright.ir.threads import PointerOp, StartOp
from opwright.ir.types import (
    INT,
    UINT64,
    AddressType,
    CellType,
    PointerType,
    ScalarType,
    StructType,
    unquoted,
)


class Emitter(Values):
    """Writes the body of one function."""

    def body(self) -> list[Line]:
        """The lines between the function's braces; its parameters have their expressions."""
        self.block(self.function.body.block)
        return self.lines

    def block(self, block: Block) -> None:
        """Writes the operations of a block."""
        for operation in block.ops:
            self.operation(operation)

    def nested(self, block: Block) -> None:
        """Writes a block one step further in."""
        self.depth += 1
        with self.names.scope():
            self.block(block)
        self.depth -= 1

    def operation(self, operation: Operation) -> None:
        """Writes one operation: a statement, a named value, or nothing yet if it is written where it is used."""
        write = STATEMENTS.get(type(operation))
        if write is not None:
            write(self, operation)
        elif isinstance(operation, CallOp) and not operation.results:
            self.line(f"{self.call(operation).text};", operation)
        elif isinstance(operation, CallOp) and operation.chosen.get(SharedByThreads):
            self.share(operation)
        else:
            self.result(operation)

    def store(self, operation: StoreOp) -> None:
        """Sets a variable."""
        self.line(f"{self.expressions[operation.cell].text} = {self.stored(operation.value)};", operation)

    def jump(self, operation: BreakOp | ContinueOp) -> None:
        """Leaves an iteration, or the loop."""
        self.line("break;" if isinstance(operation, BreakOp) else "continue;", operation)

    def condition_of_loop(self, operation: ConditionOp) -> None:
        """Nothing: its loop writes it."""

    def member(self, operation: MemberOp) -> None:
        """A field, written where it is used."""
        owner = self.use(operation.instance, ATOM - 1)
        kind = operation.instance.type
        assert isinstance(kind, StructType)
        field_name = self.shared.structs[kind.struct.data].fields[unquoted(operation.field)]
        self.expressions[operation.result] = Expression(f"{owner}.{field_name}", ATOM)

    def element(self, operation: ElementOp) -> None:
        """An element, written where it is used."""
        array = self.use(operation.array, ATOM - 1)
        self.expressions[operation.cell] = Expression(f"{array}[{self.use(operation.index)}]", ATOM)

    def give_back(self, operation: ReturnOp) -> None:
        """A return; several values go into a struct."""
        values = list(operation.values)
        if len(values) <= 1:
            self.line(f"return {self.use(values[0])};" if values else "return;", operation)
            return
        result = self.names.take("result")
        self.line(f"{self.shared.functions[unquoted(self.function.sym_name)].result} {result};", operation)
        for number, value in enumerate(values):
            self.line(f"{result}.item{number} = {self.use(value)};", operation)
        self.line(f"return {result};", operation)

    def invoke(self, operation: HelperCallOp) -> None:
        """A call of a helper: a statement of its own, since it may do anything."""
        callee = self.shared.functions[unquoted(operation.callee)]
        text = f"{callee.name}({', '.join(self.stored(value) for value in operation.arguments)})"
        if not any(result.uses for result in operation.results):
            self.line(f"{text};", operation)
            return
        if len(operation.results) == 1:
            (result,) = operation.results
            name = self.names.take(name_of(result) or "value")
            self.expressions[result] = Expression(name, ATOM)
            self.declared.add(result)
        else:
            name = self.names.take(f"{callee.name}_values")
            for number, result in enumerate(operation.results):
                self.expressions[result] = Expression(f"{name}.item{number}", ATOM)
        self.line(f"{callee.result} {name} = {text};", operation)

    def start(self, operation: StartOp) -> None:
        """Starts threads."""
        callee = self.shared.functions[unquoted(operation.callee)]
        threads = ", ".join(self.use(value) for value in operation.threads)
        arguments = "".join(f", {self.use(value)}" for value in operation.arguments)
        self.line(f"asc_vf_call<{callee.name}>(dim3({threads}){arguments});", operation)

    def pointer(self, operation: PointerOp) -> None:
        """An argument of threads, written where it is used; a global address is one already."""
        value = self.use(operation.value, ATOM - 1)
        if not isinstance(operation.value.type, AddressType):
            value = f"{cpp(operation.result.type)}({value}.GetPhyAddr())"
        self.expressions[operation.result] = Expression(value, ATOM)

    def share(self, operation: CallOp) -> None:
        """Declares memory that threads share, and a pointer to it."""
        (result,) = operation.results
        kind = result.type
        assert isinstance(kind, PointerType)
        name = self.names.take(name_of(result) or "shared")
        memory = self.names.take(f"{name}_memory")
        length = operation.attributes["length"]
        assert isinstance(length, StringAttr)
        self.expressions[result] = Expression(name, ATOM)
        self.declared.add(result)
        self.line(f"__ubuf__ {element_type(kind.dtype.data)} {memory}[{length.data}];", operation)
        self.line(f"{cpp(kind)} {name} = {memory};", operation)

    def inline(self, operation: InlineOp) -> None:
        """C++ of the author's, each of its lines a line."""
        code = unquoted(operation.code)
        for number, value in reversed(list(enumerate(operation.values))):
            code = code.replace(f"${number}", self.use(value, ATOM - 1))
        if operation.before.data:
            self.shared.before += [(line, self.place(operation)) for line in code.splitlines()]
            return
        self.shared.words.update(re.findall(r"\w+", code))
        for line in code.splitlines():
            self.line(line, operation)

    def aggregate(self, operation: NewOp | ArrayOp) -> None:
        """Declares a struct or an array."""
        result = operation.result
        name = self.names.take(name_of(result) or ("object" if isinstance(operation, NewOp) else "values"))
        self.expressions[result] = Expression(name, ATOM)
        start = ""
        if isinstance(operation, ArrayOp):
            kind = ScalarType(operation.result.type.dtype)
            literals = [_plain_literal(value.data, kind) for value in operation.values]
            start = f" = {{{', '.join(literals)}}}"
        self.line(f"{self.shared.declaration(result.type, name)}{start};", operation)

    def listed(self, operation: ListOp) -> None:
        """Declares an array of objects."""
        name = self.names.take(name_of(operation.result) or "items")
        items = ", ".join(self.use(item) for item in operation.items)
        self.expressions[operation.result] = Expression(name, ATOM)
        self.line(f"{cpp(operation.result.type)} {name}[{len(operation.items)}] = {{{items}}};", operation)

    def variable(self, operation: VariableOp) -> None:
        """Declares a variable."""
        kind = operation.cell.type
        assert isinstance(kind, CellType)
        if not operation.cell.uses:
            return
        initial = operation.initial
        if initial is not None and self.is_taken_over(initial, operation):
            self.expressions[operation.cell] = self.expressions[initial]
            return
        name = self.names.take(name_of(operation.cell) or "value")
        self.expressions[operation.cell] = Expression(name, ATOM)
        self.declare(cpp(kind.content), name, self.stored(initial) if initial is not None else "", operation)  # type: ignore[arg-type]

    def is_taken_over(self, initial: SSAValue, variable: VariableOp) -> bool:
        """Whether the value that a variable starts with is declared under its name and not read any more."""
        if name_of(initial) != name_of(variable.cell) or isinstance(initial.type, AddressType):
            return False
        if initial.owner is not self.function.body.block and initial not in self.declared:
            return False
        if is_in_loop_after(initial, variable):
            return False  # every iteration starts with the value anew
        return all(use.operation is variable or is_before(use.operation, variable) for use in initial.uses)

    def branch(self, operation: IfOp) -> None:
        """An if with its else."""
        then, orelse = operation.then.block, operation.orelse.block
        if not then.ops and orelse.ops:
            self.line(f"if {self.condition(operation.condition, holds=False)} {{", operation)
            self.nested(orelse)
        else:
            self.line(f"if {self.condition(operation.condition)} {{", operation)
            self.nested(then)
            if orelse.ops:
                self.otherwise(orelse)
        self.line("}", None)

    def condition(self, value: SSAValue, holds: bool = True) -> str:
        """The condition of an if: that a value holds, or that it does not.

        Which kind of core it is, the C++ compiler knows: that has a word of its own.
        """
        if (kind := asked_kind(value)) and value not in self.declared:
            return f"ASCEND_IS_{(kind if holds else other_kind(kind)).upper()}"
        return f"({self.use(value)})" if holds else f"(!{self.use(value, precedence_of('unary'))})"

    def otherwise(self, block: Block) -> None:
        """An else; if all it does is another if, that stands on its line."""
        begin = len(self.lines)
        self.line("} else {", None)
        self.nested(block)
        inner = self.lines[begin + 1 :]
        deeper = INDENT * (self.depth + 1)
        if isinstance(block.last_op, IfOp) and inner[0][0].startswith(f"{deeper}if ("):
            ends = [number for number, (line, _) in enumerate(inner) if line == f"{deeper}}}"]
            if ends == [len(inner) - 1]:
                first = f"{INDENT * self.depth}}} else {inner[0][0].strip()}"
                rest = [(line.removeprefix(INDENT), place) for line, place in inner[1:-1]]
                self.lines[begin:] = [(first, inner[0][1]), *rest]

    def loop(self, operation: ForOp) -> None:
        """A counted loop."""
        with self.names.scope():
            self.counted(operation)

    def counted(self, operation: ForOp) -> None:
        """A counted loop, within its own names."""
        (index,) = operation.body.block.args
        name = self.names.take(name_of(index) or "i")
        self.expressions[index] = Expression(name, ATOM)
        step = operation.step.data
        sign = "<" if step > 0 else ">"
        stop = self.use(operation.stop, precedence_of("<"))
        advance = f"{name} += {step}" if step > 0 else f"{name} -= {-step}"
        advance = {1: f"++{name}", -1: f"--{name}"}.get(step, advance)
        if operation.by is not None:
            advance = f"{name} += {self.use(operation.by)}"
        start = self.use(operation.start)
        self.line(f"for (int64_t {name} = {start}; {name} {sign} {stop}; {advance}) {{", operation)
        self.nested(operation.body.block)
        self.line("}", None)

    def test_loop(self, operation: WhileOp) -> None:
        """A loop with a test before every iteration; a test that takes statements stands inside."""
        begin = len(self.lines)
        self.depth += 1
        with self.names.scope():
            self.block(operation.test.block)
            statements = self.lines[begin:]
            del self.lines[begin:]
            condition = operation.test.block.last_op
            assert isinstance(condition, ConditionOp)
            test = self.expressions[condition.value]
            self.depth -= 1
            self.line("while (true) {" if statements else f"while ({test.text}) {{", operation)
            if statements:
                self.lines += statements
                self.depth += 1
                self.line(f"if (!{test.within(precedence_of('unary') - 1)}) {{", operation)
                self.line(f"{INDENT}break;", operation)
                self.line("}", None)
                self.depth -= 1
            self.nested(operation.body.block)
        self.line("}", None)


# How the operations are written that are more than a value. A value is written by its expression.
STATEMENTS: dict[type[Operation], Callable[[Emitter, Any], None]] = {
    VariableOp: Emitter.variable,
    StoreOp: Emitter.store,
    IfOp: Emitter.branch,
    ForOp: Emitter.loop,
    WhileOp: Emitter.test_loop,
    ConditionOp: Emitter.condition_of_loop,
    BreakOp: Emitter.jump,
    ContinueOp: Emitter.jump,
    ReturnOp: Emitter.give_back,
    HelperCallOp: Emitter.invoke,
    InlineOp: Emitter.inline,
    StartOp: Emitter.start,
    PointerOp: Emitter.pointer,
    NewOp: Emitter.aggregate,
    ArrayOp: Emitter.aggregate,
    ListOp: Emitter.listed,
    MemberOp: Emitter.member,
    ElementOp: Emitter.element,
}


def _plain_literal(value: str, kind: ScalarType) -> str:
    """A literal between braces: an integer that fits its type needs no cast there."""
    is_int = kind.dtype.data in DTYPES and DTYPES[kind.dtype.data].is_int()
    return literal(value, INT if is_int and kind != UINT64 else kind).text
