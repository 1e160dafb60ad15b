"""`hifloat8_scale`: for every block the scale that brings its largest number to a target.

In: float16, bfloat16 or float32 of any shape and strides, the size of a block. Out: float32, one element for each
block.
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

hifloat8_scale = operator(
    "hifloat8_scale(Tensor input, SymInt[] block_size, *, float target_max=15.0) -> Tensor",
    dtypes=legal.FLOATS,
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@hifloat8_scale.infer
def _infer(input: host.Tensor, block_size: host.Shape, target_max: float) -> host.Tensor:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_block_size(block_size, input.shape)
    legal.require_target_max(target_max)
    return host.dense(legal.scale_shape(input.shape, block_size), host.float32)


@hifloat8_scale.reference
def _reference(input: Tensor, block_size: list[int], target_max: float) -> Tensor:
    """For every block what brings its largest finite magnitude to `target_max`.

    `block_size` has one entry for each dimension, -1 for all of it; the last block may be short. The result is float32
    with one element for each block: the magnitude over `target_max`, and 1 where that is 0 or subnormal. HiFloat8 is
    most exact around 1, so that the default is 15, not its largest number.
    """
    return hifloat8.scale_of(input, block_size, target_max)


hifloat8_scale.oracle(oracle.scale_of)


@hifloat8_scale.vmap
def _vmap(size: int, batched: tuple[str, ...], input: Tensor, block_size: list[int], target_max: float) -> Tensor:
    return torch.ops.opwright.hifloat8_scale(input, [1, *block_size], target_max=target_max)


def _asc_takes(input: Facts, block_size: list[int], target_max: float) -> str | None:
    return rows.not_rows(input, block_size)


@hifloat8_scale.provider("kernel", supports=_asc_takes)
def _asc(input: Tensor, block_size: list[int], target_max: float) -> Tensor:
    lines = rows.as_rows(input, block_size)
    largest = torch.empty(len(lines), dtype=torch.float32)
    kernels.largest(lines, largest)
    return hifloat8.scale_of(largest, [1], target_max).view(legal.scale_shape(input.shape, block_size))


@hifloat8_scale.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers, block_size in cases.blocks(dtype, random):
        yield Case(numbers, block_size)
    yield Case(cases.wide_numbers((4, 33), dtype, random), [1, -1], target_max=448.0)


@hifloat8_scale.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random), [1, -1])


@hifloat8_scale.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, dtype=torch.int32), [1])
    yield "too few entries", Case(torch.ones(2, 2), [1])
    yield "a length of 0", Case(torch.ones(2), [0])
    yield "target_max", Case(torch.ones(2), [1], target_max=0.0)


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::hifloat8_scale {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    return plan_groups(call, tensor_of(call, 0), call->inputs[1], call->outputs[0]);
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    DLTensor& scale = call->outputs[0];
    const Blocks blocks(input, call->inputs[1], scale);
    const auto target = static_cast<float>(call->inputs[2].held.number);
    for (int64_t group = begin; group < end; ++group) find_scales(input, blocks, scale, group, target);
}

}  // namespace opwright::hifloat8_scale
"""
