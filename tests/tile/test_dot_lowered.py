"""The asc kernels that products of tiles become: text, flags, bytes, refusals. Nothing is compiled to C++."""

import inspect

import dot_kernels as kernels
import pytest

from opwright import tile
from opwright.errors import TileNotBuilt, TileTooLarge
from opwright.tile.compiler.compile import Lowered

HALF, SINGLE = "f16[300, 300]", "f32[300, 300]"


def lowered(kernel: tile.TileKernel, *arguments: str, soc: str = "ascend910b", **constants: int) -> Lowered:
    bound = kernel.binder.bind(arguments, constants, described=True)
    return kernel.program(bound, soc).lowered


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_text(soc: str, golden) -> None:
    golden(f"lowered/matmul_{soc}.txt", lowered(kernels.matmul, HALF, HALF, SINGLE, soc=soc).text)


def test_ascend910_93_has_the_text_of_ascend910b() -> None:
    texts = [lowered(kernels.matmul, HALF, HALF, SINGLE, soc=soc).text for soc in ("ascend910_93", "ascend910b")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_flags_and_bytes(soc: str) -> None:
    """As many flags as examples/12_matmul_cube.py has."""
    made = lowered(kernels.matmul, HALF, HALF, SINGLE, soc=soc)
    assert sum(len(flag.pairs) for flag in made.synchronisation.flags) == 6
    assert not made.synchronisation.barriers and not made.placement.note
    assert made.placement.used == made.placement.bounds
    assert all(home.count == 2 for home in made.placement.homes)


def test_lines_of_a_product_with_an_epilogue() -> None:
    source = inspect.getsource(kernels.matmul_relu.function)
    assert len(source[source.index("):\n") :].splitlines()) - 1 <= 8


def test_a_report_names_memories(golden) -> None:
    golden("lowered/matmul_report.txt", kernels.matmul.report(HALF, HALF, SINGLE, soc="ascend910b"))


def test_products_that_do_not_fit() -> None:
    """A sum that fits once has one slot. One that does not is refused, and what is proposed fits."""
    once = lowered(kernels.matmul, HALF, HALF, SINGLE, BM=128, BN=256)
    assert once.placement.note == "L0C: what is stored has one slot"
    for constants, memory in (({"BM": 256, "BN": 256}, "L0C"), ({"BK": 2048}, "L1")):
        with pytest.raises(TileTooLarge, match=f"and {memory} of ascend910b has") as caught:
            kernels.matmul.lower(HALF, HALF, SINGLE, soc="ascend910b", **constants)
        name, _, size = caught.value.hint.split()[0].partition("=")
        kernels.matmul.lower(HALF, HALF, SINGLE, soc="ascend910b", **{**constants, name: int(size)})


@tile.jit
def kept(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols = tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        first = tile.dot(a[i, cols], b[cols, cols])
        second = tile.dot(a[i, cols], b[cols, cols], first)
        c[i, cols] = first
        c[i, cols] = second


@tile.jit
def different_rows(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols = tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        acc = tile.dot(a[i, cols], b[cols, cols])
        acc = tile.dot(a[tile.span(0, 32, stop=a.shape[0]), cols], b[cols, cols], acc)
        c[i, cols] = acc


@tile.jit
def apart(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols = tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        acc = tile.zeros((32, 64))
        for k in tile.range(a.shape[1], 16):
            old = acc
            acc = tile.dot(a[i, k], b[k, cols], acc)
            c[i, cols] = old


@tile.jit
def two_variables(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols = tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        acc, old = tile.zeros((32, 64)), tile.zeros((32, 64))
        for k in tile.range(a.shape[1], 16):
            old = tile.dot(a[i, k], b[k, cols], old)
        for k in tile.range(a.shape[1], 16):
            if k.start > 32:
                acc = old
            acc = tile.dot(a[i, k], b[k, cols], acc)
        c[i, cols] = acc


@tile.jit
def counted_inside(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor):
    cols = tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        acc = tile.zeros((32, 64))
        for k in tile.range(a.shape[1], 16):
            acc = tile.dot(a[tile.span(i.start, 32, stop=min(a.shape[0], k.start)), k], b[k, cols], acc)
        c[i, cols] = acc


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (kept, "a sum that stays what it was while a product is added to it"),
        (different_rows, "a sum of products of which different parts are there"),
        (two_variables, "a sum that two variables hold"),
        (counted_inside, "a sum that leaves a loop in which its rows or columns are counted"),
        (apart, "a sum that is used after a product was added to it"),
    ],
)
def test_refusals(kernel: tile.TileKernel, words: str) -> None:
    with pytest.raises(TileNotBuilt, match=words):
        kernel.lower(HALF, HALF, SINGLE, soc="ascend910b")
