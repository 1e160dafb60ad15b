"""Expressions of a kernel.

In: expression nodes. Out: values. Both sides of `and`, `or` and a ternary are evaluated only when Python would, unless
that makes no difference. Refuses what a kernel cannot express.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from abc import abstractmethod
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import NoReturn

from opwright.ascendc.dtypes import ELEMENTS, DataType
from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS, methods_of
from opwright.errors import UnknownName, UnsupportedSyntax, WrongCaller, WrongType
from opwright.frontend import arrays, calls, hints, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.names import attribute_hint
from opwright.frontend.values import Constant, Items, Method, NumberMethod, Runtime, Value, describe
from opwright.ir import Block
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp, InlineOp
from opwright.ir.language import SIMT_KERNEL, IfOp, LoadOp, LogicalOp, SelectOp, StoreOp, VariableOp
from opwright.ir.threads import StartOp
from opwright.ir.types import (
    BOOL,
    GM,
    UB,
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
    StructType,
    ValueType,
)
from opwright.kernel.names import Call, ThreadNames
from opwright.kernel.stable import is_frozen_record

_TENSOR_CLASS: dict[type, str] = {AddressType: "GlobalAddress", GlobalType: "GlobalTensor", LocalType: "LocalTensor"}
# What an address of threads may have been before.
_OUR_MODULES = ("opwright.asc", "opwright.asc.adv")
_POINTER_CLASSES = {GM: ("GlobalAddress", "GlobalTensor"), UB: ("LocalTensor",)}
_READ = "GlobalAddress.__getitem__"
_BEFORE = "compute it before the launch and pass it in"
_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
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
# What a number of the run can be asked for; the rest are operators.
NUMBER_METHODS = ("cast", "ceildiv", "logical_and", "logical_or")


def _attributes(value: object) -> list[str]:
    """What a kernel may ask a constant for: a property of an enum could read anything, and no key would know."""
    if is_frozen_record(value):
        return [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    return ["name", "value"] if isinstance(value, enum.Enum) else dir(value)


def _is_constant(value: Value) -> bool:
    """A constant, or a tuple or list of nothing else."""
    return isinstance(value, Constant) or (isinstance(value, Items) and all(_is_constant(item) for item in value.items))


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
            case ast.List(elts=parts):
                return self.constants(parts, node)
        if isinstance(node, ast.Constant):
            kind = type(node.value).__name__
            names = {"complex": "a complex number", "bytes": "a bytes literal", "ellipsis": "'...'"}
            hint = "a kernel has int, float, bool and text for asc.printf"
            raise UnsupportedSyntax(self.at(node), what=names.get(kind, kind), hint=hint)
        what, hint = _REFUSED.get(type(node), (f"'{type(node).__name__.lower()}'", _BEFORE))
        raise UnsupportedSyntax(self.at(node), what=what, hint=hint)

    def constants(self, parts: list[ast.expr], node: ast.List) -> Items:
        """A list of constants: nothing can change it, so that it is a tuple."""
        items = tuple(self.value(part) for part in parts)
        if all(_is_constant(item) for item in items):
            return Items(items)
        hint = "a list holds constants; use names, a tuple or asc.array"
        raise UnsupportedSyntax(self.at(node), what="a list of values of the run", hint=hint)

    def attribute(self, node: ast.Attribute) -> Value:
        """`module.name`, `tensor.dtype`, `tensor.method`."""
        base = self.value(node.value)
        refused = hints.of_module(base.value, node.attr) if isinstance(base, Constant) else None
        if refused is not None:
            raise UnsupportedSyntax(self.at(node), what=refused[0], hint=refused[1])
        if isinstance(base, Runtime) and isinstance(base.type, StructType):
            return self.field(base, node.attr, node)
        if isinstance(base, Runtime) and isinstance(base.type, ScalarType) and node.attr in NUMBER_METHODS:
            return NumberMethod(base, node.attr)
        if isinstance(base, Runtime) and not isinstance(base.type, (ScalarType, ArrayType, StructType)):
            if node.attr == "dtype" and not isinstance(base.type, ObjectType):
                if base.type.dtype.data == "?":
                    what = "the dtype of a global tensor without memory"
                    raise UnsupportedSyntax(self.at(node), what=what, hint="call set_global_buffer first")
                return Constant(ELEMENTS[base.type.dtype.data])
            if isinstance(base.type, PointerType):
                hint = "threads write x[i], x[i] = value, x[i:] and x.dtype"
                raise UnsupportedSyntax(self.at(node), what=f"'{node.attr}' of an {base.type}", hint=hint)
            owner = self.class_of(base.type)
            methods = methods_of(owner)
            if node.attr in methods:
                return Method(base, methods[node.attr])
            known = [*methods] if isinstance(base.type, ObjectType) else ["dtype", *methods]
            raise UnknownName(self.at(node), name=f"{owner}.{node.attr}", hint=attribute_hint(node.attr, known))
        if isinstance(base, Constant) and isinstance(base.value, Call) and base.value.row.fields:
            return self.variable_field(base.value.row, node.attr, node)
        known_kinds = (ModuleType, ThreadNames, type, enum.Enum, DataType)
        if isinstance(base, Constant) and (is_frozen_record(base.value) or isinstance(base.value, known_kinds)):
            try:
                if not isinstance(base.value, (ModuleType, ThreadNames)) and node.attr not in _attributes(base.value):
                    raise AttributeError
                value = getattr(base.value, node.attr)
            except AttributeError:
                hint = attribute_hint(node.attr, _attributes(base.value))
                raise UnknownName(self.at(node), name=ast.unparse(node), hint=hint) from None
            path = f"{base.path}.{node.attr}" if base.path else ""
            # What opwright itself holds is covered by its version; a user's module is not.
            is_user_type = isinstance(base.value, type) and not base.value.__module__.startswith("opwright.")
            if isinstance(value, Call) and value.row.fields == ("",):
                return self.variable_field(value.row, "", node)
            is_module = isinstance(base.value, ModuleType) and base.value.__name__ not in _OUR_MODULES
            if (is_module or is_user_type) and path:
                self.record(path, value, node)
            return Constant(value, path)
        raise UnsupportedSyntax(
            self.at(node),
            what=f"attribute '{node.attr}' of {describe(base)}",
            hint="pass its value as an argument",
        )

    @abstractmethod
    def call(self, node: ast.Call) -> Value:
        """A call."""

    def refuse_attribute(self, node: ast.Attribute, base: Value) -> NoReturn:
        """Refuses to set an attribute of anything but a kernel object."""
        raise UnsupportedSyntax(
            self.at(node),
            what=f"setting '{node.attr}' of {describe(base)}",
            hint="only fields of your own classes can be set; make parameter objects anew",
        )

    def variable_field(self, row: Row, field: str, node: ast.Attribute) -> Value:
        """`simt.threadIdx.x`, `simt.warpSize`."""
        self.check_caller(row, node)
        if field not in row.fields:
            name = f"asc.{row.name}.{field}"
            raise UnknownName(self.at(node), name=name, hint=attribute_hint(field, row.fields))
        return calls.invoke(self, row, [Constant(field)] if field else [], {}, node)

    def check_caller(self, row: Row, node: ast.AST) -> None:
        """Refuses a call that is for threads only, or that threads cannot make."""
        if self.frame.caller in row.called_by:
            return
        if self.frame.role:
            where, hint = "by threads", "threads compute with numbers and elements: y[i] = x[i] + 1.0"
            if self.frame.role != SIMT_KERNEL:
                hint += "; calls on tensors belong in the kernel that starts them"
        else:
            where = "by a kernel"
            hint = "put it into a function marked @asc.simt and start that: asc.vf_call(function, threads, ...)"
        raise WrongCaller(self.at(node), call=f"asc.{row.name}", where=where, hint=hint)

    def is_of_class(self, kind: ValueType, wanted: str) -> bool:
        """Whether a value may be an argument that is annotated with a class of `opwright.asc`."""
        if isinstance(kind, PointerType):
            return wanted in _POINTER_CLASSES[kind.memory.data]
        return self.class_of(kind) == wanted

    def class_of(self, kind: ValueType) -> str:
        """The class of a tensor, an address or an object, as `opwright.asc` names it; "" for everything else."""
        return kind.kind.data if isinstance(kind, ObjectType) else _TENSOR_CLASS.get(type(kind), "")

    @abstractmethod
    def field(self, instance: Runtime, name: str, node: ast.Attribute) -> Value:
        """A field or a method of a kernel object, or a field of an argument by value."""

    def binary(self, op: ast.operator, node: ast.BinOp) -> Value:
        """Arithmetic of two expressions."""
        return self.arithmetic(op, self.value(node.left), self.value(node.right), node)

    def arithmetic(self, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Arithmetic; an address plus a number is an address."""
        is_address = isinstance(left, Runtime) and isinstance(left.type, (AddressType, PointerType))
        if is_address and isinstance(op, ast.Add):
            return calls.invoke(self, ROWS["GlobalAddress.__add__"], [left, right], {}, node)
        if type(op) not in scalars.NAMES:
            raise UnsupportedSyntax(self.at(node), what="this operator", hint="write it with + - * // %")
        return scalars.binary(self, scalars.NAMES[type(op)], left, right, node)

    def truth(self, value: Value, node: ast.AST) -> Constant | Runtime:
        """The value as a truth value."""
        if isinstance(value, Constant):
            return Constant(bool(value.value))
        if isinstance(value, Runtime) and isinstance(value.type, ScalarType):
            if value.type == BOOL:
                return value
            return scalars.compare(self, "ne", value, Constant(0), node)
        raise WrongType(self.at(node), operation="a condition", got=describe(value), hint="compare numbers of the run")

    def comparison(self, node: ast.Compare) -> Value:
        """A chain of comparisons; each operand is evaluated once, the later ones only if needed."""
        if any(type(op) not in scalars.NAMES for op in node.ops):
            raise UnsupportedSyntax(self.at(node), what="'in' and 'is'", hint="compare with == or !=")
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
                    hint="give it a comparison: n != 0",
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
                hint = "give it a comparison: n != 0"
                raise WrongType(self.at(node), operation=f"'{name}'", got=describe(right), hint=hint)
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
        fixed = (StoreOp, CallOp, VariableOp, HelperCallOp, InlineOp, StartOp)
        for operation in operations:
            is_variable = isinstance(operation, CallOp) and operation.row.fields
            if operation.regions or (isinstance(operation, fixed) and not is_variable):
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
                hint="write tensor[start:] and give the call its count",
            )
        if isinstance(base, Runtime) and isinstance(base.type, PointerType):
            match node.slice:
                case ast.Slice(lower=ast.expr() as lower, upper=None, step=None):
                    return calls.invoke(self, ROWS["GlobalAddress.__add__"], [base, self.value(lower)], {}, node)
                case ast.Slice(lower=None, upper=None, step=None):
                    return base
                case ast.expr() if not isinstance(node.slice, ast.Slice):
                    return calls.invoke(self, ROWS[_READ], [base, self.value(node.slice)], {}, node)
            hint = "write x[i:] for the address of element i"
            raise UnsupportedSyntax(self.at(node), what="an end or a step on an address", hint=hint)
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
            hint="make a tensor of it, asc.GlobalTensor; only threads index an address"
            if isinstance(base, Runtime) and isinstance(base.type, AddressType)
            else "index a tuple with a constant in its range",
        )

    def part(self, tensor: Runtime, offset: Value, node: ast.AST) -> Value:
        """The tensor from an offset on."""
        owner = self.class_of(tensor.type)
        return calls.invoke(self, ROWS[f"{owner}.__getitem__"], [tensor, offset], {}, node)
