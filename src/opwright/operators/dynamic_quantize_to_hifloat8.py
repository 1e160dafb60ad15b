"""`dynamic_quantize_to_hifloat8`: the scale of every block, and the HiFloat8 codes of what it divides.

In: float16, bfloat16 or float32 of any shape and strides, the size of a block. Out: codes, uint8, laid out as
`torch.empty_like` has it, and scales, float32. All providers give the same bits.
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

dynamic_quantize_to_hifloat8 = operator(
    "dynamic_quantize_to_hifloat8(Tensor input, SymInt[] block_size, *, float target_max=15.0, "
    'str overflow="saturate") -> (Tensor, Tensor)',
    dtypes=legal.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@dynamic_quantize_to_hifloat8.infer
def _infer(
    input: host.Tensor, block_size: host.Shape, target_max: float, overflow: str
) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_block_size(block_size, input.shape)
    legal.require_target_max(target_max)
    legal.require_overflow(overflow)
    scale = host.dense(legal.scale_shape(input.shape, block_size), host.float32)
    return host.like(input, host.uint8), scale


@dynamic_quantize_to_hifloat8.reference
def _reference(input: Tensor, block_size: list[int], target_max: float, overflow: str) -> tuple[Tensor, Tensor]:
    """HiFloat8 codes, and the scale of every block, from its largest number: `hifloat8_scale` and then
    `quantize_to_hifloat8`.

    `block_size` has one entry for each dimension, -1 for all of it: `[1, -1]` gives a scale to each token of a matrix.
    """
    scale = hifloat8.scale_of(input, block_size, target_max)
    return hifloat8.quantize(input, scale, block_size, overflow), scale


dynamic_quantize_to_hifloat8.oracle(oracle.dynamic_quantize)


@dynamic_quantize_to_hifloat8.vmap
def _vmap(
    size: int, batched: tuple[str, ...], input: Tensor, block_size: list[int], target_max: float, overflow: str
) -> tuple[Tensor, Tensor]:
    codes, scale = torch.ops.opwright.dynamic_quantize_to_hifloat8(
        input, [1, *block_size], target_max=target_max, overflow=overflow
    )
    return codes, scale


def _asc_takes(input: Facts, block_size: list[int], target_max: float, overflow: str) -> str | None:
    return rows.not_rows(input, block_size)


@dynamic_quantize_to_hifloat8.provider("kernel", supports=_asc_takes)
def _asc(input: Tensor, block_size: list[int], target_max: float, overflow: str) -> tuple[Tensor, Tensor]:
    lines = rows.as_rows(input, block_size)
    largest = torch.empty(len(lines), dtype=torch.float32)
    kernels.largest(lines, largest)
    scale = hifloat8.scale_of(largest, [1], target_max)
    codes = torch.empty(input.shape, dtype=torch.uint8)
    kernels.quantize(lines, scale, rows.as_rows(codes, block_size), overflow)
    return hifloat8.laid_out_as(input, codes), scale.view(legal.scale_shape(input.shape, block_size))


@dynamic_quantize_to_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers, block_size in cases.blocks(dtype, random):
        yield Case(numbers, block_size)
    numbers = cases.wide_numbers((4, 33), dtype, random)
    yield Case(numbers, [1, -1], target_max=2.0**-10, overflow="saturate_all")


@dynamic_quantize_to_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random), [1, -1])


@dynamic_quantize_to_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, dtype=torch.uint8), [1])
    yield "too many entries", Case(torch.ones(2), [1, 1])
    yield "target_max", Case(torch.ones(2), [1], target_max=-1.0)
    yield "overflow", Case(torch.ones(2), [1], overflow="")


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::dynamic_quantize_to_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    if (!has_rows(call->outputs[0])) return kNoRows;
    return plan_groups(call, tensor_of(call, 0), call->inputs[1], call->outputs[1]);
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    DLTensor& codes = call->outputs[0];
    DLTensor& scale = call->outputs[1];
    const Blocks blocks(input, call->inputs[1], scale);
    const Rows from(input), to(codes);
    const auto target = static_cast<float>(call->inputs[2].held.number);
    const auto overflow = overflow_of(call->inputs[3]);
    const bool stream = is_large(input, codes);
    for (int64_t group = begin; group < end; ++group) {
        find_scales(input, blocks, scale, group, target);
        blocks.each_row(group, [&](int64_t row) {
            const int64_t source = from.begin(row), target_row = to.begin(row), scales = blocks.scale_of_row(row);
            blocks.each_part(0, blocks.width(), [&](int64_t first, int64_t of, int64_t n, bool own) {
                path().quantize(at(input, source + first), type_of(input.dtype),
                                codes_at(codes, target_row + first), n, overflow,
                                scales_at(scale, scales + of), own, stream);
            });
        });
    }
}

}  // namespace opwright::dynamic_quantize_to_hifloat8
"""
