"""`@tile.jit`: a Python function over tiles becomes a kernel.

In: a function. Out: `TileKernel`: `kernel(...)` launches it on as many cores as it has iterations to share,
`kernel[cores](...)` on a number of them, `kernel.numpy(...)` runs it as plain Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import opwright.tile.front_end  # noqa: F401  # makes the front end known by its name
from opwright.errors import Location, NotAKernel, brief
from opwright.kernel.options import Options
from opwright.runtime.jit import JitFunction
from opwright.tile.evaluate import evaluate
from opwright.tile.launching import TileCheck, TileLauncher
from opwright.tile.numbers import as_on_core
from opwright.tile.parameters import Kind, kinds_of
from opwright.tile.place import running
from opwright.tile.sizes import Sizes, TileBinder
from opwright.tracebacks import bordered

if TYPE_CHECKING:
    from opwright.tile.compiler.compile import TileProgram

__tracebackhide__ = True  # pytest leaves out frames of this module
_F = TypeVar("_F", bound=Sizes)


class TileKernel(JitFunction):
    """A kernel over tiles."""

    front_end = "tile"
    binder: TileBinder

    def __init__(self, function: FunctionType) -> None:
        self.kinds = kinds_of(function)
        # The compiler puts every barrier itself; the launcher judges overlaps by elements.
        super().__init__(function, Options(auto_sync=False, may_overlap=True))
        self.binder = TileBinder(self.binder, self.kinds)

    def __repr__(self) -> str:
        code = self.function.__code__
        return f"<tile kernel {self.__name__} of {code.co_filename}:{code.co_firstlineno}>"

    def sizes(self, function: _F) -> _F:
        """Marks a function that gives constants from shapes and dtypes: its parameters are tensors of the kernel."""
        code = function.__code__
        for name in code.co_varnames[: code.co_argcount]:
            if self.kinds.get(name) is not Kind.TENSOR:
                at = Location(code.co_filename, code.co_firstlineno, 0)
                reason = f"'{name}' is no tensor of {self.__name__}"
                hint = "its parameters are tensors of the kernel, by name"
                raise NotAKernel(at, name=function.__qualname__, reason=reason, hint=hint)
        self.binder.mark(function)
        return function

    @bordered
    def numpy(self, *arguments: object, seed: int = 0, **keywords: object) -> None:
        """Runs the kernel as plain Python over arrays of NumPy, which it writes. bfloat16 is that of ml_dtypes.

        seed: chooses the order of the iterations of `tile.parallel`.
        """
        evaluate(self.function, self.kinds, self.binder.sizes, arguments, keywords, seed)

    @bordered
    def lower(self, *arguments: object, soc: str | None = None, **keywords: object) -> str:
        """The asc kernel that is compiled for these arguments, as Python: saved to a file, it runs.

        Arguments are arrays, or descriptions of them such as "f16[64, 4096]".
        """
        return self._program(arguments, keywords, soc).lowered.text

    @bordered
    def report(self, *arguments: object, soc: str | None = None, **keywords: object) -> str:
        """What the compiled kernel is made of, with the author's lines.

        Every buffer, flag and barrier, every number that the scalar unit reads, forms that are slower than others, and
        what was given up so that it fits.
        """
        from opwright.tile.compiler.report import report  # loads the compiler

        bound = self.binder.bind(arguments, keywords, described=True)
        return report(self._program(arguments, keywords, soc).lowered, self.request(bound, soc))

    def _program(self, arguments: tuple[object, ...], keywords: dict[str, object], soc: str | None) -> TileProgram:
        program = self.program(self.binder.bind(arguments, keywords, described=True), soc)
        return cast("TileProgram", program)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Launches the kernel on as many cores as it has iterations of `tile.parallel`, at most those of the SoC.

        Within another tile kernel it is a part of that one, and gives what it returns.
        """
        if running.get() is not None:
            return as_on_core(self.function)(*arguments, **keywords)
        return TileLauncher(self, None)(*arguments, **keywords)

    def __getitem__(self, grid: int | tuple[int, object] | None) -> TileLauncher:
        return TileLauncher(self, None if grid is None else super().__getitem__(grid).cores)

    @functools.cached_property
    def check(self) -> TileCheck:
        """The checked twin: `kernel.check(...)` raises at the first finding, `kernel.check.report()` has all.

        `kernel.check[cores](...)` and `kernel.check(perturb=16)(...)` do the same with other cores, or in other orders.
        """
        return TileCheck(self)


@bordered
def jit(function: Callable[..., Any], /) -> TileKernel:
    """Marks a function as a kernel over tiles: `@tile.jit`."""
    if not isinstance(function, FunctionType):
        raise NotAKernel(name=brief(function), reason="it is not a function", hint="put @tile.jit before a def")
    return TileKernel(function)
