"""Six kernels with the names and parameters of the published list of calls, given by keyword, against NumPy."""

from dataclasses import dataclass

import numpy as np
import pytest

from opwright import asc

TILE = 128


def numbers(length: int, dtype: object = np.float32, seed: int = 1) -> np.ndarray:
    made = np.random.default_rng(seed).integers(-1000, 1000, length)
    return (made / 8).astype(dtype) if np.dtype(dtype).kind == "f" else made.astype(dtype)


def unset(array: np.ndarray) -> np.ndarray:
    """Output of which nothing is written yet: NaN, or -1."""
    made = np.empty_like(array)
    made.view(np.uint8)[:] = 0xFF
    return made


@asc.jit
def add_with_flags(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, length: int):
    offset = asc.get_block_idx() * length
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x + offset, buffer_size=length)
    y_gm.set_global_buffer(buffer=y + offset, buffer_size=length)
    z_gm.set_global_buffer(buffer=z + offset)
    size = TILE * x.dtype.sizeof()
    x_local = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECIN, addr=0, tile_size=TILE)
    y_local = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECIN, addr=size, tile_size=TILE)
    z_local = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECOUT, addr=2 * size, tile_size=TILE)
    for i in range(length // TILE):
        asc.data_copy(dst=x_local, src=x_gm[i * TILE :], count=TILE)
        asc.data_copy(dst=y_local, src=y_gm[i * TILE :], count=TILE)
        asc.set_flag(event=asc.HardEvent.MTE2_V, event_id=0)
        asc.wait_flag(event=asc.HardEvent.MTE2_V, event_id=0)
        asc.add(dst=z_local, src0=x_local, src1=y_local, count=TILE)
        asc.set_flag(event=asc.HardEvent.V_MTE3)
        asc.wait_flag(event=asc.HardEvent.V_MTE3)
        asc.data_copy(dst=z_gm(i * TILE), src=z_local, count=TILE)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int16])
def test_add_with_flags(dtype: object) -> None:
    x, y = numbers(4 * 512, dtype), numbers(4 * 512, dtype, 2)
    z = unset(x)
    add_with_flags[4](x, y, z, 512)
    assert np.array_equal(z, x + y)


@asc.jit
def add_with_queues(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, length: int):
    offset = asc.get_block_idx() * length
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x + offset, buffer_size=length)
    y_gm.set_global_buffer(buffer=y + offset, buffer_size=length)
    z_gm.set_global_buffer(buffer=z + offset, buffer_size=length)
    pipe = asc.TPipe()
    in_queue_x = asc.TQue(pos=asc.TPosition.VECIN, depth=2)
    in_queue_y = asc.TQue(pos=asc.TPosition.VECIN, depth=2)
    out_queue = asc.TQue(pos=asc.TPosition.VECOUT, depth=2)
    pipe.init_buffer(que=in_queue_x, num=2, len=TILE * x.dtype.sizeof())
    pipe.init_buffer(que=in_queue_y, num=2, len=TILE * x.dtype.sizeof())
    pipe.init_buffer(que=out_queue, num=2, len=TILE * x.dtype.sizeof())
    for i in range(length // TILE):
        x_local = in_queue_x.alloc_tensor(dtype=x.dtype)
        y_local = in_queue_y.alloc_tensor(dtype=x.dtype)
        asc.data_copy(dst=x_local, src=x_gm[i * TILE :], count=TILE)
        asc.data_copy(dst=y_local, src=y_gm[i * TILE :], count=TILE)
        in_queue_x.enque(x_local)
        in_queue_y.enque(y_local)
        x_in = in_queue_x.deque(dtype=x.dtype)
        y_in = in_queue_y.deque(dtype=x.dtype)
        z_local = out_queue.alloc_tensor(dtype=x.dtype)
        asc.add(dst=z_local, src0=x_in, src1=y_in, count=TILE)
        out_queue.enque(z_local)
        in_queue_x.free_tensor(tensor=x_in)
        in_queue_y.free_tensor(tensor=y_in)
        z_out = out_queue.deque(dtype=x.dtype)
        asc.data_copy(dst=z_gm[i * TILE :], src=z_out, count=TILE)
        out_queue.free_tensor(tensor=z_out)


def test_add_with_queues() -> None:
    x, y = numbers(3 * 640), numbers(3 * 640, seed=2)
    z = unset(x)
    add_with_queues[3](x, y, z, 640)
    assert np.array_equal(z, x + y)


@dataclass
class Tiling:
    total: asc.uint32
    tile: asc.uint16
    scale: float
    shift: asc.int8


@asc.jit
def scale_and_shift(x: asc.GlobalAddress, z: asc.GlobalAddress, tiling: Tiling):
    length = tiling.total // asc.get_block_num()
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x + asc.get_block_idx() * length, buffer_size=length)
    z_gm.set_global_buffer(buffer=z + asc.get_block_idx() * length, buffer_size=length)
    local = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECCALC, addr=0, tile_size=256)
    for start in range(0, length, tiling.tile):
        count = min(tiling.tile, length - start)
        asc.data_copy(dst=local, src=x_gm[start:], count=count)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
        asc.muls(dst=local, src=local, scalar=tiling.scale, count=count)
        asc.adds(dst=local, src=local, scalar=tiling.shift, count=count)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
        asc.data_copy(dst=z_gm[start:], src=local, count=count)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)


@pytest.mark.parametrize("tile", [64, 256, 104])
def test_tiling_struct(tile: int) -> None:
    x = numbers(2 * 512)
    z = unset(x)
    scale_and_shift[2](x, z, Tiling(total=1024, tile=tile, scale=0.1, shift=-7))
    assert np.array_equal(z, x * np.float32(0.1) + np.float32(-7))


@asc.jit
def halve_until_small(x: asc.GlobalAddress, z: asc.GlobalAddress, length: int, limit: float):
    """A while loop: doubles a bound until it passes the limit, and divides by it."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x, buffer_size=length)
    z_gm.set_global_buffer(buffer=z, buffer_size=length)
    local = asc.LocalTensor(dtype=x.dtype, pos=asc.TPosition.VECCALC, addr=0, tile_size=64)
    begin = 0
    while begin < length:
        asc.data_copy(dst=local, src=x_gm[begin:], count=64)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
        bound = 1.0
        while bound < limit:
            asc.muls(dst=local, src=local, scalar=0.5, count=64)
            bound *= 2
            if bound > 1000.0:
                break
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
        asc.data_copy(dst=z_gm[begin:], src=local, count=64)
        asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
        begin += 64


@pytest.mark.parametrize(("limit", "halvings"), [(0.5, 0), (3.0, 2), (1e9, 10)])
def test_while_loop(limit: float, halvings: int) -> None:
    x = numbers(256)
    z = unset(x)
    halve_until_small[1](x, z, 256, limit)
    assert np.array_equal(z, x * np.float32(0.5**halvings))


@asc.jit
def square(target, source, count):
    local = asc.LocalTensor(dtype=source.dtype, pos=asc.TPosition.VECCALC, addr=0, tile_size=count)
    asc.data_copy(dst=local, src=source, count=count)
    asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
    asc.mul(dst=local, src0=local, src1=local, count=count)
    asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)
    asc.data_copy(dst=target, src=local, count=count)
    asc.pipe_barrier(pipe=asc.PipeID.PIPE_ALL)


@asc.jit
def squares(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x, buffer_size=64)
    y_gm.set_global_buffer(buffer=y, buffer_size=32)
    square(x_gm, x_gm, 64)
    square(y_gm, y_gm, 32)


def test_helper_with_two_dtypes() -> None:
    x, y = numbers(64), numbers(32, np.int16) // 16
    expected = x * x, y * y
    squares[1](x, y)
    assert np.array_equal(x, expected[0]) and np.array_equal(y, expected[1])


@asc.jit
def prints(x: asc.GlobalAddress, length: int, scale: float):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(buffer=x, buffer_size=length)
    block = asc.get_block_idx()
    asc.printf("core %d of %d: %d elements, scale %.2f, first %d\n", block, asc.get_block_num(), length, scale, x_gm[0])
    asc.printf(f"{block}: 100% of {length:4d}\n")


def test_printf(capsys: pytest.CaptureFixture[str]) -> None:
    prints[2](np.full(8, 42, np.int32), 8, 0.25)
    expected = [f"core {n} of 2: 8 elements, scale 0.25, first 42\n{n}: 100% of    8\n" for n in range(2)]
    assert capsys.readouterr().out == "".join(expected)
