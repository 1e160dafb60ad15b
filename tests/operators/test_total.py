"""The compiled library answers every call that `infer` accepts: tensors of any strides, and of no elements.

Each case of an operator is called through the C ABI with tensors that lie in other ways, into outputs that do, and
compared with the reference in PyTorch.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright.ops  # noqa: E402
from opwright.frameworks.torch.serve import view  # noqa: E402
from opwright.native.library import CpuLibrary, View, opened  # noqa: E402
from opwright.operators._operator import OWN, Operator, as_tuple, cases_of, operators  # noqa: E402
from opwright.operators._twin import functional  # noqa: E402

Tensor = torch.Tensor
OPERATORS = {name: one for name, one in operators().items() if one.schema.space == OWN}


def stepped(tensor: Tensor) -> Tensor:
    """Every second element of every dimension of a larger tensor, behind an offset."""
    large = torch.full([2 * size + 1 for size in tensor.shape], 7, dtype=torch.float32).to(tensor.dtype)
    found = large[tuple(slice(1, None, 2) for _ in tensor.shape)] if tensor.ndim else large
    return found.copy_(tensor)


def transposed(tensor: Tensor) -> Tensor:
    """With the last dimension outermost."""
    order = list(reversed(range(tensor.ndim)))
    return tensor.permute(order).contiguous().permute(order)


def repeated(tensor: Tensor) -> Tensor:
    """One element for all: every stride is 0."""
    return tensor.flatten()[:1].view([1] * tensor.ndim).expand(tensor.shape) if tensor.numel() else tensor


def rows_apart(tensor: Tensor) -> Tensor:
    """Dense rows with gaps between them."""
    if tensor.ndim == 0:
        return tensor
    wide = torch.zeros((*tensor.shape[:-1], tensor.shape[-1] + 3), dtype=torch.float32).to(tensor.dtype)
    return wide[..., 1:-2].copy_(tensor)


LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "dense": lambda tensor: tensor.contiguous(),
    "stepped": stepped,
    "transposed": transposed,
    "repeated": repeated,
    "rows_apart": rows_apart,
}


def calls(operator: Operator) -> Iterator[tuple[tuple[Any, ...], torch.dtype]]:
    for dtype in operator.dtypes:
        for case in cases_of(operator, dtype):
            if not case.large:
                yield operator.schema.complete(case.args, case.kwargs), dtype


def described(result: View) -> Tensor:
    dtype = getattr(torch, result.dtype)
    return torch.empty_strided(result.shape, result.strides, dtype=dtype)


def rows_of(tensor: Tensor) -> Tensor:
    """What a layout for outputs starts from: numbers that are never a result."""
    return torch.full(tensor.shape, 77, dtype=torch.float32).to(tensor.dtype)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_layout(name: str) -> None:
    library, operator = opened(), OPERATORS[name]
    if not isinstance(library, CpuLibrary):
        pytest.skip(library)
    count = 0
    has_native = "native" in library.providers(name)
    for values, dtype in calls(operator):
        if not has_native and dtype == torch.float64:  # no kernel computes with it: a library says so, in words
            continue
        for how, layout in LAYOUTS.items():
            given = [
                value if not isinstance(value, Tensor) or (argument.is_written and how == "repeated") else layout(value)
                for argument, value in zip(operator.schema.arguments, values, strict=True)
            ]
            if operator.is_writing:
                written = [i for i, argument in enumerate(operator.schema.arguments) if argument.is_written]
                expected = functional(operator)(*given)
                library.run(name, [view(value) for value in given], [])
                torch.testing.assert_close([given[i] for i in written], list(expected), rtol=0, atol=0)
                count += 1
                continue
            expected = as_tuple(operator.providers["reference"].run(*given))
            results = [described(one) for one in library.infer(name, [view(value) for value in given])]
            assert [(one.dtype, one.shape) for one in results] == [(one.dtype, one.shape) for one in expected]
            outs = [one if how == "repeated" else layout(rows_of(one)) for one in results]
            library.run(name, [view(value) for value in given], [view(out) for out in outs])
            for out, wanted in zip(outs, expected, strict=True):
                absolute, relative = operator.tolerance.get(dtype, (0, 0))
                message = f"{name} of {dtype}, {how}, {[tuple(v.shape) for v in given if isinstance(v, Tensor)]}"
                torch.testing.assert_close(
                    out,
                    wanted,
                    atol=absolute,
                    rtol=relative,
                    equal_nan=True,
                    msg=lambda text, m=message: f"{m}\n{text}",
                )
            count += 1
    assert count > 10


def test_a_weight_of_any_dtype() -> None:
    """`infer` takes any float: so does the library, whatever x is."""
    library, operator = opened(), OPERATORS["opwright::rms_norm"]
    if not isinstance(library, CpuLibrary):
        pytest.skip(library)
    random = torch.Generator().manual_seed(1)
    for dtype in operator.dtypes:
        for other in operator.dtypes:
            x = torch.randn((4, 37), generator=random, dtype=torch.float64).to(dtype)
            weight = torch.randn(37, generator=random, dtype=torch.float64).to(other)
            y = torch.empty_like(x)
            library.run("opwright::rms_norm", [view(x), view(weight), 1e-6, None], [view(y)])
            absolute, relative = operator.tolerance[dtype]
            wanted = operator.providers["reference"].run(x, weight, 1e-6, None)
            torch.testing.assert_close(y, wanted, atol=absolute, rtol=relative)


def test_a_scale_in_the_place_of_the_input() -> None:
    """Blocks of one element: the scales have the shape of the input, and may be written over it."""
    x = torch.tensor([30.0, -2.0, 0.0, float("inf"), 1e-40])
    scale = opwright.ops.hifloat8_scale(x, [1])
    into = x.clone()
    opwright.ops.hifloat8_scale(into, [1], out=into)
    assert torch.equal(into, scale)
    codes, both = opwright.ops.dynamic_quantize_to_hifloat8(x, [1])
    into, found = x.clone(), torch.zeros_like(codes)
    opwright.ops.dynamic_quantize_to_hifloat8(into, [1], out=(found, into))
    assert torch.equal(into, both) and torch.equal(found, codes)
