"""The kernels that `vector_calls.py` measures: one call again and again on a tile that stays in the unified buffer.

`which` chooses the call by its place in the list beside the kernel, so that one build serves a whole list.
"""

from opwright import asc
from opwright.asc import CMPMODE, PipeID, RoundMode, SelMode, TPosition

COUNT = 4096  # elements of a tile
WIDE = 64  # float32 of a repeat
FLOAT_CALLS = (
    *("add", "mul", "div", "max", "add_relu", "mul_add_dst", "adds", "muls", "leaky_relu", "axpy"),
    *("abs", "relu", "exp", "ln", "sqrt", "rsqrt", "reciprocal", "duplicate", "compare", "select"),
    *("whole_reduce_sum", "whole_reduce_max", "block_reduce_sum", "reduce_sum"),
)
MOVE_CALLS = ("gather", "gather_mask", "brcb", "copy", "sort32", "transpose")
BIT_CALLS = ("bitwise_and", "bitwise_not", "shift_left", "shift_right", "add_int16")
CAST_CALLS = (
    *("float32 to float16", "float16 to float32", "float32 to bfloat16", "bfloat16 to float32"),
    *("float32 to int32", "int32 to float32", "float16 to int8", "int8 to float16"),
)
ROW_CALLS = ("contiguous", "one row for all", "one block for each row", "three quarters of the lanes")


@asc.jit
def floats(x: asc.GlobalAddress, z: asc.GlobalAddress, which: int, times: int):
    """Calls on floats: both sources are halves of x, and z gets the result of the last call."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 2 * COUNT)
    z_gm.set_global_buffer(z, COUNT)
    size = COUNT * x.dtype.sizeof()
    lanes = 256 // x.dtype.sizeof()
    pipe = asc.TPipe()
    memory = asc.TBuf(TPosition.VECCALC)
    pipe.init_buffer(memory, 4 * size + COUNT // 8)
    a = memory.get_with_offset(COUNT, 0, x.dtype)
    b = memory.get_with_offset(COUNT, size, x.dtype)
    out = memory.get_with_offset(COUNT, 2 * size, x.dtype)
    temporary = memory.get_with_offset(COUNT, 3 * size, x.dtype)
    bits = memory.get_with_offset(COUNT // 8, 4 * size, asc.uint8)
    asc.data_copy(a, x_gm, COUNT)
    asc.data_copy(b, x_gm[COUNT:], COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.duplicate(out, 0.0, COUNT)
    asc.pipe_barrier(PipeID.PIPE_V)
    asc.compare(bits, a, b, CMPMODE.LT, COUNT)
    for _ in range(times):
        asc.pipe_barrier(PipeID.PIPE_V)
        if which == 0:
            asc.add(out, a, b, COUNT)
        elif which == 1:
            asc.mul(out, a, b, COUNT)
        elif which == 2:
            asc.div(out, a, b, COUNT)
        elif which == 3:
            asc.max(out, a, b, COUNT)
        elif which == 4:
            asc.add_relu(out, a, b, COUNT)
        elif which == 5:
            asc.mul_add_dst(out, a, b, COUNT)
        elif which == 6:
            asc.adds(out, a, 1.5, COUNT)
        elif which == 7:
            asc.muls(out, a, 1.5, COUNT)
        elif which == 8:
            asc.leaky_relu(out, a, 0.01, COUNT)
        elif which == 9:
            asc.axpy(out, a, 0.5, COUNT)
        elif which == 10:
            asc.abs(out, a, COUNT)
        elif which == 11:
            asc.relu(out, a, COUNT)
        elif which == 12:
            asc.exp(out, a, COUNT)
        elif which == 13:
            asc.ln(out, b, COUNT)
        elif which == 14:
            asc.sqrt(out, b, COUNT)
        elif which == 15:
            asc.rsqrt(out, b, COUNT)
        elif which == 16:
            asc.reciprocal(out, b, COUNT)
        elif which == 17:
            asc.duplicate(out, 2.0, COUNT)
        elif which == 18:
            asc.compare(bits, a, b, CMPMODE.LT, COUNT)
        elif which == 19:
            asc.select(out, bits, a, b, SelMode.VSEL_TENSOR_TENSOR_MODE, COUNT)
        elif which == 20:
            asc.whole_reduce_sum(out, a, lanes, COUNT // lanes, 1, 1, 8)
        elif which == 21:
            asc.whole_reduce_max(out, a, lanes, COUNT // lanes, 1, 1, 8, asc.ReduceOrder.ORDER_ONLY_VALUE)
        elif which == 22:
            asc.block_reduce_sum(out, a, COUNT // lanes, lanes, 1, 1, 8)
        elif which == 23:
            asc.reduce_sum(out, a, temporary, COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, COUNT)


@asc.jit
def moves(x: asc.GlobalAddress, places: asc.GlobalAddress, z: asc.GlobalAddress, which: int, times: int):
    """Calls that move elements of x; places are offsets in bytes."""
    x_gm = asc.GlobalTensor()
    places_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, COUNT)
    places_gm.set_global_buffer(places, COUNT)
    z_gm.set_global_buffer(z, 2 * COUNT)
    a = asc.LocalTensor(asc.float32, TPosition.VECIN, 0, COUNT)
    offsets = asc.LocalTensor(asc.uint32, TPosition.VECIN, 4 * COUNT, COUNT)
    out = asc.LocalTensor(asc.float32, TPosition.VECOUT, 8 * COUNT, 2 * COUNT)
    asc.data_copy(a, x_gm, COUNT)
    asc.data_copy(offsets, places_gm, COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.duplicate(out, 0.0, 2 * COUNT)
    for _ in range(times):
        asc.pipe_barrier(PipeID.PIPE_V)
        if which == 0:
            asc.gather(out, a, offsets, 0, COUNT)
        elif which == 1:
            asc.gather_mask(out, a, 1, False, 0, asc.GatherMaskParams(1, COUNT // WIDE, 8, 0))
        elif which == 2:
            asc.brcb(out, a, COUNT // WIDE, asc.BrcbRepeatParams(1, 8))
        elif which == 3:
            asc.copy(out, a, WIDE, COUNT // WIDE, asc.CopyRepeatParams(1, 1, 8, 8))
        elif which == 4:
            asc.sort32(out, a, offsets, COUNT // 32)
        elif which == 5:
            wide = out.reinterpret_cast(asc.float16)
            narrow = a.reinterpret_cast(asc.float16)
            for tile in range(2 * COUNT // 256):
                asc.transpose(wide[tile * 256 :], narrow[tile * 256 :])
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, 2 * COUNT)


@asc.jit
def bits(x: asc.GlobalAddress, z: asc.GlobalAddress, which: int, times: int):
    """Calls on 16-bit integers."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 2 * COUNT)
    z_gm.set_global_buffer(z, COUNT)
    a = asc.LocalTensor(asc.int16, TPosition.VECIN, 0, COUNT)
    b = asc.LocalTensor(asc.int16, TPosition.VECIN, 2 * COUNT, COUNT)
    out = asc.LocalTensor(asc.int16, TPosition.VECOUT, 4 * COUNT, COUNT)
    asc.data_copy(a, x_gm, COUNT)
    asc.data_copy(b, x_gm[COUNT:], COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    for _ in range(times):
        asc.pipe_barrier(PipeID.PIPE_V)
        if which == 0:
            asc.bitwise_and(out, a, b, COUNT)
        elif which == 1:
            asc.bitwise_not(out, a, COUNT)
        elif which == 2:
            asc.shift_left(out, a, 3, COUNT)
        elif which == 3:
            asc.shift_right(out, a, 3, COUNT)
        else:
            asc.add(out, a, b, COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, COUNT)


@asc.jit
def casts(x: asc.GlobalAddress, z: asc.GlobalAddress, mode: asc.ConstExpr[RoundMode], times: int):
    """One cast from the type of x to that of z."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, COUNT)
    z_gm.set_global_buffer(z, COUNT)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, COUNT)
    out = asc.LocalTensor(z.dtype, TPosition.VECOUT, 4 * COUNT, COUNT)
    asc.data_copy(a, x_gm, COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    for _ in range(times):
        asc.pipe_barrier(PipeID.PIPE_V)
        asc.cast(out, a, mode, COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, COUNT)


@asc.jit
def rows(x: asc.GlobalAddress, z: asc.GlobalAddress, which: int, columns: int, times: int):
    """A sum of tiles: by a count (`which` = -1), or as in ROW_CALLS, a call for each repeat of columns."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 2 * COUNT)
    z_gm.set_global_buffer(z, COUNT)
    size = COUNT * x.dtype.sizeof()
    lanes = 256 // x.dtype.sizeof()
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, COUNT)
    b = asc.LocalTensor(x.dtype, TPosition.VECIN, size, COUNT)
    out = asc.LocalTensor(x.dtype, TPosition.VECOUT, 2 * size, COUNT)
    asc.data_copy(a, x_gm, COUNT)
    asc.data_copy(b, x_gm[COUNT:], COUNT)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    count = COUNT // columns
    pitch = columns // lanes * 8
    for _ in range(times):
        asc.pipe_barrier(PipeID.PIPE_V)
        if which < 0:
            asc.add(out, a, b, COUNT)
        elif which == 0:
            asc.add(out, a, b, lanes, COUNT // lanes, asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8))
        else:
            for c in range(0, columns, lanes):
                if which == 1:
                    asc.add(out[c:], a[c:], b[c:], lanes, count, asc.BinaryRepeatParams(1, 1, 1, pitch, pitch, 0))
                elif which == 2:
                    asc.add(out[c:], a[c:], b, lanes, count, asc.BinaryRepeatParams(1, 1, 0, pitch, pitch, 1))
                else:
                    part = asc.BinaryRepeatParams(1, 1, 1, pitch, pitch, pitch)
                    asc.add(out[c:], a[c:], b[c:], lanes // 4 * 3, count, part)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, COUNT)
