"""The `py` dialect: Python's scalars, variables and control flow as a kernel has them.

In: typed values. Out: operations that keep Python's meaning (`floordiv` floors, a `for` evaluates its bounds once).
Every operation carries `at` = "line:column" relative to the kernel's `def`, and its class the traits by which passes
and the text know what it does.

Operations that a kernel has many of are made by `Operation.__init__`: the constructor of `IRDLOperation` takes twice as
long, to sort out variadic operands that these have not.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.traits import (
    AlwaysSpeculatable,
    ConditionallySpeculatable,
    IsTerminator,
    NoMemoryEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
)

from opwright.ascendc.dtypes import DTYPES
from opwright.ir.traits import Costly, Jump, Loop, MakesCell, ReadsCell, SetsCell
from opwright.ir.types import BOOL, FLOAT, INT, CellType, ScalarType, quoted


def number_of(text: str) -> int | float:
    """A number that an attribute holds: floats are in hexadecimal."""
    return float.fromhex(text) if "x" in text or text in ("inf", "-inf", "nan") else int(text)


class At:
    """Mixin: where an operation comes from."""

    @staticmethod
    def of(operation: Operation) -> str:
        """ "line:column" of an operation, or "" for one of our own making."""
        at = operation.attributes.get("at")
        return at.data if isinstance(at, StringAttr) else ""


# What a function that threads run is: started by a kernel, called by threads, or a kernel itself.
VF, CALLEE, SIMT_KERNEL = "vf", "callee", "simt_kernel"


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel, or a helper of one."""

    name = "py.func"
    sym_name = attr_def(StringAttr)
    parameters = attr_def(ArrayAttr[StringAttr])
    returned = opt_attr_def(ArrayAttr[Attribute])  # the types of what a helper returns
    number = opt_attr_def(IntAttr)  # of a helper, from 1; the kernel has none
    role = opt_attr_def(StringAttr)  # of a function that threads run: VF, CALLEE or SIMT_KERNEL
    max_threads = opt_attr_def(IntAttr)  # of a VF or SIMT_KERNEL one
    body = region_def("single_block")
    traits = traits_def(NoTerminator())

    def __init__(
        self,
        name: str,
        parameters: Sequence[tuple[str, Attribute]],
        number: int = 0,
        role: str = "",
        max_threads: int = 0,
    ) -> None:
        block = Block(arg_types=[kind for _, kind in parameters])
        names = ArrayAttr([quoted(argument_name) for argument_name, _ in parameters])
        attributes: dict[str, Attribute] = {"sym_name": quoted(name), "parameters": names}
        if number:
            attributes["number"] = IntAttr(number)
        if role:
            attributes["role"] = StringAttr(role)
        if max_threads:
            attributes["max_threads"] = IntAttr(max_threads)
        super().__init__(attributes=attributes, regions=[Region(block)])

    @property
    def place(self) -> int:
        """0 for the kernel, the number of a helper."""
        return self.number.data if self.number is not None else 0

    @property
    def is_simt(self) -> bool:
        """Whether threads run it."""
        return self.role is not None


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A number known at compile time. Integers are kept as text since MLIR integers have a width."""

    name = "py.constant"
    value = attr_def(StringAttr)
    result = result_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, value: int | float | bool, kind: ScalarType) -> None:
        text = float(value).hex() if kind.dtype.data.startswith(("float", "bfloat")) else str(int(value))
        Operation.__init__(self, attributes={"value": StringAttr(text)}, result_types=[kind])

    @property
    def number(self) -> int | float:
        """The number."""
        return number_of(self.value.data)


def constant_of(value: SSAValue) -> int | float | None:
    """The number, where a value is a constant."""
    return value.owner.number if isinstance(value.owner, ConstantOp) else None


class TwoScalars(IRDLOperation):
    """An operator on two scalars of one type; what follows differs in the operators and in the result."""

    operator = attr_def(StringAttr)
    left = operand_def(ScalarType)
    right = operand_def(ScalarType)
    result = result_def(ScalarType)

    def __init__(self, operator: str, left: SSAValue, right: SSAValue) -> None:
        kind = BOOL if isinstance(self, (CompareOp, LogicalOp)) else left.type
        attributes = {"operator": StringAttr(operator)}
        Operation.__init__(self, attributes=attributes, operands=[left, right], result_types=[kind])


class _NeverStops(ConditionallySpeculatable):
    """A division may be computed early if it divides by a constant, and a shift if its amount is one."""

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        assert isinstance(op, TwoScalars)
        name, right = op.operator.data, constant_of(op.right)
        if name in ("shl", "shr"):
            return right is not None  # another amount comes behind a test of its own
        return name not in ("floordiv", "mod") or right not in (None, 0)


class _ProductOrDivision(Costly):
    """Sums and bit operations are cheaper to read where they stand."""

    @classmethod
    def is_costly(cls, op: Operation) -> bool:
        assert isinstance(op, TwoScalars)
        return op.operator.data in ("mul", "div", "floordiv", "mod")


@irdl_op_definition
class BinaryOp(TwoScalars):
    """Arithmetic: add, sub, mul, div, floordiv, mod, min, max, and, or, xor, shl or shr."""

    name = "py.binary"
    traits = traits_def(NoMemoryEffect(), _NeverStops(), _ProductOrDivision())


@irdl_op_definition
class TruncDivOp(TwoScalars):
    """floordiv or mod of operands that are never negative, so that truncating division has the same result."""

    name = "py.trunc_div"
    traits = traits_def(NoMemoryEffect(), _NeverStops(), Costly())


@irdl_op_definition
class CompareOp(TwoScalars):
    """A comparison: eq, ne, lt, le, gt or ge."""

    name = "py.compare"
    traits = traits_def(Pure())


@irdl_op_definition
class LogicalOp(TwoScalars):
    """`and` or `or` of two truth values that are safe to evaluate in any order."""

    name = "py.logical"
    traits = traits_def(Pure())


@irdl_op_definition
class UnaryOp(IRDLOperation):
    """neg, invert, not or abs."""

    name = "py.unary"
    operator = attr_def(StringAttr)
    value = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, operator: str, value: SSAValue) -> None:
        attributes = {"operator": StringAttr(operator)}
        Operation.__init__(self, attributes=attributes, operands=[value], result_types=[value.type])


class _FitsAlways(ConditionallySpeculatable):
    """int(x) of a float comes behind a test of its own; all other conversions may be computed early."""

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        assert isinstance(op, CastOp)
        dtype = op.result.type.dtype.data
        return op.value.type != FLOAT or not (dtype in DTYPES and DTYPES[dtype].is_int())


@irdl_op_definition
class CastOp(IRDLOperation):
    """A scalar in another type."""

    name = "py.cast"
    value = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(NoMemoryEffect(), _FitsAlways())

    def __init__(self, value: SSAValue, kind: ScalarType) -> None:
        Operation.__init__(self, operands=[value], result_types=[kind])


@irdl_op_definition
class SelectOp(IRDLOperation):
    """`a if condition else b` where both are safe to evaluate."""

    name = "py.select"
    condition = operand_def(ScalarType)
    left = operand_def(ScalarType)
    right = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(Pure())

    def __init__(self, condition: SSAValue, left: SSAValue, right: SSAValue) -> None:
        Operation.__init__(self, operands=[condition, left, right], result_types=[left.type])


@irdl_op_definition
class VariableOp(IRDLOperation):
    """Declares a variable that is set more than once."""

    name = "py.variable"
    initial = opt_operand_def()
    cell = result_def(CellType)
    traits = traits_def(MakesCell())

    def __init__(self, initial: SSAValue | None, content: Attribute) -> None:
        kind = CellType(content)  # type: ignore[arg-type]
        super().__init__(operands=[[initial] if initial is not None else []], result_types=[kind])


def held(cell: SSAValue) -> list[SSAValue]:
    """The values that a variable is set to."""
    made = cell.owner
    assert isinstance(made, VariableOp)
    first = [made.initial] if made.initial is not None else []
    return first + [use.operation.value for use in cell.uses if isinstance(use.operation, StoreOp)]


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Reads a variable."""

    name = "py.load"
    cell = operand_def(CellType)
    result = result_def()
    traits = traits_def(ReadsCell(), AlwaysSpeculatable())

    def __init__(self, cell: SSAValue) -> None:
        assert isinstance(cell.type, CellType)
        Operation.__init__(self, operands=[cell], result_types=[cell.type.content])


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Sets a variable."""

    name = "py.store"
    cell = operand_def(CellType)
    value = operand_def()
    traits = traits_def(SetsCell())

    def __init__(self, cell: SSAValue, value: SSAValue) -> None:
        Operation.__init__(self, operands=[cell, value])


@irdl_op_definition
class IfOp(IRDLOperation):
    """Two branches; the second may be empty."""

    name = "py.if"
    condition = operand_def(ScalarType)
    then = region_def("single_block")
    orelse = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, condition: SSAValue, then: Block, orelse: Block) -> None:
        super().__init__(operands=[condition], regions=[Region(then), Region(orelse)])


@irdl_op_definition
class ForOp(IRDLOperation):
    """`for i in range(start, stop, step)`; the bounds are evaluated once.

    The step is a constant, or `by`, a run-time number that is at least 1 and far from the ends of 64 bits.
    """

    name = "py.for"
    start = operand_def(ScalarType)
    stop = operand_def(ScalarType)
    by = opt_operand_def(ScalarType)
    step = attr_def(IntAttr)
    variable = attr_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Loop())

    def __init__(
        self, start: SSAValue, stop: SSAValue, step: int, variable: str, body: Block, by: SSAValue | None = None
    ) -> None:
        attributes = {"step": IntAttr(step), "variable": quoted(variable)}
        super().__init__(
            operands=[start, stop, [by] if by is not None else []], attributes=attributes, regions=[Region(body)]
        )


@irdl_op_definition
class WhileOp(IRDLOperation):
    """`while`: the first region ends in a condition that is computed before every iteration."""

    name = "py.while"
    test = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect(), Loop())

    def __init__(self, test: Block, body: Block) -> None:
        super().__init__(regions=[Region(test), Region(body)])


@irdl_op_definition
class ConditionOp(IRDLOperation):
    """Ends the first region of a `while`."""

    name = "py.condition"
    value = operand_def(ScalarType)
    traits = traits_def(NoMemoryEffect(), IsTerminator())

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class BreakOp(IRDLOperation):
    """Ends the innermost loop."""

    name = "py.break"
    traits = traits_def(NoMemoryEffect(), Jump())


@irdl_op_definition
class ContinueOp(IRDLOperation):
    """Goes on with the next iteration of the innermost loop."""

    name = "py.continue"
    traits = traits_def(NoMemoryEffect(), Jump())


@irdl_op_definition
class TripCountOp(IRDLOperation):
    """The number of iterations of `for i in range(start, stop, step)`, with a step of run time that is not 0."""

    name = "py.trip_count"
    start = operand_def(ScalarType)
    stop = operand_def(ScalarType)
    step = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, start: SSAValue, stop: SSAValue, step: SSAValue) -> None:
        super().__init__(operands=[start, stop, step], result_types=[INT])
