"""Kernels as users write them, run in NumPy, against plain NumPy: sizes 0, 1, tile ± 1, primes, strided views."""

import math

import ml_dtypes
import numpy as np
import pytest
import tile_kernels as kernels

pytestmark = pytest.mark.quick

LENGTHS = (0, 1, 7, 31, 32, 33, 61, 97)
SHAPES = [(0, 5), (1, 1), (3, 0), (7, 8), (8, 7), (9, 9), (13, 31), (17, 33)]
TYPES = [np.float32, np.float16, ml_dtypes.bfloat16]
# Every shape in one type, and every type in one shape.
SHAPES_AND_TYPES = [*((shape, np.float32) for shape in SHAPES), *(((9, 9), dtype) for dtype in TYPES[1:])]
# Of the greatest value: each type keeps that much of it.
CLOSE = {np.float32: 2e-6, np.float16: 2e-3, ml_dtypes.bfloat16: 1.6e-2}


def random(seed: int, *shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def within_a_larger_one(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same numbers as a view with gaps between its rows, and all of what it is a view of."""
    around = np.full([size + 3 for size in array.shape], 77, array.dtype)
    view = around[tuple(slice(1, size + 1) for size in array.shape)]
    view[...] = array
    return view, around


def is_close(got: np.ndarray, wanted: np.ndarray, dtype: type) -> bool:
    difference = np.abs(got.astype(np.float64) - wanted).max(initial=0)
    return bool(difference <= CLOSE[dtype] * max(1.0, np.abs(wanted).max(initial=0)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_add(length: int, dtype: type) -> None:
    x, y = random(0, length, dtype=dtype), random(1, length, dtype=dtype)
    z, around = within_a_larger_one(np.zeros(length, dtype))
    kernels.add.numpy(x, y, z, BLOCK=32)
    assert (z == (x.astype(np.float32) + y.astype(np.float32)).astype(dtype)).all()
    assert (around == 77).sum() == 3  # what lies around the view stays


def softmax(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=-1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(("shape", "dtype"), SHAPES_AND_TYPES)
@pytest.mark.parametrize("name", ["softmax", "softmax_long"])
def test_softmax(name: str, shape: tuple[int, int], dtype: type) -> None:
    x, _ = within_a_larger_one(random(2, *shape, dtype=dtype))
    y, around = within_a_larger_one(np.zeros(shape, dtype))
    before = around == 77
    if name == "softmax":
        kernels.softmax.numpy(x, y, ROWS=8)
    else:
        kernels.softmax_long.numpy(x, y, COLS=8)
    assert is_close(y, softmax(x), dtype)
    assert ((around == 77) == before).all()


@pytest.mark.parametrize(("shape", "dtype"), [case for case in SHAPES_AND_TYPES if case[0][1]])
def test_add_layer_norm(shape: tuple[int, int], dtype: type) -> None:
    x, residual = random(3, *shape, dtype=dtype), random(4, *shape, dtype=dtype)
    weight, bias = random(5, shape[1], dtype=dtype), random(6, shape[1], dtype=dtype)
    y, summed = np.zeros(shape, dtype), np.zeros(shape, dtype)
    kernels.add_layer_norm.numpy(x, residual, weight, bias, y, summed, 1e-5, COLS=33, ROWS=4)
    total = x.astype(np.float64) + residual
    centred = total - total.mean(axis=1, keepdims=True)
    wanted = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * weight + bias
    assert is_close(summed, total, dtype)
    assert is_close(y, wanted, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("m", "n", "k"), [(0, 5, 3), (1, 1, 1), (15, 17, 16), (17, 15, 31), (16, 16, 0), (13, 33, 29)])
def test_linear_gelu(m: int, n: int, k: int, dtype: type) -> None:
    a, b, bias = random(7, m, k, dtype=dtype), random(8, k, n, dtype=dtype), random(9, n, dtype=dtype)
    c = np.full((m, n), 3, dtype)
    kernels.linear_gelu.numpy(a, b, bias, c, BM=16, BN=16, BK=8)
    v = a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64)
    wanted = 0.5 * v * (1 + np.vectorize(math.erf, otypes=[float])(v / np.sqrt(2))) if v.size else v
    assert is_close(c, wanted, dtype)


def attended(q, k, v, q_starts, k_starts, scale, causal):
    """Sequence by sequence, head by head, in float64."""
    o = np.zeros(q.shape)
    group = q.shape[1] // k.shape[1]
    for q0, q1, k0, k1 in zip(q_starts, q_starts[1:], k_starts, k_starts[1:], strict=False):
        for head in range(q.shape[1]):
            scores = q[q0:q1, head].astype(np.float64) @ k[k0:k1, head // group].astype(np.float64).T * scale
            if causal:
                scores[np.triu(np.ones(scores.shape, bool), k=1 + (k1 - k0) - (q1 - q0))] = -np.inf
            o[q0:q1, head] = softmax(scores) @ v[k0:k1, head // group].astype(np.float64)
    return o


@pytest.mark.parametrize(
    ("q_lengths", "k_lengths", "causal", "dtype"),
    [
        ((1,), (1,), False, np.float32),
        ((7, 8, 9), (7, 8, 9), True, np.float32),
        ((5, 17), (23, 17), True, np.float32),
        ((1, 3), (19, 4), False, np.float32),
        ((1, 3), (19, 4), True, np.float16),
    ],
)
def test_attention(q_lengths: tuple[int, ...], k_lengths: tuple[int, ...], causal: bool, dtype: type) -> None:
    heads, kv_heads, width, rows = 4, 2, 6, 8
    q_starts, k_starts = (np.cumsum([0, *lengths]).astype(np.int32) for lengths in (q_lengths, k_lengths))
    q = random(10, q_starts[-1], heads, width, dtype=dtype)
    k, v = (random(seed, k_starts[-1], kv_heads, width, dtype=dtype) for seed in (11, 12))
    o = np.zeros_like(q)
    parts = [(seq, first) for seq, length in enumerate(q_lengths) for first in range(0, length, rows)]
    plan = np.array(parts, np.int64)
    scale = 1 / math.sqrt(width)
    kernels.attention.numpy(q, k, v, o, q_starts, k_starts, plan, scale, CAUSAL=causal, D=8, BM=rows, BN=5)
    assert is_close(o, attended(q, k, v, q_starts, k_starts, scale, causal), dtype)


@pytest.mark.parametrize("shape", [*SHAPES, (4, 64)])
def test_quantize_rows(shape: tuple[int, int]) -> None:
    x = random(13, *shape) * 10
    x[: shape[0] // 2] = 0
    q, scales = np.full(shape, 5, np.int8), np.zeros(shape[0], np.float32)
    kernels.quantize_rows.numpy(x, q, scales, COLS=64)
    wanted = np.maximum(np.abs(x).max(axis=1, initial=0), np.float32(1e-10)) / np.float32(127)
    assert (scales == wanted).all()
    assert (q == np.clip(np.rint(x / wanted[:, None]), -128, 127)).all()


def test_cache_write_and_read() -> None:
    pages, page, heads, width, tokens = 5, 4, 3, 7, 11
    kv = random(14, tokens, heads, width)
    cache = np.zeros((pages, page, heads, width), np.float32)
    slots = np.random.default_rng(15).permutation(pages * page)[:tokens].astype(np.int32)
    slots[3] = -1
    kernels.cache_write.numpy(kv, cache, slots, H=4, D=8)
    wanted = np.zeros((pages * page, heads, width), np.float32)
    wanted[slots[slots >= 0]] = kv[slots >= 0]
    assert (cache.reshape(wanted.shape) == wanted).all()

    flat = random(16, pages, page, heads * width)
    table = np.array([[4, 0, 2], [1, 3, 0], [2, 2, 2]], np.int32)
    lengths = np.array([9, 4, 0], np.int32)
    out = np.full((3, 3 * page, heads * width), -1, np.float32)
    kernels.cache_read.numpy(flat, table, lengths, out, PAGE=page, W=24)
    for seq, length in enumerate(lengths):
        rows = flat[table[seq]].reshape(-1, heads * width)
        assert (out[seq, :length] == rows[:length]).all() and (out[seq, length:] == -1).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_transpose(shape: tuple[int, int]) -> None:
    x, _ = within_a_larger_one(random(17, *shape))
    y = np.zeros(shape[::-1], np.float32)
    kernels.transpose.numpy(x, y, B=8)
    assert (y == x.T).all()


def test_constants_come_from_the_call_then_from_sizes_then_from_defaults() -> None:
    x = random(18, 5, 9)
    y = np.zeros_like(x)
    kernels.softmax.numpy(x, y)
    assert is_close(y, softmax(x), np.float32)
    other = np.zeros_like(x)
    kernels.softmax.numpy(x, other, 9, 2)
    assert (other == y).all()
