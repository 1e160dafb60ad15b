"""`silu_and_mul`: the first half of each row, through silu, times the second half.

In: rows [gate | up] along the last dimension, of any strides and of even length. Out: rows of half the length, dense,
of the same dtype. It is computed in float32 (float64 for float64) and rounded once.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import asc, host
from opwright.operators import Case, Facts, operator
from opwright.operators._tiles import TILE, load, store

silu_and_mul = operator(
    "silu_and_mul(Tensor input) -> Tensor",
    dtypes=host.FLOATS,
    gradient="exact",
    providers={"cpu": ("native", "reference", "asc")},
    rows=("input",),
    also=("_C::silu_and_mul(Tensor! result, Tensor input) -> ()",),  # vLLM's
)


@silu_and_mul.infer
def _infer(input: host.Tensor) -> host.Tensor:
    host.require_dtype("input", input, host.FLOATS)
    host.require(input.ndim >= 1, "input must have at least one dimension")
    width = input.shape[-1]
    host.require(width % 2 == 0, f"input must have rows of even length, gate and up, not of {width}")
    return host.dense((*input.shape[:-1], width // 2), input.dtype)


def _halves(input: Tensor) -> tuple[Tensor, Tensor]:
    wide = input if input.dtype == torch.float64 else input.float()
    half = input.shape[-1] // 2
    return wide[..., :half], wide[..., half:]


@silu_and_mul.reference
def _reference(input: Tensor) -> Tensor:
    """Multiplies the second half of every row by silu of the first: the activation of gated feed-forward layers.

    `y = gate / (1 + exp(-gate)) * up` with `gate, up = input.chunk(2, -1)`. Computed in float32, or float64 for
    float64, and rounded once. The result has the dtype of `input` and rows of half its length.
    """
    gate, up = _halves(input)
    return (gate * torch.sigmoid(gate) * up).to(input.dtype).contiguous()


@silu_and_mul.backward
def _backward(grad: Tensor, needed: tuple[bool, ...], input: Tensor) -> Tensor:
    """With s = sigmoid(gate): dgate = grad * up * s * (1 + gate * (1 - s)); dup = grad * gate * s."""
    gate, up = _halves(input)
    wide = grad.to(gate.dtype)
    sigmoid = torch.sigmoid(gate)
    into_gate = wide * up * sigmoid * (1 + gate * (1 - sigmoid))
    return torch.cat((into_gate, wide * gate * sigmoid), -1).to(input.dtype)


@asc.jit
def silu_and_mul_kernel(input: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, half: int) -> None:
    """Rows are distributed round-robin over the cores; each row is processed in tiles."""
    input_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    input_gm.set_global_buffer(input, 2 * rows * half)
    y_gm.set_global_buffer(y, rows * half)
    gate = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, TILE)
    up = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4 * TILE, TILE)
    below = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8 * TILE, TILE)
    narrow = asc.LocalTensor(input.dtype, asc.TPosition.VECCALC, 12 * TILE, TILE)
    for row in range(asc.get_block_idx(), rows, asc.get_block_num()):
        for begin in range(0, half, TILE):
            count = min(TILE, half - begin)
            load(gate, narrow, input_gm, 2 * row * half + begin, count)
            load(up, narrow, input_gm, (2 * row + 1) * half + begin, count)
            # 1 / (1 + e^-gate): where e^-gate overflows, a gate divided by infinity is 0.
            asc.muls(below, gate, -1.0, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.exp(below, below, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.adds(below, below, 1.0, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.div(gate, gate, below, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.mul(gate, gate, up, count)
            store(y_gm, narrow, gate, row * half + begin, count)


@silu_and_mul.launch
def _launch(input: host.Tensor, y: host.Tensor, soc: host.Soc) -> host.Launch:
    half = y.shape[-1]
    rows = y.numel // host.max(1, half)
    return host.Launch("silu_and_mul_kernel", blocks=host.min(rows, soc.vector_cores), arguments=(rows, half))


def _asc_takes(input: Facts) -> str | None:
    return "the vector unit has no float64" if input.dtype == torch.float64 else None


@silu_and_mul.provider("asc", supports=_asc_takes)
def _asc(input: Tensor) -> Tensor:
    y = torch.empty((*input.shape[:-1], input.shape[-1] // 2), dtype=input.dtype)
    launch = silu_and_mul.launch_for(input, y)
    if launch.blocks:
        silu_and_mul_kernel[launch.blocks](input.contiguous().view(-1), y.view(-1), *launch.arguments)
    return y


@silu_and_mul.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in ((0, 8), (3, 0), (2,), (10,), (2, 3, 66), (7, 64)):
        yield Case(torch.randn(shape, generator=random, dtype=torch.float64).to(dtype))
    # Far from 0, where e^-gate overflows or vanishes.
    yield Case((100 * torch.randn((5, 40), generator=random, dtype=torch.float64)).to(dtype))
    yield Case(torch.randn((300, 1026), generator=random, dtype=torch.float64).to(dtype), large=True)


@silu_and_mul.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(torch.randn((rows, 8192), generator=random).to(dtype))


@silu_and_mul.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, 8, dtype=torch.int32))
    yield "no dimension", Case(torch.ones(()))
    yield "odd rows", Case(torch.ones(2, 7))


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

OPWRIGHT_CLONES void gated(const float* gate, const float* up, float* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) out[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
}

void gated(const double* gate, const double* up, double* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i) out[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
}

template <typename T>
void run_rows(const OpwrightCall* call, int64_t begin, int64_t end) {
    typename Computed<T>::Type gate[kPiece], up[kPiece], made[kPiece];
    const DLTensor& input = tensor_of(call, 0);
    const DLTensor& y = call->outputs[0];
    const Rows from(input), to(y);
    const int64_t half = width_of(input) / 2, step = from.step(), out_step = to.step();
    for (int64_t row = begin; row < end; ++row) {
        const T* gates = static_cast<const T*>(input.data) + from.begin(row);
        const T* ups = gates + half * step;
        T* out = static_cast<T*>(y.data) + to.begin(row);
        for (int64_t i = 0; i < half; i += kPiece) {
            const int64_t count = half - i < kPiece ? half - i : kPiece;
            auto* place = computed_in(out + i * out_step, out_step, made);
            gated(widened(gates + i * step, step, count, gate), widened(ups + i * step, step, count, up), place, count);
            narrowed(place, out + i * out_step, out_step, count);
        }
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
