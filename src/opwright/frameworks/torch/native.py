"""Compiled libraries behind operators in PyTorch: who serves a form on the CPU without Python.

In: an operator whose order names "native" or "kernel", and a form of it that is defined. Out: the slot of
libopwright_torch in which that form's calls are served and counted, or why there is none. Our own operators are in
libopwright_cpu, those of another package in the library that it names: none is ever served by the library of another.
Refuses a library whose schema of an operator is not that of its Python. Forms with arguments that PyTorch's stable ABI
does not carry have no slot: Python calls the library, which so far gets no generators, devices or lists of tensors.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from opwright.errors import BadSchema, CacheFailed, CompileFailed, OperatorError, UnsafeCache
from opwright.frameworks.torch.serve import NATIVE, fake, order_of, view
from opwright.native.abi import ERRORS, NOT_SUPPORTED, Error
from opwright.native.build import Library, torch_library
from opwright.native.library import CpuLibrary, opened, opened_at
from opwright.operators._forms import Form, with_addresses
from opwright.operators._operator import KERNEL, OWN, Counts, Operator, Provider
from opwright.schema import Base, Schema, parse
from opwright.settings import settings

NEW = -1  # the place of a result that is a new tensor
_adapter: ctypes.CDLL | str | None = None


class NotCarried(Exception):
    """A form has arguments that do not reach libopwright_torch, or there are more forms than it takes."""


def implement(operator: Operator, form: Form, library: torch.library.Library, served: Callable[..., Any]) -> int | None:
    """Lets a library serve a form on the CPU; gives the slot, or None if Python serves it.

    served: what serves calls that the library refuses.
    """
    ours = (NATIVE, KERNEL) if operator.kernels else (NATIVE,)
    wanted = [name for name in operator.orders.get("cpu", ()) if name in ours]
    if not wanted:
        return None
    if any(result.type != Base("Tensor") for result in operator.schema.results):
        operator.absent[NATIVE] = "libraries give new tensors only, none that may be absent and no argument"
        return None
    found = _found(operator)
    if isinstance(found, str):
        operator.absent[NATIVE] = found
        return None
    opened_adapter, cpu = found
    qualified = operator.schema.qualified
    has = cpu.providers(qualified)
    for name in wanted:
        if name in has:
            operator.providers[name] = _provider(operator, cpu, name)
        elif name == NATIVE:
            operator.absent[NATIVE] = "the library was made without it"
    first = order_of(operator, "cpu")[0]
    is_checked = settings.run().check  # kernels are then launched from Python
    if first not in has or (first == KERNEL and is_checked):
        return None
    # The entry of all asks them in the library's order; where another one is first, it is asked alone.
    address = cpu.address(qualified, first if is_checked or first != next(iter(has)) else "")
    assert address is not None
    places = _places(operator, form)
    schema = form.schema
    fallback = f"_{form.name.replace('.', '__')}_refused"
    try:
        slot = registered_slot(opened_adapter, address, schema.space, form.name, f"{schema.space}::{fallback}", places)
    except NotCarried:
        return None
    library.define(replace(with_addresses(schema), name=fallback, overload="").text)
    library.impl(fallback, _reporting(schema, opened_adapter, served), "CompositeExplicitAutograd")
    library.impl(fallback, torch.library.fallthrough_kernel, "Autograd")
    return slot


def _places(operator: Operator, form: Form) -> list[int]:
    """Where each result lies among the form's arguments, or NEW."""
    place = {argument.name: i for i, argument in enumerate(form.schema.arguments)}
    given = {result: place[name] for name, result in form.into}
    return [given.get(i, NEW) for i in range(len(operator.schema.results))]


def registered_slot(
    opened_adapter: ctypes.CDLL, address: int, space: str, name: str, fallback: str, places: Sequence[int]
) -> int:
    """Registers the entry at an address for a form; raises NotCarried."""
    text = ctypes.create_string_buffer(1024)
    error = Error(ctypes.sizeof(Error), 0, len(text), ctypes.addressof(text))
    passed = (ctypes.c_int32 * max(1, len(places)))(*places)
    words = (space.encode(), name.encode(), passed, fallback.encode())
    slot = int(opened_adapter.opwright_torch_register(address, *words, ctypes.byref(error)))
    if slot >= 0:
        return slot
    reason = text.value.decode()
    if error.code == NOT_SUPPORTED:
        raise NotCarried(reason)
    raise RuntimeError(f"libopwright_torch could not register {space}::{name}: {reason}")


def _found(operator: Operator) -> tuple[ctypes.CDLL, CpuLibrary] | str:
    """The adapter and the library of an operator's package, which has the operator; or why not."""
    schema = operator.schema
    cpu = library_of(operator)
    if isinstance(cpu, str):
        return cpu
    if schema.qualified not in cpu.schemas:
        return "the library was made without it"
    if reason := _reason_against_schema(schema, cpu.schemas[schema.qualified]):
        return reason
    opened_adapter = adapter()
    return opened_adapter if isinstance(opened_adapter, str) else (opened_adapter, cpu)


def library_of(operator: Operator) -> CpuLibrary | str:
    """The library of an operator's package, or why there is none."""
    if operator.library is not None:
        return opened_at(operator.library)
    if operator.schema.space == OWN:
        return opened()
    return 'its package names no library: operator(..., library=Path(__file__).with_name("libmylib.so"))'


def _reason_against_schema(schema: Schema, text: str) -> str:
    """A call is read as the library's table says: it must be the table of this schema."""
    try:
        is_same = parse(text) == schema
    except BadSchema:
        is_same = False
    return "" if is_same else f"the library was made for another schema: {text}"


def _provider(operator: Operator, cpu: CpuLibrary, provider: str) -> Provider:
    """The library, called from Python: for forced providers, and where the adapter cannot serve.

    A kernel is launched from Python while launches are checked.
    """
    name, launched = operator.schema.qualified, operator.providers.get(provider)

    def run(*args: Any) -> Any:
        if launched is not None and settings.run().check:
            return launched.run(*args)
        outs = tuple(torch.empty_strided(one.shape, one.stride(), dtype=one.dtype) for one in fake(operator, args))
        cpu.run(name, [view(value) for value in args], [view(out) for out in outs], provider)
        return outs[0] if len(outs) == 1 else outs or None

    def supports(*facts: Any) -> str | None:
        return cpu.refusal(name, [view(value) for value in facts])

    if launched is not None:
        return Provider(provider, run, launched.supports, launched.where)
    return Provider(provider, run, supports, operator.where)


def _reporting(form: Schema, opened_adapter: ctypes.CDLL, served: Callable[..., Any]) -> Callable[..., Any]:
    """Reads the texts of a refused call, and leaves the message of what it raises where the library finds it."""
    names = [argument.name for argument in form.arguments]
    texts = {argument.name for argument in form.arguments if argument.kind == "str"}
    empty = tuple(torch.empty(0) for _ in form.results)
    nothing = empty[0] if len(empty) == 1 else empty or None  # in the place of results, which are thrown away

    def read(name: str, value: Any) -> Any:
        return text_at(opened_adapter, value) if name in texts and value is not None else value

    def reporting(*args: Any, **kwargs: Any) -> Any:
        try:
            named = {name: read(name, value) for name, value in kwargs.items()}
            return served(*map(read, names, args), **named)
        except Exception as error:
            opened_adapter.opwright_torch_message(NOT_SUPPORTED, str(error).encode())
            return nothing

    return reporting


def text_at(opened_adapter: ctypes.CDLL, address: int) -> str:
    """A text of a refused call."""
    length = ctypes.c_size_t()
    data = opened_adapter.opwright_torch_text(address, ctypes.byref(length))
    return ctypes.string_at(data, length.value).decode()


def adapter() -> ctypes.CDLL | str:
    """libopwright_torch, or why there is none. The first call may compile it."""
    global _adapter
    if _adapter is None:
        try:
            library = torch_library(Path(torch.__file__).parent)
            _adapter = _loaded(library) if library.path else library.reason
        except (CacheFailed, CompileFailed, UnsafeCache) as error:
            _adapter = str(error)
        except OSError as error:
            _adapter = f"libopwright_torch cannot be loaded: {error}"
    return _adapter


def _loaded(library: Library) -> ctypes.CDLL:
    loaded = ctypes.CDLL(str(library.path))
    text, number = ctypes.c_char_p, ctypes.c_int32
    loaded.opwright_torch_register.argtypes = [
        *(ctypes.c_void_p, text, text, ctypes.POINTER(number), text),
        ctypes.POINTER(Error),
    ]
    for name, places in (("served", 1), ("refused", 0), ("copied", 1)):
        function = getattr(loaded, f"opwright_torch_{name}")
        function.restype, function.argtypes = ctypes.c_int64, [ctypes.c_int] * (1 + places)
    loaded.opwright_torch_place.argtypes = [ctypes.c_int, text]
    loaded.opwright_torch_message.argtypes = [number, text]
    loaded.opwright_torch_thrown.argtypes = [text]
    loaded.opwright_torch_text.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
    loaded.opwright_torch_text.restype = ctypes.c_void_p
    return loaded


def counts(slots: Sequence[int], provider: str) -> Counts | None:
    """The calls of slots that a provider served, and those with copies; None if the slots do not ask it.

    What a slot refused or left to Python counts for the provider that it asks first.
    """
    found, place = _adapter, _place(slots, provider)
    if not isinstance(found, ctypes.CDLL) or place < 0:
        return None
    served = sum(found.opwright_torch_served(slot, place) for slot in slots)
    copied = sum(found.opwright_torch_copied(slot, place) for slot in slots)
    refused = sum(found.opwright_torch_refused(slot) for slot in slots) if place == 0 else 0
    return Counts(served, refused, copied)


def is_first(slots: Sequence[int], provider: str) -> bool:
    """Whether slots ask a provider before others."""
    return _place(slots, provider) == 0


def _place(slots: Sequence[int], provider: str) -> int:
    """The place of a provider among those that slots ask, or -1."""
    if not isinstance(_adapter, ctypes.CDLL) or not slots:
        return -1
    return int(_adapter.opwright_torch_place(slots[0], provider.encode()))


def error_thrown(name: str, error: Exception) -> OperatorError | None:
    """What a library refused a call of an operator with, as an error of ours; None if it was not thrown by one."""
    if not isinstance(error, RuntimeError) or not isinstance(_adapter, ctypes.CDLL):
        return None
    text = str(error)
    kind = ERRORS.get(_adapter.opwright_torch_thrown(text.encode()))
    return kind(operator=name, message=text.removeprefix(f"{name}: ")) if kind else None
