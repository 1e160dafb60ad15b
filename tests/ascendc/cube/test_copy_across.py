"""Copies between the memories of a group on ascend950: UB to L1 by vector cores, L1 to UB by the matrix core."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from image import load
from matrix_kernels import form_of

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import RaceError, RuleError, WrongCore
from opwright.runtime.jit import JitFunction

ROOM = 4096  # bytes that each vector core sends and gets back
HEAD = """
from opwright import asc


@asc.jit(kernel_type="{kernel_type}", soc="ascend950", opt_level=1)
def across(x: asc.GlobalAddress, z: asc.GlobalAddress, which: int, waits: int, p0: int, p1: int, p2: int, p3: int):
    if asc.ascend_is_aiv():
        own = asc.get_sub_block_idx()
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x + own * 4096, 4096)
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z + own * 4096, 4096)
        pipe = asc.TPipe()
        ub = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(ub, 12288)
        given = ub.get_with_offset(4096, 0, asc.uint8)
        back = ub.get_with_offset(4096, 8192, asc.uint8)
        l1 = asc.LocalTensor(asc.uint8, asc.TPosition.A1, 16384 * own, 4096)
        asc.data_copy(given, x_gm, 4096)
        asc.data_copy(back, z_gm, 4096)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(l1, back, 4096)
        asc.pipe_barrier(asc.PipeID.PIPE_MTE3)
"""
MIDDLE = """
        if which % 10 > 2:
            asc.data_copy(l1, given, 4096)
        asc.cross_core_set_flag(0, 2, asc.PipeID.PIPE_MTE3)
        if waits:
            asc.cross_core_wait_flag(1, 2, asc.PipeID.PIPE_MTE3)
        asc.data_copy(z_gm, back, 4096)
    if asc.ascend_is_aic():
        asc.cross_core_wait_flag(0, 2, asc.PipeID.PIPE_MTE1)
        first = asc.LocalTensor(asc.uint8, asc.TPosition.A1, 0, 4096)
        second = asc.LocalTensor(asc.uint8, asc.TPosition.A1, 16384, 4096)
        back = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 8192, 4096)
        if which % 10 < 3:
            asc.data_copy_l1_to_ub(back, first, 4096, 0)
            asc.data_copy_l1_to_ub(back, second, 4096, 1)
"""
TAIL = """
        if waits:
            asc.cross_core_set_flag(1, 2, asc.PipeID.PIPE_MTE1)
"""
PIECE = "asc.DataCopyParams(p0, p1, p2, p3)"
TO_L1 = ["p0", PIECE, "asc.Nd2NzParams(1, p0, p1, 0, p2, p3, 1, 0)"]
TO_UB = ["p0", PIECE]
IN_FRACTALS = ("int16", "float16", "bfloat16", "int32", "float32")


@cache
def kernel(folder: Path, dtypes: tuple[str, ...] = tuple(DTYPES), kernel_type: str = "mix_1_2") -> JitFunction:
    """Tens of `which` choose the element type, ones the form."""
    lines, others = [], []
    for number, dtype in enumerate(dtypes):
        seen = f".reinterpret_cast(asc.{dtype})"
        for form, text in enumerate(TO_L1 if dtype in IN_FRACTALS else TO_L1[:2]):
            lines.append(f"        if which == {10 * number + form}:")
            lines.append(f"            asc.data_copy(l1{seen}, given{seen}, {text})")
        for form, text in enumerate(TO_UB):
            others.append(f"        if which == {10 * number + form + 3}:")
            for core, name in enumerate(("first", "second")):
                others.append(f"            asc.data_copy_l1_to_ub(back{seen}, {name}{seen}, {text}, {core})")
    text = "\n".join([HEAD.format(kernel_type=kernel_type), *lines, MIDDLE, *others, TAIL])
    return load(folder, f"across_{len(dtypes)}_{kernel_type}", text).across


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("across")


PIECES = [(0, 3, 1, 1), (1, 4, 0, 0), (3, 2, 1, 2), (2, 0, 1, 1), (7, 10, 0, 3)]


def moves(which: int, arguments: tuple[int, ...], item: int) -> list[tuple[int, int, int]]:
    """Bytes of one vector core that go (to, from, how many)."""
    if which in (0, 3):
        return [(0, 0, arguments[0] * item // 32 * 32)]
    if which in (1, 4):
        n, length, src_gap, dst_gap = arguments
        return [(32 * i * (length + dst_gap), 32 * i * (length + src_gap), 32 * length) for i in range(n)]
    rows, columns, row, column = arguments
    return [
        (32 * (c * column + r), r * row * item + 32 * c, 32) for r in range(rows) for c in range(columns * item // 32)
    ]


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(folder: Path, dtype: str, ran: Callable[[str, int, str], None]) -> None:
    item = DTYPES[dtype].bytes
    lanes = 32 // item
    given = {
        0: [(0,), (lanes,), (33,), (3000 // item,)],
        1: PIECES,
        2: [(5, 2 * lanes, 3 * lanes, 7), (16, lanes, lanes, 16), (0, lanes, lanes, 1)] if dtype in IN_FRACTALS else [],
        3: [(0,), (lanes,), (33,), (3000 // item,)],
        4: PIECES,
    }
    random = np.random.default_rng(8)
    for which, cases in given.items():
        for arguments in cases:
            x = random.integers(0, 256, 2 * ROOM, dtype=np.uint8)
            z = np.full(2 * ROOM, 0xAB, np.uint8)
            wanted = z.copy()
            for core in range(2):
                for to, start, count in moves(which, arguments, item):
                    source = x[core * ROOM + start : core * ROOM + start + count]
                    wanted[core * ROOM + to : core * ROOM + to + count] = source
            numbers = [*arguments, *[0] * (4 - len(arguments))]
            kernel(folder)[1](x, z, 10 * list(DTYPES).index(dtype) + which, 1, *numbers)
            np.testing.assert_array_equal(z, wanted, err_msg=f"{which} {arguments}")
    to_l1 = ("dst: l1 T, src: ub T",)
    ran("data_copy", form_of("data_copy", *to_l1, "count"), dtype)
    ran("data_copy", form_of("data_copy", *to_l1, "repeat_params"), dtype)
    if dtype in IN_FRACTALS:
        ran("data_copy", form_of("data_copy", *to_l1, "Nd2NzParams"), dtype)
    for form in range(2):
        ran("data_copy_l1_to_ub", form, dtype)


ONE = ("float32",)


def test_checked(folder: Path) -> None:
    x, z = np.zeros(2 * ROOM, np.uint8), np.zeros(2 * ROOM, np.uint8)
    made = kernel(folder, ONE)
    made.check[1](x, z, 0, 1, 512, 0, 0, 0)
    assert len(made.check.report()) == 0
    with pytest.raises(RaceError):
        made.check[1](x, z, 0, 0, 512, 0, 0, 0)


def test_rows_of_whole_blocks(folder: Path) -> None:
    x, z = np.zeros(2 * ROOM, np.uint8), np.zeros(2 * ROOM, np.uint8)
    with pytest.raises(RuleError, match="d_value and src_d_value must be multiples of 32 bytes"):
        kernel(folder, ONE)[1](x, z, 2, 1, 4, 12, 16, 4)


def test_groups_of_other_cores(folder: Path) -> None:
    x, z = np.zeros(2 * ROOM, np.uint8), np.zeros(2 * ROOM, np.uint8)
    with pytest.raises(RuleError, match="it takes a group of one matrix core and two vector cores"):
        kernel(folder, ONE, "mix_1_1")[1](x, z, 0, 1, 512, 0, 0, 0)
    with pytest.raises(WrongCore, match="L1 belongs to an AIC"):
        kernel(folder, ONE).emit("uint8[64]", "uint8[64]", 0, 1, 8, 0, 0, 0, soc="ascend910b")
