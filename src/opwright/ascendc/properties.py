"""The constants of the chip that asc.property asks for. A module of its own: `opwright.asc` shows them at once."""

from __future__ import annotations

import enum


class Property(enum.Enum):
    """A constant of the chip that asc.property asks for; its value differs between chips."""

    DEFAULT_C0_SIZE = 0
    ONE_BLK_SIZE = 1
    TOTAL_L1_SIZE = 2
    TOTAL_L0C_SIZE = 3
