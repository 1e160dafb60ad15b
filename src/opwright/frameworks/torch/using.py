"""`using`: another provider for a while, in this thread.

In: an operator's name and a provider's name or place. Out: a context. It is a dispatch mode that only looks at that
operator's calls; PyTorch counts it as its own kind, so that functions go on being compiled, and compiled ones obey it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack
from torch.utils._pytree import tree_leaves

from opwright.errors import ProviderRefused
from opwright.frameworks.torch.loading import operator_named
from opwright.frameworks.torch.register import Registered, registered
from opwright.frameworks.torch.serve import (
    check,
    check_outs,
    device_of,
    named,
    order_of,
    refusal,
    serve,
    serve_into,
)
from opwright.operators._operator import Provider
from opwright.settings import settings


class Using(TorchDispatchMode):  # type: ignore[misc]
    """Sends the calls of one operator to one provider."""

    def __init__(self, made: Registered, wanted: str | int) -> None:
        super().__init__()
        self.made, self.wanted = made, wanted
        named(made.operator, wanted)  # a wrong name is wrong before any call

    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def provider(self, device: str) -> Provider:
        """Who serves a call on a device."""
        return named(self.made.operator, self.wanted, device)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made, kwargs = self.made, dict(kwargs or {})
        form = made.forms.get(func)
        if form is None or _is_traced(args, kwargs) or made in _passing.operators:
            return func(*args, **kwargs)
        values, outs = form.taken(made.operator.schema, args, kwargs)
        forced = self.provider(device_of(made.operator, values))
        if made.slots and forced.name == order_of(made.operator, "cpu")[0] and not settings.run().check:
            # The library serves what is registered for the CPU; only what it would leave to others must not go there.
            if reason := refusal(made.operator, forced, values):
                # What is wrong with the call itself is said first.
                check(made.operator, values)
                if outs:
                    check_outs(made.operator, values, outs)
                raise ProviderRefused(operator=made.operator.name, provider=forced.name, reason=reason)
            with _passing_outer(made):
                return func(*args, **kwargs)
        if form.into:
            return serve_into(made.operator, values, outs, forced)
        return serve(made.operator, values, forced)


class _Passing(threading.local):
    """Operators whose calls outer contexts must let pass, since an inner one has decided."""

    def __init__(self) -> None:
        self.operators: list[Registered] = []


_passing = _Passing()


@contextlib.contextmanager
def _passing_outer(made: Registered) -> Iterator[None]:
    _passing.operators.append(made)
    try:
        yield
    finally:
        _passing.operators.pop()


def _is_traced(args: Any, kwargs: Any) -> bool:
    return any(isinstance(value, FakeTensor) for value in tree_leaves((args, kwargs)))


@contextlib.contextmanager
def using(name: str, provider: str | int) -> Iterator[None]:
    """Lets one provider serve an operator's calls in this thread: `with using("rms_norm", "reference"): ...`.

    `provider` is a name, or a place in the order of the call's device. A call that it does not take raises with its
    reason. Contexts nest; the innermost that names an operator counts.
    """
    with Using(registered[operator_named(name).schema.qualified], provider):
        yield


def in_use(made: Registered) -> Using | None:
    """What is in use for an operator in this thread."""
    stack = [mode for mode in _get_current_dispatch_mode_stack() if isinstance(mode, Using) and mode.made is made]
    return stack[-1] if stack else None
