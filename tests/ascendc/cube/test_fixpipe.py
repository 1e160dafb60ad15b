"""Results of the matrix unit on their way out of L0C, bit for bit, against a model with fractions."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.table import ROWS
from opwright.errors import RaceError, RuleBroken, RunError
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

sys.path.insert(0, str(Path(__file__).parent))
from matrices import NEW, NUMPY, OLD
from result_reference import Way, moved, word

SUMS = 8192  # elements of L0C that are filled
ROOM = 16384  # elements of the destination
CFG = {"ROWS": "cfg_row_major", "NZ": "cfg_nz", "COLUMNS": "cfg_column_major"}

# Type of the source, type of the destination, mode for all columns, mode for each.
OLD_MODES = [
    ("float32", "float32", "NoQuant", ""),
    ("int32", "int32", "NoQuant", ""),
    ("float32", "float16", "F322F16", ""),
    ("float32", "bfloat16", "F322BF16", ""),
    ("float32", "int8", "QF322B8_PRE", "VQF322B8_PRE"),
    ("float32", "uint8", "QF322B8_PRE", "VQF322B8_PRE"),
    ("int32", "int8", "REQ8", "VREQ8"),
    ("int32", "uint8", "REQ8", "VREQ8"),
    ("int32", "float16", "DEQF16", "VDEQF16"),
]
NEW_MODES = [
    *OLD_MODES,
    ("float32", "float32", "QF322F32_PRE", "VQF322F32_PRE"),
    ("float32", "float16", "QF322F16_PRE", "VQF322F16_PRE"),
    ("float32", "bfloat16", "QF322BF16_PRE", "VQF322BF16_PRE"),
    ("int32", "bfloat16", "QS322BF16_PRE", "VQS322BF16_PRE"),
    ("float32", "float8_e4m3", "QF322FP8_PRE", "VQF322FP8_PRE"),
    ("float32", "hifloat8", "QF322HIF8_PRE", "VQF322HIF8_PRE"),
]
SMALL = ("float8_e4m3", "hifloat8")
MODES = [(OLD, *mode) for mode in OLD_MODES] + [(NEW, *mode) for mode in NEW_MODES]


def form_of(row: str, *words: str) -> int:
    """The number of the form whose signature has all of some words."""
    found = [n for n, form in enumerate(ROWS[row].forms) if all(word in form.signature for word in words)]
    return found[0]


def copies(source: str, target: str) -> bool:
    """Whether the older call takes the types, too."""
    return (source, target) != ("int32", "bfloat16")


@cache
def kernel(soc: str, source: str, target: str, mode: str, vector: str) -> JitFunction:
    """One result, in all layouts and by all calls that there are for its types."""
    source_dtype, target_dtype = getattr(asc, source), getattr(asc, target)
    to_gm = target not in SMALL
    to_l1 = soc == NEW or mode != "NoQuant"
    quant, quant_words = asc.QuantModes[mode], asc.QuantModes[vector or mode]
    is_float, has_words = target == source == "float32" and mode == "NoQuant", bool(vector)
    is_new = soc == NEW
    may_copy = copies(source, target)

    @asc.jit(kernel_type="cube", soc=soc, opt_level=1)
    def leave(
        c: asc.GlobalAddress, w: asc.GlobalAddress, z: asc.GlobalAddress,
        which: int, n: int, m: int, src: int, dst: int, scale: int, nds: int, src_nd: int, dst_nd: int,
    ):  # fmt: skip
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z)
        w_gm = asc.GlobalTensor()
        w_gm.set_global_buffer(w)
        first = z_gm.get_value(0)
        z_gm.set_value(0, first)
        asc.inline("__builtin_memcpy(opwright::current_core().memory[4].base, (const void*)c, 32768);")
        asc.inline("__builtin_memcpy(opwright::current_core().memory[1].base, (const void*)z, 65536);")
        sums = asc.LocalTensor(source_dtype, asc.TPosition.CO1, 0, 8192)
        l1 = asc.LocalTensor(asc.uint8, asc.TPosition.A1, 0, 65536).reinterpret_cast(target_dtype)
        words = asc.LocalTensor(asc.uint64, asc.TPosition.C1, 65536, 256)
        own = asc.LocalTensor(asc.uint64, asc.TPosition.C2PIPE2GM, 0, 128)
        asc.data_copy(words, w_gm, asc.DataCopyParams(1, 64, 0, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(own, words, 128)
        asc.set_fix_pipe_config(own)
        asc.set_fix_pipe_pre_quant_flag(scale)
        asc.set_fixpipe_nz2nd_flag(nds, src_nd, dst_nd)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        if to_gm:
            plain = asc.FixpipeParamsV220(n, m, src, dst, quant, scale, nds, src_nd, dst_nd)
            clipped = asc.FixpipeParamsV220(n, m, src, dst, quant, scale, nds, src_nd, dst_nd, relu_en=True)
            each = asc.FixpipeParamsV220(n, m, src, dst, quant_words, 0, nds, src_nd, dst_nd)
            if which == 0:
                asc.fixpipe(z_gm, sums, plain)
            elif which == 1:
                asc.fixpipe(z_gm, sums, plain, asc.FixpipeConfig.cfg_nz)
            elif which == 2:
                asc.fixpipe(z_gm, sums, clipped, asc.FixpipeConfig.cfg_row_major())
            elif which == 5:
                asc.fixpipe(z_gm, sums, each, asc.FixpipeConfig(asc.CO2Layout.NZ))
            if may_copy:
                if which == 3:
                    asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(n, m, dst, src, quant, 0, False, True))
                elif which == 4:
                    asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(n, m, dst, src, quant, 1, False, False))
            if has_words:
                if which == 6:
                    asc.fixpipe(z_gm, sums, words, each)
            if has_words and may_copy:
                if which == 7:
                    asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(n, m, dst, src, quant_words, 0, False, True))
            if is_float:
                if which == 8:
                    split = asc.FixpipeParamsV220(n, m, src, dst, is_channel_split=True)
                    asc.fixpipe(z_gm, sums, split, asc.FixpipeConfig.cfg_nz)
                elif which == 9:
                    asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(n, m, dst, src, channel_split=True))
        if to_l1:
            kept = asc.FixpipeParamsV220(n, m, src, dst, quant, scale)
            if which == 10:
                asc.fixpipe(l1, sums, kept, asc.FixpipeConfig.cfg_nz)
            if may_copy:
                if which == 11:
                    asc.data_copy(l1, sums, asc.DataCopyCO12DstParams(n, m, dst, src, quant))
            if has_words:
                kept_words = asc.FixpipeParamsV220(n, m, src, dst, quant_words)
                if which == 12:
                    asc.fixpipe(l1, sums, words, kept_words, asc.FixpipeConfig.cfg_nz)
        if is_new:
            rows = asc.FixpipeParamsArch3510(
                asc.CO2Layout.ROW_MAJOR,
                n,
                m,
                src,
                dst,
                quant,
                scale,
                nd_num=nds,
                src_nd_stride=src_nd,
                dst_nd_stride=dst_nd,
            )
            fractals = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, n, m, src, dst, quant, scale, relu_en=True)
            columns = asc.FixpipeParamsArch3510(
                asc.CO2Layout.COLUMN_MAJOR, n, m, src, dst, 1, quant, scale,
                dn_num=nds, src_matrix_stride=src_nd, dst_matrix_stride=dst_nd,
            )  # fmt: skip
            words_of_rows = asc.FixpipeParamsArch3510(asc.CO2Layout.ROW_MAJOR, n, m, src, dst, quant_words)
            if to_gm:
                if which == 20:
                    asc.fixpipe(z_gm, sums, rows)
                elif which == 21:
                    asc.fixpipe(z_gm, sums, fractals, asc.FixpipeConfig.cfg_nz)
                elif which == 22:
                    asc.fixpipe(z_gm, sums, columns, asc.FixpipeConfig.cfg_column_major)
                if has_words:
                    if which == 23:
                        asc.fixpipe(z_gm, sums, words, words_of_rows)
            if which == 30:
                asc.fixpipe(l1, sums, rows, asc.FixpipeConfig.cfg_row_major)
            elif which == 31:
                asc.fixpipe(l1, sums, fractals, asc.FixpipeConfig.cfg_nz)
            elif which == 32:
                asc.fixpipe(l1, sums, columns, asc.FixpipeConfig.cfg_column_major)
            if has_words:
                if which == 33:
                    asc.fixpipe(l1, sums, words, words_of_rows, asc.FixpipeConfig.cfg_row_major)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        if which % 20 >= 10:
            asc.inline("__builtin_memcpy((void*)z, opwright::current_core().memory[1].base, 65536);")

    return leave


def results_of(source: str, seed: int) -> np.ndarray:
    """What lies in L0C: numbers of all sizes, and those at which roundings and limits turn."""
    random = np.random.default_rng(seed)
    if source == "int32":
        wide = random.integers(-(1 << 31), 1 << 31, SUMS)
        made = wide >> random.integers(0, 31, SUMS)
        made[:8] = [0, 1, -1, (1 << 31) - 1, -(1 << 31), 16777217, -16777219, 32768]
        return made.astype(np.int32)
    made = (random.standard_normal(SUMS) * 2.0 ** random.integers(-12, 20, SUMS)).astype(np.float32)
    made[random.random(SUMS) < 0.2] = np.round(made[random.random(SUMS) < 0.2][0]) + 0.5
    halves = random.random(SUMS) < 0.2
    made[halves] = random.integers(-300, 300, halves.sum()) + 0.5  # ties
    made[:8] = [0.0, -0.0, 255.5, -256.5, 3e38, -3e38, np.inf, -np.inf]
    return made


def scales(target: str, source: str, count: int, seed: int) -> list[int]:
    """Words of all kinds."""
    random = np.random.default_rng(seed)
    size = -16 if source == "int32" else -4
    made = []
    for _ in range(count):
        value = float(random.choice([1.0, -1.0, 1.5, random.uniform(1, 2)]) * 2.0 ** random.integers(size, 4))
        shift = int(random.integers(0, 17)) if source == "int32" else 0
        offset = int(random.integers(-256, 256)) if random.random() < 0.7 else 0
        signed = target != "uint8" if random.random() < 0.9 else target == "uint8"
        made.append(word(value, offset, bool(signed), shift, int(random.integers(0, 1 << 13))))
    return made


def ways(soc: str, source: str, target: str, mode: str, vector: str) -> Iterator[tuple[int, Way, list[int], str, int]]:
    """Which call of the kernel, its way, its nd arguments, and the call and form that it shows."""
    words = scales(target, source, 64, 7)
    size = NUMPY[target].itemsize if target in NUMPY else 1
    unit = 1 if soc == NEW else 32 // size  # of the stride of fractals
    rows = Way("ROWS", 37, 19, 32 * 16, 45, target, source, mode, words[:1])
    block = 19 * (32 if size == 1 else 16) + 64
    nz = replace(rows, layout="NZ", columns=48, to_step=block // unit * unit)
    columns = replace(rows, layout="COLUMNS", to_step=24)
    several = replace(rows, columns=16, rows=5, matrices=3, from_matrix=768, to_matrix=301, to_step=20)
    per_column = {"mode": vector, "words": words}
    if target not in SMALL:
        plain = form_of("fixpipe", "global T", "U, params", "V220")
        copy = form_of("data_copy", "global T", "CO12")
        yield 0, rows, [], "fixpipe", plain
        yield 0, several, [3, 768 // (256 if soc == OLD else 16), 301], "fixpipe", plain
        yield 1, nz, [], "fixpipe", plain
        yield 2, replace(rows, relu=True), [], "fixpipe", plain
        if copies(source, target):
            yield 3, rows, [], "data_copy", copy
            yield 3, several, [3, 768 // (256 if soc == OLD else 16), 301], "data_copy", copy
            yield 4, replace(nz, relu=True), [], "data_copy", copy
        if vector:
            yield 5, replace(nz, **per_column), [], "fixpipe", plain
            yield 6, replace(rows, **per_column), [], "fixpipe", form_of("fixpipe", "global T", "cbuf", "V220")
            if copies(source, target):
                yield 7, replace(rows, **per_column), [], "data_copy", copy
        if source == target == "float32" and mode == "NoQuant":
            split = replace(nz, columns=40, split=True, to_step=19 * 8 + 16)
            yield 8, split, [], "fixpipe", plain
            yield 9, split, [], "data_copy", copy
    if soc == NEW or mode != "NoQuant":
        yield 10, nz, [], "fixpipe", form_of("fixpipe", "l1 T", "U, params", "V220")
        if copies(source, target):
            yield 11, nz, [], "data_copy", form_of("data_copy", "l1 T", "CO12")
        if vector:
            yield 12, replace(nz, **per_column), [], "fixpipe", form_of("fixpipe", "l1 T", "cbuf", "V220")
    if soc == NEW:
        for base, memory in ((20, "global T"), (30, "l1 T")):
            if base == 20 and target in SMALL:
                continue
            own = form_of("fixpipe", memory, "U, params", "3510")
            yield base, rows, [], "fixpipe", own
            yield base, several, [3, 48, 301], "fixpipe", own
            yield base + 1, replace(nz, relu=True), [], "fixpipe", own
            yield base + 2, columns, [], "fixpipe", own
            yield base + 2, replace(several, layout="COLUMNS"), [3, 48, 301], "fixpipe", own
            if vector:
                yield base + 3, replace(rows, **per_column), [], "fixpipe", form_of("fixpipe", memory, "cbuf", "3510")


def bits(array: np.ndarray) -> np.ndarray:
    """For comparing bit for bit; every NaN is the same."""
    if array.dtype.kind in "iu":
        return array
    same = array.copy()
    same[np.isnan(array.astype(np.float32))] = np.nan
    return same.view(f"u{array.itemsize}")


@pytest.mark.parametrize(("soc", "source", "target", "mode", "vector"), MODES)
def test_results(
    soc: str, source: str, target: str, mode: str, vector: str,
    ran: Callable[..., None], asserted: Callable[[str], None], compared: Callable[[int], None],
) -> None:  # fmt: skip
    dtype = NUMPY["uint8"] if target in SMALL else NUMPY[target]
    results = results_of(source, 3)
    unit = 1 if soc == NEW else 32 // dtype.itemsize
    for which, way, matrices, call, form in ways(soc, source, target, mode, vector):
        before = np.full(65536 // dtype.itemsize, 0x5B, np.uint8 if dtype.itemsize == 1 else dtype).view(dtype)
        got, wanted = before.copy(), moved(before, results, way)
        words = np.array([*way.words, *[0] * 256][:256], np.uint64)
        step = way.to_step // unit if way.layout == "NZ" else way.to_step
        sizes = (way.columns, way.rows, way.from_fractal // 16, step, way.words[0])
        kernel(soc, source, target, mode, vector)[1](results, words, got, which, *sizes, *(matrices or [1, 0, 0]))
        np.testing.assert_array_equal(bits(got), bits(wanted), err_msg=f"{which} {way}")
        compared(got.size)
        ran(call, form, target)
        ran(call, form, source)
        if "cbuf" in ROWS[call].forms[form].signature:
            ran(call, form, "uint64")
    for name in {mode, vector} - {""}:
        asserted(f"QuantModes.{name}")
    ran("set_fix_pipe_pre_quant_flag", 0, "")
    ran("set_fix_pipe_config", 0, "uint64")
    ran("set_fixpipe_nz2nd_flag", 0, "")
    ran("FixpipeParamsV220", 0, "")
    ran("DataCopyCO12DstParams", 0, "")
    if soc == NEW:
        for form in range(2):
            ran("FixpipeParamsArch3510", form, "")


def test_results_follow_no_switch() -> None:
    """Switches are about the vector unit: what is too big for float16 leaves L0C as infinity with all of them."""
    results = results_of("float32", 3)
    way = Way("ROWS", 37, 19, 32 * 16, 45, "float16", "float32", "F322F16", [0])
    got, words = np.zeros(65536 // 2, np.float16), np.zeros(256, np.uint64)
    wanted = moved(got, results, way)
    assert np.isinf(wanted).any()
    with settings.scope(chip_assumptions="saturate_casts=on,saturate_arithmetic=on"):
        kernel(OLD, "float32", "float16", "F322F16", "")[1](results, words, got, 0, 37, 19, 32, 45, 0, 1, 0, 0)
    np.testing.assert_array_equal(bits(got), bits(wanted))


@asc.jit(kernel_type="cube", opt_level=1)
def onto(c: asc.GlobalAddress, z: asc.GlobalAddress, which: int):
    """Adds a result to global memory, keeps the greater one, or overwrites it."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    asc.inline("__builtin_memcpy(opwright::current_core().memory[4].base, (const void*)c, 32768);")
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 8192)
    params = asc.FixpipeParamsV220(37, 19, 32, 45)
    if which == 0:
        asc.set_atomic_add(asc.float32)
    elif which == 1:
        asc.set_atomic_max(asc.float32)
    elif which == 2:
        asc.set_atomic_add(asc.int32)
    asc.fixpipe(z_gm, sums, params)
    asc.set_atomic_none()


def test_atomic() -> None:
    random = np.random.default_rng(1)
    results, before = (random.standard_normal(n).astype(np.float32) for n in (SUMS, ROOM))
    way = Way("ROWS", 37, 19, 512, 45, "float32", "float32", "NoQuant")
    brought = moved(before, results, way)
    there = moved(np.zeros(ROOM, bool), np.ones(SUMS, np.float32), replace(way, target="int8"))
    for which, wanted in ((0, np.where(there, before + brought, before)), (1, np.maximum(before, brought))):
        got = before.copy()
        onto[1](results, got, which)
        np.testing.assert_array_equal(got, np.where(there, wanted, before))
    with pytest.raises(RunError, match="copies to global memory are set to ATOMIC_S32"):
        onto[1](results, before, 2)


@asc.jit(kernel_type="cube", opt_level=0)
def mistaken(z: asc.GlobalAddress, which: asc.ConstExpr[int], start: int, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, start, 1024)
    l1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 1024)
    words = asc.LocalTensor(asc.uint64, asc.TPosition.C1, 8192, 64)
    bytes_ = asc.LocalTensor(asc.int8, asc.TPosition.A1, 0, 1024)
    if which == 0:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(n, 16, 16, 16))
    elif which == 1:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(n, 16, 16, 16), asc.FixpipeConfig.cfg_nz)
    elif which == 2:
        asc.fixpipe(l1, sums, asc.FixpipeParamsV220(16, 16, 16, 16), asc.FixpipeConfig.cfg_nz)
    elif which == 3:
        params = asc.FixpipeParamsV220(16, 16, 16, 16, asc.QuantModes.F322F16)
        asc.fixpipe(l1, sums, params, asc.FixpipeConfig.cfg_row_major)
    elif which == 4:
        asc.fixpipe(z_gm, sums, words, asc.FixpipeParamsV220(16, 16, 16, 16))
    elif which == 5:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, 16, nd_num=2, src_nd_stride=513))
    elif which == 6:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, n))
    elif which == 7:
        asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(16, 16, 16, 16, nz2nd_en=True))
    elif which == 8:
        params = asc.FixpipeParamsV220(16, 16, 16, 16, asc.QuantModes.VQF322B8_PRE)
        asc.fixpipe(bytes_, sums, params, asc.FixpipeConfig.cfg_nz)
    elif which == 9:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, 16, is_channel_split=True))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 32, 16), "src must start at a multiple of 64 bytes, got 32"),
        ((0, 0, 65), "src is used for 5120 bytes, but its tensor has only 4096"),
        ((0, 0, 4096), "n_size must lie between 0 and 4095, got 4096"),
        ((1, 0, 24), "in fractals n_size of params must be a multiple of 16"),
        ((5, 0, 0), "with several matrices src_nd_stride of params must lie between 1 and 512"),
        ((6, 0, 0), "dst_stride must lie between 1 and"),
        ((7, 0, 0), "how many matrices there are was not set"),
        ((8, 0, 0), "no tensor of them was named"),
    ],
    ids=str,
)
def test_mistakes_in_the_run(arguments: tuple[int, int, int], words: str) -> None:
    with pytest.raises(RunError, match=words):
        mistaken[1](np.zeros(8192, np.float32), *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((2, 0, 0), "quant_pre of params must be a conversion from the type of src to that of dst"),
        ((3, 0, 0), "L1 takes fractals only"),
        ((4, 0, 0), "with cbuf_workspace quant_pre of params must be a mode with V"),
        ((9, 0, 0), "channels are split of float32 that stays float32"),
    ],
    ids=str,
)
def test_mistakes_of_constants(arguments: tuple[int, int, int], words: str) -> None:
    with pytest.raises(RuleBroken, match=words):
        mistaken.emit(np.zeros(8192, np.float32), *arguments)


def test_types_that_do_not_go_together() -> None:
    @asc.jit(kernel_type="cube")
    def leave(z: asc.GlobalAddress):
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z)
        asc.fixpipe(z_gm, asc.LocalTensor(asc.int32, asc.TPosition.CO1, 0, 256), asc.FixpipeParamsV220(16, 16, 16, 16))

    with pytest.raises(RuleBroken, match="got int32, float32"):
        leave.emit(np.zeros(256, np.float32))


@asc.jit(kernel_type="cube", auto_sync=False)
def handed_on(x: asc.GlobalAddress, z: asc.GlobalAddress, flags: int, waits: int):
    """Products of two tiles and their copies, ordered by unit flags or by a flag between the pipes."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    l1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 256)
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
    right = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
    asc.data_copy(l1, x_gm, asc.DataCopyParams(1, 16, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.load_data(left, l1, asc.LoadData2DParams(0, 1, 1))
    asc.load_data(right, l1, asc.LoadData2DParams(0, 1, 1))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for tile in range(2):
        asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16, 2 if flags != 0 else 0, False, True))
        asc.pipe_barrier(asc.PipeID.PIPE_M)
        asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16, 3 if flags != 0 else 0, False, False))
        if waits != 0:
            asc.set_flag(asc.HardEvent.M_FIX, 0)
            asc.wait_flag(asc.HardEvent.M_FIX, 0)
        asc.pipe_barrier(asc.PipeID.PIPE_M)
        asc.fixpipe(z_gm[tile * 256 :], sums, asc.FixpipeParamsV220(16, 16, 16, 16, unit_flag=3 if flags != 0 else 0))
        if waits != 0:
            asc.set_flag(asc.HardEvent.FIX_M, 0)
            asc.wait_flag(asc.HardEvent.FIX_M, 0)


def test_unit_flags_order_products_and_copies() -> None:
    x = np.random.default_rng(2).standard_normal(256).astype(np.float16)
    a = x.reshape(16, 16).astype(np.float64)
    for flags, waits in ((1, 0), (0, 1)):
        z = np.full(512, np.nan, np.float32)
        handed_on.check[1](x, z, flags, waits)
        np.testing.assert_allclose(z.reshape(2, 16, 16), np.stack([2 * (a @ a.T)] * 2), rtol=0, atol=1e-4)
    with pytest.raises(RaceError):
        handed_on.check[1](x, z, 0, 0)
