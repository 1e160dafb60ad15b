"""Expressions of a kernel.

In: expression nodes. Out: values. Both sides of `and`, `or` and a ternary are evaluated only when Python would, unless
that makes no difference. Refuses what a kernel cannot express.
"""

from __future__ import annotations

import ast
import enum
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import NoReturn

import opwright.asc
from opwright.asc._names import Call, array, ceildiv, inline, number, static_assert
from opwright.ascendc.dtypes import DataType
from opwright.ascendc.table import ROWS, methods_of
from opwright.errors import StaticAssertFailed, UnknownName, UnsupportedSyntax, WrongType
from opwright.frontend import arrays, calls, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.formats import check_format, is_format_row, spread
from opwright.frontend.names import attribute_hint
from opwright.frontend.values import Constant, Items, Method, OwnMethod, Runtime, Value, describe
from opwright.ir import Block
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import InlineOp, InvokeOp
from opwright.ir.language import IfOp, LoadOp, LogicalOp, SelectOp, StoreOp, VariableOp
from opwright.ir.types import (
    BOOL,
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    ScalarType,
    StructType,
    ValueType,
)
from opwright.runtime.jit import JitFunction
from opwright.runtime.reads import is_frozen_record
from opwright.runtime.source import Source

_TENSOR_CLASS: dict[type, str] = {AddressType: "GlobalAddress", GlobalType: "GlobalTensor", LocalType: "LocalTensor"}
_BEFORE = "compute it before the launch and pass it in"
_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.List: ("a list", "use names, a tuple or asc.array"),
    ast.Dict: ("a dict", "use names or a tuple"),
    ast.Set: ("a set", "use names or a tuple"),
    ast.ListComp: ("a comprehension", "write a for loop"),
    ast.SetComp: ("a comprehension", "write a for loop"),
    ast.DictComp: ("a comprehension", "write a for loop"),
    ast.GeneratorExp: ("a generator", "write a for loop"),
    ast.Lambda: ("lambda", "write the expression where it is used"),
    ast.JoinedStr: ("an f-string", 'it can only be the argument of asc.printf: asc.printf(f"n = {n}")'),
    ast.NamedExpr: ("':='", "assign in a line of its own"),
}
# What a kernel may ask a constant for: a property of an enum could read anything, and no key would know.
_ENUM_ATTRIBUTES = ["name", "value"]


class Expressions(Builder):
    """The half of a lowering that makes values; `Lowering` has the other."""

    def value(self, node: ast.expr) -> Value:
        """The value of an expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() | None as literal):
                return Constant(literal)
            case ast.Name(id=name):
                return self.load(name, node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.BinOp(op=op):
                return self.binary(op, node)
            case ast.UnaryOp(op=op):
                return scalars.unary(self, scalars.NAMES[type(op)], self.value(node.operand), node)
            case ast.Compare():
                return self.comparison(node)
            case ast.BoolOp():
                return self.logical(node)
            case ast.IfExp():
                return self.ternary(node)
            case ast.Call():
                return self.call(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Tuple(elts=parts):
                return Items(tuple(self.value(part) for part in parts))
        if isinstance(node, ast.Constant):
            kind = type(node.value).__name__
            names = {"complex": "a complex number", "bytes": "a bytes literal", "ellipsis": "'...'"}
            way_out = "a kernel has int, float, bool and text for asc.printf"
            raise UnsupportedSyntax(self.at(node), what=names.get(kind, kind), way_out=way_out)
        what, way_out = _REFUSED.get(type(node), (f"'{type(node).__name__.lower()}'", _BEFORE))
        raise UnsupportedSyntax(self.at(node), what=what, way_out=way_out)

    def attribute(self, node: ast.Attribute) -> Value:
        """`module.name`, `tensor.dtype`, `tensor.method`."""
        base = self.value(node.value)
        if isinstance(base, Runtime) and isinstance(base.type, StructType):
            return self.field(base, node.attr, node)
        if isinstance(base, Runtime) and not isinstance(base.type, (ScalarType, ArrayType, StructType)):
            if node.attr == "dtype" and not isinstance(base.type, ObjectType):
                if base.type.dtype.data == "?":
                    what = "the dtype of a global tensor without memory"
                    raise UnsupportedSyntax(self.at(node), what=what, way_out="call set_global_buffer first")
                return Constant(getattr(opwright.asc, base.type.dtype.data))
            owner = self.class_of(base.type)
            methods = methods_of(owner)
            if node.attr in methods:
                return Method(base, methods[node.attr])
            known = [*methods] if isinstance(base.type, ObjectType) else ["dtype", *methods]
            raise UnknownName(self.at(node), name=f"{owner}.{node.attr}", way_out=attribute_hint(node.attr, known))
        known_kinds = (ModuleType, type, enum.Enum, DataType)
        if isinstance(base, Constant) and (is_frozen_record(base.value) or isinstance(base.value, known_kinds)):
            known = _ENUM_ATTRIBUTES if isinstance(base.value, enum.Enum) else dir(base.value)
            try:
                if node.attr not in known and not isinstance(base.value, ModuleType):
                    raise AttributeError
                value = getattr(base.value, node.attr)
            except AttributeError:
                hint = attribute_hint(node.attr, known)
                raise UnknownName(self.at(node), name=ast.unparse(node), way_out=hint) from None
            path = f"{base.path}.{node.attr}" if base.path else ""
            # What opwright itself holds is covered by its version; a user's module is not.
            is_user_type = isinstance(base.value, type) and not issubclass(base.value, enum.Enum)
            if (isinstance(base.value, ModuleType) or is_user_type) and base.value is not opwright.asc and path:
                self.record(path, value, node)
            return Constant(value, path)
        raise UnsupportedSyntax(
            self.at(node),
            what=f"attribute '{node.attr}' of {describe(base)}",
            way_out="pass its value as an argument",
        )

    def refuse_attribute(self, node: ast.Attribute, base: Value) -> NoReturn:
        """Refuses to set an attribute of anything but a kernel object."""
        raise UnsupportedSyntax(
            self.at(node),
            what=f"setting '{node.attr}' of {describe(base)}",
            way_out="only fields of your own classes can be set; make parameter objects anew",
        )

    def class_of(self, kind: ValueType) -> str:
        """The class of a tensor, an address or an object, as `opwright.asc` names it; "" for everything else."""
        return kind.kind.data if isinstance(kind, ObjectType) else _TENSOR_CLASS.get(type(kind), "")

    @abstractmethod
    def field(self, instance: Runtime, name: str, node: ast.Attribute) -> Value:
        """A field or a method of a kernel object, or a field of an argument by value."""

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

    def binary(self, op: ast.operator, node: ast.BinOp) -> Value:
        """Arithmetic of two expressions."""
        return self.arithmetic(op, self.value(node.left), self.value(node.right), node)

    def arithmetic(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Arithmetic; an address plus a number is an address."""
        if isinstance(left, Runtime) and isinstance(left.type, AddressType) and isinstance(op, ast.Add):
            return calls.invoke(self, ROWS["GlobalAddress.__add__"], [left, right], {}, node)
        if type(op) not in scalars.NAMES:
            raise UnsupportedSyntax(self.at(node), what="this operator", way_out="write it with + - * // %")
        return scalars.binary(self, scalars.NAMES[type(op)], left, right, node)

    def truth(self, value: Value, node: ast.AST) -> Constant | Runtime:
        """The value as a truth value."""
        if isinstance(value, Constant):
            return Constant(bool(value.value))
        if isinstance(value, Runtime) and isinstance(value.type, ScalarType):
            if value.type == BOOL:
                return value
            return scalars.compare(self, "ne", value, Constant(0), node)
        raise WrongType(
            self.at(node), operation="a condition", got=describe(value), way_out="compare numbers of the run"
        )

    def comparison(self, node: ast.Compare) -> Value:
        """A chain of comparisons; each operand is evaluated once, the later ones only if needed."""
        if any(type(op) not in scalars.NAMES for op in node.ops):
            raise UnsupportedSyntax(self.at(node), what="'in' and 'is'", way_out="compare with == or !=")
        left = self.value(node.left)

        def links() -> Iterator[Callable[[], Value]]:
            nonlocal left
            for op, operand in zip(node.ops, node.comparators, strict=True):

                def link(op: ast.cmpop = op, operand: ast.expr = operand) -> Value:
                    nonlocal left
                    before, left = left, self.value(operand)
                    return scalars.compare(self, scalars.NAMES[type(op)], before, left, node)

                yield link

        return self.chain("and", list(links()), node)

    def logical(self, node: ast.BoolOp) -> Value:
        """`and`, `or` of truth values."""
        name = "and" if isinstance(node.op, ast.And) else "or"

        def operand(part: ast.expr) -> Value:
            value = self.value(part)
            if isinstance(value, Runtime) and value.type != BOOL:
                raise WrongType(
                    self.at(part),
                    operation=f"'{name}'",
                    got=describe(value),
                    way_out="give it a comparison: n != 0",
                )
            return value

        return self.chain(name, [lambda part=part: operand(part) for part in node.values], node)  # type: ignore[misc]

    def chain(self, name: str, parts: list[Callable[[], Value]], node: ast.AST) -> Value:
        """Short-circuit evaluation of truth values."""
        left = parts[0]()
        if len(parts) == 1:
            return left
        if isinstance(left, Constant):
            decided = bool(left.value) == (name == "or")
            return left if decided else self.chain(name, parts[1:], node)
        with self.nested() as block:
            right = self.chain(name, parts[1:], node)
            if isinstance(right, Constant) and not isinstance(right.value, bool):
                # Python's result would be this very value, not a truth value.
                way_out = "give it a comparison: n != 0"
                raise WrongType(self.at(node), operation=f"'{name}'", got=describe(right), way_out=way_out)
            truth = self.truth(right, node)
            ssa = scalars.materialise(self, truth, BOOL, node)
        first = self.truth(left, node)
        assert isinstance(first, Runtime)
        if self.splice(block):
            return Runtime(self.add(LogicalOp(name, first.ssa, ssa), node).results[0])
        cell = self.add(VariableOp(first.ssa, BOOL), node).results[0]
        with self.nested(block):
            self.add(StoreOp(cell, ssa), node)
        test = self.add(LoadOp(cell), node).results[0]
        sides = (block, self.new_block()) if name == "and" else (self.new_block(), block)
        self.add(IfOp(test, *sides), node)
        return Runtime(self.add(LoadOp(cell), node).results[0])

    def splice(self, *blocks: Block) -> bool:
        """Moves the operations of blocks here if evaluating them early makes no difference."""
        operations = [operation for block in blocks for operation in block.ops]
        # A trap, a printf or a store must happen only when Python would come there.
        fixed = (StoreOp, CallOp, VariableOp, InvokeOp, InlineOp)
        if any(operation.regions or isinstance(operation, fixed) for operation in operations):
            return False
        for operation in operations:
            operation.detach()
            self.block.add_op(operation)
        return True

    def ternary(self, node: ast.IfExp) -> Value:
        """`a if test else b`."""
        test = self.truth(self.value(node.test), node.test)
        if isinstance(test, Constant):
            return self.value(node.body if test.value else node.orelse)
        with self.nested() as then:
            left = self.value(node.body)
        with self.nested() as orelse:
            right = self.value(node.orelse)
        kind = scalars.common(self, left, right, "a ternary", node)
        with self.nested(then):
            a = scalars.materialise(self, left, kind, node)
        with self.nested(orelse):
            b = scalars.materialise(self, right, kind, node)
        if self.splice(then, orelse):
            return Runtime(self.add(SelectOp(test.ssa, a, b), node).results[0])
        cell = self.add(VariableOp(None, kind), node).results[0]
        for block, value in ((then, a), (orelse, b)):
            with self.nested(block):
                self.add(StoreOp(cell, value), node)
        self.add(IfOp(test.ssa, then, orelse), node)
        return Runtime(self.add(LoadOp(cell), node).results[0])

    def subscript(self, node: ast.Subscript) -> Value:
        """`tensor[offset:]` and constant tuples."""
        base = self.value(node.value)
        if isinstance(base, Runtime) and isinstance(base.type, (GlobalType, LocalType)):
            match node.slice:
                case ast.Slice(lower=ast.expr() as lower, upper=None, step=None):
                    return self.part(base, self.value(lower), node)
                case ast.Slice(lower=None, upper=None, step=None):
                    return base
                case ast.expr() if not isinstance(node.slice, ast.Slice):
                    row = self.row(f"{self.class_of(base.type)}.get_value")
                    return calls.invoke(self, row, [base, self.value(node.slice)], {}, node)
            raise UnsupportedSyntax(
                self.at(node),
                what="an end or a step on a tensor",
                way_out="write tensor[start:] and give the call its count",
            )
        if isinstance(base, Runtime) and isinstance(base.type, ArrayType) and not isinstance(node.slice, ast.Slice):
            cell = arrays.element(self, base, self.value(node.slice), node)
            return Runtime(self.add(LoadOp(cell), node).results[0])
        index = self.value(node.slice) if not isinstance(node.slice, ast.Slice) else None
        items = base.items if isinstance(base, Items) else ()
        if isinstance(base, Constant) and isinstance(base.value, tuple):
            items = tuple(Constant(item) for item in base.value)
        if isinstance(index, Constant) and isinstance(index.value, int) and -len(items) <= index.value < len(items):
            return items[index.value]
        raise UnsupportedSyntax(
            self.at(node),
            what=f"indexing {describe(base)}",
            way_out="index a tuple with a constant in its range",
        )

    def part(self, tensor: Runtime, offset: Value, node: ast.AST) -> Value:
        """The tensor from an offset on."""
        owner = self.class_of(tensor.type)
        return calls.invoke(self, ROWS[f"{owner}.__getitem__"], [tensor, offset], {}, node)

    def call(self, node: ast.Call) -> Value:
        """A call of Ascend C, of a builtin, or of a tensor's method."""
        function = self.value(node.func)
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            keyword.arg is None for keyword in node.keywords
        ):
            raise UnsupportedSyntax(self.at(node), what="* and ** in a call", way_out="write the arguments out")
        first = node.args[0] if node.args else None
        if isinstance(first, ast.JoinedStr) and isinstance(function, Constant) and isinstance(function.value, Call):
            row = function.value.row
            if is_format_row(row) and len(node.args) == 1 and not node.keywords:
                return calls.invoke(self, row, spread(self, row, first), {}, node)
        arguments = [self.argument_value(argument) for argument in node.args]
        keywords = {keyword.arg or "": self.argument_value(keyword.value) for keyword in node.keywords}
        match function:
            case Constant(value=JitFunction() as helper, path=path) if path:
                return self.call_function(helper.function, helper.source, path, arguments, keywords, node)
            case OwnMethod():
                return self.call_method(function, arguments, keywords, node)
            case Constant(value=type() as made, path=path) if path and made.__module__ != "builtins":
                return self.construct(made, path, arguments, keywords, node)
            case Constant(value=Call(row=row)):
                for value in (*arguments, *keywords.values()):
                    scalars.refuse_huge(self, value, node)
                check_format(self, row, arguments, node)
                return calls.invoke(self, row, arguments, keywords, node)
            case Method(tensor=tensor, row=row):
                if row.name == "GlobalTensor.set_global_buffer":
                    self.refuse_copies(tensor, node)
                return calls.invoke(self, row, [tensor, *arguments], keywords, node)
            case Runtime() if isinstance(function.type, (GlobalType, LocalType)) and len(arguments) == 1:
                return self.part(function, arguments[0], node)
            case Constant(value=called) if called is ceildiv and len(arguments) == 2 and not keywords:
                negated = scalars.unary(self, "neg", arguments[0], node)
                return scalars.unary(self, "neg", scalars.binary(self, "floordiv", negated, arguments[1], node), node)
            case Constant(value=called) if called is static_assert and len(arguments) in (1, 2) and not keywords:
                self.static_assert(arguments, node)
                return Constant(None)
            case Constant(value=called) if called is number and len(arguments) == 2 and not keywords:
                return self.number(arguments, node)
            case Constant(value=called) if called is array and not keywords.keys() - {"fill_value"}:
                return arrays.make(self, arguments, keywords.get("fill_value"), node)
            case Constant(value=called) if called is inline:
                return self.inline(arguments, keywords, node)
            case Constant(value=called) if called is len and len(arguments) == 1 and not keywords:
                return self.length(arguments[0], node)
            case Constant(value=called) if called in (min, max, abs, int, float, bool):
                return self.builtin(called, arguments, node)
            case Constant(value=FunctionType()):
                raise UnsupportedSyntax(
                    self.at(node),
                    what=f"calling {ast.unparse(node.func)}, a plain Python function,",
                    way_out="mark it with @asc.jit: it becomes a helper of the kernel",
                )
            case Constant(value=called) if _is_dtype_method(called) and not arguments and not keywords:
                assert callable(called)
                return Constant(called())
        raise UnsupportedSyntax(
            self.at(node),
            what=f"calling {ast.unparse(node.func)}",
            way_out="a kernel can call names of opwright.asc, helpers marked @asc.jit, your own classes, and "
            "min, max, abs, len, int, float and bool",
        )

    def argument_value(self, node: ast.expr) -> Value:
        """An argument of a call: a list may stand there, as in asc.array(asc.int32, [1, 2])."""
        if isinstance(node, ast.List):
            return Items(tuple(self.value(part) for part in node.elts))
        return self.value(node)

    def number(self, arguments: Sequence[Value], node: ast.Call) -> Value:
        """asc.number(value, dtype)."""
        value, dtype = arguments
        if not (isinstance(dtype, Constant) and isinstance(dtype.value, DataType)):
            way_out = "write asc.number(n, asc.int32)"
            raise UnsupportedSyntax(self.at(node), what="asc.number without a data type", way_out=way_out)
        return scalars.number(self, value, dtype.value.name, node)

    def length(self, value: Value, node: ast.Call) -> Constant:
        """len(x) of what has a length that is known."""
        if isinstance(value, Items):
            return Constant(len(value.items))
        if isinstance(value, Constant) and isinstance(value.value, (tuple, str)):
            return Constant(len(value.value))
        if isinstance(value, Runtime) and isinstance(value.type, ArrayType):
            return Constant(value.type.length.data)
        way_out = "it takes tuples and asc.array; a tensor has get_size()"
        raise WrongType(self.at(node), operation="len", got=describe(value), way_out=way_out)

    def inline(self, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
        """asc.inline: C++ of the author's as it stands."""
        values = dict(zip(("code", "args", "before_function"), arguments, strict=False)) | dict(keywords)
        code, before = values.pop("code", None), values.pop("before_function", Constant(False))
        operands = values.pop("args", Items(()))
        if isinstance(operands, Constant) and isinstance(operands.value, tuple):
            operands = Items(tuple(Constant(item) for item in operands.value))
        is_text = isinstance(code, Constant) and isinstance(code.value, str)
        if values or not is_text or not isinstance(before, Constant) or not isinstance(operands, Items):
            way_out = 'write asc.inline("code with $0", (value,)); the code is a constant'
            raise UnsupportedSyntax(self.at(node), what="this form of asc.inline", way_out=way_out)
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
                way_out="use assert, which tests in the run",
            )
        test, *message = (argument.value for argument in arguments if isinstance(argument, Constant))
        if not test:
            raise StaticAssertFailed(self.at(node), message=message[0] if message else ast.unparse(node.args[0]))

    def refuse_copies(self, tensor: Runtime, node: ast.AST) -> None:
        """Variables of the text hold copies of a tensor; Python would see the new buffer through each of them."""
        copied = any(isinstance(use.operation, (StoreOp, VariableOp)) for use in tensor.ssa.uses)
        if copied or not (_is_new_tensor(tensor) or isinstance(tensor.ssa.owner, MemberOp)):
            raise UnsupportedSyntax(
                self.at(node),
                what="set_global_buffer on a part of a tensor, or on one that a branch or a loop sets,",
                way_out="give each tensor its buffer right after x_gm = asc.GlobalTensor()",
            )

    def refuse_late_buffer(self, name: str, tensor: Runtime, node: ast.AST) -> None:
        """A tensor that becomes a variable of the text must have its buffer, and for good."""
        if not isinstance(tensor.type, GlobalType):
            return
        made = tensor.ssa.owner
        sets = [use.operation for use in tensor.ssa.uses if use.operation.name == "asc.GlobalTensor.set_global_buffer"]
        late = _is_new_tensor(tensor) and any(operation.parent is not made.parent for operation in sets)
        if tensor.type.dtype.data == "?" or late:
            raise UnsupportedSyntax(
                self.at(node),
                what=f"setting '{name}', a global tensor that has no buffer yet or gets another, in a branch or a loop",
                way_out="give each tensor its buffer right after x_gm = asc.GlobalTensor()",
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
                way_out="give min and max two numbers or more, the rest one",
            )
        if name == "abs":
            return scalars.unary(self, "abs", arguments[0], node)
        return scalars.convert(self, name, arguments[0], node)


def _is_new_tensor(tensor: Runtime) -> bool:
    return isinstance(tensor.ssa.owner, CallOp) and tensor.ssa.owner.row.name == "GlobalTensor"


def _is_dtype_method(function: object) -> bool:
    return isinstance(getattr(function, "__self__", None), DataType)
