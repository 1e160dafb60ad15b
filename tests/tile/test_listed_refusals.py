"""What the guide says is refused is refused, with the error that its tables name, and what tiles have is listed."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
import tile_kernels
from mixed_kernels import added_to, in_place, one_row, sum_of_rows

from opwright import errors, tile

PAGE = Path(__file__).parents[2].joinpath("docs/guide/tiles.md").read_text(encoding="utf-8")
F, G, H, J = "f32[256]", "f32[64, 64]", "f16[64, 64]", "i32[64, 64]"


@tile.jit
def leaves_early(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        for j in range(8):
            if j == 3:
                break
        y[i] = x[i]


def plain(t: tile.Tile) -> tile.Tile:
    return t * 2.0


@tile.jit
def calls_a_plain_one(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = plain(x[i])


@tile.jit
def size_at_run_time(x: tile.Tensor, n: int):
    x[tile.span(0, n)] = tile.zeros((64,))


@tile.jit
def carries(x: tile.Tensor, y: tile.Tensor):
    total = tile.zeros((64,))
    for i in tile.parallel(x.shape[0], 64):
        total = total + x[i]
        y[i] = total


@tile.jit
def tile_as_a_condition(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        if x[i] > 0.0:
            y[i] = x[i]


@tile.jit
def adds(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        z[i] = x[i] + y[i]


@tile.jit
def converts(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i].to(y.dtype)


@tile.jit
def other_shapes(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i] + tile.zeros((65,))


@tile.jit
def number_of_what_is_written(x: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        x[i] = tile.zeros((64,))
        tile.print("x", x[0])


@tile.jit
def takes_whole_rows(x: tile.Tensor, y: tile.Tensor, by: int):
    tile.assume(by >= 0)
    cols = tile.whole(x.shape[1], 64)
    for rows in tile.parallel(x.shape[0], 8):
        y[rows, cols.shifted(by)] = x[rows, cols] + 1.0


@tile.jit
def three_autos(
    x: tile.Tensor,
    A: tile.constexpr = tile.auto,
    B: tile.constexpr = tile.auto,
    C: tile.constexpr = tile.auto,
):
    x[tile.span(0, A)] = tile.zeros((A,))


@tile.jit
def prints_a_tile(x: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        tile.print("x", x[i])


@tile.jit
def single_elements(x: tile.Tensor, index: tile.Tensor, y: tile.Tensor):
    for rows in tile.parallel(x.shape[0], 8):
        y[rows, tile.span(0, 64)] = x[rows, index[tile.span(0, 64)]]


@tile.jit
def rows_that_may_be_empty(x: tile.Tensor, y: tile.Tensor, n: int):
    for cols in tile.parallel(x.shape[1], 64):
        y[0, cols] = x[tile.span(0, 8, stop=n), cols].sum(axis=0)


@tile.jit
def greatest(x: tile.Tensor, y: tile.Tensor):
    for rows in tile.parallel(x.shape[0], 8):
        y[rows] = x[rows, tile.span(0, 64)].max(axis=1)


@tile.jit
def columns_of_two_spans(x: tile.Tensor, y: tile.Tensor, n: int, m: int):
    for rows in tile.parallel(x.shape[0], 8):
        first, second = tile.span(0, 64, stop=n), tile.span(0, 64, stop=m)
        y[rows, first] = x[rows, first] + x[rows, second]


@tile.jit
def stores_outside(x: tile.Tensor, y: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i]
    x[tile.span(0, 64)] = tile.zeros((64,))


@tile.jit
def reads_another_loop(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    for i in tile.parallel(x.shape[0], 64):
        y[i] = x[i] * 2.0
    for i in tile.parallel(x.shape[0], 64):
        z[i] = y[i] + 1.0


@tile.jit
def uses_an_older_sum(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    cols = tile.span(0, 64)
    for rows in tile.parallel(x.shape[0], 32):
        first = tile.dot(x[rows, cols], x[cols, cols])
        y[rows, cols] = tile.dot(x[rows, cols], x[cols, cols], first)
        z[rows, cols] = first


@tile.jit
def turns(x: tile.Tensor, y: tile.Tensor):
    cols = tile.span(0, 64)
    for rows in tile.parallel(x.shape[0], 64):
        y[rows, cols] = (tile.dot(x[rows, cols], x[cols, cols]) + 1.0).T


@tile.jit
def has_no_loop(x: tile.Tensor):
    x[tile.span(0, 64)] = tile.zeros((64,))


@tile.jit
def multiplies(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    k, cols = tile.whole(a.shape[1], 16), tile.span(0, 16)
    for rows in tile.parallel(a.shape[0], 16):
        c[rows, cols] = tile.dot(a[rows, k], b[k, cols])


@tile.jit
def goes_to_and_fro(x: tile.Tensor, y: tile.Tensor):
    cols = tile.span(0, 16)
    for rows in tile.parallel(x.shape[0], 16):
        w = x[cols, cols]
        a = tile.exp(tile.dot(x[rows, cols], w)).to(x.dtype)
        b = tile.exp(tile.dot(a, w)).to(x.dtype)
        c = tile.exp(tile.dot(b, w)).to(x.dtype)
        d = tile.exp(tile.dot(c, w)).to(x.dtype)
        e = tile.exp(tile.dot(d, w)).to(x.dtype)
        y[rows, cols] = tile.exp(tile.dot(e, tile.exp(w)))


def launched(x: np.ndarray, y: np.ndarray | None = None, by: int = 0) -> None:
    takes_whole_rows(x, zeros(*x.shape) if y is None else y, by)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def every(kernel: tile.TileKernel, arguments: list[list[str]], soc: str | None = None) -> NoReturn:
    """The error of the last arguments; the same as that of all others."""
    kinds = set()
    for given in arguments:
        with pytest.raises(errors.OpwrightError) as caught:
            kernel.lower(*given, soc=soc)
        kinds.add(type(caught.value))
    assert len(kinds) == 1
    raise caught.value


CONVERSIONS = [("f32", "u16"), ("f16", "u32"), ("u16", "f16"), ("u32", "f32"), ("i32", "bf16")]
SAME = zeros(8, 64)
BESIDE = ("f16[32, 16]", "f16[16, 16]", "f32[32, 16]")
# The first cell of a line of the guide -> what is refused.
LISTED: dict[str, Callable[[], object]] = {
    "`break`, `continue` and an early `return`": lambda: leaves_early.lower(F, F),
    "functions without `@tile.jit`": lambda: calls_a_plain_one.lower(F, F),
    "sizes that are known at run time only": lambda: size_at_run_time.lower(F, 64),
    "a name that carries a tile to another iteration of `tile.parallel`": lambda: carries.lower(F, F),
    "a tile as a condition": lambda: tile_as_a_condition.lower(F, F),
    "types that do not mix, such as int32 and float32": lambda: adds.lower("i32[256]", F, F),
    "tiles of 64-bit types": lambda: adds.lower(*["i64[256]"] * 3),
    "shapes that do not broadcast, and tiles of three axes": lambda: other_shapes.lower(F, F),
    "reading numbers of a tensor that the kernel writes": lambda: number_of_what_is_written.lower(F),
    "tiles that do not fit": lambda: tile_kernels.add.lower(F, F, F, BLOCK=1 << 20),
    "more than two constants that are `tile.auto`": lambda: three_autos.lower(F),
    "printing a tile": lambda: prints_a_tile.lower(F),
    "gathering single elements, as in `x[rows, index]`": lambda: single_elements.lower(G, "i32[64]", G),
    "`sum`, `max` and `min` over rows that may be empty": lambda: rows_that_may_be_empty.lower(G, G, 3),
    "`max` and `min` of int32 over columns on ascend910b": lambda: greatest.lower(J, "i32[64]", soc="ascend910b"),
    "arithmetic of int8, uint8, uint16 and uint32 on ascend910b": lambda: every(
        adds, [[f"{name}[256]"] * 3 for name in ("i8", "u8", "u16", "u32")], soc="ascend910b"
    ),
    "conversions of floats to uint16 and uint32 and back, and of int32 to bfloat16": lambda: every(
        converts, [[f"{old}[256]", f"{new}[256]"] for old, new in CONVERSIONS]
    ),
    "`x[rows, a] + y[rows, b]` with columns `a` and `b` of two spans": lambda: columns_of_two_spans.lower(G, G, 60, 61),
    "a store outside of `tile.parallel`": lambda: stores_outside.lower(F, F),
    "reading what another loop of `tile.parallel` writes": lambda: reads_another_loop.lower(F, F, F),
    "a sum that is used again after a product was added to it": lambda: uses_an_older_sum.lower(H, G, G),
    "what needs all rows, such as a sum over rows": lambda: sum_of_rows.lower(*BESIDE),
    "a tile of one row that crosses": lambda: one_row.lower(*BESIDE),
    "a `dot` that adds to what vector cores computed": lambda: added_to.lower(*BESIDE),
    "a tensor that is read and written": lambda: in_place.lower("f32[32, 16]", "f32[16, 16]"),
    "gathers, `tile.call` and `.T` of what is no factor": lambda: turns.lower(H, G),
    "more flags between cores than there are": lambda: goes_to_and_fro.lower("f16[16, 16]", "f32[16, 16]"),
}

AT_A_LAUNCH: dict[str, Callable[[], object]] = {
    "an axis that is longer than `tile.whole` says": lambda: launched(zeros(8, 65)),
    "a view whose last axis has gaps": lambda: launched(zeros(8, 128)[:, ::2]),
    "a view whose rows overlap": lambda: launched(np.broadcast_to(zeros(64), (8, 64))),
    "a span that ends behind its axis": lambda: launched(zeros(8, 64), by=1),
    "an assumption that does not hold": lambda: launched(zeros(8, 64), by=-1),
    "one array as two arguments, of which one is written": lambda: launched(SAME, SAME),
    "several cores for a kernel without `tile.parallel`": lambda: has_no_loop[2](zeros(64)),
    "a product along an axis of no elements": lambda: multiplies(
        *(np.zeros(shape, np.float16) for shape in ((16, 0), (0, 16))), zeros(16, 16)
    ),
}


def lines_of(page: str) -> dict[str, str]:
    """The lines of the tables: what, and the error."""
    section = page[page.index("## What is refused") : page.index("## All of it")]
    return dict(re.findall(r"^\| (.+) \| `(\w+)` \| .+ \|$", section, re.MULTILINE))


@pytest.mark.quick
def test_the_tables_and_these_tests_have_the_same_lines() -> None:
    assert set(lines_of(PAGE)) == {*LISTED, *AT_A_LAUNCH}


@pytest.mark.quick
@pytest.mark.parametrize("line", LISTED)
def test_refused(line: str) -> None:
    with pytest.raises(errors.OpwrightError) as caught:
        LISTED[line]()
    assert type(caught.value).__name__ == lines_of(PAGE)[line]


def test_refused_before_the_launch() -> None:
    launched(zeros(8, 64))
    for line, launch in AT_A_LAUNCH.items():
        with pytest.raises(errors.OpwrightError) as caught:
            launch()
        assert type(caught.value).__name__ == lines_of(PAGE)[line], line


@pytest.mark.quick
def test_all_names_are_listed() -> None:
    section = PAGE[PAGE.index("## All of it") :]
    assert {name for name in tile.__all__ if not re.search(rf"`tile\.{name}\b", section)} == set()
