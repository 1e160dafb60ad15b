"""Rows: addresses and tensors, with what can be done to them."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES, SMALL
from opwright.ascendc.row import Form, Row, dtypes, reads, writes
from opwright.ascendc.rules import Capacity, OnChip, Range

_ALL = dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))
_T = {"T": _ALL}
# What local tensors may hold: they are made of uint8 and taken for one of these.
_STORED = dtypes(a2=tuple(DTYPES), a5=(*DTYPES, *SMALL), why=dict.fromkeys(SMALL, "this SoC has no floats of 8 bits"))
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
        "GlobalTensor.get_value",
        "GetValue",
        "One element, read by the scalar unit.",
        forms=(Form("self: global T, offset: uint64", accesses=(reads("self", "1"),), result="number T"),),
        dtypes=_T,
        effect="reads",
        example="number = x_gm.get_value(3)",
    ),
    Row(
        "GlobalTensor.set_value",
        "SetValue",
        "Sets one element, by the scalar unit.",
        forms=(Form("self: global T, offset: uint64, value: number T", accesses=(writes("self", "1"),)),),
        dtypes=_T,
        example="x_gm.set_value(3, 0.5)",
    ),
    Row(
        "GlobalTensor.get_size",
        "GetSize",
        "Elements of the tensor from here on; 0 if set_global_buffer was not told.",
        forms=(Form("self: global T", result="integer"),),
        dtypes=_T,
        exactness="assumed(a tensor without a size says 0, a part of one what is left)",
        effect="value",
        nonnegative=True,
        example="number = x_gm.get_size()",
    ),
    Row(
        "GlobalTensor.get_phy_addr",
        "GetPhyAddr",
        "The address of the tensor, or of its element `offset`.",
        forms=(
            Form("self: global T", result="address T", text="const_cast<{T}>({self}.GetPhyAddr())"),
            Form(
                "self: global T, offset: uint64",
                result="address T",
                text="const_cast<{T}>({self}.GetPhyAddr({offset}))",
            ),
        ),
        dtypes=_T,
        effect="value",
        example="y_gm.set_global_buffer(x_gm.get_phy_addr(), 64)",
    ),
    Row(
        "GlobalTensor.set_l2_cache_hint",
        "SetL2CacheHint",
        "Says how the second-level cache shall treat the tensor. The twin has no such cache.",
        forms=(Form("self: global T, mode: CacheMode = CACHE_MODE_NORMAL, rw_mode: template CacheRwMode = RW"),),
        dtypes=_T,
        example="x_gm.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)",
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
        dtypes={"T": _STORED},
        effect="value",
        example="asc.add(z_local[64:], x_local[64:], y_local[64:], 64)",
    ),
    Row(
        "LocalTensor.get_value",
        "GetValue",
        "One element, read by the scalar unit.",
        forms=(Form("self: local T, index: uint32", accesses=(reads("self", "1"),), result="number T"),),
        dtypes=_T,
        effect="reads",
        example="number = x_local.get_value(3)",
    ),
    Row(
        "LocalTensor.set_value",
        "SetValue",
        "Sets one element, by the scalar unit.",
        forms=(Form("self: local T, index: uint32, value: number T", accesses=(writes("self", "1"),)),),
        dtypes=_T,
        example="x_local.set_value(3, 0.5)",
    ),
    Row(
        "LocalTensor.get_size",
        "GetSize",
        "Elements of the tensor from here on.",
        forms=(Form("self: local T", result="integer"),),
        dtypes=_T,
        effect="value",
        nonnegative=True,
        example="number = x_local.get_size()",
    ),
    Row(
        "LocalTensor.get_length",
        "GetLength",
        "Bytes of the tensor from here on.",
        forms=(Form("self: local T", result="integer"),),
        dtypes=_T,
        effect="value",
        nonnegative=True,
        example="number = x_local.get_length()",
    ),
    Row(
        "LocalTensor.get_phy_addr",
        "GetPhyAddr",
        "The byte at which the tensor, or its element `offset`, lies in its memory.",
        forms=(
            Form("self: local T", result="integer"),
            Form("self: local T, offset: uint32", result="integer"),
        ),
        dtypes=_T,
        effect="value",
        nonnegative=True,
        example="number = x_local.get_phy_addr()",
    ),
    Row(
        "LocalTensor.reinterpret_cast",
        "ReinterpretCast",
        "The same bytes as elements of another type.",
        forms=(Form("self: local T, dtype: template dtype U", result="local U", start="self"),),
        dtypes={"T": _STORED, "U": _STORED},
        effect="value",
        example="asc.duplicate(x_local.reinterpret_cast(asc.int32), 1, 64)",
    ),
)
