"""Says which forms of which calls the tests have not run; CI fails on any.

In: build/evidence.json, which `pytest tests/ascendc tests/simt` writes. Out: a line for each call that lacks a run, and
exit code 1. Refuses evidence of what the table does not have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from opwright.ascendc import coverage  # noqa: E402
from opwright.ascendc.table import ROWS  # noqa: E402

# Words of the language of threads, and the list of tensors that trans_data_to_5hd takes: tests use them throughout, but
# no test is about one of their forms with one element type.
WITHOUT_RUNS = frozenset(
    {
        "GlobalAddress.__getitem__",
        "GlobalAddress.__setitem__",
        "TensorList",
        "simt.blockDim",
        "simt.blockIdx",
        "simt.gridDim",
        "simt.shared",
        "simt.syncthreads",
        "simt.threadIdx",
        "simt.threadfence",
        "simt.threadfence_block",
        "simt.warpSize",
        "vf_call",
    }
)


def left_out(evidence: coverage.Evidence) -> dict[str, str]:
    """Call -> what of it was not run."""
    why = {name: coverage.lacks(row, evidence) for name, row in ROWS.items() if name not in WITHOUT_RUNS}
    return {name: what for name, what in why.items() if what}


def main() -> int:
    """Returns 1 if something was not run."""
    evidence = coverage.Evidence.of(json.loads((ROOT / "build" / "evidence.json").read_text(encoding="utf-8")))
    missing = left_out(evidence)
    for name, what in missing.items():
        print(f"asc.{name}: {what}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
