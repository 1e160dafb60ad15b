"""AMCT's HiFloat8 operators under their own names, for code that moves over.

`encode_to_hifloat8(input)` and `decode_from_hifloat8(input, dtype=None)` call `opwright.ops` with the rule of AMCT.
Importing this registers both in `torch.ops.amct` too. They take more than AMCT's: float32, empty tensors, any strides,
tensors on the CPU. Refuses if operators of these names exist already.
"""

from __future__ import annotations

import torch
from torch import Tensor

import opwright.ops
from opwright.errors import BadDefinition

__all__ = ["decode_from_hifloat8", "encode_to_hifloat8"]

_SCHEMAS = (
    "encode_to_hifloat8(Tensor input) -> Tensor",
    "decode_from_hifloat8(Tensor input, ScalarType? dtype=None) -> Tensor",
)


def encode_to_hifloat8(input: Tensor) -> Tensor:
    """The HiFloat8 code of every number; numbers too large become the largest, infinity and NaN stay."""
    return opwright.ops.encode_to_hifloat8(input, overflow="saturate")


def decode_from_hifloat8(input: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """The value of every HiFloat8 code, in bfloat16 if no type is named."""
    return opwright.ops.decode_from_hifloat8(input, dtype)


def _register() -> torch.library.Library:
    library = torch.library.Library("amct", "FRAGMENT")
    for schema in _SCHEMAS:
        name = schema.partition("(")[0]
        if torch._C._dispatch_has_kernel(f"amct::{name}") or hasattr(torch.ops.amct, name):
            reason = "exists already: another library, such as amct itself, has registered it"
            hint = "import only one of the two; torch.ops.opwright has the same operators in any case"
            raise BadDefinition(name=f"amct::{name}", where=__name__, reason=reason, hint=hint)
        library.define(schema)
    # Of operators only: what they do with fakes, gradients and batches is that of the operators they call.
    library.impl("encode_to_hifloat8", encode_to_hifloat8, "CompositeImplicitAutograd")
    library.impl("decode_from_hifloat8", decode_from_hifloat8, "CompositeImplicitAutograd")
    return library


_library = _register()
