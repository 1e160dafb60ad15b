"""Values in the text of a function: written where they are used, or declared under a name.

In: operations with results. Out: expressions, and declarations where a value is used more than once, has a name of the
author's, or would be disturbed on its way to its use.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import ANY_LENGTH, ARRAY, CORE, SIMT, Form, Parameter
from opwright.ascendc.table import row_with
from opwright.ascendc.traits import (
    Aggregate,
    Becomes,
    GivesBack,
    Places,
    Refers,
    SetsFields,
    StartsThreads,
    TensorArray,
)
from opwright.emit import spelling
from opwright.emit.expressions import ATOM, Expression, constant, operator_text, precedence_of
from opwright.emit.names import Names
from opwright.emit.order import is_settled
from opwright.emit.prelude import PRELUDE
from opwright.emit.shared import INDENT, Line, Shared
from opwright.emit.spelling import cpp, element_type
from opwright.ir import Operation, SSAValue, StringAttr
from opwright.ir.aggregates import ElementOp
from opwright.ir.calls import CallOp
from opwright.ir.constants import name_of_constant
from opwright.ir.language import (
    At,
    BinaryOp,
    CastOp,
    ConstantOp,
    FuncOp,
    LoadOp,
    SelectOp,
    StoreOp,
    UnaryOp,
    VariableOp,
    constant_of,
)
from opwright.ir.lines import has_line
from opwright.ir.names import name_of
from opwright.ir.threads import StartOp
from opwright.ir.traits import may_read, may_write
from opwright.ir.types import (
    FLOAT,
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    scalar,
    unquoted,
)
from opwright.kernel.program import Place


class Values:
    """The part of an emitter that knows values."""

    def __init__(self, function: FuncOp, shared: Shared, names: Names) -> None:
        self.function = function
        self.shared = shared
        self.names = names
        self.lines: list[Line] = []
        self.expressions: dict[SSAValue, Expression] = {}
        self.declared: set[SSAValue] = set()
        self.caller = SIMT if function.is_simt else CORE
        self.depth = 1

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
            settled = _settled(operation) if operation.chosen.rules else ()
            return Place(At.of(operation), operation.row.name, form, text, number, settled)
        if isinstance(operation, StartOp):
            return Place(At.of(operation), row_with(StartsThreads).name, function=number)
        return Place(At.of(operation), function=number)

    def declare(self, kind: str, name: str, value: str, operation: Operation) -> None:
        """Declares a name; an object is made in place."""
        if value in ("", kind, f"{kind}()"):
            self.line(f"{kind} {name};", operation)
        elif value.startswith((f"{kind}(", f"{kind}{{")):
            self.line(f"{kind} {name}{value[len(kind) :]};", operation)
        else:
            self.line(f"{kind} {name} = {value};", operation)

    def result(self, operation: Operation) -> None:
        """A value: kept for its use, or declared under a name."""
        if isinstance(operation, CallOp) and operation.chosen.get(GivesBack):
            self.outs(operation)
            return
        (result,) = operation.results
        if isinstance(result.type, GlobalType) and result.type.dtype.data == "?":
            return  # a tensor that was never given memory, so nothing can use it
        expression = self.expression(operation)
        if not result.uses and not _is_declaration(operation):
            if may_write(operation):
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
        if isinstance(operation, CallOp) and operation.chosen.get(TensorArray):
            items = ", ".join(self.use(value) for value in operation.operands)
            kind = cpp(result.type)  # type: ignore[arg-type]
            self.line(f"{kind} {name}[{len(operation.operands)}] = {{{items}}};", operation)
            return
        if isinstance(operation, CallOp) and operation.chosen.get(Refers):
            self.line(f"{cpp(result.type)}& {name} = {operation.chosen.text};", operation)  # type: ignore[arg-type]
            return
        self.declare(cpp(result.type), name, expression.text, operation)  # type: ignore[arg-type]
        if isinstance(operation, CallOp):
            for field, value in self.assigned(operation).items():
                self.line(f"{name}.{field} = {value};", operation)

    def assigned(self, operation: CallOp) -> dict[str, str]:
        """What the text sets of a new object: fields that its constructor lacks, if they are not as it left them."""
        form, named = operation.chosen, operation.named()
        sets = form.get(SetsFields) or SetsFields()
        return {
            sets.fields[one.name]: self.stored(named[one.name]) if one.name in named else _constant(operation, one)
            for one in form.parameters
            if one.name in sets.fields and (one.name in sets.always or not _is_default(operation, one))
        }

    def outs(self, operation: CallOp) -> None:
        """A call that gives its results back through references: variables for them, then the call."""
        given = operation.chosen.get(GivesBack)
        assert given is not None
        names = [self.names.take(name_of(result) or "count") for result in operation.results]
        for kind, name, result in zip(given.types, names, operation.results, strict=True):
            self.line(f"{kind} {name} = 0;", operation)
            self.expressions[result] = Expression(f"static_cast<int64_t>({name})", ATOM)
            self.declared.add(result)
        self.line(f"{self.call(operation, names).text};", operation)

    def is_inlined(self, operation: Operation, result: SSAValue) -> bool:
        """Whether a value is written where it is used."""
        if isinstance(operation, ConstantOp) or (isinstance(operation, LoadOp) and is_settled(operation)):
            return True
        if has_line(operation):
            return False
        (use,) = result.uses
        user = use.operation
        if _is_declaration(operation) and not isinstance(user, (StoreOp, VariableOp)):
            return False
        # A cell may be used twice, as in a[i] += 1, but its index is evaluated once.
        is_index = isinstance(user, ElementOp) and len(list(user.cell.uses)) > 1
        is_set = isinstance(user, CallOp) and any(user.named().get(name) is result for name in _variables(user.chosen))
        if may_write(operation) or _is_tested_at_run_time(operation) or is_index or is_set:
            return False
        if isinstance(operation, CallOp) and self.assigned(operation):
            return False
        if _meets_zero(operation, user):
            return False
        # What is stored keeps its place among the statements; the rest only must not read what is set in between.
        matters = isinstance(user, (StoreOp, VariableOp)) or self.reads_variables(operation)
        return not (matters and self.is_disturbed(operation, user))

    def reads_variables(self, operation: Operation) -> bool:
        """Whether a value, or one that is written within it, reads what may be set before it is used."""
        if isinstance(operation, LoadOp):
            return not is_settled(operation)
        if may_read(operation):
            return True
        inner = [value for value in operation.operands if value not in self.declared]
        return any(isinstance(value.owner, Operation) and self.reads_variables(value.owner) for value in inner)

    def is_disturbed(self, operation: Operation, user: Operation) -> bool:
        """Whether anything between a value and its use sets a variable or has an effect."""
        current = operation.next_op
        while current is not None and current is not user:
            if current.regions or may_write(current):
                return True
            current = current.next_op
        # The user may itself be written further down; nothing may come between there either.
        if user.results and name_of(user.results[0]) is None and len(list(user.results[0].uses)) == 1:
            (use,) = user.results[0].uses
            return use.operation.parent is user.parent and self.is_disturbed(user, use.operation)
        return False

    def stored(self, value: SSAValue) -> str:
        """The text of a value that becomes a variable, or is stored in one: what is small becomes wide by that."""
        expression = self.expressions[value]
        return expression.unsigned or expression.text

    def use(self, value: SSAValue, above: int = 0) -> str:
        """The text of a value, in brackets where its surroundings bind tighter than `above`."""
        return self.expressions[value].within(above)

    def exact(self, value: SSAValue, dtype: str) -> str:
        """The text of an integer where C++ takes the type from it."""
        expression = self.expressions[value]
        is_exact = value.type == scalar(dtype) and not expression.narrow
        return expression.text if is_exact else f"static_cast<{DTYPES[dtype].cpp}>({expression.text})"

    def expression(self, operation: Operation) -> Expression:
        """The text of an operation's result."""
        match operation:
            case ConstantOp():
                return constant(operation)
            case LoadOp():
                return self.expressions[operation.cell]
            case CallOp() if operation.row.fields:
                variable = self.call(operation).text
                return Expression(f"static_cast<int64_t>({variable})", ATOM, unsigned=variable)
            case CallOp() if operation.chosen.result.startswith(("number", "integer")):
                # It becomes a number of the kernel's Python: an int64 or a float32.
                kind = cpp(operation.results[0].type)  # type: ignore[arg-type]
                return Expression(f"static_cast<{kind}>({self.call(operation).text})", ATOM)
            case CallOp():
                return self.call(operation)
            case _:
                return operator_text(operation, self.expressions, self.shared.prelude[self.caller])

    def call(self, operation: CallOp, outs: Sequence[str] = ()) -> Expression:
        """A call in the words of its row; `outs` are the variables that it sets."""
        form, row = operation.chosen, operation.row
        if row.header:
            self.shared.note(row)
        if row.in_simt and self.function.is_simt:
            return Expression(row.in_simt, ATOM)
        kind = operation.results[0].type if operation.results else None
        makes_object = isinstance(kind, ObjectType) and kind.kind.data == row.name
        arguments = {name: self.stored(value) for name, value in operation.named().items()}
        words = {one.name: _constant(operation, one) for one in form.parameters if one.name in operation.attributes}
        if form.text and not makes_object:
            plus = precedence_of("+")
            if row.cpp == "+":
                left, right = (
                    self.use(value, above) for value, above in zip(operation.operands, (plus - 1, plus), strict=True)
                )
                return Expression(form.text.format(self=left, offset=right), plus)
            if row.is_method:
                arguments["self"] = self.use(operation.operands[0], ATOM - 1)
            return Expression(
                form.text.format_map({**arguments, **words, "T": _element(operation), "out": ", ".join(outs)}), ATOM
            )
        templates, plain = [], []
        set_later = (form.get(SetsFields) or SetsFields()).fields
        for parameter in form.in_text:
            if parameter.name in set_later:
                continue
            if parameter.kind == "text":
                plain.append(_quote(words[parameter.name]))
            elif parameter.kind == "rest":
                plain += [self.use(value) for value in operation.rest()]
            elif parameter.template:
                templates.append(words[parameter.name])
                self.shared.prelude[self.caller] |= {words[parameter.name]} & PRELUDE.keys()
            elif parameter.is_number:
                plain.append(self.expressions[operation.named()[parameter.name]].wide().text)
            elif parameter.name in form.deduced:
                plain.append(self.exact(operation.named()[parameter.name], parameter.kind))
            elif parameter.name != "self":
                text = arguments.get(parameter.name) or words[parameter.name]
                plain += [*_length(operation, parameter), _typed(operation, parameter, text)]
        plain += outs
        if makes_object:
            return _made(operation, plain)
        owner = "" if self.function.is_simt else "AscendC::"
        if row.is_method:
            owner = f"{self.use(operation.operands[0], ATOM - 1)}."
        if templates and (types := _types(operation)) and not row.is_method:
            # Element types come first; where all others have their defaults, the compiler finds them itself.
            templates = [] if templates == _defaults(form) and not form.spells_all else [*types, *templates]
        between = f"<{', '.join(templates)}>" if templates else ""
        return Expression(f"{owner}{row.cpp}{between}({', '.join(plain)})", ATOM)


def _made(operation: CallOp, plain: Sequence[str]) -> Expression:
    """An object with what it is made of."""
    form, row = operation.chosen, operation.row
    spelled = cpp(operation.results[0].type)  # type: ignore[arg-type]
    if form.get(Aggregate):
        kinds = {name: value.type for name, value in operation.named().items()}
        fields = [
            _exactly(field, kinds.get(field.name), text) for field, text in zip(form.parameters, plain, strict=True)
        ]
        return Expression(f"{spelled}{{{', '.join(fields)}}}", ATOM)
    # A value may stand where it is used; an object is declared.
    called = plain or row.effect == "value"
    return Expression(f"{spelled}({', '.join(plain)})" if called else spelled, ATOM)


def _exactly(parameter: Parameter, kind: object, text: str) -> str:
    """A field between braces, where nothing is narrowed by itself."""
    is_ready = parameter.is_number or text.isdigit() or kind == scalar(parameter.kind)
    return text if is_ready else f"static_cast<{DTYPES[parameter.kind].cpp}>({text})"


def _variables(form: Form) -> tuple[str, ...]:
    """The operands that C++ takes by reference."""
    becomes, places = form.get(Becomes), form.get(Places)
    return (*form.lvalues, *(one.operand for one in (becomes, places) if one))


def _typed(operation: CallOp, parameter: Parameter, text: str) -> str:
    """An argument, with its type where it is a 0 and another form has an array there."""
    if not (parameter.is_integer and text == "0"):
        return text
    named = (one for form in operation.row.forms for one in form.parameters if one.name == parameter.name)
    is_pointer = any(one.kind == ARRAY for one in named)
    return f"static_cast<{DTYPES[parameter.kind].cpp}>({text})" if is_pointer else text


def _is_declaration(operation: Operation) -> bool:
    """Objects that later calls change, or that the author sees as objects, are always declared."""
    return isinstance(operation, CallOp) and operation.row.effect == "object"


def _is_tested_at_run_time(operation: Operation) -> bool:
    """Whether an object is made from run-time values: what is wrong with them is reported by its own line."""
    makes_object = isinstance(operation, CallOp) and isinstance(operation.results[0].type, ObjectType)
    return makes_object and not all(isinstance(value.owner, ConstantOp) for value in operation.operands)


def _meets_zero(operation: Operation, user: Operation) -> bool:
    """Whether a float is subtracted from zero, or added to it negated, right where it is converted from an integer.

    g++ knows that such a float is not -0.0, and takes 0.0f - static_cast<float>(n) for its negation: -0.0 for n = 0. Of
    a variable it does not know that.
    """
    if not isinstance(operation, (CastOp, SelectOp, UnaryOp)) or operation.result.type != FLOAT:
        return False
    if not isinstance(user, BinaryOp) or user.operator.data not in ("add", "sub"):
        return False
    sides = (user.left, user.right) if user.operator.data == "add" else (user.left,)
    return any(constant_of(side) == 0 for side in sides)


def _noun(result: SSAValue) -> str:
    """A name for a value that its author did not name."""
    if isinstance(result.type, ObjectType):
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", result.type.kind.data.rpartition(".")[2]).lower()
    return "value"


def _element(operation: CallOp) -> str:
    """What `T` stands for in the text of a call: the element type of the first tensor, or the type of an address."""
    for value in (*operation.results, *operation.operands):
        if isinstance(value.type, AddressType):
            return cpp(value.type)
        if isinstance(value.type, (PointerType, GlobalType, LocalType)):
            return element_type(value.type.dtype.data)
    return ""


def _types(operation: CallOp) -> list[str]:
    """The element types of the tensors that a call takes, as the text spells them."""
    form, named = operation.chosen, operation.named()
    spelled = {}
    for parameter in form.parameters:
        if parameter.is_tensor:
            kind = named[parameter.name].type
            assert isinstance(kind, (AddressType, PointerType, GlobalType, LocalType))
            spelled[parameter.variable] = element_type(kind.dtype.data)
    return [spelled[variable] for variable in form.types or sorted(spelled)]


def _settled(operation: CallOp) -> tuple[tuple[str, str], ...]:
    """The parameters whose element type or mode the text settles, each with its name."""
    named, settled = operation.named(), []
    for parameter in operation.chosen.parameters:
        kind = named[parameter.name].type if parameter.is_tensor else None
        if isinstance(kind, (AddressType, PointerType, GlobalType, LocalType)):
            settled.append((parameter.name, kind.dtype.data))
        elif parameter.kind == "dtype" or parameter.kind in ENUMS:
            settled.append((parameter.name, _word(operation, parameter.name)))
    return tuple(settled)


def _length(operation: CallOp, parameter: Parameter) -> list[str]:
    """What stands before an array of any length: how many numbers it has."""
    if parameter.kind != ARRAY or parameter.length != ANY_LENGTH:
        return []
    kind = operation.named()[parameter.name].type
    assert isinstance(kind, ArrayType)
    return [str(kind.length.data)]


def _defaults(form: Form) -> list[str]:
    """What the template parameters of a form are by default."""
    return [str(parameter.default).lower() for parameter in form.parameters if parameter.template]


def _word(operation: CallOp, name: str) -> str:
    """The name of a constant argument."""
    word = operation.attributes[name]
    assert isinstance(word, StringAttr)
    return unquoted(word)


def _constant(operation: CallOp, parameter: Parameter) -> str:
    """A constant argument as the text spells it."""
    return spelling.constant(parameter, _word(operation, parameter.name))


def _is_default(operation: CallOp, parameter: Parameter) -> bool:
    """Whether an argument is the constant that it would be if it were left out."""
    value, default = operation.named().get(parameter.name), parameter.default
    if value is None:
        return _word(operation, parameter.name) == name_of_constant(default)
    return isinstance(value.owner, ConstantOp) and value.owner.number == default


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
