"""Serves a call in Python: checks it, asks the providers in their order, writes into given outputs.

In: an operator and the arguments of a call, all of them in order. Out: what the first provider that takes it gives.
Everything here runs below autograd: no call of a provider leaves a trace in a graph. Refuses what the operator's check
refuses, and outputs of another shape, dtype or device. What a call writes must not share memory with itself or with
another argument, unless both are one tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from opwright.errors import BadType, NoSuchProvider, NotContiguous, NotSupported, ProviderRefused
from opwright.frameworks.torch.memory import overlaps_itself, shares_memory
from opwright.native.library import View
from opwright.operators._forms import Into
from opwright.operators._infer import dtype_of
from opwright.operators._operator import Facts, Operator, Provider, as_tuple
from opwright.schema import Argument
from opwright.settings import settings

NATIVE = "native"
# What an argument's kind means in Python, and the elements of a list.
_TYPES: dict[str, tuple[str, tuple[type, ...]]] = {
    "Tensor": ("a tensor", (Tensor,)),
    "int": (_INTEGER := ("an integer", (int, torch.SymInt))),
    "SymInt": _INTEGER,
    "bool": _INTEGER,
    "float": (_NUMBER := ("a number", (float, int, torch.SymFloat, torch.SymInt))),
    "Scalar": ("a number", (*_NUMBER[1], complex, torch.SymBool)),
    "str": ("a text", (str,)),
    "ScalarType": ("a dtype", (torch.dtype,)),
    "Device": ("a device", (torch.device,)),
    "Generator": ("a generator", (torch.Generator,)),
}
_LISTS: dict[str, tuple[str, tuple[type, ...]]] = {
    "Tensor[]": ("a list of tensors", (Tensor,)),
    "Tensor?[]": ("a list of tensors or None", (Tensor, type(None))),
    "int[]": (_INTEGERS := ("a list of integers", (int, torch.SymInt))),
    "SymInt[]": _INTEGERS,
    "float[]": ("a list of numbers", _NUMBER[1]),
    "bool[]": ("a list of bools", (bool,)),
}


def device_of(operator: Operator, args: Sequence[Any]) -> str:
    """The device type of a call: that of its first tensor."""
    return next((tensor.device.type for _, tensor in _tensors(operator.schema.arguments, args)), "cpu")


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


def choose(operator: Operator, args: Sequence[Any], is_call: bool = False) -> Provider:
    """The first provider in order that takes a call. One that a setting names must take it.

    is_call: the call is made, not only asked about: refusals are counted.
    """
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
        if is_call:
            found.count("refused")
        if name == forced:
            raise ProviderRefused(operator=operator.name, provider=name, reason=reason)
        reasons.append(f"{name}: {reason}")
    raise NotSupported(operator=operator.name, message=f"no provider takes this call on {device}: {'; '.join(reasons)}")


def run(operator: Operator, found: Provider, args: Sequence[Any]) -> Any:
    """Lets one provider compute a call that was checked; a strided view that a kernel does not take is its refusal."""
    found.count("served")
    given = [_plain(argument, value) for argument, value in zip(operator.schema.arguments, args, strict=True)]
    with torch._C._AutoDispatchBelowAutograd():
        try:
            return found.run(*given)
        except NotContiguous as error:
            remedy = "its author can call .contiguous() before the kernel, or let its supports refuse such tensors"
            reason = f"{error.message}; {remedy}"
            raise ProviderRefused(operator=operator.label, provider=found.name, reason=reason) from error


def _plain(argument: Argument, value: Any) -> Any:
    """An argument without views that are negated or conjugated, which PyTorch leaves in lists with absent tensors."""
    if argument.kind != "Tensor?[]" or argument.is_written:
        return value
    return [None if one is None else one.resolve_conj().resolve_neg() for one in value]


def serve(operator: Operator, args: Sequence[Any], forced: Provider | None = None) -> Any:
    """The results of a call, by the provider that was asked for or the first that takes it."""
    check(operator, args)
    if not operator.is_writing:
        return run(operator, _taker(operator, args, forced), args)
    given = _apart(operator, args)
    found = _taker(operator, given, forced)
    pairs = zip(*(_tensors(operator.schema.arguments, values) for values in (args, given)), strict=True)
    if any(before is not after for (_, before), (_, after) in pairs):
        found.count("copied")
    results = run(operator, found, given)
    return results if operator.schema.results else None


def _taker(operator: Operator, args: Sequence[Any], forced: Provider | None) -> Provider:
    """Who computes a call: the provider that was asked for, which must take it, or the first that does."""
    if forced is None:
        return choose(operator, args, is_call=True)
    if reason := refusal(operator, forced, args):
        forced.count("refused")
        raise ProviderRefused(operator=operator.name, provider=forced.name, reason=reason)
    return forced


def serve_into(operator: Operator, args: Sequence[Any], outs: Sequence[Into], forced: Provider | None = None) -> Any:
    """As `serve`, into tensors of the caller; gives the results that go nowhere."""
    check(operator, args)
    check_outs(operator, args, outs)
    found = _taker(operator, args, forced)
    results = as_tuple(run(operator, found, args))
    found.count("copied")
    with torch._C._AutoDispatchBelowAutograd():
        for out in outs:
            if out.tensor is not None and results[out.result] is not None:
                out.tensor.copy_(results[out.result])
    return only_returned(results, outs)


def only_returned(results: Sequence[Any], outs: Sequence[Into]) -> Any:
    """What a form gives back: the results that are not written, one as it is."""
    written = {out.result for out in outs}
    rest = tuple(result for i, result in enumerate(results) if i not in written)
    return rest if len(rest) > 1 else rest[0] if rest else None


def check(operator: Operator, args: Sequence[Any]) -> None:
    """Raises what is wrong with a call, also one that is only traced."""
    for argument, value in zip(operator.schema.arguments, args, strict=True):
        if argument.is_optional and value is None:
            continue
        if argument.kind in _LISTS:
            words, types = _LISTS[argument.kind]
            is_right = isinstance(value, (list, tuple)) and all(isinstance(item, types) for item in value)
        else:
            words, types = _TYPES[argument.kind]
            is_right = isinstance(value, types)
        if not is_right:
            wanted = f"{words} or None" if argument.is_optional else words
            message = f"{argument.name} must be {wanted}, not {type(value).__name__}"
            raise BadType(operator=operator.name, message=message)
    operator.check(args)


def check_outs(operator: Operator, args: Sequence[Any], outs: Sequence[Into]) -> None:
    """Raises what is wrong with outputs that were given for a call that is right."""
    check_like(operator, args, outs, fake(operator, args))
    written = [(out.name, out.tensor) for out in outs if out.tensor is not None]
    _check_written(operator, written)
    for name, out in written:
        for other, tensor in _tensors(operator.schema.arguments, args):
            clash = not _is_same(out, tensor) and shares_memory(out, tensor)
            operator.require(not clash, f"{name} shares a part of its memory with {other}")


def check_written(operator: Operator, args: Sequence[Any]) -> None:
    """Raises what is wrong with the memory of arguments that a call writes."""
    _apart(operator, args)


def _apart(operator: Operator, args: Sequence[Any]) -> list[Any]:
    """The arguments of a call that writes. One that is read and is a written one too is copied for the providers."""
    pairs = list(zip(operator.schema.arguments, args, strict=True))
    written = _tensors(*zip(*(pair for pair in pairs if pair[0].is_written), strict=True))
    _check_written(operator, written)

    def read(name: str, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [read(f"{name}[{i}]", one) for i, one in enumerate(value)]
        if not isinstance(value, Tensor):
            return value
        for other, tensor in written:
            if _is_same(tensor, value):
                return value.clone()
            operator.require(not shares_memory(tensor, value), f"{other} shares a part of its memory with {name}")
        return value

    return [value if argument.is_written else read(argument.name, value) for argument, value in pairs]


def _check_written(operator: Operator, written: Sequence[tuple[str, Tensor]]) -> None:
    for i, (name, tensor) in enumerate(written):
        operator.require(not overlaps_itself(tensor), f"{name} has elements that share memory")
        for other, second in written[:i]:
            operator.require(not shares_memory(tensor, second), f"{other} and {name} share memory")


def _is_same(a: Tensor, b: Tensor) -> bool:
    alike = a.shape == b.shape and a.stride() == b.stride() and a.dtype == b.dtype
    return alike and bool(a.data_ptr() == b.data_ptr())


def _tensors(arguments: Sequence[Argument], args: Sequence[Any]) -> list[tuple[str, Tensor]]:
    """The tensors of a call, with their names."""
    found: list[tuple[str, Tensor]] = []
    for argument, value in zip(arguments, args, strict=True):
        if isinstance(value, Tensor):
            found.append((argument.name, value))
        elif isinstance(value, (list, tuple)):
            found += [(f"{argument.name}[{i}]", one) for i, one in enumerate(value) if isinstance(one, Tensor)]
    return found


def check_like(operator: Operator, args: Sequence[Any], outs: Sequence[Into], wanted: Sequence[Any]) -> None:
    """Raises unless given outputs have the dtypes and shapes of the results, and lie where the arguments do."""
    first = _tensors(operator.schema.arguments, args)[0]
    for given in outs:
        name, out, like = given.name, given.tensor, wanted[given.result]
        if out is None:
            continue
        if like is None:
            operator.refuse(f"{name} is given, but this call has no such result")
        if out.dtype != like.dtype:
            has, needed = (str(dtype).removeprefix("torch.") for dtype in (out.dtype, like.dtype))
            raise BadType(operator=operator.name, message=f"{name} must be {needed}, not {has}")
        if out.shape != like.shape:
            operator.refuse(f"{name} must have the shape {list(like.shape)}, not {list(out.shape)}")
        other, tensor = first
        operator.require(out.device == tensor.device, f"{name} is on {out.device}, but {other} on {tensor.device}")


def fake(operator: Operator, args: Sequence[Any]) -> tuple[Any, ...]:
    """The results' shapes, dtypes and strides, on no device; None for one that is absent."""

    def without_memory(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [without_memory(one) for one in value]
        return value.to("meta") if isinstance(value, Tensor) else value

    return operator.fake([without_memory(value) for value in args])


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
