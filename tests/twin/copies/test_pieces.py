"""Copies in pieces, with gaps and padding, against a model in NumPy that knows nothing of the twin's loops.

Every byte is compared: what lies between the pieces must stay what it was.
"""

import re

import numpy as np
import pytest

from opwright import asc
from opwright.errors import OutOfRange, RuleBroken, RuleError
from opwright.settings import settings

BYTES = 8192
DTYPES = ("int8", "float16", "uint64")


@asc.jit
def blocks(
    x: asc.GlobalAddress,
    into: asc.GlobalAddress,
    within: asc.GlobalAddress,
    out: asc.GlobalAddress,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    size: asc.ConstExpr[int],
):
    """Each direction once, the other copies whole."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    into_gm = asc.GlobalTensor()
    into_gm.set_global_buffer(into, size)
    within_gm = asc.GlobalTensor()
    within_gm.set_global_buffer(within, size)
    out_gm = asc.GlobalTensor()
    out_gm.set_global_buffer(out, size)
    allocator = asc.LocalMemAllocator()
    a = allocator.alloc(asc.TPosition.VECIN, x.dtype, size)
    b = allocator.alloc(asc.TPosition.VECOUT, x.dtype, size)
    params = asc.DataCopyParams(count, length, src_gap, dst_gap)
    asc.data_copy(a, into_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
    asc.data_copy(a, x_gm, params)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(into_gm, a, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(a, x_gm, size)
    asc.data_copy(b, within_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(b, a, params)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(within_gm, b, size)
    asc.data_copy(out_gm, a, params)


@asc.jit
def padded(
    x: asc.GlobalAddress,
    ext: asc.GlobalAddress,
    plain: asc.GlobalAddress,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    left: int,
    right: int,
    value: int,
    bits: int,
    is_pad: asc.ConstExpr[bool],
    size: asc.ConstExpr[int],
):
    """The same copy with both kinds of parameters."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    ext_gm = asc.GlobalTensor()
    ext_gm.set_global_buffer(ext, size)
    plain_gm = asc.GlobalTensor()
    plain_gm.set_global_buffer(plain, size)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 64, size)
    asc.data_copy(local, ext_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(
        local,
        x_gm,
        asc.DataCopyExtParams(count, length, src_gap, dst_gap, 0),
        asc.DataCopyPadExtParams(x.dtype, is_pad, left, right, value),
    )
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(ext_gm, local, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(local, plain_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(
        local,
        x_gm,
        asc.DataCopyParams(count, length, src_gap, dst_gap),
        asc.DataCopyPadParams(is_pad, left, right, bits),
    )
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(plain_gm, local, size)


@asc.jit
def unpadded(
    x: asc.GlobalAddress,
    ext: asc.GlobalAddress,
    plain: asc.GlobalAddress,
    count: int,
    length: int,
    src_gap: int,
    dst_gap: int,
    size: asc.ConstExpr[int],
):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    ext_gm = asc.GlobalTensor()
    ext_gm.set_global_buffer(ext)
    plain_gm = asc.GlobalTensor()
    plain_gm.set_global_buffer(plain)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, size)
    asc.data_copy(local, x_gm, size)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(ext_gm, local, asc.DataCopyExtParams(count, length, src_gap, dst_gap, 0))
    asc.data_copy_pad(plain_gm, local, asc.DataCopyParams(count, length, src_gap, dst_gap))


def starts(count: int, length: int, gap: int) -> range:
    """Where the pieces start; at most as many as BYTES has room for."""
    return range(0, count * (length + gap), length + gap) if length else range(0)


def fits(count: int, length: int, gap: int) -> bool:
    return count * (length + gap) - gap <= BYTES


def moved(x: np.ndarray, before: np.ndarray, length: int, sources: range, targets: range) -> np.ndarray:
    after = before.copy()
    for source, target in zip(sources, targets, strict=True):
        after[target : target + length] = x[source : source + length]
    return after


def random_bytes(random: np.random.Generator, dtype: str) -> np.ndarray:
    return random.integers(0, 256, BYTES, dtype=np.uint8).view(dtype)


@pytest.mark.parametrize("elide", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_blocks(dtype: str, elide: bool) -> None:
    random = np.random.default_rng(1)
    size = BYTES // np.dtype(dtype).itemsize
    whole = [(1, 256, 0, 0), (4, 64, 0, 0), (8, 32, 0, 0), (1, 256, 9, 7), (0, 5, 1, 1), (3, 0, 1, 1)]
    for trial in range(60):
        count, length, src_gap, dst_gap = whole[trial] if trial < len(whole) else random.integers(0, 9, 4).tolist()
        if not (fits(count, length * 32, src_gap * 32) and fits(count, length * 32, dst_gap * 32)):
            continue
        x, *outs = (random_bytes(random, dtype) for _ in range(4))
        sources, targets = (starts(count, length * 32, gap * 32) for gap in (src_gap, dst_gap))
        bytes_of_x = x.view(np.uint8)
        expected = [moved(bytes_of_x, out.view(np.uint8), length * 32, sources, targets) for out in outs]
        with settings.scope(elide=elide):
            blocks[1](x, *outs, count, length, src_gap, dst_gap, size)
        for out, right in zip(outs, expected, strict=True):
            np.testing.assert_array_equal(out.view(np.uint8), right, str((count, length, src_gap, dst_gap)))


@pytest.mark.parametrize("is_pad", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_padded(dtype: str, is_pad: bool) -> None:
    random = np.random.default_rng(2)
    item = np.dtype(dtype).itemsize
    size, most = BYTES // item, 32 // item
    done = 0
    while done < 50:
        count, dst_gap = int(random.integers(0, 9)), int(random.integers(0, 4))
        length, src_gap = int(random.integers(0, 300 // item)) * item, int(random.integers(0, 70))
        left, right = (int(random.integers(0, most + 1)) if random.random() < 0.6 else 0 for _ in range(2))
        value = int(random.integers(1, 100)) if item < 8 else 0
        total = -(-(left * item + length + right * item) // 32) * 32 if length else 0
        if not (fits(count, length, src_gap) and fits(count, total, dst_gap * 32)):
            continue
        done += 1
        x, ext, plain = (random_bytes(random, dtype) for _ in range(3))
        element = np.array([value], dtype)
        bits = int(element.view(f"u{item}")[0])
        expected = []
        for out in (ext, plain):
            after = out.view(np.uint8).copy()
            for source, target in zip(starts(count, length, src_gap), starts(count, total, dst_gap * 32), strict=True):
                piece = x.view(np.uint8)[source : source + length]
                fill = element.view(np.uint8) if is_pad else np.full(item, 0xFF, np.uint8)
                fill = piece[:item] if left == right == 0 else fill
                whole = np.tile(fill, total // item)
                whole[left * item : left * item + length] = piece
                after[target : target + total] = whole
            expected.append(after)
        padded[1](x, ext, plain, count, length, src_gap, dst_gap, left, right, value, bits, is_pad, size)
        for out, right_one in zip((ext, plain), expected, strict=True):
            what = str((count, length, src_gap, dst_gap, left, right, value))
            np.testing.assert_array_equal(out.view(np.uint8), right_one, what)


@pytest.mark.parametrize("dtype", DTYPES)
def test_unpadded(dtype: str) -> None:
    random = np.random.default_rng(3)
    size = BYTES // np.dtype(dtype).itemsize
    done = 0
    while done < 40:
        count, src_gap = int(random.integers(0, 9)), int(random.integers(0, 4))
        length, dst_gap = int(random.integers(0, 300)), int(random.integers(0, 70))
        on_chip = -(-length // 32) * 32
        if not (fits(count, on_chip, src_gap * 32) and fits(count, length, dst_gap)):
            continue
        done += 1
        x, ext, plain = (random_bytes(random, dtype) for _ in range(3))
        sources, targets = starts(count, on_chip, src_gap * 32), starts(count, length, dst_gap)
        expected = [moved(x.view(np.uint8), out.view(np.uint8), length, sources, targets) for out in (ext, plain)]
        unpadded[1](x, ext, plain, count, length, src_gap, dst_gap, size)
        np.testing.assert_array_equal(ext.view(np.uint8), expected[0])
        np.testing.assert_array_equal(plain.view(np.uint8), expected[1])


# Elision ------------------------------------------------------------------------------------------------------


@asc.jit
def over_an_alias(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    """A copy in pieces over a range that may stand for global memory, and one out of it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8192)
    asc.data_copy(local, x_gm, 4096)
    asc.data_copy(local[4096:], x_gm[4096:], 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, local[2048:], asc.DataCopyParams(3, 128, 128, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(local, y_gm, asc.DataCopyParams(16, 8, 0, 24))
    params = asc.DataCopyExtParams(8, 36, 4, 1, 0)
    asc.data_copy_pad(local[4096:], y_gm[4096:], params, asc.DataCopyPadExtParams(asc.float32))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[4096:], local, asc.DataCopyParams(1, 1024))


def test_elision() -> None:
    random = np.random.default_rng(4)
    x, y = (random.standard_normal(8192).astype(np.float32) for _ in range(2))
    results = []
    for elide in (False, True):
        z = np.full(12288, np.nan, np.float32)
        with settings.scope(elide=elide):
            over_an_alias[1](x, y, z)
        results.append(z)
    plain, elided = results
    np.testing.assert_array_equal(plain.view(np.uint32), elided.view(np.uint32))
    local = x.copy()
    out = np.concatenate([local[2048 + i * 2048 :][:1024] for i in range(3)])
    np.testing.assert_array_equal(plain[:3072], out)
    assert np.isnan(plain[3072:4096]).all()
    for i in range(16):
        local[i * 256 : i * 256 + 64] = y[i * 64 : i * 64 + 64]
    for i in range(8):
        start = 4096 + i * 24
        local[start : start + 16] = y[4096 + i * 10]
        local[start : start + 9] = y[4096 + i * 10 : 4096 + i * 10 + 9]
    np.testing.assert_array_equal(plain[4096:], local)


@asc.jit
def by_branch(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Parameters that a branch and a loop set."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(local, x_gm, 64)
    if n > 1:
        params = asc.DataCopyParams(n, 1, 0, 1)
    else:
        params = asc.DataCopyParams(1, 1)
    for i in range(2):
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[i * 8 :], local[i * 32 :], params)
        params = asc.DataCopyParams(1, n)


def test_parameters_by_branch() -> None:
    x = np.arange(64, dtype=np.int32)
    for n, runs in ((3, [(0, 0, 8), (16, 8, 8), (32, 16, 8), (8, 32, 24)]), (1, [(0, 0, 8), (8, 32, 8)])):
        z = np.full(64, -1, np.int32)
        by_branch[1](x, z, n)
        expected = np.full(64, -1)
        for target, source, length in runs:
            expected[target : target + length] = x[source : source + length]
        np.testing.assert_array_equal(z, expected)


# Refusals -----------------------------------------------------------------------------------------------------


@asc.jit
def locals_of(x: asc.GlobalAddress, dst: int, count: int, length: int, src_gap: int, dst_gap: int):
    """Within one tensor of 64 blocks."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 512)
    asc.data_copy(local, x_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(local[dst * 8 :], local, asc.DataCopyParams(count, length, src_gap, dst_gap))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, local, 512)


def test_overlap_is_judged_by_pieces() -> None:
    """Pieces that fall into each other's gaps do not overlap, though their hulls do."""
    random = np.random.default_rng(5)
    refused = passed = 0
    for _ in range(150):
        dst, count, length, src_gap, dst_gap = (int(random.integers(low, 6)) for low in (0, 1, 1, 0, 0))
        sources, targets = starts(count, length, src_gap), starts(count, length, dst_gap)
        reads = {place + k for place in sources for k in range(length)}
        writes = {dst + place + k for place in targets for k in range(length)}
        x = random.integers(0, 99, 512).astype(np.int32)
        before = x.copy().reshape(64, 8)
        same = dst == 0 and (src_gap == dst_gap or count == 1)
        if reads & writes and not same:
            refused += 1
            with pytest.raises(RuleError, match="dst overlaps src in part"):
                locals_of[1](x, dst, count, length, src_gap, dst_gap)
            continue
        passed += 1
        locals_of[1](x, dst, count, length, src_gap, dst_gap)
        expected = before.copy()
        for source, target in zip(sources, targets, strict=True):
            expected[dst + target : dst + target + length] = before[source : source + length]
        np.testing.assert_array_equal(x.reshape(64, 8), expected)
    assert refused > 20 and passed > 20


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ((4096, 1, 0, 0), RuleError, "asc.DataCopyParams: block_count must lie between 0 and 4095, got 4096"),
        ((65536, 1, 0, 0), RuleError, "block_count of asc.DataCopyParams does not fit its type (it would become 0)"),
        ((1, 65536, 0, 0), RuleError, "block_len of asc.DataCopyParams does not fit its type (it would become 0)"),
        ((1, 1, -1, 0), RuleError, "src_stride of asc.DataCopyParams does not fit its type (it would become 65535)"),
        ((2, 1, 0, 255), OutOfRange, "dst is used for 8224 bytes, but its tensor has only 8192 from there"),
        ((2, 1, 255, 0), OutOfRange, "src is used for 8224 bytes, but its tensor has only 8192 from there"),
    ],
)
def test_blocks_out_of_range(arguments: tuple[int, ...], kind: type[Exception], words: str) -> None:
    arrays = [np.zeros(2048, np.int32) for _ in range(4)]
    with pytest.raises(kind, match=re.escape(words)):
        blocks[1](*arrays, *arguments, 2048)


@pytest.mark.parametrize(
    ("dtype", "arguments", "words"),
    [
        ("int32", (1, 4, 0, 0, 9, 0, 0, 0), "padding of 36 bytes on the left and 0 on the right"),
        ("int8", (1, 4, 0, 0, 0, 33, 0, 0), "padding of 0 bytes on the left and 33 on the right"),
        ("int8", (1, 4, 0, 0, 256, 0, 0, 0), "left_padding of asc.DataCopyPadExtParams does not fit its type"),
        ("uint64", (1, 8, 0, 0, 1, 0, 5, 0), "elements of 64 bits can be padded with 0 only"),
        ("uint64", (1, 8, 0, 0, 1, 0, 0, 5), "elements of 64 bits can be padded with 0 only"),
        ("int8", (1, 2097152, 0, 0, 0, 0, 0, 0), "block_len must lie between 0 and 2097151, got 2097152"),
    ],
)
def test_padding_out_of_range(dtype: str, arguments: tuple[int, ...], words: str) -> None:
    arrays = [np.zeros(BYTES // np.dtype(dtype).itemsize, dtype) for _ in range(3)]
    with pytest.raises(RuleError, match=re.escape(words)):
        padded[1](*arrays, *arguments, True, arrays[0].size)


@asc.jit
def constants(x: asc.GlobalAddress, count: asc.ConstExpr[int], left: asc.ConstExpr[int]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    padding = asc.DataCopyPadExtParams(x.dtype, True, left, 0, 0)
    asc.data_copy_pad(local, x_gm, asc.DataCopyExtParams(count, 4), padding)


def test_before_the_run() -> None:
    constants.emit("f32[64]", 4095, 8)
    with pytest.raises(RuleBroken, match="block_count must lie between 0 and 4095, got 4096"):
        constants.emit("f32[64]", 4096, 0)
    with pytest.raises(RuleBroken, match="left_padding must take at most 32 bytes, got 36") as caught:
        constants.emit("f32[64]", 1, 9)
    assert "pass 0 to 8" in str(caught.value)
    with pytest.raises(RuleBroken, match="left_padding is a uint8, got -1"):
        constants.emit("f32[64]", 1, -1)
