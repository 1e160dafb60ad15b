"""What users of other tile languages suffered from, in public threads, and what holds here: a test for each.

Those that need the twin share one kernel.
"""

import re

import numpy as np
import pytest
import tile_kernels as kernels

from opwright import tile
from opwright.errors import ArgumentError, OpwrightError, OutOfRange, TileTooLarge
from opwright.settings import settings
from opwright.tile.compiler.compile import Lowered

F32 = ["f32[64, 8192]"] * 2


def lowered(kernel: tile.TileKernel, *arguments: object, soc: str = "ascend910b", **constants: object) -> Lowered:
    bound = kernel.binder.bind(arguments, constants, described=True)
    return kernel.program(bound, soc).lowered


@pytest.mark.quick
def test_triton_ascend_302_1640_pytorch_102_too_much_for_ub() -> None:
    """There: "ub overflow" in bits, of no line. Here: tiles, lines, bytes, and a size that fits, which is tried."""
    with pytest.raises(TileTooLarge) as caught:
        kernels.softmax.lower(*F32, soc="ascend910b", COLS=8192, ROWS=8)
    assert re.search(r"t \(line \d+\): 2 x 262144 bytes of float32", str(caught.value))
    assert caught.value.at is not None and caught.value.at.file == kernels.__file__
    name, size = re.search(r"(ROWS)=(\d+)", caught.value.hint).groups()
    assert kernels.softmax.lower(*F32, soc="ascend910b", **{"COLS": 8192, name: int(size)})


@tile.jit
def in_steps(x: tile.Tensor, y: tile.Tensor, STEPS: tile.constexpr):
    for i in tile.parallel(x.shape[0], 4096):
        t = x[i]
        for _ in range(STEPS):
            t = tile.abs(t - 1.0) * 0.5 + x[i]
        y[i] = t


@pytest.mark.quick
def test_triton_ascend_2246_every_iteration_of_a_loop_had_tiles_of_its_own() -> None:
    """There: UB overflows with the number of iterations. Here: it does not change what a kernel takes."""
    few, many = (lowered(in_steps, "f32[9999]", "f32[9999]", STEPS=steps).placement for steps in (2, 500))
    assert many.bytes == few.bytes and many.bytes < 100_000


@pytest.mark.quick
def test_triton_ascend_444_helion_91_sizes_are_chosen_by_running() -> None:
    """There: minutes of launches until sizes are found. Here: from shapes and types alone, before any array is."""
    text = kernels.softmax.lower("f32[64, 1000]", "f32[64, 1000]", soc="ascend910b")
    assert text == kernels.softmax.lower("f32[64, 1000]", "f32[64, 1000]", soc="ascend910b", ROWS=8)


@pytest.mark.quick
@pytest.mark.parametrize("columns", [8, 5000, 13_000])
def test_helion_3161_no_sizes_were_found(columns: int) -> None:
    """There: "no config found". Here: sizes are found as long as one row fits."""
    shape = f"f32[64, {columns}]"
    made = lowered(kernels.softmax, shape, shape)
    assert made.placement.bytes <= 188_416


@pytest.mark.quick
def test_helion_3161_not_one_row_fits() -> None:
    """Here: where not one row fits, the error names the tiles and their lines."""
    with pytest.raises(TileTooLarge, match=r"t \(line \d+\)"):
        kernels.softmax.lower("f32[64, 60000]", "f32[64, 60000]", soc="ascend910b")


@pytest.mark.quick
def test_tilelang_ascend_110_482_all_pipes_wait_in_loops() -> None:
    """There: a barrier of all pipes in every iteration, so that nothing overlaps. Here: none, and two slots."""
    cases = {
        kernels.add: (["f32[9999]"] * 3, {"BLOCK": 1024}),
        kernels.softmax: (["f16[64, 500]"] * 2, {"COLS": 512, "ROWS": 8}),
        kernels.softmax_long: (["f32[64, 9999]"] * 2, {"COLS": 1024}),
    }
    for kernel, (arguments, constants) in cases.items():
        made = lowered(kernel, *arguments, **constants)
        assert "PIPE_ALL" not in made.text
        assert {home.count for home in made.placement.homes if home.role} >= {2}


@pytest.mark.quick
def test_tilelang_ascend_1825_a_switch_that_does_nothing() -> None:
    """There: a switch for correctness is taken and has no effect. Here: there are none, and names are known."""
    with pytest.raises(TypeError):
        tile.jit(auto_sync=True)
    with pytest.raises(ArgumentError, match="BLOK"):
        kernels.add.lower("f32[9]", "f32[9]", "f32[9]", soc="ascend910b", BLOK=32)


@tile.jit
def error_functions(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 4096):
        y[i] = tile.erf(x[i]) + tile.tanh(x[i])


@pytest.mark.quick
def test_tilelang_ascend_1523_a_helper_took_ub_that_nobody_planned() -> None:
    """There: scratch of a library call overlaid tiles. Here: calls on the way have buffers like any other."""
    made = lowered(error_functions, "f32[99999]", "f32[99999]")
    homes = made.placement.homes
    assert made.placement.bytes == max(home.address + home.bytes for home in homes) <= 188_416
    assert sum(not home.role for home in homes) >= 3  # steps of the two functions
    assert not re.search(r"TPipe|TBuf|shared_tmp|asc\.(tanh|erf)\(", made.text)


@tile.jit
def does_not_broadcast(x: tile.Tensor, y: tile.Tensor):
    for rows in tile.parallel(x.shape[0], 3):
        a = x[rows, tile.span(0, 40, stop=x.shape[1])]
        b = x[rows, tile.span(0, 56, stop=x.shape[1])]
        y[rows, tile.span(0, 56, stop=x.shape[1])] = a + b


@pytest.mark.quick
def test_cutile_53_72_failed_to_compile_at_an_unknown_location() -> None:
    """There: an error of no line, and sizes must be powers of two. Here: line and caret; 3, 40 and 56 are sizes."""
    with pytest.raises(OpwrightError) as caught:
        does_not_broadcast.lower("f32[9, 56]", "f32[9, 56]", soc="ascend910b")
    text = str(caught.value)
    assert "40" in text and "56" in text and re.search(r"\n\d+ \| .*a \+ b\n +\| +\^", text)


@tile.jit
def past_the_end(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(1, 1):
        y[i] = x[tile.span(64, 1, stop=x.shape[0] + 1)]


@pytest.mark.quick
def test_helion_pr_2104_pallas_a_slice_past_the_end() -> None:
    """There: partial blocks hold anything, and a slice past the end crashes. Here: it is refused with its line."""
    said = r"positions 64 to 64 lies outside axis 0 of x, which has 64 elements\n(.*\n)+.*x\[tile\.span\(64"
    with pytest.raises(OutOfRange, match=said):
        past_the_end.numpy(np.zeros(64, np.float32), np.zeros(1, np.float32))


@tile.jit
def of_rows(
    x: tile.Tensor,
    total: tile.Tensor,
    most: tile.Tensor,
    least: tile.Tensor,
    chosen: tile.Tensor,
    limit: float,
    COLS: tile.constexpr = 24,
    ROWS: tile.constexpr = 3,
):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols]
        kept, other = t * 2.0, t + 1.0
        if limit > 0.5:
            value = kept - other
            other = t
        else:
            value = other
        total[rows] = t.sum(axis=1)
        most[rows] = t.max(axis=1)
        least[rows] = t.min(axis=1)
        chosen[rows, cols] = value * kept + other


SOCS = ["ascend910b", "ascend950"]


def launched(shape: tuple[int, int], soc: str, limit: float = 1.0, sign: float = 1.0, cores: int | None = None) -> list:
    """Launches the kernel on views in the middle of NaN, checked and in 16 orders: equal to NumPy; what it gave."""
    numbers = sign * (1 + np.random.default_rng(sum(shape)).random(shape))
    sizes = (shape, shape[:1], shape[:1], shape[:1], shape)
    sides = []
    for _ in range(2):
        around = [np.full([size + 5 for size in one], np.nan, np.float16) for one in sizes]
        views = [whole[tuple(slice(2, 2 + n) for n in one)] for whole, one in zip(around, sizes, strict=True)]
        views[0][...] = numbers
        sides.append((around, views))
    with settings.scope(soc=soc):
        of_rows.check(perturb=16)[cores](*sides[0][1], limit)
    of_rows.numpy(*sides[1][1], limit)
    for got, wanted in zip(sides[0][0], sides[1][0], strict=True):
        np.testing.assert_array_equal(got, wanted)  # also what lies around: it is NaN
    return sides[0][1]


@pytest.mark.parametrize("soc", SOCS)
def test_triton_ascend_2332_masked_lanes_were_read(soc: str) -> None:
    """There: what a mask excludes is read nevertheless. Here: NaN all around the array reach no result."""
    for result in launched((7, 17), soc):
        assert not np.isnan(result).any()


@pytest.mark.parametrize("soc", SOCS)
def test_tilelang_ascend_1824_state_over_a_branch(soc: str) -> None:
    """There: what two sides of an `if` leave behind was merged wrongly. Here: both sides, one text."""
    with_first, with_second = (launched((8, 24), soc, limit)[-1].copy() for limit in (1.0, 0.25))
    x = launched((8, 24), soc)[0]
    np.testing.assert_array_equal(with_first, (x * 2 - (x + 1)) * (x * 2) + x)
    np.testing.assert_array_equal(with_second, (x + 1) * (x * 2) + (x + 1))


@pytest.mark.parametrize("soc", SOCS)
def test_tilelang_ascend_pr_1458_deadlock(soc: str) -> None:
    """There: flags were left over after some numbers of iterations. Here: none, one and more end on one core."""
    for iterations in (0, 1, 2, 3, 5):
        launched((3 * iterations, 9), soc, cores=1)


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.parametrize("columns", [1, 3, 15])
def test_asc2_the_last_axis_had_to_fill_32_bytes(columns: int, soc: str) -> None:
    """There: rows of 2, 6 or 30 bytes are refused. Here: any."""
    launched((4, columns), soc)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_pypto_the_value_that_pads_a_tail(sign: float) -> None:
    """There: a wrong one gives wrong sums and extremes in silence. Here: there is none to choose."""
    x, total, most, least, _ = launched((4, 5), "ascend910b", sign=sign)
    assert (np.sign(most) == sign).all() and (np.sign(least) == sign).all()
    assert (np.abs(total) >= 5).all() and (most == x.max(1)).all() and (least == x.min(1)).all()


def test_exo_76_tails_by_hand() -> None:
    """There: a kernel for what is left over. Here: one text for every length around a tile."""
    texts = set()
    for rows in (2, 3, 4, 7):
        for columns in (23, 24):
            texts.add(of_rows.lower(*launched((rows, columns), "ascend910b"), 1.0, soc="ascend910b"))
    assert len(texts) == 1


@tile.jit
def lives_long(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 512):
        a = x[i] + 1.0
        b = a * 2.0
        c = tile.floor(b) - x[i]
        for _ in range(3):
            c = tile.abs(c) + b
        y[i] = c / b + b * a


def test_tilelang_ascend_1156_live_buffers_were_overlaid() -> None:
    """There: two values in use at the same time had one address. Here: all of four that live over a loop are right."""
    x = np.random.default_rng(0).standard_normal(2000).astype(np.float32)
    got, wanted = np.zeros_like(x), np.zeros_like(x)
    lives_long.check(x, got, perturb=16)
    a = x + np.float32(1)
    b = a * np.float32(2)
    c = np.floor(b) - x
    for _ in range(3):
        c = np.abs(c) + b
    wanted[...] = c / b + b * a
    np.testing.assert_array_equal(got, wanted)
