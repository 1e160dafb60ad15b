"""What a call of an operator costs besides its work: 8 elements, against PyTorch's own add.

Run it: python benchmarks/dispatch.py [--quick] [--json FILE]
In grad, no_grad and inference mode, no tensor requiring a gradient. Calls are written as users write them, with
`opwright.ops` in front; one row compares that attribute alone with the same of `torch.ops`.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable

import torch
from _table import limit, measure, save, show

import opwright.ops

MODES: dict[str, Callable[[], contextlib.AbstractContextManager[object]]] = {
    "grad": contextlib.nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}
# Times an add: of new tensors, by whether the operator has a gradient and the mode looks for one.
FLOOR_NONE, FLOOR_GRADIENT = 2.3, 4.5
# Times an add into a given tensor, by the same.
FLOOR_OUT, FLOOR_OUT_GRADIENT = 2.5, 5.0
# What is hoped for, by the floor.
GOALS = {FLOOR_NONE: 2.0, FLOOR_GRADIENT: 4.0, FLOOR_OUT: 2.0, FLOOR_OUT_GRADIENT: 4.0}
FLOOR_REFUSED = 15.0
FLOOR_ATTRIBUTE = 1.0


def main() -> None:
    """Measures, prints, and fails where a floor is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", metavar="FILE", help="write the rows there")
    chosen = parser.parse_args()
    rounds = 10 if chosen.quick else 40
    x, y, out = torch.randn(8), torch.randn(8), torch.empty(8)
    codes, halves = torch.zeros(8, dtype=torch.uint8), torch.empty(8, dtype=torch.bfloat16)
    ops = opwright.ops
    wrong = torch.randn(9)

    def refused() -> None:
        with contextlib.suppress(ValueError):
            ops.rms_norm(x, wrong, 1e-6)

    # What is called, beside what, and its floors in inference mode and in others.
    cases: list[tuple[str, Callable[[], object], Callable[[], object], float, float]] = [
        ("encode_to_hifloat8(x)", lambda: ops.encode_to_hifloat8(x), lambda: torch.add(x, y), FLOOR_NONE, FLOOR_NONE),
        (
            "decode_from_hifloat8(codes)",
            lambda: ops.decode_from_hifloat8(codes),
            lambda: torch.add(x, y),
            FLOOR_NONE,
            FLOOR_NONE,
        ),
        ("silu_and_mul(x)", lambda: ops.silu_and_mul(x), lambda: torch.add(x, y), FLOOR_NONE, FLOOR_GRADIENT),
        (
            "rms_norm(x, weight, 1e-6)",
            lambda: ops.rms_norm(x, y, 1e-6),
            lambda: torch.add(x, y),
            FLOOR_NONE,
            FLOOR_GRADIENT,
        ),
        (
            "encode_to_hifloat8(x, out=codes)",
            lambda: ops.encode_to_hifloat8(x, out=codes),
            lambda: torch.add(x, y, out=out),
            FLOOR_OUT,
            FLOOR_OUT_GRADIENT,
        ),
        (
            "decode_from_hifloat8(codes, out=y)",
            lambda: ops.decode_from_hifloat8(codes, out=halves),
            lambda: torch.add(x, y, out=out),
            FLOOR_OUT,
            FLOOR_OUT_GRADIENT,
        ),
        (
            "rms_norm(x, weight, 1e-6, out=y)",
            lambda: ops.rms_norm(x, y, 1e-6, out=out),
            lambda: torch.add(x, y, out=out),
            FLOOR_OUT,
            FLOOR_OUT_GRADIENT,
        ),
        (
            "rms_norm_(x, weight, 1e-6)",
            lambda: ops.rms_norm_(x, y, 1e-6),
            lambda: torch.add(x, y, out=out),
            FLOOR_OUT,
            FLOOR_OUT_GRADIENT,
        ),
        ("rms_norm(x, a wrong weight, 1e-6)", refused, lambda: torch.add(x, y), FLOOR_REFUSED, FLOOR_REFUSED),
    ]
    attribute = "the attribute opwright.ops.rms_norm"
    rows = [measure(attribute, lambda: opwright.ops.rms_norm, lambda: torch.ops.opwright.rms_norm, rounds, 0.005)]
    missed, hoped = [], []
    if rows[0]["ratio"] > limit(FLOOR_ATTRIBUTE, chosen.quick):
        missed.append(f"{attribute}: {rows[0]['ratio']:.2f}, floor {limit(FLOOR_ATTRIBUTE, chosen.quick)}")
    for mode, entered in MODES.items():
        with entered():
            for name, ours, theirs, in_inference, elsewhere in cases:
                row = measure(f"{name}, {mode}", ours, theirs, rounds, 0.005)
                rows.append(row)
                held = in_inference if mode == "inference" else elsewhere
                if row["ratio"] > limit(held, chosen.quick):
                    missed.append(f"{row['case']}: {row['ratio']:.2f}, floor {limit(held, chosen.quick)}")
                if held in GOALS and row["ratio"] > GOALS[held]:
                    hoped.append(f"{row['case']}: {row['ratio']:.2f} > {GOALS[held]}")
    show("One call of 8 elements", rows, "add")
    save(chosen.json, rows)
    for line in hoped:
        print(f"goal missed: {line}")
    for line in missed:
        print(f"floor missed: {line}")
    sys.exit(int(bool(missed)))


if __name__ == "__main__":
    main()
