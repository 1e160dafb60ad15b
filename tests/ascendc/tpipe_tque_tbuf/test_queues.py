"""Queues, buffers and pools: every form with every type, what they may be asked, and where their memory lies."""

from collections.abc import Callable

import numpy as np
import pytest
from call_kernels import NUMPY

from opwright import asc

Ran = Callable[[str, int, str], None]
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32")
NUMBERS = 8  # that a kernel tells about each type


@asc.jit
def through(pipe: asc.TPipe, x: asc.GlobalAddress, z: asc.GlobalAddress, found, base: int, n: int):
    """z becomes x, a quarter on each way: by type, twice, in place without an order, from position to position."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 128)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 128)
    plain = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 2)
    loose = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 0, 0)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(plain, 2, 256)
    pipe.init_buffer(loose, 2, 256)
    pipe.init_buffer(scratch, 1000)
    # By type: two tensors wait, and come back in their order.
    first = plain.alloc_tensor(x.dtype)
    second = plain.alloc_tensor(x.dtype)
    second.set_user_tag(n)
    asc.data_copy(second, x_gm, 32)
    asc.data_copy(first, x_gm[32:], 32)
    plain.enque(second)
    plain.enque(first)
    taken = plain.deque(x.dtype)
    found.set_value(base, taken.get_user_tag())
    asc.data_copy(z_gm, taken, 32)
    plain.free_tensor(taken)
    placed = plain.deque(x.dtype)
    found.set_value(base + 1, placed.get_user_tag())
    asc.data_copy(z_gm[32:], placed, 32)
    plain.free_tensor(placed)
    one = asc.LocalTensor(x.dtype)
    other = asc.LocalTensor(x.dtype)
    loose.alloc_tensor(one)
    loose.alloc_tensor(other)
    found.set_value(base + 2, other.get_phy_addr() - one.get_phy_addr())
    asc.data_copy(one, x_gm[64:], 32)
    loose.enque(one)
    loose.enque(other)
    found.set_value(base + 3, plain.get_tensor_count_in_que())
    loose.deque(other)
    loose.deque(one)
    asc.data_copy(z_gm[64:], one, 32)
    loose.free_tensor(one)
    loose.free_tensor(other)
    # From position to position.
    filled = plain.alloc_tensor(x.dtype)
    asc.data_copy(filled, x_gm[96:], 32)
    plain.enque(filled, asc.TPosition.GM, asc.TPosition.VECIN)
    used = plain.deque(x.dtype, asc.TPosition.GM, asc.TPosition.VECIN)
    plain.enque(used, asc.TPosition.VECOUT, asc.TPosition.GM)
    done = plain.deque(x.dtype, asc.TPosition.VECOUT, asc.TPosition.GM)
    asc.data_copy(z_gm[96:], done, 32)
    plain.free_tensor(done)
    # Memory without a queue.
    found.set_value(base + 4, scratch.get(x.dtype).get_length())
    part = scratch.get(x.dtype, n)
    found.set_value(base + 5, part.get_size())
    part.set_size(n + 1)
    further = scratch.get_with_offset(n, 64, x.dtype)
    found.set_value(base + 6, further.get_phy_addr() - part.get_phy_addr())
    found.set_value(base + 7, 10 * further.get_size() + part.get_size() - n)
    pipe.reset()


@asc.jit
def queues(
    found_at: asc.GlobalAddress, n: int,
    a, a_out, b, b_out, c, c_out, d, d_out, e, e_out, f, f_out, g, g_out, h, h_out, i, i_out, j, j_out, k, k_out,
):  # fmt: skip
    found = asc.GlobalTensor()
    found.set_global_buffer(found_at)
    pipe = asc.TPipe()
    through(pipe, a, a_out, found, 0, n)
    through(pipe, b, b_out, found, NUMBERS, n)
    through(pipe, c, c_out, found, 2 * NUMBERS, n)
    through(pipe, d, d_out, found, 3 * NUMBERS, n)
    through(pipe, e, e_out, found, 4 * NUMBERS, n)
    through(pipe, f, f_out, found, 5 * NUMBERS, n)
    through(pipe, g, g_out, found, 6 * NUMBERS, n)
    through(pipe, h, h_out, found, 7 * NUMBERS, n)
    through(pipe, i, i_out, found, 8 * NUMBERS, n)
    through(pipe, j, j_out, found, 9 * NUMBERS, n)
    through(pipe, k, k_out, found, 10 * NUMBERS, n)


@asc.jit
def one_queue(found_at: asc.GlobalAddress, n: int, x: asc.GlobalAddress, z: asc.GlobalAddress):
    found = asc.GlobalTensor()
    found.set_global_buffer(found_at)
    pipe = asc.TPipe()
    through(pipe, x, z, found, 0, n)


def contents(name: str) -> np.ndarray:
    return np.random.default_rng(5).integers(1, 120, 128).astype(NUMPY[name])


BY_HAND = [5, 0, 256, 0, 1024, 5, 64, 51]
TYPED = {
    "TQueBind.alloc_tensor": 2,
    "TQueBind.enque": 2,
    "TQueBind.deque": 3,
    "TQueBind.free_tensor": 1,
    "TBuf.get": 2,
    "TBuf.get_with_offset": 1,
}


def test_every_type(ran: Ran) -> None:
    found = np.full(len(TYPES) * NUMBERS, 99, np.int64)
    given = [contents(name) for name in TYPES]
    made = [np.full(128, 99).astype(x.dtype) for x in given]
    queues[1](found, 5, *(array for pair in zip(given, made, strict=True) for array in pair))
    for name, numbers, x, z in zip(TYPES, found.reshape(len(TYPES), -1), given, made, strict=True):
        assert z.tobytes() == x.tobytes(), name
        assert numbers.tolist() == BY_HAND, name
        for call, forms in TYPED.items():
            for form in range(forms):
                ran(call, form, name)


def test_nothing_is_found_by_the_checked_twin() -> None:
    found, x = np.full(NUMBERS, 99, np.int64), contents("float16")
    z = np.full_like(x, np.nan)
    one_queue.check[1](found, 5, x, z)
    assert z.tobytes() == x.tobytes() and found.tolist() == BY_HAND
    assert one_queue.check.report().findings == ()


# What has no type -----------------------------------------------------------------------------------------------


@asc.jit
def told(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Numbers about a pipe, its queues and its event ids."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 32)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 3)
    masked = asc.TQue(asc.TPosition.VECOUT, 1, 0)
    bound = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)
    bound_masked = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1, 0)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    named = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(queue, 2, n)
    pipe.init_buffer(masked, 1, 32)
    pipe.init_buffer(bound, 1, 32)
    pipe.init_buffer(bound_masked, 1, 32)
    pipe.init_buffer(scratch, n)
    pipe.init_buffer(buf=named, len=n)
    z_gm.set_value(0, masked.alloc_tensor(asc.uint8).get_phy_addr())
    z_gm.set_value(1, bound.alloc_tensor(asc.uint8).get_phy_addr())
    z_gm.set_value(2, bound_masked.alloc_tensor(asc.uint8).get_phy_addr())
    z_gm.set_value(3, scratch.get(asc.uint8).get_phy_addr())
    z_gm.set_value(4, named.get(asc.uint8).get_phy_addr())
    z_gm.set_value(5, 0)
    z_gm.set_value(6, 4 * int(queue.has_idle_buffer()) + 2 * int(queue.has_tensor_in_que()))
    first = queue.alloc_tensor(asc.float32)
    asc.data_copy(first, x_gm, 8)
    queue.enque(first)
    queue.enque(queue.alloc_tensor(asc.float32))
    z_gm.set_value(7, 4 * int(queue.has_idle_buffer()) + 2 * int(queue.has_tensor_in_que()))
    z_gm.set_value(8, 10 * queue.get_tensor_count_in_que() + int(queue.vacant_in_que()))
    queue.free_all_event()
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    z_gm.set_value(9, int(queue.deque(asc.float32).get_value(3)))
    queue.deque(asc.float32)
    z_gm.set_value(10, queue.get_tensor_count_in_que())
    fetched = pipe.fetch_event_id(asc.HardEvent.MTE2_S)
    given = pipe.alloc_event_id(asc.HardEvent.MTE2_S)
    same = asc.get_tpipe_ptr()
    following = same.alloc_event_id(asc.HardEvent.MTE2_S)
    z_gm.set_value(11, 100 * fetched + 10 * given + following)
    same.release_event_id(given, asc.HardEvent.MTE2_S)
    z_gm.set_value(12, pipe.fetch_event_id(asc.HardEvent.MTE2_S))
    pipe.release_event_id(following, asc.HardEvent.MTE2_S)
    pipe.reset()
    pipe.init_buffer(scratch, 32)
    z_gm.set_value(13, scratch.get(asc.uint8).get_phy_addr())
    pipe.init()
    pipe.init_buffer(scratch, 64)
    z_gm.set_value(14, scratch.get(asc.uint8).get_length())
    pipe.destroy()
    pipe.init()
    pipe.init_buffer(scratch, 96)
    z_gm.set_value(15, scratch.get(asc.uint8).get_length())


WITHOUT_TYPE = {
    "TPipe": 1, "TPipe.init_buffer": 3, "get_tpipe_ptr": 1, "TPipe.alloc_event_id": 1,
    "TPipe.release_event_id": 1, "TPipe.fetch_event_id": 1, "TPipe.init": 1, "TPipe.reset": 1, "TPipe.destroy": 1,
    "TQueBind": 2, "TQue": 2, "TQueBind.free_all_event": 1, "TQueBind.has_idle_buffer": 1, "TBuf": 1,
    "TQueBind.has_tensor_in_que": 1, "TQueBind.vacant_in_que": 1, "TQueBind.get_tensor_count_in_que": 1,
}  # fmt: skip


def test_what_has_no_type(ran: Ran) -> None:
    """By hand: two buffers of 40 bytes are 64 each, so that what follows starts at 128."""
    x, z = np.arange(64, dtype=np.float32), np.full(32, 99, np.int64)
    told[1](x, z, 40)
    places = [128, 160, 192, 224, 288, 0]
    assert z.tolist() == [*places, 4, 2, 21, 3, 0, 1, 0, 0, 64, 96, *[99] * 16]
    for call, forms in WITHOUT_TYPE.items():
        for form in range(forms):
            ran(call, form, "")


@asc.jit
def pooled(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 16)
    pipe = asc.TPipe()
    before = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(before, 32)
    pool = asc.TBufPool(asc.TPosition.VECCALC, 6)
    other = asc.TBufPool(asc.TPosition.VECCALC)
    inner = asc.TBufPool(asc.TPosition.VECCALC, 6)
    beside = asc.TBufPool(asc.TPosition.VECCALC, 6)
    pipe.init_buf_pool(pool, n)
    pipe.init_buf_pool(other, 64, pool)
    behind = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(behind, 32)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    named = asc.TBuf(asc.TPosition.VECCALC)
    within = asc.TBuf(asc.TPosition.VECCALC)
    over = asc.TBuf(asc.TPosition.VECCALC)
    again = asc.TBuf(asc.TPosition.VECCALC)
    shared = asc.TBuf(asc.TPosition.VECCALC)
    pool.init_buffer(queue, 2, 40)
    pool.init_buf_pool(inner, 96)
    pool.init_buf_pool(beside, 64, inner)
    pool.init_buffer(scratch, n // 16)
    inner.init_buffer(buf=within, len=32)
    inner.init_buffer(buf=named, len=32)
    beside.init_buffer(over, 64)
    other.init_buffer(shared, 64)
    z_gm.set_value(0, behind.get(asc.uint8).get_phy_addr())
    z_gm.set_value(1, queue.alloc_tensor(asc.uint8).get_phy_addr())
    tensor = queue.alloc_tensor(asc.uint8)
    z_gm.set_value(2, tensor.get_phy_addr())
    queue.free_tensor(tensor)
    z_gm.set_value(3, scratch.get(asc.uint8).get_phy_addr())
    z_gm.set_value(4, within.get(asc.uint8).get_phy_addr())
    z_gm.set_value(5, named.get(asc.uint8).get_phy_addr())
    z_gm.set_value(6, over.get(asc.uint8).get_phy_addr())
    z_gm.set_value(7, shared.get(asc.uint8).get_phy_addr())
    for _ in range(40):
        pool.reset()
        pool.init_buffer(queue, 2, 64)
        pool.init_buf_pool(inner, 64)
        inner.init_buffer(again, 32)
        z_gm.set_value(8, again.get(asc.uint8).get_phy_addr())
        inner.reset()
    asc.duplicate(before.get(asc.float32), 1.0, 8)
    asc.duplicate(behind.get(asc.float32), 2.0, 8)
    asc.duplicate(shared.get(asc.float32), 3.0, 8)


@pytest.mark.parametrize("checked", [False, True])
def test_pools(checked: bool, ran: Ran) -> None:
    """By hand: the pool starts at 32 and has 512 bytes; its queue takes 128, the pool in it lies at 160, 96 bytes."""
    z = np.full(16, 99, np.int64)
    (pooled.check[1] if checked else pooled[1])(z, 512)
    assert z.tolist() == [544, 32, 96, 256, 160, 192, 160, 32, 160, *[99] * 7]
    calls = {"TBufPool": 1, "TPipe.init_buf_pool": 2, "TBufPool.init_buf_pool": 2}
    for call, forms in {**calls, "TBufPool.init_buffer": 3, "TBufPool.reset": 1}.items():
        for form in range(forms):
            ran(call, form, "")
