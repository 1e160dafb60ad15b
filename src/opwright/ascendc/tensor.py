"""Rows: addresses and tensors, with what can be done to them."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.rules import Capacity, OnChip, Range

_T = {"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))}
_UINT32_MAX = (1 << 32) - 1

ROWS = (
    Row(
        "GlobalAddress.__add__",
        "+",
        "The address of the element `offset` further on.",
        forms=(Form("self: address T, offset: int64", result="address T", text="{self} + {offset}"),),
        dtypes=_T,
        effect="value",
        example="x_gm.set_global_buffer(x + 64, 64)",
    ),
    Row(
        "GlobalTensor",
        "GlobalTensor",
        "A tensor in global memory. Its element type comes from the address it is given by set_global_buffer.",
        forms=(Form("", result="global T", text="AscendC::GlobalTensor<{T}>"),),
        dtypes=_T,
        effect="object",
        example="x_gm = asc.GlobalTensor()",
    ),
    Row(
        "GlobalTensor.set_global_buffer",
        "SetGlobalBuffer",
        "Lets the tensor stand for the memory at `buffer`, `buffer_size` elements long.",
        forms=(
            Form("self: global T, buffer: address T, buffer_size: uint64", binds=("self", "buffer")),
            Form("self: global T, buffer: address T", binds=("self", "buffer")),
        ),
        dtypes=_T,
        example="x_gm.set_global_buffer(x, 64)",
    ),
    Row(
        "GlobalTensor.__getitem__",
        "[]",
        "The tensor that starts at element `offset`: written x_gm[offset:] or x_gm(offset).",
        forms=(Form("self: global T, offset: uint64", result="global T", text="{self}[{offset}]"),),
        dtypes=_T,
        effect="value",
        example="asc.data_copy(x_local, x_gm[64:], 64)",
    ),
    Row(
        "LocalTensor",
        "LocalTensor",
        "A tensor of `tile_size` elements at byte `addr` of the memory of `pos`.",
        forms=(
            Form(
                "dtype: dtype T, pos: TPosition = VECIN, addr: uint32 = 0, tile_size: uint32 = 0",
                rules=(
                    Range("addr", 0, _UINT32_MAX),
                    Range("tile_size", 0, _UINT32_MAX),
                    OnChip("pos"),
                    Capacity("pos", "addr", "tile_size", "dtype"),
                ),
                result="local T",
                text="AscendC::LocalTensor<{T}>({pos}, {addr}, {tile_size})",
                start="addr",
            ),
        ),
        dtypes=_T,
        effect="object",
        example="x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)",
    ),
    Row(
        "LocalTensor.__getitem__",
        "[]",
        "The tensor that starts at element `offset`: written x_local[offset:] or x_local(offset).",
        forms=(
            Form("self: local T, offset: uint32", result="local T", text="{self}[{offset}]", start="self + offset"),
        ),
        dtypes=_T,
        effect="value",
        example="asc.add(z_local[64:], x_local[64:], y_local[64:], 64)",
    ),
)
