"""`gelu_tanh_and_mul`: the first half of each row, through GELU in its tanh form, times the second half.

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

gelu_tanh_and_mul = operator(
    "gelu_tanh_and_mul(Tensor input) -> Tensor",
    dtypes=host.FLOATS,
    gradient="exact",
    providers={"cpu": ("native", "kernel", "reference")},
    rows=("input",),
    also=("_C::gelu_tanh_and_mul(Tensor! result, Tensor input) -> ()",),  # vLLM's
)

_ROOT = 0.7978845608028654  # of 2 / pi
_CUBE = 0.044715


def _gelu_tanh(gate: Tensor) -> Tensor:
    """gelu_tanh(gate) = gate / 2 * (1 + tanh(sqrt(2 / pi) * (gate + 0.044715 * gate**3)))"""
    return torch.nn.functional.gelu(gate, approximate="tanh")


def _slope(gate: Tensor) -> Tensor:
    tanh = torch.tanh(_ROOT * (gate + _CUBE * gate**3))
    return (1 + tanh) / 2 + gate / 2 * (1 - tanh**2) * _ROOT * (1 + 3 * _CUBE * gate**2)


@tile.jit
def gelu_tanh(gate):  # type: ignore[no-untyped-def]
    """(1 + tanh(u)) / 2 is 1 / (1 + e^-2u): where that overflows, a gate divided by infinity is 0."""
    return gate / (1.0 + tile.exp(gate * (-2.0 * _ROOT - 2.0 * _ROOT * _CUBE * gate * gate)))


def _of_one(gate: float) -> float:
    """By e^-2|u|, which does not overflow: half of 1 + tanh(u) is 1 / (1 + e^-2u)."""
    small = math.exp(-2 * math.sqrt(2 / math.pi) * abs(gate + 0.044715 * gate**3))
    return gate * (1 if gate > 0 else small) / (1 + small)


gated(gelu_tanh_and_mul, _gelu_tanh, _slope, gelu_tanh, _of_one)

NATIVE = r"""
#include "opwright/gated.h"

namespace opwright::gelu_tanh_and_mul {

const char* plan(OpwrightCall* call) { return gated::plan(call); }

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const auto gelu_tanh = [](auto math, auto gate) {
        using Number = decltype(gate);
        constexpr Number kRoot = Number(0.7978845608028654), kCube = Number(0.044715);
        return gate / (1 + math.exp(gate * (-2 * kRoot - 2 * kRoot * kCube * gate * gate)));
    };
    gated::run(gelu_tanh, call, begin, end);
}

}  // namespace opwright::gelu_tanh_and_mul
"""
