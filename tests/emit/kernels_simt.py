"""Kernels of the golden texts: functions that threads run, started by kernels and launched by themselves."""

from golden_case import case

from opwright import asc
from opwright.asc import simt

A5 = "ascend950"


@simt
def twice(number: float):
    return number * 2.0


@simt
def ends(values: asc.GlobalAddress, n: int):
    """Two results, and an address that moves."""
    last = values[n - 1 :]
    return values[0], last[0]


@simt
def scale(x: asc.GlobalAddress, y: asc.LocalTensor, n: int):
    i = simt.threadIdx.x
    while i < n:
        y[i] = twice(x[i])
        i += simt.blockDim.x


@case("{}[1024]", "{}[1024]", 1024, dtypes=("f32", "f16"), soc=A5)
@asc.jit
def starts_threads(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """An address and a tensor in UB."""
    y = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 0, 1024)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, n)
    asc.vf_call(scale, 1024, x, y, n)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, y, 1024)


@simt(max_threads=256)
def every_kind(x, y, n: int, wide: asc.uint64, small: asc.int8, factor: float, flag: bool, part: asc.ConstExpr[int]):
    if flag and n > 0:
        y[simt.threadIdx.y] = int(x[part] * factor) + small + int(wide)


@asc.jit
def helper(x_gm, y, n: int, rows: int):
    asc.vf_call(every_kind, (8, n, rows), x_gm, y[64:], n, n, 3, 0.5, n > 1, part=2)


@case("bf16[1024]", 16, soc=A5)
@asc.jit
def starts_threads_in_a_helper(x: asc.GlobalAddress, n: int):
    """A global tensor, numbers of all kinds, threads along three axes that the run says."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 1024)
    y = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 256)
    helper(x_gm, y, n, 2)
    asc.vf_call(every_kind, (4, 4), x_gm[8:], y, n, n, 3, 1, True, 2)


@simt
def thirds(x: asc.GlobalAddress, n: int):
    x[simt.threadIdx.x] = x[simt.threadIdx.x] // n


@case("i32[1024]", 16, soc=A5)
@asc.jit
def divides_on_both_sides(x: asc.GlobalAddress, n: int):
    """What Python's division needs is for cores and for threads."""
    asc.vf_call(thirds, 32, x, n // 3 - 7)


@case("{}[4096]", "{}[4096]", 4096, dtypes=("f32", "bf16", "i16"), soc=A5)
@simt
def elementwise(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """A kernel of threads: one element for each."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        y[i] = x[i] + x[i]
        y[i] += 1


@case("f32[4096]", "f32[64]", 4096, soc=A5)
@simt(max_threads=2048)
def block_sum(x: asc.GlobalAddress, sums: asc.GlobalAddress, n: int):
    """Shared memory, barriers, a stride that halves."""
    tile = simt.shared(asc.float32, 256)
    flags = simt.shared(asc.int8, 3)
    tid = simt.threadIdx.x
    i = simt.blockIdx.x * simt.blockDim.x + tid
    tile[tid] = x[i] if i < n else 0.0
    flags[0] = 1
    simt.syncthreads()
    stride = simt.blockDim.x // 2
    while stride > 0:
        if tid < stride:
            tile[tid] += tile[tid + stride]
        simt.syncthreads()
        stride = stride // 2
    if tid == 0:
        sums[simt.blockIdx.x] = tile[0]


@case("i64[4096]", 4096, soc=A5)
@simt
def all_indices(x: asc.GlobalAddress, n: int):
    """Every variable, fences, an array of the thread, what is printed, and what stops."""
    x[0] = simt.threadIdx.x + simt.threadIdx.y * simt.blockDim.x - simt.threadIdx.z
    x[1] = -simt.blockIdx.x + simt.blockDim.y % 3 + (simt.gridDim.x if n > 3 else -1)
    x[2] = min(simt.gridDim.y, simt.gridDim.z) + max(simt.blockIdx.y, 3) * simt.blockIdx.z
    if simt.threadIdx.x > 0 and simt.warpSize == 32 and simt.blockDim.z != simt.warpSize:
        simt.threadfence()
    parts = asc.array(asc.int32, 4)
    parts[simt.threadIdx.x % 4] = n
    simt.threadfence_block()
    first, last = ends(x, n)
    asc.printf("%d %d\n", first, last)
    assert n // parts[0] > 2, "too few"
    x[n // parts[1]] = simt.threadIdx.x < n
