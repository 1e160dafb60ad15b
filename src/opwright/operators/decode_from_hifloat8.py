"""`decode_from_hifloat8`: the value of every HiFloat8 code, which is exact in every dtype that it can have.

In: codes, uint8, of any shape and strides. Out: bfloat16, float16 or float32, laid out as `torch.empty_like` has it.
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

decode_from_hifloat8 = operator(
    "decode_from_hifloat8(Tensor input, ScalarType? dtype=None) -> Tensor",
    dtypes=(host.uint8,),
    providers={"cpu": ("native", "reference", "kernel")},
    rows=("input",),
    tolerance={},
)


@decode_from_hifloat8.infer
def _infer(input: host.Tensor, dtype: host.Dtype | None) -> host.Tensor:
    host.require_dtype("input", input, (host.uint8,))
    return host.like(input, legal.output_dtype(dtype))


@decode_from_hifloat8.reference
def _reference(input: Tensor, dtype: torch.dtype | None) -> Tensor:
    """The value of every HiFloat8 code, exactly. `dtype`: bfloat16 if none is given, float16 or float32."""
    return hifloat8.decode(input, dtype)


decode_from_hifloat8.oracle(oracle.decode)


@decode_from_hifloat8.provider("kernel")
def _asc(input: Tensor, dtype: torch.dtype | None) -> Tensor:
    values = torch.empty(input.shape, dtype=dtype or torch.bfloat16)
    kernels.decode(input.contiguous(), values)
    return hifloat8.laid_out_as(input, values)


@decode_from_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in ((0,), (3, 0), (), (1,), (7,), (2, 3, 33)):
        yield Case(cases.codes(shape, random))
    for out in hifloat8.FLOATS:
        yield Case(torch.arange(256, dtype=torch.uint8).view(16, 16), out)
    yield Case(cases.codes((300, 513), random), torch.float32, large=True)


@decode_from_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.codes((rows, 4096), random))


@decode_from_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype of the codes", Case(torch.ones(2, dtype=torch.int8))
    yield "dtype of the values", Case(torch.ones(2, dtype=torch.uint8), torch.float64)


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::decode_from_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) { return plan_elements(call, tensor_of(call, 0)); }

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& codes = tensor_of(call, 0);
    DLTensor& output = call->outputs[0];
    const bool stream = is_large(codes, output);
    Runs(codes, output).each(begin, end, [&](int64_t from, int64_t to, int64_t n) {
        path().decode(codes_at(codes, from), at(output, to), type_of(output.dtype), n, stream);
    });
}

}  // namespace opwright::decode_from_hifloat8
"""
