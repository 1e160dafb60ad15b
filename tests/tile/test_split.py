"""Kernels for cube and vector cores: what each kind of core does, run side by side, gives what the kernel gives."""

from collections.abc import Sequence

import numpy as np
import pytest
from bits import assert_same_bits
from interpret import lowered
from mixed_kernels import (
    added_to,
    attention,
    in_place,
    linear_gelu,
    one_row,
    rare,
    scaled_residual,
    sum_of_rows,
    two_products,
)
from split_run import parts_of, run

from opwright.errors import NotSplit, OpwrightError, TileNotBuilt
from opwright.ir.functions import functions
from opwright.ir.tile import DotOp
from opwright.tile.compiler.conflicts import Conflicts
from opwright.tile.compiler.model import Model
from opwright.tile.compiler.schedule import Access, Loop, Node, Ring, Slots, Step
from opwright.tile.compiler.sync import synchronised
from opwright.tile.compiler.walks import walks_of
from opwright.tile.kernel import TileKernel

pytestmark = pytest.mark.quick


def numbers(*shape: int, seed: int = 1, dtype: str = "float16") -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same(kernel: TileKernel, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray], *rest: object) -> None:
    """Both kernels give the bits that the author's gives; nothing else is touched."""
    wanted, got = [one.copy() for one in outputs], [one.copy() for one in outputs]
    kernel.numpy(*inputs, *wanted, *rest)
    run(kernel, *inputs, *got, *rest)
    for one, other in zip(wanted, got, strict=True):
        assert_same_bits(other, one)


@pytest.mark.parametrize("m, n, k", [(0, 5, 3), (1, 1, 1), (31, 33, 32), (97, 64, 70), (40, 32, 0)])
def test_linear_gelu(m: int, n: int, k: int) -> None:
    wide = numbers(m + 1, n + 8)[:m, :n]  # rows apart
    same(linear_gelu, [numbers(m, k), numbers(k, n, seed=2), numbers(n, seed=3)], [wide])


def plan_of(lengths: Sequence[int], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Where sequences start, and the parts of work."""
    starts = np.cumsum([0, *lengths]).astype(np.int32)
    plan = [(number, first) for number, length in enumerate(lengths) for first in range(0, length, rows)]
    return starts, np.array(plan, np.int32).reshape(-1, 2)


def run_attention(causal: bool, q_lengths: Sequence[int], k_lengths: Sequence[int], heads: int, groups: int) -> None:
    d = 24
    q_starts, plan = plan_of(q_lengths, 32)
    k_starts, _ = plan_of(k_lengths, 32)
    q, k, v = (
        numbers(starts[-1], count, d, seed=seed)
        for seed, (starts, count) in enumerate(((q_starts, heads), (k_starts, groups), (k_starts, groups)))
    )
    o = np.zeros_like(q)
    arguments = (q_starts, k_starts, plan, 0.2, causal, 32)
    wanted, got = o.copy(), o.copy()
    attention.numpy(q, k, v, wanted, *arguments)
    run(attention, q, k, v, got, *arguments)
    assert_same_bits(got, wanted)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool) -> None:
    run_attention(causal, [33, 1, 17], [70, 5, 17], heads=4, groups=2)
    run_attention(causal, [64], [64], heads=1, groups=1)


def test_a_factor_that_vector_cores_take_too_and_an_odd_number_of_rows() -> None:
    for rows in (1, 15, 37):
        inputs = [numbers(rows, 20), numbers(20, 20, seed=2), numbers(rows, seed=3, dtype="float32")]
        outputs = [np.zeros((rows, 20), np.float32), np.zeros(rows, np.float32)]
        same(scaled_residual, inputs, outputs)


def test_two_products() -> None:
    same(two_products, [numbers(50, 13), numbers(13, 13, seed=2)], [np.zeros((50, 13), np.float32)])


def test_messages() -> None:
    """A product that is waited for within an iteration needs no flag back; one that is not has two slots and needs it.

    What crosses is loaded by halves: the flags between cores of an iteration are these and no others.
    """
    half = "f16[64, 64]"
    (one,) = parts_of(linear_gelu, half, half, "f16[64]", half).channels
    assert (one.crossing.name, one.slots, one.there, one.free) == ("acc_workspace", 2, 0, 2)
    tokens = "f16[64, 4, 64]"
    lengths = ("i32[3]", "i32[3]", "i32[4, 2]")
    channels = parts_of(attention, *[tokens] * 4, *lengths, 1.0, False, 64).channels
    assert [(one.slots, one.there, one.free) for one in channels] == [(1, 0, None), (1, 1, None), (1, 2, None)]
    assert [one.crossing.from_cube for one in channels] == [True, False, True]
    channels = parts_of(two_products, half, half, "f32[64, 64]").channels
    assert [(one.slots, one.free) for one in channels] == [(1, None)] * 3


def test_messages_of_a_rare_branch() -> None:
    """Each arm is judged, however deep it stands."""
    half, single = "f16[64, 16]", "f32[64, 16]"
    channels = parts_of(rare, half, "f16[16, 16]", single, single, 9).channels
    assert [(one.slots, one.there is None, one.free is None) for one in channels] == [(2, False, False)] * 2
    outputs = [np.zeros((70, 16), np.float32), np.zeros((70, 16), np.float32)]
    same(rare, [numbers(70, 16), numbers(16, 16, seed=2)], outputs, 10)


def test_walks_make_every_choice() -> None:
    """Both products are walked, the second one several times in a walk, and the loop runs any number of times."""
    kernel = functions(lowered(rare, "f16[64, 16]", "f16[16, 16]", "f32[64, 16]", "f32[64, 16]", 9))[-1]
    walks = walks_of(kernel.body.block)
    dots = [one for one in kernel.walk() if isinstance(one, DotOp)]
    assert len(dots) == 2 and all(any(dot in walk for walk in walks) for dot in dots)
    assert {walk.count(dots[0]) for walk in walks} == {0, 1, 2, 5}
    assert max(walk.count(dots[1]) for walk in walks) >= 4


REFUSED: dict[TileKernel, tuple[type[OpwrightError], str]] = {
    sum_of_rows: (NotSplit, "sum over rows"),
    added_to: (TileNotBuilt, "a product that is added to what vector cores computed"),
    one_row: (NotSplit, "a tile of 1 x 16 between cube and vector cores"),
}


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda kernel: kernel.__name__)
def test_refused(kernel: TileKernel) -> None:
    error, words = REFUSED[kernel]
    with pytest.raises(error, match=words) as caught:
        parts_of(kernel, "f16[32, 16]", "f16[16, 16]", "f32[32, 16]")
    assert caught.value.at is not None and caught.value.at.file == __file__.replace("test_split", "mixed_kernels")


def test_a_tensor_that_is_read_and_written() -> None:
    with pytest.raises(TileNotBuilt, match="reading x, which the kernel writes, beside products"):
        parts_of(in_place, "f32[32, 16]", "f32[16, 16]")


def test_a_loop_of_one_iteration_is_no_loop_to_the_model() -> None:
    """The same calls with and without it need the same flags, and without these there are the same races."""

    def nodes(is_loop: bool) -> list[Node]:
        slots = Slots(2)
        buffer, result = Access("UB", 0, 64, Ring(slots, 64)), Access("UB", 128, 192)
        load, add = Step("MTE2", (), (buffer,)), Step("V", (buffer,), (result,))
        store = Step("MTE3", (result,), (Access("GM", tensor="y"),))
        inner = [Loop([load, add], (slots,), once=True)] if is_loop else [load, add]
        return [Loop([*inner, store], () if is_loop else (slots,), parallel=True)]

    found = [synchronised(nodes(is_loop), "ascend910b") for is_loop in (True, False)]
    pairs = [sorted((flag.source, flag.destination, len(flag.ids)) for flag in one.flags) for one in found]
    assert pairs[0] == pairs[1] and len(pairs[0]) == 4
    assert Model(Conflicts(nodes(True)), frozenset({"S"})).fault([]) is not None
