"""Kernels that use queues and buffers as they are meant to be used: their numbers, and the flags behind them."""

import numpy as np
import pytest

from opwright import asc
from opwright.settings import settings

TILE = 512


@asc.jit
def add(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    length: int,
    depth: asc.ConstExpr[int],
    num: asc.ConstExpr[int],
):
    """As many tiles are under way as the queues have buffers."""
    offset = asc.get_block_idx() * length
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, length)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y + offset, length)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z + offset, length)
    pipe = asc.TPipe()
    queue_x = asc.TQue(asc.TPosition.VECIN, depth)
    queue_y = asc.TQue(asc.TPosition.VECIN, depth)
    queue_z = asc.TQue(asc.TPosition.VECOUT, depth)
    pipe.init_buffer(queue_x, num, TILE * x.dtype.sizeof())
    pipe.init_buffer(queue_y, num, TILE * x.dtype.sizeof())
    pipe.init_buffer(queue_z, num, TILE * x.dtype.sizeof())
    tiles = asc.ceildiv(length, TILE)
    for step in range(tiles + depth - 1):
        if step < tiles:
            count = min(TILE, length - step * TILE)
            x_in = queue_x.alloc_tensor(x.dtype)
            y_in = queue_y.alloc_tensor(x.dtype)
            asc.data_copy(x_in, x_gm[step * TILE :], count)
            asc.data_copy(y_in, y_gm[step * TILE :], count)
            queue_x.enque(x_in)
            queue_y.enque(y_in)
        if step >= depth - 1:
            begin = (step - depth + 1) * TILE
            size = min(TILE, length - begin)
            x_local = queue_x.deque(x.dtype)
            y_local = queue_y.deque(x.dtype)
            z_local = queue_z.alloc_tensor(x.dtype)
            asc.add(z_local, x_local, y_local, size)
            queue_z.enque(z_local)
            queue_x.free_tensor(x_local)
            queue_y.free_tensor(y_local)
            z_out = queue_z.deque(x.dtype)
            asc.data_copy(z_gm[begin:], z_out, size)
            queue_z.free_tensor(z_out)


def numbers(length: int, dtype: str, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(-999, 999, length).astype(dtype)


@pytest.mark.parametrize("elide", [False, True])
@pytest.mark.parametrize(("depth", "num"), [(1, 1), (1, 2), (2, 2), (3, 4)])
def test_add(depth: int, num: int, elide: bool) -> None:
    dtype = "float16" if num == 2 else "int32"
    for cores, length in ((1, 16), (1, 3 * TILE), (5, 7 * TILE + 48)):
        x, y = (numbers(cores * length, dtype, seed) for seed in (1, 2))
        z = np.empty_like(x)
        z.view(np.uint8)[:] = 0xFF
        with settings.scope(elide=elide, threads=2):
            add[cores](x, y, z, length, depth, num)
        np.testing.assert_array_equal(z, x + y)


@asc.jit
def large_tiles(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int):
    """Tiles that become aliases of global memory; each is changed before it goes out."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    pipe = asc.TPipe()
    queue_x = asc.TQue(asc.TPosition.VECIN, 2)
    queue_z = asc.TQue(asc.TPosition.VECOUT, 2)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(queue_x, 2, 16384)
    pipe.init_buffer(queue_z, 2, 16384)
    pipe.init_buffer(scratch, 16384)
    one = scratch.get(asc.float32)
    asc.duplicate(one, 1.0, 4096)
    for tile in range(tiles):
        x_in = queue_x.alloc_tensor(asc.float32)
        asc.data_copy(x_in, x_gm[tile * 4096 :], 4096)
        queue_x.enque(x_in)
        x_local = queue_x.deque(asc.float32)
        z_local = queue_z.alloc_tensor(asc.float32)
        asc.add(z_local, x_local, one, 4096)
        asc.adds(x_local, x_local, 2.0, 2048)
        asc.add(z_local, z_local, x_local, 4096)
        queue_x.free_tensor(x_local)
        queue_z.enque(z_local)
        z_out = queue_z.deque(asc.float32)
        asc.data_copy(z_gm[tile * 4096 :], z_out, 4096)
        queue_z.free_tensor(z_out)


@pytest.mark.parametrize("elide", [False, True])
def test_elision(elide: bool) -> None:
    x = numbers(5 * 4096, "float32", 3)
    z = np.full_like(x, np.nan)
    with settings.scope(elide=elide):
        large_tiles[1](x, z, 5)
    changed = (x.reshape(5, 2, 2048) + np.array([2.0, 0.0], np.float32)[:, None]).reshape(-1)
    np.testing.assert_array_equal(z, x + 1 + changed)


@asc.jit
def through(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int):
    """From copy to copy, without the vector unit."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    pipe = asc.TPipe()
    queue = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)
    pipe.init_buffer(queue, 2, 64 * 4)
    for tile in range(tiles):
        into = queue.alloc_tensor(x.dtype)
        asc.data_copy(into, x_gm[tile * 64 :], 64)
        queue.enque(into)
        out = queue.deque(x.dtype)
        asc.data_copy(z_gm[tile * 64 :], out, 64)
        queue.free_tensor(out)


def test_bound_queue() -> None:
    x = numbers(320, "int32", 4)
    z = np.full_like(x, -1)
    through[1](x, z, 5)
    np.testing.assert_array_equal(z, x)
    assert "AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;" in through.emit(x, z, 5)


@asc.jit
def in_vector_unit(z: asc.GlobalAddress):
    """A queue within one pipe needs no flags; a tensor may go round in it and change its type on the way."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECCALC, 1)
    pipe.init_buffer(queue, 1, 256)
    made = queue.alloc_tensor(asc.float32)
    asc.duplicate(made, 1.0, 64)
    queue.enque(made)
    again = queue.deque(asc.int32)
    asc.adds(again, again, 1, 64)
    queue.enque(again)
    out = queue.deque(asc.float32)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, out, 64)
    queue.free_tensor(out)


def test_queue_of_one_pipe() -> None:
    z = np.full(64, np.nan, np.float32)
    in_vector_unit[1](z)
    np.testing.assert_array_equal(z.view(np.int32), 0x3F800001)


@asc.jit
def asks(num: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 3)
    pipe.init_buffer(queue, num, 33)
    for _ in range(3):
        state = queue.has_idle_buffer()
        asc.printf(
            "%d%d%d%d ", state, queue.has_tensor_in_que(), queue.vacant_in_que(), queue.get_tensor_count_in_que()
        )
        queue.enque(queue.alloc_tensor(asc.uint8))
    asc.printf("%d%d ", queue.has_idle_buffer(), queue.vacant_in_que())
    while queue.has_tensor_in_que():
        queue.free_tensor(queue.deque(asc.uint8))
    asc.printf("%d%d", queue.has_idle_buffer(), queue.get_tensor_count_in_que())


def test_questions(capfd: pytest.CaptureFixture[str]) -> None:
    asks[1](4)
    asks[1](3)
    assert capfd.readouterr().out == "1010 1111 1112 10 10" + "1010 1111 1112 00 10"


@asc.jit
def places(z: asc.GlobalAddress):
    """Where buffers lie: one after the other, in whole blocks, taken in turn."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    pipe = asc.TPipe()
    # Two pools over the same bytes: one with the buffers, the other to see where they are.
    pool = asc.TBufPool(asc.TPosition.VECCALC, 4)
    same = asc.TBufPool(asc.TPosition.VECCALC, 4)
    pipe.init_buf_pool(pool, 256)
    pipe.init_buf_pool(same, 256, pool)
    all_of_it = asc.TBuf(asc.TPosition.VECCALC)
    same.init_buffer(all_of_it, 256)
    whole = all_of_it.get(asc.uint8)
    asc.data_copy(whole, z_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pool.init_buffer(queue, 2, 33)
    pool.init_buffer(buffer, 96)
    for _ in range(3):
        local = queue.alloc_tensor(asc.uint8)
        asc.data_copy(local, whole[224:], 32)
        queue.free_tensor(local)
        asc.data_copy(whole[224:], whole[192:], 32)
    asc.data_copy(buffer.get_with_offset(32, 64, asc.uint8), whole[160:], 32)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, whole, 256)


def test_places() -> None:
    blocks = np.arange(8, dtype=np.uint8).repeat(32)
    places[1](blocks)
    # Buffers of 64 bytes at 0 and 64 get block 7, then 6, then 6; the TBuf at 128 gets block 5 at its byte 64.
    np.testing.assert_array_equal(blocks[::32], [6, 1, 6, 3, 4, 5, 5, 6])


@asc.jit
def again(z: asc.GlobalAddress):
    """Memory is taken back by reset and by destroy, and given out again."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z + asc.get_block_idx() * 16, 16)
    first = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECOUT, 1)
    first.init_buffer(queue, 2, 64000)
    queue.free_tensor(queue.alloc_tensor(asc.int32))
    first.reset()
    first.init_buffer(queue, 2, 64000)
    queue.free_tensor(queue.alloc_tensor(asc.int32))
    first.destroy()
    second = asc.TPipe()
    second.init_buffer(queue, 2, 64000)
    local = queue.alloc_tensor(asc.int32)
    asc.duplicate(local, 5, 16)
    queue.enque(local)
    out = queue.deque(asc.int32)
    asc.data_copy(z_gm, out, 16)
    queue.free_tensor(out)


def test_memory_is_given_out_again() -> None:
    z = np.zeros(48, np.int32)
    again[3](z)
    np.testing.assert_array_equal(z, 5)


@asc.jit
def event_ids():
    pipe = asc.TPipe()
    first = pipe.alloc_event_id(asc.HardEvent.V_MTE2)
    second = pipe.alloc_event_id(asc.HardEvent.V_MTE2)
    other = pipe.alloc_event_id(asc.HardEvent.MTE2_V)
    asc.printf("%d%d%d %d ", first, second, other, pipe.fetch_event_id(asc.HardEvent.V_MTE2))
    pipe.release_event_id(first, asc.HardEvent.V_MTE2)
    asc.printf("%d%d", pipe.fetch_event_id(asc.HardEvent.V_MTE2), pipe.alloc_event_id(asc.HardEvent.V_MTE2))


def test_event_ids(capfd: pytest.CaptureFixture[str]) -> None:
    event_ids[1]()
    assert capfd.readouterr().out == "010 2 00"


@asc.jit
def order(z: asc.GlobalAddress):
    """Python evaluates arguments from left to right, whatever C++ does."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 16)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECCALC, 2)
    pipe.init_buffer(queue, 2, 64)
    first = queue.alloc_tensor(asc.int32)
    second = queue.alloc_tensor(asc.int32)
    asc.duplicate(first, 7, 16)
    asc.duplicate(second, 2, 16)
    queue.enque(first)
    queue.enque(second)
    asc.sub(first, queue.deque(asc.int32), queue.deque(asc.int32), 16)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, first, 16)


def test_arguments_are_evaluated_in_order() -> None:
    z = np.zeros(16, np.int32)
    order[1](z)
    np.testing.assert_array_equal(z, 5)
