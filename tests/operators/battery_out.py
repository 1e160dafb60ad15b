"""The battery's checks of the forms that write: into given outputs, and into arguments.

In: an operator, a provider and a dtype. Outputs hold NaN, or bytes 0xA5 where there is no NaN, before a call; so do the
bytes between and around their elements, which must stay. See battery.py for the rest.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from battery import (
    FLOATS,
    Operator,
    Values,
    call_by,
    cases,
    clones,
    close,
    fail,
    in_place_of,
    is_taken,
    made_of,
    main_dtype,
    mapped,
    planned,
    present,
    reference,
    require,
    results,
    tensors_of,
    twins_of,
    whole_storage,
    words,
)
from battery_layouts import OF_OUTPUTS
from torch import Tensor

import opwright
from opwright.errors import OperatorError

MARK = 0xA5


def marked(tensor: Tensor) -> Tensor:
    """Fills all of a tensor's memory with a mark, and its elements with NaN where they can be NaN."""
    whole_storage(tensor).fill_(MARK)
    return tensor.fill_(float("nan")) if tensor.dtype in FLOATS else tensor


def outputs_for(operator: Operator, values: Values, lay_out: Callable[[Tensor], Tensor]) -> list[Any]:
    """Marked outputs for a call; None for a result that is absent."""
    return [
        None if like is None else marked(lay_out(torch.zeros(like.shape, dtype=like.dtype)))
        for like in planned(operator, values)
    ]


def write(operator: Operator, provider: str, values: Values, outs: Sequence[Tensor]) -> Any:
    """Calls the form that writes into outputs, or without any into arguments; it must give them back."""
    if not outs:
        placed, named = operator.schema.split(values)
        with opwright.using(operator.schema.qualified, provider):
            found = in_place_of(operator)(*placed, **named)
        given = {argument.name: value for argument, value in zip(operator.schema.arguments, values, strict=True)}
        is_given = all(results(found)[i] is given[name] for name, i in operator.writes.items())
        require(is_given, operator, provider, "does not return the arguments that it writes")
        return found
    passed: Any = outs[0] if len(outs) == 1 else tuple(outs)
    found = call_by(operator, provider, values, out=passed)
    require(found is passed, operator, provider, "does not return the outputs that it was given")
    return found


def _rest_of(tensor: Tensor) -> Tensor:
    """The bytes of a tensor's memory that are none of its elements'."""
    is_rest = torch.ones(tensor.untyped_storage().nbytes() // tensor.element_size(), dtype=torch.bool)
    torch.as_strided(is_rest, tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(False)
    return whole_storage(tensor)[is_rest.repeat_interleave(tensor.element_size())]


def check_outputs(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """Outputs of any layout are filled, each element, nothing beside them, and their version says so."""
    layouts = {"dense": lambda tensor: tensor, **OF_OUTPUTS}
    for values in cases(operator, dtype):
        if not is_taken(operator, provider, values):
            continue
        wanted = reference(operator, clones(values))
        for name, lay_out in layouts.items():
            outs = outputs_for(operator, values, lay_out)
            written = present(tuple(outs))
            versions = [out._version for out in written]
            before = [(whole_storage(tensor).clone(), tensor._version) for tensor in tensors_of(values)]
            found = write(operator, provider, values, outs)
            for tensor, (memory, version) in zip(tensors_of(values), before, strict=True):
                is_kept = torch.equal(whole_storage(tensor), memory) and tensor._version == version
                require(is_kept, operator, provider, f"writes into an argument as well, for {words(values)}")
            close(operator, provider, found, wanted, f"in an output that is {name}, for {words(values)}")
            for out, version in zip(written, versions, strict=True):
                is_kept = bool((_rest_of(out) == MARK).all())
                fault = f"writes beside the elements of an output that is {name}, for {words(values)}"
                require(is_kept, operator, provider, fault)
                require(out._version > version, operator, provider, "leaves the version of an output that it writes")


def _refused(operator: Operator, provider: str, values: Values, outs: Sequence[Tensor], fault: str) -> None:
    before = [whole_storage(tensor).clone() for tensor in tensors_of(values)]
    try:
        write(operator, provider, values, outs)
    except OperatorError as error:
        is_typed = isinstance(error, (TypeError, ValueError, NotImplementedError))
        require(is_typed, operator, provider, f"refuses {fault} with {type(error).__name__}")
        _refused_by_the_dispatcher(operator, values, outs, fault, str(error).splitlines()[0])
    except Exception as error:
        fail(operator, provider, f"refuses {fault} with {type(error).__name__}, which is none of ours: {error}")
    else:
        fail(operator, provider, f"takes {fault}, for {words(values)}")
    for tensor, memory in zip(tensors_of(values), before, strict=True):
        is_kept = torch.equal(whole_storage(tensor), memory)
        require(is_kept, operator, provider, f"refuses {fault}, but has written into an argument")


def _refused_by_the_dispatcher(
    operator: Operator, values: Values, outs: Sequence[Tensor], fault: str, wanted: str
) -> None:
    """`torch.ops` raises the same, or a RuntimeError that begins with the same line."""
    made = made_of(operator)
    placed, named = operator.schema.split(values)
    try:
        if outs:
            made.overload("out")(*placed, **named, **dict(zip(operator.out_names, outs, strict=True)))
        else:
            made.overload("in_place")(*placed, **named)
    except (OperatorError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        require(first == wanted, operator, "torch.ops", f"refuses {fault} as '{first}', and otherwise as '{wanted}'")
    else:
        fail(operator, "torch.ops", f"takes {fault}, for {words(values)}")


def check_wrong_outputs(operator: Operator, provider: str) -> None:
    """Outputs that do not fit, or share memory with themselves or in part with an argument, are refused."""
    for values in cases(operator, main_dtype(operator)):
        likes = planned(operator, values)
        if any(like is None or like.numel() == 0 for like in likes) or not is_taken(operator, provider, values):
            continue

        def outs(changed: Tensor, number: int, likes: Sequence[Tensor] = likes) -> list[Tensor]:
            plain = [torch.zeros(like.shape, dtype=like.dtype) for like in likes]
            return [*plain[:number], changed, *plain[number + 1 :]]

        for number, like in enumerate(likes):
            other = torch.int32 if like.dtype != torch.int32 else torch.float32
            wrong = {
                "an output of another shape": torch.zeros((*like.shape, 2), dtype=like.dtype),
                "an output of another dtype": torch.zeros(like.shape, dtype=other),
                "an output on another device": torch.zeros(like.shape, dtype=like.dtype, device="meta"),
            }
            if like.numel() > 1:
                single = torch.zeros((1,) * like.ndim, dtype=like.dtype)
                wrong["an output whose elements share memory"] = single.expand(like.shape)
            for fault, out in wrong.items():
                _refused(operator, provider, values, outs(out, number), fault)
            for place, value in enumerate(values):
                if isinstance(value, Tensor) and value.nbytes > 8:
                    shifted, out = _overlapping(value, like)
                    given = (*values[:place], shifted, *values[place + 1 :])
                    _refused(operator, provider, given, outs(out, number), "an output that partly is an argument")


def _overlapping(argument: Tensor, like: Tensor) -> tuple[Tensor, Tensor]:
    """An argument's copy, and an output that begins eight bytes behind its beginning."""
    room = torch.zeros(max(argument.nbytes, 8 + like.nbytes) + 8, dtype=torch.uint8)
    first = room[: argument.nbytes].view(argument.dtype).view(argument.shape)
    second = room[8 : 8 + like.nbytes].view(like.dtype).view(like.shape)
    return first.copy_(argument), second


def check_outputs_in_arguments(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """An output may be an argument as a whole, or lie between its elements. For operators with `twins_of`."""
    for values in cases(operator, dtype):
        if not is_taken(operator, provider, values):
            continue
        wanted = reference(operator, clones(values))
        for place, index in twins_of(operator, values):
            name, value = operator.schema.arguments[place].name, values[place]
            room = torch.zeros((*value.shape, 2), dtype=value.dtype)
            room[..., 0] = value
            own = clones(values)[place]
            for what, argument, out in (("is", own, own), ("lies in the gaps of", room[..., 0], room[..., 1])):
                outs = outputs_for(operator, values, lambda tensor: tensor)
                outs[index] = out
                given = (*values[:place], argument, *values[place + 1 :])
                if not is_taken(operator, provider, given):
                    continue
                found = write(operator, provider, given, outs)
                close(operator, provider, found, wanted, f"when an output {what} {name}, for {words(given)}")
            is_kept = torch.equal(room[..., 0].nan_to_num(), value.nan_to_num())
            require(is_kept, operator, provider, f"writes into {name}, in whose gaps its output lies")


def check_writes_are_not_differentiated(operator: Operator, provider: str) -> None:
    """A form that writes refuses tensors that require gradients, with gradients on; without, it takes them."""
    for values in cases(operator, main_dtype(operator)):
        if not is_taken(operator, provider, values):
            continue
        given = mapped(lambda tensor: tensor.clone().requires_grad_(tensor.is_floating_point()), values)
        fault = "to write what would have to be differentiated"
        _refused(operator, provider, given, outputs_for(operator, values, lambda tensor: tensor), fault)
        if operator.writes:
            _refused(operator, provider, given, [], fault)
        outs = outputs_for(operator, values, lambda tensor: tensor)
        with torch.no_grad():
            found = write(operator, provider, given, outs)
        close(operator, provider, found, reference(operator, values), f"under no_grad, for {words(values)}")


def check_in_place(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """The form that writes into arguments returns those, of any layout, with new versions."""
    layouts = {"dense": lambda tensor: tensor, **OF_OUTPUTS}
    for values in cases(operator, dtype):
        if not is_taken(operator, provider, values):
            continue
        wanted = reference(operator, clones(values))
        places = _written_places(operator, values)
        for name, lay_out in layouts.items():
            own = clones(values)
            given = tuple(lay_out(own[i]) if i in places else value for i, value in enumerate(values))
            if not is_taken(operator, provider, given):
                continue
            versions = [given[i]._version for i in places]
            found = write(operator, provider, given, [])
            pairs = [pair for pair in zip(results(found), wanted, strict=True) if pair[0] is not None]
            what = f"in place, into tensors that are {name}, for {words(values)}"
            close(operator, provider, tuple(got for got, _ in pairs), [like for _, like in pairs], what)
            for i, version in zip(places, versions, strict=True):
                is_new = given[i]._version > version
                require(is_new, operator, provider, "leaves the version of what it writes in place")
        for i in places:
            if values[i].numel() > 1:
                shared = values[i].flatten()[:1].view((1,) * values[i].ndim).expand(values[i].shape)
                given = (*values[:i], shared, *values[i + 1 :])
                _refused(operator, provider, given, [], "to write in place where elements share memory")


def _written_places(operator: Operator, values: Values) -> list[int]:
    """Where a call in place has the arguments that it writes."""
    names = [argument.name for argument in operator.schema.arguments]
    return [place for name in operator.writes if values[place := names.index(name)] is not None]
