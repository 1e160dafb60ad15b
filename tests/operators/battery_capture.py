"""The battery's check that a call could be captured on a device: nothing waits for a number, nothing goes to the host.

In: an operator and a provider. Out: see battery.py. On the CPU such a call would do no harm, which is why it is looked
for: every call of PyTorch that a provider makes is seen, and the reference also runs where there are no numbers at all.
"""

from typing import Any

import torch
from battery import (
    Operator,
    Values,
    call,
    call_by,
    cases,
    fail,
    is_taken,
    main_dtype,
    mapped,
    present,
    require,
    results,
    words,
)
from battery_layouts import layouts_of
from battery_out import outputs_for
from torch.utils._python_dispatch import TorchDispatchMode

# What needs a number of a tensor on the host, to go on or to know how large its result is.
WAITING = (
    "_local_scalar_dense",
    "equal",
    "is_nonzero",
    "item",
    "masked_select",
    "nonzero",
    "unique_consecutive",
    "_unique2",
)


class Spy(TorchDispatchMode):
    """Notes the calls that no capture allows."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        space, _, name = func._schema.name.partition("::")
        if space == "aten" and name in WAITING:
            self.seen.append(f"waits for a number: aten.{name}")
        found = func(*args, **named)
        if len(_devices((*args, *named.values()), found)) > 1:
            self.seen.append(f"goes to another device: {space}.{name}")
        return found


def _devices(*trees: Any) -> set[torch.device]:
    """Where tensors lie. One without memory carries nothing anywhere."""
    leaves = torch.utils._pytree.tree_leaves(trees)
    return {one.device for one in leaves if isinstance(one, torch.Tensor) and one.device.type != "meta"}


def check_capture(operator: Operator, provider: str) -> None:
    """Neither form waits for a number or goes to another device."""
    for values in cases(operator, main_dtype(operator)):
        for given in (values, *(laid_out for _, laid_out in layouts_of(operator, values))):
            if not is_taken(operator, provider, given):
                continue
            outs = outputs_for(operator, given, lambda tensor: tensor)
            with Spy() as spy:
                call_by(operator, provider, given)
                call_by(operator, provider, given, out=outs[0] if len(outs) == 1 else tuple(outs))
            require(not spy.seen, operator, provider, f"{'; '.join(spy.seen)}, for {words(given)}")


def check_default_capture(operator: Operator) -> None:
    """The same of what is served when nobody asks for a provider."""
    for values in cases(operator, main_dtype(operator)):
        with Spy() as spy:
            call(operator, values)
        require(not spy.seen, operator, "default", f"{'; '.join(spy.seen)}, for {words(values)}")


def check_reference_without_numbers(operator: Operator) -> None:
    """The reference computes shapes where there are no numbers, so it needs none, and stays on its device."""
    for dtype in operator.dtypes:
        for values in cases(operator, dtype, large=True):
            _check_on_no_device(operator, values)


def _check_on_no_device(operator: Operator, values: Values) -> None:
    given = mapped(lambda tensor: tensor.to("meta"), values)
    try:
        found = results(operator.functions["reference"](*given))
    except (NotImplementedError, RuntimeError) as error:
        fail(operator, "reference", f"needs numbers or another device, for {words(values)}: {error}")
    for one in present(found):
        require(one.device.type == "meta", operator, "reference", f"moves to {one.device}, for {words(values)}")
