"""HiFloat8 as kernels of `opwright.asc`: encode, decode, quantize, dequantize, fake_quantize, largest, count.

In: contiguous torch tensors on the CPU, and one for the result. Out: the result, written by a kernel on the twin, on up
to 8 cores, for the SoC of the settings. Rows have a scale each; without scales a tensor of any shape is one row. The
tensors must fit each other: what checks them is the operator. Refuses nothing itself.

A tile holds many short rows or a part of a long one. On the chip every row starts at a multiple of 64 lanes. What lies
between rows is computed with and never copied out. Not run on an NPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch

from opwright import asc
from opwright.ascendc.socs import A5
from opwright.formats import hifloat8
from opwright.operators._hifloat8_lanes import LANES, WORDS, Lanes, limit
from opwright.settings import settings

TILE = 4096  # lanes of a tile
ROW = 64  # lanes that a row on the chip is a multiple of: a repeat of float32
CORES = 8
OVERFLOWS = ("inf", "saturate", "saturate_all")
_MOST_ROWS = TILE // ROW
_GREATEST = 3.4028234663852886e38  # finite float32


@dataclass(frozen=True)
class Plan:
    """How rows lie in tiles: `group` rows of `width` lanes in each, or one row in `tiles` tiles."""

    rows: int
    columns: int
    group: int
    width: int
    tiles: int
    pieces: int


@asc.jit
def row_of(piece: int, plan: Plan) -> int:
    """The first row of a piece."""
    return piece // plan.tiles * plan.group


@asc.jit
def part_of(row: int, column: int, plan: Plan) -> tuple[int, int, int]:
    """How many rows and columns a tile has from there on, and how many lanes, in whole repeats."""
    rows = min(plan.group, plan.rows - row)
    columns = min(TILE, plan.columns - column)
    return rows, columns, ((rows - 1) * plan.width + columns + LANES - 1) // LANES * LANES


@asc.jit
def bring(local: asc.LocalTensor, source: asc.GlobalTensor, size: int, rows: int, columns: int, width: int) -> None:
    """Copies rows in; an element has `size` bytes."""
    gap = (width * size) // 32 - (columns * size + 31) // 32
    pieces = asc.DataCopyExtParams(rows, columns * size, 0, gap if rows > 1 else 0, 0)
    asc.data_copy_pad(local, source, pieces, asc.DataCopyPadExtParams(local.dtype, False, 0, 0, 0))


@asc.jit
def take(target: asc.GlobalTensor, local: asc.LocalTensor, size: int, rows: int, columns: int, width: int) -> None:
    """Copies rows out."""
    gap = (width * size) // 32 - (columns * size + 31) // 32
    asc.data_copy_pad(target, local, asc.DataCopyExtParams(rows, columns * size, gap if rows > 1 else 0, 0, 0))


class Scales:
    """The scale of each row of a tile, as blocks of 32 bytes."""

    def __init__(self, pipe: asc.TPipe, scale: asc.GlobalAddress, rows: int):
        self.source = asc.GlobalTensor()
        self.source.set_global_buffer(scale, rows)
        self.queue = asc.TQue(asc.TPosition.VECIN, 1)
        self.buffer = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(self.queue, 2, _MOST_ROWS * 4)
        pipe.init_buffer(self.buffer, _MOST_ROWS * 32)
        self.blocks = self.buffer.get(asc.float32)

    def spread(self, row, rows):
        """Fills a block with the scale of each row."""
        brought = self.queue.alloc_tensor(asc.float32)
        bring(brought, self.source[row:], 4, 1, rows, ROW)
        self.queue.enque(brought)
        scales = self.queue.deque(asc.float32)
        asc.brcb(self.blocks, scales, (rows + 7) // 8, asc.BrcbRepeatParams(1, 8))
        self.queue.free_tensor(scales)

    def divide(self, numbers, rows, columns, width):
        """Divides each row by its scale."""
        same = asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0)
        for i in range(rows):
            part = numbers[i * width :]
            asc.div(part, part, self.blocks[i * 8 :], ROW, (columns + ROW - 1) // ROW, same)

    def multiply(self, numbers, rows, columns, width):
        """Multiplies each row by its scale."""
        same = asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0)
        for i in range(rows):
            part = numbers[i * width :]
            asc.mul(part, part, self.blocks[i * 8 :], ROW, (columns + ROW - 1) // ROW, same)


@asc.jit(opt_level=1)
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
    numbers = wide_buffer.get(asc.float32)
    top = word_buffer.get(asc.int16)
    masks = mask_buffer.get(asc.uint8)
    scales = Scales(pipe, scale, plan.rows)
    if not is_native:
        lanes = Lanes(top[TILE:], masks, TILE, overflow)

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        row = row_of(piece, plan)
        column = piece % plan.tiles * TILE
        rows, columns, count = part_of(row, column, plan)
        begin = row * plan.columns + column
        x_in = x_queue.alloc_tensor(x.dtype)
        bring(x_in, x_gm[begin:], x.dtype.sizeof(), rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(x.dtype)
        if x.dtype == asc.float32:
            asc.data_copy(numbers, x_local, count)
        else:
            asc.cast(numbers, x_local, asc.RoundMode.CAST_NONE, count)
        x_queue.free_tensor(x_local)
        if is_scaled:
            scales.spread(row, rows)
            scales.divide(numbers, rows, columns, plan.width)
        z_local = z_queue.alloc_tensor(z.dtype)
        if is_native:
            limit(numbers, top.reinterpret_cast(asc.float32), masks, overflow, count)
            if z.dtype == asc.uint8:
                asc.cast(z_local.reinterpret_cast(asc.hifloat8), numbers, asc.RoundMode.CAST_ROUND, count)
            else:
                codes = top.reinterpret_cast(asc.hifloat8)
                asc.cast(codes, numbers, asc.RoundMode.CAST_ROUND, count)
                asc.cast(numbers, codes, asc.RoundMode.CAST_NONE, count)
        else:
            # Cutting the lower half off decides nothing, and keeps NaN.
            asc.cast(top.reinterpret_cast(asc.bfloat16), numbers, asc.RoundMode.CAST_TRUNC, count)
            if z.dtype == asc.uint8:
                lanes.encode(z_local, top, count)
            else:
                lanes.round(top, count)
                asc.cast(numbers, top.reinterpret_cast(asc.bfloat16), asc.RoundMode.CAST_NONE, count)
        if z.dtype != asc.uint8:
            if is_scaled:
                scales.multiply(numbers, rows, columns, plan.width)
            if z.dtype == asc.float32:
                asc.data_copy(z_local, numbers, count)
            else:
                asc.cast(z_local, numbers, asc.RoundMode.CAST_RINT, count)
        z_queue.enque(z_local)

        z_out = z_queue.deque(z.dtype)
        take(z_gm[begin:], z_out, z.dtype.sizeof(), rows, columns, plan.width)
        z_queue.free_tensor(z_out)


@asc.jit(opt_level=1)
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
    numbers = wide_buffer.get(asc.float32)
    places = place_buffer.get(asc.int32)
    halves = half_buffer.get(asc.float16)
    scales = Scales(pipe, scale, plan.rows)
    values_in = values_queue.alloc_tensor(asc.float32)
    asc.data_copy(values_in, values_gm, 256)
    values_queue.enque(values_in)
    table = values_queue.deque(asc.float32)

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        row = row_of(piece, plan)
        column = piece % plan.tiles * TILE
        rows, columns, count = part_of(row, column, plan)
        begin = row * plan.columns + column
        x_in = x_queue.alloc_tensor(asc.uint8)
        bring(x_in, x_gm[begin:], 1, rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(asc.uint8)
        if is_native:
            asc.cast(numbers, x_local.reinterpret_cast(asc.hifloat8), asc.RoundMode.CAST_NONE, count)
        else:
            asc.cast(halves, x_local, asc.RoundMode.CAST_NONE, count)
            asc.cast(places, halves, asc.RoundMode.CAST_RINT, count)
            asc.shift_left(places, places, 2, count)
            asc.gather(numbers, table, places.reinterpret_cast(asc.uint32), 0, count)
        x_queue.free_tensor(x_local)
        if is_scaled:
            scales.spread(row, rows)
            scales.multiply(numbers, rows, columns, plan.width)
        z_local = z_queue.alloc_tensor(z.dtype)
        if z.dtype == asc.float32:
            asc.data_copy(z_local, numbers, count)
        else:
            asc.cast(z_local, numbers, asc.RoundMode.CAST_RINT, count)
        z_queue.enque(z_local)

        z_out = z_queue.deque(z.dtype)
        take(z_gm[begin:], z_out, z.dtype.sizeof(), rows, columns, plan.width)
        z_queue.free_tensor(z_out)
    values_queue.free_tensor(table)


@cache
def _values() -> torch.Tensor:
    """What every code stands for."""
    import numpy as np

    return torch.from_numpy(hifloat8.decode(np.arange(256, dtype=np.uint8)))


@cache
def _no_scale() -> torch.Tensor:
    """In the place of scales that no row has."""
    return torch.ones(1)


def plan_of(tensor: torch.Tensor, scale: torch.Tensor | None = None) -> Plan:
    """Rows as scales ask for, else all in one row."""
    rows = 1 if scale is None else scale.numel()
    columns = tensor.numel() // max(rows, 1)
    width = min(TILE, -(-columns // ROW) * ROW)
    group = max(1, min(rows, TILE // max(width, ROW)))
    tiles = -(-columns // TILE)
    return Plan(rows, columns, group, width, tiles, -(-rows // group) * tiles)


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
        rule = OVERFLOWS.index(overflow)
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
