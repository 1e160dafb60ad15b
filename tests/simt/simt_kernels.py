"""Mixed kernels: copies and flags by the core, tiles by threads on the vector pipe.

In: arrays of any length, a number of threads that the launch chooses. Out: what `simt_programs` compares with NumPy.
"""

from opwright import asc
from opwright.asc import HardEvent, TPosition, simt

TILE = 2048  # elements of a tile
BINS = 37


@simt
def doubled(value):
    return value * 2 + 1


@simt(max_threads=2048)
def scale_threads(x: asc.LocalTensor, z: asc.LocalTensor, n: int):
    i = simt.threadIdx.x
    while i < n:
        z[i] = doubled(x[i])
        i += simt.blockDim.x


@asc.jit(soc="ascend950")
def scale(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, threads: int):
    """z = 2 x + 1, for n elements of a tile; the others stay -1."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, TILE * 4, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.duplicate(b, -1, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(scale_threads, threads, a, b, n)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, b, TILE)


@simt(max_threads=2048)
def gather_threads(x: asc.GlobalAddress, places: asc.LocalTensor, z: asc.GlobalAddress, n: int):
    """The one memory is read and written by threads alone; the other was copied."""
    i = simt.threadIdx.x
    while i < n:
        z[i] = x[places[i]]
        i += simt.blockDim.x


@asc.jit(soc="ascend950")
def gather(x: asc.GlobalAddress, places: asc.GlobalAddress, z: asc.GlobalAddress, n: int, threads: int):
    """z[i] = x[places[i]]: threads reach global memory by an address and by a global tensor."""
    places_gm = asc.GlobalTensor()
    places_gm.set_global_buffer(places, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, n)
    a = asc.LocalTensor(asc.int32, TPosition.VECIN, 0, TILE)
    asc.data_copy(a, places_gm, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(gather_threads, threads, x, a, z_gm, n)


@simt(max_threads=2048)
def scan_threads(sums: asc.LocalTensor):
    i = simt.threadIdx.x
    step = 1
    while step < simt.blockDim.x:
        value = sums[i]
        if i >= step:
            value += sums[i - step]
        simt.syncthreads()
        sums[i] = value
        simt.syncthreads()
        step *= 2


@asc.jit(soc="ascend950")
def scan(x: asc.GlobalAddress, z: asc.GlobalAddress, threads: int):
    """Sums of all elements up to each one, one a thread, in place."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(scan_threads, threads, a)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, a, TILE)


@simt(max_threads=2048)
def histogram_threads(x: asc.GlobalAddress, bins: asc.LocalTensor, counts: asc.GlobalAddress, n: int):
    i = simt.threadIdx.x
    bin = i
    while bin < BINS:
        bins[bin] = 0
        bin += simt.blockDim.x
    simt.syncthreads()
    while i < n:
        simt.atomic_add(bins[x[i] :], 1)
        i += simt.blockDim.x
    simt.syncthreads()
    bin = simt.threadIdx.x
    while bin < BINS:
        simt.atomic_add(counts[bin:], bins[bin])
        bin += simt.blockDim.x


@asc.jit(soc="ascend950")
def histogram(x: asc.GlobalAddress, counts: asc.GlobalAddress, n: int, threads: int):
    """How often each number below BINS is there; each core counts n of them in its UB."""
    bins = asc.LocalTensor(asc.int32, TPosition.VECCALC, 256, 40)
    asc.vf_call(histogram_threads, threads, x + asc.get_block_idx() * n, bins, counts, n)


@simt(max_threads=2048)
def transpose_threads(x: asc.LocalTensor, z: asc.LocalTensor, rows: int, columns: int):
    i = simt.threadIdx.x
    while i < rows * columns:
        z[i % columns * rows + i // columns] = x[i]
        i += simt.blockDim.x


@asc.jit(soc="ascend950")
def transpose(x: asc.GlobalAddress, z: asc.GlobalAddress, rows: int, columns: int, threads: int):
    """A matrix of at most one tile."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, TILE * 4, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.duplicate(b, -1, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(transpose_threads, threads, a, b, rows, columns)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, b, TILE)


@simt(max_threads=2048)
def reduce_threads(x: asc.LocalTensor, n: int):
    """A tree in place: the upper half is added to the lower one until one element is left."""
    i = simt.threadIdx.x
    while n > 1:
        half = (n + 1) // 2
        if i + half < n:
            x[i] = x[i] + x[i + half]
        simt.syncthreads()
        n = half


@asc.jit(soc="ascend950")
def reduce(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int, threads: int):
    """The sum of `threads` elements for each tile; two buffers, so that copies and threads overlap."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, tiles * TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, tiles * 16)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 2 * TILE)
    asc.set_flag(HardEvent.MTE3_MTE2, 0)
    asc.set_flag(HardEvent.MTE3_MTE2, 1)
    for tile in range(tiles):
        buffer = tile % 2
        part = a[buffer * TILE :]
        asc.wait_flag(HardEvent.MTE3_MTE2, buffer)
        asc.data_copy(part, x_gm[tile * TILE :], TILE)
        asc.set_flag(HardEvent.MTE2_V, buffer)
        asc.wait_flag(HardEvent.MTE2_V, buffer)
        asc.vf_call(reduce_threads, threads, part, threads)
        asc.set_flag(HardEvent.V_MTE3, buffer)
        asc.wait_flag(HardEvent.V_MTE3, buffer)
        asc.data_copy(z_gm[tile * 16 :], part, 16)
        asc.set_flag(HardEvent.MTE3_MTE2, buffer)
    asc.wait_flag(HardEvent.MTE3_MTE2, 0)
    asc.wait_flag(HardEvent.MTE3_MTE2, 1)


@simt
def place_threads(z: asc.GlobalAddress):
    thread = simt.threadIdx.x + simt.blockDim.x * (simt.threadIdx.y + simt.blockDim.y * simt.threadIdx.z)
    threads = simt.blockDim.x * simt.blockDim.y * simt.blockDim.z
    block = simt.blockIdx.x + simt.gridDim.x * (simt.blockIdx.y + simt.gridDim.y * simt.blockIdx.z)
    first = (block * threads + thread) * 12
    z[first] = simt.threadIdx.x
    z[first + 1] = simt.threadIdx.y
    z[first + 2] = simt.threadIdx.z
    z[first + 3] = simt.blockIdx.x
    z[first + 4] = simt.blockIdx.y
    z[first + 5] = simt.blockIdx.z
    z[first + 6] = simt.blockDim.x
    z[first + 7] = simt.blockDim.y
    z[first + 8] = simt.blockDim.z
    z[first + 9] = simt.gridDim.x
    z[first + 10] = simt.gridDim.y
    z[first + 11] = simt.gridDim.z + 100 * simt.warpSize


@asc.jit(soc="ascend950")
def places(z: asc.GlobalAddress, x: asc.ConstExpr[int], y: asc.ConstExpr[int], w: asc.ConstExpr[int]):
    """Where every thread stands: threads in three dimensions, cores in one."""
    asc.vf_call(place_threads, (x, y, w), z)


@simt(max_threads=2048)
def square_threads(x: asc.LocalTensor, n: int):
    i = simt.threadIdx.x
    while i < n:
        x[i] = x[i] * x[i]
        i += simt.blockDim.x


@asc.jit(soc="ascend950")
def square_twice(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, threads: int):
    """Threads, a vector instruction and threads again work on one tile: one pipe, one after the other."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, TILE)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(square_threads, threads, a, n)
    asc.adds(a, a, 1, TILE)
    asc.vf_call(square_threads, threads, a, n)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, a, TILE)
