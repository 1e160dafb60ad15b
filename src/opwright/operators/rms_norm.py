"""`rms_norm`: every row divided by the root of the mean of its squares, times a weight.

In: rows along the last dimension, of any strides; a weight of the row's length or none. Out: the same dtype and shape,
dense. It is computed in float32 (float64 for float64) and rounded once.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import asc, host
from opwright.operators import Case, Facts, operator
from opwright.operators._tiles import TILE, load, store

rms_norm = operator(
    "rms_norm(Tensor x, Tensor? weight, float epsilon, int? variance_size=None) -> Tensor",
    dtypes=host.FLOATS,
    gradient="exact",
    in_place=True,
    providers={"cpu": ("native", "reference", "asc")},
    rows=("x",),
)


@rms_norm.infer
def _infer(x: host.Tensor, weight: host.Tensor | None, epsilon: float, variance_size: int | None) -> host.Tensor:
    host.require_dtype("x", x, host.FLOATS)
    host.require(x.ndim >= 1, "x must have at least one dimension")
    width = x.shape[-1]
    if weight is not None:
        host.require_dtype("weight", weight, host.FLOATS)
        host.require_device("weight", weight, "x", x)
        host.require(
            weight.ndim == 1 and weight.shape[0] == width,
            f"weight must have the shape [{width}] of a row of x, not {list(weight.shape)}",
        )
    if variance_size is not None:
        host.require(
            0 < variance_size <= width,
            f"variance_size must be from 1 to {width}, the length of a row, not {variance_size}",
        )
    return host.dense(x.shape, x.dtype)


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype == torch.float64 else x.float()


@rms_norm.reference
def _reference(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None) -> Tensor:
    """Divides every row by the root of the mean of its squares, and multiplies it by a weight.

    `y = x / sqrt(mean(x**2) + epsilon) * weight` over the last dimension; the mean uses only the first
    `variance_size` elements, if that is given. Computed in float32, or float64 for float64, and rounded once, as
    `F.rms_norm` does. `weight` may have another float dtype than `x`. The result has the dtype of `x`.
    """
    wide = _wide(x)
    counted = wide if variance_size is None else wide[..., :variance_size]
    y = wide * torch.rsqrt(counted.square().mean(-1, keepdim=True) + epsilon)
    if weight is not None:
        y = y * weight.to(y.dtype)
    return y.to(x.dtype).contiguous()


@rms_norm.backward
def _backward(
    grad: Tensor, needed: tuple[bool, ...], x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None
) -> tuple[Tensor | None, Tensor | None]:
    """With r the factor of a row, g = grad * weight and n the elements that count:

    dx = r * g - x * r**3 / n * sum(g * x), the second term for those that count only; dweight = sum(grad * x * r).
    """
    wide, wide_grad = _wide(x), _wide(grad)
    counted = wide if variance_size is None else wide[..., :variance_size]
    factor = torch.rsqrt(counted.square().mean(-1, keepdim=True) + epsilon)
    weighted = wide_grad if weight is None else wide_grad * weight.to(wide.dtype)
    dx = dweight = None
    if needed[0]:
        mean = (weighted * wide).sum(-1, keepdim=True) / counted.shape[-1]
        through_mean = counted * factor**3 * mean
        if variance_size is not None:
            through_mean = torch.nn.functional.pad(through_mean, (0, x.shape[-1] - variance_size))
        dx = (factor * weighted - through_mean).to(x.dtype)
    if weight is not None and needed[1]:
        dweight = (wide_grad * wide * factor).sum_to_size(weight.shape).to(weight.dtype)
    return dx, dweight


@asc.jit
def rms_norm_kernel(
    x: asc.GlobalAddress,
    weight: asc.GlobalAddress,
    y: asc.GlobalAddress,
    rows: int,
    width: int,
    counted: int,
    epsilon: float,
) -> None:
    """Rows go round-robin over the cores; each is read twice: for the sum of its squares, and for the results."""
    x_gm = asc.GlobalTensor()
    weight_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * width)
    weight_gm.set_global_buffer(weight, width)
    y_gm.set_global_buffer(y, rows * width)
    pipe = asc.TPipe()  # reduce_sum takes event ids from it
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 16 * TILE + 32)
    wide = buffer.get_with_offset(TILE, 0, asc.float32)
    room = buffer.get_with_offset(TILE, 4 * TILE, asc.float32)
    found = buffer.get_with_offset(8, 8 * TILE, asc.float32)
    narrow = buffer.get_with_offset(TILE, 8 * TILE + 32, x.dtype)
    weights = buffer.get_with_offset(TILE, 12 * TILE + 32, asc.float32)
    for row in range(asc.get_block_idx(), rows, asc.get_block_num()):
        start = row * width
        total = 0.0
        for begin in range(0, counted, TILE):
            count = min(TILE, counted - begin)
            load(wide, narrow, x_gm, start + begin, count)
            asc.mul(wide, wide, wide, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.reduce_sum(found, wide, room, count)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            total = total + found.get_value(0)
        asc.duplicate(found, total / counted + epsilon, 8)
        asc.pipe_barrier(asc.PipeID.PIPE_V)
        asc.sqrt(found, found, 8)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        factor = 1.0 / found.get_value(0)
        for begin in range(0, width, TILE):
            count = min(TILE, width - begin)
            load(weights, weights, weight_gm, begin, count)
            load(wide, narrow, x_gm, start + begin, count)
            asc.muls(wide, wide, factor, count)
            asc.pipe_barrier(asc.PipeID.PIPE_V)
            asc.mul(wide, wide, weights, count)
            store(y_gm, narrow, wide, start + begin, count)


def _asc_takes(x: Facts, weight: Facts | None, epsilon: float, variance_size: int | None) -> str | None:
    return "the vector unit has no float64" if x.dtype == torch.float64 else None


@rms_norm.provider("asc", supports=_asc_takes)
def _asc(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None) -> Tensor:
    width = x.shape[-1]
    y = torch.empty(x.shape, dtype=x.dtype)
    rows = x.numel() // max(1, width)
    if rows:
        factors = torch.ones(width) if weight is None else weight.float().contiguous()
        counted = width if variance_size is None else variance_size
        cores = min(rows, 8)
        rms_norm_kernel[cores](x.contiguous().view(-1), factors, y.view(-1), rows, width, counted, epsilon)
    return y


@rms_norm.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)

    for shape in ((0, 8), (3, 0), (1,), (5,), (2, 3, 33), (7, 64), (4, 1024)):
        yield Case(numbers(*shape), numbers(shape[-1]), 1e-6)
    yield Case(numbers(3, 40), None, 1e-5)
    yield Case(numbers(3, 40), numbers(40).float(), 1e-5)
    yield Case(numbers(5, 24), numbers(24), 0.5, 10)
    yield Case(numbers(300, 513), numbers(513), 1e-6, large=True)


@rms_norm.mistakes
def _mistakes() -> Iterator[tuple[str, Case]]:
    x, weight = torch.ones(2, 8), torch.ones(8)
    yield "dtype", Case(x.int(), None, 1e-6)
    yield "dtype of weight", Case(x, weight.int(), 1e-6)
    yield "no dimension", Case(torch.ones(()), None, 1e-6)
    yield "weight too long", Case(x, torch.ones(9), 1e-6)
    yield "weight of two dimensions", Case(x, torch.ones(1, 8), 1e-6)
    yield "weight on another device", Case(x, weight.to("meta"), 1e-6)
    yield "variance_size of 0", Case(x, weight, 1e-6, 0)
    yield "variance_size too large", Case(x, weight, 1e-6, 9)


NATIVE = r"""
#include "opwright/plan.h"

namespace opwright::rms_norm {

enum Note { WEIGHT_STEP, COUNTED, WEIGHT_KIND };

int32_t plan(OpwrightCall* call) {
    const DLTensor& x = *call->input[0].tensor;
    if (!is_float(x.dtype) || x.ndim < 1) return refuse(call, "x is no tensor of floats with a dimension");
    const int64_t width = x.shape[x.ndim - 1];
    call->notes[WEIGHT_KIND] = 0;
    if (call->input[1].kind == kOpwrightTensor) {
        const DLTensor& weight = *call->input[1].tensor;
        if (weight.ndim != 1 || weight.shape[0] != width) return refuse(call, "weight does not fit the rows of x");
        const bool is_alike = is(weight.dtype, x.dtype);
        if (!is_alike && !is(weight.dtype, kFloat32)) return refuse(call, "weight is neither of x's dtype nor float32");
        call->notes[WEIGHT_KIND] = is_alike ? 1 : 2;
        call->notes[WEIGHT_STEP] = weight.strides[0];
    }
    const bool is_part = call->input[3].kind == kOpwrightInteger;
    call->notes[COUNTED] = is_part ? call->input[3].integer : width;
    if (is_part && (call->notes[COUNTED] < 1 || call->notes[COUNTED] > width)) {
        return refuse(call, "variance_size is no part of a row");
    }
    DLTensor& y = call->output[0];
    if (!call->given) {
        make_dense(y, x.dtype, x.shape, x.ndim);
    } else if (!is(y.dtype, x.dtype) || !has_shape(y, x.shape, x.ndim)) {
        return refuse(call, "out has another shape or dtype");
    }
    call->parts = width == 0 ? 0 : Rows(x).count();
    call->grain = grain_of_rows(width);
    return kOpwrightTaken;
}

// Sums in sixteen lanes, so that the order, and with it every bit, is the same for every instruction set.
template <typename T, typename Number = typename Computed<T>::Type>
inline Number sum_of_squares(const T* x, int64_t step, int64_t count) {
    Number lanes[16] = {};
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int k = 0; k < 16; ++k) {
            const Number value = widen(x[(i + k) * step]);
            lanes[k] += value * value;
        }
    }
    for (int k = 0; i < count; ++i, ++k) {
        const Number value = widen(x[i * step]);
        lanes[k] += value * value;
    }
    for (int half = 8; half; half /= 2) {
        for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    }
    return lanes[0];
}

template <typename T, typename W, typename Number = typename Computed<T>::Type>
inline void scale(const T* x, int64_t x_step, const W* weight, int64_t weight_step, T* y, int64_t y_step, int64_t width,
                  Number factor) {
    for (int64_t i = 0; i < width; ++i) {
        Number value = widen(x[i * x_step]) * factor;
        if (weight) value *= widen(weight[i * weight_step]);
        y[i * y_step] = narrow<T>(value);
    }
}

template <typename T, typename W>
inline void run_rows(const OpwrightCall* call, int64_t begin, int64_t end) {
    using Number = typename Computed<T>::Type;
    const DLTensor& x = *call->input[0].tensor;
    const DLTensor& y = call->output[0];
    const W* weight = call->notes[WEIGHT_KIND] ? static_cast<const W*>(call->input[1].tensor->data) : nullptr;
    const Rows x_rows(x), y_rows(y);
    const int64_t width = x.shape[x.ndim - 1], counted = call->notes[COUNTED];
    const int64_t x_step = x_rows.step(), y_step = y_rows.step(), weight_step = weight ? call->notes[WEIGHT_STEP] : 1;
    const bool is_dense = x_step == 1 && y_step == 1 && weight_step == 1;
    const auto epsilon = static_cast<Number>(call->input[2].number);
    for (int64_t row = begin; row < end; ++row) {
        const T* from = static_cast<const T*>(x.data) + x_rows.begin(row);
        T* to = static_cast<T*>(y.data) + y_rows.begin(row);
        const Number sum = x_step == 1 ? sum_of_squares(from, 1, counted) : sum_of_squares(from, x_step, counted);
        const Number factor = 1 / std::sqrt(sum / static_cast<Number>(counted) + epsilon);
        if (is_dense) {
            scale(from, 1, weight, 1, to, 1, width, factor);
        } else {
            scale(from, x_step, weight, weight_step, to, y_step, width, factor);
        }
    }
}

template <typename T>
inline void run_as(const OpwrightCall* call, int64_t begin, int64_t end) {
    call->notes[WEIGHT_KIND] == 2 ? run_rows<T, float>(call, begin, end) : run_rows<T, T>(call, begin, end);
}

OPWRIGHT_CLONES void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLDataType dtype = call->input[0].tensor->dtype;
    if (is(dtype, kFloat16)) return run_as<Half>(call, begin, end);
    if (is(dtype, kBFloat16)) return run_as<BFloat16>(call, begin, end);
    if (is(dtype, kFloat32)) return run_as<float>(call, begin, end);
    run_as<double>(call, begin, end);
}

}  // namespace opwright::rms_norm

OPWRIGHT_OPERATOR(rms_norm, opwright::rms_norm::plan, opwright::rms_norm::run);
"""
