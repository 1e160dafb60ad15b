"""Names that mark parameters and stand for numbers: `constexpr`, `auto`, `inf`.

In: nothing. Out: objects that kernels and front ends recognise.
"""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    constexpr: TypeAlias = Any
else:

    class constexpr:
        """Marks a parameter whose value is part of the kernel: `BLOCK: tile.constexpr = 8192`."""


class _Auto(enum.Enum):
    """A size that the compiler chooses: the largest of 1, 2, 4 to 256 that it can place. NumPy takes 16."""

    AUTO = "auto"

    def __repr__(self) -> str:
        return "tile.auto"


auto: Final[Any] = _Auto.AUTO
AUTO_IN_NUMPY = 16
AUTO_SIZES = (256, 128, 64, 32, 16, 8, 4, 2, 1)
inf: Final = math.inf
