"""Data types of tensors, as frameworks share them: the name, the size, and what DLPack and schemas call them.

In: nothing. Out: `DTYPES` by name, and `found` for the names and numbers that schemas use.
`opwright.ascendc.dtypes` has the types that kernels compute with. Those that both have are of one size.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Dtype:
    """One data type. `code` and `bits` are DLPack's, `number` is what a schema calls it: that of torch.ScalarType.

    There is one of each name, so that comparing two costs nothing.
    """

    name: str
    code: int
    bits: int
    number: int

    def __str__(self) -> str:
        return self.name


DTYPES: dict[str, Dtype] = {
    dtype.name: dtype
    for dtype in (
        Dtype("uint8", 1, 8, 0),
        Dtype("int8", 0, 8, 1),
        Dtype("int16", 0, 16, 2),
        Dtype("int32", 0, 32, 3),
        Dtype("int64", 0, 64, 4),
        Dtype("float16", 2, 16, 5),
        Dtype("float32", 2, 32, 6),
        Dtype("float64", 2, 64, 7),
        Dtype("complex32", 5, 32, 8),
        Dtype("complex64", 5, 64, 9),
        Dtype("complex128", 5, 128, 10),
        Dtype("bool", 6, 8, 11),
        Dtype("bfloat16", 4, 16, 15),
        Dtype("float8_e5m2", 12, 8, 23),
        Dtype("float8_e4m3fn", 10, 8, 24),
        Dtype("float8_e5m2fnuz", 13, 8, 25),
        Dtype("float8_e4m3fnuz", 11, 8, 26),
        Dtype("uint16", 1, 16, 27),
        Dtype("uint32", 1, 32, 28),
        Dtype("uint64", 1, 64, 29),
        Dtype("float8_e8m0fnu", 14, 8, 44),
    )
}

# What schemas write beside the names.
OTHER_NAMES: dict[str, Dtype] = {
    "half": DTYPES["float16"],
    "float": DTYPES["float32"],
    "double": DTYPES["float64"],
    "short": DTYPES["int16"],
    "int": DTYPES["int32"],
    "long": DTYPES["int64"],
    "chalf": DTYPES["complex32"],
    "cfloat": DTYPES["complex64"],
    "cdouble": DTYPES["complex128"],
}

_BY_SPELLING = {**DTYPES, **OTHER_NAMES, **{str(dtype.number): dtype for dtype in DTYPES.values()}}


def found(spelling: str) -> Dtype | None:
    """The data type that a schema calls by this name or number; None if there is none."""
    return _BY_SPELLING.get(spelling)
