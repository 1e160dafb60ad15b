"""Kernels for cube and vector cores, compiled: bits, findings, other orders, and the workspaces that they ask for."""

import re

import numpy as np
import pytest
from bits import assert_same_bits
from mixed_kernels import attention, linear_gelu, prints, scaled_residual, side_by_side, swish, two_products, widest
from test_split import numbers, plan_of

from opwright.errors import TileNotBuilt, TileTooLarge
from opwright.settings import settings
from opwright.tile.kernel import TileKernel

Arrays = list[np.ndarray]
ULPS = {"linear_gelu": 2, "attention": 1}  # of float16: exp and its like are approximated


def compare(kernel: TileKernel, inputs: Arrays, outputs: Arrays, *rest: object, perturb: int = 16) -> Arrays:
    """The same launch on the checked twin and in NumPy."""
    wanted, got = [one.copy() for one in outputs], [one.copy() for one in outputs]
    kernel.numpy(*inputs, *wanted, *rest)
    kernel.check(*inputs, *got, *rest, perturb=perturb)
    assert not kernel.check.report().findings
    for one, other in zip(got, wanted, strict=True):
        if kernel.__name__ in ULPS:
            difference = np.abs(one.view(np.int16).astype(int) - other.view(np.int16).astype(int))
            near = np.abs(one.astype(np.float32) - other.astype(np.float32)) < 1e-6  # around 0 bits change sign
            assert np.where(near, 0, difference).max(initial=0) <= ULPS[kernel.__name__]
        else:
            assert_same_bits(one, other)
    return got


def arguments_of_linear(m: int, n: int, k: int) -> tuple[Arrays, Arrays]:
    return [numbers(m, k), numbers(k, n, seed=2), numbers(n, seed=3)], [np.full((m, n), 7, np.float16)]


def arguments_of_attention(causal: bool, q_lengths: list[int], k_lengths: list[int], heads: int, groups: int) -> tuple:
    q_starts, plan = plan_of(q_lengths, 32)
    k_starts, _ = plan_of(k_lengths, 32)
    shapes = ((q_starts[-1], heads), (k_starts[-1], groups), (k_starts[-1], groups))
    q, k, v = (numbers(*shape, 24, seed=seed) for seed, shape in enumerate(shapes))
    return [q, k, v], [np.zeros_like(q)], (q_starts, k_starts, plan, 0.2, causal, 32)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend910_93", "ascend950"])
def test_linear_gelu(soc: str) -> None:
    """On fewer groups of cores than there are iterations each group goes round its slots."""
    with settings.scope(soc=soc):
        for m, n, k in ((0, 5, 3), (1, 1, 1), (31, 33, 32), (32, 65, 31)):
            compare(linear_gelu, *arguments_of_linear(m, n, k), perturb=0)
        inputs, outputs = arguments_of_linear(131, 64, 70)
        (wanted,) = compare(linear_gelu, inputs, outputs)
        linear_gelu.check(perturb=16)[1](*inputs, *outputs)
        np.testing.assert_array_equal(outputs[0], wanted)


def test_a_large_tile_gives_up_the_second_slot_of_what_crosses() -> None:
    """On one group of cores, so that loads wait for the iteration before."""
    inputs, (wanted,) = arguments_of_linear(260, 128, 40)
    with settings.scope(soc="ascend910b"):
        report = linear_gelu.report(*inputs, wanted, BM=128, BN=128)
        assert "given up so that it fits\n  what is loaded and stored has one slot\n" in report
        got = np.full_like(wanted, 7)
        linear_gelu.check(perturb=8)[1](*inputs, got, BM=128, BN=128)
        linear_gelu.numpy(*inputs, wanted)
    assert not linear_gelu.check.report().findings
    np.testing.assert_allclose(got.astype(np.float32), wanted.astype(np.float32), rtol=2e-3, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_attention(causal: bool) -> None:
    inputs, outputs, rest = arguments_of_attention(causal, [33, 1, 17], [70, 5, 17], heads=4, groups=2)
    (wanted,) = compare(attention, inputs, outputs, *rest)
    if causal:
        return
    for cores in (1, 3):  # on the fast twin, from arrays that were not touched
        got = outputs[0].copy()
        attention[cores](*inputs, got, *rest)
        np.testing.assert_array_equal(got, wanted)


def test_attention_on_ascend950() -> None:
    with settings.scope(soc="ascend950"):
        inputs, outputs, rest = arguments_of_attention(True, [33, 1, 17], [70, 5, 17], heads=4, groups=2)
        compare(attention, inputs, outputs, *rest)


def test_other_kernels() -> None:
    inputs = [numbers(37, 20), numbers(20, 20, seed=2), numbers(37, seed=3, dtype="float32")]
    compare(scaled_residual, inputs, [np.zeros((37, 20), np.float32), np.zeros(37, np.float32)])
    compare(two_products, [numbers(50, 13), numbers(13, 13, seed=2)], [np.zeros((50, 13), np.float32)])


def test_an_iteration_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    """Although a cube core and two vector cores do it."""
    prints[2](numbers(37, 20), numbers(20, 20, seed=2), np.zeros((37, 20), np.float32))
    assert sorted(capfd.readouterr().out.splitlines()) == ["rows from 0", "rows from 16", "rows from 32"]


@pytest.mark.quick
def test_the_printed_kernel() -> None:
    """It has a workspace behind the author's parameters, and the messages that the model wants, and no others."""
    half = "f16[64, 64]"
    text = linear_gelu.lower(half, half, "f16[64]", half)
    assert 'kernel_type="mix_1_2"' in text and "    acc_workspace: asc.GlobalAddress,\n):" in text
    assert "acc_of_group = acc_workspace + group * 2048" in text  # two slots of 32 x 32
    assert "GM_ADDR acc_workspace)" in linear_gelu.emit(half, half, "f16[64]", half)
    report = linear_gelu.report(half, half, "f16[64]", half)
    line = 'to vector cores, 2 x 1,024 of float32 for each group; first flag of "there" 0, of "free" 2'
    assert line in report and "L0C: " in report and "UB: " in report
    tokens = "f16[64, 4, 64]"
    text = attention.lower(*[tokens] * 4, "i32[3]", "i32[3]", "i32[4, 2]", 1.0, False, 64)
    cube, vector = text.split("\n    else:\n")
    for arm, pipes in ((cube, ["FIX", "FIX", "MTE2"]), (vector, ["MTE2", "MTE2", "MTE3"])):
        assert sorted(re.findall(r"cross_core_\w+_flag\(\w+, 2, asc.PipeID.PIPE_(\w+)\)", arm)) == pipes


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_nothing_need_go_between_cores(soc: str) -> None:
    with settings.scope(soc=soc):
        outputs = [np.full((37, 16), 7, np.float32) for _ in range(2)]
        compare(side_by_side, [numbers(37, 16), numbers(16, 16, seed=2)], outputs)


def test_auto_gives_up_slots_before_it_gives_up() -> None:
    types = ("f16[64, 16]", "f16[16, 100]", "f32[64, 100]")
    assert "stored has one slot" in str(widest.report(*types, 1536))
    with pytest.raises(TileTooLarge, match="N=1536 fits"):
        widest.lower(*types, 3072)
    with pytest.raises(TileNotBuilt, match="more than 4095"):
        widest.lower(*types, 4096)


def test_a_sum_that_is_read_three_times_crosses_once() -> None:
    x, w = numbers(37, 50), numbers(50, 27, seed=2)
    got, wanted = (np.full((37, 27), np.nan, np.float32) for _ in range(2))
    swish.numpy(x, w, wanted)
    swish.check(perturb=4)(x, w, got)
    assert_same_bits(got, wanted)
    head = swish.lower(x, w, got).partition("-> None")[0]
    assert set(re.findall(r"\w+_workspace", head)) == {"acc_workspace"}
