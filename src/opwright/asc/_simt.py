"""`asc.simt`: marks functions that threads run, and holds what they may call, made from the table.

In: a function; the rows whose names start with "simt.". Out: a `SimtFunction`; an object for each name. The table is
loaded when a name needs it.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.errors import OpwrightError
from opwright.kernel.names import ThreadNames
from opwright.tracebacks import hidden

__tracebackhide__ = True  # pytest leaves out frames of this module


class Simt(ThreadNames):
    """Marks a function that threads run, `@asc.simt`, and holds the names that such a function may use."""

    def __call__(
        self,
        function: Callable[..., object] | None = None,
        /,
        *,
        max_threads: int = 1024,
        soc: str | None = None,
        may_overlap: bool = False,
        opt_level: int = 3,
    ) -> object:
        """Marks a function that threads run: `@asc.simt` or `@asc.simt(max_threads=2048)`.

        A kernel starts it with asc.vf_call(function, threads, ...), or it is one itself: function[grid, block](...).

        max_threads: how many threads of a block may run it, up to 2048; the more, the fewer registers each has.
        soc, may_overlap, opt_level: of a launch, as for `asc.jit`; the SoC is ascend950 unless somebody says otherwise.
        """
        from opwright.runtime.simt import simt  # a process that only imports this package needs none of it

        try:
            return simt(function, max_threads=max_threads, soc=soc, may_overlap=may_overlap, opt_level=opt_level)
        except OpwrightError as error:
            raise hidden(error) from None


simt = Simt()
