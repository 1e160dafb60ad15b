"""The HiFloat8 reference in plain torch: every 16-bit input, float32 by search, blocks by loops, tracing.

The digests are those of tables that an independent search made; `hifloat8_search` is another, with fractions. None of
it comes from an NPU.
"""

import hashlib
import math
from collections.abc import Callable

import hifloat8_search as search
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from opwright.operators import _hifloat8 as hifloat8  # noqa: E402
from opwright.operators import _hifloat8_checks as checks  # noqa: E402
from opwright.operators import _hifloat8_host as legal  # noqa: E402

FLOATS = [torch.float16, torch.bfloat16, torch.float32]
ENCODED = """
    float16   inf           4e85867f2a96b171
    float16   saturate      8ea30fbd881e596d
    float16   saturate_all  bfbaa0bb1cf15ead
    bfloat16  inf           bca1768faaec90c6
    bfloat16  saturate      0b4ba9138ffb58db
    bfloat16  saturate_all  ad1b8c016308b232
"""
DECODED = """
    float16   5521f4c229089641
    bfloat16  b3023dbe5d26a4ad
    float32   2ac829ee895e0e5e
"""
SPECIAL = [
    0.0,
    -0.0,
    math.inf,
    -math.inf,
    math.nan,
    1e-45,
    -1e-40,
    2.0**-24,
    -(2.0**-23),
    2.0**-22,
    40959,
    40960,
    -3e38,
]


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def digest(x: "torch.Tensor") -> str:
    return hashlib.sha256(x.contiguous().view(torch.uint8).numpy().tobytes()).hexdigest()[:16]


def same(got: "torch.Tensor", wanted: np.ndarray) -> None:
    """Equal values, NaN included; `wanted` is float32 that is rounded to the type of `got`, or codes."""
    rounded = torch.from_numpy(np.ascontiguousarray(wanted)).to(got.dtype).reshape(wanted.shape)
    torch.testing.assert_close(got, rounded, rtol=0, atol=0, equal_nan=True)


def mixed(shape: tuple[int, ...], dtype: "torch.dtype", seed: int) -> "torch.Tensor":
    """Numbers of many magnitudes, some of them special, whole regions tiny or 0."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * 2.0 ** random.integers(-30, 18, shape)
    x = np.where(random.random(shape) < 0.1, random.choice(SPECIAL, shape), x)
    kind = random.integers(4)
    if kind == 0:
        x = x * 1e-42  # their scales are subnormal
    elif kind == 1 and len(shape) and shape[0]:
        x[: random.integers(shape[0] + 1)] = 0
    with np.errstate(over="ignore"):
        return torch.from_numpy(np.array(x, np.float32)).to(dtype)


# Elements


@pytest.mark.parametrize(("dtype", "overflow", "wanted"), rows(ENCODED))
def test_every_16_bit_input(dtype: str, overflow: str, wanted: str) -> None:
    patterns = torch.arange(-32768, 32768).to(torch.int16).roll(32768)
    assert digest(hifloat8.encode(patterns.view(getattr(torch, dtype)), overflow)) == wanted


@pytest.mark.parametrize(("dtype", "wanted"), rows(DECODED))
def test_every_code(dtype: str, wanted: str) -> None:
    codes = torch.arange(256).to(torch.uint8)
    values = hifloat8.decode(codes, getattr(torch, dtype))
    assert digest(values) == wanted
    np.testing.assert_array_equal(values.double().numpy(), np.array(search.values()))
    assert torch.equal(hifloat8.encode(values), codes)


def test_decode_is_bfloat16_by_default() -> None:
    assert hifloat8.decode(torch.zeros(3, dtype=torch.uint8)).dtype == torch.bfloat16


@pytest.mark.parametrize("overflow", legal.OVERFLOWS)
def test_float32_by_search(overflow: str) -> None:
    """Millions of patterns, every head with chance below it, and the neighbours of every boundary."""
    random = np.random.default_rng(7)
    heads = np.arange(65536, dtype=np.uint32) << 16
    edges = np.array([0, search.INFINITY_BITS, 0x7FFFFFFF, *search.intervals()[0]], np.uint32)
    near = (edges[:, None] + np.arange(-2, 3)).astype(np.uint32).reshape(-1)
    bits = np.concatenate(
        [
            random.integers(0, 2**32, 1 << 21, dtype=np.uint32),
            random.integers(0x33000000, 0x48000000, 1 << 21, dtype=np.uint32),
            *(heads | random.integers(0, 65536, heads.shape, dtype=np.uint32) for _ in range(4)),
            heads,
            heads | 0xFFFF,
            near,
            near ^ np.uint32(0x80000000),
        ]
    )
    x = bits.view(np.float32)
    got = hifloat8.encode(torch.from_numpy(x), overflow)
    np.testing.assert_array_equal(got.numpy(), search.codes_of(x, overflow))


@pytest.mark.parametrize("overflow", legal.OVERFLOWS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_counts(dtype: "torch.dtype", overflow: str) -> None:
    for seed, shape in enumerate([(), (0,), (1,), (17,), (40, 50), (3, 0, 2)]):
        x = mixed(shape, dtype, seed)
        got = hifloat8.stats(x, overflow)
        assert (got.dtype, got.shape) == (torch.int64, (6,))
        assert got.tolist() == search.stats(x.float().numpy(), overflow)
    bits = torch.arange(-32768, 32768).to(torch.int16)
    if dtype != torch.float32:
        x = bits.view(dtype)
        assert hifloat8.stats(x, overflow).tolist() == search.stats(x.float().numpy(), overflow)


# Blocks


def block_cases() -> list[tuple[tuple[int, ...], list[int]]]:
    random = np.random.default_rng(11)
    fixed: list[tuple[tuple[int, ...], list[int]]] = [
        ((), []),
        ((0,), [-1]),
        ((0,), [3]),
        ((4, 0, 3), [2, -1, 2]),
        ((5,), [10**12]),
        ((7, 9), [-1, -1]),
        ((7, 9), [1, -1]),
        ((7, 9), [-1, 1]),
        ((7, 9), [1, 1]),
        ((7, 9), [7, 9]),
        ((130, 257), [128, 128]),
        ((3, 64), [1, 32]),
    ]
    for _ in range(60):
        rank = int(random.integers(1, 5))
        shape = tuple(int(size) for size in random.integers(0, 9, rank))
        fixed.append((shape, [int(length) for length in random.choice([-1, 1, 2, 3, 5, 8, 100], rank)]))
    return fixed


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_blocks_by_loops(dtype: "torch.dtype") -> None:
    for seed, (shape, block_size) in enumerate(block_cases()):
        x = mixed(shape, dtype, seed)
        exact = x.float().numpy()
        target_max = [15.0, 1.0, 448.0, 0.3][seed % 4]
        overflow = legal.OVERFLOWS[seed % 3]
        checks.check_block_size("test", block_size, x.shape)
        with np.errstate(all="ignore"):
            scale = hifloat8.scale_of(x, block_size, target_max)
            assert scale.is_contiguous()
            assert scale.shape == legal.scale_shape(shape, block_size)
            checks.check_scale("test", scale, block_size, x)
            same(scale, search.scale_of(exact, block_size, target_max))
            if seed % 5 == 0:
                # Scales that nobody computes: whatever the division gives is encoded.
                strange = np.random.default_rng(seed).choice([0.0, -2.0, math.inf, math.nan, 1e-40, 3e38], scale.shape)
                scale = torch.from_numpy(np.array(strange, np.float32))
            codes = hifloat8.quantize(x, scale, block_size, overflow)
            wanted = search.quantize(exact, scale.numpy(), block_size, overflow)
            same(codes, wanted)
            back = search.dequantize(wanted, scale.numpy(), block_size)
            for to in FLOATS:
                same(hifloat8.dequantize(codes, scale, block_size, to), back)
            assert hifloat8.dequantize(codes, scale, block_size).dtype == torch.bfloat16
            same(hifloat8.fake_quantize(x, scale, block_size, overflow), back)


def test_scales_at_the_edge_of_the_normal_numbers() -> None:
    x = torch.tensor([15 * 2.0**-126, 15 * 2.0**-126 * (1 - 2.0**-23), 0.0, math.inf, math.nan, 1e-45]).reshape(6, 1)
    assert hifloat8.scale_of(x, [1, 1]).reshape(-1).tolist() == [2.0**-126, 1, 1, 1, 1, 1]
    assert hifloat8.scale_of(x, [-1, -1]).item() == 2.0**-126


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_fake_quantize_without_a_scale(dtype: "torch.dtype") -> None:
    x = mixed((50, 30), dtype, 3)
    table = np.array(search.values(), np.float32)
    for overflow in legal.OVERFLOWS:
        same(hifloat8.fake_quantize(x, overflow=overflow), table[search.codes_of(x.float().numpy(), overflow)])


def test_every_nan_has_the_same_bits() -> None:
    """Which of them a product or a conversion makes depends on the machine."""
    codes = torch.tensor([0x80, 0x6F, 0xEF, 0x00] * 9, dtype=torch.uint8)
    scale = torch.tensor([-0.0, -math.nan, math.nan, -math.inf] * 9)
    for dtype, pattern in ((torch.float16, 0x7E00), (torch.bfloat16, 0x7FC0), (torch.float32, 0x7FC00000)):
        integers = torch.int32 if dtype == torch.float32 else torch.int16
        values = hifloat8.dequantize(codes, scale, [1], dtype)
        assert set(values[values.isnan()].view(integers).tolist()) == {pattern}


# Strides


def layouts() -> list["torch.Tensor"]:
    x = mixed((4, 6, 5, 3), torch.float32, 5)
    wide = mixed((8, 20), torch.float32, 6)
    return [
        x,
        x.permute(2, 0, 3, 1),
        x.contiguous(memory_format=torch.channels_last),
        x[:, ::2, 1:],
        x.transpose(0, 3)[1:],
        wide[:, 3:9],
        wide.t()[::3],
        wide[:, :1].expand(8, 7),
        wide[:1].expand(5, 20).t(),
        wide[0].expand(3, 2, 20),
        wide[:, 4:5],
        wide.as_strided((3, 4), (1, 1)),
        x[:, :0],
        wide[2, 3],
        x.permute(1, 2, 3, 0)[:, :, :1],
    ]


@pytest.mark.parametrize("x", layouts(), ids=lambda x: f"{tuple(x.shape)}-{x.stride()}")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_strides(x: "torch.Tensor", dtype: "torch.dtype") -> None:
    """Those of `empty_like`, and the same contents as of a contiguous copy."""
    x = mixed((400,), dtype, 1).as_strided(x.shape, x.stride(), 3)
    dense = x.contiguous()
    block_size = [2, -1, 1, 3][: x.dim()]
    scale = hifloat8.scale_of(x, block_size)
    assert scale.is_contiguous()
    assert torch.equal(scale, hifloat8.scale_of(dense, block_size))
    codes = mixed((400,), torch.float32, 2).view(torch.int32).to(torch.uint8).as_strided(x.shape, x.stride(), 5)

    def compare(function: Callable[["torch.Tensor"], "torch.Tensor"], of: "torch.Tensor") -> None:
        result = function(of)
        assert result.stride() == torch.empty_like(of, dtype=result.dtype).stride()
        torch.testing.assert_close(result, function(of.contiguous()), rtol=0, atol=0, equal_nan=True)

    compare(hifloat8.encode, x)
    compare(lambda of: hifloat8.quantize(of, scale, block_size), x)
    compare(hifloat8.fake_quantize, x)
    compare(lambda of: hifloat8.fake_quantize(of, scale, block_size), x)
    compare(lambda of: hifloat8.decode(of, dtype), codes)
    compare(lambda of: hifloat8.dequantize(of, scale, block_size, dtype), codes)
    assert torch.equal(hifloat8.stats(x), hifloat8.stats(dense))


# Tracing

TRACED: dict[str, Callable[["torch.Tensor"], object]] = {
    "encode": lambda x: hifloat8.encode(x),
    "decode": lambda x: hifloat8.decode(hifloat8.encode(x, "inf")),
    "scale": lambda x: hifloat8.scale_of(x, [4, -1]),
    "token": lambda x: hifloat8.quantize(x, hifloat8.scale_of(x, [1, -1]), [1, -1]),
    "block": lambda x: hifloat8.quantize(x, hifloat8.scale_of(x, [3, 128]), [3, 128], "saturate_all"),
    "back": lambda x: hifloat8.dequantize(hifloat8.encode(x), hifloat8.scale_of(x, [2, 2]), [2, 2], torch.float16),
    "fake": lambda x: hifloat8.fake_quantize(x, hifloat8.scale_of(x, [2, 5]), [2, 5]),
    "stats": lambda x: hifloat8.stats(x),
}


def checked(x: "torch.Tensor") -> object:
    """With the checks that an operator makes."""
    checks.check_floats("test", x)
    checks.check_block_size("test", [3, 4], x.shape)
    scale = hifloat8.scale_of(x, [3, 4])
    checks.check_scale("test", scale, [3, 4], x)
    return hifloat8.quantize(x, scale, [3, 4])


TRACED["checked"] = checked
SHAPES = [(6, 200), (7, 129), (10, 300)]


@pytest.mark.parametrize("name", TRACED)
def test_traces_with_shapes_that_are_not_known(name: str) -> None:
    traced = make_fx(TRACED[name], tracing_mode="symbolic")(mixed((6, 200), torch.bfloat16, 1))
    for seed, shape in enumerate([*SHAPES, (3, 5), (2, 1)]):
        x = mixed(shape, torch.bfloat16, seed)
        torch.testing.assert_close(traced(x), TRACED[name](x), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", ["decode", "token", "checked", "stats"])
def test_one_compilation_serves_all_shapes(name: str) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(TRACED[name], backend="aot_eager", fullgraph=True, dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for seed, shape in enumerate(SHAPES):
            x = mixed(shape, torch.float16, seed)
            torch.testing.assert_close(compiled(x), TRACED[name](x), rtol=0, atol=0, equal_nan=True)


def test_fake_tensors_have_the_strides_of_real_ones() -> None:
    for x in layouts():
        if not x.numel():
            continue  # torch itself gives those of an empty tensor otherwise
        with FakeTensorMode() as mode:
            fake = hifloat8.encode(mode.from_tensor(x))
        real = hifloat8.encode(x)
        assert (fake.shape, fake.stride(), fake.dtype) == (real.shape, real.stride(), real.dtype)
