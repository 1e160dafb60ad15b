"""Data types of Ascend C: their name in Python, in C++ and in NumPy, and their size.

In: nothing. Out: `DTYPES` by name, with `SMALL` and `PACKED` in `ELEMENTS`, and `parse` for the spellings people use
(f16, half).
Refuses a spelling it does not know, with the nearest one.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class DataType:
    """One element type. `name` is what Python code calls it (`asc.float16`), `cpp` what the text calls it."""

    name: str
    cpp: str = field(compare=False)
    bytes: int = field(compare=False)
    kind: str = field(compare=False)  # "int", "uint", "float", "bool" or "void"
    short: str = field(compare=False)
    per_byte: int = field(default=1, compare=False)  # elements that share a byte

    def sizeof(self) -> int:
        """Size of one element in bytes; of elements that share a byte, that byte, as in C++."""
        return self.bytes

    def bytes_of(self, count: int) -> int:
        """Size of some elements of a tensor in bytes."""
        return count * self.bytes // self.per_byte

    @property
    def bits(self) -> int:
        """Size of one element in bits."""
        return 8 * self.bytes // self.per_byte

    def is_int(self) -> bool:
        """True for signed and unsigned integers."""
        return self.kind in ("int", "uint")

    def is_float(self) -> bool:
        """True for floating-point types."""
        return self.kind == "float"

    def is_numeric(self) -> bool:
        """True for integers and floating-point types."""
        return self.is_int() or self.is_float()

    def is_void(self) -> bool:
        """True for the type that has no values."""
        return self.kind == "void"

    def is_signed(self) -> bool:
        """True for signed integers."""
        return self.kind == "int"

    def is_unsigned(self) -> bool:
        """True for unsigned integers."""
        return self.kind == "uint"

    @property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        half = 1 << (self.bits - 1)
        return (-half, half - 1) if self.kind == "int" else (0, 2 * half - 1)

    def __repr__(self) -> str:
        return f"asc.{self.name}"


DTYPES: dict[str, DataType] = {
    dtype.name: dtype
    for dtype in (
        DataType("int8", "int8_t", 1, "int", "i8"),
        DataType("int16", "int16_t", 2, "int", "i16"),
        DataType("int32", "int32_t", 4, "int", "i32"),
        DataType("int64", "int64_t", 8, "int", "i64"),
        DataType("uint8", "uint8_t", 1, "uint", "u8"),
        DataType("uint16", "uint16_t", 2, "uint", "u16"),
        DataType("uint32", "uint32_t", 4, "uint", "u32"),
        DataType("uint64", "uint64_t", 8, "uint", "u64"),
        DataType("float16", "half", 2, "float", "f16"),
        DataType("bfloat16", "bfloat16_t", 2, "float", "bf16"),
        DataType("float32", "float", 4, "float", "f32"),
    )
}

# Floats that are only stored and converted: local tensors hold them, but no number of a kernel and no argument.
SMALL: dict[str, DataType] = {
    dtype.name: dtype
    for dtype in (
        DataType("float8_e4m3", "fp8_e4m3fn_t", 1, "float", "e4m3"),
        DataType("float8_e5m2", "fp8_e5m2_t", 1, "float", "e5m2"),
        DataType("hifloat8", "hifloat8_t", 1, "float", "hif8"),
    )
}

# Integers of which two share a byte, the first in its low half. Local tensors of bytes are taken for them.
PACKED: dict[str, DataType] = {"int4": DataType("int4", "AscendC::int4b_t", 1, "int", "i4", per_byte=2)}
ELEMENTS: dict[str, DataType] = {**DTYPES, **SMALL, **PACKED}

BY_SHORT: dict[str, DataType] = {dtype.short: dtype for dtype in DTYPES.values()}

# Names of `opwright.asc` beside those of DTYPES.
OTHER_NAMES: dict[str, DataType] = {
    "half": DTYPES["float16"],
    "float_": DTYPES["float32"],
    "int_": DTYPES["int32"],
}

# Types that can be named and asked about, but that no tensor and no number of a kernel has.
NAMED_ONLY: dict[str, DataType] = {
    "void": DataType("void", "void", 0, "void", "void"),
    "float64": (_FLOAT64 := DataType("float64", "double", 8, "float", "f64")),
    "double": _FLOAT64,
}

ALIASES: dict[str, DataType] = {
    **DTYPES,
    **BY_SHORT,
    "float": DTYPES["float32"],
    **OTHER_NAMES,
}


def parse(text: str) -> DataType:
    """The data type that `text` names; raises ValueError with the nearest spelling."""
    try:
        return ALIASES[text]
    except KeyError:
        import difflib

        near = difflib.get_close_matches(text, ALIASES, n=1)
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(BY_SHORT)}"
        raise ValueError(f"{text!r} is not a data type{hint}") from None


def before_float32(number: float) -> float:
    """A double that rounds to the float32 that the number itself does: an integer is not rounded twice.

    What the double cannot hold of a long integer is kept in its last bit, which says whether anything lies below.
    """
    if not isinstance(number, int):
        return float(number)
    below = max(abs(number).bit_length() - 53, 0)
    kept = abs(number) >> below
    odd = kept | (kept << below != abs(number))
    return float(odd << below) * (-1 if number < 0 else 1)
