"""Kernels over tiles, without addresses, flags or queues: `from opwright import tile`.

A tensor is indexed with spans, which gives tiles; operators and functions make other tiles of them, as in NumPy; a tile
is stored through spans. What lies beyond the end of an axis does not exist: it is neither read, nor written, nor
reduced.

`kernel(...)` compiles a kernel and launches it. Every kernel runs in NumPy, too, as `kernel.numpy(...)`; what the
compiler does not have is refused with the author's line.
"""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.tile.functions import (
    abs,
    arange,
    assume,
    atomic_add,
    atomic_max,
    atomic_min,
    call,
    ceil,
    core,
    cores,
    dot,
    erf,
    exp,
    floor,
    full,
    log,
    maximum,
    minimum,
    print,
    reciprocal,
    round,
    rsqrt,
    sigmoid,
    sqrt,
    tanh,
    where,
    zeros,
)
from opwright.tile.kernel import TileKernel, jit
from opwright.tile.loops import parallel, range
from opwright.tile.names import auto, constexpr, inf
from opwright.tile.spans import Span, blocks, span, whole
from opwright.tile.tensor import Tensor
from opwright.tile.values import Tile

int8, int16, int32, int64 = (DTYPES[name] for name in ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = (DTYPES[name] for name in ("uint8", "uint16", "uint32", "uint64"))
float16, bfloat16, float32 = (DTYPES[name] for name in ("float16", "bfloat16", "float32"))

__all__ = [
    "DataType",
    "Span",
    "Tensor",
    "Tile",
    "TileKernel",
    "abs",
    "arange",
    "assume",
    "atomic_add",
    "atomic_max",
    "atomic_min",
    "auto",
    "bfloat16",
    "blocks",
    "call",
    "ceil",
    "constexpr",
    "core",
    "cores",
    "dot",
    "erf",
    "exp",
    "float16",
    "float32",
    "floor",
    "full",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "jit",
    "log",
    "maximum",
    "minimum",
    "parallel",
    "print",
    "range",
    "reciprocal",
    "round",
    "rsqrt",
    "sigmoid",
    "span",
    "sqrt",
    "tanh",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "where",
    "whole",
    "zeros",
]
