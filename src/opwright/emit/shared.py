"""What the functions of one text share: how it names structs and helpers, and what stands before them.

In: the module's structs and functions as they are written. Out: spellings of types.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.ascendc.row import CORE, SIMT, Row
from opwright.ascendc.table import ROWS
from opwright.emit.spelling import cpp, element_type
from opwright.ir.types import ArrayType, ObjectType, StructType, ValueType
from opwright.kernel.program import Place

INDENT = "    "

Line = tuple[str, Place | None]


@dataclass(frozen=True)
class StructText:
    """How the text names a struct and its fields."""

    name: str
    fields: dict[str, str]


@dataclass(frozen=True)
class FunctionText:
    """How the text names a helper, and the struct in which it returns several values."""

    name: str
    result: str = "void"


@dataclass
class Shared:
    """What the functions of one text share."""

    structs: dict[str, StructText] = field(default_factory=dict)
    functions: dict[str, FunctionText] = field(default_factory=dict)
    prelude: dict[str, set[str]] = field(default_factory=lambda: {CORE: set(), SIMT: set()})  # by who calls it
    before: list[Line] = field(default_factory=list)  # what asc.inline puts before all functions
    headers: set[str] = field(default_factory=set)  # of the rows that the text names
    words: set[str] = field(default_factory=set)  # of the author's C++ inside functions

    def note(self, row: Row) -> None:
        """Notes the header of a row that the text names."""
        self.headers.add(row.header)

    def cpp(self, kind: ValueType) -> str:
        """How this text spells a type."""
        if isinstance(kind, ObjectType) and (row := ROWS[kind.kind.data]).header:
            self.note(row)
        return self.structs[kind.struct.data].name if isinstance(kind, StructType) else cpp(kind)

    def declaration(self, kind: ValueType, name: str) -> str:
        """A name with its type."""
        if isinstance(kind, ArrayType):
            return f"{element_type(kind.dtype.data)} {name}[{kind.length.data}]"
        return f"{self.cpp(kind)} {name}"
