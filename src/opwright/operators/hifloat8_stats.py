"""`hifloat8_stats`: what would become of numbers as HiFloat8, counted.

In: float16, bfloat16 or float32 of any shape and strides. Out: six counts, int64.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, operator
from opwright.operators import _hifloat8 as hifloat8
from opwright.operators import _hifloat8_cases as cases
from opwright.operators import _hifloat8_host as legal
from opwright.operators import _hifloat8_kernels as kernels
from opwright.operators import _hifloat8_oracle as oracle

hifloat8_stats = operator(
    'hifloat8_stats(Tensor input, *, str overflow="saturate") -> Tensor',
    dtypes=legal.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@hifloat8_stats.infer
def _infer(input: host.Tensor, overflow: str) -> host.Tensor:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_overflow(overflow)
    return host.dense((6,), host.int64)


@hifloat8_stats.reference
def _reference(input: Tensor, overflow: str) -> Tensor:
    """Counts what would become of numbers as HiFloat8: six of them, int64.

    All elements; finite ones from 40960 on, which overflow; infinities; NaN; numbers other than 0 that become 0; those
    that become one of the codes 01 to 07, which have no mantissa. No rule for overflow changes a count.
    """
    return hifloat8.stats(input, overflow)


hifloat8_stats.oracle(oracle.stats)


@hifloat8_stats.provider("kernel")
def _asc(input: Tensor, overflow: str) -> Tensor:
    counts = torch.zeros(6, dtype=torch.int64)
    kernels.count(input.contiguous(), counts)
    return counts


@hifloat8_stats.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers in cases.numbers(dtype, random):
        yield Case(numbers)
    yield Case(cases.wide_numbers((300, 513), dtype, random), overflow="inf", large=True)


@hifloat8_stats.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random))


@hifloat8_stats.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, dtype=torch.bool))
    yield "overflow", Case(torch.ones(2), overflow="none")


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::hifloat8_stats {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    const DLTensor& input = tensor_of(call, 0);
    // Read beside itself: runs are those of one tensor.
    if (elements(input) > 0 && !Runs(input, input).exist()) return "no dimension lies one element behind the other";
    if (call->outputs[0].strides[0] != 1) return "the counts do not lie one behind the other";
    call->parts = 1;  // one sum of everything
    return nullptr;
}

void run(const OpwrightCall* call, int64_t, int64_t) {
    const DLTensor& input = tensor_of(call, 0);
    auto* counts = static_cast<int64_t*>(call->outputs[0].data);
    for (int i = 0; i < kCounts; ++i) counts[i] = 0;
    if (elements(input) == 0) return;
    const Runs runs(input, input);
    runs.each(0, runs.count() * runs.per_run(), [&](int64_t from, int64_t, int64_t n) {
        path().count(at(input, from), type_of(input.dtype), n, counts);
    });
}

}  // namespace opwright::hifloat8_stats
"""
