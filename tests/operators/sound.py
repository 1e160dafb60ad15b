"""Sound operators of kinds that the battery must be able to ask, in the namespace sound.

In: nothing. Out: `SOUND`: one with two results, of which one has no gradient; one that rounds and passes the gradient
straight through; one without any gradient and tolerance, that takes its options by name; one whose gradient is a call
of itself; one whose gradient saves a result; one over lists of tensors; and one with a result that may be absent.
"""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from opwright import host
from opwright.operators import Case, operator

FLOATS = (host.float32, host.float64)
SHAPES = ((0, 4), (5,), (3, 4), (2, 5), (4, 6))


def _numbers(shape: tuple[int, ...], dtype: torch.dtype, random: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=random, dtype=torch.float64).to(dtype)


largest = operator(
    "sound::largest(Tensor x) -> (Tensor, Tensor)",
    dtypes=FLOATS,
    gradient="exact",
    providers={"cpu": ("sorting", "reference")},
    rows=("x",),
)


@largest.infer
def _infer_largest(x: host.Tensor) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("x", x, FLOATS)
    host.require(x.ndim >= 1 and x.shape[-1] > 0, "x must have rows with elements")
    return host.dense(x.shape[:-1], x.dtype), host.dense(x.shape[:-1], host.int64)


@largest.reference
def _largest(x: Tensor) -> tuple[Tensor, Tensor]:
    """The largest element of each row, and where it is."""
    places = x.argmax(-1)
    return x.gather(-1, places[..., None])[..., 0].contiguous(), places


@largest.provider("sorting")
def _sorting(x: Tensor) -> tuple[Tensor, Tensor]:
    found, places = x.sort(dim=-1, descending=True, stable=True)
    return found[..., 0].contiguous(), places[..., 0].contiguous()


@largest.backward
def _backward_largest(grad: Tensor, _: Tensor, needed: tuple[bool, ...], x: Tensor) -> Tensor:
    return torch.zeros_like(x).scatter(-1, x.argmax(-1)[..., None], grad[..., None])


@largest.cases
def _cases_largest(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(_numbers(shape, dtype, random))


@largest.mistakes
def _mistakes_largest() -> Iterator[tuple[str, Case]]:
    yield "no rows", Case(torch.ones(()))


rounded = operator(
    "sound::rounded(Tensor x, Tensor step) -> Tensor", dtypes=FLOATS, gradient="straight_through", writes={"x": 0}
)


@rounded.infer
def _infer_rounded(x: host.Tensor, step: host.Tensor) -> host.Tensor:
    host.require_dtype("x", x, FLOATS)
    host.require(step.ndim == 0, "step must be a number")
    host.require_device("step", step, "x", x)
    return host.dense(x.shape, x.dtype)


@rounded.reference
def _rounded(x: Tensor, step: Tensor) -> Tensor:
    """Rounds to multiples of a step."""
    return (torch.round(x / step) * step).to(x.dtype).contiguous()


@rounded.backward
def _backward_rounded(
    grad: Tensor, needed: tuple[bool, ...], x: Tensor, step: Tensor
) -> tuple[Tensor | None, Tensor | None]:
    return grad * 1, None


@rounded.cases
def _cases_rounded(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(_numbers(shape, dtype, random), torch.tensor(0.25, dtype=dtype))


@rounded.mistakes
def _mistakes_rounded() -> Iterator[tuple[str, Case]]:
    yield "steps", Case(torch.ones(3), torch.ones(3))


quantized = operator(
    "sound::quantized(Tensor x, *, int bits=8) -> (Tensor, Tensor)",
    dtypes=(torch.bfloat16, torch.float32),
    tolerance={},
    rows=("x",),
)


@quantized.infer
def _infer_quantized(x: host.Tensor, bits: int) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("x", x, (host.bfloat16, host.float32))
    host.require(x.ndim >= 1 and x.shape[-1] > 0, "x must have rows with elements")
    host.require(2 <= bits <= 8, f"bits must be from 2 to 8, not {bits}")
    return host.dense(x.shape, host.int8), host.dense(x.shape[:-1], host.float32)


@quantized.reference
def _quantized(x: Tensor, bits: int) -> tuple[Tensor, Tensor]:
    """Integers and one scale for each row."""
    wide = x.float()
    most = 2 ** (bits - 1) - 1
    scale = wide.abs().amax(-1) / most
    parts = torch.nan_to_num(wide / scale[..., None], nan=0.0).round().clamp(-most, most)
    return parts.to(torch.int8).contiguous(), scale.contiguous()


@quantized.cases
def _cases_quantized(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(_numbers(shape, dtype, random))
    yield Case(_numbers((3, 5), dtype, random), bits=4)


@quantized.mistakes
def _mistakes_quantized() -> Iterator[tuple[str, Case]]:
    yield "bits", Case(torch.ones(3, 4), bits=9)


# Its gradient is a call of itself, over constants that alone are kept.
turned = operator(
    "sound::turned(Tensor x, Tensor? y, Tensor table, bool inverse=False) -> (Tensor, Tensor)",
    dtypes=FLOATS,
    gradient="exact",
    writes={"x": 0, "y": 1},
    constants=("table",),
    saves=("table",),
)


@turned.infer
def _infer_turned(
    x: host.Tensor, y: host.Tensor | None, table: host.Tensor, inverse: bool
) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("x", x, FLOATS)
    host.require(x.ndim >= 1 and table.ndim == 2, "x must have rows, and table angles for each of their halves")
    host.require(x.shape[-1] == 2 * table.shape[1], "x must have rows of two halves, each as long as those of table")
    host.require_device("table", table, "x", x)
    if y is None:
        return host.dense(x.shape, x.dtype), host.dense((0,), x.dtype)
    host.require_device("y", y, "x", x)
    return host.dense(x.shape, x.dtype), host.dense(y.shape, y.dtype)


@turned.reference
def _turned(x: Tensor, y: Tensor | None, table: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
    """Turns the halves of every row by the angles of a table."""
    cos, sin = table

    def turn(one: Tensor) -> Tensor:
        a, b = one.chunk(2, -1)
        turned_b = -b if inverse else b
        turned_a = -a if inverse else a
        return torch.cat((a * cos - turned_b * sin, b * cos + turned_a * sin), -1).to(one.dtype).contiguous()

    return turn(x), x.new_empty(0) if y is None else turn(y)


@turned.backward
def _backward_turned(
    grad: Tensor, grad_y: Tensor, needed: tuple[bool, ...], x: None, y: None, table: Tensor, inverse: bool
) -> tuple[Tensor, Tensor | None]:
    dx, dy = turned(grad, grad_y if needed[1] else None, table, not inverse)
    return dx, dy if needed[1] else None


@turned.cases
def _cases_turned(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in ((0, 4), (2, 4), (3, 6), (5, 8)):
        table = _numbers((2, shape[-1] // 2), dtype, random)
        yield Case(_numbers(shape, dtype, random), _numbers((2, shape[-1]), dtype, random), table)
    yield Case(_numbers((3, 4), dtype, random), None, _numbers((2, 2), dtype, random), True)


@turned.mistakes
def _mistakes_turned() -> Iterator[tuple[str, Case]]:
    yield "odd rows", Case(torch.ones(2, 3), None, torch.ones(2, 2))


# Its gradient saves a result instead of computing it again.
normed = operator(
    "sound::normed(Tensor x, float epsilon=1e-3) -> (Tensor y, Tensor factor)",
    dtypes=FLOATS,
    gradient="exact",
    saves=("x", "factor"),
    rows=("x",),
)


@normed.infer
def _infer_normed(x: host.Tensor, epsilon: float) -> tuple[host.Tensor, host.Tensor]:
    host.require_dtype("x", x, FLOATS)
    host.require(x.ndim >= 1 and x.shape[-1] > 0, "x must have rows with elements")
    return host.dense(x.shape, x.dtype), host.dense(x.shape[:-1], x.dtype)


@normed.reference
def _normed(x: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """Divides rows by the root of the mean of their squares; gives the factors, too."""
    factor = torch.rsqrt(x.square().mean(-1) + epsilon)
    return (x * factor[..., None]).contiguous(), factor.contiguous()


@normed.backward
def _backward_normed(
    grad: Tensor, grad_factor: Tensor, needed: tuple[bool, ...], x: Tensor, epsilon: float, factor: Tensor
) -> Tensor:
    into_factor = grad_factor + (grad * x).sum(-1)
    return grad * factor[..., None] - x * (into_factor * factor**3 / x.shape[-1])[..., None]


@normed.cases
def _cases_normed(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(_numbers(shape, dtype, random))


@normed.mistakes
def _mistakes_normed() -> Iterator[tuple[str, Case]]:
    yield "no rows", Case(torch.ones(()))


# Takes lists, one of which has absent tensors, and a number of any type by name.
joined = operator(
    "sound::joined(Tensor[] parts, Tensor?[] weights, *, Scalar factor=1) -> (Tensor, Tensor)",
    dtypes=FLOATS,
    providers={"cpu": ("adding", "reference")},
)


@joined.infer
def _infer_joined(
    parts: Sequence[host.Tensor], weights: Sequence[host.Tensor | None], factor: float
) -> tuple[host.Tensor, host.Tensor]:
    host.require(len(parts) > 0, "parts must have a tensor")
    host.require(len(parts) == len(weights), f"weights must be as many as parts, {len(parts)}, not {len(weights)}")
    first = parts[0]
    for i in range(len(parts)):
        host.require_dtype(f"parts[{i}]", parts[i], FLOATS)
        host.require(parts[i].dtype == first.dtype, f"parts[{i}] must have the dtype of parts[0]")
        host.require(parts[i].shape == first.shape, f"parts[{i}] must have the shape of parts[0]")
        host.require(parts[i].device == first.device, f"parts[{i}] must be where parts[0] is")
        weight = weights[i]
        if weight is not None:
            host.require(weight.dtype == first.dtype, f"weights[{i}] must have the dtype of parts[0]")
            host.require(weight.shape == first.shape, f"weights[{i}] must have the shape of parts[0]")
            host.require(weight.device == first.device, f"weights[{i}] must be where parts[0] is")
    return host.dense(first.shape, first.dtype), host.dense((len(parts), *first.shape), first.dtype)


@joined.reference
def _joined(parts: list[Tensor], weights: list[Tensor | None], factor: float) -> tuple[Tensor, Tensor]:
    """The weighted sum of parts, and all of them with their weights, times a number."""
    pairs = zip(parts, weights, strict=True)
    every = torch.stack([part * factor if by is None else part * by * factor for part, by in pairs])
    return every.sum(0).contiguous(), every


@joined.provider("adding")
def _adding(parts: list[Tensor], weights: list[Tensor | None], factor: float) -> tuple[Tensor, Tensor]:
    every = torch.empty((len(parts), *parts[0].shape), dtype=parts[0].dtype)
    for i, (part, by) in enumerate(zip(parts, weights, strict=True)):
        every[i] = factor * part if by is None else factor * (by * part)
    return sum(every[1:], every[0].clone()), every


@joined.cases
def _cases_joined(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        parts = [_numbers(shape, dtype, random) for _ in range(3)]
        yield Case(parts, [None, _numbers(shape, dtype, random), None], factor=2)
    yield Case(parts[:1], [parts[1]])
    yield Case(parts, [None, None, parts[0].clone()], factor=0.5)


@joined.mistakes
def _mistakes_joined() -> Iterator[tuple[str, Case]]:
    yield "no parts", Case([], [])
    yield "too few weights", Case([torch.ones(2), torch.ones(2)], [None])
    yield "another shape", Case([torch.ones(2), torch.ones(3)], [None, None])


# Has a result that may be absent.
split = operator("sound::split(Tensor x, bool is_signed) -> (Tensor, Tensor?)", dtypes=FLOATS)


@split.infer
def _infer_split(x: host.Tensor, is_signed: bool) -> tuple[host.Tensor, host.Tensor | None]:
    host.require_dtype("x", x, FLOATS)
    if is_signed:
        return host.dense(x.shape, x.dtype), host.dense(x.shape, host.int8)
    return host.dense(x.shape, x.dtype), None


@split.reference
def _split(x: Tensor, is_signed: bool) -> tuple[Tensor, Tensor | None]:
    """Magnitudes, and signs if they are asked for."""
    signs = torch.nan_to_num(torch.sign(x), nan=0.0).to(torch.int8).contiguous() if is_signed else None
    return x.abs().contiguous(), signs


@split.cases
def _cases_split(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in SHAPES:
        yield Case(_numbers(shape, dtype, random), True)
    yield Case(_numbers((3, 4), dtype, random), False)


@split.mistakes
def _mistakes_split() -> Iterator[tuple[str, Case]]:
    yield "integers", Case(torch.ones(3, dtype=torch.int32), True)


SOUND = [joined, largest, normed, quantized, rounded, split, turned]
