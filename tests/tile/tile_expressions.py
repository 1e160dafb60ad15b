"""Random kernels over tiles: expressions of grids, rows, columns and single elements, as Python of `opwright.tile`.

In: a seed. Out: a module's text with one kernel, whose expressions are stored one behind the other. Operations give the
same bits in NumPy and on the twin, so exp and its like are left out.
"""

import random

SIZES = [(4, 40), (8, 72), (3, 200), (16, 16), (5, 130), (2, 520), (9, 64)]
GRID, ROW, COLUMN, SINGLE = "grid", "row", "column", "single"
# What an operand may be, by what the result is.
_OPERANDS = {
    GRID: [GRID, GRID, GRID, ROW, COLUMN, SINGLE],
    ROW: [ROW, ROW, SINGLE],
    COLUMN: [COLUMN, COLUMN, SINGLE],
    SINGLE: [SINGLE],
}
_HEAD = """from opwright import tile


@tile.jit
def kernel(
    x: tile.Tensor,
    z: tile.Tensor,
    w: tile.Tensor,
    c: tile.Tensor,
    y: tile.Tensor,
    p: float,
    COLS: tile.constexpr = {cols},
    ROWS: tile.constexpr = {rows},
):
    DT = tile.{dtype}
    cols = tile.whole(x.shape[1], COLS)
    row = w[cols][None, :]
    for rows in tile.parallel(x.shape[0], ROWS):
        first = x[rows, cols]
        second = z[rows, cols]
        column = c[rows][:, None]
"""


class Expressions:
    """Expressions over the names that are known."""

    def __init__(self, generator: random.Random) -> None:
        self.generator = generator
        self.names = {GRID: ["first", "second"], ROW: ["row"], COLUMN: ["column"], SINGLE: []}

    def make(self, kind: str, depth: int) -> str:
        """An expression of a kind."""
        choose = self.generator.choice
        if depth == 0 or self.generator.random() < 0.1:
            if self.names[kind]:
                return choose(self.names[kind])
            return f"tile.full((1, 1), {choose(['0.5', '-1.25', '3.0'])}, DT)"
        makers = [self._binary, self._binary, self._with_number, self._unary, self._converted]
        if kind != GRID:
            makers.append(self._reduced)
        return choose(makers)(kind, depth - 1)

    def _binary(self, kind: str, depth: int) -> str:
        kinds = [kind, self.generator.choice(_OPERANDS[kind])]
        if kind == GRID and self.generator.random() < 0.1:
            kinds = [COLUMN, ROW]
        self.generator.shuffle(kinds)
        left, right = (self.make(one, depth) for one in kinds)
        form = self.generator.choice(["({} + {})", "({} - {})", "({} * {})", "({} / {})", "tile.maximum({}, {})"])
        return form.format(left, right)

    def _with_number(self, kind: str, depth: int) -> str:
        form = self.generator.choice(
            [
                *("({0} + {1})", "({1} - {0})", "({0} - {1})", "({0} * {1})", "({0} / {1})", "({1} / {0})"),
                *("tile.maximum({0}, {1})", "tile.minimum({1}, {0})"),
            ]
        )
        return form.format(self.make(kind, depth), self.generator.choice(["2.0", "0.1", "-1.5", "p"]))

    def _unary(self, kind: str, depth: int) -> str:
        forms = ["tile.abs({})", "(-{})", "tile.floor({})", "tile.round({})", "tile.sqrt(tile.abs({}))"]
        return self.generator.choice(forms).format(self.make(kind, depth))

    def _converted(self, kind: str, depth: int) -> str:
        between = self.generator.choice(["float32", "float16", "bfloat16"])
        return f"{self.make(kind, depth)}.to(tile.{between}).to(DT)"

    def _reduced(self, kind: str, depth: int) -> str:
        """Over an axis of what has one more: a row of a grid, a column of it, a single element of either."""
        of, axis = {ROW: (GRID, 0), COLUMN: (GRID, 1), SINGLE: (self.generator.choice([ROW, COLUMN]), None)}[kind]
        names = ["sum", "mean"] if axis == 0 else ["sum", "max", "min", "mean"]
        axis = axis if axis is not None else (1 if of == ROW else 0)
        return f"{self.make(of, depth)}.{self.generator.choice(names)}(axis={axis}, keepdims=True)"


def kernel_source(seed: int, dtype: str, count: int) -> tuple[str, tuple[int, int]]:
    """A module with a kernel of `count` expressions, and the sizes of its tiles."""
    generator = random.Random(seed)
    rows, cols = generator.choice(SIZES)
    lines = [_HEAD.format(rows=rows, cols=cols, dtype=dtype).rstrip("\n")]
    for number in range(count):
        expressions = Expressions(generator)
        for place in range(generator.randint(0, 2)):
            kind = generator.choice([GRID, GRID, ROW, COLUMN])
            lines.append(f"        v{number}_{place} = {expressions.make(kind, 3)}")
            expressions.names[kind].append(f"v{number}_{place}")
        if generator.random() < 0.3:  # a tile that a loop carries
            lines.append(f"        carried{number} = {expressions.make(GRID, 1)}")
            expressions.names[GRID] = [f"carried{number}", "first"]
            lines.append("        for _ in range(2):")
            lines.append(f"            carried{number} = {expressions.make(GRID, 2)}")
            lines.append(f"        y[{number}, rows, cols] = carried{number}")
        else:
            lines.append(f"        y[{number}, rows, cols] = {expressions.make(GRID, 3)}")
    return "\n".join(lines) + "\n", (rows, cols)
