"""Factors of products on their way from L1 to L0A and L0B, a step along k at a time.

In: a `Factor`, how the product takes it, and the step. Out: `load_data`, or `load_data_with_transpose` for squares of 8
and 32 bits. L0A holds rows of fractals on ascend910b and ascend910_93, and columns of fractals on ascend950; L0B holds
rows of fractals, each of them transposed. So what is transposed for one of them is not for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opwright.ascendc.socs import A5
from opwright.ir import SSAValue
from opwright.tile.compiler.buffers import Buffer, Buffers
from opwright.tile.compiler.l1 import SIDE, Factor, Use
from opwright.tile.compiler.layout import BLOCK
from opwright.tile.compiler.site import Number

FRACTAL = 512  # bytes


@dataclass(frozen=True)
class FactorPart:
    """What a product takes of a factor at once. `across`: rows of the left one or columns of the right one."""

    factor: Factor
    use: Use
    across: Number
    begin: Number  # along k
    depth: Number


class Loads:
    """Adds loads to L0A and L0B."""

    def __init__(self, buffers: Buffers) -> None:
        self.buffers = buffers
        self.site = buffers.site
        self.is_new = buffers.site.soc.name in A5

    def load(self, to: Buffer, part: FactorPart) -> None:
        """A part of a factor."""
        with self.buffers.beginning(to), self.buffers.as_one():
            if self.is_new:
                self._matrix(to, part)
            elif part.use.has_rows_along_k and part.factor.bytes != 2:
                self._squares(to, part)
            else:
                self._fractals(to, part)

    def units(self, count: Number, unit: int, name: str = "") -> Number:
        """How many units a count fills."""
        return self.site.whole(self.site.plus(count, unit - 1), unit, name)

    def _sides(self, part: FactorPart, side: int, deep: int) -> tuple[Number, Number, Number]:
        """Fractals or squares of a part, across and along k, and the first one along k."""
        across = self.units(part.across, side, "rows_of_a" if part.use.is_left else "columns_of_b")
        return across, self.units(part.depth, deep, "deep"), self.site.whole(part.begin, deep, "first")

    def _fractals(self, to: Buffer, part: FactorPart) -> None:
        """Fractals of 910b, which are transposed if rows lie along k."""
        site, factor = self.site, part.factor
        is_turned, height = part.use.has_rows_along_k, factor.height // SIDE
        per_block = BLOCK // factor.bytes
        across, depth, first = self._sides(part, SIDE, per_block)
        name, count, length = ("row", across, depth) if part.use.is_left else ("column", depth, across)

        def load(number: Number) -> None:
            i, k = (number, first) if part.use.is_left else (0, site.plus(first, number))
            start = site.plus(site.times(i, height), k) if is_turned else site.plus(site.times(k, height), i)
            # The next fractal is the one below, or the one beside it.
            stride = 1 if is_turned == part.use.is_left else height
            params = site.value("LoadData2DParams", start, length, stride, 0, 0, is_turned)
            begin = site.times(site.times(number, length), FRACTAL // factor.bytes)
            site.call("load_data", self.buffers.part(to, begin), factor.buffer.tensor, params)

        self._each(name, count, load)

    def _squares(self, to: Buffer, part: FactorPart) -> None:
        """Squares of 910b: of 8 bits two fractals below each other, of 32 bits two side by side."""
        site, factor = self.site, part.factor
        side = 32 if factor.bytes == 1 else SIDE
        across, depth, first = self._sides(part, side, side)
        # From a square to the one below it and to the one beside it. Squares of 32 bits lie row by row.
        down, beside = (1, factor.height // side) if factor.bytes == 1 else (factor.width // side, 1)
        name, count, length = ("row", across, depth) if part.use.is_left else ("column", depth, across)

        def load(number: Number) -> None:
            i, k = (number, first) if part.use.is_left else (0, site.plus(first, number))
            start = site.plus(site.times(k, down), site.times(i, beside))
            stride = down if part.use.is_left else beside
            # The two fractals of a square become neighbours along k if it has 32 bits, and along the other side if 8.
            are_neighbours = part.use.is_left == (factor.bytes == 4)
            gaps = (1, 0) if are_neighbours else (0, site.minus(length, 1))
            params = site.value("LoadData2dTransposeParams", start, length, stride, *gaps)
            begin = site.times(site.times(number, length), 2 * FRACTAL // factor.bytes)
            target = self.buffers.part(to, begin)
            site.call("load_data_with_transpose", target, factor.buffer.tensor, params)

        self._each(name, count, load)

    def _matrix(self, to: Buffer, part: FactorPart) -> None:
        """A part of a matrix, on ascend950."""
        site, factor = self.site, part.factor
        per_block, height = BLOCK // factor.bytes, factor.height // SIDE
        if not part.use.has_rows_along_k:
            across, depth, first = self._sides(part, SIDE, per_block)
            params = site.value("LoadData2DParamsV2", 0, first, across, depth, height, across, False)
        else:
            unit = max(SIDE, per_block)
            across, depth, _ = self._sides(part, unit, unit)
            down, wide = site.times(depth, unit // SIDE), site.times(across, unit // per_block)
            first, stride = site.whole(part.begin, SIDE), site.times(across, unit // SIDE)
            params = site.value("LoadData2DParamsV2", first, 0, down, wide, height, stride, True)
        site.call("load_data", to.tensor, factor.buffer.tensor, params)

    def _each(self, name: str, count: Number, load: Callable[[Number], None]) -> None:
        if isinstance(count, int) and count == 1:
            load(0)
            return
        loop, number = self.site.loop(0, count, 1, name)
        assert isinstance(number, SSAValue)
        load(number)
        self.site.leave(loop)
