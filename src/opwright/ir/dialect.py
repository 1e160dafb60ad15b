"""The dialects `py`, `tile` and `host` as wholes, for reading IR text.

In: nothing. Out: `PyDialect`, `TileDialect` and `HostDialect`, with every operation of the folder's modules that
belongs to them.
"""

from __future__ import annotations

from types import ModuleType

from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation

from opwright.ir import aggregates, functions, host, language, threads, tile, tile_memory
from opwright.ir.types import ArrayType, CellType, HostType, StructType, TileType


def _operations(dialect: str, *modules: ModuleType) -> list[type[Operation]]:
    """The operations of a dialect, by name."""
    found: set[type[Operation]] = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, IRDLOperation)
        and getattr(value, "name", "").startswith(f"{dialect}.")
    }
    return sorted(found, key=lambda operation: operation.name)


PyDialect = Dialect(
    "py", _operations("py", language, functions, aggregates, threads), [CellType, StructType, ArrayType]
)
TileDialect = Dialect("tile", _operations("tile", tile, tile_memory), [TileType])
HostDialect = Dialect("host", _operations("host", host), [HostType])
