"""What a kernel's TPipe gives: calls that take room or event ids of it need one, tensors by hand are not beside it."""

import pytest

from opwright import asc
from opwright.ascendc.table import ROWS
from opwright.errors import MixedPlacement, NeedsPipe
from opwright.runtime.jit import JitFunction

pytestmark = pytest.mark.quick


@asc.jit
def sums(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 128)
    asc.reduce_sum(a, a, a, 64, 2, 8)


@asc.jit
def sines(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    asc.adv.sin(b, a)


@asc.jit
def sines_with_room(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    room = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 2048, 4096)
    asc.adv.sin(b, a, room)


@asc.jit
def powers_with_room(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    room = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 2048, 4096)
    asc.adv.power(b, a, a, room)


@asc.jit
def in_a_branch(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    w = asc.GlobalTensor()
    w.set_global_buffer(x)
    if n > 3:
        asc.ib_set(w, a, 0, 0)


@asc.jit
def with_a_pipe(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 512)
    a = buffer.get(asc.float32)
    asc.reduce_sum(a, a, a, 64)


@asc.jit
def helped(a: asc.LocalTensor):
    asc.reduce_sum(a, a, a, 64)


@asc.jit
def in_a_helper(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    helped(a)


@asc.jit
def with_a_pipe_in_cpp(x: asc.GlobalAddress):
    asc.inline("AscendC::TPipe own;")
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.reduce_sum(a, a, a, 64)


@asc.jit
def in_a_branch_that_is_not_taken(x: asc.GlobalAddress, sums_too: asc.ConstExpr[bool]):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if sums_too:
        asc.reduce_sum(a, a, a, 64)


@asc.jit
def asks_for_it(x: asc.GlobalAddress):
    asc.get_tpipe_ptr().reset()


@asc.jit
def asks_and_has_one(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    asks_for_it(x)
    pipe.reset()


@asc.jit
def before_the_pipe(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.reduce_sum(a, a, a, 64)
    pipe = asc.TPipe()
    pipe.reset()


@asc.jit
def pipe_on_one_way(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if n > 3:
        pipe = asc.TPipe()
        asc.reduce_sum(a, a, a, 64)  # has one
        pipe.reset()
    asc.reduce_sum(a, a, a, 64)


@asc.jit
def pipe_of_each_turn(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    for _ in range(n):
        asc.reduce_sum(a, a, a, 64)
        pipe = asc.TPipe()
        pipe.reset()


@asc.jit
def makes_one():
    pipe = asc.TPipe()
    pipe.reset()


@asc.jit
def pipe_of_a_helper(x: asc.GlobalAddress):
    makes_one()
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    helped(a)


@asc.jit
def helped_twice(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    if n > 3:
        pipe = asc.TPipe()
        pipe.reset()
        helped(a)
    helped(a)  # without


@asc.jit(kernel_type="mix_1_1")
def pipe_of_the_other_kind(x: asc.GlobalAddress):
    if asc.ascend_is_aic():
        makes_one()
        pipe = asc.TPipe()
        pipe.reset()
    else:
        a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
        asc.reduce_sum(a, a, a, 64)


@asc.jit(kernel_type="mix_1_1")
def pipe_of_both_kinds(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    if asc.ascend_is_aiv():
        buffer = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(buffer, 512)
        helped(buffer.get(asc.float32))


class Owner:
    def __init__(self):
        self.pipe = asc.TPipe()
        self.buffer = asc.TBuf(asc.TPosition.VECCALC)
        self.pipe.init_buffer(self.buffer, 512)

    def run(self, n: int):
        for _ in range(n):
            helped(self.buffer.get(asc.float32))


@asc.jit
def pipe_of_an_object(x: asc.GlobalAddress, n: int):
    owner = Owner()
    owner.run(n)


BOTH = ("ascend910b", "ascend950")
# Kernel, what it is emitted for besides its array, the SoCs that refuse it, and words of the way out.
CASES: tuple[tuple[JitFunction, tuple[object, ...], tuple[str, ...], str], ...] = (
    (sums, (), ("ascend910b",), "whole_reduce_sum"),
    (sines, (), BOTH, "temp_buffer"),
    (sines_with_room, (), (), ""),
    (powers_with_room, (), ("ascend950",), "TPipe"),
    (in_a_branch, (1,), BOTH, "cross_core_set_flag"),
    (with_a_pipe, (), (), ""),
    (in_a_helper, (), BOTH, "TPipe"),
    (with_a_pipe_in_cpp, (), (), ""),
    (asks_for_it, (), BOTH, "make a TPipe"),
    (asks_and_has_one, (), (), ""),
    (in_a_branch_that_is_not_taken, (False,), (), ""),
    (in_a_branch_that_is_not_taken, (True,), BOTH, "TPipe"),
    (before_the_pipe, (), BOTH, "TPipe"),
    (pipe_on_one_way, (1,), BOTH, "TPipe"),
    (pipe_of_each_turn, (1,), BOTH, "TPipe"),
    (pipe_of_a_helper, (), BOTH, "TPipe"),
    (helped_twice, (1,), BOTH, "TPipe"),
    (pipe_of_the_other_kind, (), BOTH, "TPipe"),
    (pipe_of_both_kinds, (), (), ""),
    (pipe_of_an_object, (1,), (), ""),
)


@pytest.mark.parametrize("soc", BOTH)
@pytest.mark.parametrize(("kernel", "more", "refused", "words"), CASES, ids=lambda one: getattr(one, "__name__", None))
def test_emit(kernel: JitFunction, more: tuple[object, ...], refused: tuple[str, ...], words: str, soc: str) -> None:
    dtype = "i32[64]" if kernel is in_a_branch else "f32[64]"
    if soc not in refused:
        assert "AscendC::" in kernel.emit(dtype, *more, soc=soc)
        return
    with pytest.raises(NeedsPipe) as caught:
        kernel.emit(dtype, *more, soc=soc)
    assert soc in str(caught.value)
    assert words in str(caught.value)


def test_the_call_is_named_at_which_no_pipe_is_alive() -> None:
    with pytest.raises(NeedsPipe) as caught:
        helped_twice.emit("f32[64]", 1)
    at = caught.value.at
    assert at is not None and "asc.reduce_sum" in at.text
    assert [call.text.strip() for call in at.calls] == ["helped(a)  # without"]


def test_what_to_do_instead_is_there() -> None:
    """The calls that hints name exist, and need no TPipe themselves on that SoC."""
    for row in ROWS.values():
        for form in row.forms:
            for soc, instead in form.needs_tpipe.items():
                for word in instead.replace(",", " ").split():
                    if word.startswith("asc."):
                        other = ROWS[word.removeprefix("asc.")]
                        assert any(soc not in one.needs_tpipe and soc not in other.not_on(one) for one in other.forms)


# Tensors that are placed by hand ------------------------------------------------------------------------------


@asc.jit
def tensor_by_hand(x: asc.GlobalAddress):
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)  # here
    asc.add(a, a, a, 64)
    asc.TPipe().destroy()


@asc.jit
def at_an_address(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    a = asc.LocalTensor(x.dtype, 1024)  # here
    asc.add(a, a, a, 64)
    pipe.reset()


@asc.jit
def by_an_allocator(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    a = asc.LocalMemAllocator().alloc(asc.TPosition.VECCALC, x.dtype, 64)  # here
    asc.add(a, a, a, 64)
    pipe.reset()


@asc.jit
def places(x: asc.GlobalAddress):
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)  # here
    asc.add(a, a, a, 64)


@asc.jit
def in_another_helper(x: asc.GlobalAddress):
    makes_one()
    places(x)


@asc.jit(kernel_type="cube")
def in_l1(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    pipe.reset()
    asc.LocalTensor(x.dtype, asc.TPosition.A1, 0, 64).set_value(0, 1)  # here


@asc.jit(kernel_type="mix_1_2")
def on_the_same_side(x: asc.GlobalAddress):
    if asc.ascend_is_aiv():
        makes_one()
        places(x)


@asc.jit(kernel_type="mix_1_2")
def on_both_sides(x: asc.GlobalAddress):
    makes_one()
    if asc.ascend_is_aiv():
        places(x)


@pytest.mark.parametrize("soc", BOTH)
@pytest.mark.parametrize(
    "kernel",
    [tensor_by_hand, at_an_address, by_an_allocator, in_another_helper, in_l1, on_the_same_side, on_both_sides],
    ids=lambda kernel: kernel.__name__,
)
def test_placed_by_hand_beside_a_pipe(kernel: JitFunction, soc: str) -> None:
    with pytest.raises(MixedPlacement) as caught:
        kernel.emit("f32[64]", soc=soc)
    at = caught.value.at
    assert at is not None and at.text.rstrip().endswith("  # here")
    assert at.text[at.column :].startswith(("asc.LocalTensor(", "asc.LocalMemAllocator()."))
    assert ("in L1 by hand" if kernel is in_l1 else "in UB by hand") in str(caught.value)
    assert "asc.TBuf" in str(caught.value) and "make no TPipe" in str(caught.value)


@asc.jit
def placed_by_a_queue(x: asc.GlobalAddress):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 0)
    pipe.init_buffer(queue, 2, 256)
    a = asc.LocalTensor(x.dtype)
    queue.alloc_tensor(a)
    queue.free_tensor(a)


@asc.jit(kernel_type="mix_1_2")
def on_the_other_side(x: asc.GlobalAddress):
    if asc.ascend_is_aic():
        makes_one()
    else:
        places(x)


@asc.jit(kernel_type="mix_1_2")
def of_the_other_core(x: asc.GlobalAddress):
    if asc.ascend_is_aic():
        pipe = asc.TPipe()
        buffer = asc.TBuf(asc.TPosition.A1)
        pipe.init_buffer(buffer, 256)
        a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4096, 64)
        asc.data_copy_l1_to_ub(a, buffer.get(x.dtype), 64, 0)


@pytest.mark.parametrize(
    ("kernel", "socs"),
    [(placed_by_a_queue, BOTH), (on_the_other_side, BOTH), (of_the_other_core, ("ascend950",))],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_not_beside_a_pipe(kernel: JitFunction, socs: tuple[str, ...]) -> None:
    """Tensors of the pipe, and those in the memory of a core that has none."""
    for soc in socs:
        assert "AscendC::TPipe " in kernel.emit("f32[64]", soc=soc)
