"""`dequantize_from_hifloat8`: the value of every HiFloat8 code times the scale of its block.

In: codes, uint8, of any shape and strides, a scale for each block. Out: bfloat16, float16 or float32, laid out as
`torch.empty_like` has it. All providers give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, Facts, operator
from opwright.operators import _hifloat8 as hifloat8
from opwright.operators import _hifloat8_cases as cases
from opwright.operators import _hifloat8_host as legal
from opwright.operators import _hifloat8_kernels as kernels
from opwright.operators import _hifloat8_oracle as oracle
from opwright.operators import _hifloat8_rows as rows

dequantize_from_hifloat8 = operator(
    "dequantize_from_hifloat8(Tensor codes, Tensor scale, SymInt[] block_size, *, ScalarType? dtype=None) -> Tensor",
    dtypes=(host.uint8,),
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@dequantize_from_hifloat8.infer
def _infer(codes: host.Tensor, scale: host.Tensor, block_size: host.Shape, dtype: host.Dtype | None) -> host.Tensor:
    host.require_dtype("codes", codes, (host.uint8,))
    values = legal.output_dtype(dtype)
    legal.require_block_size(block_size, codes.shape)
    legal.require_scale(scale, block_size, codes)
    return host.like(codes, values)


@dequantize_from_hifloat8.reference
def _reference(codes: Tensor, scale: Tensor, block_size: list[int], dtype: torch.dtype | None) -> Tensor:
    """The value of every HiFloat8 code times the scale of its block, in float32, rounded once to `dtype`.

    `block_size` and `scale` as in `quantize_to_hifloat8`. `dtype`: bfloat16 if none is given, float16 or float32.
    """
    return hifloat8.dequantize(codes, scale, block_size, dtype)


dequantize_from_hifloat8.oracle(oracle.dequantize)


@dequantize_from_hifloat8.vmap
def _vmap(
    size: int, batched: tuple[str, ...], codes: Tensor, scale: Tensor, block_size: list[int], dtype: torch.dtype | None
) -> Tensor:
    codes, scale = (rows.batch(one, name in batched, size) for one, name in ((codes, "codes"), (scale, "scale")))
    return torch.ops.opwright.dequantize_from_hifloat8(codes, scale, [1, *block_size], dtype=dtype)


def _asc_takes(codes: Facts, scale: Facts, block_size: list[int], dtype: torch.dtype | None) -> str | None:
    return rows.not_rows(codes, block_size)


@dequantize_from_hifloat8.provider("kernel", supports=_asc_takes)
def _asc(codes: Tensor, scale: Tensor, block_size: list[int], dtype: torch.dtype | None) -> Tensor:
    values = torch.empty(codes.shape, dtype=dtype or torch.bfloat16)
    kernels.dequantize(
        rows.as_rows(codes, block_size), scale.reshape(-1).contiguous(), rows.as_rows(values, block_size)
    )
    return hifloat8.laid_out_as(codes, hifloat8.with_one_nan(values))


@dequantize_from_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers, block_size in cases.blocks(torch.float32, random):
        yield Case(cases.codes(numbers.shape, random), cases.scales(numbers, block_size, random), block_size)
    for out in hifloat8.FLOATS:
        yield Case(torch.arange(256, dtype=torch.uint8).view(16, 16), torch.rand(16, 1) * 3, [1, -1], dtype=out)


@dequantize_from_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.codes((rows, 4096), random), torch.ones(rows, 1), [1, -1])


@dequantize_from_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    codes, scale = torch.ones(2, 4, dtype=torch.uint8), torch.ones(2, 1)
    yield "dtype of the codes", Case(codes.int(), scale, [1, -1])
    yield "dtype of the values", Case(codes, scale, [1, -1], dtype=torch.int32)
    yield "scale of another shape", Case(codes, torch.ones(1, 1), [1, -1])
    yield "a length of -2", Case(codes, scale, [1, -2])


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::dequantize_from_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    return plan_scaled(call, tensor_of(call, 0), call->inputs[2], tensor_of(call, 1));
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& codes = tensor_of(call, 0);
    const DLTensor& scale = tensor_of(call, 1);
    DLTensor& output = call->outputs[0];
    const bool stream = is_large(codes, output);
    each_scaled(codes, output, call->inputs[2], scale, begin, end,
                [&](int64_t from, int64_t to, int64_t of, int64_t n, bool own) {
                    path().dequantize(codes_at(codes, from), at(output, to),
                                      type_of(output.dtype), n, scales_at(scale, of), own, stream);
                });
}

}  // namespace opwright::dequantize_from_hifloat8
"""
