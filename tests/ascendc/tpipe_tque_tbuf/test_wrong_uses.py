"""Wrong uses of pools and of queues in place: each is refused, at its line, in words."""

import numpy as np
import pytest

from opwright import asc
from opwright.errors import BeyondMemory, OutOfRange, QueueError, RaceError, RuleBroken, UnsupportedSyntax
from opwright.runtime.jit import JitFunction

UB = 188416


@asc.jit
def pools(which: int, n: int):
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC, 4)
    other = asc.TBufPool(asc.TPosition.VECCALC, 4)
    inner = asc.TBufPool(asc.TPosition.VECCALC, 4)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    if which == 1:
        pool.init_buffer(queue, 1, 32)
    pipe.init_buf_pool(pool, 256)
    if which == 2:
        pipe.init_buf_pool(pool, 256)
    if which == 3:
        pool.init_buffer(queue, 2, n)
    if which == 4:
        pool.init_buf_pool(inner, n)
    if which == 5:
        pipe.init_buf_pool(other, n, pool)
    if which == 6:
        pipe.init_buf_pool(other, 32, inner)
    if which == 7:
        pool.init_buffer(queue, n, 32)
    if which == 8:
        pipe.init_buf_pool(other, n)
    pool.init_buf_pool(inner, 64)
    inner.init_buffer(scratch, 32)
    pool.init_buffer(queue, 2, 32)
    tensor = queue.alloc_tensor(asc.float32)
    if which == 9:
        pool.init_buffer(scratch, 32)
    pool.reset()
    if which == 10:
        queue.free_tensor(tensor)
    if which == 11:
        scratch.get(asc.float32)
    if which == 12:
        inner.reset()
    pool.init_buffer(queue, 2, 32)
    if which == 13:
        queue.free_tensor(tensor)
    if which == 14:
        asc.duplicate(tensor, 1.0, 8)


@asc.jit
def before_any_pipe():
    asc.inline("struct Own { AscendC::TPipe pipe; };", before_function=True)  # it might be alive
    asc.get_tpipe_ptr()


def test_no_pipe_is_told_in_the_run_where_cpp_might_make_one() -> None:
    with pytest.raises(QueueError, match=r"this kernel has no asc\.TPipe here"):
        before_any_pipe[1]()


@pytest.mark.parametrize(
    ("which", "n", "kind", "words"),
    [
        (1, 0, QueueError, "this has no buffers"),
        (2, 0, QueueError, "this has its buffers already"),
        (3, 129, OutOfRange, "these take 320 bytes of a pool, but 256 of 256 are left"),
        (4, 257, OutOfRange, "these take 288 bytes of a pool, but 256 of 256 are left"),
        (5, 257, OutOfRange, "these take 288 bytes of a pool, but 256 of 256 are left"),
        (6, 0, QueueError, "this has no buffers"),
        (7, 5, QueueError, "5 more buffers after 0: this pool has 4 at most"),
        (8, UB - 255, OutOfRange, f"these buffers take {UB - 224} bytes of UB, but {UB - 256} of {UB} are left"),
        (9, 0, QueueError, "this has its buffers already"),
        (10, 0, QueueError, "this has no buffers"),
        (11, 0, QueueError, "this has no buffers"),
        (12, 0, QueueError, "this has no buffers"),
        (13, 0, QueueError, "this tensor does not belong to this queue"),
    ],
)
def test_pools(which: int, n: int, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        pools[1](which, n)


def test_right_uses() -> None:
    for which, n in ((15, 0), (8, UB - 256)):
        pools[1](which, n)


def test_a_tensor_of_a_pool_that_was_reset() -> None:
    with pytest.raises(QueueError, match="was taken before the pipe was reset or destroyed, or its pool reset"):
        pools.check[1](14, 0)


@asc.jit
def queues(which: int):
    pipe = asc.TPipe()
    loose = asc.TQue(asc.TPosition.VECIN, 0)
    bound = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)
    pipe.init_buffer(loose, 1, 32)
    pipe.init_buffer(bound, 1, 32)
    tensor = asc.LocalTensor(asc.float32)
    if which == 0:
        loose.enque(tensor)
    loose.alloc_tensor(tensor)
    if which == 1:
        loose.deque(tensor)
    loose.free_tensor(tensor)
    other = bound.alloc_tensor(asc.float32)
    bound.enque(other, asc.TPosition.GM, asc.TPosition.VECIN)
    if which == 2:
        bound.deque(asc.float32)
    bound.deque(asc.float32, asc.TPosition.GM, asc.TPosition.VECIN)


@pytest.mark.parametrize(
    ("which", "words"),
    [
        (0, "this tensor does not belong to this queue"),
        (1, "no tensor waits in this queue"),
        (2, "this tensor was enqueued with flag MTE2_V, and deque would wait for MTE2_MTE3"),
    ],
)
def test_queues(which: int, words: str) -> None:
    with pytest.raises(QueueError, match=words):
        queues[1](which)


# Pools over the same bytes ------------------------------------------------------------------------------------


@asc.jit
def shared(x: asc.GlobalAddress, waits: bool):
    """Two pools over the same bytes: what the one still copies out, the other overwrites."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC, 4)
    other = asc.TBufPool(asc.TPosition.VECCALC, 4)
    pipe.init_buf_pool(pool, 256)
    pipe.init_buf_pool(other, 256, pool)
    first = asc.TBuf(asc.TPosition.VECCALC)
    second = asc.TBuf(asc.TPosition.VECCALC)
    pool.init_buffer(first, 256)
    other.init_buffer(second, 256)
    asc.duplicate(first.get(asc.float32), 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, first.get(asc.float32), 64)
    if waits:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.duplicate(second.get(asc.float32), 2.0, 64)


def test_pools_over_the_same_bytes() -> None:
    x = np.full(64, np.nan, np.float32)
    shared.check[1](x, True)
    assert (x == 1).all()
    with pytest.raises(RaceError):
        shared.check[1](x, False)


# Before the run -----------------------------------------------------------------------------------------------


@asc.jit
def large_pool(size: asc.ConstExpr[int], most: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC, most)
    pipe.init_buf_pool(pool, size)


@asc.jit(kernel_type="mix_1_1")
def queue_elsewhere(pos: asc.ConstExpr[asc.TPosition]):
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC, 1)
    pipe.init_buf_pool(pool, 64)
    queue = asc.TQue(pos, 1)
    pool.init_buffer(queue, 1, 32)


@asc.jit
def placed_twice():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 0)
    pipe.init_buffer(queue, 2, 32)
    tensor = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)
    queue.alloc_tensor(tensor)


@asc.jit
def depths(depth: asc.ConstExpr[int], which: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    queue = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, depth, 0)
    pipe.init_buffer(queue, 2, 32)
    tensor = asc.LocalTensor(asc.float32)
    if which == 0:
        queue.alloc_tensor(asc.float32)
    elif which == 1:
        queue.deque(asc.float32)
    elif which == 2:
        queue.deque(asc.float32, asc.TPosition.GM, asc.TPosition.VECIN)
    elif which == 3:
        queue.free_all_event()
    elif which == 4:
        queue.has_idle_buffer()
    elif which == 5:
        queue.has_tensor_in_que()
    elif which == 6:
        queue.vacant_in_que()
    elif which == 7:
        queue.get_tensor_count_in_que()
    elif which == 8:
        queue.alloc_tensor(tensor)
    else:
        queue.deque(tensor)


@pytest.mark.quick
@pytest.mark.parametrize("which", range(10))
def test_queues_with_an_order_and_without(which: int) -> None:
    refused = 0 if which < 8 else 1
    assert "TQueBind<" in depths.emit(1 - refused, which)
    with pytest.raises(RuleBroken, match="the depth of the queue must be"):
        depths.emit(refused, which)


@asc.jit
def pool_within(size: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC)
    inner = asc.TBufPool(asc.TPosition.VECCALC, size)
    pipe.init_buf_pool(pool, 256)
    pool.init_buf_pool(inner, 64)


@pytest.mark.quick
def test_a_pool_within_a_pool_has_its_size() -> None:
    assert "InitBufPool" in pool_within.emit(4)
    with pytest.raises(RuleBroken, match="buf_id_size of buf_pool must be that of the pool that contains it, got 8"):
        pool_within.emit(8)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kernel", "arguments", "kind", "words"),
    [
        (large_pool, (UB + 1, 4), BeyondMemory, f"these buffers end at byte {UB + 32} of UB"),
        (large_pool, (64, 17), RuleBroken, "buf_id_size must lie between 1 and 16, got 17"),
        (large_pool, (0, 4), RuleBroken, "len must lie between 1 and 4294967295, got 0"),
        (queue_elsewhere, (asc.TPosition.A1,), RuleBroken, "que must be in the memory of self, got one in L1"),
        (placed_twice, (), UnsupportedSyntax, "alloc_tensor on a tensor that was made with memory"),
    ],
)
def test_before_the_run(kernel: JitFunction, arguments: tuple, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        kernel.emit(*arguments)
