"""`asc.simt`: marks functions that threads run, and holds what they may call, made from the table.

In: a function; the rows whose names start with "simt.". Out: a `SimtFunction`; an object for each name. The table is
loaded when a name needs it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from opwright.errors import OpwrightError
from opwright.kernel.names import ThreadNames
from opwright.kernel.options import SimtOptions, described
from opwright.tracebacks import hidden

__tracebackhide__ = True  # pytest leaves out frames of this module


class Simt(ThreadNames):
    """Marks a function that threads run, `@asc.simt`, and holds the names that such a function may use."""

    @described(
        SimtOptions,
        ("max_threads", "soc", "may_overlap", "opt_level"),
        notes=["Without such a choice the SoC is ascend950, which runs threads."],
        indent=8,
    )
    def __call__(self, function: Callable[..., object] | None = None, /, **options: Any) -> object:
        """Marks a function that threads run: `@asc.simt` or `@asc.simt(max_threads=2048)`.

        A kernel starts it with asc.vf_call(function, threads, ...), or it is one itself: function[grid, block](...).
        """
        from opwright.runtime.simt import simt  # a process that only imports this package needs none of it

        inspect.signature(Simt.__call__).bind(self, function, **options)  # raises TypeError for other options
        try:
            return simt(function, **options)
        except OpwrightError as error:
            raise hidden(error) from None


simt = Simt()
