"""How tiles lie in UB: lines of elements, or rows at a pitch.

In: the tile IR of a kernel. Out: `Layouts`, which knows for each tile its `Layout`. Refuses tiles of more than one row
that are used together although different parts of their rows are there.

A *line* is a tile of which at most one axis is longer than 1: its elements lie one behind the other, whether the axis
is called rows or columns. A *grid* has rows and columns: its rows start at a pitch of whole blocks of 32 bytes. The
pitch is a number of run time, what is there rounded up, so that a short tile costs what it holds and one call with a
count covers all of its rows.

Values that one operation takes element by element share a pitch in elements: a *group*. Its granule is what fills a
block with its narrowest type. A line that is used as a row of a grid belongs to the group of the grid: it is padded up
to the pitch. All others hold what is there and no more.

Invariant: every element of a grid up to its pitch, and of a padded line up to the pitch, is initialised. Calls on
single elements run over whole pitches; reductions and copies to global memory go by counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import TileNotBuilt
from opwright.ir import Operation, SSAValue
from opwright.ir.language import FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.tile import (
    MASK,
    BinaryOp,
    CastOp,
    CompareNumberOp,
    CompareOp,
    CountedOp,
    FullOp,
    MakesTile,
    SelectOp,
    TransposeOp,
    UnaryOp,
    ViewOp,
    WithNumberOp,
    holds_tile,
    same_count,
    type_of,
)
from opwright.ir.types import TileType
from opwright.tile.compiler.site import Number, Site, number_of

BLOCK = 32  # bytes
TRANSPOSED = 16  # rows that a call transposes: what it gives is as wide
_TIED = (
    BinaryOp,
    CastOp,
    CompareNumberOp,
    CompareOp,
    CountedOp,
    LoadOp,
    SelectOp,
    StoreOp,
    UnaryOp,
    VariableOp,
    ViewOp,
    WithNumberOp,
)


def bytes_of(dtype: str) -> int:
    """Bytes of an element."""
    return DTYPES[_held(dtype)].bytes


def _held(dtype: str) -> str:
    """The type that holds elements: a bool tile is lanes of int16."""
    return "int16" if dtype == MASK else dtype


def sizes_of(kind: TileType) -> tuple[int, int]:
    """Rows and columns; a tile of rank 1 is a row."""
    sizes = (1, 1, *kind.sizes)[-2:]
    return sizes[0], sizes[1]


@dataclass(frozen=True)
class Layout:
    """Where the elements of a tile lie. `rows`, `cols`: how many are there. `pitch`: of rows, in elements."""

    sizes: tuple[int, int]
    dtype: str
    rows: Number
    cols: Number
    pitch: Number
    is_padded: bool  # up to the pitch, as the row of a grid is
    granule: int

    @property
    def is_grid(self) -> bool:
        """Whether it has rows and columns."""
        return min(self.sizes) > 1

    @property
    def is_column(self) -> bool:
        """Whether it is one column of several rows."""
        return self.sizes[1] == 1 and self.sizes[0] > 1

    @property
    def elements(self) -> int:
        """How many elements a buffer for it has."""
        granule = self.granule if self.is_grid or self.is_padded else BLOCK // bytes_of(self.dtype)
        line = -(-(self.sizes[1] if self.is_grid else max(self.sizes)) // granule) * granule
        return line * (self.sizes[0] if self.is_grid else 1)

    @property
    def static_pitch(self) -> int:
        """The greatest pitch of its rows."""
        return -(-self.sizes[1] // self.granule) * self.granule

    def extent(self, site: Site) -> Number:
        """How many elements a call on single elements covers."""
        if self.is_grid or self.is_padded:
            return site.times(self.rows, self.pitch, "elements")
        return site.times(self.rows, self.cols)


class Layouts:
    """The layouts of the tiles of a kernel."""

    def __init__(self, kernel: FuncOp, site: Site) -> None:
        self._site = site
        self._above: dict[SSAValue, SSAValue] = {}
        self._known: dict[SSAValue, Layout] = {}
        for operation in kernel.walk():
            if isinstance(operation, _TIED):
                self._tie(operation)
        self._granule: dict[SSAValue, int] = {}
        self._has_grid: set[SSAValue] = set()  # groups
        self._rule: dict[SSAValue, SSAValue] = {}  # group -> a grid of it whose columns are those of all
        tiles = list(_tiles(kernel))
        for value in tiles:
            group, kind = self._group(value), type_of(value)
            least = BLOCK // bytes_of(kind.dtype.data)
            if isinstance(value.owner, TransposeOp):
                least = max(least, TRANSPOSED)
            self._granule[group] = max(self._granule.get(group, 1), least)
            if min(sizes_of(kind)) > 1 and isinstance(value.owner, MakesTile):
                self._has_grid.add(group)
                if not _fits_any(value):
                    self._rule.setdefault(group, value)
        for value in tiles:
            if sizes_of(type_of(value))[1] > 1 and isinstance(value.owner, MakesTile):
                self._check_columns(value)

    def of(self, tile: SSAValue) -> Layout:
        """The layout of a tile."""
        if tile not in self._known:
            self._known[tile] = self._made(tile)
        return self._known[tile]

    def of_cell(self, cell: SSAValue) -> Layout:
        """The layout of what a variable holds. Its counts are those of each tile that it holds, which is not known."""
        kind, group = type_of(cell), self._group(cell)
        sizes = sizes_of(kind)
        is_padded = group in self._has_grid
        return Layout(sizes, _held(kind.dtype.data), *sizes, sizes[1], is_padded, self._granule[group])

    def _made(self, tile: SSAValue) -> Layout:
        kind, group = type_of(tile), self._group(tile)
        sizes = sizes_of(kind)
        owner = tile.owner
        assert isinstance(owner, MakesTile)
        counts = [number_of(count) for count in owner.counts]
        rows, cols = (1, 1, *counts)[-2:]
        granule = self._granule[group]
        is_grid = min(sizes) > 1
        is_padded = is_grid or (group in self._has_grid and sizes[0] == 1)
        pitch = self._site.up_to(cols, granule, "pitch") if is_padded else cols
        return Layout(sizes, _held(kind.dtype.data), rows, cols, pitch, is_padded and not is_grid, granule)

    def _check_columns(self, tile: SSAValue) -> None:
        other = self._rule.get(self._group(tile), tile)
        assert isinstance(tile.owner, MakesTile) and isinstance(other.owner, MakesTile)
        if _fits_any(tile):
            return
        if not same_count(tile.owner.counts[-1], other.owner.counts[-1]):
            self._site.move_before(tile.owner)
            hint = "use one span for the columns of both; or one row at a time"
            what = "an operation on tiles of several rows whose columns are different spans"
            raise TileNotBuilt(self._site.at, what=what, hint=hint)

    def _tie(self, operation: Operation) -> None:
        """All tiles of an operation share a pitch, but for columns and single elements, which have none."""
        tiles = [one for one in (*operation.operands, *operation.results) if holds_tile(one)]
        wide = [one for one in tiles if sizes_of(type_of(one))[1] > 1]
        if isinstance(operation, ViewOp) and len(wide) < 2:
            wide = []  # between a row and a column: no grid has both as its row
        for one in wide[1:]:
            self._above[self._group(one)] = self._group(wide[0])

    def _group(self, value: SSAValue) -> SSAValue:
        while value in self._above and self._above[value] is not value:
            value = self._above[value]
        return value


def _fits_any(tile: SSAValue) -> bool:
    """Whether operations may read a tile at any pitch up to its own: a row that is all there, or one number."""
    assert isinstance(tile.owner, MakesTile)
    sizes = sizes_of(type_of(tile))
    is_all_there = number_of(tile.owner.counts[-1]) == sizes[1]
    return is_all_there and (sizes[0] == 1 or isinstance(tile.owner, FullOp))


def _tiles(kernel: FuncOp) -> Iterator[SSAValue]:
    """All tiles of a kernel, and variables that hold one."""
    for operation in kernel.walk():
        results: Iterable[SSAValue] = operation.results
        yield from (result for result in results if holds_tile(result))
