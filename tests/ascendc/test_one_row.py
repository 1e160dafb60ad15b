"""A call is one row: four are added here, and everything else follows from them.

One is elementwise, one goes by strides and a mask, one copies what a struct describes and only one SoC has it, one is a
method of a queue. Of C++ each has one function at most, and the first none. None of them exists in Ascend C.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from documentation import examples
from extra_rows import added
from image import load

from opwright.asc import _stub
from opwright.ascendc import document
from opwright.ascendc.elementwise import call_forms, forms
from opwright.ascendc.row import Each, Form, Function, Row, dtypes, reads_runs, writes_runs
from opwright.ascendc.rules import Align, Range
from opwright.ascendc.socs import A2
from opwright.ascendc.table import ROWS
from opwright.errors import KernelError, NoForm, OutOfRange, RaceError, RuleError, WrongDtype
from opwright.runtime.jit import JitFunction
from opwright.twin import build

FLOATS = {"T": dtypes(a2=("float32",), a5=("float16", "float32"), why={"float16": "halves are for the young"})}
NOT_ON_A2 = dict.fromkeys(A2, "it has no path back")


def pieces(gap: str) -> str:
    return f"opwright::pieces(params.pieceCount, params.pieceBytes, params.{gap})"


TWICE_LESS = Row(
    "twice_less",
    "TwiceLess",
    "Takes twice the second source from the first.",
    forms=forms("src0 - src1 - src1", "src0", "src1"),
    dtypes=FLOATS,
    example="asc.twice_less(z_local, x_local, y_local, 64)",
)
SCALE_LANES = Row(
    "scale_lanes",
    "ScaleLanes",
    "Multiplies lanes by a small integer.",
    forms=tuple(
        Form(
            form.signature.replace(" mask:", " factor: int32, mask:"),
            pipe=form.pipe,
            accesses=form.accesses,
            rules=(Range("factor", -8, 8), *form.rules),
            meaning=Function("scale_lanes"),
        )
        for form in call_forms(["dst: ub T", "src: ub T"], ("src",), Each(""))[1:]
    ),
    dtypes=FLOATS,
    example="asc.scale_lanes(z_local, x_local, 3, 64, 1, asc.UnaryRepeatParams(1, 1, 8, 8))",
)
PARAMS = Row(
    "CopyBackParams",
    "CopyBackParams",
    "Pieces of a copy back, in bytes.",
    forms=(
        Form(
            "piece_count: uint16 = 1, piece_bytes: uint32 = 32, gap: uint32 = 0",
            rules=(Range("piece_count", 1, 64),),
            result="object CopyBackParams",
        ),
    ),
    effect="value",
    example="params = asc.CopyBackParams(2, 32, 0)",
)
COPY_BACK = Row(
    "copy_back",
    "CopyBack",
    "Copies pieces to global memory.",
    forms=(
        Form(
            "dst: global T, src: ub T, params: object CopyBackParams",
            pipe="PIPE_MTE3",
            accesses=(writes_runs("dst", pieces("gap")), reads_runs("src", pieces("gap"))),
            rules=(Align("src", 32),),
            meaning=Function("copy_back"),
            not_on=NOT_ON_A2,
        ),
    ),
    dtypes=FLOATS,
    exactness="assumed(it is made up)",
    example="asc.copy_back(x_gm, x_local, asc.CopyBackParams(2, 32, 0))",
)
TAKE = Row(
    "TQueBind.take_early",
    "TakeEarly",
    "The tensor that was enqueued first, filled or not: free_all_event waits for what deque would have waited for.",
    forms=(Form("self: object TQueBind, dtype: template dtype T", result="local T"),),
    dtypes=FLOATS,
    example="queue.enque(queue.alloc_tensor(asc.float32))\n"
    "taken = queue.take_early(asc.float32)\n"
    "queue.free_all_event()\n"
    "queue.free_tensor(taken)",
)
HEADER = """#pragma once
#include "data_copy.h"
#include "repeat.h"

namespace opwright {

template <typename T>
OPWRIGHT_INLINE void scale_lanes(const At&, WrittenRepeats<T> dst, ReadRepeats<T> src, int32_t factor) {
    map(dst, [=](auto x) { return x * factor; }, src);
}

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_back(const At&, Written<T> dst, Read<T> src, const Params&) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    copy_pieces(reinterpret_cast<uint8_t*>(dst.data()), from, dst.footprint.runs, src.footprint.runs);
}

}  // namespace opwright
"""
METHOD = """    template <typename T>
    __aicore__ inline LocalTensor<T> TakeEarly(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        if (OPWRIGHT_UNLIKELY(length_ == 0)) at.fail(opwright::Fault::QUEUE_EMPTY);
        const uint32_t index = waiting_[head_];
        head_ = (head_ + 1) % depth;
        --length_;
        become(at, index, opwright::BufferState::DEQUEUED);
        return queue_.template tensor<T>(dst, index);
    }

"""
KERNELS = """
from opwright import asc


@asc.jit(soc="ascend950")
def calls(x: asc.GlobalAddress, z: asc.GlobalAddress, which: int, waits: int, start: int, count: int, repeats: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 512)
    y_local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, start, 512)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8192, 512)
    asc.data_copy(z_local, z_gm, 512)
    asc.data_copy(x_local, x_gm, 512)
    asc.data_copy(asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4096, 512), x_gm, 512)
    if waits:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if which == 0:
        asc.twice_less(z_local, x_local, y_local, count)
    if which == 1:
        asc.scale_lanes(z_local, y_local, count, [0x5, 0], repeats, asc.UnaryRepeatParams(1, 2, 8, 9))
    if which == 2:
        asc.copy_back(z_gm, y_local, asc.CopyBackParams(repeats, count, 32))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if which != 2:
        asc.data_copy(z_gm, z_local, 512)


@asc.jit(soc="ascend950")
def takes(x: asc.GlobalAddress, z: asc.GlobalAddress, waits: int, count: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 2048)
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 4096)
    z_local = buffer.get_with_offset(512, 2048, asc.float32)
    asc.data_copy(z_local, z_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    x_local = queue.alloc_tensor(asc.float32)
    asc.data_copy(x_local, x_gm, 512)
    queue.enque(x_local)
    if waits:
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    taken = queue.take_early(asc.float32)
    asc.muls(z_local, taken, 2, count)
    queue.free_all_event()
    queue.free_tensor(taken)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, z_local, 512)
"""


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("extra")
    queues = (build.INCLUDE / "opwright" / "tpipe_tque_tbuf.h").read_text()
    head = "class TQueBind {\npublic:\n"
    assert queues.count(head) == 1
    texts = {"extra.h": HEADER, "tpipe_tque_tbuf.h": queues.replace(head, head + METHOD)}
    rows = {"extra": (TWICE_LESS, SCALE_LANES, PARAMS, COPY_BACK), "tpipe_tque_tbuf": (TAKE,)}
    with added(folder, rows, texts) as include:
        yield include


@pytest.fixture(scope="module")
def kernels(include: Path, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("kernels"), "kernels", KERNELS)


X = np.arange(512, dtype=np.float32) - 100


class Case:
    """A call with arguments that are right, what it must give, and arguments that reach too far."""

    def __init__(self, name: str, right: tuple[int, int], wanted: Callable[[], np.ndarray], far: tuple[int, int]):
        self.name, self.right, self.wanted, self.far = name, right, wanted, far


def scaled() -> np.ndarray:
    wanted = np.full(512, np.nan, np.float32)
    for repeat in range(3):
        for lane in (0, 2):
            wanted[64 * repeat + lane] = -4 * X[72 * repeat + lane]
    return wanted


def in_pieces() -> np.ndarray:
    wanted = np.full(512, np.nan, np.float32)
    for piece in range(3):
        wanted[24 * piece : 24 * piece + 16] = X[24 * piece : 24 * piece + 16]
    return wanted


# Arguments: count, repeats.
CASES = [
    Case("twice_less", (100, 0), lambda: np.where(np.arange(512) < 100, -X, np.float32(np.nan)), (513, 0)),
    Case("scale_lanes", (-4, 3), scaled, (-4, 9)),
    Case("copy_back", (64, 3), in_pieces, (64, 22)),
]


def run(kernel: JitFunction, case: Case, waits: int = 1, start: int = 4096, far: bool = False) -> np.ndarray:
    z = np.full(512, np.nan, np.float32)
    which = CASES.index(case)
    getattr(kernel, "check", kernel)[1](X, z, which, waits, start, *(case.far if far else case.right))
    return z


def line_of(error: BaseException) -> str:
    """The line of Python that an error points at."""
    at = error.at  # type: ignore[attr-defined]
    return Path(at.file).read_text().splitlines()[at.line - 1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_runs_fast_and_checked(kernels: ModuleType, case: Case) -> None:
    z = np.full(512, np.nan, np.float32)
    kernels.calls[1](X, z, CASES.index(case), 1, 4096, *case.right)
    np.testing.assert_array_equal(z, case.wanted())
    np.testing.assert_array_equal(run(kernels.calls, case), case.wanted())
    assert len(kernels.calls.check.report()) == 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mistakes_are_told(kernels: ModuleType, case: Case) -> None:
    for error, mistake in (
        (OutOfRange, {"far": True}),
        (RuleError, {"start": 4096 + 4}),
        (RaceError, {"waits": 0}),
    ):
        with pytest.raises(error) as told:
            run(kernels.calls, case, **mistake)
        assert f"asc.{case.name}(" in line_of(told.value), error


def test_method_of_a_queue(kernels: ModuleType) -> None:
    z = np.full(512, np.nan, np.float32)
    for kernel in (kernels.takes, kernels.takes.check):
        kernel[1](X, z, 1, 500)
        np.testing.assert_array_equal(z, np.where(np.arange(512) < 500, 2 * X, np.float32(np.nan)))
        z[:] = np.nan
    assert len(kernels.takes.check.report()) == 0
    with pytest.raises(OutOfRange) as told:
        kernels.takes.check[1](X, z, 1, 513)
    assert "asc.muls(z_local, taken" in line_of(told.value)
    with pytest.raises(RaceError) as told:
        kernels.takes.check[1](X, z, 0, 500)
    assert "asc.muls(z_local, taken" in line_of(told.value)


REFUSED = {
    "twice_less": "asc.twice_less(local, local, local, 16)",
    "scale_lanes": "asc.scale_lanes(local, local, 2, 16, 1, asc.UnaryRepeatParams())",
    "copy_back": "asc.copy_back(x_gm, local, asc.CopyBackParams(1, 32, 0))",
    "TQueBind.take_early": "queue.take_early(asc.DTYPE)",
}


@pytest.mark.quick
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize(("dtype", "soc"), [("float16", "ascend910b"), ("int32", "ascend950")])
def test_illegal_element_types_are_refused(include: Path, tmp_path: Path, name: str, dtype: str, soc: str) -> None:
    text = f"""
from opwright import asc


@asc.jit
def kernel(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, 0, 64)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    {REFUSED[name].replace("DTYPE", dtype)}
"""
    kernel = load(tmp_path, "refused", text).kernel
    with pytest.raises(KernelError) as told:
        kernel.emit(f"{dtype}[64]", soc=soc)
    if name == "copy_back" and soc == "ascend910b":
        assert isinstance(told.value, NoForm) and "it has no path back" in str(told.value)
    else:
        why = "halves are for the young" if dtype == "float16" else "no such instruction"
        assert isinstance(told.value, WrongDtype) and why in str(told.value)


def test_text_is_what_a_compiler_for_a_device_takes(kernels: ModuleType, include: Path, tmp_path: Path) -> None:
    clang = shutil.which("clang++")
    if clang is None:
        pytest.skip("clang++ is not installed")
    flags = "-x cuda --cuda-device-only -nocudainc -nocudalib -fsyntax-only -std=c++17 -DOPWRIGHT_STRICT"
    for kernel, arguments in ((kernels.calls, [0, 1, 4096, 8, 1]), (kernels.takes, [1, 8])):
        text = kernel.emit("float32[512]", "float32[512]", *arguments)
        path = tmp_path / "kernel.cpp"
        path.write_text(text)
        command = [clang, *flags.split(), "-Wno-unknown-cuda-version", "-Werror", f"-I{include}", path]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    text = kernels.calls.emit("float32[512]", "float32[512]", 0, 1, 4096, 8, 1)
    for words in (
        "AscendC::TwiceLess(z_local, x_local, y_local, count);",
        "AscendC::ScaleLanes(z_local, y_local, count, mask, repeats, AscendC::UnaryRepeatParams(1, 2, 8, 9));",
        "AscendC::CopyBackParams copy_back_params(repeats, count, 32);",
        "AscendC::CopyBack(z_gm, y_local, copy_back_params);",
    ):
        assert words in text


def test_pages_and_stub(include: Path, tmp_path: Path) -> None:
    rows = (TWICE_LESS, SCALE_LANES, PARAMS, COPY_BACK, TAKE)
    prepared = [examples.Prepared(row, tmp_path) for row in rows]
    done = {one.row.name: one.example(one.run()) for one in prepared}
    pages = document.pages({**dict.fromkeys(ROWS, done["twice_less"]), **done})
    stub = _stub.render()["__init__.pyi"]
    for row in rows:
        page = pages[f"calls/{row.name}"]
        for words in (row.doc, f"`{row.cpp}`", *row.example.splitlines()):
            assert words in page
        assert re.search(rf"(def|class) {row.name.rpartition('.')[2]}\b", stub)
    assert "Not on ascend910b: it has no path back." in pages["calls/copy_back"]
    assert "No float16 on ascend910b, ascend910_93: halves are for the young." in pages["calls/scale_lanes"]
    assert "z = [-3.5, 5.0, -0.5, -10.0, -1.5, 3.0, ...]" in pages["calls/twice_less"]
    assert "`factor` must lie between -8 and 8" in pages["calls/scale_lanes"].replace("Factor", "factor")
    assert "it is made up" in pages["assumptions"]
    assert "take_early" not in pages["chapters/extra"] and "take_early" in pages["chapters/tpipe_tque_tbuf"]
