"""The family of gated activations: of rows [gate | up], the activation of the first half times the second half.

In: an operator with one argument `input` and one result, its activation in PyTorch with its derivative, the same
activation over tiles and of one number. Out: the operator has `infer`, reference, oracle, gradient, kernel, launch, and
what it is tested and measured with. It is computed in float32 (float64 for float64) and rounded once. What needs
PyTorch imports it when it runs: the compiled library is made without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from opwright import host, tile
from opwright.operators._rowwise import KERNEL_FLOATS, wide
from opwright.tile.kernel import TileKernel

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from opwright.operators import Case, Operator

VARIANTS = [(dtype, dtype) for dtype in KERNEL_FLOATS]
RANKS = (2, 2)
_DOCUMENT = """Multiplies the second half of every row by {name} of the first: the activation of gated layers.

`y = {name}(gate) * up` with `gate, up = input.chunk(2, -1)` and `{formula}`. Computed in float32, or float64 for
float64, and rounded once. The result has the dtype of `input` and rows of half its length.
"""


def gated(
    operator: Operator,
    activation: Callable[[Tensor], Tensor],
    slope: Callable[[Tensor], Tensor],
    over_tiles: TileKernel,
    of_one: Callable[[float], float],
) -> None:
    """Gives an operator all that follows from its activation. slope: its derivative, which is differentiable itself.
    of_one: the same activation of one number in Python, by another formula: what the reference is judged by.

    The docstring of the activation is its formula.
    """

    def reference(input: Tensor) -> Tensor:
        gate, up = _halves(input)
        return (activation(gate) * up).to(input.dtype).contiguous()

    def backward(grad: Tensor, needed: tuple[bool, ...], input: Tensor) -> Tensor:
        import torch

        gate, up = _halves(input)
        wide = grad.to(gate.dtype)
        return torch.cat((wide * up * slope(gate), wide * activation(gate)), -1).to(input.dtype)

    def oracle(input: Tensor) -> Tensor:
        import torch

        numbers = input.double().reshape(-1, input.shape[-1] // 2).tolist() if input.numel() else []
        found = [
            of_one(gate) * up
            for gates, ups in zip(numbers[::2], numbers[1::2], strict=True)
            for gate, up in zip(gates, ups, strict=True)
        ]
        return torch.tensor(found, dtype=torch.float64).view(*input.shape[:-1], input.shape[-1] // 2)

    name = activation.__name__.strip("_")
    reference.__doc__ = _DOCUMENT.format(name=name, formula=activation.__doc__)
    kernel = kernel_of(f"{operator.name}_kernel", over_tiles)
    operator.infer(infer)
    operator.reference(reference)
    operator.oracle(oracle)
    operator.backward(backward)
    operator.kernel(kernel, VARIANTS, RANKS)
    operator.launch(launch_with(host.launch_of(kernel, VARIANTS, RANKS)))
    operator.cases(_cases)
    operator.timed(_timed)
    operator.mistakes(_mistakes)


def infer(input: host.Tensor) -> host.Tensor:
    """Rows of even length become rows of half the length."""
    host.require_dtype("input", input, host.FLOATS)
    host.require(input.ndim >= 1, "input must have at least one dimension")
    width = input.shape[-1]
    host.require(width % 2 == 0, f"input must have rows of even length, gate and up, not of {width}")
    return host.dense((*input.shape[:-1], width // 2), input.dtype)


def kernel_of(name: str, activation: TileKernel) -> TileKernel:
    """The kernel of an activation. One tile is eight rows of 512: so cores share one long row, and many short ones."""

    def gated(input: tile.Tensor, y: tile.Tensor, ROWS: tile.constexpr = 8, COLS: tile.constexpr = 512) -> None:
        tile.assume(input.shape[1] == 2 * y.shape[1])
        for rows, cols in tile.parallel((y.shape[0], ROWS), (y.shape[1], COLS)):
            gate = input[rows, cols].to(tile.float32)
            up = input[rows, cols.shifted(y.shape[1])].to(tile.float32)
            y[rows, cols] = (activation(gate) * up).to(y.dtype)

    gated.__name__ = name
    return tile.jit(gated)


def launch_with(launch: host.DerivedLaunch) -> Callable[[host.Tensor, host.Tensor, host.Soc], host.Launch]:
    """The launch of an operator by that of its kernel."""

    def launch_rows(input: host.Tensor, y: host.Tensor, soc: host.Soc) -> host.Launch:
        return launch(host.rows("input", input), host.rows("y", y), soc)

    return launch_rows


def _halves(input: Tensor) -> tuple[Tensor, Tensor]:
    half = input.shape[-1] // 2
    return wide(input[..., :half]), wide(input[..., half:])


def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    import torch

    from opwright.operators import Case

    for shape in ((0, 8), (3, 0), (2,), (10,), (2, 3, 66), (7, 64)):
        yield Case(torch.randn(shape, generator=random, dtype=torch.float64).to(dtype))
    # Far from 0, where an exponential overflows or vanishes.
    yield Case((100 * torch.randn((5, 40), generator=random, dtype=torch.float64)).to(dtype))
    yield Case(torch.randn((300, 1026), generator=random, dtype=torch.float64).to(dtype), large=True)


def _timed(dtype: torch.dtype, rows: int, random: torch.Generator) -> Case:
    import torch

    from opwright.operators import Case

    return Case(torch.randn((rows, 8192), generator=random).to(dtype))


def _mistakes() -> Iterator[tuple[str, Case]]:
    import torch

    from opwright.operators import Case

    yield "dtype", Case(torch.ones(2, 8, dtype=torch.int32))
    yield "no dimension", Case(torch.ones(()))
    yield "odd rows", Case(torch.ones(2, 7))
