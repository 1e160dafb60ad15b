"""Kernels written as PyAsc's are, run against NumPy: tensors, helpers, flags, modules."""

import numpy as np
import pytest
from pyasc_kernels import Expected, compare, store

import opwright.asc.language as al
from opwright import asc
from opwright.asc.language import basic


@asc.jit
def load(dst: asc.LocalTensor, src: asc.GlobalAddress, count: int):
    src_gm = asc.GlobalTensor()
    src_gm.set_global_buffer(src)
    asc.data_copy(dst, src_gm, count)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)


@asc.jit
def load_from(dst: asc.LocalTensor, src: asc.GlobalAddress, count: int):
    """Takes a tensor where it says an address."""
    asc.data_copy(dst, src, count)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)


@asc.jit
def tensor_for_an_address(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load_from(a, x_gm, 64)
    asc.muls(a, a, 2.0, 64)
    store(y, a)


@asc.jit
def part_of_a_tensor_for_an_address(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load_from(a, x_gm[64:], 64)
    asc.adds(a, a, 1.0, 64)
    store(y, a)


@asc.jit
def moved(src: asc.GlobalAddress, by: int):
    return src + by


@asc.jit
def address_of_a_helper(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load(a, moved(x, n * 8), 64)
    asc.adds(a, a, 0.5, 64)
    store(y, a)


@asc.jit
def part(src: asc.GlobalAddress, tile: int):
    return src[tile * 64 :]


@asc.jit
def tensor_that_a_helper_gives_back(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load_from(a, part(x_gm, n), 64)
    asc.adds(a, a, 2.0, 64)
    store(y, a)


@asc.jit
def tensor_called_for_a_part(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm(n * 16), 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(a, a, 3.0, 64)
    store(y, a)


@asc.jit
def keywords(x: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECIN, addr=0, tile_size=64)
    b = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECIN, addr=256, tile_size=64)
    load(dst=a, src=x, count=64)
    asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
    load(dst=b, src=x + 64, count=64)
    asc.sub(dst=a, src0=a, src1=b, count=64)
    store(y, a)


@asc.jit
def flags_with_their_events(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 128)
    for k in asc.static_range(2):
        asc.data_copy(a[k * 64 :], x_gm[k * 128 :], 64)
        asc.set_flag(asc.HardEvent.MTE2_V, k)
    for k in asc.static_range(2):
        asc.wait_flag(asc.HardEvent.MTE2_V, k)
    asc.mul(a, a, a[64:], 64)
    store(y, a)


@asc.jit
def barrier(x: asc.GlobalAddress, y: asc.GlobalAddress, r: float):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load(a, x, 64)
    asc.muls(a, a, r, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.abs(a, a, 64)
    store(y, a)


@asc.jit
def loop_over_the_tiles_of_a_core(x: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 256, 64)
    asc.duplicate(b, 0.0, 64)
    for k in range(asc.get_block_idx(), 4, asc.get_block_num()):
        load(a, x + k * 64, 64)
        asc.add(b, b, a, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    store(y, b)


@asc.jit
def parts_of_the_language_by_module(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = basic.LocalTensor(asc.float32, al.core.TPosition.VECIN, 0, 64)
    basic.data_copy(a, x_gm[128:], 64)
    al.basic.set_flag(al.core.HardEvent.MTE2_V, 0)
    asc.language.basic.wait_flag(asc.HardEvent.MTE2_V, 0)
    al.maxs(a, a, 0.0, 64)
    store(y, a)


@asc.jit
def parts_of_a_tile(x: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    load(a, x, 64)
    asc.adds(a[32:], a[32:], 100.0, 32)
    store(y, a)


@asc.jit
def conversion_of_a_tile(x: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 256, 64)
    load(a, x, 64)
    asc.cast(i, a, asc.RoundMode.CAST_FLOOR, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.cast(a, i, asc.RoundMode.CAST_NONE, 64)
    store(y, a)


@asc.jit
def repeats_with_strides(x: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 1024, 64)
    load(a, x, 256)
    asc.adds(b, a, 1.0, 16, 4, asc.UnaryRepeatParams(1, 1, 2, 8))
    store(y, b)


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress, which: int, n: int, r: float):
    if which == 0:
        tensor_for_an_address(x, y)
    elif which == 1:
        part_of_a_tensor_for_an_address(x, y)
    elif which == 2:
        address_of_a_helper(x, y, n)
    elif which == 3:
        tensor_that_a_helper_gives_back(x, y, n)
    elif which == 4:
        tensor_called_for_a_part(x, y, n)
    elif which == 5:
        keywords(x, y)
    elif which == 6:
        flags_with_their_events(x, y)
    elif which == 7:
        barrier(x, y, r)
    elif which == 8:
        loop_over_the_tiles_of_a_core(x, y)
    elif which == 9:
        parts_of_the_language_by_module(x, y)
    elif which == 10:
        parts_of_a_tile(x, y)
    elif which == 11:
        conversion_of_a_tile(x, y)
    elif which == 12:
        repeats_with_strides(x, y)


# In the order of `run`.
EXPECTED: dict[str, Expected] = {
    "tensor_for_an_address": lambda x, n, r: x[:64] * 2,
    "part_of_a_tensor_for_an_address": lambda x, n, r: x[64:128] + 1,
    "address_of_a_helper": lambda x, n, r: x[n * 8 : n * 8 + 64] + 0.5,
    "tensor_that_a_helper_gives_back": lambda x, n, r: x[n * 64 : n * 64 + 64] + 2,
    "tensor_called_for_a_part": lambda x, n, r: x[n * 16 : n * 16 + 64] + 3,
    "keywords": lambda x, n, r: x[:64] - x[64:128],
    "flags_with_their_events": lambda x, n, r: x[:64] * x[128:192],
    "barrier": lambda x, n, r: abs(x[:64] * r),
    "loop_over_the_tiles_of_a_core": lambda x, n, r: x.reshape(4, 64).sum(0),
    "parts_of_the_language_by_module": lambda x, n, r: np.maximum(x[128:192], 0),
    "parts_of_a_tile": lambda x, n, r: x[:64] + np.repeat([0, 100], 32),
    "conversion_of_a_tile": lambda x, n, r: np.floor(x[:64]),
    "repeats_with_strides": lambda x, n, r: x.reshape(4, 64)[:, :16].ravel() + 1,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_runs(name: str) -> None:
    compare(run, list(EXPECTED).index(name), EXPECTED[name])
