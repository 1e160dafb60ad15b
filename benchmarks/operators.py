"""Every operator at four sizes: its first provider against the reference, and against torch.compile of the reference.

Run it: python benchmarks/operators.py [--only NAME] [--quick] [--floors] [--json FILE]
One thread, CPU time, inference mode. Below 1 our operator is faster. With --floors it ends with 1 if one does not hold.
Says nothing about an NPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import torch
from _table import MedianRow, measure, save, show

import opwright
import opwright.ops
from opwright.operators._operator import OWN, Case, Operator, operators

ROWS = (1, 16, 128, 1024)
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
SLOWEST = 1.0  # the first provider is never slower than the reference
# Those that every layer of a model calls: from 16 rows on against the reference and torch.compile, and at one row.
FAST = ("rms_norm", "silu_and_mul")
FLOOR_EAGER, FLOOR_COMPILED, FLOOR_ONE_ROW = 1 / 1.1, 1 / 0.8, 1 / 0.8


def calls(operator: Operator, rows: tuple[int, ...]) -> Iterator[tuple[str, int, Case]]:
    """A label, the rows, and the arguments, for each dtype and size."""
    chosen = [dtype for dtype in operator.dtypes if dtype in DTYPES] or list(operator.dtypes[:1])
    for dtype in chosen:
        for count in rows:
            case = operator.functions["timed"](dtype, count, torch.Generator().manual_seed(0))
            yield f"{operator.name}, {str(dtype).removeprefix('torch.')}, {count} rows", count, case


def timed(case: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> MedianRow:
    """Both sides in turns, in CPU time: this machine has other users."""
    return measure(case, ours, theirs, rounds, 0.01, time.process_time)


def measured(operator: Operator, rows: tuple[int, ...], rounds: int) -> Iterator[tuple[MedianRow, float]]:
    """Rows of one operator, each with its floor."""
    function = getattr(opwright.ops, operator.name)
    reference = operator.functions["reference"]
    for label, count, case in calls(operator, rows):
        values = operator.schema.complete(case.args, case.kwargs)

        def ours(case: Case = case) -> object:
            return function(*case.args, **case.kwargs)

        def eager(values: tuple[object, ...] = values) -> object:
            return reference(*values)

        is_fast = operator.name in FAST
        floor = SLOWEST if not is_fast else FLOOR_ONE_ROW if count < 16 else FLOOR_EAGER
        yield timed(f"{label}, reference", ours, eager, rounds), floor
        if not is_fast:
            continue
        torch._dynamo.reset()  # after some shapes it would no longer compile
        compiled = torch.compile(reference, dynamic=False)

        def faster(compiled: Callable[..., object] = compiled, values: tuple[object, ...] = values) -> object:
            return compiled(*values)

        floor = float("inf") if count < 16 else FLOOR_COMPILED
        yield timed(f"{label}, torch.compile", ours, faster, rounds), floor


def main() -> int:
    """Measures, prints, saves; returns 1 if floors were asked for and one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="one operator")
    parser.add_argument("--quick", action="store_true", help="16 rows only, fewer rounds")
    parser.add_argument("--floors", action="store_true", help="end with 1 where a floor does not hold")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    torch.set_num_threads(1)
    own = [one for one in operators().values() if one.schema.space == OWN and options.only in (None, one.name)]
    sizes, rounds = (ROWS[1:2], 5) if options.quick else (ROWS, 11)
    with torch.inference_mode():
        found = [row for operator in own for row in measured(operator, sizes, rounds)]
    rows = [row for row, _ in found]
    show("operators, one thread, CPU time", rows, "theirs")
    save(options.json, rows)
    missed = [(row, floor) for row, floor in found if row["ratio"] > floor]
    for row, floor in missed:
        print(f"floor missed: {row['case']}: {row['ratio']:.2f} > {floor:.2f}", file=sys.stderr)
    return int(options.floors and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
