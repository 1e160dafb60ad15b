"""The kernels of HiFloat8 on every path that this CPU has.

Codes of all 16-bit inputs and values of all codes are compared with digests of tables that an independent search made,
float32 with `opwright.formats.hifloat8`, and everything with scales with NumPy's own arithmetic.
"""

import ctypes
import hashlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from opwright.formats import hifloat8
from opwright.native.library import View, opened
from opwright.schema.dtypes import DTYPES

Kernels = Any  # a fixture of conftest.py
PATTERNS = np.arange(65536, dtype=np.uint16)
CODES = np.arange(256, dtype=np.uint8)
OVERFLOWS = ("inf", "saturate", "saturate_all")
KINDS = {"f16": (np.uint16, np.float16), "bf16": (np.uint16, ml_dtypes.bfloat16), "f32": (np.uint32, np.float32)}
CANONICAL = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000}
ENCODED = {
    ("f16", "inf"): "4e85867f2a96b171c5e3935f544eec7e131d5800b08e053da7b198038f394bf3",
    ("f16", "saturate"): "8ea30fbd881e596d7762840345cae9f35752b0fdd74d1d3516f56eb79701dfc7",
    ("f16", "saturate_all"): "bfbaa0bb1cf15ead583d4cc8d726d16b71545da4ecbc96fa1a8e7e6f32cac4a9",
    ("bf16", "inf"): "bca1768faaec90c66563dedd844a67aa3203a96199637780bc6d22901180d57b",
    ("bf16", "saturate"): "0b4ba9138ffb58dbdac79a999e71d3209dbc8cf3d42320e063c9d2d30e92b9ea",
    ("bf16", "saturate_all"): "ad1b8c016308b2320e69a0976db113c3bbde73b29f81203cc5715110a607af7a",
}
DECODED = {
    "f16": "5521f4c22908964176964787314b06db892cc9d8e1e46d68c7f68467e4b7060a",
    "bf16": "b3023dbe5d26a4adccef00fc92c1c338aa331a78363b5df02d44bb4a660135fd",
    "f32": "2ac829ee895e0e5e803c4484a3953db8d598c6c8131b98ca32f75502a7a2fb4c",
}
# Ordinary ones, powers of two, those whose inverse is no good, and those that make everything NaN, infinite or 0.
PLAIN = [0.37, 1, -3.3, 0.0625, 7e-3, 1 / 15, 1e30, 1e-30, 2.0**-61, 2.0**61, 1e-40, 3e38, 0, -0.0, np.inf, np.nan]
# Products with 1 that lie halfway between two numbers of 16 bits, of even and odd bits, and where float16 ends.
HALFWAY = [1 + 2.0**-8, 1 + 3 * 2.0**-8, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 2.0**-25, 3 * 2.0**-25, 65519, 65520]
SCALES = np.array(PLAIN + HALFWAY, np.float32)


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(array.tobytes()).hexdigest()


def floats(bits: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return bits.view(KINDS[kind][1]).astype(np.float32)


def to_kind(values: np.ndarray, kind: str) -> np.ndarray:
    """The bits of float32 values rounded to a type, every NaN the same."""
    with np.errstate(over="ignore", invalid="ignore"):
        bits = values.astype(KINDS[kind][1]).view(KINDS[kind][0]).copy()
    bits[np.isnan(values)] = CANONICAL[kind]
    return bits


def codes_of(values: np.ndarray, overflow: str) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return hifloat8.encode(values, overflow=overflow)


def borders() -> np.ndarray:
    """The magnitudes where one code ends and the next begins, the last one that of infinity."""
    ordered = np.sort(hifloat8.decode(CODES[:0x6F]).tolist() + hifloat8.decode(CODES[0x70:0x80]).tolist() + [49152])
    return ((ordered[1:] + ordered[:-1]) / 2).astype(np.float32)


def around(values: np.ndarray, steps: int) -> np.ndarray:
    """Each value, its neighbours so far, and all of them negative."""
    bits = values.view(np.uint32)
    near = np.concatenate([bits + np.uint32(step % 2**32) for step in range(-steps, steps + 1)])
    return np.concatenate([near, near | np.uint32(1 << 31)])


def some_bits(kind: str, n: int, seed: int) -> np.ndarray:
    """Numbers of ordinary size between ones of any bits, infinities and NaN."""
    random = np.random.default_rng(seed)
    bits = to_kind((random.standard_normal(n) * 10).astype(np.float32), kind)
    any_bits = random.integers(0, np.iinfo(bits.dtype).max, n, dtype=bits.dtype, endpoint=True)
    special = to_kind(random.choice(np.array([0, -0.0, np.inf, -np.inf, np.nan, 40960, 1e-6], np.float32), n), kind)
    which = random.integers(0, 8, n)
    return np.where(which == 0, special, np.where(which < 3, any_bits, bits))


@pytest.mark.parametrize("stream", [False, True], ids=["cached", "stream"])
@pytest.mark.parametrize(("kind", "overflow"), ENCODED)
def test_every_16_bit_input(kernels: Kernels, kind: str, overflow: str, stream: bool) -> None:
    assert digest(kernels.encode(PATTERNS, kind, overflow, stream=stream)) == ENCODED[kind, overflow]


@pytest.mark.parametrize("overflow", OVERFLOWS)
def test_upper_halves_of_float32(kernels: Kernels, overflow: str) -> None:
    """What lies below makes no difference, but to NaN."""
    upper = PATTERNS.astype(np.uint32) << 16
    finite = (PATTERNS & 0x7F80) != 0x7F80
    for low in (np.uint32(0), np.uint32(0x7FFF), np.uint32(0xFFFF)):
        codes = kernels.encode(upper | np.where(finite, low, np.uint32(0)), "f32", overflow)
        assert digest(codes) == ENCODED["bf16", overflow]
    nan = 0 if overflow == "saturate_all" else 0x80
    hidden = np.repeat(np.array([0x7F800001, 0xFF800001, 0x7F80FFFF, 0xFF808000], np.uint32), 30)
    assert (kernels.encode(hidden, "f32", overflow) == nan).all()


@pytest.mark.parametrize("overflow", OVERFLOWS)
def test_float32(kernels: Kernels, overflow: str) -> None:
    random = np.random.default_rng(3)
    bits = np.concatenate([around(borders(), 2), random.integers(0, 2**32, 1 << 18, dtype=np.uint32)])
    np.testing.assert_array_equal(
        kernels.encode(bits, "f32", overflow), codes_of(bits.view(np.float32), overflow), strict=True
    )


@pytest.mark.parametrize("stream", [False, True], ids=["cached", "stream"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_code(kernels: Kernels, kind: str, stream: bool) -> None:
    values = kernels.decode(CODES, kind, stream=stream)
    assert digest(values) == DECODED[kind]
    mixed = np.random.default_rng(7).permutation(np.tile(CODES, 5))
    np.testing.assert_array_equal(kernels.decode(mixed, kind, stream=stream), values[mixed])


@pytest.mark.parametrize("stream", [False, True], ids=["cached", "stream"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_length_at_any_address(kernels: Kernels, kind: str, stream: bool) -> None:
    """In: from an odd address on. Out: before and after aligned addresses. Nothing beyond the end is written."""
    bits = some_bits(kind, 200, 1)
    odd = np.zeros(bits.nbytes + 1, np.uint8)
    odd[1:] = bits.view(np.uint8)
    bits = odd[1:].view(bits.dtype)
    scales = np.random.default_rng(2).uniform(0.1, 3, 200).astype(np.float32)
    codes = kernels.encode(bits, kind, "inf")
    np.testing.assert_array_equal(codes, codes_of(floats(bits, kind), "inf"))
    quantized = kernels.quantize(bits, kind, "inf", scales)
    decoded = kernels.decode(codes, kind)
    scaled = kernels.dequantize(quantized, kind, scales)
    for n in range(201):
        how = {"stream": stream, "shift": n * 7 % 70}
        np.testing.assert_array_equal(kernels.encode(bits[:n], kind, "inf", **how), codes[:n])
        np.testing.assert_array_equal(kernels.quantize(bits[:n], kind, "inf", some(scales, n), **how), quantized[:n])
        np.testing.assert_array_equal(kernels.decode(codes[:n], kind, **how), decoded[:n])
        np.testing.assert_array_equal(kernels.dequantize(quantized[:n], kind, some(scales, n), **how), scaled[:n])
        np.testing.assert_array_equal(kernels.fake(bits[:n], kind, "inf", None, **how), decoded[:n])
        np.testing.assert_array_equal(kernels.fake(bits[:n], kind, "inf", some(scales, n), **how), scaled[:n])


def some(scales: np.ndarray, n: int) -> np.ndarray:
    """A scale for each; one alone counts for all."""
    return scales[: max(n, 1)]


@pytest.mark.parametrize("overflow", OVERFLOWS)
@pytest.mark.parametrize("kind", KINDS)
def test_one_scale(kernels: Kernels, kind: str, overflow: str) -> None:
    bits = some_bits(kind, 3000, 5)
    for scale in SCALES:
        one = np.array([scale], np.float32)
        with np.errstate(all="ignore"):
            codes = codes_of(floats(bits, kind) / scale, overflow)
            values = to_kind(hifloat8.decode(codes) * scale, kind)
        np.testing.assert_array_equal(kernels.quantize(bits, kind, overflow, one), codes, err_msg=str(scale))
        np.testing.assert_array_equal(kernels.dequantize(codes, kind, one), values, err_msg=str(scale))
        with np.errstate(all="ignore"):
            every = to_kind(hifloat8.decode(CODES) * scale, kind)
        np.testing.assert_array_equal(kernels.dequantize(CODES, kind, one), every, err_msg=str(scale))
        np.testing.assert_array_equal(kernels.fake(bits, kind, overflow, one), values, err_msg=str(scale))
        in_place = kernels.fake(bits, kind, overflow, one, in_place=True)
        np.testing.assert_array_equal(in_place, values, err_msg=str(scale))


@pytest.mark.parametrize("kind", KINDS)
def test_a_scale_for_each(kernels: Kernels, kind: str) -> None:
    bits = some_bits(kind, 5000, 6)
    scales = np.random.default_rng(6).choice(SCALES, 5000)
    with np.errstate(all="ignore"):
        codes = codes_of(floats(bits, kind) / scales, "saturate")
        values = to_kind(hifloat8.decode(codes) * scales, kind)
    np.testing.assert_array_equal(kernels.quantize(bits, kind, "saturate", scales), codes)
    np.testing.assert_array_equal(kernels.dequantize(codes, kind, scales), values)
    np.testing.assert_array_equal(kernels.fake(bits, kind, "saturate", scales), values)


@pytest.mark.parametrize("kind", KINDS)
def test_quotients_are_exact(kernels: Kernels, kind: str) -> None:
    """Quotients as near to a border between two codes as the type has them, for hundreds of scales of all bits."""
    random = np.random.default_rng(9)
    any_scales = (random.uniform(1, 2, 300) * 2.0 ** random.integers(-59, 60, 300)).astype(np.float32)
    powers = around((2.0 ** np.arange(-20, 20)).astype(np.float32), 1).view(np.float32)
    scales = np.concatenate([any_scales, np.arange(1, 41, dtype=np.float32) * np.float32(1.1) / 16, powers])
    table = codes_of((PATTERNS.astype(np.uint32) << 16).view(np.float32), "saturate")
    for scale in scales:
        with np.errstate(over="ignore", under="ignore"):
            products = to_kind(borders() * scale, kind)
            near = [products + products.dtype.type(step % 2**16) for step in range(3)]
            near += [products - products.dtype.type(step) for step in range(1, 3)]
            bits = np.concatenate(near)
            bits = bits[np.isfinite(floats(bits, kind))]
            quotients = floats(bits, kind) / scale
        np.testing.assert_array_equal(
            kernels.quantize(bits, kind, "saturate", np.array([scale])), table[quotients.view(np.uint32) >> 16]
        )


@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_every_16_bit_quotient(kernels: Kernels, kind: str) -> None:
    table = codes_of((PATTERNS.astype(np.uint32) << 16).view(np.float32), "inf")
    numbers = floats(PATTERNS, kind)
    random = np.random.default_rng(11)
    for scale in (random.uniform(1, 2, 100) * 2.0 ** random.integers(-12, 12, 100)).astype(np.float32):
        with np.errstate(all="ignore"):
            quotients = (numbers / scale).view(np.uint32)
        is_nan = (quotients & 0x7FFFFFFF) > 0x7F800000
        wanted = np.where(is_nan, 0x80, table[quotients >> 16])
        np.testing.assert_array_equal(kernels.quantize(PATTERNS, kind, "inf", np.array([scale])), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_largest(kernels: Kernels, kind: str) -> None:
    bits = some_bits(kind, 3000, 8)
    sizes = np.abs(floats(bits, kind))
    sizes[~np.isfinite(sizes)] = 0
    for n in (0, 1, 5, 31, 64, 200, 3000):
        assert kernels.largest(bits[:n], kind) == sizes[:n].max(initial=0)
    nothing = to_kind(np.array([np.inf, -np.inf, np.nan] * 50, np.float32), kind)
    assert kernels.largest(nothing, kind) == 0
    tiny = np.array([0, 1], KINDS[kind][0])
    assert kernels.largest(tiny, kind) == floats(tiny, kind)[1] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_maxima_are_raised(kernels: Kernels, kind: str) -> None:
    before = np.abs(np.random.default_rng(4).standard_normal(333)).astype(np.float32) * 10
    for n in (0, 1, 17, 64, 333):
        bits = some_bits(kind, n, n)
        sizes = np.abs(floats(bits, kind))
        sizes[~np.isfinite(sizes)] = 0
        np.testing.assert_array_equal(kernels.raise_(bits, kind, before[:n]), np.maximum(before[:n], sizes))


@pytest.mark.parametrize("kind", KINDS)
def test_counts(kernels: Kernels, kind: str) -> None:
    """All inputs of 16 bits, or float32 around all borders; more than a word of 16 bits can count."""
    bits = np.tile(PATTERNS, 3) if kind != "f32" else np.tile(around(borders(), 1), 200)
    bits = np.concatenate([bits, some_bits(kind, 1001, 2)])
    x = floats(bits, kind)
    codes = codes_of(x, "inf")
    finite = np.isfinite(x)
    wanted = [
        len(x),
        (finite & (np.abs(x) >= 40960)).sum(),
        np.isinf(x).sum(),
        np.isnan(x).sum(),
        (finite & (x != 0) & (codes == 0)).sum(),
        (((codes & 0x7F) >= 1) & ((codes & 0x7F) <= 7)).sum(),
    ]
    assert kernels.count(bits, kind) == wanted


def test_a_cap_is_kept(library: ctypes.CDLL) -> None:
    names = []
    while name := library.driver_isas()[len(names)]:
        names.append(name)
    here = [name for name in names if library.driver_has(name)]
    assert names[-1] == b"table"
    assert library.driver_isa() == here[0]
    try:
        for place, name in enumerate(names):
            assert library.driver_cap_isa(name) == 1
            assert library.driver_isa() == next(n for n in names[place:] if n in here)
        assert library.driver_cap_isa(b"abacus") == 0
        assert library.driver_isa() == b"table"
    finally:
        assert library.driver_cap_isa(b"") == 1
    assert library.driver_isa() == here[0]


def test_without_a_framework() -> None:
    """Arrays through the operators of the compiled library."""
    compiled = opened()
    if isinstance(compiled, str):
        pytest.skip(compiled)
    codes, values = np.full(65536, 0xA5, np.uint8), np.full(65536, np.nan, np.float32)

    def view(array: np.ndarray, dtype: str) -> View:
        return View(array.ctypes.data, dtype, array.shape, (1,))

    compiled.run("opwright::encode_to_hifloat8", [view(PATTERNS, "bfloat16"), "saturate"], [view(codes, "uint8")])
    assert digest(codes) == ENCODED["bf16", "saturate"]
    given = [view(codes, "uint8"), DTYPES["float32"]]
    compiled.run("opwright::decode_from_hifloat8", given, [view(values, "float32")])
    np.testing.assert_array_equal(values, hifloat8.decode(codes))
