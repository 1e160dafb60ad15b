"""Sums on their way from L0C to global memory.

In: stores of products, which at most a conversion and `maximum` with 0 have changed. Out: `fixpipe`. Of NaN it leaves
NaN, where `maximum` with 0 gives 0. Refuses elements that lie apart in memory.
"""

from __future__ import annotations

from opwright.ascendc.enums import CO2Layout, QuantModes
from opwright.ascendc.socs import A5
from opwright.ir import SSAValue
from opwright.ir.tile import CastOp, WithNumberOp, type_of
from opwright.ir.tile_memory import StoreOp
from opwright.tile.compiler.buffers import Buffer
from opwright.tile.compiler.copies import Copies
from opwright.tile.compiler.site import Number, number_of, refuse

_MODES = {"float16": QuantModes.F322F16, "bfloat16": QuantModes.F322BF16}


def stored_sum(value: SSAValue) -> tuple[SSAValue, bool]:
    """The sum that a stored tile was made of, and whether what is below 0 becomes 0."""
    is_positive = False
    while isinstance(value.owner, (CastOp, WithNumberOp)):
        is_positive |= isinstance(value.owner, WithNumberOp)
        value = value.owner.x
    return value, is_positive


def store(operation: StoreOp, sums: Buffer, pitch: Number, is_positive: bool, copies: Copies) -> None:
    """L0C to global memory. `pitch`: rows from a column of fractals to the next one."""
    site, kind = copies.site, type_of(operation.tile)
    row, column = (number_of(one) for one in operation.strides)
    if not (isinstance(column, int) and column == 1):
        refuse(site, "a store of elements that lie apart in memory")
    copies.test_rows(row)
    rows, columns = (number_of(count) for count in operation.counts)
    sizes = (columns, rows, pitch, row)
    mode = _MODES.get(kind.dtype.data, QuantModes.NoQuant)
    if site.soc.name in A5:
        params = site.value("FixpipeParamsArch3510", CO2Layout.ROW_MAJOR, *sizes, mode, 0, is_positive)
    else:
        params = site.value("FixpipeParamsV220", *sizes, mode, 0, 1, 0, 0, is_positive)
    target = copies.part(operation.address, number_of(operation.offset))
    site.call("fixpipe", target, sums.tensor, params)
    copies.remember(operation.offset, operation.strides, (kind.sizes[0], kind.sizes[1]))
