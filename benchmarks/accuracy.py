"""Errors of every operator against float64: of each provider on this CPU, and of its reference in plain PyTorch.

Run it: python benchmarks/accuracy.py [--only NAME] [--floors] [--json FILE]
An error is the largest distance to the reference in float64 as a part of the largest number of a result, over the
operator's own cases. With --floors it ends with
1 if a provider is more than twice as far away as the reference. Operators whose providers give equal bits are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any, TypedDict

import torch
from _table import save
from rich.console import Console
from rich.table import Table
from torch import Tensor

import opwright
import opwright.ops
from opwright.errors import ProviderRefused
from opwright.operators._operator import OWN, Operator, as_tuple, cases_of, operators

FLOATS = (torch.float16, torch.bfloat16, torch.float32)
FLOOR = 2.0


class ErrorRow(TypedDict):
    """One operator by one provider in one dtype; None where the provider takes no such call."""

    operator: str
    provider: str
    dtype: str
    ours: float | None
    eager: float


def rows_of(operator: Operator) -> Iterator[ErrorRow]:
    """A row for each provider and dtype that are compared with a tolerance."""
    reference = operator.functions["reference"]
    for dtype in (one for one in operator.dtypes if one in FLOATS and one in operator.tolerance):
        errors: dict[str, float] = {}
        for case in cases_of(operator, dtype):
            values = operator.schema.complete(case.args, case.kwargs)
            exact = reference(*(one.double() if _is_float(one) else one for one in values))
            errors["eager"] = max(errors.get("eager", 0.0), distance(reference(*values), exact))
            for provider in operator.orders["cpu"]:
                try:
                    with opwright.using(operator.schema.qualified, provider):
                        found = getattr(opwright.ops, operator.name)(*case.args, **case.kwargs)
                except ProviderRefused:
                    continue
                errors[provider] = max(errors.get(provider, 0.0), distance(found, exact))
        name = str(dtype).removeprefix("torch.")
        for provider in (one for one in operator.orders["cpu"] if one != "reference"):
            ours = errors.get(provider)
            yield ErrorRow(operator=operator.name, provider=provider, dtype=name, ours=ours, eager=errors["eager"])


def _is_float(value: object) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def distance(found: Any, exact: Any) -> float:
    """The largest distance between results, as a part of the largest number of them; 0 if there are no elements."""
    pairs = [(got.double(), like) for got, like in zip(as_tuple(found), as_tuple(exact), strict=True) if like.numel()]
    return max((float((got - like).abs().max() / like.abs().max()) for got, like in pairs), default=0.0)


def main() -> int:
    """Computes, prints, saves; returns 1 if floors were asked for and one does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="one operator")
    parser.add_argument("--floors", action="store_true", help="end with 1 where a floor does not hold")
    parser.add_argument("--json", metavar="FILE", help="where to write the rows")
    options = parser.parse_args()
    own = [one for one in operators().values() if one.schema.space == OWN and options.only in (None, one.name)]
    own = [one for one in own if not one.is_writing]
    with torch.inference_mode():
        rows = [row for operator in own for row in rows_of(operator)]
    table = Table(title="largest error against float64, as a part of the largest number", title_justify="left")
    for column in ("operator", "provider", "dtype", "ours", "eager"):
        table.add_column(column)
    for row in rows:
        ours = "–" if row["ours"] is None else f"{row['ours']:.3g}"
        table.add_row(row["operator"], row["provider"], row["dtype"], ours, f"{row['eager']:.3g}")
    Console(width=110).print(table)
    save(options.json, rows)
    missed = [row for row in rows if row["ours"] is not None and row["ours"] > FLOOR * row["eager"]]
    for row in missed:
        print(f"floor missed: {row['operator']} by {row['provider']}, {row['dtype']}", file=sys.stderr)
    return int(options.floors and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
