"""Copies a tensor of any strides into a plain one, twice: by threads alone, and by threads that feed a copy.

Run it: python examples/11_simt_strided_copy.py
See its Ascend C: opwright emit examples/11_simt_strided_copy.py:strided_copy --arg x=f32[1000] --arg y=f32[1000] \
--arg length=10 --arg s0=1 --arg s1=10 --arg s2=100

The first kernel is made of threads only. The second one is a kernel as all others are, and starts threads where its own
copies would be too coarse: they gather single elements into the unified buffer, and one copy takes them out. Only
Ascend 950 has threads. Both run on the CPU twin, also under the checked one. Not run on an NPU.
"""

import numpy as np

from opwright import asc
from opwright.asc import simt

TILE = 4096  # elements of one copy
THREADS = 1024


# [pure]
@simt
def strided_copy(x: asc.GlobalAddress, y: asc.GlobalAddress, length: int, s0: int, s1: int, s2: int):
    """y[i, j, k] = x[i * s0 + j * s1 + k * s2]: the grid has a block for each row, whose threads go along it."""
    i = simt.blockIdx.y
    j = simt.blockIdx.x
    begin = (i * simt.gridDim.x + j) * length
    for k in range(simt.threadIdx.x, length, simt.blockDim.x):
        y[begin + k] = x[i * s0 + j * s1 + k * s2]


# [end]


# [mixed]
@simt(max_threads=THREADS)
def gather(
    x: asc.GlobalAddress, tile: asc.LocalTensor, begin: int, count: int, n1: int, n2: int, s0: int, s1: int, s2: int
):
    """Brings `count` elements, from the one of number `begin` on, into the unified buffer."""
    for n in range(simt.threadIdx.x, count, simt.blockDim.x):
        k = (begin + n) % n2
        j = (begin + n) // n2 % n1
        i = (begin + n) // n2 // n1
        tile[n] = x[i * s0 + j * s1 + k * s2]


@asc.jit(soc="ascend950")
def strided_copy_by_tiles(
    x: asc.GlobalAddress, y: asc.GlobalAddress, total: int, n1: int, n2: int, s0: int, s1: int, s2: int
):
    """The same: threads gather a tile, and a copy takes it out. Flags order the two, as they do for a vector call."""
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, total)
    tile = asc.LocalTensor(y.dtype, asc.TPosition.VECOUT, 0, TILE)
    for begin in range(asc.get_block_idx() * TILE, total, asc.get_block_num() * TILE):
        count = min(TILE, total - begin)
        asc.vf_call(gather, THREADS, x, tile, begin, count, n1, n2, s0, s1, s2)
        asc.set_flag(asc.HardEvent.V_MTE3)
        asc.wait_flag(asc.HardEvent.V_MTE3)
        asc.data_copy_pad(y_gm[begin:], tile, asc.DataCopyExtParams(1, count * y.dtype.sizeof(), 0, 0, 0))
        asc.set_flag(asc.HardEvent.MTE3_V)
        asc.wait_flag(asc.HardEvent.MTE3_V)


# [end]


def main() -> None:
    base = np.random.default_rng(1).standard_normal((30, 40, 50)).astype(np.float32)
    views = {
        "transposed (2, 1, 0)": base.transpose(2, 1, 0),
        "every second column": base[:, :, ::2],
        "one row again and again": np.broadcast_to(base[:1, :1, :], base.shape),
    }
    for name, view in views.items():
        strides = [step // base.itemsize for step in view.strides]
        n0, n1, n2 = view.shape
        y = np.full(view.shape, np.nan, np.float32)
        strided_copy[(n1, n0), 32](base, y, n2, *strides)
        by_threads = np.array_equal(y, view)
        y.fill(np.nan)
        strided_copy_by_tiles.check[8](base, y, y.size, n1, n2, *strides)
        by_tiles = np.array_equal(y, view)
        print(f"{name}: {'equal to NumPy' if by_threads and by_tiles else 'WRONG'}")


if __name__ == "__main__":
    main()
