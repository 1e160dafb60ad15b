"""Random kernels with products of matrices: on cube cores alone, and with vector work behind, before or between them.

In: a seed. Out: `product_of`: a module's text with one kernel, and its arguments.
Factors are loaded as they are or transposed; products are added up along a loop or taken at once. What vector cores
make of a sum are expressions of `tile_expressions`: stored, or a factor of the next product.
"""

import random

from random_tile_kernels import TYPES, Argument, RandomKernel, text_of, used_in
from tile_expressions import COLUMN, FLOAT, GRID, INT16, INT32, ROW, Expressions, Without

FACTORS = ("float16", "bfloat16", "float32", "int8")
SIZES = [(16, 16), (32, 48), (48, 40), (15, 33), (64, 64), (20, 100)]
DEPTHS = [16, 32, 40, 64]
PLAIN, EPILOGUE, CHAIN, CARRIED = "plain", "epilogue", "chain", "carried"
EVERY_PRODUCT = [PLAIN, EPILOGUE, CHAIN, CARRIED]
_STORED = ["{}", "tile.maximum({}, 0)"]
_INDENT = " " * 8


class _Writer:
    """Makes the statements of one kernel."""

    def __init__(self, generator: random.Random, factors: str) -> None:
        self.generator = generator
        self.factors = factors
        self.is_finite = False
        self.sum_type = INT32 if factors == "int8" else "tile.float32"
        turned_a, turned_b = (generator.random() < 0.4 for _ in range(2))
        self.arguments = [
            Argument("a", ("depth", "rows") if turned_a else ("rows", "depth"), "factor"),
            Argument("b", ("cols", "depth") if turned_b else ("depth", "cols"), "factor"),
            Argument("u", ("cols", "cols"), "factor"),
            Argument("r", ("rows", "cols"), FLOAT),
            Argument("w", ("cols",), FLOAT),
            Argument("c", ("rows",), FLOAT),
            Argument("y", ("count", "rows", "cols"), FLOAT),
            Argument("yf", ("count", "rows", "cols"), "factor"),
            Argument("ys", ("count", "rows", "cols"), "sum"),
        ]
        self.a = "a[{}, rows].T" if turned_a else "a[rows, {}]"
        self.b = "b[cols, {}].T" if turned_b else "b[{}, cols]"

    def product(self, name: str, depth: int, is_vector: bool = True) -> list[str]:
        """A sum of products, in a loop over the depth or at once."""
        of_floats = [f"{_INDENT}{name}_float = {name}.to(DT)"] if self.sum_type == INT32 and is_vector else []
        if self.generator.random() < 0.3:
            lines = [f"{_INDENT}whole = tile.whole(a.shape[{1 if '.T' not in self.a else 0}], {2 * depth})"]
            lines.append(f"{_INDENT}{name} = tile.dot({self.a.format('whole')}, {self.b.format('whole')})")
            return [*lines, *of_floats]
        length = "a.shape[0]" if ".T" in self.a else "a.shape[1]"
        stages = self.generator.choice([1, 2, 2, 3])
        return [
            f"{_INDENT}{name} = tile.zeros((ROWS, COLS), {self.sum_type})",
            f"{_INDENT}for part in tile.range({length}, {depth}, stages={stages}):",
            f"{_INDENT}    {name} = tile.dot({self.a.format('part')}, {self.b.format('part')}, {name})",
            *of_floats,
        ]

    def expressions(self, name: str) -> Expressions:
        """Of a sum, of the rest of the arguments and of positions."""
        as_float = f"{name}_float" if self.sum_type == INT32 else name
        names = {
            (GRID, FLOAT): [as_float, as_float, "r[rows, cols]"],
            (ROW, FLOAT): ["w[cols][None, :]"],
            (COLUMN, FLOAT): ["c[rows][:, None]"],
            (GRID, INT32): [f"{as_float}.to(tile.int32)"],
            (GRID, INT16): ["r[rows, cols].to(tile.int16)"],
            (ROW, INT32): ["cols.index[None, :]"],
            (COLUMN, INT32): ["rows.index[:, None]"],
            (ROW, INT16): ["cols.index[None, :].to(tile.int16)"],
        }
        return Expressions(self.generator, names, Without(int_columns=True, sums_of_rows=True, transposes=True))

    def made_of(self, name: str, depth: int) -> str:
        """Vector work on a sum."""
        return self.expressions(name).make(GRID, FLOAT, depth)

    def plain(self, depth: int) -> list[str]:
        """What leaves the cube core by itself."""
        form = self.generator.choice(_STORED)
        lines = self.product("acc", depth, is_vector=False)
        # What leaves a cube core by itself keeps NaN, of which `maximum` with 0 makes 0.
        self.is_finite = True
        lines.append(f"{_INDENT}ys[0, rows, cols] = {form.format('acc')}")
        if self.factors in ("float16", "bfloat16"):
            lines.append(f"{_INDENT}yf[1, rows, cols] = {self.generator.choice(_STORED).format('acc')}.to(yf.dtype)")
        return lines

    def epilogue(self, depth: int) -> list[str]:
        """Expressions of one sum or of two."""
        lines = self.product("acc", depth)
        lines.append(f"{_INDENT}made = {self.made_of('acc', 2)}")
        lines.append(f"{_INDENT}y[0, rows, cols] = made")
        lines.append(f"{_INDENT}y[1, rows, cols] = {self.made_of('acc', 2)} + made")
        return lines

    def chain(self, depth: int) -> list[str]:
        """Vector work on one product is a factor of another."""
        lines = self.product("acc", depth)
        lines.append(f"{_INDENT}h = {self.made_of('acc', 2)}.to(u.dtype)")
        lines.append(f"{_INDENT}other = tile.dot(h, u[cols, cols]{self.generator.choice(['', '.T'])})")
        lines.append(f"{_INDENT}y[0, rows, cols] = {self.made_of('other', 2)}")
        return lines

    def carried(self, depth: int) -> list[str]:
        """Vector work that a loop carries, with a product in each iteration."""
        length = "a.shape[0]" if ".T" in self.a else "a.shape[1]"
        lines = [f"{_INDENT}total, most = tile.zeros((ROWS, COLS), DT), c[rows][:, None]"]
        lines.append(f"{_INDENT}for part in tile.range({length}, {depth}, stages={self.generator.choice([1, 2, 2])}):")
        lines.append(f"{_INDENT}    s = tile.dot({self.a.format('part')}, {self.b.format('part')})")
        if self.sum_type == INT32:
            lines.append(f"{_INDENT}    s_float = s.to(DT)")
        lines.append(f"{_INDENT}    t = {self.made_of('s', 1)}")
        lines.append(f"{_INDENT}    total = total * {self.generator.choice(['0.5', 'most', 'p'])} + t")
        lines.append(f"{_INDENT}    most = tile.maximum(most, t.max(axis=1, keepdims=True) + 0.0)")
        lines.append(f"{_INDENT}y[0, rows, cols] = total + most")
        return lines


def product_of(seed: int) -> RandomKernel:
    """A kernel with one product at least."""
    generator = random.Random(seed)
    factors = FACTORS[seed % len(FACTORS)]
    form = generator.choice(EVERY_PRODUCT)
    (rows, cols), depth = generator.choice(SIZES), generator.choice(DEPTHS)
    if form == CHAIN and factors == "int8":
        form = EPILOGUE
    writer = _Writer(generator, factors)
    made = getattr(writer, form)(depth)
    sides = "a.shape[1]" if ".T" in writer.a else "a.shape[0]", "b.shape[0]" if ".T" in writer.b else "b.shape[1]"
    loop = [f"    for rows, cols in tile.parallel(({sides[0]}, ROWS), ({sides[1]}, COLS)):"]
    if form == CHAIN:  # all columns of one product are the depth of the next
        loop = [f"    cols = tile.whole({sides[1]}, COLS)", f"    for rows in tile.parallel({sides[0]}, ROWS):"]
    body = [*loop, *made]
    used = used_in(body)
    arguments = tuple(one for one in writer.arguments if one.name in used)
    text = text_of(body, arguments, "float32", rows, cols)
    count = sum("rows, cols] =" in line for line in made)
    shapes = tuple({**shape, "count": count} for shape in _shapes(generator, form, rows, cols, depth))
    types = {**TYPES, FLOAT: "float32", "factor": factors, "sum": "int32" if factors == "int8" else "float32"}
    return RandomKernel(text, form, rows, cols, count, arguments, shapes, types, writer.is_finite)


def _shapes(generator: random.Random, form: str, rows: int, cols: int, depth: int) -> list[dict[str, int]]:
    """Two shapes: one with several iterations, one at an edge. Of a chain all columns are one tile."""
    several = {"rows": generator.choice([2 * rows + 1, 2 * rows - 1]), "cols": generator.choice([cols, 2 * cols - 3])}
    edge = {"rows": generator.choice([1, rows, rows + 1, 7]), "cols": generator.choice([1, cols - 1, cols, 5])}
    found = []
    for shape, most in ((several, [2 * depth, 2 * depth - 1]), (edge, [1, depth - 1, depth + 1, 2 * depth])):
        shape["depth"] = generator.choice(most)
        shape["cols"] = min(shape["cols"], cols) if form == CHAIN else shape["cols"]
        found.append(shape)
    return found
