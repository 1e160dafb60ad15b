"""The battery's checks of operators that write into their arguments, through the functional twin of their reference.

In: an operator, and a provider and a dtype where they matter. Every call gets copies that lie as the arguments do, with
the bytes between their elements, so that what is written beside them shows. See battery.py for the rest.
"""

from collections.abc import Iterator
from typing import Any

import torch
from battery import (
    Operator,
    Values,
    cases,
    close,
    fail,
    function_of,
    made_of,
    main_dtype,
    require,
    whole_storage,
    words,
)
from battery_layouts import OF_OUTPUTS
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

import opwright
from opwright.errors import NotSupported
from opwright.frameworks.torch.serve import refusal
from opwright.operators._operator import KERNEL, as_tuple
from opwright.operators._twin import functional


def as_it_lies(tensor: Any) -> Any:
    """A copy with the strides, the offset and all bytes around it."""
    if not isinstance(tensor, Tensor):
        return tensor
    memory = whole_storage(tensor).clone().untyped_storage()
    made = torch.empty(0, dtype=tensor.dtype).set_(memory, tensor.storage_offset(), tensor.shape, tensor.stride())
    return made


def tensors(values: Any) -> list[Tensor]:
    return [one for one in tree_leaves(values) if isinstance(one, Tensor)]


def wanted(operator: Operator, values: Values) -> list[Tensor]:
    """What a call returns and writes, by the reference on copies."""
    return tensors(functional(operator)(*values))


def written(operator: Operator, values: Values, returned: Any) -> list[Tensor]:
    """What a call has returned and written."""
    given = [value for one, value in zip(operator.schema.arguments, values, strict=True) if one.is_written]
    return tensors((as_tuple(returned) if operator.schema.results else (), given))


def laid_out(operator: Operator, dtype: torch.dtype) -> Iterator[tuple[str, Values]]:
    """All cases, dense and in the layouts that what is written can have."""
    for values in cases(operator, dtype, large=True):
        yield "dense", values
        for name, change in OF_OUTPUTS.items():
            yield name, tree_map(lambda one, change=change: change(one) if isinstance(one, Tensor) else one, values)


def _rest(tensor: Tensor) -> Tensor:
    """The bytes of a tensor's memory that are none of its elements'."""
    is_rest = torch.ones(tensor.untyped_storage().nbytes() // tensor.element_size(), dtype=torch.bool)
    torch.as_strided(is_rest, tensor.shape, tensor.stride(), tensor.storage_offset()).fill_(False)
    return whole_storage(tensor)[is_rest.repeat_interleave(tensor.element_size())]


def check_written(operator: Operator, provider: str, dtype: torch.dtype) -> None:
    """What is declared as written is, with a new version; nothing beside it, and nothing else."""
    taken = 0
    for name, values in laid_out(operator, dtype):
        if refusal(operator, operator.providers[provider], values) is not None:
            continue
        taken += 1
        given = tree_map(as_it_lies, values)
        pairs = [
            (one, tensors(a), tensors(b)) for one, a, b in zip(operator.schema.arguments, given, values, strict=True)
        ]
        versions = {id(tensor): tensor._version for tensor in tensors(given)}
        placed, named = operator.schema.split(given)
        with opwright.using(operator.schema.qualified, provider):
            returned = function_of(operator)(*placed, **named)
        what = f"for tensors that are {name}: {words(values)}"
        close(operator, provider, tuple(written(operator, given, returned)), wanted(operator, values), what)
        for argument, own, before in pairs:
            for tensor, old in zip(own, before, strict=True):
                has_changed = tensor._version > versions[id(tensor)]
                fault = f"{'leaves' if argument.is_written else 'raises'} the version of {argument.name} {what}"
                require(has_changed == argument.is_written, operator, provider, fault)
                is_kept = torch.equal(_rest(tensor), _rest(old)) if argument.is_written else _is_whole(tensor, old)
                require(is_kept, operator, provider, f"writes beside what it declares, in {argument.name} {what}")
    is_for_none = provider == KERNEL and dtype == torch.float64  # which the vector unit does not have
    require(taken or is_for_none, operator, provider, "takes none of the operator's cases")


def _is_whole(tensor: Tensor, old: Tensor) -> bool:
    return torch.equal(whole_storage(tensor), whole_storage(old))


def check_writing_compiled(operator: Operator) -> None:
    """Functionalised, in one graph: the same is returned and written, and what comes after a write sees it."""
    function = function_of(operator)
    for values in list(cases(operator, main_dtype(operator)))[:3]:
        given = tree_map(as_it_lies, values)

        def run(given: Values) -> Any:
            placed, named = operator.schema.split(given)
            returned = function(*placed, **named)
            return returned, [one + 1 for one in written(operator, given, returned)]

        torch._dynamo.reset()
        returned, after = torch.compile(run, fullgraph=True, backend="aot_eager")(given)
        like = wanted(operator, values)
        what = f"when it is compiled, for {words(values)}"
        close(operator, "aot_eager", tuple(written(operator, given, returned)), like, what)
        close(operator, "aot_eager", tuple(after), [one + 1 for one in like], f"to what comes after it, {what}")


def check_writing_opcheck(operator: Operator) -> None:
    """PyTorch's own checks of a registration."""
    for values in list(cases(operator, main_dtype(operator)))[-2:]:
        placed, named = operator.schema.split(tree_map(as_it_lies, values))
        try:
            torch.library.opcheck(made_of(operator).overload("stated"), tuple(placed), named)
        except Exception as error:
            fail(operator, "opcheck", f"fails, for {words(values)}:\n{error}")


def check_writing_refusals(operator: Operator) -> None:
    """A tensor that requires a gradient is refused, and nothing is written; without gradients it is not."""
    values = next(cases(operator, main_dtype(operator)))
    floats = [i for i, one in enumerate(tensors(values)) if one.is_floating_point()]
    for place in floats:
        count = iter(range(len(tensors(values))))
        given = tree_map(
            lambda one, count=count, place=place: (
                as_it_lies(one).requires_grad_(next(count) == place) if isinstance(one, Tensor) else one
            ),
            values,
        )
        placed, named = operator.schema.split(given)
        try:
            function_of(operator)(*placed, **named)
        except NotSupported:
            is_kept = all(map(_is_whole, tensors(given), tensors(values)))
            require(is_kept, operator, "default", "refuses a gradient, but has written")
        else:
            fail(operator, "default", "takes a tensor that requires a gradient")
        with torch.no_grad():
            function_of(operator)(*placed, **named)
