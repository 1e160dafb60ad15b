"""A histogram by threads: every block counts in memory of its own, then adds what it found to the result.

Run it: python examples/10_simt_histogram.py
See its Ascend C: opwright emit examples/10_simt_histogram.py:histogram --arg x=u8[100000] --arg counts=i32[256] \
--arg n=100000

This is how a CUDA programmer would write it: threadIdx, memory that a block shares, atomics, a barrier. Only Ascend 950
has threads. It runs on the CPU twin, also under the checked one, which finds the two mistakes below with both lines.
Not run on an NPU.
"""

import numpy as np

from opwright import asc
from opwright.asc import simt
from opwright.errors import OpwrightError

BINS = 256


# [kernel]
@simt
def histogram(x: asc.GlobalAddress, counts: asc.GlobalAddress, n: int):
    """Counts how often each byte comes up in x."""
    own = simt.shared(asc.int32, BINS)
    for bin in range(simt.threadIdx.x, BINS, simt.blockDim.x):
        own[bin] = 0
    simt.syncthreads()

    first = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    for i in range(first, n, simt.gridDim.x * simt.blockDim.x):
        simt.atomic_add(own[x[i] :], 1)
    simt.syncthreads()

    for bin in range(simt.threadIdx.x, BINS, simt.blockDim.x):
        simt.atomic_add(counts[bin:], own[bin])


# [end]


@simt
def forgets_to_clear_first(x: asc.GlobalAddress, counts: asc.GlobalAddress, n: int):
    """Without the first barrier a thread may count before another has cleared."""
    own = simt.shared(asc.int32, BINS)
    for bin in range(simt.threadIdx.x, BINS, simt.blockDim.x):
        own[bin] = 0
    for i in range(simt.threadIdx.x, n, simt.blockDim.x):
        simt.atomic_add(own[x[i] :], 1)
    simt.syncthreads()
    for bin in range(simt.threadIdx.x, BINS, simt.blockDim.x):
        simt.atomic_add(counts[bin:], own[bin])


@simt
def adds_without_atomics(x: asc.GlobalAddress, counts: asc.GlobalAddress, n: int):
    """Two threads may read the same count, and one of them is lost."""
    for i in range(simt.threadIdx.x, n, simt.blockDim.x):
        counts[x[i]] += 1


def main() -> None:
    x = np.random.default_rng(1).integers(0, BINS, 100_000, dtype=np.uint8)
    expected = np.bincount(x, minlength=BINS)
    for grid, block in ((1, 32), (4, 256), (7, 1000), (32, 1024)):
        counts = np.zeros(BINS, np.int32)
        histogram[grid, block](x, counts, x.size)
        right = "equal to NumPy" if np.array_equal(counts, expected) else "WRONG"
        print(f"{grid} blocks of {block} threads: {right}")
    counts = np.zeros(BINS, np.int32)
    histogram.check[4, 256](x, counts, x.size)
    print("the checked twin has nothing to say")
    for kernel in (forgets_to_clear_first, adds_without_atomics):
        try:
            kernel.check[1, 256](x, np.zeros(BINS, np.int32), 1000)
            print(f"WRONG: {kernel.__name__} went through")
        except OpwrightError as error:
            print(f"\n{error}")


if __name__ == "__main__":
    main()
