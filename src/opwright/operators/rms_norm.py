"""`rms_norm`: every row divided by the root of the mean of its squares, times a weight.

In: rows along the last dimension, of any strides; a weight of the row's length or none. Out: the same dtype and shape,
dense. It is computed in float32 (float64 for float64) and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from opwright import host, tile
from opwright.operators import Case, operator
from opwright.operators._rowwise import KERNEL_FLOATS, wide

rms_norm = operator(
    "rms_norm(Tensor x, Tensor? weight, float epsilon, int? variance_size=None) -> Tensor",
    dtypes=host.FLOATS,
    gradient="exact",
    writes={"x": 0},
    providers={"cpu": ("native", "reference", "kernel")},
    rows=("x",),
    synonyms={"epsilon": "eps"},  # as in torch.nn.functional.rms_norm
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


@rms_norm.reference
def _reference(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None) -> Tensor:
    """Divides every row by the root of the mean of its squares, and multiplies it by a weight.

    `y = x / sqrt(mean(x**2) + epsilon) * weight` over the last dimension; the mean uses only the first
    `variance_size` elements, if that is given. Computed in float32, or float64 for float64, and rounded once, as
    `F.rms_norm` does. `weight` may have another float dtype than `x`. The result has the dtype of `x`.
    """
    numbers = wide(x)
    counted = numbers if variance_size is None else numbers[..., :variance_size]
    y = numbers * torch.rsqrt(counted.square().mean(-1, keepdim=True) + epsilon)
    if weight is not None:
        y = y * weight.to(y.dtype)
    return y.to(x.dtype).contiguous()


@rms_norm.oracle
def _oracle(x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None) -> Tensor:
    """Rows of Python's numbers, one at a time."""
    width = x.shape[-1]
    factors = [1.0] * width if weight is None else weight.tolist()
    rows = x.double().reshape(math.prod(x.shape[:-1]), width).tolist()
    for row in rows:
        counted = row[:variance_size]
        root = math.sqrt(math.fsum(one * one for one in counted) / max(len(counted), 1) + epsilon)
        row[:] = [one / root * factor for one, factor in zip(row, factors, strict=True)]
    return torch.tensor(rows, dtype=torch.float64).reshape(x.shape)


@rms_norm.backward
def _backward(
    grad: Tensor, needed: tuple[bool, ...], x: Tensor, weight: Tensor | None, epsilon: float, variance_size: int | None
) -> tuple[Tensor | None, Tensor | None]:
    """With r the factor of a row, g = grad * weight and n the elements that count:

    dx = r * g - x * r**3 / n * sum(g * x), the second term for those that count only; dweight = sum(grad * x * r).
    """
    numbers, wide_grad = wide(x), wide(grad)
    counted = numbers if variance_size is None else numbers[..., :variance_size]
    factor = torch.rsqrt(counted.square().mean(-1, keepdim=True) + epsilon)
    weighted = wide_grad if weight is None else wide_grad * weight.to(numbers.dtype)
    dx = dweight = None
    if needed[0]:
        mean = (weighted * numbers).sum(-1, keepdim=True) / counted.shape[-1]
        through_mean = counted * factor**3 * mean
        if variance_size is not None:
            through_mean = torch.nn.functional.pad(through_mean, (0, x.shape[-1] - variance_size))
        dx = (factor * weighted - through_mean).to(x.dtype)
    if weight is not None and needed[1]:
        dweight = (wide_grad * numbers * factor).sum_to_size(weight.shape).to(weight.dtype)
    return dx, dweight


@tile.jit
def rms_norm_rows(
    x: tile.Tensor,
    weight: tile.Tensor,
    y: tile.Tensor,
    epsilon: float,
    ROWS: tile.constexpr = 16,
    COLS: tile.constexpr = 512,
) -> None:
    """Short rows, many of them in one tile. The weight is loaded once for each core."""
    cols = tile.whole(x.shape[1], COLS)
    factor = weight[cols].to(tile.float32)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        root = tile.rsqrt((t * t).mean(axis=1, keepdims=True) + epsilon)
        y[rows, cols] = (t * root * factor).to(y.dtype)


@tile.jit
def rms_norm_row(
    x: tile.Tensor, weight: tile.Tensor, y: tile.Tensor, epsilon: float, COLS: tile.constexpr = 8192
) -> None:
    """Rows that fit the unified buffer, one in each tile. The weight is loaded once for each core."""
    cols = tile.whole(x.shape[1], COLS)
    factor = weight[cols].to(tile.float32)
    for row in tile.parallel(x.shape[0]):
        t = x[row, cols].to(tile.float32)
        y[row, cols] = (t * tile.rsqrt((t * t).mean() + epsilon) * factor).to(y.dtype)


@tile.jit
def rms_norm_parts(
    x: tile.Tensor,
    weight: tile.Tensor,
    y: tile.Tensor,
    is_weighted: bool,
    epsilon: float,
    counted: int,
    ROWS: tile.constexpr = 4,
    COLS: tile.constexpr = 2048,
) -> None:
    """All others: rows of any length, in parts that are read twice. The weight is loaded once for four rows."""
    for rows in tile.parallel(x.shape[0], ROWS):
        total = tile.zeros((ROWS, 1))
        for cols in tile.range(counted, COLS, stages=2):
            t = x[rows, cols].to(tile.float32)
            total = total + (t * t).sum(axis=1, keepdims=True)
        root = tile.rsqrt(total / counted + epsilon)
        for cols in tile.range(x.shape[1], COLS, stages=2):
            normed = x[rows, cols].to(tile.float32) * root
            if is_weighted:
                normed = normed * weight[cols].to(tile.float32)
            y[rows, cols] = normed.to(y.dtype)


VARIANTS = [(dtype, dtype, dtype) for dtype in KERNEL_FLOATS]
RANKS = (2, 1, 2)
_of_rows = host.launch_of(rms_norm_rows, VARIANTS, RANKS)
_of_row = host.launch_of(rms_norm_row, VARIANTS, RANKS)
_of_parts = host.launch_of(rms_norm_parts, VARIANTS, RANKS)
rms_norm.kernel(rms_norm_rows, VARIANTS, RANKS)
rms_norm.kernel(rms_norm_row, VARIANTS, RANKS)
rms_norm.kernel(rms_norm_parts, VARIANTS, RANKS)


@rms_norm.launch
def _launch(
    x: host.Tensor,
    weight: host.Tensor | None,
    epsilon: float,
    variance_size: int | None,
    y: host.Tensor,
    soc: host.Soc,
) -> host.Launch:
    rows, results = host.rows("x", x), host.rows("y", y)
    width = x.shape[-1]
    counted = variance_size if variance_size is not None else width
    factor = weight if weight is not None else host.dense((width,), x.dtype)  # one that is absent is not read
    if weight is not None and counted == width and width <= 512:
        return _of_rows(rows, factor, results, epsilon, soc)
    if weight is not None and counted == width and width <= 8192:
        return _of_row(rows, factor, results, epsilon, soc)
    return _of_parts(rows, factor, results, weight is not None, epsilon, counted, soc)


@rms_norm.cases
def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    def numbers(*shape: int) -> Tensor:
        return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)

    for shape in ((0, 8), (3, 0), (1,), (5,), (2, 3, 33), (7, 64), (4, 1024)):
        yield Case(numbers(*shape), numbers(shape[-1]), 1e-6)
    yield Case(numbers(3, 40), None, 1e-5)
    yield Case(numbers(3, 40), numbers(40).float(), 1e-5)
    yield Case(numbers(2, 600), numbers(600).float(), 1e-5)
    yield Case(numbers(5, 24), numbers(24), 0.5, 10)
    yield Case(numbers(5, 24), numbers(24).float(), 0.5, 10)
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
#include <type_traits>
#include <vector>

#include "opwright/floats.h"
#include "opwright/plan.h"

namespace opwright::rms_norm {

const char* plan(OpwrightCall* call) {
    const DLTensor& x = tensor_of(call, 0);
    call->parts = Rows(x).count();
    call->grain = grain_of_rows(width_of(x));
    return nullptr;
}

const auto add_square = [](auto math, auto sum, auto one) { return math.fma(one, one, sum); };

template <typename Number>
auto scaled_by(Number factor) {
    return [factor](auto, Number one, Number by) { return one * factor * by; };
}

template <typename T, typename Number = typename Computed<T>::Type>
void run_rows(const OpwrightCall* call, const Number* weight, int64_t begin, int64_t end) {
    const DLTensor& x = tensor_of(call, 0);
    const DLTensor& y = call->outputs[0];
    const Rows x_rows(x), y_rows(y);
    const int64_t width = width_of(x), counted = is_given(call, 3) ? call->inputs[3].held.integer : width;
    const auto epsilon = static_cast<Number>(call->inputs[2].held.number);
    for (int64_t row = begin; row < end; ++row) {
        const Run<const T> from{static_cast<const T*>(x.data) + x_rows.begin(row), x_rows.step()};
        const Run<T> to{static_cast<T*>(y.data) + y_rows.begin(row), y_rows.step()};
        const Number mean = fold(add_square, counted, from) / static_cast<Number>(counted);
        const Number factor = 1 / std::sqrt(mean + epsilon);
        map(scaled_by(factor), width, to, from, Run<const Number>{weight});
    }
}

template <typename T, typename Number>
const Number* taken(const DLTensor& weight, std::vector<Number>& space) {
    const Run<const T> from{static_cast<const T*>(weight.data), Rows(weight).step()};
    if constexpr (std::is_same_v<T, Number>) {
        if (from.step == 1) return from.data;
    }
    space.resize(static_cast<size_t>(width_of(weight)));
    take_as(from, width_of(weight), space.data());
    return space.data();
}

// The weight, or ones, as numbers that are computed with: where it lies if it is of such, else in `space`.
template <typename Number>
const Number* weight_of(const OpwrightCall* call, std::vector<Number>& space) {
    if (!is_given(call, 1)) {
        space.assign(static_cast<size_t>(width_of(tensor_of(call, 0))), 1);
        return space.data();
    }
    const DLTensor& weight = tensor_of(call, 1);
    if (is(weight.dtype, kFloat16)) return taken<Half>(weight, space);
    if (is(weight.dtype, kBFloat16)) return taken<BFloat16>(weight, space);
    if (is(weight.dtype, kFloat32)) return taken<float>(weight, space);
    return taken<double>(weight, space);
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
