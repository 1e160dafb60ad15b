"""Results that go from L0C to the memories of the vector cores of a group, on ascend950."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.errors import NoForm, RunError
from opwright.runtime.jit import JitFunction

sys.path.insert(0, str(Path(__file__).parent))
from matrices import NEW, NUMPY, OLD
from result_reference import Way, moved, word
from test_fixpipe import NEW_MODES, SMALL, bits, form_of, results_of, scales

BYTES = 32768  # of UB that each vector core shows


@cache
def kernel(source: str, target: str, mode: str, vector: str) -> JitFunction:
    """One result to the first, the second or both vector cores, which copy their memories to global memory."""
    source_dtype, target_dtype = getattr(asc, source), getattr(asc, target)
    quant, quant_words = asc.QuantModes[mode], asc.QuantModes[vector or mode]
    has_words, is_plain = bool(vector), mode == "NoQuant"

    @asc.jit(kernel_type="mix_1_2", soc=NEW, opt_level=1)
    def leave(
        c: asc.GlobalAddress, w: asc.GlobalAddress, z: asc.GlobalAddress,
        which: int, n: int, m: int, src: int, dst: int, scale: int, sub_block: int,
    ):  # fmt: skip
        bytes_ = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 1024, 32768)
        ub = bytes_.reinterpret_cast(target_dtype)
        if asc.ascend_is_aic():
            asc.cross_core_wait_flag(0, 2, asc.PipeID.PIPE_FIX)
            w_gm = asc.GlobalTensor()
            w_gm.set_global_buffer(w)
            asc.inline("__builtin_memcpy(opwright::current_core().memory[4].base, (const void*)c, 32768);")
            sums = asc.LocalTensor(source_dtype, asc.TPosition.CO1, 0, 8192)
            words = asc.LocalTensor(asc.uint64, asc.TPosition.C1, 0, 256)
            asc.data_copy(words, w_gm, asc.DataCopyParams(1, 64, 0, 0))
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            if which == 0:
                rows = asc.FixpipeParamsArch3510(
                    asc.CO2Layout.ROW_MAJOR, n, m, src, dst, quant, scale, sub_block_id=sub_block == 1
                )
                asc.fixpipe(ub, sums, rows, asc.FixpipeConfig.cfg_row_major_ub)
            elif which == 1:
                fractals = asc.FixpipeParamsArch3510(
                    asc.CO2Layout.NZ, n, m, src, dst, quant, scale, relu_en=True, sub_block_id=sub_block == 1
                )
                asc.fixpipe(ub, sums, fractals, asc.FixpipeConfig.cfg_nz_ub)
            elif which == 2:
                columns = asc.FixpipeParamsArch3510(
                    asc.CO2Layout.COLUMN_MAJOR, n, m, src, dst, 1, quant, scale, sub_block_id=sub_block == 1
                )
                asc.fixpipe(ub, sums, columns, asc.FixpipeConfig.cfg_column_major_ub)
            if has_words:
                if which == 3:
                    each = asc.FixpipeParamsArch3510(
                        asc.CO2Layout.ROW_MAJOR, n, m, src, dst, quant_words, sub_block_id=sub_block == 1
                    )
                    asc.fixpipe(ub, sums, words, each, asc.FixpipeConfig.cfg_row_major_ub)
            if is_plain:
                if which == 4:
                    halves = asc.FixpipeParamsArch3510(asc.CO2Layout.ROW_MAJOR, n, m, src, dst, dual_dst_ctl=1)
                    asc.fixpipe(ub, sums, halves, asc.FixpipeConfig.cfg_row_major_ub)
                elif which == 5:
                    sides = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, n, m, src, dst, dual_dst_ctl=2)
                    asc.fixpipe(ub, sums, sides, asc.FixpipeConfig.cfg_nz_ub)
            asc.cross_core_set_flag(1, 2, asc.PipeID.PIPE_FIX)
        else:
            z_gm = asc.GlobalTensor()
            z_gm.set_global_buffer(z + asc.get_sub_block_idx() * 32768, 32768)
            asc.data_copy(bytes_, z_gm, 32768)
            asc.cross_core_set_flag(0, 2, asc.PipeID.PIPE_MTE2)
            asc.cross_core_wait_flag(1, 2, asc.PipeID.PIPE_MTE3)
            asc.data_copy(z_gm, bytes_, 32768)

    return leave


@pytest.mark.parametrize(("source", "target", "mode", "vector"), NEW_MODES)
def test_results_in_ub(
    source: str, target: str, mode: str, vector: str, ran: Callable[..., None], compared: Callable[[int], None]
) -> None:
    dtype = NUMPY["uint8"] if target in SMALL else NUMPY[target]
    results, words = results_of(source, 4), scales(target, source, 64, 8)
    rows = Way("ROWS", 32, 20, 512, 64, target, source, mode, words[:1])
    nz = replace(rows, layout="NZ", columns=48, to_step=20 * (32 if dtype.itemsize == 1 else 16) + 32)
    ways = [
        (0, 0, rows),
        (0, 1, rows),
        (1, 1, replace(nz, relu=True)),
        (2, 0, replace(rows, layout="COLUMNS", rows=32, to_step=64)),
        *([(3, 1, replace(rows, mode=vector, words=words))] if vector else []),
    ]
    for which, sub_block, way in ways:
        before = np.full((2, BYTES // dtype.itemsize), 77, dtype)
        got, wanted = before.copy(), before.copy()
        wanted[sub_block] = moved(before[sub_block], results, way)
        launch(kernel(source, target, mode, vector), results, way, got, which, sub_block)
        np.testing.assert_array_equal(bits(got), bits(wanted), err_msg=f"{which} {sub_block}")
        compared(got.size)
    form = form_of("fixpipe", "ub T", "U, params")
    for dtype_name in (source, target):
        ran("fixpipe", form, dtype_name)
        if vector:
            ran("fixpipe", form_of("fixpipe", "ub T", "cbuf"), dtype_name)
    if vector:
        ran("fixpipe", form_of("fixpipe", "ub T", "cbuf"), "uint64")


def launch(made: JitFunction, results: np.ndarray, way: Way, got: np.ndarray, which: int, sub_block: int) -> None:
    words = np.array([*way.words, *[0] * 256][:256], np.uint64)
    sizes = (way.columns, way.rows, way.from_fractal // 16, way.to_step, way.words[0])
    made[1](results, words, got.view(np.uint8).reshape(-1), which, *sizes, sub_block)


@pytest.mark.parametrize("kind", ["float32", "int32"])
def test_each_vector_core_gets_half(kind: str, ran: Callable[..., None]) -> None:
    """The first half of the rows and the second one; of the columns likewise."""
    results = results_of(kind, 5)
    whole = Way("ROWS", 32, 20, 512, 40, kind, kind, "NoQuant")
    before = np.full((2, BYTES // 4), 77, kind)
    got = before.copy()
    launch(kernel(kind, kind, "NoQuant", ""), results, whole, got, 4, 0)
    half = replace(whole, rows=10)
    wanted = [moved(before[0], results[10 * 16 * number :], half) for number in range(2)]
    np.testing.assert_array_equal(bits(got), bits(np.stack(wanted)))
    got = before.copy()
    sides = replace(whole, layout="NZ", columns=64, to_step=400)
    launch(kernel(kind, kind, "NoQuant", ""), results, sides, got, 5, 0)
    half = replace(sides, columns=32)
    wanted = [moved(before[0], results[2 * 512 * number :], half) for number in range(2)]
    np.testing.assert_array_equal(bits(got), bits(np.stack(wanted)))


def narrow(kernel_type: str, n: int, m: int, dual: int, sub_block: int) -> JitFunction:
    @asc.jit(kernel_type=kernel_type, soc=NEW, opt_level=1)
    def leave(z: asc.GlobalAddress):
        if asc.ascend_is_aic():
            ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1024)
            sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
            params = asc.FixpipeParamsArch3510(
                asc.CO2Layout.ROW_MAJOR, n, m, 16, 16, dual_dst_ctl=dual, sub_block_id=sub_block == 1
            )
            asc.fixpipe(ub, sums, params, asc.FixpipeConfig.cfg_row_major_ub)

    return leave


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mix_1_1", 16, 16, 0, 1), "the group has no vector core 1"),
        (("mix_1_1", 16, 16, 1, 0), "the group has no vector core 1"),
        (("mix_1_2", 17, 16, 0, 0), "must be multiples of 32 bytes"),
        (("mix_1_2", 16, 15, 1, 0), "two vector cores share plain rows or fractals only"),
        (("mix_1_2", 16, 16, 2, 0), "two vector cores share plain rows or fractals only"),
    ],
)
def test_mistakes(arguments: tuple[str, int, int, int, int], words: str) -> None:
    with pytest.raises(RunError, match=words):
        narrow(*arguments)[1](np.zeros(16, np.float32))


def test_the_first_socs_have_no_way_to_ub() -> None:
    with pytest.raises(NoForm, match="not on ascend910b"):
        asc.jit(kernel("float32", "float32", "NoQuant", "").function, kernel_type="mix_1_2", soc=OLD).emit(
            np.zeros(64, np.float32), np.zeros(64, np.uint64), np.zeros(64, np.uint8), *[1] * 7
        )
    assert word(1.0) == 0x3F800000 | 15 << 32 | 1 << 46


@asc.jit(kernel_type="mix_1_2", soc=NEW)
def spelled(z: asc.GlobalAddress, side: int):
    if asc.ascend_is_aic():
        ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1024)
        sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
        params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, relu_en=True, sub_block_id=side == 1)
        asc.fixpipe(ub, sums, params, asc.FixpipeConfig.cfg_nz_ub)


def test_fields_without_a_constructor_are_set_in_the_text() -> None:
    text = spelled.emit(np.zeros(16, np.float32), 0)
    lines = [line.strip() for line in text.splitlines()]
    assert "constexpr AscendC::FixpipeConfig CFG_NZ_UB = {AscendC::CO2Layout::NZ, true};" in lines
    made = lines.index("AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::NZ> params(16, 16, 16, 256);")
    assert lines[made + 1 : made + 5] == [
        "params.deqScalar = 0;",
        "params.reluEn = true;",
        "params.subBlockId = side == 1;",
        "AscendC::Fixpipe<float, float, CFG_NZ_UB>(ub, sums, params);",
    ]
