"""`asc.simt`: marks functions that threads run, and holds what they may call, made from the table.

In: a function; the rows whose names start with "simt.". Out: a `SimtFunction`; an object for each name. The table is
loaded when a name needs it.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.errors import OpwrightError

__tracebackhide__ = True  # pytest leaves out frames of this module


class Simt:
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
        # They import names of this package themselves.
        from opwright.runtime.jit import hidden
        from opwright.runtime.simt import simt

        try:
            return simt(function, max_threads=max_threads, soc=soc, may_overlap=may_overlap, opt_level=opt_level)
        except OpwrightError as error:
            raise hidden(error) from None

    def _load(self) -> dict[str, object]:
        """The names that come from the table."""
        from opwright.asc._names import BuiltIn, Call
        from opwright.ascendc.row import SIMT
        from opwright.ascendc.table import ROWS

        rows = [row for row in ROWS.values() if row.space == SIMT]
        return {row.short: BuiltIn(row) if row.fields else Call(row) for row in rows}

    def __getattr__(self, name: str) -> object:
        if not name.startswith("_"):
            vars(self).update(self._load())
        if name in vars(self):
            return vars(self)[name]
        raise AttributeError(f"asc.simt has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(self._load())

    def __repr__(self) -> str:
        return "asc.simt"


simt = Simt()
