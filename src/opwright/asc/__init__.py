"""What a kernel author imports: `jit`, types, constants and the calls, all made from the table.

The calls mean something inside a kernel only; `__init__.pyi`, generated from the same table, shows them to editors. The
table is loaded when a name needs it: a process that finds its kernels in the store never does.
"""

from __future__ import annotations

import importlib

from opwright.ascendc.dtypes import ELEMENTS, NAMED_ONLY, OTHER_NAMES, DataType
from opwright.ascendc.socs import Property
from opwright.kernel.names import LANGUAGE

_PLAIN: dict[str, object] = {**LANGUAGE, "DataType": DataType, **ELEMENTS, **OTHER_NAMES, **NAMED_ONLY}
_PLAIN |= {constant.name: constant for constant in Property}
globals().update(_PLAIN)
# Modules that code of PyAsc imports.
_OF_PYASC = {"language": "language", "lib": "lib", "runtime": "runtime", "config": "runtime.config"}


def _load() -> None:
    """Adds the names that come from the table."""
    from opwright.ascendc.enums import ENUMS
    from opwright.ascendc.table import ROWS
    from opwright.kernel.names import Call

    calls = {name: Call(row) for name, row in ROWS.items() if not row.space and not row.is_method}
    enums: dict[str, object] = {name: text.python for name, text in ENUMS.items()}
    names = sorted(["jit", "simt", "adv", *calls, *enums, *_PLAIN])
    adv = importlib.import_module("opwright.asc.adv")
    globals().update(calls, **enums, adv=adv, __all__=names)


def __getattr__(name: str) -> object:
    # Each only when asked for: many processes need one of the two.
    if name == "jit":
        from opwright.runtime.jit import jit

        globals()["jit"] = jit
    elif name == "simt":
        from opwright.asc._simt import simt

        globals()["simt"] = simt
    elif name in _OF_PYASC:
        return importlib.import_module(f"opwright.asc.{_OF_PYASC[name]}")
    elif name == "adv":
        importlib.import_module("opwright.asc.adv")  # which loads the table only when it is asked for a name
    elif "__all__" not in globals() and (name == "__all__" or not name.startswith("_")):
        _load()
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module 'opwright.asc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]
