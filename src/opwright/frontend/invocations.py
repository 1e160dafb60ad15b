"""Calls in a kernel: of Ascend C, of helpers and classes of the author's, of Python's builtins.

In: call nodes. Out: values. Refuses to call anything else, and says what can be called.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from types import BuiltinFunctionType, FunctionType

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.ascendc.enums import CO2Layout, FixpipeConfig
from opwright.ascendc.row import Row
from opwright.errors import StaticAssertFailed, UnsupportedSyntax, WrongCaller, WrongType
from opwright.frontend import arrays, calls, hints, scalars
from opwright.frontend.changes import is_changed
from opwright.frontend.expressions import Expressions
from opwright.frontend.formats import check_format, is_format_row, spread
from opwright.frontend.values import Constant, Items, Method, NumberMethod, OwnMethod, Runtime, Value, describe
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import InlineOp
from opwright.ir.language import StoreOp, VariableOp
from opwright.ir.types import ArrayType, GlobalType, LocalType
from opwright.kernel.function import KernelFunction, ThreadFunction
from opwright.kernel.names import Call, ConstExpr, array, ceildiv, inline, number, static_assert
from opwright.kernel.source import Source

_OF_KERNELS = "a kernel can call names of opwright.asc, helpers marked @asc.jit, your own classes"
_OF_THREADS = "threads can call names of asc.simt, functions marked @asc.simt, asc.array, asc.number, asc.printf"


class Invocations(Expressions):
    """The part of a lowering that knows calls."""

    @abstractmethod
    def construct(
        self, made: type, path: str, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
    ) -> Value:
        """Makes a kernel object."""

    @abstractmethod
    def call_function(
        self,
        function: FunctionType,
        source: Source,
        path: str,
        arguments: Sequence[Value],
        keywords: Mapping[str, Value],
        node: ast.Call,
    ) -> Value:
        """Calls a helper."""

    @abstractmethod
    def call_method(
        self, method: OwnMethod, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
    ) -> Value:
        """Calls a method of a kernel object."""

    @abstractmethod
    def start(self, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
        """Starts threads."""

    @abstractmethod
    def share(self, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Value:
        """Memory that the threads of a block share."""

    def call(self, node: ast.Call) -> Value:
        """A call of Ascend C, of a builtin, or of a tensor's method."""
        self.refuse_foreign(node)
        function = self.value(node.func)
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            raise UnsupportedSyntax(self.at(node), what="* and ** in a call", hint="write the arguments out")
        first = node.args[0] if node.args else None
        if isinstance(first, ast.JoinedStr) and isinstance(function, Constant) and isinstance(function.value, Call):
            row = function.value.row
            if is_format_row(row) and len(node.args) == 1 and not node.keywords:
                return calls.invoke(self, row, spread(self, row, first), {}, node)
        arguments = [self.argument_value(argument) for argument in node.args]
        keywords = {keyword.arg or "": self.argument_value(keyword.value) for keyword in node.keywords}
        match function:
            case Constant(value=KernelFunction() as helper, path=path) if path:
                self.check_function(helper, node)
                return self.call_function(helper.function, helper.source, path, arguments, keywords, node)
            case OwnMethod():
                return self.call_method(function, arguments, keywords, node)
            case Constant(value=called) if (config := _config(called, arguments)) and not keywords:
                return Constant(config)
            case Constant(value=type() as made, path=path) if path and made.__module__ != "builtins":
                if self.frame.role:
                    hint = "threads have numbers, addresses and asc.array; pass numbers on"
                    raise UnsupportedSyntax(self.at(node), what=f"making {made.__name__} by a thread", hint=hint)
                return self.construct(made, path, arguments, keywords, node)
            case Constant(value=Call(row=row)):
                for value in (*arguments, *keywords.values()):
                    scalars.refuse_huge(self, value, node)
                return self.call_row(row, arguments, keywords, node)
            case NumberMethod(number=of, name=name) if len(arguments) == 1 and not keywords:
                return self.number_method(of, name, arguments[0], node)
            case Method(tensor=tensor, row=row):
                if row.name == "GlobalTensor.set_global_buffer":
                    self.refuse_copies(tensor, node)
                return calls.invoke(self, row, [tensor, *arguments], keywords, node)
            case Runtime() if isinstance(function.type, (GlobalType, LocalType)) and len(arguments) == 1:
                return self.part(function, arguments[0], node)
            case Constant(value=called) if called is ceildiv and len(arguments) == 2 and not keywords:
                return self.ceildiv(arguments[0], arguments[1], node)
            case Constant(value=called) if called is static_assert and len(arguments) in (1, 2) and not keywords:
                self.static_assert(arguments, node)
                return Constant(None)
            case Constant(value=called) if called is ConstExpr.unwrap and len(arguments) == 1 and not keywords:
                return self.unwrap(arguments[0], node)
            case Constant(value=called) if called is number and len(arguments) == 2 and not keywords:
                return self.number(arguments, node)
            case Constant(value=DataType()) if len(arguments) == 1 and not keywords:
                return self.number((arguments[0], function), node)
            case Constant(value=called) if called is array and not keywords.keys() - {"fill_value"}:
                return arrays.make(self, arguments, keywords.get("fill_value"), node)
            case Constant(value=called) if called is inline:
                if self.frame.role:
                    hint = "write C++ in the kernel that starts the threads"
                    raise UnsupportedSyntax(self.at(node), what="asc.inline by a thread", hint=hint)
                return self.inline(arguments, keywords, node)
            case Constant(value=called) if called is len and len(arguments) == 1 and not keywords:
                return self.length(arguments[0], node)
            case Constant(value=called) if called in (min, max, abs, int, float, bool):
                return self.builtin(called, arguments, node)
            case Constant(value=FunctionType()):
                raise UnsupportedSyntax(
                    self.at(node),
                    what=f"calling {ast.unparse(node.func)}, a plain Python function,",
                    hint="mark it with @asc.simt: threads can call it then"
                    if self.frame.role
                    else "mark it with @asc.jit: it becomes a helper of the kernel",
                )
            case Constant(value=called) if _is_dtype_method(called) and not arguments and not keywords:
                assert callable(called)
                return Constant(called())
        usual = f"{_OF_THREADS if self.frame.role else _OF_KERNELS}, and min, max, abs, len, int, float and bool"
        hint = self.instead(function, arguments) or usual
        raise UnsupportedSyntax(self.at(node), what=f"calling {ast.unparse(node.func)}", hint=hint)

    def refuse_foreign(self, node: ast.Call) -> None:
        """Refuses functions of `math`, NumPy and torch that have a way out, which depends on their arguments."""
        if not isinstance(node.func, ast.Attribute) or not isinstance(node.func.value, ast.Name):
            return
        module = self.value(node.func.value)
        if not isinstance(module, Constant) or not hints.is_foreign(module.value):
            return
        arguments = [self.argument_value(one) for one in node.args if not isinstance(one, ast.Starred)]
        hint = hints.of_function(node.func.attr, arguments, bool(self.frame.role))
        if hint:
            what = f"calling {getattr(module.value, '__name__', '')}.{node.func.attr}"
            raise UnsupportedSyntax(self.at(node), what=what, hint=hint)

    def instead(self, function: Value, arguments: Sequence[Value]) -> str:
        """What there is instead of a function that a kernel cannot call; "" if nothing is known."""
        called = function.value if isinstance(function, Constant) else None
        if called is print:
            return hints.PRINT
        is_known = any(called is one for one in (pow, round, sum)) or hints.is_foreign(called)
        return hints.of_function(getattr(called, "__name__", ""), arguments, bool(self.frame.role)) if is_known else ""

    def call_row(self, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Value:
        """A call of Ascend C by its name."""
        self.check_caller(row, node)
        if row.name == "vf_call":
            return self.start(arguments, keywords, node)
        if row.fields:
            what, hint = f"calling asc.{row.name}, a variable,", "leave the brackets out"
            raise UnsupportedSyntax(self.at(node), what=what, hint=hint)
        if row.name == "simt.shared":
            return self.share(row, arguments, keywords, node)
        check_format(self, row, arguments, node)
        return calls.invoke(self, row, arguments, keywords, node)

    def check_function(self, function: KernelFunction, node: ast.Call) -> None:
        """Refuses helpers of kernels to threads, and functions of threads to kernels."""
        if isinstance(function, ThreadFunction) == bool(self.frame.role):
            return
        name = function.function.__name__
        if self.frame.role:
            where, hint = "by threads", "it is for kernels; mark what threads call with @asc.simt"
        else:
            where, hint = "by a kernel", f"start it on threads: asc.vf_call({name}, 1024, ...)"
        raise WrongCaller(self.at(node), call=name, where=where, hint=hint)

    def argument_value(self, node: ast.expr) -> Value:
        """An argument of a call: a list may stand there, as in asc.array(asc.int32, [1, 2])."""
        if isinstance(node, ast.List):
            return Items(tuple(self.value(part) for part in node.elts))
        return self.value(node)

    def ceildiv(self, left: Value, right: Value, node: ast.Call) -> Value:
        """left / right, rounded up."""
        negated = scalars.unary(self, "neg", left, node)
        return scalars.unary(self, "neg", scalars.binary(self, "floordiv", negated, right, node), node)

    def number_method(self, number: Runtime, name: str, argument: Value, node: ast.Call) -> Value:
        """n.cast(dtype), n.ceildiv(m), n.logical_and(m), n.logical_or(m). Unlike `and` and `or` these evaluate both."""
        if name == "cast":
            return self.number((number, argument), node)
        if name == "ceildiv":
            return self.ceildiv(number, argument, node)
        sides = [self.truth(number, node), self.truth(argument, node)]
        return self.chain(name.removeprefix("logical_"), [lambda side=side: side for side in sides], node)  # type: ignore[misc]

    def number(self, arguments: Sequence[Value], node: ast.Call) -> Value:
        """asc.number(value, dtype)."""
        value, dtype = arguments
        if not (isinstance(dtype, Constant) and isinstance(dtype.value, DataType)):
            hint = "write asc.number(n, asc.int32)"
            raise UnsupportedSyntax(self.at(node), what="asc.number without a data type", hint=hint)
        if dtype.value.name not in DTYPES:
            what = f"a number of {dtype.value!r}"
            raise UnsupportedSyntax(self.at(node), what=what, hint="a core has no such numbers: use asc.float32")
        return scalars.number(self, value, dtype.value.name, node)

    def unwrap(self, value: Value, node: ast.Call) -> Value:
        """asc.ConstExpr.unwrap(value): a constant is its value."""
        if isinstance(value, Constant):
            return value
        hint = "it takes constants; a number of the run is its value already"
        raise WrongType(self.at(node), operation="asc.ConstExpr.unwrap", got=describe(value), hint=hint)

    def length(self, value: Value, node: ast.Call) -> Constant:
        """len(x) of what has a length that is known."""
        if isinstance(value, Items):
            return Constant(len(value.items))
        if isinstance(value, Constant) and isinstance(value.value, (tuple, str)):
            return Constant(len(value.value))
        if isinstance(value, Runtime) and isinstance(value.type, ArrayType):
            return Constant(value.type.length.data)
        hint = "it takes tuples and asc.array; a tensor has get_size()"
        raise WrongType(self.at(node), operation="len", got=describe(value), hint=hint)

    def inline(self, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
        """asc.inline: C++ of the author's as it stands."""
        values = dict(zip(("code", "args", "before_function"), arguments, strict=False)) | dict(keywords)
        code, before = values.pop("code", None), values.pop("before_function", Constant(False))
        operands = values.pop("args", Items(()))
        if isinstance(operands, Constant) and isinstance(operands.value, tuple):
            operands = Items(tuple(Constant(item) for item in operands.value))
        is_text = isinstance(code, Constant) and isinstance(code.value, str)
        if values or not is_text or not isinstance(before, Constant) or not isinstance(operands, Items):
            hint = 'write asc.inline("code with $0", (value,)); the code is a constant'
            raise UnsupportedSyntax(self.at(node), what="this form of asc.inline", hint=hint)
        given = []
        for item in operands.items:
            if isinstance(item, Runtime):
                given.append(item.ssa)
            else:
                given.append(scalars.materialise(self, item, scalars.kind_of(self, item, node, "asc.inline"), node))
        assert isinstance(code, Constant)
        self.add(InlineOp(str(code.value), given, bool(before.value)), node)
        return Constant(None)

    def static_assert(self, arguments: list[Value], node: ast.Call) -> None:
        """A test while the kernel is compiled."""
        if not all(isinstance(argument, Constant) for argument in arguments):
            raise UnsupportedSyntax(
                self.at(node),
                what="asc.static_assert on values of the run",
                hint="use assert, which tests in the run",
            )
        test, *message = (argument.value for argument in arguments if isinstance(argument, Constant))
        if not test:
            raise StaticAssertFailed(self.at(node), message=message[0] if message else ast.unparse(node.args[0]))

    def refuse_copies(self, tensor: Runtime, node: ast.AST) -> None:
        """Variables of the text hold copies of a tensor; Python would see the new buffer through each of them."""
        copied = any(isinstance(use.operation, (StoreOp, VariableOp)) for use in tensor.ssa.uses)
        # A field that gets its buffer later than in __init__ may be known under another name by then.
        is_new_field = isinstance(tensor.ssa.owner, MemberOp) and self.function.__name__ == "__init__"
        if copied or not (_is_new_tensor(tensor) or is_new_field):
            raise UnsupportedSyntax(
                self.at(node),
                what="set_global_buffer on a part of a tensor, on one that a branch or a loop sets, or on an old field",
                hint="give each tensor its buffer right after x_gm = asc.GlobalTensor(), fields in __init__",
            )

    def refuse_late_buffer(self, name: str, tensor: Runtime, node: ast.AST) -> None:
        """A tensor that becomes a variable of the text must have its buffer, and for good."""
        if isinstance(tensor.type, (GlobalType, LocalType)) and is_changed(tensor.ssa):
            raise UnsupportedSyntax(
                self.at(node),
                what=f"setting '{name}' in a branch or a loop to a tensor that a call changes",
                hint="take a part of it: name = tensor[0:] is a tensor of its own",
            )
        if not isinstance(tensor.type, GlobalType):
            return
        made = tensor.ssa.owner
        sets = [use.operation for use in tensor.ssa.uses if use.operation.name == "asc.GlobalTensor.set_global_buffer"]
        late = _is_new_tensor(tensor) and any(operation.parent is not made.parent for operation in sets)
        if tensor.type.dtype.data == "?" or late:
            raise UnsupportedSyntax(
                self.at(node),
                what=f"setting '{name}', a global tensor that has no buffer yet or gets another, in a branch or a loop",
                hint="give each tensor its buffer right after x_gm = asc.GlobalTensor()",
            )

    def builtin(self, function: object, arguments: list[Value], node: ast.Call) -> Value:
        """min, max, abs, int, float, bool."""
        assert isinstance(function, (BuiltinFunctionType, type))
        name = function.__name__
        if name in ("min", "max") and len(arguments) >= 2 and not node.keywords:
            result = arguments[0]
            for argument in arguments[1:]:
                result = scalars.binary(self, name, result, argument, node)
            return result
        if len(arguments) != 1 or name in ("min", "max") or node.keywords:
            raise UnsupportedSyntax(
                self.at(node),
                what=f"this form of {name}",
                hint="give min and max two numbers or more, the rest one",
            )
        if name == "abs":
            return scalars.unary(self, "abs", arguments[0], node)
        return scalars.convert(self, name, arguments[0], node)


def _is_new_tensor(tensor: Runtime) -> bool:
    return isinstance(tensor.ssa.owner, CallOp) and tensor.ssa.owner.row.name == "GlobalTensor"


def _config(called: object, arguments: Sequence[Value]) -> FixpipeConfig | None:
    """asc.FixpipeConfig(layout), and asc.FixpipeConfig.cfg_nz() for cfg_nz."""
    if isinstance(called, FixpipeConfig) and not arguments:
        return called()
    match arguments:
        case [Constant(value=CO2Layout() as layout)] if called is FixpipeConfig:
            return FixpipeConfig(layout)
    return None


def _is_dtype_method(function: object) -> bool:
    return isinstance(getattr(function, "__self__", None), DataType)
