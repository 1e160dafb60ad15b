"""Structs by value: a dataclass whose fields are numbers is an argument of a kernel.

In: a dataclass and an instance. Out: a text that says its layout (part of the kernel's key, and what the front end and
the entry read), and the instance as 8-byte slots, laid out as C++ does. Refuses fields that are not numbers, and values
that do not fit theirs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import struct
import sys
from functools import lru_cache
from typing import Any

from opwright.ascendc.dtypes import DTYPES, DataType, before_float32
from opwright.errors import BadField

_PLAIN = {int: "int64", float: "float32", bool: "bool"}
_FORMAT = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "float32": "f",
}


@lru_cache(maxsize=256)
def layout_of(record: type) -> str:
    """Name and fields of a dataclass: "struct Tiling total:int64 tile:int32"."""
    words = [f"{field.name}:{_element(record, field)}" for field in dataclasses.fields(record)]
    if not words:
        raise BadField(record=record.__name__, field="", message="has no fields", hint="give it some")
    return " ".join(["struct", record.__name__, *words])


def _element(record: type, field: dataclasses.Field[Any]) -> str:
    """The element type of a field; annotations may be text, as `from __future__ import annotations` leaves them."""
    said: Any = field.type
    if isinstance(said, str):
        first, *rest = said.split(".")
        namespace = vars(sys.modules.get(record.__module__, sys)) | {"int": int, "float": float, "bool": bool}
        said = namespace.get(first)
        for name in rest:
            said = getattr(said, name, None)
    name = said.name if isinstance(said, DataType) else _PLAIN.get(said, "") if isinstance(said, type) else ""
    if name not in _FORMAT:
        hint = "fields are int, float, bool or a type such as asc.int32; pass arrays as arguments of their own"
        message = f"is annotated with {field.type if isinstance(field.type, str) else getattr(said, '__name__', said)}"
        raise BadField(record=record.__name__, field=f".{field.name}", message=message, hint=hint)
    return name


def fields_of(layout: str) -> tuple[str, dict[str, str]]:
    """Name and fields (name -> element type) that a layout says."""
    _, name, *words = layout.split(" ")
    return name, dict(word.split(":") for word in words)


def slots_of(layout: str) -> int:
    """How many 8-byte slots a struct takes."""
    return -(-_struct(layout).size // 8)


def offsets_of(layout: str) -> list[int]:
    """Where each field of a struct starts, in bytes."""
    _, fields = fields_of(layout)
    formats = [_FORMAT[element] for element in fields.values()]
    ends = [struct.calcsize(f"@{''.join(formats[: number + 1])}") for number in range(len(formats))]
    return [end - struct.calcsize(letter) for end, letter in zip(ends, formats, strict=True)]


@lru_cache(maxsize=256)
def _struct(layout: str) -> struct.Struct:
    _, fields = fields_of(layout)
    # Native alignment is that of C++; the zero-sized int64 at the end pads the whole to 8 bytes.
    return struct.Struct(f"@{''.join(_FORMAT[element] for element in fields.values())}0q")


def is_memory(kind: str) -> bool:
    """Whether an argument of this kind is an address: its kind is then the element type."""
    return kind in DTYPES


def slot_format(kind: str) -> str:
    """How an argument of this kind is packed into slots."""
    if kind.startswith("struct "):
        return f"{slots_of(kind)}Q"
    if kind.startswith("number "):
        dtype = DTYPES[kind.partition(" ")[2]]
        return "f4x" if dtype.is_float() else "Q" if dtype.name == "uint64" else "q"
    return {"int": "q", "float": "f4x", "bool": "?7x"}.get(kind, "Q")


def slot_count(kind: str) -> int:
    """How many slots an argument of this kind takes."""
    return slots_of(kind) if kind.startswith("struct ") else 1


def pack(layout: str, value: object) -> tuple[int, ...]:
    """An instance as slots."""
    name, fields = fields_of(layout)
    values = []
    for field, element in fields.items():
        number = getattr(value, field, None)
        with contextlib.suppress(ValueError, TypeError):  # an array of several numbers is refused below
            number = number.item() if hasattr(number, "item") else number  # type: ignore[union-attr]
        _check(name, field, element, number)
        values.append((element, number))
    try:
        rounded = [before_float32(number) if element == "float32" else number for element, number in values]  # type: ignore[arg-type]
        packed = _struct(layout).pack(*rounded)
    except (OverflowError, struct.error):  # a float beyond the largest float32
        message, hint = "holds a number that no float can hold", "the largest float is about 3.4e38"
        raise BadField(record=name, field="", message=message, hint=hint) from None
    return struct.unpack(f"={len(packed) // 8}Q", packed)


def _check(record: str, field: str, element: str, number: object) -> None:
    """Refuses a value that its field cannot hold."""
    wanted = {"bool": "True or False", "float32": "a number"}.get(element, "an integer")
    is_integer = isinstance(number, int) and not isinstance(number, bool)
    fits = {"bool": isinstance(number, bool), "float32": is_integer or isinstance(number, float)}.get(
        element, is_integer
    )
    if not fits:
        message = f"is {number!r}, a {type(number).__name__}"
        raise BadField(record=record, field=f".{field}", message=message, hint=f"it takes {wanted}")
    if element in DTYPES and DTYPES[element].is_int():
        low, high = DTYPES[element].limits
        if not low <= number <= high:  # type: ignore[operator]
            message = f"is {number}, which {element} cannot hold"
            raise BadField(record=record, field=f".{field}", message=message, hint=f"it takes {low} to {high}")
