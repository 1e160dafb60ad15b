"""The part of the `tile` dialect that touches global memory: loads, stores, atomic updates and reads of numbers.

In: addresses, offsets and strides, which count elements. Out: operations whose effects say which address they touch.
A load or store has a stride for each axis of its tile. The last stride is the constant 1, unless a number indexes the
last axis of the tensor.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import EffectInstance, MemoryEffect

from opwright.ir.tile import MakesTile
from opwright.ir.traits import MEMORY, READ, WRITE, Effects
from opwright.ir.types import AddressType, ScalarType, TileType, scalar

ATOMICS = ("add", "max", "min")


class _ReadsAddress(MemoryEffect):
    """Reads the memory behind its address."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        assert isinstance(op, (LoadOp, GatherOp, ReadOp))
        return {EffectInstance(READ, op.address, MEMORY)}


class _WritesAddress(MemoryEffect):
    """Writes the memory behind its address; an atomic operation reads it before."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        assert isinstance(op, (StoreOp, AtomicOp))
        written = EffectInstance(WRITE, op.address, MEMORY)
        return {written, EffectInstance(READ, op.address, MEMORY)} if isinstance(op, AtomicOp) else {written}


@irdl_op_definition
class LoadOp(MakesTile):
    """A tile of elements in global memory. `offset`: that of the first one."""

    name = "tile.load"
    irdl_options = (AttrSizedOperandSegments(),)
    address = operand_def(AddressType)
    offset = operand_def(ScalarType)
    strides = var_operand_def(ScalarType)
    traits = traits_def(_ReadsAddress())

    def __init__(
        self,
        address: SSAValue,
        offset: SSAValue,
        strides: Sequence[SSAValue],
        kind: TileType,
        counts: Sequence[SSAValue],
    ) -> None:
        super().__init__(operands=[address, offset, strides, counts], result_types=[kind])


@irdl_op_definition
class GatherOp(MakesTile):
    """A load whose positions along one axis of the tile are the elements of `index`, an integer tile of rank 1.

    `length`: that of the tensor's axis, which no position may reach.
    """

    name = "tile.gather"
    irdl_options = (AttrSizedOperandSegments(),)
    axis = attr_def(IntAttr)
    address = operand_def(AddressType)
    offset = operand_def(ScalarType)
    index = operand_def(TileType)
    length = operand_def(ScalarType)
    strides = var_operand_def(ScalarType)
    traits = traits_def(_ReadsAddress())

    def __init__(
        self,
        address: SSAValue,
        offset: SSAValue,
        index: SSAValue,
        length: SSAValue,
        axis: int,
        strides: Sequence[SSAValue],
        kind: TileType,
        counts: Sequence[SSAValue],
    ) -> None:
        attributes = {"axis": IntAttr(axis)}
        super().__init__(
            operands=[address, offset, index, length, strides, counts], attributes=attributes, result_types=[kind]
        )


class PutsTile(IRDLOperation):
    """An operation that puts what is there of a tile into global memory; `offset` and `strides` as for a load."""

    irdl_options = (AttrSizedOperandSegments(),)
    tile = operand_def(TileType)
    address = operand_def(AddressType)
    offset = operand_def(ScalarType)
    strides = var_operand_def(ScalarType)
    counts = var_operand_def(ScalarType)


@irdl_op_definition
class StoreOp(PutsTile):
    """Writes a tile."""

    name = "tile.store"
    traits = traits_def(_WritesAddress())

    def __init__(
        self,
        tile: SSAValue,
        address: SSAValue,
        offset: SSAValue,
        strides: Sequence[SSAValue],
        counts: Sequence[SSAValue],
    ) -> None:
        super().__init__(operands=[tile, address, offset, strides, counts])


@irdl_op_definition
class AtomicOp(PutsTile):
    """Joins a tile with what memory holds: one of ATOMICS, element by element."""

    name = "tile.atomic"
    operator = attr_def(StringAttr)
    traits = traits_def(_WritesAddress())

    def __init__(
        self,
        operator: str,
        tile: SSAValue,
        address: SSAValue,
        offset: SSAValue,
        strides: Sequence[SSAValue],
        counts: Sequence[SSAValue],
    ) -> None:
        attributes = {"operator": StringAttr(operator)}
        super().__init__(operands=[tile, address, offset, strides, counts], attributes=attributes)


@irdl_op_definition
class ReadOp(IRDLOperation):
    """One element of global memory as a number, read by the scalar unit."""

    name = "tile.read"
    address = operand_def(AddressType)
    offset = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(_ReadsAddress())

    def __init__(self, address: SSAValue, offset: SSAValue) -> None:
        assert isinstance(address.type, AddressType)
        super().__init__(operands=[address, offset], result_types=[scalar(address.type.dtype.data)])
