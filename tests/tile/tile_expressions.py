"""Random expressions over tiles, as Python of `opwright.tile`: floats, integers and bool tiles of four shapes.

In: a source of random numbers, names of tiles that are known, what to leave out. Out: `Expressions.make`: a text of one
shape and type. All operations give the same bits in NumPy and on the twin. The greatest or least of a row may be either
zero: one of them is added to it, so that what comes out is the same.
"""

import random
from dataclasses import dataclass, field

GRID, ROW, COLUMN, SINGLE = "grid", "row", "column", "single"
FLOAT, INT32, INT16 = "DT", "tile.int32", "tile.int16"  # as kernels call them
_SIZES = {GRID: "(ROWS, COLS)", ROW: "(1, COLS)", COLUMN: "(ROWS, 1)", SINGLE: "(1, 1)"}
# What an operand may be, by what the result is.
_OPERANDS = {
    GRID: [*[GRID] * 5, ROW, COLUMN, ROW, COLUMN, SINGLE],
    ROW: [*[ROW] * 5, SINGLE],
    COLUMN: [*[COLUMN] * 5, SINGLE],
    SINGLE: [SINGLE],
}
_NUMBERS = {FLOAT: ["2.0", "0.1", "-1.5", "0.0", "-0.0", "p"], INT32: ["3", "-7", "100", "q"], INT16: ["3", "-7", "0"]}
_WITH_NUMBER = ["({0} + {1})", "({1} - {0})", "({0} - {1})", "({0} * {1})"]
_WITH_NUMBER += ["tile.maximum({0}, {1})", "tile.maximum({1}, {0})", "tile.minimum({0}, {1})", "tile.minimum({1}, {0})"]
_BINARY = ["({} + {})", "({} - {})", "({} * {})", "tile.maximum({}, {})", "tile.minimum({}, {})"]
_FLOAT_UNARY = ["tile.abs({})", "(-{})", "tile.floor({})", "tile.ceil({})", "tile.round({})", "tile.sqrt(tile.abs({}))"]
_COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
_ROUNDINGS = ['round="floor"', 'round="ceil"', 'round="trunc"']


@dataclass(frozen=True)
class Without:
    """What a kernel leaves out: its SoC or the rest of it does not take it."""

    int_columns: bool = False  # reductions of int32 over columns
    sums_of_rows: bool = False
    transposes: bool = False
    int32_to_float: bool = False  # in one step


@dataclass
class Expressions:
    """Expressions over names: (shape, type) -> tiles that are known."""

    generator: random.Random
    names: dict[tuple[str, str], list[str]]
    without: Without = field(default_factory=Without)

    def make(self, kind: str, dtype: str, depth: int) -> str:
        """A tile of numbers."""
        if depth == 0 or self.generator.random() < 0.1:
            return self._leaf(kind, dtype)
        makers = [*[self._binary] * 3, *[self._with_number] * 2, self._unary, self._converted, self._chosen]
        if kind != GRID:
            makers += [self._reduced, self._reduced]
        elif not self.without.transposes:
            makers += [self._transposed] if self.generator.random() < 0.3 else []
        return self.generator.choice(makers)(kind, dtype, depth - 1)

    def mask(self, kind: str, depth: int) -> str:
        """A bool tile."""
        choose = self.generator.choice
        chance = self.generator.random()
        if depth > 0 and chance < 0.2:
            return f"(~{self.mask(kind, depth - 1)})"
        if depth > 0 and chance < 0.5:
            left, right = (self.mask(one, depth - 1) for one in self._pair(kind))
            return f"({left} {choose('&|')} {right})"
        if chance < 0.6 and kind in (GRID, ROW, COLUMN):
            row, column = "cols.index[None, :]", "rows.index[:, None]"
            both = {GRID: (row, f"{column} + {choose('0123')}"), ROW: (row, "q"), COLUMN: (column, "q")}[kind]
            return f"({both[0]} {choose(_COMPARISONS)} {both[1]})"
        dtype = choose([FLOAT, FLOAT, INT32, INT16])
        comparison = choose(_COMPARISONS)
        depth = self.generator.choice([0, 0, depth])
        if chance < 0.75:
            return f"({self.make(kind, dtype, depth)} {comparison} {choose(_NUMBERS[dtype])})"
        left, right = (self.make(one, dtype, depth) for one in self._pair(kind))
        return f"({left} {comparison} {right})"

    def _leaf(self, kind: str, dtype: str) -> str:
        names = self.names.get((kind, dtype), [])
        # Tiles of one number have all of their columns: what is made of them alone does not mix with others.
        if names and (kind in (GRID, ROW) or self.generator.random() < 0.9):
            return self.generator.choice(names)
        return self._full(kind, dtype)

    def _full(self, kind: str, dtype: str) -> str:
        return f"tile.full({_SIZES[kind]}, {self.generator.choice(_NUMBERS[dtype])}, {dtype})"

    def _pair(self, kind: str) -> list[str]:
        """Two shapes that give a third one."""
        kinds = [kind, self.generator.choice(_OPERANDS[kind])]
        if kind == GRID and self.generator.random() < 0.1:
            kinds = [COLUMN, ROW]
        self.generator.shuffle(kinds)
        return kinds

    def _binary(self, kind: str, dtype: str, depth: int) -> str:
        left, right = (self.make(one, dtype, depth) for one in self._pair(kind))
        if self.generator.random() < 0.05:
            left, right = self.make(kind, dtype, depth), self._full(kind, dtype)
        forms = [*_BINARY, "({} / {})"] if dtype == FLOAT else _BINARY
        return self.generator.choice(forms).format(left, right)

    def _with_number(self, kind: str, dtype: str, depth: int) -> str:
        forms = [*_WITH_NUMBER, "({0} / {1})", "({1} / {0})"] if dtype == FLOAT else _WITH_NUMBER
        number = self.generator.choice(_NUMBERS[dtype])
        return self.generator.choice(forms).format(self.make(kind, dtype, depth), number)

    def _unary(self, kind: str, dtype: str, depth: int) -> str:
        forms = _FLOAT_UNARY if dtype == FLOAT else ["tile.abs({})", "(-{})"]
        return self.generator.choice(forms).format(self.make(kind, dtype, depth))

    def _converted(self, kind: str, dtype: str, depth: int) -> str:
        """From another type, or to one and back."""
        source = self.generator.choice([FLOAT, INT32, INT16, "tile.float32", "tile.float16", "tile.bfloat16"])
        if source not in (FLOAT, INT32, INT16):
            return f"{self.make(kind, FLOAT, depth)}.to({source}).to({dtype})"
        if source == dtype == FLOAT:
            source = self.generator.choice([INT32, INT16])
        if self.without.int32_to_float and (source, dtype) == (INT32, FLOAT):
            return f"{self.make(kind, source, depth)}.to(tile.float32).to(DT)"
        is_rounded = source == FLOAT and dtype != FLOAT and self.generator.random() < 0.6
        how = f", {self.generator.choice(_ROUNDINGS)}" if is_rounded else ""
        return f"{self.make(kind, source, depth)}.to({dtype}{how})"

    def _chosen(self, kind: str, dtype: str, depth: int) -> str:
        """`where` of tiles and numbers, of which one at least has the shape."""
        shapes = self._pair(kind)
        sides = [self.make(one, dtype, depth) for one in shapes]
        if self.generator.random() < 0.4 and kind in shapes:
            sides[1 - shapes.index(kind)] = self.generator.choice(_NUMBERS[dtype])
        mask = self.mask(self.generator.choice(_OPERANDS[kind]), min(depth, 1))
        return f"tile.where({mask}, {sides[0]}, {sides[1]})"

    def _transposed(self, kind: str, dtype: str, depth: int) -> str:
        """An operation on columns that became rows, and back."""
        left, right = (self.make(one, dtype, depth) for one in (GRID, self.generator.choice([GRID, ROW, SINGLE])))
        return f"{self.generator.choice(_BINARY).format(f'{left}.T', f'{right}.T')}.T"

    def _reduced(self, kind: str, dtype: str, depth: int) -> str:
        """Over an axis of what has one more: a row of a grid, a column of it, a single element of either."""
        of, axis = {ROW: (GRID, 0), COLUMN: (GRID, 1), SINGLE: (self.generator.choice([ROW, COLUMN]), None)}[kind]
        axis = axis if axis is not None else (1 if of == ROW else 0)
        if self.without.sums_of_rows and axis == 0:
            return self._leaf(kind, dtype)
        names = {FLOAT: ["sum", "mean", "max", "min"], INT32: ["sum", "max", "min"], INT16: []}[dtype]
        if not names or (dtype == INT32 and self.without.int_columns and (axis == 1 or of == COLUMN)):
            return self._leaf(kind, dtype)
        name, x = self.generator.choice(names), self.make(of, dtype, depth)
        if of == GRID and axis == 1 and self.generator.random() < 0.2:
            x = f"{x}.fill({self.generator.choice(_NUMBERS[dtype])})"
        made = f"{x}.{name}(axis={axis}, keepdims=True)"
        return f"({made} + 0.0)" if dtype == FLOAT and name in ("max", "min") else made
