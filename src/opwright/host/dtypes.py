"""The data types that host functions name.

In: a name, such as float16. Out: a `Dtype`. A name that `opwright.schema` has not is an opaque type: it can be named in
a message, and equals only itself.
"""

from __future__ import annotations

from functools import cache

from opwright.schema.dtypes import DTYPES, Dtype

_OPAQUE = 3  # DLPack's code

bool_, bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8 = (
    DTYPES[name]
    for name in ("bool", "bfloat16", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8")
)
FLOATS = (float16, bfloat16, float32, float64)


@cache
def dtype_named(name: str) -> Dtype:
    """The type of a name."""
    return DTYPES.get(name) or Dtype(name, _OPAQUE, 0, -1)
