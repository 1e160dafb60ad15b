"""`@asc.simt`: a Python function that threads run.

In: a function and options. Out: `SimtFunction`: kernels start it with asc.vf_call, and threads call it. By itself it is
a kernel of threads: `function[grid, block](...)` runs it on the twin. Refuses grids and blocks that no launch has.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, overload

from opwright.ascendc.socs import A5, Soc
from opwright.errors import ArgumentError, BadGrid, NotAKernel, brief
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.function import ThreadFunction, refuse_threads
from opwright.kernel.options import SimtOptions, find_soc
from opwright.runtime.jit import JitFunction
from opwright.runtime.launching import Launcher
from opwright.settings import settings
from opwright.tracebacks import bordered
from opwright.twin.launch import MAX_GRID

__tracebackhide__ = True  # pytest leaves out frames of this module
Axes = int | tuple[int, ...]  # of a grid or a block: x, or x, y and z
_LAUNCH = "launch it as kernel[grid, block]: each an integer, or a tuple of up to three for x, y and z"


class SimtFunction(ThreadFunction, JitFunction):
    """A function that threads run, before its argument types are known."""

    # Cores take another shape than threads do, and editors show both.
    @bordered
    def __getitem__(self, shape: tuple[Axes, Axes]) -> SimtLauncher:  # type: ignore[override]
        name = self.function.__name__
        if not isinstance(shape, tuple) or len(shape) != 2:
            raise ArgumentError(kernel=name, message=_LAUNCH)
        grid, block = (self._axes(part) for part in shape)
        if min(grid) < 1 or math.prod(grid) > MAX_GRID:
            raise BadGrid(kernel=name, blocks=" x ".join(map(str, grid)), max=MAX_GRID)
        refuse_threads(None, name, block, self.max_threads)
        return SimtLauncher(self, grid, block)

    def _axes(self, shape: object) -> tuple[int, ...]:
        """A grid or a block as it is given: one to three integers."""
        given = shape if isinstance(shape, tuple) else (shape,)
        try:
            axes = tuple(operator.index(axis) for axis in given if not isinstance(axis, bool))
        except TypeError:
            axes = ()
        if not 1 <= len(axes) <= 3 or len(axes) != len(given):
            raise ArgumentError(kernel=self.function.__name__, message=_LAUNCH)
        return axes

    def soc(self, name: str | None = None) -> Soc:
        """The SoC to compile for. The default of the setting has no threads, so that only a choice of it counts."""
        chosen = settings.soc if settings.build().soc_is_given else A5[0]
        return find_soc(name or self.options.soc or chosen)


class SimtLauncher(Launcher):
    """A kernel of threads with its grid and its block."""

    __slots__ = ("shape",)

    def __init__(self, kernel: SimtFunction, grid: Sequence[int], block: Sequence[int]) -> None:
        super().__init__(kernel, math.prod(grid))
        self.shape = [*grid, 1, 1][:3] + [*block, 1, 1][:3]

    @property
    def grid(self) -> Any:
        return tuple(self.shape[:3]), tuple(self.shape[3:])

    def describe(self) -> str:
        """Blocks and threads, in words."""
        blocks, threads = ("x".join(map(str, side)) for side in self.grid)
        return f"a grid of {blocks} blocks of {threads} threads"

    def bind(self, arguments: Sequence[object], keywords: Mapping[str, object]) -> BoundArguments:
        bound = super().bind(arguments, keywords)
        bound.slots += self.shape
        return bound


@overload
def simt(function: Callable[..., object], /, **options: Any) -> SimtFunction: ...
@overload
def simt(function: None = None, /, **options: Any) -> Callable[[Callable[..., object]], SimtFunction]: ...
@bordered
def simt(
    function: Callable[..., object] | None = None, /, **options: Any
) -> SimtFunction | Callable[[Callable[..., object]], SimtFunction]:
    """Marks a function that threads run, with options of `SimtOptions`: see `asc.simt`."""
    chosen = SimtOptions(**options)

    @bordered
    def mark(marked: Callable[..., object]) -> SimtFunction:
        if not isinstance(marked, FunctionType):
            hint = "mark a plain function; @asc.simt comes next to def"
            raise NotAKernel(name=brief(marked), reason="it is not a plain function", hint=hint)
        return SimtFunction(marked, chosen)

    return mark if function is None else mark(function)
