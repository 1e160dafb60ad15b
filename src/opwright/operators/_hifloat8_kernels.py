"""HiFloat8 as kernels of `opwright.asc`: encode, decode, quantize, dequantize, fake_quantize, largest, count.

In: contiguous torch tensors on the CPU, and one for the result. Out: the result, written by a kernel on the twin, on up
to 8 cores, for the SoC of the settings. Rows have a scale each; without scales a tensor of any shape is one row. The
tensors must fit each other: what checks them is the operator. Refuses nothing itself.

On ascend950 the SoC's own conversion rounds. The twin has it that what is too large becomes infinity; public texts
disagree. Not run on an NPU.
"""

from __future__ import annotations

from functools import cache
from typing import get_args

import numpy as np
import torch

from opwright import asc
from opwright.ascendc.socs import A5
from opwright.formats import hifloat8
from opwright.formats.rounding import Overflow
from opwright.operators._hifloat8_lanes import WORDS, Lanes, limit
from opwright.operators._hifloat8_statistics import count as count
from opwright.operators._hifloat8_statistics import largest as largest
from opwright.operators._hifloat8_tiles import CORES, TILE, Plan, Scales, bring, clear, part_of, plan_of, take
from opwright.settings import settings

_RULES: tuple[str, ...] = get_args(Overflow)  # in the order of their numbers in a kernel


# Scales may be subnormal, and the reference divides by them.
KEPT = "flush_subnormals=off"


# Compilers take seconds for this number of calls: half as long at opt_level 1.
@asc.jit(opt_level=1, chip_assumptions=KEPT)
def encode_tiles(
    x: asc.GlobalAddress,
    scale: asc.GlobalAddress,
    z: asc.GlobalAddress,
    plan: Plan,
    overflow: int,
    is_scaled: bool,
    is_native: asc.ConstExpr[bool],
) -> None:
    """z = the codes of x, or of x / scale; or if z has the type of x, what they stand for, times scale."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, plan.rows * plan.columns)
    z_gm.set_global_buffer(z, plan.rows * plan.columns)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    wide_buffer = asc.TBuf(asc.TPosition.VECCALC)
    word_buffer = asc.TBuf(asc.TPosition.VECCALC)
    mask_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE * x.dtype.sizeof())
    pipe.init_buffer(z_queue, 2, TILE * z.dtype.sizeof())
    pipe.init_buffer(wide_buffer, TILE * 4)
    pipe.init_buffer(word_buffer, (5 * TILE + WORDS) * 2)
    pipe.init_buffer(mask_buffer, TILE // 8 * 3)
    wide = wide_buffer.get(asc.float32)
    top = word_buffer.get(asc.int16)
    room = top[TILE:]
    masks = mask_buffer.get(asc.uint8)
    scales = Scales(pipe, scale, plan.rows)
    if not is_native:
        lanes = Lanes(room, masks, TILE, overflow)
    clear(x_queue, TILE * x.dtype.sizeof())

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        row, column, rows, columns, count = part_of(piece, plan)
        begin = row * plan.columns + column
        x_in = x_queue.alloc_tensor(x.dtype)
        bring(x_in, x_gm[begin:], x.dtype.sizeof(), rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(x.dtype)
        z_local = z_queue.alloc_tensor(z.dtype)
        numbers = x_local if x.dtype == asc.float32 else wide
        if x.dtype != asc.float32 and (is_scaled or is_native or x.dtype != asc.bfloat16):
            asc.cast(numbers, x_local, asc.RoundMode.CAST_NONE, count)
        if is_scaled:
            scales.spread(row, rows)
            scales.divide(numbers, rows, columns, plan.width)
        results = z_local if z.dtype == asc.float32 else wide
        if is_native:
            limit(numbers, room.reinterpret_cast(asc.float32), masks, overflow, count)
            codes = top.reinterpret_cast(asc.hifloat8)
            if z.dtype == asc.uint8:
                codes = z_local.reinterpret_cast(asc.hifloat8)
            asc.cast(codes, numbers, asc.RoundMode.CAST_ROUND, count)
            if z.dtype != asc.uint8:
                asc.cast(results, codes, asc.RoundMode.CAST_NONE, count)
        else:
            if is_scaled or x.dtype != asc.bfloat16:
                # Without its lower half a number has the same code. NaN stays NaN.
                asc.cast(top.reinterpret_cast(asc.bfloat16), numbers, asc.RoundMode.CAST_TRUNC, count)
            else:
                asc.data_copy(top, x_local.reinterpret_cast(asc.int16), count)
            if z.dtype == asc.uint8:
                lanes.encode(z_local, top, count)
            else:
                lanes.round(top, count)
                asc.cast(results, top.reinterpret_cast(asc.bfloat16), asc.RoundMode.CAST_NONE, count)
        x_queue.free_tensor(x_local)
        if z.dtype != asc.uint8 and is_scaled:
            scales.multiply(results, rows, columns, plan.width)
        if z.dtype != asc.uint8 and z.dtype != asc.float32:
            asc.cast(z_local, results, asc.RoundMode.CAST_RINT, count)
        z_queue.enque(z_local)

        z_out = z_queue.deque(z.dtype)
        take(z_gm[begin:], z_out, z.dtype.sizeof(), rows, columns, plan.width)
        z_queue.free_tensor(z_out)


@asc.jit(opt_level=1, chip_assumptions=KEPT)
def decode_tiles(
    x: asc.GlobalAddress,
    scale: asc.GlobalAddress,
    values: asc.GlobalAddress,
    z: asc.GlobalAddress,
    plan: Plan,
    is_scaled: bool,
    is_native: asc.ConstExpr[bool],
) -> None:
    """z = what the codes x stand for, times scale. `values` has that of all codes, for SoCs without the format."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    values_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, plan.rows * plan.columns)
    z_gm.set_global_buffer(z, plan.rows * plan.columns)
    values_gm.set_global_buffer(values, 256)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    values_queue = asc.TQue(asc.TPosition.VECIN, 1)
    wide_buffer = asc.TBuf(asc.TPosition.VECCALC)
    place_buffer = asc.TBuf(asc.TPosition.VECCALC)
    half_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE)
    pipe.init_buffer(z_queue, 2, TILE * z.dtype.sizeof())
    pipe.init_buffer(values_queue, 1, 256 * 4)
    pipe.init_buffer(wide_buffer, TILE * 4)
    pipe.init_buffer(place_buffer, TILE * 4)
    pipe.init_buffer(half_buffer, TILE * 2)
    wide = wide_buffer.get(asc.float32)
    places = place_buffer.get(asc.int32)
    halves = half_buffer.get(asc.float16)
    scales = Scales(pipe, scale, plan.rows)
    values_in = values_queue.alloc_tensor(asc.float32)
    asc.data_copy(values_in, values_gm, 256)
    values_queue.enque(values_in)
    table = values_queue.deque(asc.float32)
    clear(x_queue, TILE)

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        row, column, rows, columns, count = part_of(piece, plan)
        begin = row * plan.columns + column
        x_in = x_queue.alloc_tensor(asc.uint8)
        bring(x_in, x_gm[begin:], 1, rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(asc.uint8)
        z_local = z_queue.alloc_tensor(z.dtype)
        if z.dtype == asc.float32:
            results = z_local
        else:
            results = wide
        if is_native:
            asc.cast(results, x_local.reinterpret_cast(asc.hifloat8), asc.RoundMode.CAST_NONE, count)
        else:
            asc.cast(halves, x_local, asc.RoundMode.CAST_NONE, count)
            asc.cast(places, halves, asc.RoundMode.CAST_RINT, count)
            asc.shift_left(places, places, 2, count)
            asc.gather(results, table, places.reinterpret_cast(asc.uint32), 0, count)
        x_queue.free_tensor(x_local)
        if is_scaled:
            scales.spread(row, rows)
            scales.multiply(results, rows, columns, plan.width)
        if z.dtype != asc.float32:
            asc.cast(z_local, results, asc.RoundMode.CAST_RINT, count)
        z_queue.enque(z_local)

        z_out = z_queue.deque(z.dtype)
        take(z_gm[begin:], z_out, z.dtype.sizeof(), rows, columns, plan.width)
        z_queue.free_tensor(z_out)
    values_queue.free_tensor(table)


@cache
def _values() -> torch.Tensor:
    """What every code stands for."""
    return torch.from_numpy(hifloat8.decode(np.arange(256, dtype=np.uint8)))


@cache
def _no_scale() -> torch.Tensor:
    """In the place of scales that no row has."""
    return torch.ones(1)


def _is_native() -> bool:
    return settings.soc in A5


def encode(input: torch.Tensor, codes: torch.Tensor, overflow: str) -> None:
    """codes = the codes of numbers."""
    _encoded(input, None, codes, overflow)


def quantize(input: torch.Tensor, scale: torch.Tensor, codes: torch.Tensor, overflow: str) -> None:
    """codes = the codes of input / scale, of which each row has one."""
    _encoded(input, scale, codes, overflow)


def fake_quantize(input: torch.Tensor, scale: torch.Tensor | None, output: torch.Tensor, overflow: str) -> None:
    """output = what decode(encode(input / scale)) * scale is, rounded to its type."""
    _encoded(input, scale, output, overflow)


def _encoded(input: torch.Tensor, scale: torch.Tensor | None, output: torch.Tensor, overflow: str) -> None:
    plan = plan_of(input, scale)
    if plan.pieces:
        scales = _no_scale() if scale is None else scale
        rule = _RULES.index(overflow)
        cores = min(CORES, plan.pieces)
        encode_tiles[cores](input, scales, output, plan, rule, scale is not None, _is_native())


def decode(codes: torch.Tensor, output: torch.Tensor) -> None:
    """output = what codes stand for."""
    _decoded(codes, None, output)


def dequantize(codes: torch.Tensor, scale: torch.Tensor, output: torch.Tensor) -> None:
    """output = what codes stand for, times the scale of their row, rounded to its type."""
    _decoded(codes, scale, output)


def _decoded(codes: torch.Tensor, scale: torch.Tensor | None, output: torch.Tensor) -> None:
    plan = plan_of(codes, scale)
    if plan.pieces:
        scales = _no_scale() if scale is None else scale
        cores = min(CORES, plan.pieces)
        decode_tiles[cores](codes, scales, _values(), output, plan, scale is not None, _is_native())
