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
    writes={"x": 0},
    providers={"cpu": ("native", "reference", "asc")},
    rows=("x",),
    also=("_C::rms_norm(Tensor! result, Tensor input, Tensor? weight, float epsilon) -> ()",),  # vLLM's
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


@rms_norm.launch
def _launch(
    x: host.Tensor,
    weight: host.Tensor | None,
    epsilon: float,
    variance_size: int | None,
    y: host.Tensor,
    soc: host.Soc,
) -> host.Launch:
    width = x.shape[-1]
    rows = x.numel // host.max(1, width)
    counted = variance_size if variance_size is not None else width
    blocks = host.min(rows, soc.vector_cores)
    return host.Launch("rms_norm_kernel", blocks=blocks, arguments=(rows, width, counted, epsilon))


def _asc_takes(x: Facts, weight: Facts | None, epsilon: float, variance_size: int | None) -> str | None:
    return "the vector unit has no float64" if x.dtype == torch.float64 else None


@rms_norm.provider("asc", supports=_asc_takes)
def _asc(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None) -> Tensor:
    y = torch.empty(x.shape, dtype=x.dtype)
    launch = rms_norm.launch_for(x, weight, epsilon, variance_size, y)
    if launch.blocks:
        factors = torch.ones(x.shape[-1]) if weight is None else weight.float().contiguous()
        rms_norm_kernel[launch.blocks](x.contiguous().view(-1), factors, y.view(-1), *launch.arguments)
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


@rms_norm.timed
def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    return Case(torch.randn((rows, 4096), generator=random).to(dtype), torch.ones(4096, dtype=dtype), 1e-6)


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
#include <vector>

#include "opwright/floats.h"
#include "opwright/plan.h"

namespace opwright::rms_norm {

const char* plan(OpwrightCall* call) {
    const DLTensor& x = tensor_of(call, 0);
    const bool has_rows = Rows(x).step() == 1 && Rows(call->outputs[0]).step() == 1;
    if (!has_rows || (is_given(call, 1) && Rows(tensor_of(call, 1)).step() != 1)) return kNoRows;
    call->parts = Rows(x).count();
    call->grain = grain_of_rows(width_of(x));
    return nullptr;
}

// Sums in sixteen lanes, so that the order, and with it every bit, is the same for every instruction set.
template <typename Number>
inline void add_squares_to(const Number* x, int64_t count, Number* lanes) {
    Number sums[16];  // that stay in registers
    for (int k = 0; k < 16; ++k) sums[k] = lanes[k];
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int k = 0; k < 16; ++k) sums[k] += x[i + k] * x[i + k];
    }
    for (int k = 0; i < count; ++i, ++k) sums[k] += x[i] * x[i];
    for (int k = 0; k < 16; ++k) lanes[k] = sums[k];
}

template <typename Number>
inline void scale_by(const Number* x, Number factor, const Number* weight, Number* y, int64_t count) {
    if (weight) {
        for (int64_t i = 0; i < count; ++i) y[i] = x[i] * factor * weight[i];
    } else {
        for (int64_t i = 0; i < count; ++i) y[i] = x[i] * factor;
    }
}

OPWRIGHT_CLONES void add_squares(const float* x, int64_t count, float* lanes) { add_squares_to(x, count, lanes); }

OPWRIGHT_CLONES void scale(const float* x, float factor, const float* weight, float* y, int64_t count) {
    scale_by(x, factor, weight, y, count);
}

void add_squares(const double* x, int64_t count, double* lanes) { add_squares_to(x, count, lanes); }

void scale(const double* x, double factor, const double* weight, double* y, int64_t count) {
    scale_by(x, factor, weight, y, count);
}

template <typename T, typename Number = typename Computed<T>::Type>
Number sum_of_squares(const T* x, int64_t count) {
    Number lanes[16] = {}, space[kPiece];
    for (int64_t i = 0; i < count; i += kPiece) {
        const int64_t some = count - i < kPiece ? count - i : kPiece;
        add_squares(widened(x + i, 1, some, space), some, lanes);
    }
    for (int half = 8; half; half /= 2) {
        for (int k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    }
    return lanes[0];
}

template <typename T, typename Number = typename Computed<T>::Type>
void run_rows(const OpwrightCall* call, const Number* weight, int64_t begin, int64_t end) {
    const DLTensor& x = tensor_of(call, 0);
    const DLTensor& y = call->outputs[0];
    const Rows x_rows(x), y_rows(y);
    const int64_t width = width_of(x), counted = is_given(call, 3) ? call->inputs[3].held.integer : width;
    const auto epsilon = static_cast<Number>(call->inputs[2].held.number);
    Number space[kPiece], made[kPiece];
    for (int64_t row = begin; row < end; ++row) {
        const T* from = static_cast<const T*>(x.data) + x_rows.begin(row);
        T* to = static_cast<T*>(y.data) + y_rows.begin(row);
        const Number factor = 1 / std::sqrt(sum_of_squares(from, counted) / static_cast<Number>(counted) + epsilon);
        for (int64_t i = 0; i < width; i += kPiece) {
            const int64_t some = width - i < kPiece ? width - i : kPiece;
            Number* place = computed_in(to + i, 1, made);
            scale(widened(from + i, 1, some, space), factor, weight ? weight + i : nullptr, place, some);
            narrowed(place, to + i, 1, some);
        }
    }
}

template <typename T, typename Number>
void take(const T* from, std::vector<Number>& space) {
    if constexpr (sizeof(T) == 2 && sizeof(Number) == 4) {
        widen_all(from, space.data(), static_cast<int64_t>(space.size()));
    } else {
        for (size_t i = 0; i < space.size(); ++i) space[i] = static_cast<Number>(widen(from[i]));
    }
}

// The weight as numbers that are computed with: where it lies if it is of such, else in `space`.
template <typename Number>
const Number* weight_of(const OpwrightCall* call, std::vector<Number>& space) {
    if (!is_given(call, 1)) return nullptr;
    const DLTensor& weight = tensor_of(call, 1);
    const bool is_double = is(weight.dtype, kFloat64);
    if ((is_double || is(weight.dtype, kFloat32)) && weight.dtype.bits == 8 * sizeof(Number)) {
        return static_cast<const Number*>(weight.data);
    }
    space.resize(static_cast<size_t>(width_of(weight)));
    if (is(weight.dtype, kFloat16)) take(static_cast<const Half*>(weight.data), space);
    if (is(weight.dtype, kBFloat16)) take(static_cast<const BFloat16*>(weight.data), space);
    if (is(weight.dtype, kFloat32)) take(static_cast<const float*>(weight.data), space);
    if (is_double) take(static_cast<const double*>(weight.data), space);
    return space.data();
}

template <typename T>
void run_as(const OpwrightCall* call, int64_t begin, int64_t end) {
    std::vector<typename Computed<T>::Type> space;
    run_rows<T>(call, weight_of(call, space), begin, end);
}

void run(const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLDataType dtype = tensor_of(call, 0).dtype;
    if (is(dtype, kFloat16)) return run_as<Half>(call, begin, end);
    if (is(dtype, kBFloat16)) return run_as<BFloat16>(call, begin, end);
    if (is(dtype, kFloat32)) return run_as<float>(call, begin, end);
    run_as<double>(call, begin, end);
}

}  // namespace opwright::rms_norm
"""
