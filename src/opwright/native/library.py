"""libopwright_cpu from Python: the table of its operators, through ctypes.

In: values as the C ABI has them: tensors by what lies where. Out: what an operator infers, why it refuses a call, or
its work done in this thread. The library is opened once, after its content was verified; a process without it gets a
reason. Refuses calls as the operators do: BadType, BadValue, NotSupported.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from opwright.errors import BadSetting, CacheFailed, CompileFailed, OperatorError, UnsafeCache
from opwright.native import abi
from opwright.native.abi import Prepared, View
from opwright.native.build import Library, cpu_library, library_at
from opwright.settings import settings

__all__ = ["CpuLibrary", "View", "go_without", "opened", "opened_at"]

_TEXT_BYTES = 4096


class CpuLibrary:
    """The opened library. Operators go by their qualified names."""

    def __init__(self, library: Library, isa: str) -> None:
        self.library = library
        self._handle = ctypes.CDLL(str(library.path))
        try:
            self._handle.opwright_library.restype = ctypes.POINTER(abi.Library)
        except AttributeError as error:
            raise OSError(str(error)) from None
        table = self._handle.opwright_library()
        if not table or table.contents.abi_version != abi.VERSION:
            found = f"version {table.contents.abi_version}" if table else "no table"
            raise OSError(f"it has {found} of the C ABI of operators, not version {abi.VERSION}")
        self._table: abi.Library = table.contents
        listed = (self._table.operators[i].contents for i in range(self._table.operator_count))
        self._operators: dict[str, abi.Operator] = {one.name.decode(): one for one in listed}
        self._kinds = {name: abi.kinds_of(one) for name, one in self._operators.items()}
        self.cap_isa(isa)

    @property
    def schemas(self) -> dict[str, str]:
        """The schema of every operator, by its name."""
        return {name: one.schema.decode() for name, one in self._operators.items()}

    @property
    def isa(self) -> str:
        """The instruction set in use, by the name of its path."""
        return str(self._table.isa().decode())

    @property
    def isas(self) -> list[str]:
        """All paths of this build, the best first; this CPU may lack some."""
        return [name.decode() for name in itertools.takewhile(bool, self._table.isas())]

    def cap_isa(self, name: str) -> None:
        """Uses no path above the one of that name; "" lifts the cap."""
        if not self._table.cap_isa(name.encode()):
            raise BadSetting(name="OPWRIGHT_CPU_ISA", value=name, message=f"takes one of {', '.join(self.isas)}")

    def providers(self, name: str) -> dict[str, abi.Operator]:
        """Who computes an operator, in the order in which they are asked: its entry for that one alone."""
        found = self._operators[name]
        if found.struct_size < ctypes.sizeof(abi.Operator) or not found.provider_count:
            return {"native": found}  # a library that does not tell them apart
        listed = (abi.Operator.from_address(found.providers[i]) for i in range(found.provider_count))
        return {one.provider.decode(): one for one in listed}

    def address(self, name: str, provider: str = "") -> int | None:
        """Where an operator's entry lies, or None if it has none. provider: of that one alone."""
        if name not in self._operators:
            return None
        return ctypes.addressof(self._entry(name, provider))

    def _entry(self, name: str, provider: str) -> abi.Operator:
        return self.providers(name)[provider] if provider else self._operators[name]

    def infer(self, name: str, values: Sequence[object]) -> list[View]:
        """The results of a call: dtypes, shapes and strides."""
        entry = self._operators[name]
        made = Prepared(self._kinds[name], values, entry.result_count)
        _ask(name, entry.infer, ctypes.byref(made.call))
        return [abi.described(one) for one in made.outputs[: entry.result_count]]

    def refusal(self, name: str, values: Sequence[object]) -> str | None:
        """Why an operator does not take a call; None if it does."""
        try:
            self.infer(name, values)
        except OperatorError as refused:
            return str(refused.fields["message"])
        return None

    def copies(self, name: str, values: Sequence[object], outputs: Sequence[View], provider: str = "") -> bool:
        """Whether tensors of a call would be copied: they lie as the provider does not take them."""
        made = Prepared(self._kinds[name], values, outputs)
        _ask(name, self._entry(name, provider).plan, ctypes.byref(made.call))
        return bool(made.call.copies)

    def run(self, name: str, values: Sequence[object], outputs: Sequence[View], provider: str = "") -> None:
        """Does all of the work into given outputs. provider: the one that must do it."""
        entry = self._entry(name, provider)
        made = Prepared(self._kinds[name], values, outputs)
        _ask(name, entry.plan, ctypes.byref(made.call))
        made.add_workspace()
        _ask(name, entry.run, ctypes.byref(made.call), 0, made.call.parts)


def _ask(operator: str, step: Callable[..., int], *arguments: object) -> None:
    """Calls a function of the library; raises what it says unless its code is 0."""
    text = ctypes.create_string_buffer(_TEXT_BYTES)
    error = abi.Error(ctypes.sizeof(abi.Error), 0, _TEXT_BYTES, ctypes.addressof(text))
    code = step(*arguments, ctypes.byref(error))
    if code == 0:
        return
    name, message = operator.removeprefix("opwright::"), text.value.decode(errors="replace")
    if code in abi.ERRORS:
        raise abi.ERRORS[code](operator=name, message=message)
    raise RuntimeError(f"{name}: {message}")


_lock = threading.Lock()
_opened: CpuLibrary | str | None = None
_of_packages: dict[Path, CpuLibrary | str] = {}


def opened() -> CpuLibrary | str:
    """The library, or why there is none. The first call may compile it."""
    global _opened
    with _lock:
        if _opened is None:
            try:
                library = cpu_library()
            except (CacheFailed, CompileFailed, UnsafeCache) as error:
                library = Library(None, reason=str(error))
            try:
                _opened = CpuLibrary(library, settings.isa) if library.path else library.reason
            except OSError as error:
                _opened = f"{library.path} cannot be loaded: {error}"
        return _opened


def opened_at(path: Path) -> CpuLibrary | str:
    """The library of another package, or why it is not opened."""
    with _lock:
        if path not in _of_packages:
            library = library_at(path)
            try:
                _of_packages[path] = CpuLibrary(library, isa="") if library.path else library.reason
            except OSError as error:
                _of_packages[path] = f"{path} cannot be loaded: {error}"
        return _of_packages[path]


def go_without(reason: str) -> None:
    """Lets this process neither compile nor open the library."""
    global _opened
    with _lock:
        _opened = reason
