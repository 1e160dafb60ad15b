"""The named programs: a kernel, its arguments and what NumPy says it computes.

In: a number of threads. Out: a `Run`. Outputs are filled with NaN or -1 before, so that what nobody writes shows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import simt_kernels as mixed
import simt_pure_kernels as pure

THREADS = (1, 31, 32, 33, 1024, 2048)
WARPS = (32, 1024, 2048)


@dataclass(frozen=True)
class Run:
    """One launch. place: what stands in the brackets. expected: arguments by position, as they must be after it."""

    kernel: Any
    place: Any
    arguments: tuple[Any, ...]
    expected: dict[int, np.ndarray]

    def fresh(self) -> tuple[Any, ...]:
        """Arguments that no launch has touched."""
        return tuple(value.copy() if isinstance(value, np.ndarray) else value for value in self.arguments)

    def compare(self, arguments: tuple[Any, ...]) -> None:
        """All of the outputs, and that inputs have not changed."""
        for position, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                wanted = self.expected.get(position, self.arguments[position])
                np.testing.assert_array_equal(argument, wanted, err_msg=f"argument {position}")


@dataclass(frozen=True)
class Program:
    """A program for any number of threads out of `threads`."""

    make: Callable[[int], Run]
    threads: tuple[int, ...] = THREADS


PROGRAMS: dict[str, Program] = {}


def program(name: str, threads: tuple[int, ...] = THREADS) -> Callable[[Callable[[int], Run]], Callable[[int], Run]]:
    """Puts a function into the list under a name."""

    def put(make: Callable[[int], Run]) -> Callable[[int], Run]:
        PROGRAMS[name] = Program(make, threads)
        return make

    return put


def numbers(count: int, dtype: str, low: int = -100, high: int = 100) -> np.ndarray:
    """Whole numbers, so that sums of floats are exact in any order; the same in every run."""
    return np.random.default_rng(count).integers(low, high, count).astype(dtype)


def nothing(count: int, dtype: str) -> np.ndarray:
    return np.full(count, np.nan if dtype.startswith("float") else -1).astype(dtype)


# Mixed kernels ------------------------------------------------------------------------------------------------


def _scale(dtype: str) -> Callable[[int], Run]:
    def make(threads: int) -> Run:
        x, n = numbers(mixed.TILE, dtype), threads * 5 // 3 if threads <= 1024 else 2047
        z = np.full(mixed.TILE, -1, dtype)
        z[:n] = 2 * x[:n] + 1
        return Run(mixed.scale, 1, (x, nothing(mixed.TILE, dtype), n, threads), {1: z})

    return make


for _dtype in ("float32", "float16", "int32"):
    program(f"elementwise in UB, {_dtype}")(_scale(_dtype))


@program("gather")
def _gather(threads: int) -> Run:
    x, places = numbers(5000, "float32"), np.random.default_rng(1).integers(0, 5000, mixed.TILE).astype(np.int32)
    n = 777
    return Run(mixed.gather, 1, (x, places, nothing(n, "float32"), n, threads), {2: x[places[:n]]})


def _scan(dtype: str) -> Callable[[int], Run]:
    def make(threads: int) -> Run:
        x = numbers(mixed.TILE, dtype) / (3 if dtype.startswith("float") else 1)
        x = x.astype(dtype)
        z, step = x.copy(), 1
        while step < threads:
            z[step:threads] = z[step:threads] + z[: threads - step]  # NumPy adds before it writes
            step *= 2
        return Run(mixed.scan, 1, (x, nothing(mixed.TILE, dtype), threads), {1: z})

    return make


for _dtype in ("float32", "float16", "int32"):
    program(f"block scan in UB, {_dtype}")(_scan(_dtype))


@program("histogram of two cores")
def _histogram(threads: int) -> Run:
    x, n = numbers(2 * 1501, "int32", 0, mixed.BINS), 1501
    counts = np.bincount(x, minlength=mixed.BINS).astype(np.int32)
    return Run(mixed.histogram, 2, (x, np.zeros(mixed.BINS, np.int32), n, threads), {1: counts})


def _transpose(dtype: str) -> Callable[[int], Run]:
    def make(threads: int) -> Run:
        rows, columns = 29, 67
        x = numbers(mixed.TILE, dtype)
        z = np.full(mixed.TILE, -1, dtype)
        z[: rows * columns] = x[: rows * columns].reshape(rows, columns).T.ravel()
        return Run(mixed.transpose, 1, (x, nothing(mixed.TILE, dtype), rows, columns, threads), {1: z})

    return make


for _dtype in ("float32", "float16", "int32"):
    program(f"transpose in UB, {_dtype}")(_transpose(_dtype))


@program("reduction by a tree in UB")
def _reduce(threads: int) -> Run:
    tiles = 5
    x = numbers(tiles * mixed.TILE, "float32") / np.float32(7)
    parts, n = x.reshape(tiles, mixed.TILE).copy(), threads
    while n > 1:
        half = (n + 1) // 2
        parts[:, : n - half] += parts[:, half:n]
        n = half
    return Run(mixed.reduce, 1, (x, nothing(tiles * 16, "float32"), tiles, threads), {1: parts[:, :16].ravel()})


@program("threads, vector, threads")
def _square(threads: int) -> Run:
    x, n = numbers(mixed.TILE, "float32", -9, 9), 1999
    z = x + 1
    z[:n] = (x[:n] ** 2 + 1) ** 2
    return Run(mixed.square_twice, 1, (x, nothing(mixed.TILE, "float32"), n, threads), {1: z})


def places_of(grid: tuple[int, int, int], block: tuple[int, int, int]) -> np.ndarray:
    """What `place_threads` writes, the last dimension slowest."""
    rows = [
        (tx, ty, tz, bx, by, bz, *block, *grid[:2], grid[2] + 3200)
        for bz in range(grid[2])
        for by in range(grid[1])
        for bx in range(grid[0])
        for tz in range(block[2])
        for ty in range(block[1])
        for tx in range(block[0])
    ]
    return np.array(rows, np.int32).ravel()


@program("3-D threads of two cores", (60,))
def _places(threads: int) -> Run:
    z = places_of((2, 1, 1), (4, 3, 5))
    return Run(mixed.places, 2, (nothing(z.size, "int32"), 4, 3, 5), {0: z})


# Pure kernels -------------------------------------------------------------------------------------------------


@program("3-D indices", (60,))
def _grid(threads: int) -> Run:
    grid, block = (2, 3, 2), (4, 3, 5)
    z = places_of(grid, block)
    return Run(mixed.place_threads, (grid, block), (nothing(z.size, "int32"),), {0: z})


def _add(dtype: str) -> Callable[[int], Run]:
    def make(threads: int) -> Run:
        n = 3 * threads - 1
        x, y = numbers(n, dtype), numbers(n + 1, dtype)[:n]
        return Run(pure.add, (3, threads), (x, y, nothing(n, dtype), n), {2: x + y})

    return make


for _dtype in ("float32", "float16", "int32", "int64", "int8", "uint16"):
    program(f"elementwise, {_dtype}")(_add(_dtype))


@program("in place, steps of the grid")
def _axpy(threads: int) -> Run:
    n = 5003
    x, y = numbers(n, "float32"), numbers(n + 1, "float32")[:n]
    return Run(pure.axpy, (2, threads), (x, y, n, 1.5), {1: y + np.float32(1.5) * x})


@program("scan by warps")
def _warp_scan(threads: int) -> Run:
    n = 2 * threads - threads // 3
    x = numbers(n, "int32")
    z = np.concatenate([np.cumsum(x[:threads]), np.cumsum(x[threads:])]).astype(np.int32)
    return Run(pure.warp_scan, (2, threads), (x, nothing(n, "int32"), n), {1: z})


@program("stencil with halo")
def _stencil(threads: int) -> Run:
    n = 3 * threads - threads // 2
    x = numbers(n, "float32")
    padded = np.concatenate([[0], x, [0]]).astype(np.float32)
    z = padded[:-2] + padded[1:-1] + padded[2:]
    return Run(pure.stencil, (3, threads), (x, nothing(n, "float32"), n), {1: z})


@program("transpose by tiles")
def _tiles(threads: int) -> Run:
    rows, columns = 21, 37
    x = numbers(rows * columns, "float32")
    z = x.reshape(rows, columns).T.ravel()
    return Run(pure.transpose_tiles, ((3, 2), threads), (x, nothing(z.size, "float32"), rows, columns), {1: z})


def sorted_warps(x: np.ndarray, threads: int) -> np.ndarray:
    """Each 32 elements of each block in order."""
    blocks = x.reshape(-1, threads).copy()
    for begin in range(0, threads, 32):
        blocks[:, begin : begin + 32].sort(axis=1)
    return blocks.ravel()


@program("warp sort")
def _warp_sort(threads: int) -> Run:
    x = numbers(2 * threads, "float32", -1000, 1000)
    return Run(pure.warp_sort, (2, threads), (x, nothing(x.size, "float32")), {1: sorted_warps(x, threads)})


@program("warp sort by a network", WARPS)
def _bitonic(threads: int) -> Run:
    x = numbers(2 * threads, "float32", -1000, 1000)
    return Run(pure.bitonic_sort, (2, threads), (x, nothing(x.size, "float32")), {1: sorted_warps(x, threads)})


@program("reductions")
def _reduce_all(threads: int) -> Run:
    n = 2 * threads + threads // 2 + 1  # more than one element for some threads, no block without
    x = numbers(n, "int32")
    owner = np.arange(n) // threads % 2
    parts = [x[owner == block] for block in range(2)]
    z = np.array([[part.sum(), part.max(), part.min()] for part in parts], np.int32).ravel()
    return Run(pure.reduce_all, (2, threads), (x, nothing(6, "int32"), n), {1: z})


@program("atomics of two blocks")
def _atomics(threads: int) -> Run:
    n = 2 * threads - threads // 4
    values = numbers(n, "int32", -5000, 5000)
    x = np.zeros(9 + n, np.int32)
    x[4] = -1
    after = x.copy()
    after[:8] = (
        values.sum(),
        -values.sum(),
        max(0, values.max()),
        min(0, values.min()),
        np.bitwise_and.reduce(values),
        np.bitwise_or.reduce(values),
        np.bitwise_xor.reduce(values),
        n,
    )
    after[8 : 8 + n] = 1
    after[8 + n] = 77
    u = np.zeros(2, np.uint32)
    turns = np.array([n % 7, -n % 7], np.uint32)
    return Run(pure.atomics, (2, threads), (x, u, values, n), {0: after, 1: turns})


@program("votes of lanes that are left")
def _votes(threads: int) -> Run:
    x, limit = numbers(threads, "int32"), -20
    z = nothing(threads * 4, "int64").reshape(threads, 4)
    for first in range(0, threads, 32):
        lanes = [t for t in range(first, min(first + 32, threads)) if t % 5 != 4]
        says = [bool(x[t] > limit) for t in lanes]
        ballot = sum(1 << (t - first) for t, yes in zip(lanes, says, strict=True) if yes)
        z[lanes] = (ballot, sum(1 << (t - first) for t in lanes), any(says), all(says))
    return Run(pure.count_votes, (1, threads), (x, nothing(threads * 4, "int64"), limit), {1: z.ravel()})


@program("product of matrices", (256,))
def _product(threads: int) -> Run:
    m, k, n = 19, 23, 35
    x, y = numbers(m * k, "float32"), numbers(k * n, "float32")
    z = (x.reshape(m, k).astype(int) @ y.reshape(k, n).astype(int)).astype(np.float32).ravel()
    place = ((3, 2), (pure.SIDE, pure.SIDE))
    return Run(pure.product_tiles, place, (x, y, nothing(m * n, "float32"), m, k, n), {2: z})


@program("ring of threads")
def _ring(threads: int) -> Run:
    turns = 7
    t = np.arange(threads)
    z = np.concatenate([block * 10000 + (t + turns) % threads + sum(range(turns)) for block in range(2)])
    return Run(pure.ring, (2, threads), (nothing(2 * threads, "int32"), turns), {0: z.astype(np.int32)})


@program("arrays of a thread")
def _digits(threads: int) -> Run:
    n = 2 * threads - 1
    x = np.random.default_rng(n).integers(-999999, 999999, n).astype(np.int32)
    z = [sum(map(int, str(abs(v)))) * 10 + max(map(int, str(abs(v)))) for v in x.tolist()]
    return Run(pure.digit_sums, (2, threads), (x, nothing(n, "int32"), n), {1: np.array(z, np.int32)})
