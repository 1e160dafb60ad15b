"""What a kernel author imports: `jit`, types, constants and the calls, all made from the table.

The calls below mean something inside a kernel only; `__init__.pyi`, generated from the same table, shows them to
editors.
"""

from __future__ import annotations

from opwright.asc._names import Call, ConstExpr, GlobalAddress
from opwright.ascendc.dtypes import ALIASES, DTYPES, DataType
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.table import ROWS

_CALLS: dict[str, object] = {name: Call(row) for name, row in ROWS.items() if not row.is_method}
_ENUMS: dict[str, object] = {name: text.python for name, text in ENUMS.items()}
_DTYPES: dict[str, object] = {name: ALIASES[name] for name in (*DTYPES, "half", "float_", "int_")}

globals().update(_CALLS, **_ENUMS, **_DTYPES)

__all__ = ["ConstExpr", "DataType", "GlobalAddress", "jit", *sorted([*_CALLS, *_ENUMS, *_DTYPES])]


def __getattr__(name: str) -> object:
    # Only when asked for: the runtime itself imports names of this package, and either may be imported first.
    if name == "jit":
        from opwright.runtime.jit import jit

        globals()["jit"] = jit
        return jit
    raise AttributeError(f"module 'opwright.asc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), "jit"})
