"""Casts from and to floats of 8 bits, which ascend950 has: all codes, all float16, a million and more float32.

Arguments are uint8; a kernel takes its local tensors for the floats. float8 is compared with ml_dtypes, HiFloat8 with
the codec in NumPy, whose tables tests of its own pin down.
"""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from call_kernels import same

from opwright import asc
from opwright.ascendc.dtypes import SMALL
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.vec_convert import casts
from opwright.errors import NoForm, OutOfRange, RaceError, RuleBroken, RuleError, WrongDtype
from opwright.formats import hifloat8
from opwright.runtime.jit import JitFunction

SOC = "ascend950"
ELEMENTS = 4096
PAIRS = [(*pair, modes[0]) for pair, modes in casts(SOC).items() if set(pair) & set(SMALL)]
SIZES = {"float16": 2, "float32": 4, **dict.fromkeys(SMALL, 1)}
MLTYPES = {"float8_e4m3": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2}
FULL = 2**64 - 1
STRIDES = "repeats, asc.UnaryRepeatParams(z_blk, x_blk, z_rep, x_rep)"
FORMS = ("count", f"mask, {STRIDES}", f"[low, high], {STRIDES}")
PARAMETERS = [
    *("tiles", "count", "mask", "low", "high", "repeats", "z_blk", "x_blk", "z_rep", "x_rep"),
    *("only", "is_right", "z_move", "x_move", "size"),
]
# Count, share of the lanes, bits, repeats, strides of blocks, strides of repeats; -1 is what follows one another.
SHAPES = [
    (0, 1.0, (FULL, FULL), 1, (1, 1), (-1, -1)),
    (1, 0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, (1, 1), (-1, -1)),
    (65, 1.0, (5, 9), 3, (2, 1), (17, 8)),
    (ELEMENTS - 1, 0.99, (0xF0F0, 1), 2, (1, 0), (8, 0)),
    (257, 1.0, (FULL, FULL), 16, (1, 1), (-1, -1)),
]


@cache
def kernel_of(folder: Path) -> JitFunction:
    """Every pair in every form, chosen by `only`. All arrays are bytes."""
    numbers = ", ".join(f"{name}: int" for name in PARAMETERS)
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}")',
        f"def casts(x: asc.GlobalAddress, z: asc.GlobalAddress, {numbers}):",
        "    x_gm = asc.GlobalTensor()",
        "    x_gm.set_global_buffer(x)",
        "    z_gm = asc.GlobalTensor()",
        "    z_gm.set_global_buffer(z)",
        f"    x_all = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 0, {4 * ELEMENTS})",
        f"    z_all = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, {5 * ELEMENTS}, {4 * ELEMENTS})",
        "    x_ub = x_all[x_move:]",
        f"    z_ub = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, {5 * ELEMENTS} + z_move, size)",
        "    for tile in range(tiles):",
    ]
    for number, (source, target, mode) in enumerate(PAIRS):
        x, z = SIZES[source] * ELEMENTS, SIZES[target] * ELEMENTS
        lines += [
            f"        if only // 3 == {number}:",
            f"            asc.data_copy(x_all, x_gm[tile * {x}:], {x})",
            f"            asc.data_copy(z_all, z_gm[tile * {z}:], {z})",
            f"            a = x_ub.reinterpret_cast(asc.{source})",
            f"            b = z_ub.reinterpret_cast(asc.{target})[0:]",
            "            if is_right:",
            "                asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
        for form, arguments in enumerate(FORMS):
            lines += [
                f"            if only % 3 == {form}:",
                f"                asc.cast(b, a, asc.RoundMode.{mode.name}, {arguments})",
            ]
        lines += [
            "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"            asc.data_copy(z_gm[tile * {z}:], z_all, {z})",
            "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
    path = folder / "small_casts.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.casts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small")


def inputs(source: str) -> np.ndarray:
    """All patterns of 8 and 16 bits; of float32 random ones, then ties between codes and their neighbours."""
    if source in SMALL:
        return np.resize(np.arange(256, dtype=np.uint8), ELEMENTS)
    if source == "float16":
        return np.arange(65536, dtype=np.uint16).view(np.float16)
    random = np.random.default_rng(4)
    x = random.integers(0, 2**32, 256 * ELEMENTS, dtype=np.uint32).view(np.float32)
    x[ELEMENTS : 128 * ELEMENTS] = (random.standard_normal(127 * ELEMENTS) * 300).astype(np.float32)
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 480, 57344, 61440, 61439.99, 32768, 40959, 40960]
    specials += [2.0**-k for k in range(5, 30)] + [3 * 2.0**-k for k in range(5, 30)]
    x[: len(specials)] = specials
    tables = [np.arange(127, dtype=np.uint8).view(kind).astype(np.float32) for kind in MLTYPES.values()]
    tables.append(np.sort(hifloat8.decode(np.arange(0x6F))))
    ties = np.concatenate([(table[:-1] + table[1:]) / 2 for table in tables])
    ties = ties[np.isfinite(ties)]
    ties = np.concatenate([ties, np.nextafter(ties, np.float32(0)), np.nextafter(ties, np.float32(np.inf))])
    x[200 : 200 + 2 * len(ties)] = np.concatenate([ties, -ties])
    return x


def reference(x: np.ndarray, source: str, target: str) -> np.ndarray:
    """As bytes would have it: codes are uint8."""
    with np.errstate(all="ignore"):
        if source == "hifloat8":
            return hifloat8.decode(x).astype(target)
        if source in SMALL:
            return x.view(MLTYPES[source]).astype(target)
        if target == "hifloat8":
            return hifloat8.encode(x)
        most = float(ml_dtypes.finfo(MLTYPES[target]).max)  # they saturate, and NaN is 0
        return np.where(np.isnan(x), 0, np.clip(x, -most, most)).astype(MLTYPES[target])


def launch(kernel: JitFunction, pair: int, form: int, x: np.ndarray, shape: tuple, **others: int) -> np.ndarray:
    _, target, _ = PAIRS[pair]
    count, lanes, words, repeats, blocks, steps = shape
    z = np.full(len(x) * SIZES[target], 0xA5, np.uint8)
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    given = {"is_right": 1, "z_move": 0, "x_move": 0, "size": 4 * ELEMENTS} | others
    launcher = kernel.check[1] if given.pop("checked", 0) else kernel[1]
    plain = [len(x) // ELEMENTS, count, lanes, *signed, repeats, *blocks, *steps, 3 * pair + form]
    launcher(x.view(np.uint8), z, *plain, *given.values())
    return z


@pytest.mark.parametrize("pair", range(len(PAIRS)), ids=[f"{source}-{target}" for source, target, _ in PAIRS])
def test_casts(pair: int, folder: Path, ran: Callable) -> None:
    source, target, _ = PAIRS[pair]
    x, kernel = inputs(source), kernel_of(folder)
    wanted = reference(x, source, target)
    got = launch(kernel, pair, 0, x, (ELEMENTS, 0, (0, 0), 0, (1, 1), (8, 8)))
    same(got.view(wanted.dtype), wanted, f"{source} to {target}")
    x, wanted = x[:ELEMENTS], wanted[:ELEMENTS]
    sizes = SIZES[target], SIZES[source]
    most = 256 // max(sizes)
    for count, share, words, repeats, blocks, steps in SHAPES:
        strides = [most * size // 32 if step < 0 else step for size, step in zip(sizes, steps, strict=True)]
        for form in range(3):
            shape = (count, int(np.ceil(most * share)), words, repeats, blocks, strides)
            got = launch(kernel, pair, form, x, shape).view(wanted.dtype)
            expected = np.full(got.nbytes, 0xA5, np.uint8).view(got.dtype)
            lanes = list(range(shape[1]))
            if form == 2:
                lanes = [lane for lane in range(min(most, 128)) if words[lane // 64] >> lane % 64 & 1]
            if form == 0:
                expected[:count] = wanted[:count]
            for repeat in range(repeats if form else 0):
                at = [
                    [
                        (repeat * step + lane // (32 // size) * block) * (32 // size) + lane % (32 // size)
                        for lane in lanes
                    ]
                    for size, block, step in zip(sizes, blocks, strides, strict=True)
                ]
                expected[at[0]] = wanted[at[1]]
            same(got, expected, f"{source} to {target}, form {form}: {shape}")
            for dtype in (source, target):
                ran("cast", form, dtype)
                if dtype in SMALL:
                    ran("LocalTensor.reinterpret_cast", 0, dtype)
                    ran("LocalTensor.__getitem__", 0, dtype)


USUAL = (64, 64, (FULL, 0), 1, (1, 1), (8, 8))


def test_wrong_uses(folder: Path) -> None:
    kernel = kernel_of(folder)
    for pair, (source, target, _) in enumerate(PAIRS):
        x = inputs(source)[:ELEMENTS]
        for form in range(3):
            launch(kernel, pair, form, x, USUAL, checked=1)
            assert not kernel.check.report().findings
            with pytest.raises(OutOfRange):
                launch(kernel, pair, form, x, USUAL, size=63 * SIZES[target])
            with pytest.raises(RuleError, match="dst must start at a multiple of 32 bytes"):
                launch(kernel, pair, form, x, USUAL, z_move=4)
        with pytest.raises(RaceError):
            launch(kernel, pair, form, x, USUAL, checked=1, is_right=0)


def kernel_with(mode: RoundMode, soc: str, source: str) -> JitFunction:
    kind = SMALL[source]

    @asc.jit(soc=soc)
    def wrong(x: asc.GlobalAddress):
        a = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 0, 64)
        b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 1024, 64)
        asc.cast(a.reinterpret_cast(kind), b, mode, 64)

    return wrong


def test_what_is_refused() -> None:
    x = np.zeros(64, np.uint8)
    with pytest.raises(WrongDtype, match="this SoC has no floats of 8 bits"):
        kernel_with(RoundMode.CAST_ROUND, "ascend910b", "hifloat8")[1](x)
    with pytest.raises(RuleBroken, match="use CAST_ROUND"):
        kernel_with(RoundMode.CAST_RINT, SOC, "hifloat8")[1](x)
    with pytest.raises(RuleBroken, match="use CAST_RINT"):
        kernel_with(RoundMode.CAST_FLOOR, SOC, "float8_e4m3")[1](x)


@asc.jit(soc=SOC)
def number_of(x: asc.GlobalAddress):
    a = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 0, 64)
    asc.printf("%f", a.reinterpret_cast(asc.hifloat8).get_value(0))


def test_no_number_is_one() -> None:
    with pytest.raises((WrongDtype, NoForm)):
        number_of[1](np.zeros(64, np.uint8))
