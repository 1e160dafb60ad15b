"""Operators with one planted fault each, in the namespace planted: what the battery must find. And a sound one.

In: nothing. Out: `PLANTED`, the operators by fault; all compute `x * factor`, and their provider `bad` serves them.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

import opwright.ops
from opwright import host
from opwright.operators import Case, Operator, operator

PLANTED: dict[str, Operator] = {}


def _infer(x: host.Tensor, factor: float) -> host.Tensor:
    host.require_dtype("x", x, (host.float32, host.float64))
    return host.dense(x.shape, x.dtype)


def _infer_transposed(x: host.Tensor, factor: float) -> host.Tensor:
    host.require_dtype("x", x, (host.float32, host.float64))
    reversed_strides = host.dense(x.shape[::-1], x.dtype).strides
    return host.Tensor(x.dtype, x.shape, reversed_strides[::-1], "")


def _backward(grad: Tensor, needed: tuple[bool, ...], x: Tensor, factor: float) -> Tensor | None:
    return grad * factor


def _backward_dropped(grad: Tensor, needed: tuple[bool, ...], x: Tensor, factor: float) -> Tensor | None:
    return None


def _reference(x: Tensor, factor: float) -> Tensor:
    """Multiplies by a number."""
    return (x * factor).contiguous()


def _cases(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in ((0, 4), (5,), (3, 4), (2, 5), (4, 6)):
        yield Case(torch.randn(shape, generator=random, dtype=torch.float64).to(dtype), 1.5)


def _mistakes() -> Iterator[tuple[str, Case]]:
    yield "dtype", Case(torch.ones(2, dtype=torch.int32), 1.5)


def _oracle(x: Tensor, factor: float) -> Tensor:
    products = [one * factor for one in x.double().flatten().tolist()]
    return torch.tensor(products, dtype=torch.float64).view(x.shape)


def _plant(
    fault: str,
    bad: Callable[..., Any] = _reference,
    infer: Callable[..., Any] = _infer,
    backward: Any = _backward,
    reference: Callable[..., Any] = _reference,
) -> None:
    made = operator(
        f"planted::{fault}(Tensor x, float factor) -> Tensor",
        dtypes=(torch.float32, torch.float64),
        gradient="exact",
        providers={"cpu": ("bad", "reference")},
        rows=("x",),
    )
    made.reference(reference)
    made.oracle(_oracle)
    made.infer(infer)
    made.backward(backward)
    made.cases(_cases)
    made.mistakes(_mistakes)
    made.provider("bad")(bad)
    opwright.ops.register(made)
    PLANTED[fault] = made


def _rounds_its_factor(x: Tensor, factor: float) -> Tensor:
    """Multiplies by an integer."""
    return (x * round(factor)).contiguous()


def _writes(x: Tensor, factor: float) -> Tensor:
    return x.mul_(factor).clone()


def _aliases(x: Tensor, factor: float) -> Tensor:
    return x if factor == 1 else (x * factor).set_(x.untyped_storage()).as_strided(x.shape, x.stride())


def _reads_densely(x: Tensor, factor: float) -> Tensor:
    dense = torch.empty(x.shape).stride()
    available = x.untyped_storage().nbytes() // x.element_size()
    return x.as_strided(x.shape, dense, 0) * factor if x.numel() <= available else _reference(x, factor)


def _mixes_rows(x: Tensor, factor: float) -> Tensor:
    return _reference(x, factor) + (x.shape[0] if x.ndim > 1 else 0)


_results: dict[torch.Size, Tensor] = {}


def _keeps_results(x: Tensor, factor: float) -> Tensor:
    if x.shape not in _results:
        _results[x.shape] = x * factor
    return _results[x.shape].to(x.dtype).clone(memory_format=torch.contiguous_format)


def _asks_for_a_number(x: Tensor, factor: float) -> Tensor:
    return _reference(x, factor) if x.numel() == 0 or x.max().item() < 1e30 else x * factor


_tables: dict[str, float] = {}


def _is_late(x: Tensor, factor: float) -> Tensor:
    if "one" not in _tables:
        _tables["one"] = 0.0  # others see it before it is right
        time.sleep(0.2)
        _tables["one"] = 1.0
    return _reference(x, factor * _tables["one"])


def _plant_writing(fault: str, bad: Callable[..., Any]) -> None:
    made = operator(
        f"planted::{fault}(Tensor(a!) x, Tensor y) -> ()",
        dtypes=(torch.float32, torch.float64),
        providers={"cpu": ("bad", "reference")},
    )
    made.reference(_added)
    made.infer(lambda x, y: None)
    made.cases(_cases_writing)
    made.provider("bad")(bad)
    opwright.ops.register(made)
    PLANTED[fault] = made


def _added(x: Tensor, y: Tensor) -> None:
    """Adds to a tensor."""
    x.add_(y)


def _cases_writing(dtype: torch.dtype, random: torch.Generator) -> Iterator[Case]:
    for shape in ((5,), (3, 4), (2, 5)):
        yield Case(*(torch.randn(shape, generator=random, dtype=torch.float64).to(dtype) for _ in range(2)))


def _writes_beside(x: Tensor, y: Tensor) -> None:
    x.add_(y)
    whole = x.as_strided((x.untyped_storage().nbytes() // x.element_size(),), (1,), 0)
    if whole.numel() > x.numel():
        whole[0 if x.storage_offset() else x.shape[-1] if x.stride(-1) == 1 else 1] = 7


def _writes_what_it_reads(x: Tensor, y: Tensor) -> None:
    x.add_(y)
    y.add_(1)


_plant("sound")
_plant_writing("sound_write", _added)
_plant_writing("write_beside", _writes_beside)
_plant_writing("write_of_a_read_argument", _writes_what_it_reads)
_plant("undeclared_write", _writes)
_plant("wrong_reference", _rounds_its_factor, reference=_rounds_its_factor)
_plant("wrong_fake_stride", infer=_infer_transposed)
_plant("aliasing_return", _aliases)
_plant("gradient_dropped", backward=_backward_dropped)
_plant("contiguous_only_read", _reads_densely)
_plant("rows_mixed", _mixes_rows)
_plant("stale_cache", _keeps_results)
_plant("hidden_item", _asks_for_a_number)
_plant("race_on_first_use", _is_late)
