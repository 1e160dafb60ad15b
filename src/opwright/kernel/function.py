"""A function that an author marked, before anything runs it: what front ends and reports know of a kernel.

In: a function and its options. Out: its parameters and its source. Refuses functions that are no kernels.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Sequence
from types import FunctionType

from opwright.errors import ArgumentError, BadOption, BadThreads, Location
from opwright.kernel.arguments import ArgumentBinder
from opwright.kernel.options import BLOCK_THREADS, Options, SimtOptions
from opwright.kernel.parameters import parameters_of, refuse_other_functions
from opwright.kernel.source import Source, file_lines, source_of

__tracebackhide__ = True  # pytest leaves out frames of this module
# Registers of a thread of Ascend 950, by the most threads of a block.
REGISTERS = {256: 127, 512: 64, 1024: 32, 2048: 16}


def _signature(function: FunctionType) -> str:
    """The parameters as the author wrote them."""
    return str(inspect.signature(function)).replace("opwright.kernel.names.", "asc.")


class KernelFunction:
    """A function that becomes a kernel, or a helper of kernels.

    front_end: the name of the one that compiles it.
    """

    __name__: str
    front_end = "asc"

    def __init__(self, function: FunctionType, options: Options) -> None:
        functools.update_wrapper(self, function)
        # Without any, `help` would show this class.
        self.__doc__ = function.__doc__ or f"{function.__name__}{_signature(function)}"
        self.function = function
        self.options = options
        refuse_other_functions(function)
        self.binder = ArgumentBinder(function.__name__, parameters_of(function))
        for name in options.outputs:
            if name not in function.__code__.co_varnames[: function.__code__.co_argcount]:
                message = f"names parameters, and {function.__name__} has no {name!r}"
                raise BadOption(name="outputs", value=options.outputs, message=message)
        self._lines = file_lines(function)

    def __repr__(self) -> str:
        code = self.function.__code__
        place = f"{code.co_filename}:{code.co_firstlineno}"
        return f"<kernel {self.__name__}{_signature(self.function)} of {place}>"

    def __call__(self, *arguments: object, **keywords: object) -> None:
        name = self.function.__name__
        raise ArgumentError(kernel=name, message=f"is a kernel: launch it on a number of cores, {name}[8](...)")

    @property
    def word(self) -> str:
        """What a kernel that calls it depends on, beside its text."""
        return "helper"

    @functools.cached_property
    def source(self) -> Source:
        """The function's text and place."""
        return source_of(self.function, self._lines)


class ThreadFunction(KernelFunction):
    """A function that threads run."""

    options: SimtOptions

    @property
    def max_threads(self) -> int:
        """How many threads of a block may run it."""
        return self.options.max_threads

    @property
    def registers(self) -> int:
        """How many registers of 32 bits each thread has: the more threads may run it, the fewer."""
        return next(count for most, count in REGISTERS.items() if self.max_threads <= most)

    @property
    def word(self) -> str:
        return f"threads {self.max_threads}"

    def __call__(self, *arguments: object, **keywords: object) -> None:
        name = self.function.__name__
        message = f"is for threads: start it in a kernel, asc.vf_call({name}, 1024, ...), or launch {name}[8, 256](...)"
        raise ArgumentError(kernel=name, message=message)


def refuse_threads(at: Location | None, function: str, numbers: Sequence[int], most: int) -> None:
    """Refuses a block with no threads along an axis, or with too many in all."""
    count = math.prod(numbers)
    if min(numbers, default=1) >= 1 and count <= most:
        return
    words = " x ".join(map(str, numbers)) + (f" = {count}" if len(numbers) > 1 and min(numbers) > 0 else "")
    hint = f"it is made for 1 to {most}"
    if most < BLOCK_THREADS:
        hint += f"; @asc.simt(max_threads={BLOCK_THREADS}) allows more, with fewer registers for each"
    raise BadThreads(at, function=function, threads=words, hint=hint)
