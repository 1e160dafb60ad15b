"""`@asc.jit`: a Python function becomes a kernel that is compiled when first launched.

In: a function and options. Out: `JitFunction`: `kernel[cores](...)` runs it on the twin, `kernel.emit(...)` gives its
text. The front end is loaded only when neither this process nor the store has the kernel.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import operator
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import fields
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from opwright.ascendc.socs import Soc
from opwright.errors import ArgumentError, NotAKernel, NotAStream, brief
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.captures import value_at
from opwright.kernel.options import CUBE_ONLY, PYASC_NOTES, PYASC_PARAMETERS, Options, described, find_soc
from opwright.kernel.program import Request
from opwright.kernel.stable import exact, stable
from opwright.kernel.target import LoadedKernel, Mode
from opwright.runtime.launching import Launchable, Launcher
from opwright.settings import settings
from opwright.tracebacks import bordered

if TYPE_CHECKING:
    from opwright.findings.notebook import AscendCText
    from opwright.frontend.compile import LoweredProgram
    from opwright.ir import ModuleOp
    from opwright.runtime.checked import Check
    from opwright.runtime.traced import Tracer

__tracebackhide__ = True  # pytest leaves out frames of this module


def _is_stream(value: object) -> bool:
    """Whether a value may stand for a stream: a framework's, a raw handle, or none."""
    return (
        value is None or isinstance(value, ctypes.c_void_p) or any("Stream" in k.__name__ for k in type(value).__mro__)
    )


class _Compiled:
    """A kernel of this process with the outside values it was made from."""

    def __init__(self, function: FunctionType, kernel: LoadedKernel, captures: tuple[tuple[str, object], ...]) -> None:
        self.kernel = kernel
        # Plain globals and builtins are looked up on every launch, so what that takes is prepared here.
        free = function.__code__.co_freevars
        builtin = vars(builtins)
        plain = {path for path, _ in captures if path.isidentifier() and path not in free}
        self.globals = [(name, builtin.get(name), value) for name, value in captures if name in plain]
        self.others = [(path, value) for path, value in captures if path not in plain]


_ALL: weakref.WeakSet[JitFunction] = weakref.WeakSet()


def _after_fork() -> None:
    """In the child of a fork the thread that held a lock is gone."""
    for function in list(_ALL):
        function._lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class JitFunction(Launchable):
    """A kernel, before its argument types are known."""

    def __init__(self, function: FunctionType, options: Options) -> None:
        super().__init__(function, options)
        self._compiled: dict[object, _Compiled] = {}
        self._lock = threading.Lock()
        _ALL.add(self)

    def __getitem__(self, grid: int | tuple[int, object]) -> Launcher:
        cores: object = grid
        if isinstance(grid, tuple) and len(grid) == 2:
            # The stream matters on an NPU only: the twin has run when the call returns.
            cores, stream = grid
            if not _is_stream(stream):
                raise NotAStream(kernel=self.function.__name__, cores=brief(cores), stream=brief(stream))
        if type(cores) is int:
            return Launcher(self, cores)
        if hasattr(cores, "__index__") and not isinstance(cores, bool):
            with contextlib.suppress(TypeError):
                return Launcher(self, operator.index(cores))
        raise ArgumentError(
            kernel=self.function.__name__, message="launch it as kernel[cores] or kernel[cores, stream]"
        )

    def soc(self, name: str | None = None) -> Soc:
        """The SoC to compile for: the one named, or the option's, or the setting's."""
        return find_soc(name or self.options.soc or settings.soc)

    @bordered
    def emit(self, *arguments: object, soc: str | None = None, **keywords: object) -> AscendCText:
        """The Ascend C text for these arguments: arrays, or descriptions of them such as "f16[4096]"."""
        from opwright.findings.notebook import AscendCText  # a launch does not need it

        return AscendCText(self.program(self.binder.bind(arguments, keywords, described=True), soc).text)

    def program(
        self, bound: BoundArguments, soc: str | None = None, watch: Callable[[str, ModuleOp], None] | None = None
    ) -> LoweredProgram:
        """The kernel as text and IR; `watch` gets every stage on the way there."""
        from opwright.runtime.compile import compile_program  # a launch loads it when it looks for a kernel

        return compile_program(self.request(bound, soc), watch or (lambda stage, module: None))

    def request(self, bound: BoundArguments, soc: str | None = None) -> Request:
        """What a front end is asked for with these arguments."""
        return Request(
            self.function, self.source, bound.types, bound.constants, self.soc(soc), self.options, self.front_end
        )

    @bordered
    def compiled(self, *arguments: object, **keywords: object) -> LoadedKernel:
        """The loaded kernel that a launch with these arguments would run."""
        return self.kernel_for(self.binder.bind(arguments, keywords))

    @functools.cached_property
    def check(self) -> Check:
        """The checked twin: `kernel.check[cores](...)` raises at the first finding, `kernel.check.report()` has all."""
        from opwright.runtime.checked import Check  # a plain launch does not need it

        return Check(self)

    @functools.cached_property
    def trace(self) -> Tracer:
        """What each pipe does: `kernel.trace[cores](...)` runs it on the checked twin and gives a `Trace`."""
        from opwright.runtime.traced import Tracer  # a plain launch does not need it

        return Tracer(self)

    def kernel_for(self, bound: BoundArguments, mode: Mode = Mode.FAST) -> LoadedKernel:
        """The loaded kernel for some arguments."""
        is_fast = mode is Mode.FAST
        key: object = (bound.kinds, bound.names, settings.build(), is_fast, *map(exact, bound.constants.values()))
        found = self._compiled.get(key)
        if found is None or not self._is_current(found):
            found = self._compile(key, bound, mode)
        return found.kernel

    def _is_current(self, compiled: _Compiled) -> bool:
        """Whether every outside value is still the very object, or the same constant."""
        get = self.function.__globals__.get
        for name, builtin, value in compiled.globals:
            now = get(name, builtin)
            if now is not value and stable(now) != stable(value):
                return False
        for path, value in compiled.others:
            now = value_at(self.function, path)
            if now is not value and stable(now) != stable(value):
                return False
        return True

    def _compile(self, key: object, bound: BoundArguments, mode: Mode) -> _Compiled:
        from opwright.runtime.compile import obtain

        with self._lock:
            found = self._compiled.get(key)
            if found is None or not self._is_current(found):
                kernel, captures = obtain(self.request(bound), mode)
                found = self._compiled[key] = _Compiled(self.function, kernel, captures)
        return found


@overload
def jit(function: Callable[..., object], /) -> JitFunction: ...
@overload
def jit(**options: Any) -> Callable[[Callable[..., object]], JitFunction]: ...
@described(Options, [one.name for one in fields(Options)], PYASC_PARAMETERS, PYASC_NOTES)
@bordered
def jit(
    function: Callable[..., object] | None = None, /, **options: Any
) -> JitFunction | Callable[[Callable[..., object]], JitFunction]:
    """Marks a function as a kernel, or as a helper of kernels: `@asc.jit` or `@asc.jit(soc="ascend950")`."""
    own = {one.name: options.pop(one.name) for one in fields(Options) if one.name in options}
    if options or isinstance(own.get("kernel_type"), int):
        from opwright.runtime.pyasc_options import kernel_type_of, said_once  # few kernels have options of PyAsc

        own["kernel_type"] = kernel_type_of(own.get("kernel_type"), options.pop(CUBE_ONLY, False))
        said_once(**options)
    chosen = Options(**own)

    @bordered
    def mark(marked: Callable[..., object]) -> JitFunction:
        if not isinstance(marked, FunctionType):
            hint = "mark a plain function; @asc.jit comes next to def, below @staticmethod or other decorators"
            raise NotAKernel(name=brief(marked), reason="it is not a plain function", hint=hint)
        return JitFunction(marked, chosen)

    return mark if function is None else mark(function)
