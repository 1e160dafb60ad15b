"""The body of one function as Python, a statement to a line.

In: a `py.func`. Out: lines, each with the place that it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opwright.emit.python.expressions import (
    NOT,
    Expression,
    as_element,
    bare,
    of_run,
    text_of,
    tuple_of,
    type_name,
    unwidened,
)
from opwright.emit.python.implied import index_by_steps, reason_of
from opwright.emit.python.values import INDENT, Line, Values, initialiser, refuse
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.aggregates import ElementOp, MemberOp, NewOp
from opwright.ir.functions import HelperCallOp, InlineOp, ReturnOp
from opwright.ir.language import (
    BreakOp,
    CastOp,
    ConditionOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    IfOp,
    StoreOp,
    TripCountOp,
    UnaryOp,
    VariableOp,
    WhileOp,
    constant_of,
)
from opwright.ir.names import name_of
from opwright.ir.threads import StartOp
from opwright.ir.traits import is_jump
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

_FAILED = "assertion failed"


class Body(Values):
    """Writes the body of one function."""

    def written(self) -> list[Line]:
        """The lines below the `def`; the parameters have their names."""
        self.block(self.function.body.block)
        last = self.function.body.block.last_op
        if isinstance(last, ReturnOp) and not self.function.place:
            self.line("pass", last)  # a kernel's last line would be no return to the front end
        return self.lines or [(f"{INDENT}pass", "")]

    def block(self, block: Block) -> None:
        """Writes the operations of a block."""
        for operation in block.ops:
            is_done = operation in self.reading.gone or (isinstance(operation, StoreOp) and self.is_within(operation))
            if not is_done:
                write = STATEMENTS.get(type(operation))
                if write is not None:
                    write(self, operation)
                elif operation.results:
                    self.result(operation)
                else:
                    self.line(self.computed(operation).text, operation)

    def nested(self, block: Block) -> set[str]:
        """Writes a block one step further in, and returns the names that it sets."""
        with self.scopes.block() as names:
            self.indented(block)
        return names

    def indented(self, block: Block) -> None:
        """Writes a block one step further in, among the names of now."""
        begin = len(self.lines)
        self.depth += 1
        self.block(block)
        if len(self.lines) == begin:
            self.lines.append((f"{INDENT * self.depth}pass", ""))
        self.depth -= 1

    def variable(self, operation: VariableOp) -> None:
        """A name that is set more than once, unless it has its first value already."""
        cell, initial = operation.cell, operation.initial
        if not self.reading.uses(cell):
            return
        wish = name_of(cell)
        if initial is None:
            self.name(cell, wish, operation)
            return
        source = initial
        if isinstance(source.owner, CastOp) and source.owner in self.reading.within:
            source = unwidened(self, source)
        is_same = self.names.get(source) == wish and self.reading.is_spent(source, operation)
        if wish is not None and is_same and self.scopes.pass_on(wish, source, cell):
            self.names[cell] = wish
            return
        text = self.as_variable(initial)
        if initial.type == UINT64 and isinstance(initial.owner, ConstantOp):
            text = self.expression(initial).text
        name = self.name(cell, wish, operation)
        self.line(f"{name}{self.declared(cell)} = {text}", operation)

    def declared(self, cell: SSAValue) -> str:
        """The type of a variable, where Python's own numbers do not say it."""
        assert isinstance(cell.type, CellType)
        kind = cell.type.content
        is_narrow = isinstance(kind, ScalarType) and kind not in (INT, FLOAT, BOOL, UINT64)
        return f": {type_name(kind)}" if is_narrow else ""  # type: ignore[arg-type]

    def store(self, operation: StoreOp) -> None:
        """Sets a variable, a field or an element."""
        if operation in self.reading.together:
            self.store_together(operation)
            return
        cell = operation.cell
        place = self.expression(cell).text
        text = self.stored(operation)
        owner = cell.owner
        if isinstance(owner, MemberOp) and isinstance(owner.instance.type, StructType):
            key = (owner.instance.type.struct.data, unquoted(owner.field))
            value = operation.value.owner
            if self.module.stores.get(key) == 1 and isinstance(value, ConstantOp):
                text = of_run(value)  # a field that is set once to a constant would be a constant
        is_first = isinstance(owner, VariableOp) and owner.initial is None
        if is_first and (declared := self.declared(cell)):
            self.line(f"{place}{declared} = {text}", operation)
            return
        is_element = isinstance(owner, ElementOp)
        source = (as_element if is_element else unwidened)(self, operation.value)
        line = self.assignment(place, source, text) if self.is_written(source) else f"{place} = {text}"
        self.line(line, operation)

    def store_together(self, operation: StoreOp) -> None:
        """Sets several variables at once."""
        stores = [one for one in self.reading.together[operation] if isinstance(one, StoreOp)]
        places = [self.expression(one.cell).text for one in stores]
        values = [self.as_variable(one.value) for one in stores]
        if all(one.value is operation.value for one in stores):
            self.line(f"{' = '.join(places)} = {values[0]}", operation)
        else:
            self.line(f"{', '.join(places)} = {', '.join(values)}", operation)

    def branch(self, operation: IfOp) -> None:
        """An if with its else, or an assert."""
        then, orelse = operation.then.block, operation.orelse.block
        condition = self.expression(operation.condition)
        reason = reason_of(orelse) if not then.ops else None
        if reason is not None and (reason == _FAILED or reason.startswith(f"{_FAILED}: ")):
            message = reason.removeprefix(_FAILED).removeprefix(": ")
            self.line(f"assert {condition.text}{f', {text_of(message)}' if message else ''}", operation)
            return
        if not then.ops and orelse.ops:
            self.line(f"if {_negated(operation.condition, condition)}:", operation)
            self.nested(orelse)
            return
        self.line(f"if {condition.text}:", operation)
        first = self.nested(then)
        if orelse.ops:
            sides = [first, self.otherwise(orelse, operation)]
            staying = [names for names, side in zip(sides, (then, orelse), strict=True) if not _leaves(side)]
            self.scopes.retire(set.intersection(*staying) if staying else set())

    def otherwise(self, block: Block, operation: IfOp) -> set[str]:
        """An else; if all it does is another if, that is an elif."""
        begin = len(self.lines)
        self.line("else:", operation)
        names = self.nested(block)
        inner = self.lines[begin + 1 :]
        margin = INDENT * (self.depth + 1)
        outer = [text for text, _ in inner if not text.startswith(f"{margin} ")]
        if outer[0].startswith(f"{margin}if ") and all(
            text.startswith((f"{margin}elif ", f"{margin}else:")) for text in outer[1:]
        ):
            moved = [(text.removeprefix(INDENT), place) for text, place in inner]
            first, place = moved[0]
            self.lines[begin:] = [(f"{INDENT * self.depth}el{first.strip()}", place), *moved[1:]]
        return names

    def loop(self, operation: ForOp) -> None:
        """A counted loop."""
        body = operation.body.block
        index: SSAValue = body.args[0]
        first, last = operation.start, operation.stop
        step = str(operation.step.data)
        if operation.by is not None:
            step = bare(self, unwidened(self, operation.by)).text
        variable, counted = unquoted(operation.variable), operation.stop.owner
        total = index_by_steps(operation)
        if total is not None:
            assert isinstance(counted, TripCountOp)
            index, variable = total.result, name_of(total.result) or "i"
            first, last = counted.start, counted.stop
            step = bare(self, unwidened(self, counted.step)).text
        bounds = [bare(self, unwidened(self, one)).text for one in (first, last)]
        if step == "1":
            bounds = bounds[1:] if constant_of(first) == 0 else bounds
        else:
            bounds.append(step)
        with self.scopes.block():
            taken = next((one for one in body.ops if one not in self.reading.gone), None)
            is_kept = (
                isinstance(taken, StoreOp)
                and taken.value is index
                and self.names.get(taken.cell) == variable
                and self.scopes.holder(variable) is taken.cell
            )
            if is_kept:
                # The variable has a value before the loop, and keeps its last one after it.
                assert isinstance(taken, StoreOp)
                self.reading.gone.add(taken)
                self.names[index] = name = variable
            else:
                name = self.name(index, variable, operation)
            self.line(f"for {name} in range({', '.join(bounds)}):", operation)
            self.indented(body)

    def test_loop(self, operation: WhileOp) -> None:
        """A loop with a test before every iteration; a test that takes lines stands inside."""
        begin = len(self.lines)
        with self.scopes.block():
            self.depth += 1
            self.block(operation.test.block)
            self.depth -= 1
            condition = operation.test.block.last_op
            assert isinstance(condition, ConditionOp)
            test = self.expression(condition.value)
            lines = self.lines[begin:]
            del self.lines[begin:]
            self.line(f"while {'True' if lines else test.text}:", operation)
            if lines:
                self.lines += lines
                self.depth += 1
                self.line(f"if {_negated(condition.value, test)}:", operation)
                self.line(f"{INDENT}break", operation)
                self.depth -= 1
            self.nested(operation.body.block)

    def condition_of_loop(self, operation: ConditionOp) -> None:
        """Nothing: its loop writes it."""

    def jump(self, operation: BreakOp | ContinueOp) -> None:
        """Leaves an iteration, or the loop."""
        self.line("break" if isinstance(operation, BreakOp) else "continue", operation)

    def give_back(self, operation: ReturnOp) -> None:
        """A return. A constant becomes a run-time number, as the caller has it."""
        values = []
        alone = sum(isinstance(one, ReturnOp) for one in self.function.walk()) == 1
        for value in operation.values:
            made = value.owner
            is_lone = alone and isinstance(made, ConstantOp)
            values.append(of_run(made) if is_lone else self.expression(value).text)  # type: ignore[arg-type]
        self.line(f"return {', '.join(values)}".rstrip(), operation)

    def new(self, operation: NewOp) -> None:
        """A new object of a class; the call of its `__init__` follows."""
        call = initialiser(operation)
        if call is None:
            raise refuse(operation, "no __init__ follows")
        self.pending[call] = operation.result

    def invoke(self, operation: HelperCallOp) -> None:
        """A call of a helper."""
        made = self.pending.get(operation)
        if made is None:
            self.result_or_line(operation)
            return
        assert isinstance(made.type, StructType)
        text = f"{self.module.classes[made.type.struct.data]}({self.listed(list(operation.arguments)[1:])})"
        owner = made.owner
        if isinstance(owner, MemberOp):
            self.line(f"{self.expression(owner.instance).text}.{unquoted(owner.field)} = {text}", operation)
            return
        name = self.name(made, name_of(made) or "object", operation)
        self.line(f"{name} = {text}", operation)

    def result_or_line(self, operation: HelperCallOp) -> None:
        """A call whose result has a name, or which has none."""
        if operation.results:
            self.result(operation)
        else:
            self.line(self.computed(operation).text, operation)

    def member(self, operation: MemberOp) -> None:
        """A field that `__init__` makes with its object; any other is written where it is used."""
        kind = operation.result.type
        method = self.module.methods.get(unquoted(self.function.sym_name))
        is_made_here = (
            method is not None
            and method.name == "__init__"
            and operation.instance is self.function.body.block.args[0]
            and name_of(operation.result) == unquoted(operation.field)
            and not isinstance(kind, CellType)
        )
        if not is_made_here:
            if name_of(operation.result) is not None and not isinstance(kind, CellType):
                name = self.name(operation.result, name_of(operation.result) or "value", operation)
                self.line(f"{name} = {self.computed(operation).text}", operation)
            return
        if isinstance(kind, StructType):
            call = initialiser(operation)
            assert call is not None
            self.pending[call] = operation.result
            return
        assert isinstance(kind, (ObjectType, GlobalType))
        self.line(f"{self.computed(operation).text} = {self.object_of(kind)}", operation)

    def start(self, operation: StartOp) -> None:
        """Starts threads."""
        axes = [bare(self, unwidened(self, value)).text for value in operation.threads]
        threads = axes[0] if len(axes) == 1 else tuple_of(axes)
        arguments = "".join(f", {self.expression(value).text}" for value in operation.arguments)
        self.line(f"asc.vf_call({unquoted(operation.callee)}, {threads}{arguments})", operation)

    def inline(self, operation: InlineOp) -> None:
        """C++ of the author's."""
        values = [self.expression(value).text for value in operation.values]
        arguments = [text_of(unquoted(operation.code)), *([tuple_of(values)] if values else [])]
        if operation.before.data:
            arguments.append("before_function=True")
        self.line(f"asc.inline({', '.join(arguments)})", operation)


def _leaves(block: Block) -> bool:
    """Whether what follows a block is never reached through it."""
    return block.last_op is not None and is_jump(block.last_op)


def _negated(value: SSAValue, text: Expression) -> str:
    """That a condition does not hold."""
    made = value.owner
    if isinstance(made, UnaryOp) and made.operator.data == "not" and text.text.startswith("not "):
        return f"not ({text.text})"
    return f"not {text.within(NOT)}"


# How the operations are written that are more than a value.
STATEMENTS: dict[type[Operation], Callable[[Body, Any], None]] = {
    VariableOp: Body.variable,
    StoreOp: Body.store,
    IfOp: Body.branch,
    ForOp: Body.loop,
    WhileOp: Body.test_loop,
    ConditionOp: Body.condition_of_loop,
    BreakOp: Body.jump,
    ContinueOp: Body.jump,
    ReturnOp: Body.give_back,
    HelperCallOp: Body.invoke,
    InlineOp: Body.inline,
    StartOp: Body.start,
    NewOp: Body.new,
    MemberOp: Body.member,
    ElementOp: lambda body, operation: None,
}
