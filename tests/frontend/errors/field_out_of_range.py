"""A field of a struct that does not hold its value."""

from dataclasses import dataclass

from opwright import asc


@dataclass
class Tiling:
    total: int
    rows: asc.uint8


@asc.jit
def tiles(tiling: Tiling):
    asc.printf("%d\n", tiling.rows)


tiles[1](Tiling(total=4096, rows=300))
