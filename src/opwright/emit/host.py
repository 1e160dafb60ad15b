"""Host functions as C++ over `opwright/host.h`.

In: a module of the dialects `host` and `py`, with a function "infer" and perhaps one "launch". Out: text with one
namespace for the operator: its functions, the names of its arguments, `infer_from(given, results)` and, if there is a
launch, `launch_from(given, results, soc)`. Both read arguments by `given.template get<T>(i)`.

A value that the author named has a line of its own. Others stand where they are used, unless they are used twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from opwright.emit.expressions import SYMBOLS
from opwright.emit.names import Names
from opwright.ir import Attribute, Block, ModuleOp, Operation, SSAValue
from opwright.ir.functions import HelperCallOp, ReturnOp, functions
from opwright.ir.host import SOC_NUMBERS, ApplyOp, CheckOp, ChooseOp, ConstantOp, RefuseOp, YieldOp, kind_of
from opwright.ir.language import (
    BreakOp,
    ConditionOp,
    ContinueOp,
    ForOp,
    FuncOp,
    IfOp,
    LoadOp,
    StoreOp,
    VariableOp,
    WhileOp,
    number_of,
)
from opwright.ir.language import ConstantOp as NumberOp
from opwright.ir.names import name_of
from opwright.ir.types import CellType, unquoted

_TYPES = {
    "int": "host::Int",
    "float": "double",
    "truth": "host::Truth",
    "text": "host::Text",
    "dtype": "host::Dtype",
    "shape": "host::Shape",
    "tensor": "host::Tensor",
    "tensors": "host::Tensors",
    "floats": "host::Floats",
    "truths": "host::Truths",
    "scalar": "host::Scalar",
    "generator": "host::Generator",
    "soc": "host::Soc",
    "launch": "host::Launch",
    "bool": "bool",
    "int64": "int64_t",
}
_FIELDS = {
    "dtype": "dtype",
    "sizes": "shape",
    "strides": "strides",
    "device": "device",
    "seed": "seed",
    "offset": "offset",
    "soc_name": "name",
    **{name: name for name in SOC_NUMBERS},
}
_CODES = {"type": "host::kType", "value": "host::kValue"}
_INT32 = 1 << 31
# What sets a name, or may end the function: nothing that stands before it comes behind it.
_IN_ORDER = (StoreOp, IfOp, ForOp, WhileOp, HelperCallOp, CheckOp, RefuseOp, ChooseOp)


def type_of(kind: Attribute) -> str:
    """The C++ type of a value."""
    name = kind_of(kind)
    return f"host::Optional<{_TYPES[name[:-1]]}>" if name.endswith("?") else _TYPES[name]


def emit(operator: str, module: ModuleOp) -> str:
    """The text of a host function and of all that it calls."""
    names = Names()
    names.take("host")
    symbols = {unquoted(one.sym_name): names.take(unquoted(one.sym_name)) for one in functions(module)}
    made = functions(module)
    parts = ['#include "opwright/host.h"', "", f"namespace opwright::host_functions::{operator} {{", ""]
    for function in made:
        parts += [*_Printer(function, symbols, names.inner()).function(), ""]
    entries = {unquoted(one.sym_name): one for one in made}
    infer = entries["infer"]
    parts += [*_infer_entry(infer, symbols), ""]
    if "launch" in entries:
        parts += [*_launch_entry(infer, entries["launch"], symbols), ""]
    parts += [f"}}  // namespace opwright::host_functions::{operator}", ""]
    return "\n".join(parts)


def _launch_entry(infer: FuncOp, launch: FuncOp, symbols: dict[str, str]) -> list[str]:
    """What reads the arguments of a call and the facts of its results."""
    count = len(infer.parameters.data)
    kinds = [type_of(one.type) for one in launch.body.block.args]
    read = [f"given.template get<{kind}>({i})" for i, kind in enumerate(kinds[:count])]
    results = [f"results[{i}]" for i in range(len(kinds) - count - 1)]
    name = " results" if results else ""
    return [
        "template <typename Arguments>",
        f"host::Launch launch_from(const Arguments& given, const host::Tensor*{name}, const host::Soc& soc) {{",
        f"    return {symbols['launch']}({', '.join([*read, *results, 'soc'])});",
        "}",
    ]


def _infer_entry(function: FuncOp, symbols: dict[str, str]) -> list[str]:
    """What reads the arguments of a call, and stores the results."""
    names = ", ".join(json.dumps(unquoted(name)) for name in function.parameters.data)
    kinds = [type_of(one.type) for one in function.body.block.args]
    read = ", ".join(f"given.template get<{kind}>({i})" for i, kind in enumerate(kinds))
    called = f"{symbols[unquoted(function.sym_name)]}({read})"
    count = len(_results(function))
    stored = ", ".join(f"results[{i}]" for i in range(count))
    if count:
        called = f"{stored} = {called}" if count == 1 else f"std::tie({stored}) = {called}"
    return [
        f"inline constexpr const char* kArguments[] = {{{names}}};",
        f"inline constexpr int kResults = {count};",
        "",
        "template <typename Arguments>",
        f"void infer_from(const Arguments& given, host::Tensor*{' results' if count else ''}) {{",
        f"    {called};",
        "}",
    ]


def _results(function: FuncOp) -> list[Attribute]:
    return list(function.returned.data) if function.returned is not None else []


class _Printer:
    """One function."""

    def __init__(self, function: FuncOp, symbols: dict[str, str], names: Names) -> None:
        self.made, self.symbols, self.unique = function, symbols, names
        self.names: dict[SSAValue, str] = {}
        self.lines: list[str] = []
        self.depth = 0

    def function(self) -> list[str]:
        """Its lines."""
        block = self.made.body.block
        parameters = []
        for argument in block.args:
            self.names[argument] = self.unique.take(name_of(argument) or "value")
            kind = "const " + type_of(argument.type) + "&"
            parameters.append(f"{kind} {self.names[argument]}" if any(argument.uses) else kind)
        results = [type_of(one) for one in _results(self.made)]
        returned = "void" if not results else results[0] if len(results) == 1 else f"std::tuple<{', '.join(results)}>"
        symbol = self.symbols[unquoted(self.made.sym_name)]
        with self.braces(f"inline {returned} {symbol}({', '.join(parameters)})"):
            self.block(block)
        return self.lines

    def line(self, text: str) -> None:
        """One line of the text."""
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def braces(self, head: str, end: str = "}") -> Iterator[None]:
        """What stands between braces."""
        self.line(f"{head} {{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line(end)

    # Statements ----------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        """All operations of a block."""
        for operation in block.ops:
            self.statement(operation)

    def statement(self, operation: Operation) -> None:
        """An operation that has a line of its own; others wait for their use."""
        match operation:
            case ConstantOp() | NumberOp():
                pass  # where it is used
            case ApplyOp() | LoadOp() | ChooseOp():
                if not self.waits(operation):
                    self.named(operation.results[0], self.text(operation))
            case HelperCallOp():
                self.call(operation)
            case VariableOp():
                self.variable(operation)
            case StoreOp():
                self.line(f"{self.value(operation.cell)} = {_bare(self.value(operation.value))};")
            case CheckOp() | RefuseOp():
                self.refusal(operation)
            case ReturnOp():
                text = self.listed(operation.values)
                several = len(operation.values) > 1
                self.line(f"return {{{text}}};" if several else f"return {text};" if text else "return;")
            case BreakOp() | ContinueOp():
                self.line("break;" if isinstance(operation, BreakOp) else "continue;")
            case IfOp() | ForOp() | WhileOp():
                self.control(operation)
            case ConditionOp():
                self.line(f"if (!({_bare(self.value(operation.value))})) break;")
            case _:
                raise AssertionError(f"{operation.name} is no statement of a host function")

    def waits(self, operation: Operation) -> bool:
        """Whether an operation is printed where it is used: it has no name, one use, and nothing comes between."""
        result = operation.results[0]
        uses = list(result.uses)
        name = name_of(result)
        if len(uses) != 1:
            return not uses and name is None
        user = uses[0].operation
        if user.parent is not operation.parent:
            return False
        if name is not None and not (isinstance(user, VariableOp) and name_of(user.cell) == name):
            return False
        if isinstance(operation, ChooseOp) and not isinstance(operation.parent_op(), ChooseOp):
            return False  # a line of its own reads better
        between = operation.next_op
        while between is not None and between is not user:
            if isinstance(between, _IN_ORDER):
                return False
            between = between.next_op
        return True

    def named(self, result: SSAValue, text: str) -> None:
        """A line for a value, under its name or another one."""
        unused = "" if any(result.uses) else "[[maybe_unused]] "
        self.names[result] = self.unique.take(name_of(result) or kind_of(result.type).rstrip("?"))
        self.line(f"{unused}const {type_of(result.type)} {self.names[result]} = {_bare(text)};")

    def call(self, operation: HelperCallOp) -> None:
        """A call of a function of the module: before what comes behind it, since it may refuse."""
        text = f"{self.symbols[unquoted(operation.callee)]}({self.listed(operation.arguments)})"
        results = list(operation.results)
        if len(results) > 1:
            for result in results:
                self.names[result] = self.unique.take(kind_of(result.type))
            self.line(f"const auto [{', '.join(self.names[one] for one in results)}] = {text};")
        elif results and any(results[0].uses):
            self.named(results[0], text)
        else:
            self.line(f"{text};")

    def variable(self, operation: VariableOp) -> None:
        cell = operation.cell
        assert isinstance(cell.type, CellType)
        self.names[cell] = self.unique.take(name_of(cell) or "value")
        start = f" = {_bare(self.value(operation.initial))}" if operation.initial is not None else "{}"
        self.line(f"{type_of(cell.type.content)} {self.names[cell]}{start};")

    def refusal(self, operation: CheckOp | RefuseOp) -> None:
        if isinstance(operation, RefuseOp):
            self.line(f"host::refuse({_CODES[operation.code.data]}, {_bare(self.value(operation.text))});")
            return
        values = [self.value(one) for one in operation.arguments]
        name = operation.function.data
        if name != "require_device":  # what behind the second one is a list
            values = [*values[:2], f"{{{', '.join(values[2:])}}}"]
        self.line(f"host::{name}({', '.join(values)});")

    def control(self, operation: IfOp | ForOp | WhileOp) -> None:
        if isinstance(operation, IfOp):
            has_else = bool(operation.orelse.block.ops)
            with self.braces(f"if ({_bare(self.value(operation.condition))})", "} else {" if has_else else "}"):
                self.block(operation.then.block)
            if has_else:
                self.depth += 1
                self.block(operation.orelse.block)
                self.depth -= 1
                self.line("}")
            return
        if isinstance(operation, WhileOp):
            with self.braces("while (true)"):
                self.block(operation.test.block)
                self.block(operation.body.block)
            return
        start, stop, step = self.value(operation.start), self.value(operation.stop), operation.step.data
        if not isinstance(operation.stop.owner, NumberOp):  # what the body does to a name does not change it
            end = self.unique.take("end")
            self.line(f"const int64_t {end} = {_bare(stop)};")
            stop = end
        index = self.unique.take("i")
        self.names[operation.body.block.args[0]] = index
        test, on = "<" if step > 0 else ">", f"++{index}" if step == 1 else f"{index} += {step}"
        with self.braces(f"for (int64_t {index} = {_bare(start)}; {index} {test} {stop}; {on})"):
            self.block(operation.body.block)

    # Expressions -----------------------------------------------------------------------------------------------------

    def listed(self, values: Iterable[SSAValue]) -> str:
        return ", ".join(_bare(self.value(one)) for one in values)

    def value(self, value: SSAValue) -> str:
        """A value where it is used."""
        if value in self.names:
            return self.names[value]
        assert isinstance(value.owner, Operation)
        return self.text(value.owner)

    def text(self, operation: Operation) -> str:
        """What an operation gives, as an expression."""
        match operation:
            case ConstantOp():
                return _constant(unquoted(operation.value), kind_of(operation.result.type))
            case NumberOp():
                return str(number_of(operation.value.data))
            case LoadOp():
                return self.value(operation.cell)
            case ChooseOp():
                sides = [self.side(one.block) for one in (operation.then, operation.orelse)]
                return f"({self.value(operation.condition)} ? {sides[0]} : {sides[1]})"
            case ApplyOp():
                return self.applied(operation)
        raise AssertionError(f"{operation.name} is no value of a host function")

    def side(self, block: Block) -> str:
        """A side of a choice: an expression, or a function that is called at once if it takes several lines."""
        end = block.last_op
        assert isinstance(end, YieldOp)
        kind = type_of(end.value.type)
        outer, self.lines = self.lines, []
        depth, self.depth = self.depth, 0
        for operation in block.ops:
            if operation is not end:
                self.statement(operation)
        value = self.value(end.value)
        lines, self.lines, self.depth = self.lines, outer, depth
        if not lines:
            return value if value.startswith(f"{kind}(") else f"{kind}({_bare(value)})"
        return f"[&]() -> {kind} {{ {' '.join(line.strip() for line in lines)} return {value}; }}()"

    def applied(self, operation: ApplyOp) -> str:
        name, operands = operation.function.data, list(operation.arguments)
        values = [self.value(one) for one in operands]
        if name in SYMBOLS and name != "div":  # which faults where the divisor is 0
            return f"({values[0]} {SYMBOLS[name]} {values[1]})"
        if name in _FIELDS:
            return f"{values[0]}.{_FIELDS[name]}"
        if name == "not":
            return f"!{self.tested(operands[0])}"
        if name == "known" and kind_of(operands[0].type) == "truth":
            return self.tested(operands[0])
        if name == "neg":
            return f"(-{values[0]})"
        if name == "div":
            name = "divide"
        if name == "number":
            return values[0]
        return f"host::{name.partition(' ')[0]}({', '.join(map(_bare, values))})"

    def tested(self, truth: SSAValue) -> str:
        """A truth value as a bool of C++, which some are by themselves."""
        made, text = truth.owner, self.value(truth)
        if isinstance(made, ApplyOp) and truth not in self.names:
            kinds = {kind_of(one.type) for one in made.arguments}
            if made.function.data in ("is_none", "is_one_of", "not") or kinds <= {"text", "dtype", "float"}:
                return text
        return f"host::known({_bare(text)})"


def _constant(text: str, kind: str) -> str:
    """A constant of the text."""
    if kind == "int":
        number = int(text)
        return str(number) if abs(number) < _INT32 else f"INT64_C({number})"
    if kind == "float":
        return {"inf": "HUGE_VAL", "-inf": "-HUGE_VAL", "nan": "NAN"}.get(text) or text
    if kind == "truth":
        return text.lower()
    if kind == "dtype":
        code, bits = text.split()
        return f"host::Dtype{{{code}, {bits}}}"
    return _quoted(text)


def _bare(text: str) -> str:
    """An expression without the parentheses around it."""
    depth = 0
    for place, letter in enumerate(text):
        if letter == '"':  # what a text holds is no parenthesis of ours
            return text
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:-1] if place and place == len(text) - 1 else text
    return text


def _quoted(text: str) -> str:
    """A text as C++ writes it. A byte in octal takes three digits, so that nothing behind it is read as one."""
    parts = []
    for byte in text.encode():
        letter = chr(byte)
        parts.append(letter if letter.isascii() and letter.isprintable() and letter not in '"\\?' else f"\\{byte:03o}")
    return f'"{"".join(parts)}"'
