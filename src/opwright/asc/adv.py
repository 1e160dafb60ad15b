"""`asc.adv`: calls that the toolchain composes of others. Made from the table, as `opwright.asc` is.

In: the rows whose names start with "adv.", and the functions of `_tilings.py`. Out: an object for each, when it is
asked for.
"""

from __future__ import annotations


def _load() -> None:
    """Adds the names that come from the table."""
    from opwright.asc import _tilings
    from opwright.ascendc.table import ROWS
    from opwright.ascendc.traits import Aggregate
    from opwright.kernel.names import Call, aggregate

    rows = [row for row in ROWS.values() if row.space == "adv" and not row.is_method]
    calls = {row.short: aggregate(row.name) if row.forms[0].get(Aggregate) else Call(row) for row in rows}
    functions = {name: getattr(_tilings, name) for name in _tilings.RESULTS}
    globals().update(calls, **functions, __all__=sorted([*calls, *functions]))


def __getattr__(name: str) -> object:
    if "__all__" not in globals() and (name == "__all__" or not name.startswith("_")):
        _load()
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module 'opwright.asc.adv' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")}) if "__all__" not in globals() else sorted(globals())
