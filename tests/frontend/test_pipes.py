"""Calls that take room or event ids from the kernel's TPipe: refused in kernels that make none, where they do so."""

import pytest

from opwright import asc
from opwright.ascendc.table import ROWS
from opwright.errors import NeedsPipe
from opwright.runtime.jit import JitFunction


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
    (in_a_branch_that_is_not_taken, (False,), (), ""),
    (in_a_branch_that_is_not_taken, (True,), BOTH, "TPipe"),
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


def test_what_to_do_instead_is_there() -> None:
    """The calls that hints name exist, and need no TPipe themselves on that SoC."""
    for row in ROWS.values():
        for form in row.forms:
            for soc, instead in form.needs_tpipe.items():
                for word in instead.replace(",", " ").split():
                    if word.startswith("asc."):
                        other = ROWS[word.removeprefix("asc.")]
                        assert any(soc not in one.needs_tpipe and soc not in other.not_on(one) for one in other.forms)
