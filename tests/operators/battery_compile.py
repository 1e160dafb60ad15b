"""The battery's checks of what PyTorch does with an operator: compile, export, batch, and its own opcheck.

In: an operator. Compiled functions have pointwise neighbours on both sides of the call, so that Inductor chooses the
layouts, and are kept: whoever asks for one again gets the same. See battery.py for the rest.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from battery import (
    FLOATS,
    Operator,
    Values,
    call,
    cases,
    clones,
    close,
    fail,
    flattened,
    function_of,
    made_of,
    main_dtype,
    mapped,
    planned,
    present,
    reference,
    require,
    tensors_of,
    words,
)
from battery_gradients import leaves, of_floats, small_cases
from battery_out import outputs_for
from torch import Tensor

SIZES = 3


def three_sizes(operator: Operator) -> list[Values]:
    """Three calls that differ in their sizes only, none of them 0 or 1."""
    alike: dict[tuple[object, ...], dict[object, Values]] = {}
    for values in cases(operator, main_dtype(operator), large=True):
        shapes = tuple(tuple(tensor.shape) for tensor in tensors_of(values))
        leaves = flattened(values)[0]
        kinds = tuple((v.ndim, v.dtype) if isinstance(v, Tensor) else repr(v) for v in leaves)
        if all(size > 1 for shape in shapes for size in shape):
            alike.setdefault(kinds, {}).setdefault(shapes, values)
    most = max(alike.values(), key=len, default={})
    if len(most) < SIZES and operator.rows and most:
        values = next(iter(most.values()))
        rows = [i for i, argument in enumerate(operator.schema.arguments) if argument.name in operator.rows]
        return [
            tuple(
                v.expand(size, *v.shape).clone() if i in rows and isinstance(v, Tensor) else v
                for i, v in enumerate(values)
            )
            for size in (2, 3, 5)
        ]
    fault = "has no three cases that differ in their sizes only, none of them 0 or 1; add some, or name `rows`"
    require(len(most) >= SIZES, operator, "cases", fault)
    return list(most.values())[:SIZES]


def _others(values: Values) -> tuple[object, ...]:
    """What of a call is no tensor."""
    return mapped(lambda tensor: None, values)


def between_neighbours(operator: Operator, values: Values, has_out: bool = False) -> Callable[..., Any]:
    """A function of a call's tensors, and of outputs if it has them, with pointwise work before and after it."""
    names = [argument.name for argument in operator.schema.arguments]
    leaves, made_of_leaves = flattened(values)
    places = [i for i, value in enumerate(leaves) if isinstance(value, Tensor)]
    others = [None if isinstance(value, Tensor) else value for value in leaves]
    function, count = function_of(operator), len(places)

    def neighbours(*tensors: Tensor) -> Any:
        every = list(others)
        for place, tensor in zip(places, tensors, strict=False):
            every[place] = tensor * 2 if tensor.dtype in FLOATS else tensor
        given = dict(zip(names, made_of_leaves(every), strict=True))
        if has_out:
            outs = tensors[count:]
            given["out"] = outs[0] if len(outs) == 1 else outs
        found = function(**given)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(one * 2 if one.dtype in FLOATS else one + 1 for one in found)

    return with_own_code(neighbours, operator)


def with_own_code(function: Callable[..., Any], operator: Operator) -> Callable[..., Any]:
    """The same function with code of its own: torch.compile counts recompilations by code, for all operators."""
    name = f"{function.__name__}_{operator.schema.space}_{operator.name}"
    function.__code__ = function.__code__.replace(co_name=name)
    return function


_compiled: dict[object, Callable[..., Any]] = {}


def compiled(operator: Operator, values: Values, dynamic: bool | None, has_out: bool = False) -> Callable[..., Any]:
    """That function by Inductor, in one graph."""
    key = (operator.schema.qualified, repr(_others(values)), dynamic, has_out)
    if key not in _compiled:
        function = between_neighbours(operator, values, has_out)
        _compiled[key] = torch.compile(function, fullgraph=True, dynamic=dynamic)
    return _compiled[key]


def check_compiled(operator: Operator, dynamic: bool | None = None) -> None:
    """Three sizes through one compiled function, with gradients where there are any."""
    for values in three_sizes(operator):
        given, inputs = leaves(operator, values) if operator.gradient != "none" else (values, [])
        eager = between_neighbours(operator, values)(*tensors_of(given))
        found = compiled(operator, values, dynamic)(*tensors_of(given))
        what = f"when it is compiled with dynamic={dynamic}, for {words(values)}"
        close(operator, "Inductor", found, eager, what)
        if inputs:
            for one in of_floats(found):
                require(one.requires_grad, operator, "Inductor", "drops the gradient when it is compiled")
            wanted, gradients = (
                torch.autograd.grad([one.sum() for one in of_floats(every)], inputs, allow_unused=True)
                for every in (eager, found)
            )
            pairs = [(got, like) for got, like in zip(gradients, wanted, strict=True) if like is not None]
            for got, like in pairs:
                close(operator, "Inductor", got, [like], f"as a gradient, {what}", factor=10)


def check_compiled_dynamically(operator: Operator) -> None:
    """The same, with sizes left open from the first call on."""
    check_compiled(operator, True)


def check_compiled_outputs(operator: Operator) -> None:
    """The form that writes, compiled: the given outputs are filled, and what reads them afterwards sees that."""
    for values in three_sizes(operator)[:2]:
        doubled = mapped(lambda tensor: tensor * 2 if tensor.dtype in FLOATS else tensor, values)
        wanted = reference(operator, doubled)
        outs = outputs_for(operator, values, lambda tensor: tensor)
        found = compiled(operator, values, True, has_out=True)(*tensors_of(values), *outs)
        what = f"into an output when it is compiled, for {words(values)}"
        close(operator, "Inductor", tuple(outs), wanted, what)
        after = tuple(one * 2 if one.dtype in FLOATS else one + 1 for one in outs)
        close(operator, "Inductor", found, after, f"to what reads the output, {what}")


class _Module(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, tensors: list[Tensor]) -> Any:
        return self.function(*tensors)


def check_export(operator: Operator) -> None:
    """Exported once, with every size that varies left open, it computes all three sizes."""
    sizes = three_sizes(operator)
    shapes = [[tuple(tensor.shape) for tensor in tensors_of(values)] for values in sizes]
    opened = [
        {i: torch.export.Dim.AUTO for i, many in enumerate(zip(*same, strict=True)) if len(set(many)) > 1}
        for same in zip(*shapes, strict=True)
    ]
    require(any(opened), operator, "export", "has no size that varies")
    function = between_neighbours(operator, sizes[0])
    exported = torch.export.export(_Module(function), (tensors_of(sizes[0]),), dynamic_shapes=(opened,))
    targets = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    name = str(made_of(operator).overload("stated"))
    require(name in targets, operator, "export", f"is not in the exported graph, which has {', '.join(targets)}")
    for values in sizes:
        found = exported.module()(tensors_of(values))
        close(operator, "export", tuple(found), function(*tensors_of(values)), f"when exported, for {words(values)}")


def check_vmap(operator: Operator) -> None:
    """A batch in dimension 0 or 1, of each tensor alone and of all, is a loop over it."""
    count = 3
    for values in small_cases(operator, main_dtype(operator)):
        leaves, made_of_leaves = flattened(values)
        places = [i for i, value in enumerate(leaves) if isinstance(value, Tensor)]
        for chosen in [[place] for place in places] + ([places] if len(places) > 1 else []):
            for dimension in (0, 1):
                if any(leaves[i].ndim < dimension for i in chosen):
                    continue
                batch = [[_varied(v, k) if i in chosen else v for i, v in enumerate(leaves)] for k in range(count)]
                given = [
                    torch.stack([one[i] for one in batch], dimension) if i in chosen else v
                    for i, v in enumerate(leaves)
                ]
                dims = tuple(dimension if i in chosen else None for i in range(len(leaves)))
                batched = torch.vmap(
                    lambda *inner, made=made_of_leaves: tuple(present(call(operator, made(inner)))), in_dims=dims
                )
                found = batched(*given)
                each = [present(call(operator, made_of_leaves(one))) for one in batch]
                wanted = [torch.stack(many) for many in zip(*each, strict=True)]
                named = "tensors " + ", ".join(str(places.index(i)) for i in chosen)
                what = f"under vmap over dimension {dimension} of {named}, for {words(values)}"
                close(operator, "vmap", found, wanted, what)
                empty = [one.narrow(dimension, 0, 0) if i in chosen else one for i, one in enumerate(given)]
                found = batched(*empty)
                close(operator, "vmap", found, [one[:0] for one in wanted], f"for a batch of none, {what}")


def _varied(tensor: Tensor, step: int) -> Tensor:
    return tensor * (step + 1) if tensor.dtype in FLOATS else tensor


def check_modes(operator: Operator) -> None:
    """no_grad and inference_mode change no value, and leave nothing to differentiate."""
    modes: list[Callable[[], Any]] = [torch.no_grad, torch.inference_mode]
    for values in small_cases(operator, main_dtype(operator)):
        given, _ = leaves(operator, values)
        wanted = reference(operator, values)
        for mode in modes:
            with mode():
                found = call(operator, given)
                outs = outputs_for(operator, values, lambda tensor: tensor)
                written = call(operator, given, out=outs[0] if len(outs) == 1 else tuple(outs))
            what = f"under {mode.__name__}, for {words(values)}"
            close(operator, "default", found, wanted, what)
            close(operator, "default", written, wanted, f"in an output {what}")
            graph = any(one.requires_grad for one in present(found))
            require(not graph, operator, "default", f"gives a result that requires a gradient {what}")


def check_opcheck(operator: Operator) -> None:
    """PyTorch's own checks of a registration, for every form."""
    made = made_of(operator)
    for values in _for_opcheck(operator):
        forms: list[tuple[str, Any, Values, dict[str, Any]]] = [("", made.overload("stated"), values, {})]
        if operator.gradient != "none":
            forms.append((" with gradients", made.overload("stated"), leaves(operator, values)[0], {}))
        likes = planned(operator, values)
        outs = [None if like is None else torch.zeros(like.shape, dtype=like.dtype) for like in likes]
        forms.append((" with outputs", made.overload("out"), values, dict(zip(operator.out_names, outs, strict=True))))
        if operator.writes:
            forms.append((" in place", made.overload("in_place"), clones(values), {}))
        for name, overload, given, more in forms:
            placed, named = operator.schema.split(given)
            try:
                torch.library.opcheck(overload, tuple(placed), {**named, **more})
            except Exception as error:
                fail(operator, "opcheck", f"fails{name}, for {words(values)}:\n{error}")


def _for_opcheck(operator: Operator) -> Iterator[Values]:
    """One case of each kind: what is absent differs."""
    seen = set()
    for values in small_cases(operator, main_dtype(operator)):
        kind = tuple(type(value) for value in values)
        if kind not in seen:
            seen.add(kind)
            yield values
