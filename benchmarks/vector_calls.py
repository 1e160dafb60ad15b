"""What a call costs on the twin: nanoseconds per element of each family, against NumPy and torch on one thread.

Run it: python benchmarks/vector_calls.py [--quick] [--json FILE]
The twin repeats a call on a tile of 4096 elements that stays in the unified buffer. NumPy and torch do the same work on
such a tile and on 2^20 elements at once, and the better of the two counts for them. A second table has the same sum by
repeats with strides, row by row, against one call with a count. Says nothing about an NPU: it measures the CPU twin.
Ends with 1 if a call takes more than twice torch's time for the same work, or repeats more than four times that of a
count.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from _table import Row, limit, save
from rich.console import Console
from rich.table import Table
from vector_calls_kernels import (
    BIT_CALLS,
    CAST_CALLS,
    COUNT,
    FLOAT_CALLS,
    MOVE_CALLS,
    ROW_CALLS,
    bits,
    casts,
    floats,
    moves,
    rows,
)

from opwright.asc import RoundMode
from opwright.settings import settings

FLOOR = 2.0
ROWS_FLOOR = 4.0
# Torch adds halves up in float and rounds once; the twin rounds every node of the tree, as the chip does. No floor.
OTHER_WORK = ("whole_reduce_sum float16", "reduce_sum float16")
MANY = 1 << 20
TIMES = 200  # calls of one launch: its own cost does not count then
Work = Callable[[], object]


@dataclass
class Case:
    """The same work three times: a launch of TIMES calls, and functions of the number of elements."""

    name: str
    ours: Work
    numpy: Callable[[int], Work]
    torch: Callable[[int], Work]


def _numpy_of(tensor: torch.Tensor) -> np.ndarray:
    """bfloat16 has no type in NumPy: its cast is one of float16 there."""
    return tensor.numpy() if tensor.dtype is not torch.bfloat16 else tensor.to(torch.float16).numpy()


def float_cases(dtype: torch.dtype) -> Iterator[Case]:
    """The calls of `floats`."""

    def values(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(1)
        x, y = (torch.rand(count, generator=generator) for _ in range(2))
        return (4 * x - 2).to(dtype), (y + 0.5).to(dtype), torch.zeros(count, dtype=dtype)

    def both(name: str) -> tuple[Callable[[int], Work], Callable[[int], Work]]:
        def with_torch(count: int) -> Work:
            a, b, out = values(count)
            mask = torch.zeros(count, dtype=torch.bool)
            lanes = 256 // a.element_size()
            rows, blocks = a.view(-1, lanes), a.view(-1, 32 // a.element_size())
            row_out, block_out = out[: len(rows)], out[: len(blocks)]
            one = torch.zeros((), dtype=dtype)
            less = a < b
            return {
                "add": lambda: torch.add(a, b, out=out),
                "mul": lambda: torch.mul(a, b, out=out),
                "div": lambda: torch.div(a, b, out=out),
                "max": lambda: torch.maximum(a, b, out=out),
                "add_relu": lambda: torch.add(a, b, out=out).clamp_(min=0),
                "mul_add_dst": lambda: out.addcmul_(a, b),
                "adds": lambda: torch.add(a, 1.5, out=out),
                "muls": lambda: torch.mul(a, 1.5, out=out),
                "leaky_relu": lambda: torch.nn.functional.leaky_relu(a, 0.01),
                "axpy": lambda: out.add_(a, alpha=0.5),
                "abs": lambda: torch.abs(a, out=out),
                "relu": lambda: torch.clamp(a, min=0, out=out),
                "exp": lambda: torch.exp(a, out=out),
                "ln": lambda: torch.log(b, out=out),
                "sqrt": lambda: torch.sqrt(b, out=out),
                "rsqrt": lambda: torch.rsqrt(b, out=out),
                "reciprocal": lambda: torch.reciprocal(b, out=out),
                "duplicate": lambda: out.fill_(2.0),
                "compare": lambda: torch.lt(a, b, out=mask),
                "select": lambda: torch.where(less, a, b, out=out),
                "whole_reduce_sum": lambda: torch.sum(rows, 1, out=row_out),
                "whole_reduce_max": lambda: torch.amax(rows, 1, out=row_out),
                "block_reduce_sum": lambda: torch.sum(blocks, 1, out=block_out),
                "reduce_sum": lambda: torch.sum(a, 0, out=one),
            }[name]

        def with_numpy(count: int) -> Work:
            a, b, out = (value.numpy() for value in values(count))
            mask = np.zeros(count, bool)
            lanes = 256 // a.itemsize
            rows, blocks = a.reshape(-1, lanes), a.reshape(-1, 32 // a.itemsize)
            less = a < b
            half, three, scale = a.dtype.type(0.5), a.dtype.type(1.5), a.dtype.type(0.01)
            return {
                "add": lambda: np.add(a, b, out=out),
                "mul": lambda: np.multiply(a, b, out=out),
                "div": lambda: np.divide(a, b, out=out),
                "max": lambda: np.maximum(a, b, out=out),
                "add_relu": lambda: np.maximum(np.add(a, b, out=out), 0, out=out),
                "mul_add_dst": lambda: np.add(out, a * b, out=out),
                "adds": lambda: np.add(a, three, out=out),
                "muls": lambda: np.multiply(a, three, out=out),
                "leaky_relu": lambda: np.where(a > 0, a, a * scale),
                "axpy": lambda: np.add(out, a * half, out=out),
                "abs": lambda: np.abs(a, out=out),
                "relu": lambda: np.maximum(a, 0, out=out),
                "exp": lambda: np.exp(a, out=out),
                "ln": lambda: np.log(b, out=out),
                "sqrt": lambda: np.sqrt(b, out=out),
                "rsqrt": lambda: np.divide(1, np.sqrt(b, out=out), out=out),
                "reciprocal": lambda: np.divide(1, b, out=out),
                "duplicate": lambda: out.fill(2.0),
                "compare": lambda: np.packbits(np.less(a, b, out=mask), bitorder="little"),
                "select": lambda: np.where(less, a, b),
                "whole_reduce_sum": lambda: rows.sum(1),
                "whole_reduce_max": lambda: rows.max(1),
                "block_reduce_sum": lambda: blocks.sum(1),
                "reduce_sum": lambda: a.sum(),
            }[name]

        return with_numpy, with_torch

    a, b, _ = values(COUNT)
    x, z = torch.cat((a, b)).numpy(), np.zeros(COUNT, a.numpy().dtype)
    for which, name in enumerate(FLOAT_CALLS):
        word = str(dtype).removeprefix("torch.")
        yield Case(f"{name} {word}", lambda which=which: floats[1](x, z, which, TIMES), *both(name))


def move_cases() -> Iterator[Case]:
    """The calls of `moves`: float32, and for the transpose as many 16-bit halves."""

    def values(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(2)
        return torch.rand(count, generator=generator), torch.randperm(count, generator=generator), torch.zeros(count)

    def with_torch(name: str, count: int) -> Work:
        a, places, out = values(count)
        wide, flag = torch.zeros(8 * count), torch.arange(count) % 2 == 0
        tiles, blocks = a.view(torch.float16).view(-1, 16, 16), wide.view(-1, 8)
        tiles_out = torch.zeros_like(tiles)
        return {
            "gather": lambda: torch.take(a, places, out=out),
            "gather_mask": lambda: torch.masked_select(a, flag),
            "brcb": lambda: blocks[: count // 8].copy_(a[: count // 8, None]),
            "copy": lambda: out.copy_(a),
            "sort32": lambda: torch.sort(a.view(-1, 32), descending=True),
            "transpose": lambda: tiles_out.copy_(tiles.transpose(1, 2)),
        }[name]

    def with_numpy(name: str, count: int) -> Work:
        a, places, out = (value.numpy() for value in values(count))
        wide, flag = np.zeros((count, 8), np.float32), np.arange(count) % 2 == 0
        tiles = a.view(np.float16).reshape(-1, 16, 16)
        tiles_out = np.zeros_like(tiles)
        return {
            "gather": lambda: np.take(a, places, out=out),
            "gather_mask": lambda: a[flag],
            "brcb": lambda: np.copyto(wide[: count // 8], a[: count // 8, None]),
            "copy": lambda: np.copyto(out, a),
            "sort32": lambda: np.argsort(-a.reshape(-1, 32), axis=1, kind="stable"),
            "transpose": lambda: np.copyto(tiles_out, tiles.transpose(0, 2, 1)),
        }[name]

    x, places, _ = values(COUNT)
    offsets, z = (4 * places).numpy().astype(np.uint32), np.zeros(2 * COUNT, np.float32)
    for which, name in enumerate(MOVE_CALLS):
        yield Case(
            f"{name} float32" if name != "transpose" else "transpose float16",
            lambda which=which: moves[1](x.numpy(), offsets, z, which, TIMES),
            lambda count, name=name: with_numpy(name, count),
            lambda count, name=name: with_torch(name, count),
        )


def bit_cases() -> Iterator[Case]:
    """The calls of `bits`."""

    def values(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        generator = torch.Generator().manual_seed(3)
        a, b = (torch.randint(-999, 999, (count,), generator=generator).to(torch.int16) for _ in range(2))
        return a, b, torch.zeros_like(a)

    def with_torch(name: str, count: int) -> Work:
        a, b, out = values(count)
        return {
            "bitwise_and": lambda: torch.bitwise_and(a, b, out=out),
            "bitwise_not": lambda: torch.bitwise_not(a, out=out),
            "shift_left": lambda: torch.bitwise_left_shift(a, 3, out=out),
            "shift_right": lambda: torch.bitwise_right_shift(a, 3, out=out),
            "add_int16": lambda: torch.add(a, b, out=out),
        }[name]

    def with_numpy(name: str, count: int) -> Work:
        a, b, out = (value.numpy() for value in values(count))
        three = np.int16(3)
        return {
            "bitwise_and": lambda: np.bitwise_and(a, b, out=out),
            "bitwise_not": lambda: np.invert(a, out=out),
            "shift_left": lambda: np.left_shift(a, three, out=out),
            "shift_right": lambda: np.right_shift(a, three, out=out),
            "add_int16": lambda: np.add(a, b, out=out),
        }[name]

    a, b, _ = values(COUNT)
    x, z = torch.cat((a, b)).numpy(), np.zeros(COUNT, np.int16)
    for which, name in enumerate(BIT_CALLS):
        yield Case(
            f"{name.removesuffix('_int16')} int16",
            lambda which=which: bits[1](x, z, which, TIMES),
            lambda count, name=name: with_numpy(name, count),
            lambda count, name=name: with_torch(name, count),
        )


def cast_cases() -> Iterator[Case]:
    """One case for each of CAST_CALLS."""
    for name in CAST_CALLS:
        source, target = (getattr(torch, word) for word in name.split(" to "))
        mode = RoundMode.CAST_RINT if source.itemsize >= target.itemsize else RoundMode.CAST_NONE

        def values(
            count: int, source: torch.dtype = source, target: torch.dtype = target
        ) -> tuple[torch.Tensor, torch.Tensor]:
            x = 200 * torch.rand(count, generator=torch.Generator().manual_seed(4)) - 100
            return x.to(source), torch.zeros(count, dtype=target)

        def with_torch(count: int, values: Callable[[int], tuple[torch.Tensor, torch.Tensor]] = values) -> Work:
            x, z = values(count)
            return lambda: z.copy_(x)

        def with_numpy(count: int, values: Callable[[int], tuple[torch.Tensor, torch.Tensor]] = values) -> Work:
            x, z = map(_numpy_of, values(count))
            return lambda: np.copyto(z, x, casting="unsafe")

        x, z = values(COUNT)
        yield Case(f"cast {name}", lambda x=x, z=z, mode=mode: casts[1](x, z, mode, TIMES), with_numpy, with_torch)


def measure_rows(dtype: type[np.generic], rounds: int) -> Iterator[Row]:
    """A sum by repeats against the same by a count, for each of ROW_CALLS and rows of 64 to 1024 elements."""
    lanes = 256 // np.dtype(dtype).itemsize
    x = np.random.default_rng(5).uniform(-2, 2, 2 * COUNT).astype(dtype)
    z = np.zeros(COUNT, dtype)
    for columns in (64, 256, 1024):
        if columns % lanes:
            continue
        sides = [
            (lambda which=which, columns=columns: rows[1](x, z, which, columns, TIMES), COUNT * TIMES)
            for which in range(-1, len(ROW_CALLS))
        ]
        by_count, *by_repeats = best_of(sides, rounds)
        for name, ours in zip(ROW_CALLS, by_repeats, strict=True):
            case = f"rows of {columns} {np.dtype(dtype).name}, {name}"
            yield {"case": case, "ours": ours, "theirs": by_count, "ratio": ours / by_count}


def best_of(sides: list[tuple[Work, int]], rounds: int) -> list[float]:
    """Seconds per element of each side, the best of some rounds taken in turns; a short function is repeated."""
    repeats = []
    for work, _ in sides:
        work()
        begin = time.perf_counter()
        work()
        repeats.append(max(1, int(0.002 / (time.perf_counter() - begin + 1e-9))))
    best = [float("inf")] * len(sides)
    for _ in range(rounds):
        for side, ((work, elements), count) in enumerate(zip(sides, repeats, strict=True)):
            begin = time.perf_counter()
            for _ in range(count):
                work()
            best[side] = min(best[side], (time.perf_counter() - begin) / count / elements)
    return best


def show_rows(measured: list[Row]) -> None:
    """Prints the second table."""
    table = Table(title="rows, ns per element on one thread", title_justify="left")
    table.add_column("sum")
    for column in ("by repeats", "by a count", "by repeats / by a count"):
        table.add_column(column, justify="right")
    for row in measured:
        figures = [f"{row['ours'] * 1e9:.3f}", f"{row['theirs'] * 1e9:.3f}"]
        table.add_row(row["case"], *figures, f"{row['ratio']:.2f}")
    Console(width=110).print(table)


def main() -> int:
    """Measures, prints, saves; returns 1 if the floor does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, float32 only")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rounds = 3 if options.quick else 15
    cases = [
        *float_cases(torch.float32),
        *(() if options.quick else float_cases(torch.float16)),
        *bit_cases(),
        *cast_cases(),
        *move_cases(),
    ]
    table = Table(title="ns per element on one thread", title_justify="left")
    table.add_column("call")
    for column in ("twin", "NumPy", "torch", "twin / torch"):
        table.add_column(column, justify="right")
    measured: list[Row] = []
    with settings.scope(threads=1):
        for case in cases:
            theirs = [(make(count), count) for make in (case.numpy, case.torch) for count in (COUNT, MANY)]
            ours, *other = best_of([(case.ours, COUNT * TIMES), *theirs], rounds)
            with_numpy, with_torch = min(other[:2]), min(other[2:])
            ratio = ours / with_torch
            measured.append({"case": case.name, "ours": ours, "theirs": with_torch, "ratio": ratio})
            figures = [f"{seconds * 1e9:.3f}" for seconds in (ours, with_numpy, with_torch)]
            table.add_row(case.name, *figures, f"{ratio:.2f}")
        by_repeats = [
            row
            for dtype in ((np.float32,) if options.quick else (np.float32, np.float16))
            for row in measure_rows(dtype, rounds)
        ]
    Console(width=110).print(table)
    show_rows(by_repeats)
    save(options.json, [*measured, *by_repeats])
    floors = [(measured, limit(FLOOR, options.quick)), (by_repeats, limit(ROWS_FLOOR, options.quick))]
    judged = [(row, floor) for group, floor in floors for row in group if row["case"] not in OTHER_WORK]
    missed = [(row, floor) for row, floor in judged if row["ratio"] > floor]
    for row, floor in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f} > {floor}")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
