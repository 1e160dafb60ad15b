"""`silu_and_mul`: the first half of each row, through silu, times the second half.

In: rows [gate | up] along the last dimension, of any strides and of even length. Out: rows of half the length, dense,
of the same dtype. It is computed in float32 (float64 for float64) and rounded once.
"""

from __future__ import annotations

import torch
from torch import Tensor

from opwright import host, tile
from opwright.operators import operator
from opwright.operators._gated import gated

silu_and_mul = operator(
    "silu_and_mul(Tensor input) -> Tensor",
    dtypes=host.FLOATS,
    gradient="exact",
    providers={"cpu": ("native", "kernel", "reference")},
    rows=("input",),
    also=("_C::silu_and_mul(Tensor! result, Tensor input) -> ()",),  # vLLM's
)


def _silu(gate: Tensor) -> Tensor:
    """silu(gate) = gate / (1 + exp(-gate))"""
    return gate * torch.sigmoid(gate)


def _slope(gate: Tensor) -> Tensor:
    sigmoid = torch.sigmoid(gate)
    return sigmoid * (1 + gate * (1 - sigmoid))


@tile.jit
def silu(gate):  # type: ignore[no-untyped-def]
    """Where e^-gate overflows, a gate divided by infinity is 0."""
    return gate / (1.0 + tile.exp(-gate))


gated(silu_and_mul, _silu, _slope, silu)

NATIVE = r"""
#include "opwright/floats.h"
#include "opwright/plan.h"

namespace opwright::silu_and_mul {

const char* plan(OpwrightCall* call) {
    const DLTensor& input = tensor_of(call, 0);
    call->parts = Rows(input).count();
    call->grain = grain_of_rows(4 * width_of(input));
    return nullptr;
}

template <typename T>
void run_rows(const OpwrightCall* call, int64_t begin, int64_t end) {
    const auto gated = [](auto math, auto gate, auto up) { return gate / (1 + math.exp(-gate)) * up; };
    const DLTensor& input = tensor_of(call, 0);
    const DLTensor& y = call->outputs[0];
    const Rows from(input), to(y);
    const int64_t half = width_of(input) / 2, step = from.step();
    for (int64_t row = begin; row < end; ++row) {
        const T* gates = static_cast<const T*>(input.data) + from.begin(row);
        T* out = static_cast<T*>(y.data) + to.begin(row);
        map(gated, half, Run<T>{out, to.step()}, Run<const T>{gates, step}, Run<const T>{gates + half * step, step});
    }
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLDataType dtype = tensor_of(call, 0).dtype;
    if (is(dtype, kFloat16)) return run_rows<Half>(call, begin, end);
    if (is(dtype, kBFloat16)) return run_rows<BFloat16>(call, begin, end);
    if (is(dtype, kFloat32)) return run_rows<float>(call, begin, end);
    run_rows<double>(call, begin, end);
}

}  // namespace opwright::silu_and_mul
"""
