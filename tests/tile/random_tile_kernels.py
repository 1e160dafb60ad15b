"""Random kernels over tiles: expressions of `tile_expressions`, stored one behind the other.

In: a seed, the type of floats, a SoC. Out: `kernel_of`: a module's text with one kernel, and its arguments. What one
expression gives is an operand of later ones. The loop takes whole rows; or rows in parts, with tiles that a loop over
spans carries from part to part; or whole rows with an inner loop over rows of a table. In kernels of functions exp or
one of its like is applied last, so that what they give stays within a bound.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tile_expressions import COLUMN, FLOAT, GRID, INT16, INT32, ROW, Expressions, Without

SIZES = [(4, 40), (8, 72), (3, 200), (16, 16), (5, 130), (2, 520), (9, 64)]
ROWS, PARTS, TABLE, FUNCTIONS = "rows", "parts", "table", "functions"
EVERY_FORM = [ROWS, PARTS, TABLE, FUNCTIONS]
TABLE_ROWS = 11  # of the table that rows are gathered from
MOST_IN_PARTS = 6  # expressions: two loops with stages take the compiler longer
TYPES = {INT32: "int32", INT16: "int16", "index": "index"}
_DEPTHS = [1, 1, 1, 1, 1, 2, 2, 3]
_CONDITIONS = ["rows.start > 0", "p > 0.5", "x.shape[1] > 20", "rows.count < 3", "n[rows.start] > 4", "q % 2 == 0"]
_FUNCTIONS = ["exp({})", "log(tile.abs({}))", "tanh({})", "sigmoid({})", "erf({})", "rsqrt(tile.abs({}))"]
_FUNCTIONS += ["reciprocal({})", "log({})"]
_RESULTS = {FLOAT: "y", INT32: "yi", INT16: "yh"}


@dataclass(frozen=True)
class Argument:
    """An array: its sizes in words, and its type; the name and shape of the tile that every kernel loads of it."""

    name: str
    sizes: tuple[str, ...]
    dtype: str
    tile: str = ""
    load: str = ""
    kind: str = ""


ARGUMENTS = [
    Argument("x", ("rows", "cols"), FLOAT, "first", "x[rows, cols]", GRID),
    Argument("z", ("rows", "cols"), FLOAT, "second", "z[rows, cols]", GRID),
    Argument("w", ("cols",), FLOAT, "row", "w[cols][None, :]", ROW),
    Argument("c", ("rows",), FLOAT, "column", "c[rows][:, None]", COLUMN),
    Argument("k", ("rows", "cols"), INT32, "whole", "k[rows, cols]", GRID),
    Argument("h", ("rows", "cols"), INT16, "short", "h[rows, cols]", GRID),
    Argument("s", ("rows",), INT16, "few", "s[rows][:, None]", COLUMN),
    Argument("n", ("rows",), "index"),
    Argument("t", ("table", "cols"), FLOAT, "gathered", "t[n[rows], cols]", GRID),
    Argument("y", ("count", "rows", "cols"), FLOAT),
    Argument("yi", ("count", "rows", "cols"), INT32),
    Argument("yh", ("count", "rows", "cols"), INT16),
]


@dataclass(frozen=True)
class RandomKernel:
    """A module's text with a kernel `random_kernel`; the sizes of its tiles; how many expressions it stores.

    shapes: what the words in the sizes of its arguments are, for each launch. types: what the words
    in the types of its arguments are. is_finite: it takes no NaN or infinity.
    """

    text: str
    form: str
    rows: int
    cols: int
    expressions: int
    arguments: tuple[Argument, ...]
    shapes: tuple[dict[str, int], ...]
    types: dict[str, str]
    is_finite: bool = False


class _Writer:
    """Makes the statements of one kernel."""

    def __init__(self, generator: random.Random, without: Without, count: int) -> None:
        self.generator = generator
        self.without = without
        self.count = count
        self.waiting: list[str] = []  # stores, if they come last
        self.results: list[tuple[str, str]] = []  # types and names of what was made before
        self.is_last = generator.random() < 0.8
        self.branches = 0

    def expressions(self) -> Expressions:
        """With the names of every kernel."""
        names: dict[tuple[str, str], list[str]] = {}
        for one in ARGUMENTS:
            if one.tile:
                names.setdefault((one.kind, one.dtype), []).append(one.tile)
        names[ROW, INT32], names[COLUMN, INT32] = ["cols.index[None, :]"], ["rows.index[:, None]"]
        names[ROW, INT16] = ["cols.index[None, :].to(tile.int16)"]
        for dtype, name in self.results:
            names[GRID, dtype].append(name)
        return Expressions(self.generator, names, self.without)

    def grid(self, some: Expressions, depth: int) -> str:
        return some.make(GRID, FLOAT, depth)

    def depth(self) -> int:
        return self.generator.choice(_DEPTHS)

    def store(self, number: int, dtype: str, made: str, indent: str, is_exact: bool = True) -> list[str]:
        """Stores a tile, or gives it a name for a store behind all others."""
        if not self.is_last:
            return [f"{indent}{_RESULTS[dtype]}[{number}, rows, cols] = {made}"]
        self.waiting.append(f"{indent}{_RESULTS[dtype]}[{number}, rows, cols] = result{number}")
        if is_exact:
            self.results.append((dtype, f"result{number}"))
        return [f"{indent}result{number} = {made}"]

    def stores(self) -> list[str]:
        waiting, self.waiting, self.results = self.waiting, [], []
        return waiting

    def whole_rows(self, is_function: bool) -> list[str]:
        """Names, loops that carry tiles, and branches between the stores."""
        choose, indent = self.generator.choice, " " * 8
        lines: list[str] = []
        for number in range(self.count):
            some, chance = self.expressions(), self.generator.random()
            for place in range(choose([0, 0, 0, 0, 0, 1, 2])):
                kind, dtype = choose([GRID, GRID, ROW, COLUMN]), choose([FLOAT, FLOAT, INT32])
                lines.append(f"{indent}v{number}_{place} = {some.make(kind, dtype, 1)}")
                some.names.setdefault((kind, dtype), []).append(f"v{number}_{place}")
            dtype = FLOAT if is_function else choose([FLOAT, FLOAT, INT32, INT16])
            made = ""
            if chance >= 0.15:
                made = some.make(GRID, dtype, self.depth())
            if is_function:
                made = f"tile.{choose(_FUNCTIONS).format(made or 'first')}"
            elif chance < 0.15:
                lines.append(f"{indent}carried{number} = {some.make(GRID, dtype, 1)}")
                some.names[GRID, dtype] = [f"carried{number}", *some.names[GRID, dtype][:1]]
                lines.append(f"{indent}for _ in range(2):")
                lines.append(f"{indent}    carried{number} = {some.make(GRID, dtype, 1)}")
                made = f"carried{number}"
            elif chance < 0.25 and not self.branches:
                self.branches += 1
                lines.append(f"{indent}if {choose(_CONDITIONS)}:")
                lines.append(f"{indent}    chosen{number} = {some.make(GRID, dtype, 1)}")
                lines.append(f"{indent}else:")
                lines.append(f"{indent}    chosen{number} = {some.make(GRID, dtype, 1)}")
                made = f"chosen{number} * {some.make(GRID, dtype, 1)}"
            lines += self.store(number, dtype, made, indent, not is_function)
        return [*lines, *self.stores()]

    def in_table(self) -> list[str]:
        """Rows and a column that a loop over the rows of a table carries."""
        indent, choose = " " * 8, self.generator.choice
        lines = [f"{indent}best, total = first, row"]
        lines.append(f"{indent}for part in tile.range(t.shape[0], 4, stages={choose([1, 2, 2])}):")
        lines.append(f"{indent}    piece = t[part, cols]")
        some = self.expressions()
        some.names[ROW, FLOAT] = ["total", "level"]
        lines.append(f"{indent}    level = piece.{choose(['sum', 'mean'])}(axis=0, keepdims=True)")
        lines.append(f"{indent}    total = total * 0.5 + {some.make(ROW, FLOAT, 1)}")
        some.names[GRID, FLOAT] = ["best", "first"]
        lines.append(f"{indent}    best = tile.maximum(best, {some.make(GRID, FLOAT, 2)})")
        for number in range(self.count):
            some = self.expressions()
            some.names[ROW, FLOAT].append("total")
            some.names[GRID, FLOAT] += ["best", "gathered"]
            dtype = choose([FLOAT, FLOAT, INT32, INT16])
            lines += self.store(number, dtype, some.make(GRID, dtype, self.depth()), indent)
        return [*lines, *self.stores()]

    def in_parts(self) -> list[str]:
        """Two loops over parts of rows: the first carries columns from part to part, the second uses them."""
        first, indent = self.count // 2, " " * 12
        lines = ["        total, most = tile.zeros((ROWS, 1), DT), tile.full((ROWS, 1), 0.25, DT)"]
        for begin, end in ((0, first), (first, self.count)):
            stages = self.generator.choice([1, 2, 2, 3])
            lines.append(f"        for cols in tile.range(x.shape[1], COLS, stages={stages}):")
            inside: list[str] = []
            for number in range(begin, end):
                some = self.expressions()
                some.names[COLUMN, FLOAT] += ["total", "most"]
                dtype = self.generator.choice([FLOAT, FLOAT, INT32, INT16])
                inside += self.store(number, dtype, some.make(GRID, dtype, self.depth()), indent)
            if not begin:
                some = self.expressions()
                some.names[COLUMN, FLOAT] = ["total", "most", "column"]
                inside.append(f"{indent}part = {some.make(GRID, FLOAT, 1)}.sum(axis=1, keepdims=True)")
                some.names[COLUMN, FLOAT].append("part")
                inside.append(f"{indent}total = total * 0.5 + {some.make(COLUMN, FLOAT, 2)}")
                inside.append(f"{indent}most = tile.maximum(most, part)")
            inside += self.stores()
            lines += [*_loads(inside, indent, [GRID, ROW]), *inside]
        return lines


def used_in(lines: list[str]) -> set[str]:
    """The words of some lines."""
    return set(re.findall(r"\w+", "\n".join(lines)))


def _loads(lines: list[str], indent: str, kinds: Sequence[str]) -> list[str]:
    """The loads of tiles of some shapes that lines use."""
    used = used_in(lines)
    return [f"{indent}{one.tile} = {one.load}" for one in ARGUMENTS if one.tile in used and one.kind in kinds]


def kernel_of(seed: int, dtype: str, soc: str, count: int) -> RandomKernel:
    """A kernel of `count` expressions."""
    generator = random.Random(seed)
    rows, cols = generator.choice(SIZES)
    form = generator.choices(EVERY_FORM, [8, 1, 1, 1])[0]
    count = min(count, MOST_IN_PARTS) if form == PARTS else count
    without = Without(
        int_columns=soc != "ascend950", transposes=cols > 100 or form == TABLE, int32_to_float=dtype == "bfloat16"
    )
    writer = _Writer(generator, without, count)
    if form == PARTS:
        made, head, outside = writer.in_parts(), [], [COLUMN]
    else:
        made = writer.in_table() if form == TABLE else writer.whole_rows(form == FUNCTIONS)
        head, outside = ["    cols = tile.whole(x.shape[1], COLS)"], [GRID, ROW, COLUMN]
    loads = _loads(made, " " * 8, outside)
    body = [*head, "    for rows in tile.parallel(x.shape[0], ROWS):", *loads, *made]
    used = used_in(body)
    arguments = tuple(one for one in ARGUMENTS if one.name in used)
    text = text_of(body, arguments, dtype, rows, cols)
    shapes = tuple(
        {"rows": shape[0], "cols": shape[1], "table": TABLE_ROWS, "count": count}
        for shape in _shapes(generator, form, rows, cols)
    )
    return RandomKernel(text, form, rows, cols, count, arguments, shapes, {**TYPES, FLOAT: dtype})


def text_of(body: list[str], arguments: tuple[Argument, ...], dtype: str, rows: int, cols: int) -> str:
    """The text of a kernel; DT is the type of its floats."""
    lines = ["from opwright import tile", "", "", "@tile.jit", "def random_kernel("]
    lines += [f"    {one.name}: tile.Tensor," for one in arguments]
    lines += ["    p: float,", "    q: int,"]
    lines += [f"    COLS: tile.constexpr = {cols},", f"    ROWS: tile.constexpr = {rows},"]
    return "\n".join([*lines, "):", f"    DT = tile.{dtype}", *body]) + "\n"


def _shapes(generator: random.Random, form: str, rows: int, cols: int) -> list[tuple[int, int]]:
    """Two shapes: one with several iterations, one at an edge or any."""
    wide = [3 * cols, 2 * cols + 1, 2 * cols - 1] if form == PARTS else [cols, cols - 1, cols // 2 + 3]
    edges = [(1, 1), (rows - 1, cols - 1), (rows + 1, cols), (0, 3), (3, 0), (rows, 7), (1, cols)]
    several = (generator.choice([2 * rows + 1, 3 * rows - 1, 4 * rows]), generator.choice(wide))
    edges.append((generator.choice([1, 7, 13, 2 * rows]), generator.randint(1, wide[0])))
    return [several, generator.choice(edges)]
