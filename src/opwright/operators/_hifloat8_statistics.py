"""What to know of numbers before they become HiFloat8: the largest of each row, and how many do not fit the format.

In: contiguous torch tensors on the CPU, and one for the result. Out: the result. Kernels write one number for each tile
or core, all of them exact, and the host puts them together. The tensors must fit each other: what checks them is the
operator. Refuses nothing itself. Not run on an NPU.
"""

from __future__ import annotations

import torch

from opwright import asc
from opwright.operators._hifloat8_tiles import CORES, MAX_ROWS, TILE, Plan, bring, clear, part_of, plan_of, take

_GREATEST = 3.4028234663852886e38  # finite float32
_ROUNDS_TO_INFINITY = 40960.0
_ROUNDS_TO_NORMAL = 1.5 * 2.0**-16
_ROUNDS_TO_SMALLEST = 2.0**-23
_TESTS = 6
_BLOCK = 8  # float32 in a block of 32 bytes


@asc.jit
def magnitudes(sizes: asc.LocalTensor, x: asc.LocalTensor, is_wide: asc.ConstExpr[bool], count: int) -> None:
    """sizes = |x| as float32."""
    if is_wide:
        asc.abs(sizes, x, count)
    else:
        asc.cast(sizes, x, asc.RoundMode.CAST_NONE, count)
        asc.abs(sizes, sizes, count)


@asc.jit(opt_level=1)
def largest_of_tiles(x: asc.GlobalAddress, z: asc.GlobalAddress, plan: Plan) -> None:
    """z = the largest finite |x| of each row, or of each of its tiles: all rows of the first tile come first."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, plan.rows * plan.columns)
    z_gm.set_global_buffer(z, plan.rows * plan.tiles)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    size_buffer = asc.TBuf(asc.TPosition.VECCALC)
    room_buffer = asc.TBuf(asc.TPosition.VECCALC)
    mask_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE * x.dtype.sizeof())
    pipe.init_buffer(z_queue, 2, MAX_ROWS * 32)
    pipe.init_buffer(size_buffer, TILE * 4)
    pipe.init_buffer(room_buffer, TILE * 4)
    pipe.init_buffer(mask_buffer, TILE // 8)
    sizes = size_buffer.get(asc.float32)
    room = room_buffer.get(asc.float32)
    bits = mask_buffer.get(asc.uint8)
    clear(x_queue, TILE * x.dtype.sizeof())

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        row, column, rows, columns, count = part_of(piece, plan)
        x_in = x_queue.alloc_tensor(x.dtype)
        bring(x_in, x_gm[row * plan.columns + column :], x.dtype.sizeof(), rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(x.dtype)
        z_local = z_queue.alloc_tensor(asc.float32)
        magnitudes(sizes, x_local, x.dtype == asc.float32, count)
        x_queue.free_tensor(x_local)
        asc.compare_scalar(bits, sizes, _GREATEST, asc.CMPMODE.LE, count)
        asc.select(sizes, bits, sizes, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, count)
        for i in range(rows):
            asc.reduce_max(z_local[i * _BLOCK :], sizes[i * plan.width :], room, columns)
        z_queue.enque(z_local)

        z_out = z_queue.deque(asc.float32)
        take(z_gm[piece % plan.tiles * plan.rows + row :], z_out, 4, rows, 1, _BLOCK)
        z_queue.free_tensor(z_out)


class Tally:
    """Counts numbers that pass tests: one sum for each test, in a block of its own."""

    def __init__(self, pipe: asc.TPipe):
        self.buffer = asc.TBuf(asc.TPosition.VECCALC)
        self.mask_buffer = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(self.buffer, (3 * TILE + 3 * _TESTS * _BLOCK) * 4)
        pipe.init_buffer(self.mask_buffer, TILE // 8)
        self.ones = self.buffer.get(asc.float32)
        self.passed = self.ones[TILE:]
        self.room = self.ones[2 * TILE :]
        self.found = self.ones[3 * TILE :]
        self.whole = self.ones[3 * TILE + _TESTS * _BLOCK :].reinterpret_cast(asc.int32)
        self.bits = self.mask_buffer.get(asc.uint8)
        asc.duplicate(self.ones, 1.0, TILE)
        asc.duplicate(self.found, 0.0, _TESTS * _BLOCK)

    def test(
        self,
        number: asc.ConstExpr[int],
        sizes: asc.LocalTensor,
        mode: asc.ConstExpr[asc.CMPMODE],
        limit: asc.ConstExpr[float],
        lanes: int,
        count: int,
    ) -> None:
        """How many of the first `count` sizes compare so."""
        asc.compare_scalar(self.bits, sizes, limit, mode, lanes)
        asc.select(self.passed, self.bits, self.ones, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, lanes)
        asc.reduce_sum(self.found[number * _BLOCK :], self.passed, self.room, count)

    def add_to(self, sums: asc.LocalTensor) -> None:
        """A tile has so few that float32 is exact; sums are integers."""
        asc.cast(self.whole, self.found, asc.RoundMode.CAST_RINT, _TESTS * _BLOCK)
        asc.add(sums, sums, self.whole, _TESTS * _BLOCK)


@asc.jit(opt_level=1)
def count_on_cores(x: asc.GlobalAddress, z: asc.GlobalAddress, plan: Plan) -> None:
    """z = for each core, how many of its |x| are numbers, above 0, and at least each limit of the format."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, plan.columns)
    z_gm.set_global_buffer(z, asc.get_block_num() * _TESTS)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    size_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE * x.dtype.sizeof())
    pipe.init_buffer(z_queue, 1, _TESTS * 32)
    pipe.init_buffer(size_buffer, TILE * 4)
    sizes = size_buffer.get(asc.float32)
    tally = Tally(pipe)
    sums = z_queue.alloc_tensor(asc.int32)
    asc.duplicate(sums, 0, _TESTS * _BLOCK)
    clear(x_queue, TILE * x.dtype.sizeof())

    for piece in range(asc.get_block_idx(), plan.pieces, asc.get_block_num()):
        _, column, rows, columns, lanes = part_of(piece, plan)
        x_in = x_queue.alloc_tensor(x.dtype)
        bring(x_in, x_gm[column:], x.dtype.sizeof(), rows, columns, plan.width)
        x_queue.enque(x_in)

        x_local = x_queue.deque(x.dtype)
        magnitudes(sizes, x_local, x.dtype == asc.float32, lanes)
        x_queue.free_tensor(x_local)
        tally.test(0, sizes, asc.CMPMODE.GE, 0.0, lanes, columns)
        tally.test(1, sizes, asc.CMPMODE.GT, 0.0, lanes, columns)
        tally.test(2, sizes, asc.CMPMODE.GE, _ROUNDS_TO_SMALLEST, lanes, columns)
        tally.test(3, sizes, asc.CMPMODE.GE, _ROUNDS_TO_NORMAL, lanes, columns)
        tally.test(4, sizes, asc.CMPMODE.GE, _ROUNDS_TO_INFINITY, lanes, columns)
        tally.test(5, sizes, asc.CMPMODE.GT, _GREATEST, lanes, columns)
        tally.add_to(sums)
    z_queue.enque(sums)
    z_out = z_queue.deque(asc.int32)
    take(z_gm[asc.get_block_idx() * _TESTS :], z_out, 4, _TESTS, 1, _BLOCK)
    z_queue.free_tensor(z_out)


def largest(input: torch.Tensor, amax: torch.Tensor) -> None:
    """amax = the largest finite magnitude of each row, 0 if it has none."""
    plan = plan_of(input, amax)
    if plan.pieces == 0:
        amax.zero_()
        return
    found = amax if plan.tiles == 1 else torch.empty(plan.tiles, plan.rows)
    largest_of_tiles[min(CORES, plan.pieces)](input, found, plan)
    if plan.tiles > 1:
        torch.amax(found, 0, out=amax.view(-1))


def count(input: torch.Tensor, counts: torch.Tensor) -> None:
    """counts = all elements, finite ones that overflow, infinities, NaN, numbers that become 0, codes 01 to 07.

    No rule of overflow changes any of these.
    """
    plan = plan_of(input)
    cores = min(CORES, plan.pieces)
    found = torch.zeros(max(cores, 1), _TESTS, dtype=torch.int32)
    if cores:
        count_on_cores[cores](input, found, plan)
    numbers, above_zero, kept, normal, too_large, infinite = found.sum(0, dtype=torch.int64)
    counts[0] = input.numel()
    counts[1] = too_large - infinite
    counts[2] = infinite
    counts[3] = input.numel() - numbers
    counts[4] = above_zero - kept
    counts[5] = kept - normal
