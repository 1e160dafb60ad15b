"""The body of one function as Ascend C text, one statement to a line, with the author's names.

In: a `py.func` and what the whole text shares. Out: lines, each with its place in the author's Python. A value that is
used once is written where it is used, unless a variable it reads is set in between.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opwright.ascendc.dtypes import DTYPES
from opwright.emit.expressions import ATOM, Expression, constant, literal, operator_text, precedence_of
from opwright.emit.names import Names
from opwright.emit.order import is_before, is_in_loop_after, is_settled
from opwright.ir import Block, Operation, SSAValue, StringAttr
from opwright.ir.aggregates import ArrayOp, ElementOp, MemberOp, NewOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import InlineOp, InvokeOp, ReturnOp
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
from opwright.ir.types import (
    INT,
    UINT64,
    AddressType,
    ArrayType,
    CellType,
    GlobalType,
    ObjectType,
    ScalarType,
    StructType,
    ValueType,
    cpp,
    unquoted,
)
from opwright.runtime.place import Place

INDENT = "    "


Line = tuple[str, Place | None]


@dataclass(frozen=True)
class StructText:
    """How the text names a struct and its fields."""

    name: str
    fields: dict[str, str]


@dataclass(frozen=True)
class FunctionText:
    """How the text names a helper, and the struct in which it returns several values."""

    name: str
    result: str = "void"


@dataclass
class Shared:
    """What the functions of one text share."""

    structs: dict[str, StructText] = field(default_factory=dict)
    functions: dict[str, FunctionText] = field(default_factory=dict)
    prelude: set[str] = field(default_factory=set)
    before: list[Line] = field(default_factory=list)  # what asc.inline puts before all functions

    def cpp(self, kind: ValueType) -> str:
        """How this text spells a type."""
        return self.structs[kind.struct.data].name if isinstance(kind, StructType) else cpp(kind)

    def declaration(self, kind: ValueType, name: str) -> str:
        """A name with its type."""
        if isinstance(kind, ArrayType):
            return f"{cpp(ScalarType(kind.dtype))} {name}[{kind.length.data}]"
        return f"{self.cpp(kind)} {name}"


class Emitter:
    """Writes the body of one function."""

    def __init__(self, function: FuncOp, shared: Shared, names: Names) -> None:
        self.function = function
        self.shared = shared
        self.names = names
        self.lines: list[Line] = []
        self.expressions: dict[SSAValue, Expression] = {}
        self.declared: set[SSAValue] = set()
        self.depth = 1

    def body(self) -> list[Line]:
        """The lines between the function's braces; its parameters have their expressions."""
        self.block(self.function.body.block)
        return self.lines

    # Statements -----------------------------------------------------------------------------------------------

    def line(self, text: str, operation: Operation | None) -> None:
        """Appends one line."""
        self.lines.append((INDENT * self.depth + text, self.place(operation) if operation else None))

    def place(self, operation: Operation) -> Place:
        """Where an operation comes from."""
        number = self.function.place
        if isinstance(operation, CallOp):
            reason = operation.attributes.get("reason")
            form = operation.row.forms.index(operation.chosen)
            text = unquoted(reason) if isinstance(reason, StringAttr) else ""
            return Place(At.of(operation), operation.row.name, form, text, number)
        return Place(At.of(operation), function=number)

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
            case ReturnOp():
                self.give_back(operation)
            case InvokeOp():
                self.invoke(operation)
            case InlineOp():
                self.inline(operation)
            case NewOp() | ArrayOp():
                self.aggregate(operation)
            case MemberOp():
                owner = self.use(operation.instance, ATOM - 1)
                kind = operation.instance.type
                assert isinstance(kind, StructType)
                field_name = self.shared.structs[kind.struct.data].fields[unquoted(operation.field)]
                self.expressions[operation.result] = Expression(f"{owner}.{field_name}", ATOM)
            case ElementOp():
                array = self.use(operation.array, ATOM - 1)
                self.expressions[operation.cell] = Expression(f"{array}[{self.use(operation.index)}]", ATOM)
            case _:
                self.result(operation)

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

    def invoke(self, operation: InvokeOp) -> None:
        """A call of a helper: a statement of its own, since it may do anything."""
        callee = self.shared.functions[unquoted(operation.callee)]
        text = f"{callee.name}({', '.join(self.use(value) for value in operation.arguments)})"
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

    def inline(self, operation: InlineOp) -> None:
        """C++ of the author's, each of its lines a line."""
        code = unquoted(operation.code)
        for number, value in reversed(list(enumerate(operation.values))):
            code = code.replace(f"${number}", self.use(value, ATOM - 1))
        if operation.before.data:
            self.shared.before += [(line, self.place(operation)) for line in code.splitlines()]
            return
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
        if initial.owner is not self.function.body.block and initial not in self.declared:
            return False
        if is_in_loop_after(initial, variable):
            return False  # every turn starts with the value anew
        return all(use.operation is variable or is_before(use.operation, variable) for use in initial.uses)

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
        if isinstance(operation, ConstantOp) or (isinstance(operation, LoadOp) and is_settled(operation)):
            return True
        uses = list(result.uses)
        if len(uses) != 1:
            return False
        user = uses[0].operation
        if _is_declaration(operation) and not isinstance(user, (StoreOp, VariableOp)):
            return False
        # A cell may be used twice, as in a[i] += 1, but its index is evaluated once.
        is_index = isinstance(user, ElementOp) and len(list(user.cell.uses)) > 1
        if _does_something(operation) or _judges(operation) or is_index:
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
        # What is stored keeps its place among the statements; the rest only must not read what is set in between.
        matters = isinstance(user, (StoreOp, VariableOp)) or self.reads_variables(operation)
        return not (matters and self.is_disturbed(operation, user))

    def reads_variables(self, operation: Operation) -> bool:
        """Whether a value, or one that is written within it, reads what may be set before it is used."""
        if isinstance(operation, LoadOp):
            return not is_settled(operation)
        inner = [value for value in operation.operands if value not in self.declared]
        return any(isinstance(value.owner, Operation) and self.reads_variables(value.owner) for value in inner)

    def is_disturbed(self, operation: Operation, user: Operation) -> bool:
        """Whether anything between a value and its use sets a variable or has an effect."""
        current = operation.next_op
        while current is not None and current is not user:
            if current.regions or isinstance(current, (StoreOp, InvokeOp, InlineOp)) or _does_something(current):
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
                return operator_text(operation, self.expressions, self.shared.prelude)

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


def _plain_literal(value: str, kind: ScalarType) -> str:
    """A literal between braces: an integer that fits its type needs no cast there."""
    is_int = kind.dtype.data in DTYPES and DTYPES[kind.dtype.data].is_int()
    return literal(value, INT if is_int and kind != UINT64 else kind).text


def _does_something(operation: Operation) -> bool:
    """Whether a call has an effect, beside its result if it has one: its place among the others matters."""
    return isinstance(operation, CallOp) and operation.row.effect == "runs"


def _judges(operation: Operation) -> bool:
    """Whether an object is made from values of the run: what is wrong with them is reported by its own line."""
    makes_object = isinstance(operation, CallOp) and isinstance(operation.results[0].type, ObjectType)
    return makes_object and not all(isinstance(value.owner, ConstantOp) for value in operation.operands)


def _noun(result: SSAValue) -> str:
    """A name for a value that its author did not name."""
    if isinstance(result.type, ObjectType):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", result.type.kind.data).lower()
    return "value"


def _element(operation: CallOp) -> str:
    for value in (*operation.results, *operation.operands):
        if not isinstance(value.type, (ScalarType, ObjectType)):
            spelled = cpp(value.type)
            return spelled[spelled.index("<") + 1 : -1] if "<" in spelled else spelled
    return ""


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
