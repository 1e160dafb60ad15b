"""Queues at the positions of the matrix unit: the flags that they set and wait for, their memory, and its end."""

import numpy as np
import pytest

from opwright import asc
from opwright.asc import TPosition
from opwright.ascendc.socs import SOCS
from opwright.check.events import recorded
from opwright.errors import BeyondMemory, OutOfRange, QueueError
from opwright.kernel.target import Mode
from opwright.runtime.jit import JitFunction

# By hand: who fills a buffer of each position, and who empties it.
PIPES = {
    TPosition.A1: ("MTE2", "MTE1"),
    TPosition.B1: ("MTE2", "MTE1"),
    TPosition.C1: ("MTE2", "MTE1"),
    TPosition.A2: ("MTE1", "M"),
    TPosition.B2: ("MTE1", "M"),
    TPosition.C2: ("MTE1", "M"),
    TPosition.CO1: ("M", "FIX"),
}


@asc.jit(kernel_type="cube")
def three_turns(position: asc.ConstExpr[TPosition], z: asc.GlobalAddress):
    """Two buffers for three turns: the third waits until the first is free."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    pipe = asc.TPipe()
    queue = asc.TQue(position, 2)
    pipe.init_buffer(queue, 2, 500)
    for turn in range(3):
        tile = queue.alloc_tensor(asc.float16)
        z_gm.set_value(turn, tile.get_phy_addr())
        queue.enque(tile)
        taken = queue.deque(asc.float16)
        z_gm.set_value(turn + 8, taken.get_length())
        queue.free_tensor(taken)


@pytest.mark.parametrize("position", PIPES, ids=lambda position: position.name)
def test_flags(position: TPosition) -> None:
    z = np.full(64, -1, np.int32)
    bound = three_turns.binder.bind((position, z), {})
    recording = recorded(three_turns.kernel_for(bound, Mode.CHECKED), 1, bound)
    producer, consumer = PIPES[position]
    ready, free = f"{producer}_{consumer}", f"{consumer}_{producer}"
    flags = [f"{event.kind} {event.flag.split()[0]}" for event in recording.events if event.flag]
    turn = [f"set {ready}", f"wait {ready}", f"set {free}"]
    assert flags == [*turn, *turn, f"wait {free}", *turn, f"wait {free}", f"wait {free}"]
    assert len(recording.report) == 0
    assert z[:3].tolist() == [0, 512, 0] and z[8:11].tolist() == [512, 512, 512]


@asc.jit(kernel_type="cube")
def fills_l0a(bytes_of_one: int):
    pipe = asc.TPipe()
    queue = asc.TQue(TPosition.A2, 2)
    pipe.init_buffer(queue, 2, bytes_of_one)
    other = asc.TBuf(TPosition.B2)
    pipe.init_buffer(other, bytes_of_one)  # another memory: nothing is taken from it


@asc.jit(kernel_type="cube")
def constant_size(size: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    queue = asc.TQue(TPosition.CO1, 1)
    pipe.init_buffer(queue, 1, size)


def test_each_memory_ends_by_itself() -> None:
    l0a = SOCS["ascend910b"].usable("L0A")
    fills_l0a[1](l0a // 2)
    with pytest.raises(OutOfRange, match=f"take {l0a + 64} bytes of L0A, but {l0a} of {l0a} are left"):
        fills_l0a[1](l0a // 2 + 1)
    constant_size.emit(SOCS["ascend950"].usable("L0C"), soc="ascend950")
    with pytest.raises(BeyondMemory, match="L0C"):
        constant_size.emit(SOCS["ascend910b"].usable("L0C") + 32, soc="ascend910b")


@asc.jit(kernel_type="cube")
def forgets_to_free(turns: int):
    pipe = asc.TPipe()
    queue = asc.TQue(TPosition.A1, 2)
    pipe.init_buffer(queue, 2, 1024)
    for _turn in range(turns):
        queue.enque(queue.alloc_tensor(asc.float16))
        queue.deque(asc.float16)


def test_misuse_is_told_as_at_other_positions() -> None:
    with pytest.raises(QueueError, match="none of the 2 buffers of this queue is free: 2 dequeued"):
        forgets_to_free[1](3)


@asc.jit(kernel_type="mix_1_1")
def a_pipe_for_each_kind():
    if asc.ascend_is_aic():
        pipe = asc.TPipe()
        queue = asc.TQue(TPosition.A1, 2)
        pipe.init_buffer(queue, 2, 1024)
        result = asc.TQue(TPosition.CO1, 1)
        pipe.init_buffer(result, 1, 2048)
    else:
        other_pipe = asc.TPipe()
        other_queue = asc.TQue(TPosition.VECIN, 2)
        other_pipe.init_buffer(other_queue, 2, 4096)


def test_the_budget_counts_each_memory() -> None:
    kernel: JitFunction = a_pipe_for_each_kind
    kernel.check[1]()
    budget = kernel.check.report().budget
    assert budget is not None
    assert {memory: budget.used(memory) for memory in budget.memories} == {"UB": 8192, "L1": 2048, "L0C": 2048}
    assert all(not budget.unknown(memory) for memory in budget.memories)
