"""`quantize_to_hifloat8`: the HiFloat8 code of every number divided by the scale of its block.

In: float16, bfloat16 or float32 of any shape and strides, a scale for each block. Out: codes, uint8, laid out as
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

quantize_to_hifloat8 = operator(
    'quantize_to_hifloat8(Tensor input, Tensor scale, SymInt[] block_size, *, str overflow="saturate") -> Tensor',
    dtypes=legal.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@quantize_to_hifloat8.infer
def _infer(input: host.Tensor, scale: host.Tensor, block_size: host.Shape, overflow: str) -> host.Tensor:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_overflow(overflow)
    legal.require_block_size(block_size, input.shape)
    legal.require_scale(scale, block_size, input)
    return host.like(input, host.uint8)


@quantize_to_hifloat8.reference
def _reference(input: Tensor, scale: Tensor, block_size: list[int], overflow: str) -> Tensor:
    """The HiFloat8 code of every number divided by the scale of its block, in float32.

    `block_size` has one entry for each dimension, -1 for all of it; the last block may be short. `scale` is float32
    with one element for each block, as `hifloat8_scale` gives it. `overflow` as in `encode_to_hifloat8`.
    """
    return hifloat8.quantize(input, scale, block_size, overflow)


quantize_to_hifloat8.oracle(oracle.quantize)


@quantize_to_hifloat8.vmap
def _vmap(
    size: int, batched: tuple[str, ...], input: Tensor, scale: Tensor, block_size: list[int], overflow: str
) -> Tensor:
    input, scale = (rows.batch(one, name in batched, size) for one, name in ((input, "input"), (scale, "scale")))
    return torch.ops.opwright.quantize_to_hifloat8(input, scale, [1, *block_size], overflow=overflow)


def _asc_takes(input: Facts, scale: Facts, block_size: list[int], overflow: str) -> str | None:
    return rows.not_rows(input, block_size)


@quantize_to_hifloat8.provider("kernel", supports=_asc_takes)
def _asc(input: Tensor, scale: Tensor, block_size: list[int], overflow: str) -> Tensor:
    codes = torch.empty(input.shape, dtype=torch.uint8)
    kernels.quantize(
        rows.as_rows(input, block_size), scale.reshape(-1).contiguous(), rows.as_rows(codes, block_size), overflow
    )
    return hifloat8.laid_out_as(input, codes)


@quantize_to_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers, block_size in cases.blocks(dtype, random):
        yield Case(numbers, cases.scales(numbers, block_size, random), block_size)
    numbers = cases.wide_numbers((4, 33), dtype, random)
    for overflow in ("inf", "saturate_all"):
        yield Case(numbers, cases.scales(numbers, [1, -1], random), [1, -1], overflow=overflow)


@quantize_to_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random), torch.ones(rows, 1), [1, -1])


@quantize_to_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    x, scale = torch.ones(2, 4), torch.ones(2, 1)
    yield "dtype", Case(x.double(), scale, [1, -1])
    yield "overflow", Case(x, scale, [1, -1], overflow="wrap")
    yield "too few entries", Case(x, scale, [1])
    yield "scale of another shape", Case(x, torch.ones(2, 2), [1, -1])
    yield "scale of another dtype", Case(x, scale.half(), [1, -1])
    yield "scale on another device", Case(x, scale.to("meta"), [1, -1])


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::quantize_to_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    return plan_scaled(call, tensor_of(call, 0), call->inputs[2], tensor_of(call, 1));
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    const DLTensor& scale = tensor_of(call, 1);
    DLTensor& codes = call->outputs[0];
    const bool stream = is_large(input, codes);
    each_scaled(input, codes, call->inputs[2], scale, begin, end,
                [&](int64_t from, int64_t to, int64_t of, int64_t n, bool own) {
                    path().quantize(at(input, from), type_of(input.dtype), codes_at(codes, to), n,
                                    overflow_of(call->inputs[3]), scales_at(scale, of),
                                    own, stream);
                });
}

}  // namespace opwright::quantize_to_hifloat8
"""
