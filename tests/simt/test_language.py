"""What functions of threads may say, run on the twin and compared with NumPy."""

import numpy as np
import pytest

from opwright import asc
from opwright.asc import simt

NARROW = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32")
FACTOR = 3


def nan(n: int, dtype: str = "float32") -> np.ndarray:
    return np.full(n, np.nan if np.dtype(dtype).kind == "f" else 99).astype(dtype)


@simt
def square(number: float):
    return number * number


@simt
def ends(values, n: int):
    """Several results; an address that moves."""
    last = values[n - 1 :]
    return values[0], last[0]


@simt
def sum_of(values: asc.GlobalAddress, n: int):
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@simt
def helpers(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    i = simt.threadIdx.x
    first, last = ends(x, n)
    y[i] = square(x[i]) + first * last + sum_of(x[i:], min(3, n - i)) * FACTOR


def test_helpers_call_helpers() -> None:
    x, y = np.arange(1, 65, dtype=np.float32), nan(64)
    helpers[1, 64](x, y, 64)
    sums = np.array([x[i : i + 3].sum() for i in range(64)])
    np.testing.assert_array_equal(y, x * x + x[0] * x[-1] + 3 * sums)


@simt
def indices(out: asc.GlobalAddress):
    """Every index of every thread of every block of three axes."""
    threads = simt.blockDim.x * simt.blockDim.y * simt.blockDim.z
    block = simt.blockIdx.x + simt.gridDim.x * (simt.blockIdx.y + simt.gridDim.y * simt.blockIdx.z)
    thread = simt.threadIdx.x + simt.blockDim.x * (simt.threadIdx.y + simt.blockDim.y * simt.threadIdx.z)
    at = (block * threads + thread) * 6
    out[at] = simt.blockIdx.x
    out[at + 1] = simt.blockIdx.y
    out[at + 2] = simt.blockIdx.z
    out[at + 3] = simt.threadIdx.x
    out[at + 4] = simt.threadIdx.y
    out[at + 5] = simt.threadIdx.z


@pytest.mark.parametrize(
    ("grid", "block"), [(1, 1), (3, 33), ((2, 3), (4, 5)), ((2, 3, 4), (5, 2, 3)), ((1, 1, 2), 64)]
)
def test_indices(grid, block) -> None:
    axes = [(*given, 1, 1)[:3] if isinstance(given, tuple) else (given, 1, 1) for given in (grid, block)]
    (gx, gy, gz), (bx, by, bz) = axes
    out = np.full(gx * gy * gz * bx * by * bz * 6, -1, np.int32)
    indices[grid, block](out)
    wanted = [
        (i, j, k, x, y, z)
        for k in range(gz)
        for j in range(gy)
        for i in range(gx)
        for z in range(bz)
        for y in range(by)
        for x in range(bx)
    ]
    np.testing.assert_array_equal(out.reshape(-1, 6), wanted)


@simt
def signed(out: asc.GlobalAddress, n: int):
    """Indices are Python's integers: they go below zero, and beyond 32 bits."""
    i = simt.threadIdx.x
    out[8 * i] = simt.threadIdx.x - 5
    out[8 * i + 1] = -simt.threadIdx.x
    out[8 * i + 2] = simt.threadIdx.x * 4294967296 + simt.blockDim.x
    out[8 * i + 3] = (simt.threadIdx.x - 3) // 2
    out[8 * i + 4] = (simt.threadIdx.x - 3) % 4
    out[8 * i + 5] = min(simt.threadIdx.x, -1) + max(simt.threadIdx.x, 2) + abs(simt.threadIdx.x - 4)
    out[8 * i + 6] = simt.threadIdx.x > -1 and simt.threadIdx.x - 2 < 0
    out[8 * i + 7] = (simt.threadIdx.x if n < 0 else -simt.warpSize) + ~simt.threadIdx.x + (simt.threadIdx.x << 33)


def test_indices_are_integers_of_python() -> None:
    out = np.full(8 * 8, 99, np.int64)
    signed[1, 8](out, 3)
    wanted = [
        (
            t - 5,
            -t,
            t * 4294967296 + 8,
            (t - 3) // 2,
            (t - 3) % 4,
            min(t, -1) + max(t, 2) + abs(t - 4),
            t > -1 and t - 2 < 0,
            -32 + ~t + (t << 33),
        )
        for t in range(8)
    ]
    np.testing.assert_array_equal(out.reshape(-1, 8), np.array(wanted, np.int64))


@simt
def copy_and_add(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        y[i] = x[i]
        y[i + n] = x[i] + 1
        y[i + n] += x[i]
        y[i + n] -= 1


@pytest.mark.parametrize("dtype", NARROW)
def test_elements_of_every_type(dtype: str) -> None:
    n = 100
    x = (np.arange(n) * 7 - (300 if np.dtype(dtype).kind != "u" else 0)).astype(dtype)
    y = nan(2 * n, dtype)
    copy_and_add[4, 32](x, y, n)
    wide = x.astype(np.float32 if np.dtype(dtype).kind == "f" else np.int64)
    twice = ((wide + 1).astype(dtype).astype(wide.dtype) + wide).astype(dtype).astype(wide.dtype) - 1
    np.testing.assert_array_equal(y, np.concatenate([x, twice.astype(dtype)]))


def test_copies_keep_every_bit() -> None:
    """A half that is not a number has a payload, which no conversion may touch."""
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    y = nan(65536, "float16")

    copies[64, 1024](x, y)
    np.testing.assert_array_equal(y.view(np.uint16), x.view(np.uint16))


@simt
def copies(x: asc.GlobalAddress, y: asc.GlobalAddress):
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    y[i] = x[i]


@simt
def control(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """Branches, loops, early ends, an array of the thread, constants of Python, a moving address."""
    i = simt.threadIdx.x
    if i >= n:
        return
    seen = asc.array(asc.int32, 4)
    at = x[i:]
    total = asc.number(0, asc.int32)
    for step in range(i % 5):
        if step == 3:
            break
        seen[step % 4] += 2
        total = asc.number(total + at[0], asc.int32)
        at = at[1:]
    while total > 100:
        total -= 50
    for k in asc.static_range(4):
        total += seen[k] * (k + 1)
    y[i] = total


def test_control_flow() -> None:
    x, y = np.arange(70, dtype=np.int32), np.full(64, -1, np.int32)
    control[1, 64](x, y, 60)
    wanted = np.full(64, -1)
    for i in range(60):
        steps = min(i % 5, 3)
        total = sum(int(x[i + step]) for step in range(steps))
        while total > 100:
            total -= 50
        wanted[i] = total + sum(2 * (k + 1) for k in range(steps))
    np.testing.assert_array_equal(y, wanted)


@simt
def tail(x: asc.GlobalAddress, y: asc.LocalTensor, n: int, factor: float):
    i = simt.threadIdx.x
    while i < n:
        y[i] = square(x[i]) * factor
        i += simt.blockDim.x


@simt
def reverse(y: asc.LocalTensor, z: asc.LocalTensor, n: int):
    i = simt.threadIdx.x + simt.threadIdx.y * simt.blockDim.x
    if i < n:
        z[n - 1 - i] = y[i] + simt.blockIdx.x


@asc.jit(soc="ascend950")
def mixed(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Two functions one after the other; tensors in UB, a global tensor, an address."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 2 * n)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 2 * n)
    y_local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
    z_local = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4096, 1024)
    core = asc.get_block_idx()
    asc.vf_call(tail, 256, x_gm[core * n :], y_local, n, 0.5)
    asc.vf_call(reverse, (32, 16), y_local, z_local, n)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm[core * n :], z_local, n)


def test_kernel_starts_threads() -> None:
    n = 504
    x, z = np.linspace(-4, 4, 2 * n, dtype=np.float32), nan(2 * n)
    mixed[2](x, z, n)
    wanted = (x * x * np.float32(0.5)).reshape(2, n)[:, ::-1] + np.arange(2, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(z, wanted.ravel())


@simt
def shares(x: asc.GlobalAddress, y: asc.GlobalAddress):
    """What one thread writes another reads behind the barrier."""
    tile = simt.shared(asc.float32, 256)
    count = simt.shared(asc.int32, 1)
    tid = simt.threadIdx.x
    if tid == 0:
        count[0] = simt.blockIdx.x
    tile[tid] = x[simt.blockIdx.x * simt.blockDim.x + tid]
    simt.syncthreads()
    y[simt.blockIdx.x * simt.blockDim.x + tid] = tile[simt.blockDim.x - 1 - tid] + count[0]


def test_shared_memory() -> None:
    x, y = np.arange(3 * 256, dtype=np.float32), nan(3 * 256)
    shares[3, 256](x, y)
    np.testing.assert_array_equal(y.reshape(3, 256), x.reshape(3, 256)[:, ::-1] + np.arange(3)[:, None])


@simt
def block_sum(x: asc.GlobalAddress, sums: asc.GlobalAddress, n: int):
    tile = simt.shared(asc.float32, 256)
    tid = simt.threadIdx.x
    i = simt.blockIdx.x * simt.blockDim.x + tid
    tile[tid] = x[i] if i < n else 0.0
    simt.syncthreads()
    stride = simt.blockDim.x // 2
    while stride > 0:
        if tid < stride:
            tile[tid] += tile[tid + stride]
        simt.syncthreads()
        stride = stride // 2
    if tid == 0:
        sums[simt.blockIdx.x] = tile[0]


def test_sum_of_a_block() -> None:
    x, sums = np.arange(1000, dtype=np.float32), nan(4)
    block_sum[4, 256](x, sums, 1000)
    np.testing.assert_array_equal(sums, np.pad(x, (0, 24)).reshape(4, 256).sum(1))


@simt
def prints(n: int):
    if simt.threadIdx.x == n:
        asc.printf(f"thread {simt.threadIdx.x} of {simt.blockDim.x}\n")


def test_printf(capsys: pytest.CaptureFixture[str]) -> None:
    prints[1, 8](5)
    assert capsys.readouterr().out == "thread 5 of 8\n"
