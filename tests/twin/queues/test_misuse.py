# ruff: noqa: F841  (objects that nobody uses are what some of these are for)
"""Every misuse of a pipe, a queue, a buffer or a flag is refused, at its line, in words."""

import importlib.util
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

from opwright import asc
from opwright.errors import BeyondMemory, FlagError, NoForm, OutOfRange, QueueError, RuleBroken, RuleError
from opwright.runtime.jit import JitFunction

# The checked twin warns about reserved event ids: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

UB = 188416
Wrong = tuple[FunctionType, tuple[int, ...], type[Exception], str]
WRONG: dict[str, Wrong] = {}


def wrong(kind: type[Exception], words: str, *arguments: int) -> Callable[[FunctionType], FunctionType]:
    """A body that fails in the line that ends with `# here`."""

    def add(body: FunctionType) -> FunctionType:
        WRONG[body.__name__] = body, arguments, kind, words
        return body

    return add


def kernel_text() -> str:
    """One kernel with all of them, for one compilation: case `which`, with its argument n."""
    lines = ["from opwright import asc", "@asc.jit", "def misuse(which: int, n: int):"]
    for number, (body, *_) in enumerate(WRONG.values()):
        source = inspect.getsource(body).splitlines()
        start = next(index for index, line in enumerate(source) if line.startswith("def ")) + 1
        # A name belongs to its case alone.
        names = {*body.__code__.co_varnames} - {"_"}
        renamed = {name: "n" if name in inspect.signature(body).parameters else f"{name}_{number}" for name in names}
        lines.append(f"    if which == {number}:")
        text = "\n".join(f"    {line}" for line in source[start:])
        for name, new in renamed.items():
            text = re.sub(rf"\b{name}\b", new, text)
        lines += text.splitlines()
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def misuse(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("misuse") / "misuse.py"
    path.write_text(kernel_text())
    spec = importlib.util.spec_from_file_location("misuse", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@wrong(QueueError, "a kernel has one asc.TPipe, and this is the second")
def second_pipe():
    pipe = asc.TPipe()
    other = asc.TPipe()  # here


@wrong(QueueError, "this asc.TPipe was destroyed")
def destroyed_pipe():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.destroy()
    pipe.init_buffer(queue, 1, 32)  # here


@wrong(QueueError, "this has its buffers already")
def buffers_twice():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    pipe.init_buffer(queue, 1, 32)  # here


@wrong(QueueError, "this has its buffers already")
def buffer_twice():
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 32)
    pipe.init_buffer(buffer, 32)  # here


@wrong(QueueError, "this has no buffers")
def no_buffers():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    queue.alloc_tensor(asc.float32)  # here


@wrong(QueueError, "this has no buffers")
def no_buffers_after_reset():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    pipe.reset()
    queue.deque(asc.float32)  # here


@wrong(QueueError, "this has no buffers")
def no_memory():
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    buffer.get(asc.float32)  # here


@wrong(QueueError, "5 more buffers after 60: a kernel has 64 at most", 5)
def too_many_buffers(more: int):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    other = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 60, 32)
    pipe.init_buffer(other, more, 32)  # here


@wrong(OutOfRange, f"these buffers take 96000 bytes of UB, but {UB - 96032} of {UB} are left", 47999)
def beyond_capacity(size: int):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    other = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 96001)
    pipe.init_buffer(other, 2, size)  # here


@wrong(RuleError, "asc.TPipe.init_buffer: num must lie between 1 and 64, got 0", 0)
def no_buffer_at_all(num: int):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, num, 32)  # here


@wrong(RuleError, "num of asc.TPipe.init_buffer does not fit its type (it would become 2)", 258)
def number_does_not_fit(num: int):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, num, 32)  # here


@wrong(RuleError, "asc.TPipe.init_buffer: len must lie between 1 and 4294967295, got 0", 0)
def empty_buffers(size: int):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, size)  # here


@wrong(RuleError, "len of asc.TPipe.init_buffer does not fit its type", -1)
def negative_buffer(size: int):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buf=buffer, len=size)  # here


@wrong(QueueError, "none of the 3 buffers of this queue is free: 1 occupied, 1 enqueued, 1 dequeued")
def none_free():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(queue, 3, 32)
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.deque(asc.float32)
    queue.alloc_tensor(asc.float32)
    queue.alloc_tensor(asc.float32)  # here


@wrong(QueueError, "this tensor does not belong to this queue")
def tensor_of_another_queue():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    other = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    pipe.init_buffer(other, 1, 32)
    other.enque(queue.alloc_tensor(asc.float32))  # here


@wrong(QueueError, "this tensor does not belong to this queue")
def tensor_of_no_queue():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    buffer = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(buffer, 32)
    local = buffer.get(asc.float32)
    queue.free_tensor(local)  # here


@wrong(QueueError, "this tensor does not belong to this queue")
def tensor_of_a_buffer():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    buffer = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(queue, 1, 32)
    pipe.init_buffer(buffer, 32)
    queue.enque(buffer.get(asc.float32))  # here


@wrong(QueueError, "this tensor cannot be enqueued: it waits in the queue already")
def enqueued_twice():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(queue, 2, 32)
    local = queue.alloc_tensor(asc.float32)
    queue.enque(local)
    queue.enque(local)  # here


@wrong(QueueError, "this tensor cannot be enqueued: it is not allocated: it was freed, or never was")
def enqueued_after_free():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 2)
    pipe.init_buffer(queue, 2, 32)
    local = queue.alloc_tensor(asc.float32)
    queue.free_tensor(local)
    queue.enque(local[4:])  # here


@wrong(QueueError, "1 tensors wait in this queue, as many as its depth allows")
def past_depth():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 32)
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.enque(queue.alloc_tensor(asc.float32))  # here


@wrong(QueueError, "no tensor waits in this queue")
def dequeued_too_often():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 32)
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.deque(asc.float32)
    queue.deque(asc.float32)  # here


@wrong(QueueError, "this tensor cannot be freed: it waits in the queue already")
def freed_in_queue():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 32)
    local = queue.alloc_tensor(asc.float32)
    queue.enque(local)
    queue.free_tensor(local)  # here


@wrong(QueueError, "this tensor cannot be freed: it is not allocated: it was freed, or never was")
def freed_twice():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 32)
    local = queue.alloc_tensor(asc.float32)
    queue.free_tensor(local)
    queue.free_tensor(local)  # here


@wrong(OutOfRange, "this tensor ends at byte 68 of a buffer that has 64", 17)
def beyond_a_buffer(count: int):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 40)
    buffer.get(asc.float32)
    buffer.get(asc.float32, count)  # here


@wrong(OutOfRange, "this tensor ends at byte 96 of a buffer that has 64", 64)
def offset_beyond_a_buffer(offset: int):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 64)
    buffer.get_with_offset(8, offset, asc.float32)  # here


@wrong(RuleError, "len of asc.TBuf.get does not fit its type", -1)
def negative_count(count: int):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 64)
    buffer.get(asc.float32, count)  # here


@wrong(FlagError, "all 8 event ids of V_MTE2 are given out")
def no_event_id_left():
    pipe = asc.TPipe()
    for _ in range(9):
        pipe.alloc_event_id(asc.HardEvent.V_MTE2)  # here


@wrong(FlagError, "all 8 event ids of V_MTE2 are given out")
def too_many_freed_buffers():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 9, 32)
    for _ in range(9):
        local = queue.alloc_tensor(asc.float32)
        queue.free_tensor(local)  # here


@wrong(FlagError, "event id 3 of V_MTE2 is not given out", 3)
def released_without_need(event_id: int):
    pipe = asc.TPipe()
    pipe.release_event_id(event_id, asc.HardEvent.V_MTE2)  # here


@wrong(RuleError, "asc.TPipe.release_event_id: id must lie between 0 and 7, got 8", 8)
def released_what_is_none(event_id: int):
    pipe = asc.TPipe()
    pipe.release_event_id(event_id, asc.HardEvent.V_MTE2)  # here


@wrong(FlagError, "flag V_MTE3 5 is still set when the core ends")
def flag_left_set():
    for event_id in range(4, 7):
        asc.set_flag(asc.HardEvent.V_MTE3, event_id)  # here
        if event_id != 5:
            asc.wait_flag(asc.HardEvent.V_MTE3, event_id)


@wrong(FlagError, "a tensor enqueued here is never dequeued, so flag MTE2_V 0 is still set when the core ends")
def never_dequeued():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    queue.enque(queue.alloc_tensor(asc.float32))  # here


@wrong(FlagError, "flag V_MTE2 0 is set again before anything waited for it")
def by_hand_and_by_queue():
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 32)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    queue.free_tensor(queue.alloc_tensor(asc.float32))  # here


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, misuse: ModuleType) -> None:
    _, arguments, kind, words = WRONG[name]
    number = [*WRONG].index(name)
    lines = Path(misuse.__file__ or "").read_text(encoding="utf-8").splitlines()
    start = lines.index(f"    if which == {number}:")
    here = next(line for line in range(start, len(lines)) if lines[line].endswith("# here")) + 1
    for cores in (1, 3):
        with pytest.raises(kind, match=re.escape(words)) as raised:
            misuse.misuse[cores](number, *(arguments or (0,)))
        assert type(raised.value) is kind
        assert raised.value.at.line == here


@asc.jit
def on_one_core(core: int):
    if asc.get_block_idx() == core:
        asc.set_flag(asc.HardEvent.V_MTE3, 1)


def test_a_flag_left_set_on_one_core() -> None:
    with pytest.raises(FlagError, match="on_one_core, core 5: flag V_MTE3 1"):
        on_one_core[8](5)
    on_one_core[8](8)


@asc.jit
def never_freed(z: asc.GlobalAddress):
    """Tensors that are never freed are nobody's fault; flags of freed buffers are the pipe's own business."""
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 4)
    pipe.init_buffer(queue, 4, 32)
    queue.alloc_tensor(asc.float32)
    queue.free_tensor(queue.alloc_tensor(asc.float32))
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.deque(asc.float32)
    queue.enque(queue.alloc_tensor(asc.float32))
    queue.free_all_event()


def test_never_freed() -> None:
    never_freed[2](np.zeros(8, np.float32))


# Before the run -----------------------------------------------------------------------------------------------


@asc.jit
def constants(
    pos: asc.ConstExpr[asc.TPosition], depth: asc.ConstExpr[int], num: asc.ConstExpr[int], size: asc.ConstExpr[int]
):
    pipe = asc.TPipe()
    queue = asc.TQue(pos, depth)
    pipe.init_buffer(queue, num, size)


@asc.jit
def bound(dst: asc.ConstExpr[asc.TPosition]):
    queue = asc.TQueBind(asc.TPosition.VECIN, dst, 1)


@asc.jit
def scratch(size: asc.ConstExpr[int]):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, size)


@asc.jit
def depth_of_the_run(n: int):
    queue = asc.TQue(asc.TPosition.VECIN, n)


@asc.jit
def masked():
    queue = asc.TQue(asc.TPosition.VECIN, 1, 1)


VECIN = asc.TPosition.VECIN


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kernel", "arguments", "kind", "words"),
    [
        (constants, (VECIN, -1, 1, 32), RuleBroken, "asc.TQue: depth must lie between 0 and 64, got -1"),
        (constants, (asc.TPosition.GM, 1, 1, 32), RuleBroken, "pos must be a position on the chip"),
        (constants, (VECIN, 1, 0, 32), RuleBroken, "num must lie between 1 and 64, got 0"),
        (constants, (VECIN, 1, 1, 0), RuleBroken, "len must lie between 1 and 4294967295, got 0"),
        (
            constants,
            (VECIN, 1, 2, 94209),
            BeyondMemory,
            f"these buffers end at byte {UB + 64} of UB, but ascend910b has {UB} for a kernel",
        ),
        (scratch, (UB + 1,), BeyondMemory, f"these buffers end at byte {UB + 32} of UB"),
        (bound, (asc.TPosition.A1,), RuleBroken, "dst must be in the memory of src, got one in L1"),
        (bound, (asc.TPosition.GM,), RuleBroken, "dst must be a position on the chip"),
        (depth_of_the_run, (3,), NoForm, "depth must be a constant: it is part of the type"),
        (masked, (), RuleBroken, "asc.TQue: mask must be 0, got 1"),
    ],
)
def test_before_the_run(kernel: JitFunction, arguments: tuple, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        kernel.emit(*arguments, soc="ascend910b")


@pytest.mark.quick
def test_what_just_fits() -> None:
    constants.emit(VECIN, 1, 2, 94208, soc="ascend910b")
    constants.emit(VECIN, 1, 2, 94209, soc="ascend950")
    scratch.emit(UB, soc="ascend910b")
