"""The asc kernels that kernels over tiles become: text, flags, bytes. Nothing is compiled to C++."""

import re

import pytest
import tile_kernels as kernels

from opwright import tile
from opwright.errors import TileNotBuilt, TileTooLarge
from opwright.runtime.jit import JitFunction
from opwright.tile.compiler.compile import Lowered

# A kernel, its arguments, its constants; flags of an iteration, and bytes of UB over those in use, at most.
CASES = {
    "add": (["f32[10000]"] * 3, {"BLOCK": 4096}, 4, 1.0),
    "softmax": (["f32[64, 1000]"] * 2, {"COLS": 1000, "ROWS": 8}, 4, 1.05),
    "softmax_f16": (["f16[64, 1000]"] * 2, {"COLS": 1008, "ROWS": 8}, 4, 1.05),
    "softmax_long": (["f32[64, 10000]"] * 2, {"COLS": 4096}, 6, 1.05),
    "add_layer_norm": (
        ["bf16[64, 1000]"] * 2 + ["bf16[1000]"] * 2 + ["bf16[64, 1000]"] * 2 + [1e-5],
        {"COLS": 1008, "ROWS": 4},
        6,
        1.05,
    ),
}


def lowered(name: str, soc: str = "ascend910b") -> Lowered:
    arguments, constants, _, _ = CASES[name]
    kernel = getattr(kernels, name.removesuffix("_f16"))
    assert isinstance(kernel, JitFunction)
    bound = kernel.binder.bind(arguments, constants, described=True)
    return kernel.program(bound, soc).lowered


@pytest.mark.parametrize("name", CASES)
def test_text(name: str, golden) -> None:
    golden(f"lowered/{name}.txt", lowered(name).text)


@pytest.mark.parametrize("name", CASES)
def test_flags_and_bytes(name: str) -> None:
    made = lowered(name)
    _, _, flags, ratio = CASES[name]
    pairs = sum(len(flag.pairs) for flag in made.synchronisation.flags)
    assert pairs <= flags
    assert made.placement.bytes <= ratio * made.placement.bound
    assert not made.placement.note and not made.synchronisation.notes


def test_a_report_names_buffers_flags_and_barriers(golden) -> None:
    arguments, constants, _, _ = CASES["softmax"]
    golden("lowered/softmax_report.txt", kernels.softmax.report(*arguments, soc="ascend910b", **constants))


@tile.jit
def shows_all(
    table: tile.Tensor,
    tokens: tile.Tensor,
    starts: tile.Tensor,
    bias: tile.Tensor,
    y: tile.Tensor,
    q: tile.Tensor,
    COLS: tile.constexpr,
):
    cols = tile.whole(table.shape[1], COLS)
    for part in tile.parallel(starts.shape[0]):
        here = tile.span(starts[part], 8, stop=tokens.shape[0])
        t = table[tokens[here], cols] + bias[cols]
        y[here, cols] = t
        q[here, cols] = t.to(tile.float32).to(tile.int8)


def test_a_report_names_scalar_reads_slow_forms_and_what_was_given_up(golden) -> None:
    arguments = ["bf16[99, 640]", "i32[70]", "i32[9]", "bf16[640]", "bf16[70, 640]", "i8[70, 640]"]
    text = shows_all.report(*arguments, soc="ascend910b", COLS=2200)
    first = shows_all.function.__code__.co_firstlineno  # lines count from there: those of this file move
    golden("lowered/shows_all_report.txt", re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) - first}", text))


def test_no_reduction_of_no_lanes_on_ascend950() -> None:
    """There it may write something; on ascend910b a mask of 0 does nothing."""
    for soc, is_guarded in (("ascend950", True), ("ascend910b", False)):
        text = kernels.softmax_long.lower(*["f32[64, 8192]"] * 2, soc=soc)
        guarded = re.findall(r"if tail > 0:\n +asc.whole_reduce_max", text)
        assert bool(guarded) == is_guarded


def test_tiles_that_do_not_fit() -> None:
    arguments = ["f32[64, 8192]"] * 2
    with pytest.raises(TileTooLarge) as caught:
        kernels.softmax.lower(*arguments, soc="ascend910b", COLS=8192, ROWS=8)
    text = str(caught.value)
    assert "need 788512 bytes, and UB of ascend910b has 188416" in text
    assert "t (line 16): 2 x 262144 bytes of float32" in text
    # A shorter `tile.whole` would refuse the axis that made it so long.
    assert caught.value.hint == "ROWS=1 fits; COLS=1024 fits if no axis that tile.whole takes is longer"
    assert kernels.softmax.lower(*arguments, soc="ascend910b", COLS=8192, ROWS=1)
    assert kernels.softmax.lower(*arguments, soc="ascend910b", COLS=1024, ROWS=8)


@tile.jit
def gated(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 512, ROWS: tile.constexpr = tile.auto):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols]
        y[rows, cols] = tile.exp(t) + tile.sigmoid(t) * t


def test_what_is_computed_in_float32_lives_for_one_operation() -> None:
    """So `auto` finds as many rows of bfloat16 as of float32."""
    for dtype in ("bf16", "f32"):
        arguments = [f"{dtype}[64, 512]"] * 2
        assert gated.lower(*arguments, soc="ascend910b") == gated.lower(*arguments, soc="ascend910b", ROWS=16)


def test_auto_that_finds_nothing_says_what_would_fit() -> None:
    with pytest.raises(TileTooLarge) as caught:
        kernels.softmax.lower(*["f32[64, 60000]"] * 2, soc="ascend910b")
    assert "COLS=15000 fits if no axis that tile.whole takes is longer" in str(caught.value.hint)


@tile.jit
def of_two_spans(x: tile.Tensor, y: tile.Tensor, n: int, m: int, ROWS: tile.constexpr = tile.auto):
    for rows in tile.parallel(x.shape[0], ROWS):
        y[rows, tile.span(0, 64, stop=n)] = x[rows, tile.span(0, 64, stop=n)] + x[rows, tile.span(0, 64, stop=m)]


@tile.jit
def prints_a_tile(x: tile.Tensor, ROWS: tile.constexpr = tile.auto):
    for rows in tile.parallel(x.shape[0], ROWS):
        tile.print("x", x[rows])


def test_auto_passes_over_what_is_not_built() -> None:
    arguments = (*["f32[64, 64]"] * 2, 60, 61)
    with pytest.raises(TileNotBuilt, match="columns are different spans"):
        of_two_spans.lower(*arguments, ROWS=2)
    assert of_two_spans.lower(*arguments) == of_two_spans.lower(*arguments, ROWS=1)
    with pytest.raises(TileNotBuilt, match="printing a tile"):
        prints_a_tile.lower("f32[64]")


def test_auto_takes_the_largest_size_with_full_rings() -> None:
    arguments = ["f32[64, 1000]"] * 2
    text = kernels.softmax.lower(*arguments, soc="ascend910b")
    assert text == kernels.softmax.lower(*arguments, soc="ascend910b", ROWS=8)


def test_what_is_lowered_is_what_is_compiled() -> None:
    arguments, constants, _, _ = CASES["softmax"]
    bound = kernels.softmax.binder.bind(arguments, constants, described=True)
    program = kernels.softmax.program(bound, "ascend910b")
    assert program.lowered.text.endswith(program.generated[0])
