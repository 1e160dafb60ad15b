"""Sound operators of kinds that the battery must be able to ask, in the namespace sound.

In: nothing. Out: `SOUND`: one with two results, of which one has no gradient; one that rounds and passes the gradient
straight through; one without any gradient and tolerance, that takes its options by name.
"""

from collections.abc import Iterator

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


SOUND = [largest, quantized, rounded]
