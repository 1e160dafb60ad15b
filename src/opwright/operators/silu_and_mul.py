"""`silu_and_mul`: the first half of each row, through silu, times the second half.

In: rows [gate | up] along the last dimension, of any strides and of even length. Out: rows of half the length, dense,
of the same dtype. It is computed in float32 (float64 for float64) and rounded once.
"""

from __future__ import annotations

import math

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


def _of_one(gate: float) -> float:
    return gate / 2 * (1 + math.tanh(gate / 2))


gated(silu_and_mul, _silu, _slope, silu, _of_one)

NATIVE = r"""
#include "opwright/gated.h"

namespace opwright::silu_and_mul {

const char* plan(OpwrightCall* call) { return gated::plan(call); }

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const auto silu = [](auto math, auto gate) { return gate / (1 + math.exp(-gate)); };
    gated::run(silu, call, begin, end);
}

}  // namespace opwright::silu_and_mul
"""
