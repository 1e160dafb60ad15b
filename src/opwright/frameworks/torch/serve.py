"""Serves a call in Python: checks it, asks the providers in their order, writes into given outputs.

In: an operator and the arguments of a call, all of them in order. Out: what the first provider that takes it gives.
Everything here runs below autograd: no call of a provider leaves a trace in a graph. Refuses what the operator's check
refuses, and outputs of another shape, dtype or device, or that share memory with themselves or with an input.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from opwright.errors import BadType, NoSuchProvider, NotContiguous, NotSupported, ProviderRefused
from opwright.frameworks.torch.memory import overlaps_itself, shares_memory
from opwright.native.library import View
from opwright.operators._infer import dtype_of
from opwright.operators._operator import Facts, Operator, Provider, as_tuple
from opwright.settings import settings

NATIVE = "native"
# What an argument's kind means in Python.
_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "Tensor": ("a tensor", (Tensor,)),
    "int": (_INTEGER := ("an integer", (int, torch.SymInt))),
    "SymInt": _INTEGER,
    "bool": _INTEGER,
    "float": ("a number", (float, int, torch.SymFloat, torch.SymInt)),
    "str": ("a text", (str,)),
    "int[]": (_INTEGERS := ("a list of integers", (list, tuple))),
    "SymInt[]": _INTEGERS,
    "ScalarType": ("a dtype", (torch.dtype,)),
}


def device_of(operator: Operator, args: Sequence[Any]) -> str:
    """The device type of a call: that of its first tensor."""
    return next(
        (
            value.device.type
            for argument, value in zip(operator.schema.arguments, args, strict=False)
            if isinstance(value, Tensor)
        ),
        "cpu",
    )


def order_of(operator: Operator, device: str) -> tuple[str, ...]:
    """The names of the providers for a device, in the order in which they are asked."""
    order = operator.orders.get(device, ("reference",))
    chosen = settings.providers.get(operator.label)
    if chosen is None:
        return order
    provider(operator, chosen)
    return (chosen, *(name for name in order if name != chosen))


def provider(operator: Operator, name: str) -> Provider:
    """A provider by name; raises NoSuchProvider, or ProviderRefused if only this machine does not have it."""
    found = operator.providers.get(name)
    if found is None and name in operator.absent:
        raise ProviderRefused(operator=operator.name, provider=name, reason=operator.absent[name])
    if found is None:
        raise NoSuchProvider(operator=operator.name, provider=repr(name), known=", ".join(operator.providers))
    return found


def named(operator: Operator, wanted: str | int, device: str = "cpu") -> Provider:
    """A provider by its name, or by its place in the order of a device."""
    if isinstance(wanted, int):
        order = order_of(operator, device)
        if not 0 <= wanted < len(order):
            raise NoSuchProvider(operator=operator.name, provider=wanted, known=", ".join(order))
        return provider(operator, order[wanted])
    return provider(operator, wanted)


def refusal(operator: Operator, found: Provider, args: Sequence[Any]) -> str | None:
    """Why a provider does not take a call; None if it does."""
    device = device_of(operator, args)
    if found.name != "reference" and found.name not in operator.orders.get(device, ()):
        return f"it does not serve tensors on {device}"
    return found.supports(*(Facts.of(value) for value in args))


def choose(operator: Operator, args: Sequence[Any]) -> Provider:
    """The first provider in order that takes a call. One that a setting names must take it."""
    reasons = []
    device = device_of(operator, args)
    forced = settings.providers.get(operator.label)
    for name in order_of(operator, device):
        found = operator.providers.get(name)
        if found is None:  # declared, but this machine has none: see `opwright doctor`
            continue
        reason = refusal(operator, found, args)
        if reason is None:
            return found
        if name == forced:
            raise ProviderRefused(operator=operator.name, provider=name, reason=reason)
        reasons.append(f"{name}: {reason}")
    raise NotSupported(operator=operator.name, message=f"no provider takes this call on {device}: {'; '.join(reasons)}")


def run(operator: Operator, found: Provider, args: Sequence[Any]) -> Any:
    """Lets one provider compute a call that was checked; a strided view that a kernel does not take is its refusal."""
    found.calls += 1
    with torch._C._AutoDispatchBelowAutograd():
        try:
            return found.run(*args)
        except NotContiguous as error:
            remedy = "its author can call .contiguous() before the kernel, or let its supports refuse such tensors"
            reason = f"{error.message}; {remedy}"
            raise ProviderRefused(operator=operator.label, provider=found.name, reason=reason) from error


def serve(operator: Operator, args: Sequence[Any], forced: Provider | None = None) -> Any:
    """The results of a call, by the provider that was asked for or the first that takes it."""
    check(operator, args)
    return _served(operator, args, forced)


def _served(operator: Operator, args: Sequence[Any], forced: Provider | None) -> Any:
    if forced is None:
        return run(operator, choose(operator, args), args)
    if reason := refusal(operator, forced, args):
        raise ProviderRefused(operator=operator.name, provider=forced.name, reason=reason)
    return run(operator, forced, args)


def serve_into(operator: Operator, args: Sequence[Any], outs: Sequence[Tensor], forced: Provider | None = None) -> None:
    """As `serve`, into tensors of the caller."""
    check(operator, args)
    check_outs(operator, args, outs)
    results = _served(operator, args, forced)
    with torch._C._AutoDispatchBelowAutograd():
        for out, result in zip(outs, as_tuple(results), strict=True):
            out.copy_(result)


def check(operator: Operator, args: Sequence[Any]) -> None:
    """Raises what is wrong with a call, also one that is only traced."""
    for argument, value in zip(operator.schema.arguments, args, strict=True):
        words, types = _TYPES[argument.kind]
        is_right = isinstance(value, types) or (argument.is_optional and value is None)
        if is_right and argument.kind in ("int[]", "SymInt[]") and value is not None:
            is_right = all(isinstance(item, (int, torch.SymInt)) for item in value)
        if not is_right:
            wanted = f"{words} or None" if argument.is_optional else words
            message = f"{argument.name} must be {wanted}, not {type(value).__name__}"
            raise BadType(operator=operator.name, message=message)
    operator.check(args)


def check_outs(operator: Operator, args: Sequence[Any], outs: Sequence[Tensor]) -> None:
    """Raises what is wrong with outputs that were given for a call that is right."""
    wanted = fake(operator, args)
    tensors = _tensors(operator, args)
    check_like(operator, args, outs, wanted)
    names = operator.out_names
    for name, out in zip(names, outs, strict=True):
        operator.require(not overlaps_itself(out), f"{name} has elements that share memory")
        for other, tensor in tensors:
            same = out.data_ptr() == tensor.data_ptr() and out.shape == tensor.shape and out.stride() == tensor.stride()
            clash = not (same and out.dtype == tensor.dtype) and shares_memory(out, tensor)
            operator.require(not clash, f"{name} shares a part of its memory with {other}")
    for i, first in enumerate(outs):
        for j, second in enumerate(outs[:i]):
            operator.require(not shares_memory(first, second), f"{names[j]} and {names[i]} share memory")


def _tensors(operator: Operator, args: Sequence[Any]) -> list[tuple[str, Tensor]]:
    """The tensors of a call, with their names."""
    named = zip(operator.schema.arguments, args, strict=True)
    return [(argument.name, value) for argument, value in named if isinstance(value, Tensor)]


def check_like(operator: Operator, args: Sequence[Any], outs: Sequence[Tensor], wanted: Sequence[Tensor]) -> None:
    """Raises unless given outputs have the dtypes and shapes of the results, and lie where the arguments do."""
    first = _tensors(operator, args)[0]
    for name, out, like in zip(operator.out_names, outs, wanted, strict=True):
        if out.dtype != like.dtype:
            given, needed = (str(dtype).removeprefix("torch.") for dtype in (out.dtype, like.dtype))
            raise BadType(operator=operator.name, message=f"{name} must be {needed}, not {given}")
        if out.shape != like.shape:
            operator.refuse(f"{name} must have the shape {list(like.shape)}, not {list(out.shape)}")
        operator.require_device(name, out, *first)


def fake(operator: Operator, args: Sequence[Any]) -> tuple[Tensor, ...]:
    """The results' shapes, dtypes and strides, on no device."""
    meta = [value.to("meta") if isinstance(value, Tensor) else value for value in args]
    return operator.fake(meta)


def view(value: Any) -> Any:
    """An argument as the C border takes it."""
    if isinstance(value, Tensor):
        name = str(value.dtype).removeprefix("torch.")
        return View(value.data_ptr(), name, tuple(value.shape), tuple(value.stride()))
    if isinstance(value, Facts):
        return View(0, str(value.dtype).removeprefix("torch."), value.shape, value.strides)
    if isinstance(value, torch.dtype):
        return dtype_of(value)
    return list(value) if isinstance(value, (tuple, torch.Size)) else value
