"""What host functions of operators are written with: facts of tensors, sizes that may be unknown, and refusals.

A host function is plain Python over shapes, dtypes and numbers, without values of tensors. `infer` of an operator is
one: it refuses wrong calls, and says what the results look like. In: for each argument of the schema a `Tensor` of
facts, a number, a text, a dtype, a device as a text, a `Shape` for a list of integers, a tuple for other lists, a
`Generator`, or None. Out: facts of the results, or `Refusal`, which a border turns into the error of its framework. It
runs as Python, with symbolic sizes too, and is compiled to C++ by `opwright.host.compiler`, with the same results and
messages. Importing this needs neither torch nor the compiler.

`launch` of an operator is the other one: of the same arguments, the facts of the results and a `Soc` it makes a
`Launch`, the kernel that runs, on how many cores, with which numbers and how much scratch memory.

A size may be unknown. Arithmetic with it is unknown, `require` of what is unknown passes, and a branch on it is
refused: "needs to know dimension 1 of x". `&` and `|` combine conditions without a branch, `and` and `or` branch.
"""

from __future__ import annotations

from opwright.host.dtypes import (
    FLOATS,
    bfloat16,
    bool_,
    dtype_named,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from opwright.host.facts import Generator, Scalar, Shape, Tensor, dense, like, strided
from opwright.host.launches import DerivedLaunch, Launch, Soc, launch_of, soc_named
from opwright.host.refusals import (
    error_of,
    errors_of,
    refuse,
    refuse_type,
    require,
    require_choice,
    require_device,
    require_dtype,
)
from opwright.host.rows import rows
from opwright.host.sizes import Refusal, Unknown, max, min
from opwright.host.variants import Variant, variant_name
from opwright.schema.dtypes import Dtype

__all__ = [
    "FLOATS",
    "DerivedLaunch",
    "Dtype",
    "Generator",
    "Launch",
    "Refusal",
    "Scalar",
    "Shape",
    "Soc",
    "Tensor",
    "Unknown",
    "Variant",
    "bfloat16",
    "bool_",
    "dense",
    "dtype_named",
    "error_of",
    "errors_of",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "launch_of",
    "like",
    "max",
    "min",
    "refuse",
    "refuse_type",
    "require",
    "require_choice",
    "require_device",
    "require_dtype",
    "rows",
    "soc_named",
    "strided",
    "uint8",
    "variant_name",
]
