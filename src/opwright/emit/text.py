"""IR to Ascend C text, one statement to a line, with the author's names.

In: a `py.func`. Out: `Emitted`: the text and, for every line of it, the place in the kernel's Python. A value that is
used once is written where it is used, unless a variable it reads is set in between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opwright.emit.expressions import ATOM, Expression, constant, operator_text, precedence_of
from opwright.emit.names import C_LIBRARY, RESERVED, Names
from opwright.emit.prelude import PRELUDE
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.ir.calls import CallOp
from opwright.ir.language import (
    At,
    BinaryOp,
    BreakOp,
    ConditionOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    FuncOp,
    IfOp,
    LoadOp,
    StoreOp,
    UnaryOp,
    VariableOp,
    WhileOp,
)
from opwright.ir.names import ATTRIBUTE, name_of
from opwright.ir.types import AddressType, CellType, GlobalType, ObjectType, ScalarType, cpp, unquoted
from opwright.runtime.place import Place

INDENT = "    "


@dataclass
class Emitted:
    """A text, the kernel's name in it, and its source map: line of the text (from 1) -> place."""

    name: str
    text: str
    places: dict[int, Place] = field(default_factory=dict)


class Emitter:
    """Writes one kernel."""

    def __init__(self, kernel: FuncOp) -> None:
        self.kernel = kernel
        self.names = Names()
        self.lines: list[tuple[str, Place | None]] = []
        self.expressions: dict[SSAValue, Expression] = {}
        self.declared: set[SSAValue] = set()
        self.helpers: set[str] = set()
        self.depth = 1

    def run(self) -> Emitted:
        """The whole text."""
        name = self.names.take(unquoted(self.kernel.sym_name), RESERVED | C_LIBRARY)
        parameters = []
        for argument in self.kernel.body.block.args:
            own = self.names.take(name_of(argument) or "argument")
            if isinstance(argument.type, AddressType):
                # Every address comes as bytes; where it is used it is one of its elements.
                parameters.append(f"GM_ADDR {own}")
                self.expressions[argument] = Expression(f"reinterpret_cast<{cpp(argument.type)}>({own})", ATOM)
            else:
                assert isinstance(argument.type, ScalarType)
                parameters.append(f"{cpp(argument.type)} {own}")
                self.expressions[argument] = Expression(own, ATOM)
        self.block(self.kernel.body.block)
        head = [f'extern "C" __global__ __aicore__ void {name}({", ".join(parameters)}) {{']
        prelude = ['#include "kernel_operator.h"', ""]
        for helper in sorted(self.helpers):
            prelude += [*PRELUDE[helper].splitlines(), ""]
        before = [*prelude, *head]
        lines = [*before, *(line for line, _ in self.lines), "}"]
        places = {
            number: place for number, (_, place) in enumerate(self.lines, start=len(before) + 1) if place is not None
        }
        return Emitted(name, "\n".join(lines) + "\n", places)

    # Statements -----------------------------------------------------------------------------------------------

    def line(self, text: str, operation: Operation | None) -> None:
        """Appends one line."""
        self.lines.append((INDENT * self.depth + text, _place(operation) if operation else None))

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
        match operation:
            case VariableOp():
                self.variable(operation)
            case StoreOp():
                cell = self.expressions[operation.cell].text
                self.line(f"{cell} = {self.use(operation.value)};", operation)
            case IfOp():
                self.branch(operation)
            case ForOp():
                self.loop(operation)
            case WhileOp():
                self.test_loop(operation)
            case ConditionOp():
                pass  # written by its loop
            case BreakOp():
                self.line("break;", operation)
            case ContinueOp():
                self.line("continue;", operation)
            case CallOp() if not operation.results:
                self.line(f"{self.call(operation).text};", operation)
            case _:
                self.result(operation)

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
        self.declare(cpp(kind.content), name, self.use(initial) if initial is not None else "", operation)  # type: ignore[arg-type]

    def is_taken_over(self, initial: SSAValue, variable: VariableOp) -> bool:
        """Whether the value that a variable starts with is declared under its name and not read any more."""
        if name_of(initial) != name_of(variable.cell) or isinstance(initial.type, AddressType):
            return False
        if initial.owner is not self.kernel.body.block and initial not in self.declared:
            return False
        return all(use.operation is variable or _is_before(use.operation, variable) for use in initial.uses)

    def declare(self, kind: str, name: str, value: str, operation: Operation) -> None:
        """Declares a name; an object is made in place."""
        if value in ("", kind):
            self.line(f"{kind} {name};", operation)
        elif value.startswith(f"{kind}("):
            self.line(f"{kind} {name}{value[len(kind) :]};", operation)
        else:
            self.line(f"{kind} {name} = {value};", operation)

    def branch(self, operation: IfOp) -> None:
        """An if with its else."""
        then, orelse = operation.then.block, operation.orelse.block
        if not then.ops and orelse.ops:
            self.line(f"if (!{self.use(operation.condition, precedence_of('unary'))}) {{", operation)
            self.nested(orelse)
        else:
            self.line(f"if ({self.use(operation.condition)}) {{", operation)
            self.nested(then)
            if orelse.ops:
                self.otherwise(orelse)
        self.line("}", None)

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
        start = self.use(operation.start)
        self.line(f"for (int64_t {name} = {start}; {name} {sign} {stop}; {advance}) {{", operation)
        self.nested(operation.body.block)
        self.line("}", None)

    def test_loop(self, operation: WhileOp) -> None:
        """A loop with a test before every turn; a test that takes statements stands inside."""
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

    def result(self, operation: Operation) -> None:
        """A value: kept for its use, or declared under a name."""
        (result,) = operation.results
        if isinstance(result.type, GlobalType) and result.type.dtype.data == "?":
            return  # a tensor that was never given memory, so nothing can use it
        expression = self.expression(operation)
        if not result.uses and not _is_declaration(operation):
            if isinstance(operation, CallOp) and operation.row.effect != "value":
                self.line(f"{expression.text};", operation)
            return
        if self.is_inlined(operation, result):
            self.expressions[result] = expression
            return
        name = self.names.take(name_of(result) or _noun(result))
        self.expressions[result] = Expression(name, ATOM)
        self.declared.add(result)
        if isinstance(operation, CallOp) and operation.chosen.result == "integer":
            expression = self.call(operation)  # the declaration says what it becomes
        self.declare(cpp(result.type), name, expression.text, operation)  # type: ignore[arg-type]

    def is_inlined(self, operation: Operation, result: SSAValue) -> bool:
        """Whether a value is written where it is used."""
        if isinstance(operation, ConstantOp) or (isinstance(operation, LoadOp) and _is_settled(operation)):
            return True
        uses = list(result.uses)
        if len(uses) != 1:
            return False
        user = uses[0].operation
        if _is_declaration(operation) and not isinstance(user, (StoreOp, VariableOp)):
            return False
        if _does_something(operation) or _is_tested_in_the_run(operation):
            return False
        if user.parent is not operation.parent or isinstance(user, ForOp):
            return False
        # min, max and abs mention their operands twice.
        twice = isinstance(user, (BinaryOp, UnaryOp)) and user.operator.data in ("min", "max", "abs")
        if twice and not isinstance(operation, LoadOp):
            return False
        # A named value is declared, so that the text reads like the Python; what is stored at once has its name.
        if name_of(result) is not None and not isinstance(user, (StoreOp, VariableOp)):
            return False
        return not self.is_disturbed(operation, user)

    def is_disturbed(self, operation: Operation, user: Operation) -> bool:
        """Whether anything between a value and its use sets a variable or has an effect."""
        current = operation.next_op
        while current is not None and current is not user:
            if current.regions or isinstance(current, StoreOp) or _does_something(current):
                return True
            current = current.next_op
        # The user may itself be written further down; nothing may come between there either.
        if user.results and name_of(user.results[0]) is None and len(list(user.results[0].uses)) == 1:
            (use,) = user.results[0].uses
            return use.operation.parent is user.parent and self.is_disturbed(user, use.operation)
        return False

    # Expressions ----------------------------------------------------------------------------------------------

    def use(self, value: SSAValue, above: int = 0) -> str:
        """The text of a value, in brackets where its surroundings bind tighter than `above`."""
        return self.expressions[value].within(above)

    def expression(self, operation: Operation) -> Expression:
        """The text of an operation's result."""
        match operation:
            case ConstantOp():
                return constant(operation)
            case LoadOp():
                return self.expressions[operation.cell]
            case CallOp() if operation.chosen.result.startswith(("number", "integer")):
                # It becomes a number of the kernel's Python: an int64 or a float32.
                kind = cpp(operation.results[0].type)  # type: ignore[arg-type]
                return Expression(f"static_cast<{kind}>({self.call(operation).text})", ATOM)
            case CallOp():
                return self.call(operation)
            case _:
                return operator_text(operation, self.expressions, self.helpers)

    def call(self, operation: CallOp) -> Expression:
        """A call in the words of its row."""
        form, row = operation.chosen, operation.row
        makes_object = bool(operation.results) and isinstance(operation.results[0].type, ObjectType)
        arguments = {name: self.use(value) for name, value in operation.named().items()}
        words = {
            name: unquoted(word)
            for name, word in operation.attributes.items()
            if isinstance(word, StringAttr) and name not in ("at", "reason", ATTRIBUTE)
        }
        if form.text and not makes_object:
            plus = precedence_of("+")
            if row.cpp == "+":
                left, right = (
                    self.use(value, above) for value, above in zip(operation.operands, (plus - 1, plus), strict=True)
                )
                return Expression(form.text.format(self=left, offset=right), plus)
            if row.is_method:
                arguments["self"] = self.use(operation.operands[0], ATOM - 1)
            return Expression(form.text.format_map({**arguments, **words, "T": _element(operation)}), ATOM)
        templates, plain = [], []
        for parameter in form.parameters:
            if parameter.kind == "text":
                plain.append(_quote(words[parameter.name]))
            elif parameter.kind == "rest":
                plain += [self.use(value) for value in operation.rest()]
            elif parameter.template:
                templates.append(words[parameter.name])
            elif parameter.kind == "number":
                plain.append(self.expressions[operation.named()[parameter.name]].wide().text)
            elif parameter.name != "self":
                plain.append(arguments.get(parameter.name) or words[parameter.name])
        if makes_object:
            spelled = cpp(operation.results[0].type)  # type: ignore[arg-type]
            return Expression(f"{spelled}({', '.join(plain)})" if plain else spelled, ATOM)
        owner = f"{self.use(operation.operands[0], ATOM - 1)}." if row.is_method else "AscendC::"
        between = f"<{', '.join(templates)}>" if templates else ""
        return Expression(f"{owner}{row.cpp}{between}({', '.join(plain)})", ATOM)


def _is_declaration(operation: Operation) -> bool:
    """Objects that later calls change, or that the author sees as objects, are always declared."""
    return isinstance(operation, CallOp) and operation.row.effect == "object"


def _does_something(operation: Operation) -> bool:
    """Whether a call has an effect, beside its result if it has one: its place among the others matters."""
    return isinstance(operation, CallOp) and operation.row.effect == "runs"


def _is_tested_in_the_run(operation: Operation) -> bool:
    """Whether an object is made from values of the run: what is wrong with them is reported by its own line."""
    makes_object = isinstance(operation, CallOp) and isinstance(operation.results[0].type, ObjectType)
    return makes_object and not all(isinstance(value.owner, ConstantOp) for value in operation.operands)


def _noun(result: SSAValue) -> str:
    """A name for a value that its author did not name."""
    if isinstance(result.type, ObjectType):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", result.type.kind.data).lower()
    return "value"


def _is_before(operation: Operation, other: Operation) -> bool:
    """Whether an operation, or what it stands in, comes before `other` in the block of `other`."""
    block = other.parent
    assert block is not None
    ancestor = block.find_ancestor_op_in_block(operation)
    return ancestor is not None and ancestor is not other and ancestor.is_before_in_block(other)


def _is_settled(load: LoadOp) -> bool:
    """Whether nothing sets the variable after this: its name then stands for the value everywhere."""
    variable = load.cell.owner
    if not isinstance(variable, VariableOp) or variable.parent is not load.parent:
        return False
    stores = [use.operation for use in load.cell.uses if isinstance(use.operation, StoreOp)]
    return all(_is_before(store, load) for store in stores)


def _element(operation: CallOp) -> str:
    for value in (*operation.results, *operation.operands):
        if not isinstance(value.type, (ScalarType, ObjectType)):
            spelled = cpp(value.type)
            return spelled[spelled.index("<") + 1 : -1] if "<" in spelled else spelled
    return ""


def _place(operation: Operation) -> Place:
    reason = operation.attributes.get("reason")
    if isinstance(operation, CallOp):
        form = operation.row.forms.index(operation.chosen)
        text = unquoted(reason) if isinstance(reason, StringAttr) else ""
        return Place(At.of(operation), operation.row.name, form, text)
    return Place(At.of(operation))


def _quote(text: str) -> str:
    """A C++ string literal, in ASCII."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    parts: list[str] = []
    for char in text:
        if char in escapes:
            parts.append(escapes[char])
        elif char == "?" and parts and parts[-1].endswith("?"):
            # Two question marks in a row could begin a trigraph.
            parts.append("\\?")
        elif 32 <= ord(char) < 127:
            parts.append(char)
        else:
            # Octal escapes end after three digits; hexadecimal ones would swallow what follows.
            parts += [f"\\{byte:03o}" for byte in char.encode()]
    return f'"{"".join(parts)}"'


def emit(kernel: FuncOp) -> Emitted:
    """The text of a kernel."""
    return Emitter(kernel).run()
