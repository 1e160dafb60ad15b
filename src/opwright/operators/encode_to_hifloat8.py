"""`encode_to_hifloat8`: the nearest HiFloat8 code of every number.

In: float16, bfloat16 or float32 of any shape and strides. Out: codes, uint8, laid out as `torch.empty_like` has it. All
providers give the same bits.
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

encode_to_hifloat8 = operator(
    'encode_to_hifloat8(Tensor input, *, str overflow="saturate") -> Tensor',
    dtypes=legal.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    rows=("input",),
    tolerance={},
)


@encode_to_hifloat8.infer
def _infer(input: host.Tensor, overflow: str) -> host.Tensor:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_overflow(overflow)
    return host.like(input, host.uint8)


@encode_to_hifloat8.reference
def _reference(input: Tensor, overflow: str) -> Tensor:
    """The nearest HiFloat8 code of every number, ties away from 0.

    `overflow` says what becomes of numbers from 40960 on: "inf", "saturate" (32768; infinity and NaN stay) or
    "saturate_all" (32768, also for infinity; NaN becomes 0). There is one zero and one NaN.
    """
    return hifloat8.encode(input, overflow)


encode_to_hifloat8.oracle(oracle.encode)


@encode_to_hifloat8.provider("kernel")
def _asc(input: Tensor, overflow: str) -> Tensor:
    codes = torch.empty(input.shape, dtype=torch.uint8)
    kernels.encode(input.contiguous(), codes, overflow)
    return hifloat8.laid_out_as(input, codes)


@encode_to_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers in cases.numbers(dtype, random):
        yield Case(numbers)
    for overflow in ("inf", "saturate_all"):
        yield Case(cases.wide_numbers((3, 50), dtype, random), overflow=overflow)
    yield Case(cases.wide_numbers((300, 513), dtype, random), large=True)


@encode_to_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random))


@encode_to_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, dtype=torch.float64))
    yield "overflow", Case(torch.ones(2), overflow="Saturate")


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::encode_to_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) { return plan_elements(call, tensor_of(call, 0)); }

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    DLTensor& codes = call->outputs[0];
    const bool stream = is_large(input, codes);
    Runs(input, codes).each(begin, end, [&](int64_t from, int64_t to, int64_t n) {
        path().encode(at(input, from), type_of(input.dtype), codes_at(codes, to), n,
                      overflow_of(call->inputs[1]), stream);
    });
}

}  // namespace opwright::encode_to_hifloat8
"""
