"""`asc.simt`: names of what threads may call, made from the table as `opwright.asc` is.

In: the rows whose names start with "simt.". Out: an object for each, when it is asked for.
"""

from __future__ import annotations


class Simt:
    """Holds the names that a function of threads may use."""

    def _load(self) -> dict[str, object]:
        """The names that come from the table."""
        from opwright.asc._names import Call
        from opwright.ascendc.row import SIMT
        from opwright.ascendc.table import ROWS

        return {row.short: Call(row) for row in ROWS.values() if row.space == SIMT}

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
