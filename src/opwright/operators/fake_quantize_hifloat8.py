"""`fake_quantize_hifloat8`: what every number is after it was a HiFloat8 code, in one pass.

In: float16, bfloat16 or float32 of any shape and strides; with or without a scale for each block. Out: the same dtype,
laid out as `torch.empty_like` has it. The gradient goes straight through. All providers give the same bits.
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

fake_quantize_hifloat8 = operator(
    "fake_quantize_hifloat8(Tensor input, Tensor? scale=None, SymInt[]? block_size=None, *, "
    'str overflow="saturate") -> Tensor',
    dtypes=legal.FLOATS,
    gradient="straight_through",
    writes={"input": 0},
    providers={"cpu": ("native", "reference", "kernel")},
    tolerance={},
)


@fake_quantize_hifloat8.infer
def _infer(input: host.Tensor, scale: host.Tensor | None, block_size: host.Shape | None, overflow: str) -> host.Tensor:
    host.require_dtype("input", input, legal.FLOATS)
    legal.require_overflow(overflow)
    legal.require_both(scale, block_size)
    if scale is not None and block_size is not None:
        legal.require_block_size(block_size, input.shape)
        legal.require_scale(scale, block_size, input)
    return host.like(input)


@fake_quantize_hifloat8.reference
def _reference(input: Tensor, scale: Tensor | None, block_size: list[int] | None, overflow: str) -> Tensor:
    """What every number is after it was a HiFloat8 code, in its own dtype: encode and decode in one pass.

    With a scale for each block the number is divided by it before and multiplied after; `scale`, `block_size` and
    `overflow` as in `quantize_to_hifloat8`. The gradient of the result goes to `input` as it is, for training with
    quantisation; `scale` gets none.
    """
    return hifloat8.fake_quantize(input, scale, block_size, overflow)


fake_quantize_hifloat8.oracle(oracle.fake_quantize)


@fake_quantize_hifloat8.backward
def _backward(
    grad: Tensor,
    needed: tuple[bool, ...],
    input: Tensor,
    scale: Tensor | None,
    block_size: list[int] | None,
    overflow: str,
) -> tuple[Tensor, None]:
    return grad, None


@fake_quantize_hifloat8.vmap
def _vmap(
    size: int,
    batched: tuple[str, ...],
    input: Tensor,
    scale: Tensor | None,
    block_size: list[int] | None,
    overflow: str,
) -> Tensor:
    if scale is not None and block_size is not None:
        scale, block_size = rows.batch(scale, "scale" in batched, size), [1, *block_size]
    input = rows.batch(input, "input" in batched, size)
    return torch.ops.opwright.fake_quantize_hifloat8(input, scale, block_size, overflow=overflow)


def _asc_takes(input: Facts, scale: Facts | None, block_size: list[int] | None, overflow: str) -> str | None:
    return None if block_size is None else rows.not_rows(input, block_size)


@fake_quantize_hifloat8.provider("kernel", supports=_asc_takes)
def _asc(input: Tensor, scale: Tensor | None, block_size: list[int] | None, overflow: str) -> Tensor:
    values = torch.empty(input.shape, dtype=input.dtype)
    if scale is None or block_size is None:
        kernels.fake_quantize(input.contiguous(), None, values, overflow)
    else:
        lines = rows.as_rows(input, block_size)
        kernels.fake_quantize(lines, scale.reshape(-1).contiguous(), rows.as_rows(values, block_size), overflow)
    return hifloat8.laid_out_as(input, hifloat8.with_one_nan(values))


@fake_quantize_hifloat8.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for numbers in cases.numbers(dtype, random):
        yield Case(numbers)
    for numbers, block_size in cases.blocks(dtype, random):
        yield Case(numbers, cases.scales(numbers, block_size, random), block_size)
    yield Case(cases.wide_numbers((3, 50), dtype, random), overflow="inf")


@fake_quantize_hifloat8.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(cases.numbers_of_rows(rows, dtype, random))


@fake_quantize_hifloat8.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    x = torch.ones(2, 4)
    yield "dtype", Case(x.double())
    yield "overflow", Case(x, overflow="clip")
    yield "scale without block_size", Case(x, torch.ones(2, 1))
    yield "scale of another shape", Case(x, torch.ones(1, 1), [1, -1])


NATIVE = r"""
#include "opwright/hifloat8_operator.h"

namespace opwright::fake_quantize_hifloat8 {

using namespace hifloat8;

const char* plan(OpwrightCall* call) {
    const DLTensor& input = tensor_of(call, 0);
    if (!is_given(call, 1)) return plan_elements(call, input);
    return plan_scaled(call, input, call->inputs[2], tensor_of(call, 1));
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    DLTensor& output = call->outputs[0];
    const bool stream = is_large(input, output);
    const auto overflow = overflow_of(call->inputs[3]);
    const Type type = type_of(input.dtype);
    if (!is_given(call, 1)) {
        Runs(input, output).each(begin, end, [&](int64_t from, int64_t to, int64_t n) {
            path().fake(at(input, from), type, at(output, to), n, overflow, nullptr, 0, stream);
        });
        return;
    }
    const DLTensor& scale = tensor_of(call, 1);
    each_scaled(input, output, call->inputs[2], scale, begin, end,
                [&](int64_t from, int64_t to, int64_t of, int64_t n, bool own) {
                    const auto* scales = scales_at(scale, of);
                    path().fake(at(input, from), type, at(output, to), n, overflow, scales, own, stream);
                });
}

}  // namespace opwright::fake_quantize_hifloat8
"""
