"""Registers operators in PyTorch: schema, fake, gradient, vmap and implementations, once each.

In: an operator. Out: its forms in `torch.ops`, as a `Registered`. On the CPU the compiled library serves it, if it has
the operator and the order begins with it; what it refuses, and every other device, is served in Python. Everything is
registered before the operator can be traced: what comes later is not seen by compiled code.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import UnsupportedFakeTensorException

from opwright.errors import BadDefinition, CacheFailed, CompileFailed, OpwrightError, UnsafeCache
from opwright.frameworks.torch import autograd, batch
from opwright.frameworks.torch.serve import (
    NATIVE,
    check,
    check_like,
    fake,
    only_returned,
    order_of,
    serve,
    serve_into,
    view,
)
from opwright.native.build import Library, torch_library
from opwright.native.library import CpuLibrary, opened
from opwright.operators._forms import Form, letters, with_addresses
from opwright.operators._operator import OWN, Operator, Provider, as_tuple


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
_adapter: ctypes.CDLL | str | None = None


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
    _implement_natively(made, library, form, served)


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


# The compiled libraries --------------------------------------------------------------------------------------------


def _implement_natively(
    made: Registered, library: torch.library.Library, form: Form, served: Callable[..., Any]
) -> None:
    operator, schema = made.operator, made.operator.schema
    if NATIVE not in operator.orders.get("cpu", ()):
        return
    if schema.space != OWN:
        operator.absent[NATIVE] = "the library has the operators of Opwright only; write a provider of your own"
        return
    cpu = opened()
    adapter = cpu if isinstance(cpu, str) else _opened_adapter()
    if isinstance(cpu, str) or isinstance(adapter, str):
        operator.absent[NATIVE] = str(adapter)
        return
    address = cpu.address(schema.qualified)
    if address is None:
        operator.absent[NATIVE] = "the library was made without it"
        return
    if NATIVE not in operator.providers:
        operator.providers[NATIVE] = _native_provider(operator, cpu)
    if order_of(operator, "cpu")[0] != NATIVE:
        return
    kinds, kind = letters(form.schema), _kind_of(operator, form)
    if kinds is None or kind is None:  # the border lacks it: Python serves this form
        return
    fallback = f"_{form.name.replace('.', '_')}_refused"
    passed = with_addresses(form.schema)
    library.define(replace(passed, name=fallback, overload="").text)
    library.impl(fallback, _reporting(operator, form, adapter, served), "CompositeExplicitAutograd")
    library.impl(fallback, torch.library.fallthrough_kernel, "Autograd")
    words = [text.encode() for text in (schema.space, form.name, kinds, f"{schema.space}::{fallback}")]
    slot = adapter.opwright_torch_register(address, *words[:3], len(schema.results), kind, words[3])
    if slot < 0:
        raise RuntimeError(f"libopwright_torch could not register {schema.space}::{form.name}")
    made.slots.append(slot)


def _kind_of(operator: Operator, form: Form) -> int | None:
    """What the border calls a form: 0 new tensors, 1 given outputs, 2 the first argument is the one result."""
    if form.kind == "in_place":
        is_first = form.into == ((operator.schema.arguments[0].name, 0),)
        return 2 if is_first and len(operator.schema.results) == 1 else None
    return None if operator.is_writing else int(form.kind == "out")


def _native_provider(operator: Operator, cpu: CpuLibrary) -> Provider:
    def run(*args: Any) -> Any:
        outs = tuple(torch.empty_strided(one.shape, one.stride(), dtype=one.dtype) for one in fake(operator, args))
        cpu.run(operator.schema.qualified, [view(value) for value in args], [view(out) for out in outs])
        return outs if len(operator.schema.results) > 1 else outs[0]

    def supports(*facts: Any) -> str | None:
        return cpu.refusal(operator.schema.qualified, [view(value) for value in facts])

    return Provider(NATIVE, run, supports, operator.where)


def _reporting(operator: Operator, form: Form, adapter: ctypes.CDLL, served: Callable[..., Any]) -> Callable[..., Any]:
    """Reads the texts of a refused call, and leaves the message of what it raises where the library finds it."""
    names = [argument.name for argument in operator.schema.arguments]
    texts = {argument.name for argument in operator.schema.arguments if argument.kind == "str"}

    def nothing() -> Any:
        """In the place of results, which the library throws away."""
        if form.is_writing:
            return None
        empty = tuple(torch.empty(0) for _ in operator.schema.results)
        return empty if len(empty) > 1 else empty[0]

    def read(name: str, value: Any) -> Any:
        if name not in texts or value is None:
            return value
        length = ctypes.c_size_t()
        data = adapter.opwright_torch_text(value, ctypes.byref(length))
        return ctypes.string_at(data, length.value).decode()

    def reporting(*args: Any, **kwargs: Any) -> Any:
        try:
            named = {name: read(name, value) for name, value in kwargs.items()}
            return served(*map(read, names, args), **named)
        except Exception as error:
            adapter.opwright_torch_message(str(error).encode())
            return nothing()

    return reporting


def _opened_adapter() -> ctypes.CDLL | str:
    """libopwright_torch, or why there is none."""
    global _adapter
    if _adapter is None:
        try:
            library = torch_library(Path(torch.__file__).parent)
            _adapter = _opened(library) if library.path else library.reason
        except (CacheFailed, CompileFailed, UnsafeCache) as error:
            _adapter = str(error)
        except OSError as error:
            _adapter = f"libopwright_torch cannot be loaded: {error}"
    return _adapter


def _opened(library: Library) -> ctypes.CDLL:
    adapter = ctypes.CDLL(str(library.path))
    texts = [ctypes.c_char_p] * 3
    adapter.opwright_torch_register.argtypes = [ctypes.c_void_p, *texts, ctypes.c_int, ctypes.c_int, ctypes.c_char_p]
    adapter.opwright_torch_calls.restype = ctypes.c_int64
    adapter.opwright_torch_text.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
    adapter.opwright_torch_text.restype = ctypes.c_void_p
    return adapter


def calls(made: Registered, name: str) -> int:
    """How often a provider has served a call of an operator."""
    found = made.operator.providers[name]
    counted = found.calls
    if name == NATIVE and isinstance(_adapter, ctypes.CDLL):
        counted += sum(int(_adapter.opwright_torch_calls(slot)) for slot in made.slots)
    return counted
