"""Registers operators in PyTorch: schema, fake, gradient, vmap and implementations, once each.

In: an operator. Out: its forms in `torch.ops`, as a `Registered`. On the CPU the compiled library serves it, if it has
the operator and the order begins with it; what it refuses, and every other device, is served in Python. Everything is
registered before the operator can be traced: what comes later is not seen by compiled code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import UnsupportedFakeTensorException

from opwright.errors import BadDefinition, OpwrightError
from opwright.frameworks.torch import autograd, batch, native, sharding
from opwright.frameworks.torch.serve import check, check_like, only_returned, serve, serve_into
from opwright.operators._forms import Form
from opwright.operators._operator import Counts, Operator, as_tuple


@dataclass
class Registered:
    """An operator in PyTorch: its forms by their overloads, and the slots in which native calls are counted."""

    operator: Operator
    forms: dict[Any, Form] = field(default_factory=dict)
    slots: list[int] = field(default_factory=list)

    def overload(self, kind: str) -> Any:
        """The overload of a form: "stated", "out" or "in_place"; None if there is none."""
        return next((overload for overload, form in self.forms.items() if form.kind == kind), None)


registered: dict[str, Registered] = {}
_libraries: list[torch.library.Library] = []  # a registration ends with its library


def register(operator: Operator) -> Registered:
    """Registers one operator. Called under the lock of `opwright.ops`."""
    schema = operator.schema
    _complete(operator)
    library = torch.library.Library(schema.space, "FRAGMENT")
    try:
        for form in operator.forms:
            library.define(form.schema.text, tags=_tags(operator))
    except RuntimeError as error:
        reason = f"cannot be registered: {str(error).splitlines()[0]}"
        hint = "another library has registered this name in PyTorch; only one of them can be loaded"
        raise BadDefinition(name=schema.qualified, where=operator.where, reason=reason, hint=hint) from None
    _libraries.append(library)
    made = Registered(operator)
    for form in operator.forms:
        packet = getattr(getattr(torch.ops, schema.space), form.schema.name)
        overload = getattr(packet, form.schema.overload or "default")
        made.forms[overload] = form
        _implement(made, library, form, overload)
    operator.functions["call"] = autograd.call_of(operator, made.overload("stated"))
    registered[schema.qualified] = made
    return made


def _tags(operator: Operator) -> list[torch.Tag]:
    """What PyTorch may know of an operator. It can be captured, unless it is said to be unsafe."""
    is_random = any(argument.kind == "Generator" for argument in operator.schema.arguments)
    names = ["pt2_compliant_tag", "needs_exact_strides", *(["nondeterministic_seeded"] if is_random else [])]
    return [tag for name in names if (tag := getattr(torch.Tag, name, None))]


def _complete(operator: Operator) -> None:
    """Refuses a definition that lacks what its registration needs."""
    wanted = ["reference", "infer"] + (["backward"] if operator.gradient != "none" else [])
    missing = [name for name in wanted if name not in operator.functions]
    if missing:
        hint = f"add @{operator.name}.{missing[0]} above a function"
        reason = f"has no {' and no '.join(missing)}"
        raise BadDefinition(name=operator.schema.qualified, where=operator.where, reason=reason, hint=hint)


def _implement(made: Registered, library: torch.library.Library, form: Form, overload: Any) -> None:
    operator, name = made.operator, form.name
    served, faked = _functions(operator, form)
    library.impl(name, served, "CompositeExplicitAutograd")
    torch.library.register_fake(overload, faked, lib=library)
    if form.is_writing:
        kernel = autograd.writing_kernel(operator, overload, form.written())
        library.impl(name, kernel, "Autograd", with_keyset=True)
        batch.refuse(operator, overload, library, "a call that writes into a given tensor cannot be batched by vmap")
    else:
        if operator.gradient == "none":
            library.impl(name, torch.library.fallthrough_kernel, "Autograd")
        else:
            library.impl(name, autograd.functional_kernel(operator, overload), "Autograd", with_keyset=True)
        batch.register(operator, overload, library)
        sharding.register(operator, overload)
    if (slot := native.implement(operator, form, library, served)) is not None:
        made.slots.append(slot)


def _functions(operator: Operator, form: Form) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What serves a form in Python, and its fake."""
    schema = operator.schema

    def served(*args: Any, **kwargs: Any) -> Any:
        with _raising_as_operators_do():
            return serve(operator, schema.complete(args, kwargs))

    def served_into(*args: Any, **kwargs: Any) -> Any:
        with _raising_as_operators_do():
            return serve_into(operator, *form.taken(schema, args, kwargs))

    def faked(*args: Any, **kwargs: Any) -> Any:
        values, outs = form.taken(schema, args, kwargs)
        with _raising_as_operators_do():
            check(operator, values)
            results = as_tuple(operator.fake(values))
            check_like(operator, values, outs, results)
        return only_returned(results, outs)

    return (served_into if form.into else served), faked


@contextlib.contextmanager
def _raising_as_operators_do() -> Iterator[None]:
    """Turns our errors into a RuntimeError, whichever provider serves; the functions of `opwright.ops` turn them back.

    torch.compile gets what makes it leave the call to Python: any other error it would wrap in its own.
    """
    try:
        yield
    except OpwrightError as error:
        if torch._guards.TracingContext.try_get() is None:
            raise RuntimeError(str(error)) from error
        raise UnsupportedFakeTensorException(str(error)) from error


def calls(made: Registered, name: str) -> int:
    """How often a provider has served a call of an operator."""
    return counts(made, name).served


def counts(made: Registered, name: str) -> Counts:
    """What a provider has done with the calls of an operator, through Python and without it."""
    found = made.operator.providers[name].counts
    without_python = native.counts(made.slots, name)
    if without_python is None:
        return found
    # Python asks the first one again for what a slot has refused.
    asked_again = native.is_first(made.slots, name)
    return without_python + Counts(found.served, 0 if asked_again else found.refused, found.copied)
