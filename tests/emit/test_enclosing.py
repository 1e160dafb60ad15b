"""The first and the last line of a kernel: once on every way, by the kernel or by its TPipe."""

import re
from pathlib import Path

import pytest

from opwright import asc
from opwright.runtime.jit import JitFunction

pytestmark = pytest.mark.quick

INIT, BARRIER = "AscendC::InitSocState();", "AscendC::PipeBarrier<PIPE_ALL>();"


@asc.jit
def plain(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    asc.data_copy(asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64), x_gm, 64)


@asc.jit
def returns_early(n: int):
    asc.set_mask_count()
    if n > 3:
        return
    asc.set_mask_norm()
    if n > 1:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        return
    asc.reset_mask()


@asc.jit
def by_hand(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.init_soc_state()
    asc.data_copy(local, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def too_late():
    asc.reset_mask()
    asc.init_soc_state()
    asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit
def in_cpp():
    asc.inline("AscendC::InitSocState();")
    asc.inline("AscendC::SetMaskNorm();")


@asc.jit
def words_in_cpp():
    asc.inline("// no TPipe pipe; here, and no InitSocState();")
    asc.inline('/* AscendC::TPipe\npipe; */ const char* said = "AscendC::TPipe pipe; \\"InitSocState()";')


@asc.jit
def pipe_in_cpp():
    asc.inline("AscendC::TPipe pipe;")


@asc.jit
def with_pipe(n: int):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 1024)
    if n > 1:
        return
    asc.reset_mask()


class Worker:
    def __init__(self) -> None:
        self.pipe = asc.TPipe()


@asc.jit
def with_object():
    worker = Worker()
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    worker.pipe.reset()


@asc.jit
def makes_pipe():
    pipe = asc.TPipe()
    pipe.reset()


@asc.jit
def with_helper():
    makes_pipe()


@asc.jit
def both_kinds():
    if asc.ascend_is_aic():
        pipe = asc.TPipe()
        pipe.reset()
    else:
        makes_pipe()


@asc.jit
def one_kind():
    if asc.ascend_is_aiv():
        makes_pipe()


@asc.jit
def empty():
    pass


@asc.jit
def work_before_the_pipe():
    asc.reset_mask()
    pipe = asc.TPipe()
    pipe.reset()


@asc.jit
def work_behind_a_helper():
    makes_pipe()
    asc.reset_mask()


@asc.jit
def work_behind_both_kinds():
    both_kinds()
    asc.reset_mask()


@asc.jit
def pipe_in_a_loop(n: int):
    for _ in range(n):
        makes_pipe()


@asc.jit
def pipe_on_one_way(n: int):
    if n > 3:
        pipe = asc.TPipe()
        pipe.reset()
        return
    asc.reset_mask()


@asc.jit
def scalars_before_the_pipe(n: int):
    total = 0
    for i in range(n):
        if i > 3:
            break
        total += i
    if total == 0:
        total = asc.get_block_idx()
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, total)


@asc.jit
def guarded(n: int):
    if n < 0:
        return
    pipe = asc.TPipe()
    pipe.reset()


def lines(kernel: JitFunction, *arguments: object) -> list[str]:
    text = str(kernel.emit(*arguments))
    body = text[text.index('extern "C"') :]
    return [line.strip() for line in body.splitlines()[1:-1]]


@pytest.mark.parametrize("kernel, arguments", [(plain, ["f32[64]"]), (by_hand, ["f32[64]"]), (empty, []), (in_cpp, [])])
def test_a_kernel_without_a_pipe_has_both_once(kernel: JitFunction, arguments: list[object]) -> None:
    body = lines(kernel, *arguments)
    assert body.count(INIT) == body.count(BARRIER) == 1
    assert body[-1] == BARRIER
    assert kernel is by_hand or body[0] == INIT


def test_every_return_has_its_barrier() -> None:
    body = lines(returns_early, 2)
    assert body[0] == INIT and body[-1] == BARRIER
    returns = [number for number, line in enumerate(body) if line == "return;"]
    assert len(returns) == 2 and all(body[number - 1] == BARRIER for number in returns)
    assert body.count(BARRIER) == 3


def test_a_core_that_works_before_it_is_initialised_is_initialised_first() -> None:
    assert lines(too_late) == [
        INIT,
        "AscendC::ResetMask();",
        INIT,
        "AscendC::PipeBarrier<PIPE_V>();",
        BARRIER,
    ]


@pytest.mark.parametrize(
    "kernel, arguments",
    [
        (with_pipe, [2]),
        (with_object, []),
        (with_helper, []),
        (pipe_in_cpp, []),
        (both_kinds, []),
        (scalars_before_the_pipe, [2]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_pipe_does_it(kernel: JitFunction, arguments: list[object]) -> None:
    assert not {INIT, BARRIER} & set(lines(kernel, *arguments))


def test_a_pipe_of_one_kind_of_core_does_not_do_it_for_the_other() -> None:
    body = lines(one_kind)
    assert body[0] == INIT and body[-1] == BARRIER


def test_a_pipe_stands_for_the_first_line_only_before_any_work() -> None:
    assert lines(work_before_the_pipe) == [
        INIT,
        "AscendC::ResetMask();",
        "AscendC::TPipe pipe;",
        "pipe.Reset();",
    ]


@pytest.mark.parametrize("kernel", [work_behind_a_helper, work_behind_both_kinds], ids=lambda kernel: kernel.__name__)
def test_a_pipe_stands_for_the_last_line_only_if_it_lives_so_long(kernel: JitFunction) -> None:
    body = lines(kernel)
    assert body.count(BARRIER) == 1 and body[-1] == BARRIER
    assert INIT not in body


def test_a_pipe_of_some_ways_stands_for_neither() -> None:
    body = lines(pipe_in_a_loop, 2)
    assert body[0] == INIT and body[-1] == BARRIER
    body = lines(pipe_on_one_way, 2)
    assert body[0] == INIT and body[-1] == BARRIER
    assert body.count(BARRIER) == 1  # the return is in the pipe's scope
    body = lines(guarded, 2)
    assert body.count(BARRIER) == 1 and body[body.index("return;") - 1] == BARRIER
    assert INIT not in body


def test_comments_and_strings_make_no_pipe() -> None:
    body = lines(words_in_cpp)
    assert body[0] == INIT and body[-1] == BARRIER


# Calls, and objects without arguments; what only stops or prints needs no state.
FIRST = re.compile(r"^ *AscendC::(?!(?:Trap|printf)\b)(\w+)(?:(?:<.*?>)?\(| \w+;)", re.MULTILINE)
GOLDENS = sorted((Path(__file__).parent / "golden").glob("*.cpp"))


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.stem)
def test_every_golden_starts_from_a_state_of_its_own(path: Path) -> None:
    text = path.read_text()
    if '#include "kernel_operator.h"' not in text:
        return  # threads run it
    kernel = text[text.rindex('extern "C"') :]
    calls = FIRST.findall(kernel)
    is_field = not calls and "AscendC::TPipe " in text
    assert is_field or calls[0] in ("InitSocState", "TPipe")
