"""Random kernels over tiles: expressions of grids, rows, columns and single elements, as Python of `opwright.tile`.

In: a seed. Out: `kernel_of`: a module's text with one kernel, whose expressions are stored one behind the other. Its
loop takes whole rows, or rows in parts with tiles that a loop over spans carries from part to part. Operations give the
same bits in NumPy and on the twin, but for kernels of functions: there exp or one of its like is applied last, so that
what they give stays within a bound.
"""

import random
from dataclasses import dataclass

SIZES = [(4, 40), (8, 72), (3, 200), (16, 16), (5, 130), (2, 520), (9, 64)]
GRID, ROW, COLUMN, SINGLE = "grid", "row", "column", "single"
ROWS, PARTS, FUNCTIONS = "rows", "parts", "functions"
EVERY_FORM = [ROWS, PARTS, FUNCTIONS]
MOST_BRANCHES = 1
_DEPTHS = [1, 1, 2, 2, 3]
# What an operand may be, by what the result is.
_OPERANDS = {
    GRID: [GRID, GRID, GRID, ROW, COLUMN, SINGLE],
    ROW: [ROW, ROW, SINGLE],
    COLUMN: [COLUMN, COLUMN, SINGLE],
    SINGLE: [SINGLE],
}
_CONDITIONS = ["rows.start > 0", "p > 0.5", "x.shape[1] > 20", "rows.count < 3"]
_FUNCTIONS = ["exp({})", "log(tile.abs({}))", "tanh({})", "sigmoid({})", "erf({})", "rsqrt(tile.abs({}))"]
_HEAD = """from opwright import tile


@tile.jit
def random_kernel(
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
"""
_WHOLE_ROWS = """\
    cols = tile.whole(x.shape[1], COLS)
    row = w[cols][None, :]
    for rows in tile.parallel(x.shape[0], ROWS):
        first = x[rows, cols]
        second = z[rows, cols]
        column = c[rows][:, None]
"""
_IN_PARTS = """\
    for rows in tile.parallel(x.shape[0], ROWS):
        column = c[rows][:, None]
"""
_PART = """\
            row = w[cols][None, :]
            first = x[rows, cols]
            second = z[rows, cols]
"""


@dataclass(frozen=True)
class RandomKernel:
    """A module's text with a kernel `random_kernel`; the sizes of its tiles; how many expressions it stores."""

    text: str
    form: str
    rows: int
    cols: int
    expressions: int


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


def kernel_of(seed: int, dtype: str, count: int) -> RandomKernel:
    """A kernel of `count` expressions."""
    generator = random.Random(seed)
    rows, cols = generator.choice(SIZES)
    form = generator.choices(EVERY_FORM, [8, 2, 1])[0]
    made = _in_parts(generator, count) if form == PARTS else _whole_rows(generator, count, form == FUNCTIONS)
    text = _HEAD.format(rows=rows, cols=cols, dtype=dtype) + "\n".join(made) + "\n"
    return RandomKernel(text, form, rows, cols, count)


def _whole_rows(generator: random.Random, count: int, is_function: bool) -> list[str]:
    """Tiles of whole rows; names, loops that carry tiles, and branches between the stores."""
    lines, branches = [_WHOLE_ROWS.rstrip("\n")], 0
    for number in range(count):
        expressions = Expressions(generator)
        for place in range(generator.choice([0, 0, 0, 1, 2])):
            kind = generator.choice([GRID, GRID, ROW, COLUMN])
            lines.append(f"        v{number}_{place} = {expressions.make(kind, 2)}")
            expressions.names[kind].append(f"v{number}_{place}")
        chance = generator.random()
        made = expressions.make(GRID, generator.choice(_DEPTHS))
        if is_function:
            made = f"tile.{generator.choice(_FUNCTIONS).format(made)}"
        elif chance < 0.25:
            lines.append(f"        carried{number} = {expressions.make(GRID, 1)}")
            expressions.names[GRID] = [f"carried{number}", "first"]
            lines.append("        for _ in range(2):")
            lines.append(f"            carried{number} = {expressions.make(GRID, 2)}")
            made = f"carried{number}"
        elif chance < 0.4 and branches < MOST_BRANCHES:
            branches += 1
            lines.append(f"        if {generator.choice(_CONDITIONS)}:")
            lines.append(f"            chosen{number} = {expressions.make(GRID, 2)}")
            lines.append("        else:")
            lines.append(f"            chosen{number} = {expressions.make(GRID, 2)}")
            made = f"chosen{number} * {expressions.make(GRID, 1)}"
        lines.append(f"        y[{number}, rows, cols] = {made}")
    return lines


def _in_parts(generator: random.Random, count: int) -> list[str]:
    """Two loops over parts of rows: the first carries columns from part to part, the second uses them."""
    first, carried = count // 2, ["total", "most"]
    lines = [_IN_PARTS.rstrip("\n")]
    lines.append("        total, most = tile.zeros((ROWS, 1), DT), tile.full((ROWS, 1), 0.25, DT)")
    for begin, end in ((0, first), (first, count)):
        stages = generator.choice([1, 2, 2, 3])
        lines.append(f"        for cols in tile.range(x.shape[1], COLS, stages={stages}):")
        lines.append(_PART.rstrip("\n"))
        for number in range(begin, end):
            expressions = Expressions(generator)
            expressions.names[COLUMN] += carried
            lines.append(f"            y[{number}, rows, cols] = {expressions.make(GRID, generator.choice(_DEPTHS))}")
        if not begin:
            expressions = Expressions(generator)
            expressions.names[COLUMN] = ["total", "most", "column"]
            lines.append(f"            part = {expressions.make(GRID, 1)}.sum(axis=1, keepdims=True)")
            expressions.names[COLUMN].append("part")
            lines.append(f"            total = total * 0.5 + {expressions.make(COLUMN, 2)}")
            lines.append("            most = tile.maximum(most, part)")
    return lines
