"""Numbers in the IR: constants and run-time scalars in the type that an operation needs.

In: a value, and a scalar type. Out: an SSA value of that type. Refuses what is no number, and constants out of range.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import WrongType, brief
from opwright.ir.language import CastOp, CompareOp, ConstantOp
from opwright.ir.site import Site
from opwright.ir.types import BOOL, FLOAT, INT, OF_PYTHON, UINT64, ScalarType, TileType, float32
from opwright.ir.values import Constant, RunTimeValue, Value


def is_float(kind: ScalarType) -> bool:
    """Whether a scalar type holds floats."""
    return kind != BOOL and DTYPES[kind.dtype.data].is_float()


def widened(kind: ScalarType) -> ScalarType:
    """The type in which a number is computed with."""
    if kind in (BOOL, UINT64):
        return kind
    return FLOAT if is_float(kind) else INT


def kind_of(site: Site, value: Value, operation: str) -> ScalarType:
    """The scalar type of a number; refuses everything else."""
    if isinstance(value, Constant):
        for python, kind in OF_PYTHON.items():
            if isinstance(value.value, python):
                return kind
    elif isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType):
        return value.type
    raise WrongType(
        site.at,
        operation=operation,
        got=str(value),
        hint="it takes numbers; tensors are computed with calls such as asc.add",
    )


def refuse_huge(site: Site, value: Value) -> None:
    """Refuses a constant that no run-time number can hold."""
    if isinstance(value, Constant) and isinstance(value.value, int):
        try:
            float(value.value)
        except OverflowError:
            hint = "an int has 64 bits, and the largest float is about 3.4e38"
            raise WrongType(site.at, operation="a run", got=brief(value.value), hint=hint) from None


def materialise(site: Site, value: Value, kind: ScalarType) -> SSAValue:
    """The value in the IR, in type `kind`."""
    if isinstance(value, Constant):
        number = value.value
        assert isinstance(number, (int, float))
        refuse_huge(site, value)
        if kind == BOOL or is_float(kind):
            return site.add(ConstantOp(number if kind == BOOL else float32(number), kind)).results[0]
        low, high = DTYPES[kind.dtype.data].limits
        if isinstance(number, float) or not low <= number <= high:
            article = "an" if str(kind).startswith("i") else "a"
            operation, hint = f"{article} {kind} at run time", f"it goes from {low} to {high}"
            if kind == INT:
                hint = "it is a 64-bit integer"
            raise WrongType(site.at, operation=operation, got=brief(number), hint=hint)
        return site.add(ConstantOp(number, kind)).results[0]
    assert isinstance(value, RunTimeValue)
    return _cast(site, value.ssa, kind)


def truth(site: Site, value: Value) -> Constant | RunTimeValue:
    """The value as a truth value."""
    if isinstance(value, Constant):
        return Constant(bool(value.value))
    if isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType):
        if value.type == BOOL:
            return value
        kind = widened(value.type)
        number, zero = materialise(site, value, kind), materialise(site, Constant(0), kind)
        return RunTimeValue(site.add(CompareOp("ne", number, zero)).results[0])
    got, hint = str(value), "compare runtime numbers"
    if isinstance(value, RunTimeValue) and isinstance(value.type, TileType):
        got, hint = "a tile", "use tile.where, or & and | for and and or; or read a number: x[i] with numbers only"
    raise WrongType(site.at, operation="a condition", got=got, hint=hint)


def _cast(site: Site, ssa: SSAValue, kind: ScalarType) -> SSAValue:
    """A run-time number in another type. The 16-bit floats of C++ convert from and to float, and nothing else."""
    have = ssa.type
    assert isinstance(have, ScalarType)
    if have == kind:
        return ssa
    if FLOAT not in (have, kind) and any(_is_half(part) for part in (have, kind)):
        ssa = site.add(CastOp(ssa, FLOAT)).results[0]
    return site.add(CastOp(ssa, kind)).results[0]


def _is_half(kind: ScalarType) -> bool:
    return is_float(kind) and DTYPES[kind.dtype.data].bytes == 2
