"""Kernels of threads for numeric tests of rows: many calls in one kernel, the result of each in a part of `out`.

In: calls as text, over `i`, the index of the thread, and the names of arrays. Out: what each call gave, a row for each.
`out` starts as NaN or -1, so that a call that gives nothing shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tally
from image import NUMPY, load

MOST = 2048  # threads of a block
HEAD = "from opwright import asc\nfrom opwright.asc import simt\n\n"


def empty(dtype: str, *shape: int) -> np.ndarray:
    """An output that holds nothing yet."""
    return np.full(shape, np.nan if NUMPY[dtype].kind not in "iu" else -1).astype(NUMPY[dtype])


@dataclass
class ThreadCalls:
    """A kernel with many calls, whose results are all of one type."""

    kernel: Any
    calls: Sequence[str]
    result: str

    def run(self, arrays: Mapping[str, np.ndarray], count: int, block: int = 1024) -> np.ndarray:
        """One row for each call, one column for each thread."""
        out = empty(self.result, len(self.calls), count)
        self.kernel[-(-count // block), block](out, *arrays.values(), count)
        tally.compared(out.size)
        return out


def calls(folder: Path, name: str, texts: Sequence[str], result: str, arrays: Sequence[str]) -> ThreadCalls:
    """Makes the kernel; `arrays` are its arguments in order."""
    parameters = "".join(f"{array}: asc.GlobalAddress, " for array in arrays)
    lines = [
        f"{HEAD}\n@simt(max_threads={MOST})",
        f"def calls(out: asc.GlobalAddress, {parameters}count: int):",
        "    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x",
        "    if i < count:",
        *(f"        out[{number} * count + i] = {text}" for number, text in enumerate(texts)),
    ]
    return ThreadCalls(load(folder, name, "\n".join(lines) + "\n").calls, texts, result)
