"""Types of the IR: scalars, addresses, tensors, tiles and mutable variables.

In: names from the table. Out: xDSL attributes. How C++ spells them is known in `emit/` only.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from opwright.ascendc.dtypes import DTYPES, before_float32

GM, UB = "gm", "ub"  # memories of a pointer


@irdl_attr_definition
class ScalarType(ParametrizedAttribute, TypeAttribute):
    """A number or a truth value; `dtype` is a name of the table, or "bool"."""

    name = "asc.scalar"
    dtype: StringAttr

    def __str__(self) -> str:
        return {"int64": "int", "float32": "float"}.get(self.dtype.data, self.dtype.data)


@irdl_attr_definition
class AddressType(ParametrizedAttribute, TypeAttribute):
    """An address in global memory."""

    name = "asc.address"
    dtype: StringAttr

    def __str__(self) -> str:
        return f"GlobalAddress of {self.dtype.data}"


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """An address as threads have it: `memory` is "gm" or "ub"."""

    name = "asc.pointer"
    dtype: StringAttr
    memory: StringAttr

    def __str__(self) -> str:
        return f"address of {self.dtype.data} in {'global memory' if self.memory.data == GM else 'UB'}"


@irdl_attr_definition
class GlobalType(ParametrizedAttribute, TypeAttribute):
    """A tensor in global memory. Its dtype is "?" until it is given an address."""

    name = "asc.global"
    dtype: StringAttr

    def __str__(self) -> str:
        return f"GlobalTensor of {self.dtype.data}"


@irdl_attr_definition
class LocalType(ParametrizedAttribute, TypeAttribute):
    """A tensor in on-chip memory."""

    name = "asc.local"
    dtype: StringAttr
    position: StringAttr

    def __str__(self) -> str:
        return f"LocalTensor of {self.dtype.data} at {self.position.data}"


@irdl_attr_definition
class CellType(ParametrizedAttribute, TypeAttribute):
    """A variable that is set more than once; holds values of `content`, UNKNOWN until first set."""

    name = "py.cell"
    content: TypeAttribute


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """An object of Ascend C, such as a queue: its class, the constants in its type, and where its tensors lie."""

    name = "asc.object"
    kind: StringAttr
    constants: DictionaryAttr  # parameter -> the name of its argument, such as pos -> VECIN
    position: StringAttr  # "" if it has none
    dtype: StringAttr  # of the elements it is for, "" if it is for none

    def __str__(self) -> str:
        return f"{self.kind.data} at {self.position.data}" if self.position.data else self.kind.data

    @property
    def made_with(self) -> dict[str, str]:
        """The constants in its type, by parameter."""
        return {name: value.data for name, value in self.constants.data.items() if isinstance(value, StringAttr)}


@irdl_attr_definition
class StructType(ParametrizedAttribute, TypeAttribute):
    """A struct of the module: a kernel object, or an argument by value."""

    name = "py.struct_type"
    struct: StringAttr

    def __str__(self) -> str:
        return self.struct.data


@irdl_attr_definition
class ArrayType(ParametrizedAttribute, TypeAttribute):
    """An array of numbers on the stack."""

    name = "py.array_type"
    dtype: StringAttr
    length: IntAttr

    def __str__(self) -> str:
        return f"array of {self.length.data} {self.dtype.data}"


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute):
    """A tile of rank 0 to 2; `dtype` is a name of the table, or "bool"."""

    name = "tile.tile"
    shape: ArrayAttr[IntAttr]
    dtype: StringAttr

    def __str__(self) -> str:
        return f"tile {self.sizes} of {self.dtype.data}"

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return tuple(size.data for size in self.shape.data)


HOST_KINDS = {  # in words
    "int": "an integer",
    "float": "a float",
    "truth": "a truth value",
    "text": "a text",
    "dtype": "a dtype",
    "shape": "a shape",
    "tensor": "a tensor",
    "tensors": "a list of tensors",
    "floats": "a list of floats",
    "truths": "a list of truth values",
    "scalar": "a number of any kind",
    "generator": "a generator",
    "soc": "a SoC",
    "launch": "a launch",
}


@irdl_attr_definition
class HostType(ParametrizedAttribute, TypeAttribute):
    """A kind of value; one that may be None ends in "?"."""

    name = "host.value"
    kind: StringAttr

    def __str__(self) -> str:
        kind = self.kind.data
        return f"{HOST_KINDS[kind.removesuffix('?')]}{' or None' if kind.endswith('?') else ''}"


ValueType = (
    ScalarType
    | AddressType
    | PointerType
    | GlobalType
    | LocalType
    | ObjectType
    | StructType
    | ArrayType
    | TileType
    | HostType
)

INT = ScalarType(StringAttr("int64"))
FLOAT = ScalarType(StringAttr("float32"))
BOOL = ScalarType(StringAttr("bool"))
UINT64 = ScalarType(StringAttr("uint64"))
# What Python's numbers are here; bool comes first, since a bool is an int too.
OF_PYTHON: dict[type, ScalarType] = {bool: BOOL, int: INT, float: FLOAT}


UNKNOWN = ScalarType(StringAttr("?"))


def quoted(text: str) -> StringAttr:
    """A text of the author's as an attribute. xDSL reads back only what is ASCII."""
    return StringAttr(text.encode("unicode_escape").decode("ascii"))


def unquoted(attribute: StringAttr) -> str:
    """The text of an attribute made by `quoted`."""
    return attribute.data.encode("ascii").decode("unicode_escape")


def refine(value: SSAValue, kind: Attribute) -> None:
    """Gives a value its type, once it is known: a global tensor by its address, a variable by its first value."""
    value._type = kind


def float32(value: float) -> float:
    """What a FLOAT holds of a number: the nearest float32; beyond the largest one, infinity."""
    value = before_float32(value)
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def shortest(number: float) -> float:
    """The double of the fewest decimal digits that are this float32 and nothing else, however they are read."""
    for digits in range(1, 18):
        near = float(f"{number:.{digits}g}")
        # A reader may round once, to float32, or twice: stay clear of where these would differ.
        if {float32(near * (1 + side * 2**-50)) for side in (-1, 1)} == {number}:
            break
    return near


def wrapped(number: int, dtype: str = "int64") -> int:
    """What an integer type holds of a number: its lowest bits."""
    low, high = DTYPES[dtype].limits
    return (number - low) % (high - low + 1) + low


def scalar(dtype: str) -> ScalarType:
    """The scalar type of an element type."""
    return ScalarType(StringAttr(dtype))


def address(dtype: str) -> AddressType:
    """An address of elements of `dtype`."""
    return AddressType(StringAttr(dtype))


def pointer(dtype: str, memory: str) -> PointerType:
    """An address of elements of `dtype` as threads have it."""
    return PointerType(StringAttr(dtype), StringAttr(memory))


def global_tensor(dtype: str) -> GlobalType:
    """A global tensor of `dtype`."""
    return GlobalType(StringAttr(dtype))


def local_tensor(dtype: str, position: str) -> LocalType:
    """A local tensor of `dtype` at a position."""
    return LocalType(StringAttr(dtype), StringAttr(position))


def object_type(kind: str, constants: Mapping[str, str], position: str, dtype: str) -> ObjectType:
    """An object of the class `kind`, with these constants in its type."""
    names = DictionaryAttr({name: StringAttr(value) for name, value in constants.items()})
    return ObjectType(StringAttr(kind), names, StringAttr(position), StringAttr(dtype))


def struct_type(name: str) -> StructType:
    """A struct of the module."""
    return StructType(StringAttr(name))


def array_type(dtype: str, length: int) -> ArrayType:
    """An array of `length` numbers."""
    return ArrayType(StringAttr(dtype), IntAttr(length))


def tile_type(sizes: Sequence[int], dtype: str) -> TileType:
    """A tile of these sizes."""
    return TileType(ArrayAttr([IntAttr(size) for size in sizes]), StringAttr(dtype))
