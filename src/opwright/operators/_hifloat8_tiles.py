"""Rows of numbers in tiles of the unified buffer: where they lie, how they are copied, the scale of each.

In: tensors, and on the chip addresses. Out: a `Plan` for a kernel, and the copies it asks for. Refuses nothing.

A tile holds many short rows or a part of a long one. On the chip every row starts at a multiple of 64 lanes. What lies
between rows is computed with and never copied out.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from opwright import asc

TILE = 4096  # lanes of a tile
ROW = 64  # lanes that a row on the chip is a multiple of: a repeat of float32
LANES = 128  # of a repeat of 16 bits
CORES = 8
MAX_ROWS = TILE // ROW


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
def part_of(piece: int, plan: Plan) -> tuple[int, int, int, int, int]:
    """The first row and column of a tile, how many it has of each, and how many lanes, in whole repeats."""
    row = piece // plan.tiles * plan.group
    column = piece % plan.tiles * TILE
    rows = min(plan.group, plan.rows - row)
    columns = min(TILE, plan.columns - column)
    return row, column, rows, columns, ((rows - 1) * plan.width + columns + LANES - 1) // LANES * LANES


@asc.jit
def clear(queue: asc.TQue, size: int) -> None:
    """Fills both buffers of a queue, of `size` bytes: lanes that no row covers are computed with, too."""
    first = queue.alloc_tensor(asc.int16)
    second = queue.alloc_tensor(asc.int16)
    asc.duplicate(first, 0, size // 2)
    asc.duplicate(second, 0, size // 2)
    queue.free_tensor(first)
    queue.free_tensor(second)


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
        pipe.init_buffer(self.queue, 2, MAX_ROWS * 4)
        pipe.init_buffer(self.buffer, MAX_ROWS * 32)
        self.blocks = self.buffer.get(asc.float32)

    def spread(self, row: int, rows: int) -> None:
        """Fills a block with the scale of each row."""
        brought = self.queue.alloc_tensor(asc.float32)
        bring(brought, self.source[row:], 4, 1, rows, ROW)
        self.queue.enque(brought)
        scales = self.queue.deque(asc.float32)
        asc.brcb(self.blocks, scales, (rows + 7) // 8, asc.BrcbRepeatParams(1, 8))
        self.queue.free_tensor(scales)

    def divide(self, numbers: asc.LocalTensor, rows: int, columns: int, width: int) -> None:
        """Divides each row by its scale."""
        same = asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0)
        for i in range(rows):
            part = numbers[i * width :]
            asc.div(part, part, self.blocks[i * 8 :], ROW, (columns + ROW - 1) // ROW, same)

    def multiply(self, numbers: asc.LocalTensor, rows: int, columns: int, width: int) -> None:
        """Multiplies each row by its scale."""
        same = asc.BinaryRepeatParams(1, 1, 0, 8, 8, 0)
        for i in range(rows):
            part = numbers[i * width :]
            asc.mul(part, part, self.blocks[i * 8 :], ROW, (columns + ROW - 1) // ROW, same)


def plan_of(tensor: torch.Tensor, each: torch.Tensor | None = None) -> Plan:
    """As many rows as `each` has numbers; without it all is one row."""
    rows = 1 if each is None else each.numel()
    columns = tensor.numel() // max(rows, 1)
    width = min(TILE, -(-columns // ROW) * ROW)
    group = max(1, min(rows, TILE // max(width, ROW)))
    tiles = -(-columns // TILE)
    return Plan(rows, columns, group, width, tiles, -(-rows // group) * tiles)
