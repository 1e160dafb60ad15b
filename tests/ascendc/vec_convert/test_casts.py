"""Every cast that a SoC has, in every way of rounding: all patterns of 8 and 16 bits, a million and more of wider ones.

The forms with a mask and strides have one way of rounding for each pair of types.
"""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, same
from cast_reference import converted

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.vec_convert import casts
from opwright.errors import OutOfRange, RaceError, RuleError
from opwright.runtime.jit import JitFunction

OLD, NEW = "ascend910b", "ascend950"
ELEMENTS = 4096  # of a tile
ROOM = 8 * ELEMENTS + 64
SCALE = 0.0375  # of int32 to float16
PAIRS = {pair: modes for pair, modes in casts(NEW).items() if set(pair) <= set(DTYPES)}
SOURCES = list(dict.fromkeys(source for source, _ in PAIRS))
FULL = 2**64 - 1
# As in elementwise.py: these are compiled as users' kernels are, the others fast, for the same bits.
OPTIMISED = ("float32", "int16")
PARAMETERS = (
    "tiles: int, count: int, mask: int, low: int, high: int, repeats: int, z_blk: int, x_blk: int, z_rep: int, "
    "x_rep: int, only: int, is_right: int, z_move: int, x_move: int, size: int"
)
STRIDES = "repeats, asc.UnaryRepeatParams(z_blk, x_blk, z_rep, x_rep)"
# Count, share of the lanes, bits, repeats, strides of blocks, strides of repeats; -1 is what follows one another.
SHAPES = [
    (0, 1.0, (FULL, FULL), 1, (1, 1), (-1, -1)),
    (1, 0.3, (0x5555555555555555, 0xAAAAAAAAAAAAAAAA), 3, (1, 1), (-1, -1)),
    (63, 0.99, (1 << 63, 1), 4, (1, 1), (9, 8)),
    (65, 1.0, (5, 9), 3, (2, 1), (17, 8)),
    (ELEMENTS - 1, 1.0, (0xF0F0, 1), 2, (1, 0), (8, 0)),
    (128, 0.0, (0, 0), 3, (1, 1), (8, 8)),
    (256, 1.0, (FULL, 7), 0, (1, 1), (8, 8)),
    (257, 1.0, (FULL, FULL), 16, (1, 1), (-1, -1)),
]


def casts_of(source: str) -> list[tuple[int, str, RoundMode]]:
    """Form, target and way of rounding of every call of a kernel."""
    pairs = [(target, modes) for (start, target), modes in PAIRS.items() if start == source]
    counted = [(0, target, mode) for target, modes in pairs for mode in modes]
    return counted + [(form, target, modes[0]) for target, modes in pairs for form in (1, 2)]


@cache
def kernel_of(folder: Path, source: str) -> JitFunction:
    casts = casts_of(source)
    addresses = ", ".join(f"{name}: asc.GlobalAddress" for name in ("x", *(f"z{n}" for n in range(len(casts)))))
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{NEW}", opt_level={3 if source in OPTIMISED else 0})',
        f"def casts({addresses}, {PARAMETERS}):",
        "    x_gm = asc.GlobalTensor()",
        "    x_gm.set_global_buffer(x)",
        f"    x_all = asc.LocalTensor(asc.{source}, asc.TPosition.VECIN, 0, {ELEMENTS})",
        f"    x_ub = asc.LocalTensor(asc.{source}, asc.TPosition.VECIN, x_move, size)",
        f"    asc.set_deq_scale({SCALE})",
        "    for tile in range(asc.get_block_idx(), tiles, asc.get_block_num()):",
        f"        asc.data_copy(x_all, x_gm[tile * {ELEMENTS}:], {ELEMENTS})",
    ]
    masks = {0: "count", 1: f"mask, {STRIDES}", 2: f"[low, high], {STRIDES}"}
    for number, (form, target, mode) in enumerate(casts):
        z = f"z{number}"
        lines += [
            f"        {z}_gm = asc.GlobalTensor()",
            f"        {z}_gm.set_global_buffer({z})",
            f"        {z}_all = asc.LocalTensor(asc.{target}, asc.TPosition.VECOUT, {ROOM}, {ELEMENTS})",
            f"        {z}_ub = asc.LocalTensor(asc.{target}, asc.TPosition.VECOUT, {ROOM} + z_move, size)",
            f"        if only == {number} or only == {-2 if form else -1}:",
            f"            asc.data_copy({z}_all, {z}_gm[tile * {ELEMENTS}:], {ELEMENTS})",
            "            if is_right:",
            "                asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"            asc.cast({z}_ub, x_ub, asc.RoundMode.{mode.name}, {masks[form]})",
            "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"            asc.data_copy({z}_gm[tile * {ELEMENTS}:], {z}_all, {ELEMENTS})",
            "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
    path = folder / f"cast_{source}.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.casts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("casts")


def inputs(source: str, tiles: int) -> np.ndarray:
    """All patterns if they fit; else random ones, and first what is hard: ties, ends of integers, specials."""
    kind = NUMPY[source]
    if kind.itemsize <= 2:
        patterns = np.arange(tiles * ELEMENTS, dtype=np.uint32)
        return patterns.astype(f"u{kind.itemsize}").view(kind)
    random = np.random.default_rng(7)
    x = random.integers(0, 256, tiles * ELEMENTS * kind.itemsize, dtype=np.uint8).view(kind)
    hard: list[float] = []
    if kind.kind != "f":
        info = np.iinfo(kind)
        ties = [(2 * n + 1) << s for n in (1 << 23, (1 << 23) + 1, 1 << 10, (1 << 10) + 1) for s in range(39)]
        powers = [(1 << n) + d for n in range(63) for d in (-1, 0, 1)]
        hard = [n for n in (*ties, *powers, *(-n for n in ties), *(-n for n in powers), info.min, info.max)]
        hard = [n for n in hard if info.min <= n <= info.max]
        x[: len(hard)] = hard
        return x
    hard += [s * 2.0**n + d for n in (3, 7, 8, 15, 16, 31, 32, 63) for d in (-1, -0.5, 0, 0.5, 1) for s in (-1, 1)]
    hard += [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 65535, 65536, 3.39e38, 3.4e38, 2.0**-149]
    hard += list(np.arange(-600, 600) / 4)
    x[: len(hard)] = np.array(hard, np.float64).astype(np.float32)
    if tiles < 3:
        return x
    # Small integers and their halves, and neighbours of ties between 16-bit floats, all over the rest.
    middle = x[ELEMENTS : 2 * ELEMENTS].view(np.uint32)
    middle[:] = (middle & 0xFFFFE000) | 0x1000
    x[2 * ELEMENTS : 3 * ELEMENTS] = (random.integers(-70000, 70000, ELEMENTS) / 2).astype(np.float32)
    return x


def launch(kernel: JitFunction, source: str, x: np.ndarray, shape: tuple, **others: int) -> list[np.ndarray]:
    count, share, words, repeats, blocks, steps = shape
    arrays = [
        np.full(len(x) * NUMPY[target].itemsize, 0xA5, np.uint8).view(NUMPY[target])
        for _, target, _ in casts_of(source)
    ]
    most = 256 // NUMPY[source].itemsize
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    given = {"only": -1, "is_right": 1, "z_move": 0, "x_move": 0, "size": ELEMENTS, "cores": 2} | others
    cores, checked = given.pop("cores"), given.pop("checked", 0)
    launcher = kernel.check[cores] if checked else kernel[cores]
    lanes = given.pop("lanes", int(np.ceil(most * share)))
    plain = [len(x) // ELEMENTS, count, lanes, *signed, repeats, *blocks, *steps]
    launcher(x, *arrays, *plain, *given.values())
    return arrays


def reference(x: np.ndarray, target: str, mode: RoundMode) -> np.ndarray:
    if (x.dtype.name, target) == ("int32", "float16"):
        with np.errstate(over="ignore"):
            return (x.astype(np.float64) * float(np.float16(SCALE))).astype(np.float16)
    return converted(x, target, mode)


@pytest.mark.parametrize("source", SOURCES)
def test_casts(source: str, folder: Path, ran: Callable, asserted: Callable) -> None:
    x = inputs(source, {1: 1, 2: 16}.get(NUMPY[source].itemsize, 256))
    kernel = kernel_of(folder, source)
    arrays = launch(kernel, source, x, (ELEMENTS, *SHAPES[0][1:]))
    for got, (form, target, mode) in zip(arrays, casts_of(source), strict=True):
        if form == 0:
            same(got, reference(x, target, mode), f"{source} to {target} with {mode.name}")
            asserted(f"RoundMode.{mode.name}")
            for dtype in (source, target):
                ran("cast", 0, dtype)
    for shape in SHAPES:
        arrays = launch(kernel, source, x[:ELEMENTS], shape)
        for got, (form, target, mode) in zip(arrays, casts_of(source), strict=True):
            wanted = np.full(got.nbytes, 0xA5, np.uint8).view(got.dtype)
            wanted[: shape[0]] = reference(x[: shape[0]], target, mode)
            if form == 0:
                same(got, wanted, f"{source} to {target} with {mode.name}: {shape}")
    compare_lanes(kernel, source, x[:ELEMENTS], ran)


def compare_lanes(kernel: JitFunction, source: str, x: np.ndarray, ran: Callable) -> None:
    """Masks and strides. Lanes and steps depend on both types, so each call has a launch of its own."""
    for number, (form, target, mode) in enumerate(casts_of(source)):
        if form == 0:
            continue
        sizes = NUMPY[target].itemsize, NUMPY[source].itemsize
        most = 256 // max(sizes)
        for count, share, words, repeats, blocks, steps in SHAPES:
            strides = [most * size // 32 if step < 0 else step for size, step in zip(sizes, steps, strict=True)]
            lanes = list(range(int(np.ceil(most * share))))
            shape = (count, share, words, repeats, blocks, strides)
            got = launch(kernel, source, x, shape, only=number, lanes=len(lanes))[number]
            if form == 2:
                lanes = [lane for lane in range(most) if lane < 128 and words[lane // 64] >> lane % 64 & 1]
            wanted = np.full(got.nbytes, 0xA5, np.uint8).view(got.dtype)
            for repeat in range(repeats):
                at = [
                    [
                        (repeat * step + lane // (32 // size) * block) * (32 // size) + lane % (32 // size)
                        for lane in lanes
                    ]
                    for size, block, step in zip(sizes, blocks, strides, strict=True)
                ]
                wanted[at[0]] = reference(x[at[1]], target, mode)
            same(got, wanted, f"{source} to {target} with {mode.name}: form {form}, {shape}")
        for dtype in (source, target):
            ran("cast", form, dtype)


def test_wrong_uses(folder: Path) -> None:
    source = "bfloat16"
    x, kernel, usual = inputs(source, 1), kernel_of(folder, source), (64, 0.5, (FULL, FULL), 1, (1, 1), (8, 4))
    for only in (-1, -2):
        launch(kernel, source, x, usual, only=only, checked=1, cores=1)
        assert not kernel.check.report().findings
    for number in range(len(casts_of(source))):
        with pytest.raises(OutOfRange):
            launch(kernel, source, x, usual, only=number, size=63)
        for name, parameter in (("z_move", "dst"), ("x_move", "src")):
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                launch(kernel, source, x, usual, only=number, **{name: 4, "size": 1024})
        with pytest.raises(RaceError):
            launch(kernel, source, x, usual, only=number, is_right=0, checked=1, cores=1)
