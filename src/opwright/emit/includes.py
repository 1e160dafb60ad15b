"""The headers that a text includes.

In: a module, and what was noted while its functions were written. Out: names of headers, in the order of the text. The
types and calls of a module say what it needs; only C++ of the author's is searched for words.
"""

from __future__ import annotations

from collections.abc import Iterator

from opwright.ascendc.table import ROWS
from opwright.emit.shared import Shared
from opwright.ir import Attribute, ModuleOp, SSAValue
from opwright.ir.aggregates import StructOp
from opwright.ir.functions import functions
from opwright.ir.types import AddressType, ArrayType, CellType, GlobalType, LocalType, PointerType, ScalarType

# The first includes the other: a text takes the first whose type it has.
_SIMT_HEADERS = {"bfloat16": "asc_bf16.h", "float16": "asc_fp16.h"}
_SIMT_TYPES = {"bfloat16_t": "bfloat16", "half": "float16"}  # as the author's C++ says them
_SIMT_HEADER = "asc_simt.h"
_TYPED = (ScalarType, AddressType, PointerType, GlobalType, LocalType, ArrayType)


def headers(module: ModuleOp, shared: Shared) -> list[str]:
    """All headers of a text."""
    made = functions(module)
    words = shared.words
    named = {row.header for row in ROWS.values() if row.header and row.cpp in words} if words else set()
    found = [] if made[-1].is_simt else ["kernel_operator.h"]
    found += sorted(shared.headers | named)
    if any(function.is_simt for function in made):
        types = {*_element_types(module), *(_SIMT_TYPES[word] for word in words & _SIMT_TYPES.keys())}
        header = next((header for dtype, header in _SIMT_HEADERS.items() if dtype in types), _SIMT_HEADER)
        found.append(f"simt_api/{header}")
    return found


def _element_types(module: ModuleOp) -> Iterator[str]:
    """The element types that the text names: those of fields, and of values that something uses."""
    for operation in module.walk():
        if isinstance(operation, StructOp):
            yield from map(_element_type, operation.types.data)
        values: list[SSAValue] = [*operation.results]
        for region in operation.regions:
            values += region.block.args
        # A kernel gets every address as bytes: it is one of its elements only where it is used.
        yield from (_element_type(one.type) for one in values if one.uses or not isinstance(one.type, AddressType))


def _element_type(kind: Attribute) -> str:
    """The element type of what a value is or holds; "" if it has none."""
    kind = kind.content if isinstance(kind, CellType) else kind
    return kind.dtype.data if isinstance(kind, _TYPED) else ""
