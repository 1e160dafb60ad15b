"""Every provider of every operator on the CPU, side by side: native C++, the kernel in the library, the reference.

Run it: python benchmarks/providers.py [--only NAME] [--quick] [--floors] [--json FILE]
One thread, CPU time. Providers of the library are called by their own entries, plan and run, through ctypes, which
costs a few microseconds a call; the reference is called as a function of Python. The order is that of the operator's
file. With --floors it ends with 1 where a provider is much slower than one that stands behind it. Kernels behind the
reference are in no library, and are not measured. Says nothing about an NPU.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from typing import TypedDict

import torch
from _table import save
from rich.console import Console
from rich.table import Table

import opwright.ops  # noqa: F401  # which defines the operators
from opwright.frameworks.torch.serve import fake, view
from opwright.native import abi
from opwright.native.library import CpuLibrary, opened
from opwright.operators._operator import OWN, Case, Operator, operators

ROWS = (1, 16, 128, 1024)
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
REFERENCE = "reference"
SLOWER = 1.15  # what a provider may take of the time of one that stands behind it
TURN = 0.005  # seconds that one side is timed for, at least


class Row(TypedDict):
    """One call: seconds of each provider, in their order."""

    operator: str
    dtype: str
    rows: int
    seconds: dict[str, float]


def by_entry(library: CpuLibrary, operator: Operator, provider: str, case: Case) -> Callable[[], object]:
    """A call of one provider of the library: plan and run, into a result that is there."""
    name = operator.schema.qualified
    entry = library.providers(name)[provider]
    values = operator.schema.complete(case.args, case.kwargs)
    outputs = [torch.empty(one.shape, dtype=one.dtype) for one in fake(operator, values)]
    views = [view(value) for value in values], [view(one) for one in outputs]
    made = abi.Prepared(abi.kinds_of(entry), *views)
    text = ctypes.create_string_buffer(1024)
    error = abi.Error(ctypes.sizeof(abi.Error), 0, len(text), ctypes.addressof(text))
    call, said, plan, run = ctypes.byref(made.call), ctypes.byref(error), entry.plan, entry.run
    if plan(call, said) != 0:
        raise RuntimeError(f"{name} by {provider}: {text.value.decode()}")
    made.add_workspace()
    parts, kept = made.call.parts, (made, error, text, outputs, values)

    def called(kept: object = kept) -> object:
        return plan(call, said) or run(call, 0, parts, said)

    if called() != 0:
        raise RuntimeError(f"{name} by {provider}: {text.value.decode()}")
    return called


def sides(library: CpuLibrary, operator: Operator, case: Case) -> dict[str, Callable[[], object]]:
    """Functions that compute one call, by provider, in the order of the operator's file."""
    entries = library.providers(operator.schema.qualified) if operator.schema.qualified in library.schemas else {}
    values, reference = operator.schema.complete(case.args, case.kwargs), operator.functions[REFERENCE]
    return {
        name: (lambda: reference(*values)) if name == REFERENCE else by_entry(library, operator, name, case)
        for name in operator.orders.get("cpu", ())
        if name == REFERENCE or name in entries
    }


def timed(functions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The best CPU time of each, measured in turns, so that noise hits all alike."""
    repeats, best = {}, dict.fromkeys(functions, float("inf"))
    for name, function in functions.items():
        function()
        begin = time.process_time()
        function()
        repeats[name] = max(1, int(TURN / (time.process_time() - begin + 1e-6)))
    for _ in range(rounds):
        for name, function in functions.items():
            begin = time.process_time()
            for _ in range(repeats[name]):
                function()
            best[name] = min(best[name], (time.process_time() - begin) / repeats[name])
    return best


def measured(library: CpuLibrary, operator: Operator, sizes: tuple[int, ...], rounds: int) -> Iterator[Row]:
    """Rows of one operator; none if it has one provider."""
    for dtype in [dtype for dtype in operator.dtypes if dtype in DTYPES] or list(operator.dtypes[:1]):
        for count in sizes:
            case = operator.functions["timed"](dtype, count, torch.Generator().manual_seed(0))
            functions = sides(library, operator, case)
            if len(functions) < 2:
                return
            seconds = timed(functions, rounds)
            yield {
                "operator": operator.name,
                "dtype": str(dtype).removeprefix("torch."),
                "rows": count,
                "seconds": seconds,
            }


def missed(row: Row) -> Iterator[str]:
    """Pairs of providers that should change places."""
    listed = list(row["seconds"].items())
    for i, (name, seconds) in enumerate(listed):
        for later, less in listed[i + 1 :]:
            if seconds > SLOWER * less:
                where = f"{row['operator']}, {row['dtype']}, {row['rows']} rows"
                yield f"{where}: {name} takes {seconds / less:.2f} of the time of {later}, which stands behind it"


def show(rows: list[Row]) -> None:
    """Prints a table."""
    table = Table(title="providers, one thread, CPU time, in their order", title_justify="left")
    for column in ("operator", "dtype", "rows", "time", "of the last"):
        table.add_column(column, justify="right" if column in ("rows", "time", "of the last") else "left")
    for row in rows:
        last = list(row["seconds"].values())[-1]
        times = "  ".join(f"{name} {seconds * 1e6:,.1f} us" for name, seconds in row["seconds"].items())
        ratios = "  ".join(f"{seconds / last:.2f}" for seconds in list(row["seconds"].values())[:-1])
        table.add_row(row["operator"], row["dtype"], str(row["rows"]), times, ratios)
    Console(width=140).print(table)


def main() -> int:
    """Measures, prints, saves; returns 1 if floors were asked for and one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="one operator")
    parser.add_argument("--quick", action="store_true", help="16 rows only, fewer rounds")
    parser.add_argument("--floors", action="store_true", help="end with 1 where a floor does not hold")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    library = opened()
    if isinstance(library, str):
        print(library, file=sys.stderr)
        return 1
    torch.set_num_threads(1)
    own = [one for one in operators().values() if one.schema.space == OWN and options.only in (None, one.name)]
    sizes, rounds = (ROWS[1:2], 5) if options.quick else (ROWS, 11)
    with torch.inference_mode():
        rows = [row for operator in own for row in measured(library, operator, sizes, rounds)]
    show(rows)
    save(options.json, rows)
    said = [text for row in rows for text in missed(row)]
    for text in said:
        print(f"floor missed: {text}", file=sys.stderr)
    return int(options.floors and bool(said))


if __name__ == "__main__":
    sys.exit(main())
