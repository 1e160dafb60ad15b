"""Rows: addresses and tensors, with what can be done to them."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES, PACKED, SMALL
from opwright.ascendc.row import CORE, SIMT, Form, Row, dtypes, reads, writes
from opwright.ascendc.rules import Capacity, OnChip, Range
from opwright.ascendc.traits import BY_ADDRESS, Allocates, Binds, Changes, Places, StartsAt, WithoutMemory
from opwright.ascendc.vector_rules import EvenOffset

TASK, SHORT = "Memory", "Addresses and tensors"
_ALL = dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))
_T = {"T": _ALL}
# What local tensors may hold: they are made of uint8 or int8 and taken for one of these.
_STORED = dtypes(
    a2=(*DTYPES, *PACKED),
    a5=(*DTYPES, *SMALL, *PACKED),
    why=dict.fromkeys(SMALL, "this SoC has no floats of 8 bits"),
)
_SIZED = {"T": dtypes(a2=(*DTYPES, *PACKED), a5=(*DTYPES, *PACKED))}
_UINT32_MAX = (1 << 32) - 1
_SIZES = "assumed(set_size and set_buffer_len say the same, in elements and in bytes)"
_TAGS = "assumed(a tag belongs to a tensor, its parts and casts, not to its buffer)"

ROWS = (
    Row(
        "GlobalAddress.__add__",
        "+",
        "The address of the element `offset` further on.",
        forms=(Form("self: pointer T, offset: int64", result="pointer T", text="{self} + {offset}"),),
        dtypes=_T,
        effect="value",
        callers=(CORE, SIMT),
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
            Form("self: global T, buffer: address T, buffer_size: uint64", traits=(Binds("self", "buffer"),)),
            Form("self: global T, buffer: address T", traits=(Binds("self", "buffer"),)),
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
        "Elements of the tensor from here on; 0 if set_global_buffer got no size.",
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
        "Sets how the second-level cache treats the tensor. The twin has no such cache.",
        forms=(Form("self: global T, mode: CacheMode = CACHE_MODE_NORMAL, rw_mode: template CacheRwMode = RW"),),
        dtypes=_T,
        example="x_gm.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)",
    ),
    Row(
        "GlobalTensor.set_shape_info",
        "SetShapeInfo",
        "Gives the tensor a shape, as a note: no call looks at it.",
        forms=(Form("self: global T, shape_info: object ShapeInfo", traits=(Changes("self"),)),),
        dtypes=_T,
        example="x_gm.set_shape_info(asc.ShapeInfo([8, 16]))",
    ),
    Row(
        "GlobalTensor.get_shape_info",
        "GetShapeInfo",
        "The shape that the tensor was given. A part of a tensor has that of the whole.",
        forms=(Form("self: global T", result="object ShapeInfo"),),
        dtypes=_T,
        effect="reads",
        exactness="assumed(without set_shape_info it is empty, and parts and casts keep it)",
        example='asc.printf("%d\\n", x_gm.get_shape_info().shape(0))',
    ),
    Row(
        "LocalTensor",
        "LocalTensor",
        "A tensor of `tile_size` elements at byte `addr` of the memory of `pos`; 0: to the end of it. With a type "
        "alone it has no memory yet, and with an address alone its position is VECIN. Where the core has a TPipe, "
        "tensors come from its buffers instead.",
        forms=(
            Form(
                "dtype: dtype T",
                result="local T",
                text="AscendC::LocalTensor<{T}>",
                traits=(WithoutMemory(), Allocates("tensor", BY_ADDRESS)),
            ),
            Form(
                "dtype: dtype T, addr: uint32",
                rules=(Range("addr", 0, _UINT32_MAX),),
                result="local T",
                text="AscendC::LocalTensor<{T}>(AscendC::TPosition::VECIN, {addr}, 0)",
                traits=(StartsAt("addr"), Allocates("tensor", BY_ADDRESS, begin="addr")),
            ),
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
                traits=(StartsAt("addr"), Allocates("tensor", BY_ADDRESS, begin="addr", elements="tile_size")),
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
            Form(
                "self: local T, offset: uint32",
                rules=(EvenOffset("offset", "self"),),
                result="local T",
                text="{self}[{offset}]",
                traits=(StartsAt("self + offset"),),
            ),
        ),
        dtypes={"T": _STORED},
        effect="reads",
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
        dtypes=_SIZED,
        effect="reads",
        nonnegative=True,
        example="number = x_local.get_size()",
    ),
    Row(
        "LocalTensor.get_length",
        "GetLength",
        "Bytes of the tensor from here on. Headers after 9.2.0-beta.1 deprecate it: get_size counts elements.",
        forms=(Form("self: local T", result="integer"),),
        dtypes=_SIZED,
        effect="reads",
        nonnegative=True,
        example="number = x_local.get_length()",
    ),
    Row(
        "LocalTensor.get_phy_addr",
        "GetPhyAddr",
        "The address of the tensor, or of its element `offset`, in its memory, in bytes.",
        forms=(
            Form("self: local T", result="integer"),
            Form("self: local T, offset: uint32", result="integer"),
        ),
        dtypes=_T,
        effect="reads",
        nonnegative=True,
        example="number = x_local.get_phy_addr()",
    ),
    Row(
        "LocalTensor.reinterpret_cast",
        "ReinterpretCast",
        "The same bytes as elements of another type. Of int4 two share a byte, the first in its low half.",
        forms=(Form("self: local T, dtype: template dtype U", result="local U", traits=(StartsAt("self"),)),),
        dtypes={"T": _STORED, "U": _STORED},
        effect="reads",
        example="asc.duplicate(x_local.reinterpret_cast(asc.int32), 1, 64)",
    ),
    Row(
        "LocalTensor.get_position",
        "GetPosition",
        "The position of the tensor, as a number: asc.TPosition.VECIN.value.",
        forms=(Form("self: local T", result="integer"),),
        dtypes=_T,
        effect="reads",
        nonnegative=True,
        exactness="assumed(a tensor without memory is at VECIN)",
        example="number = x_local.get_position()",
    ),
    Row(
        "LocalTensor.set_size",
        "SetSize",
        "The tensor has `size` elements from now on, at most as many as its buffer or its memory can hold.",
        forms=(Form("self: local T, size: uint32 = 0", traits=(Changes("self"),)),),
        dtypes=_T,
        exactness=_SIZES,
        example="x_local.set_size(32)",
    ),
    Row(
        "LocalTensor.set_buffer_len",
        "SetBufferLen",
        "The tensor has `data_len` bytes from now on, at most as many as its buffer or its memory has.",
        forms=(Form("self: local T, data_len: uint32", traits=(Changes("self"),)),),
        dtypes=_T,
        exactness=_SIZES,
        example="x_local.set_buffer_len(64)",
    ),
    Row(
        "LocalTensor.set_addr_with_offset",
        "SetAddrWithOffset",
        "A tensor made with a type alone lies from now on where the element `offset` of `src` does, and ends with it. "
        "Headers after 9.2.0-beta.1 deprecate it: src[offset:].reinterpret_cast(dtype) is the same tensor.",
        forms=(Form("self: local T, src: local U, offset: uint32", traits=(Places("self"),), lvalues=("src",)),),
        dtypes={"T": _ALL, "U": _ALL},
        exactness="assumed(it ends where src does)",
        example="other_local = asc.LocalTensor(asc.int32)\nother_local.set_addr_with_offset(x_local, 64)",
    ),
    Row(
        "LocalTensor.set_user_tag",
        "SetUserTag",
        "Puts a number of the author's on the tensor. It goes with the tensor through a queue, until free_tensor.",
        forms=(Form("self: local T, tag: int32 = 0", traits=(Changes("self"),)),),
        dtypes=_T,
        exactness=_TAGS,
        example="x_local.set_user_tag(7)",
    ),
    Row(
        "LocalTensor.get_user_tag",
        "GetUserTag",
        "The number that set_user_tag put on the tensor, or 0.",
        forms=(Form("self: local T", result="integer"),),
        dtypes=_T,
        effect="reads",
        exactness=_TAGS,
        example="number = x_local.get_user_tag()",
    ),
    Row(
        "LocalTensor.set_shape_info",
        "SetShapeInfo",
        "Gives the tensor a shape, as a note: no call looks at it.",
        forms=(Form("self: local T, shape_info: object ShapeInfo", traits=(Changes("self"),)),),
        dtypes=_T,
        example="x_local.set_shape_info(asc.ShapeInfo([8, 16]))",
    ),
    Row(
        "LocalTensor.get_shape_info",
        "GetShapeInfo",
        "The shape that the tensor was given. A part of a tensor has that of the whole.",
        forms=(Form("self: local T", result="object ShapeInfo"),),
        dtypes=_T,
        effect="reads",
        exactness="assumed(without set_shape_info it is empty, and parts and casts keep it)",
        example='asc.printf("%d\\n", x_local.get_shape_info().shape(0))',
    ),
)
