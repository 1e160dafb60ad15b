"""The `py` dialect as a whole, for reading IR text.

In: nothing. Out: `PyDialect`, with every operation of the folder's modules that belongs to it.
"""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from opwright.ir import aggregates, functions, language, threads
from opwright.ir.types import ArrayType, CellType, StructType

_OPERATIONS = {
    value
    for module in (language, functions, aggregates, threads)
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, IRDLOperation) and getattr(value, "name", "").startswith("py.")
}

PyDialect = Dialect("py", sorted(_OPERATIONS, key=lambda operation: operation.name), [CellType, StructType, ArrayType])
