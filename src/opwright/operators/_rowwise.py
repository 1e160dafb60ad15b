"""What operators over rows share. It needs no PyTorch, so that the compiled library is made without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opwright import host

if TYPE_CHECKING:
    from torch import Tensor

KERNEL_FLOATS = (host.float16, host.bfloat16, host.float32)  # the vector unit has no float64


def wide(x: Tensor) -> Tensor:
    """A tensor as it is computed with: float32, or float64 if it is that."""
    return x if x.element_size() == 8 else x.float()
