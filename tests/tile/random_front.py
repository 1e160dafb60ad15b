"""Random kernels over tiles, as text: trees of operations over one or two loops, with carried tiles and branches.

In: a seed. Out: the text of a module with one kernel, and what to call it with. Kernels that are `exact` have only
operations whose bits every run must give; others have `exp` and its like, too.
"""

import importlib.util
import random
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

LENGTHS = (0, 1, 3, 7, 8, 9, 13, 16, 17, 31)
EXACT = ("abs", "floor", "ceil", "round")
OTHERS = ("exp", "sqrt", "tanh", "sigmoid", "erf", "rsqrt", "log", "reciprocal")


@dataclass(frozen=True)
class Made:
    """A kernel as text. rows, cols: the shape of its arrays."""

    text: str
    rows: int
    cols: int
    constants: dict[str, int]

    def arguments(self, dtype: Any = np.float32) -> list[Any]:
        """Arrays x, z, w, y, s, a float and an int."""
        rng = np.random.default_rng(self.rows * 100 + self.cols)
        shapes = [(self.rows, self.cols)] * 2 + [(self.cols,)] + [(self.rows, self.cols), (self.rows, 4)]
        arrays = [(rng.standard_normal(shape) * 4).astype(dtype) for shape in shapes]
        return [*arrays, 0.75, int(rng.integers(-2, 3))]


class _Maker:
    """Expressions by shape: "full", "column", "row" and "one"; "mask" is a bool tile of a full one."""

    def __init__(self, seed: int, is_exact: bool, reductions: tuple[str, ...]) -> None:
        self.random = random.Random(seed)
        self.functions = EXACT if is_exact else (*EXACT, *OTHERS)
        self.reductions = reductions
        self.names: dict[str, list[str]] = {}

    def number(self) -> str:
        return self.random.choice(
            ["a", "n", "2.5", "-1", "0.1 * 3", "a * 2", "rows.count" if "column" in self.names else "n"]
        )

    def leaf(self, shape: str) -> str:
        return self.random.choice(self.names[shape])

    def tile(self, shape: str, depth: int) -> str:
        """An expression of a shape."""
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(shape)
        pick = self.random.random()
        if pick < 0.4:
            return self.binary(shape, depth)
        if pick < 0.55:
            operator = self.random.choice("+-*/")
            sides = [self.tile(shape, depth - 1), self.number()]
            self.random.shuffle(sides)
            return f"({sides[0]} {operator} {sides[1]})"
        if pick < 0.7:
            return f"tile.{self.random.choice(self.functions)}({self.tile(shape, depth - 1)})"
        if pick < 0.8:
            return f"(-{self.tile(shape, depth - 1)})"
        if pick < 0.9 and shape == "full":
            return f"tile.where({self.mask(depth - 1)}, {self.tile('full', depth - 1)}, {self.other(depth - 1)})"
        return self.reduced(shape, depth)

    def binary(self, shape: str, depth: int) -> str:
        left, right = self.tile(shape, depth - 1), self.tile(self.narrower(shape), depth - 1)
        if self.random.random() < 0.3:
            left, right = right, left
        operator = self.random.choice(["+", "-", "*", "/", "maximum", "minimum"])
        return f"tile.{operator}({left}, {right})" if len(operator) > 1 else f"({left} {operator} {right})"

    def narrower(self, shape: str) -> str:
        """A shape that broadcasts to another one."""
        fits = {
            "full": ["full", "column", "row", "one"],
            "column": ["column", "one"],
            "row": ["row", "one"],
            "one": ["one"],
        }
        return self.random.choice([one for one in fits[shape] if one in self.names])

    def mask(self, depth: int) -> str:
        comparison = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        right = self.tile("full", depth - 1) if self.random.random() < 0.5 else self.number()
        found = f"({self.tile('full', depth - 1)} {comparison} {right})"
        if self.random.random() < 0.3:
            found = f"({found} {self.random.choice('&|')} ~{self.mask(depth - 2)})"
        return found

    def other(self, depth: int) -> str:
        return self.random.choice(["1.5", "-n", "a", self.tile("full", depth)])

    def reduced(self, shape: str, depth: int) -> str:
        inner = self.tile("full", depth - 1)
        name = self.random.choice(self.reductions)
        if shape == "column":
            return self.random.choice([f"{inner}.{name}(axis=1, keepdims=True)", f"{inner}.{name}(axis=1)[:, None]"])
        if shape == "one":
            return f"{inner}.{name}()"
        if shape == "row":
            return f"{inner}.{name}(axis=0)"
        return f"({self.leaf('full')} - {inner}.{name}({'axis=-1, keepdims=True' if 'column' in self.names else ''}))"


_HEAD = """from opwright import tile


@tile.jit
def kernel(x: tile.Tensor, z: tile.Tensor, w: tile.Tensor, y: tile.Tensor, s: tile.Tensor, a: float, n: int, {sizes}):
"""


def made(seed: int, is_exact: bool = True, reductions: tuple[str, ...] = ("sum", "max", "min", "mean")) -> Made:
    """A random kernel."""
    maker = _Maker(seed, is_exact, reductions)
    rows, cols = maker.random.choice(LENGTHS), maker.random.choice(LENGTHS)
    make = maker.random.choice([_rows, _long])
    lines, constants = make(maker, cols)
    sizes = ", ".join(f"{name}: tile.constexpr" for name in constants)
    return Made(_HEAD.format(sizes=sizes) + "".join(f"    {line}\n" for line in lines), rows, cols, constants)


def _rows(maker: _Maker, cols: int) -> tuple[list[str], dict[str, int]]:
    """Tiles of several rows, whole columns."""
    maker.names = {"full": ["t0", "t1"], "column": ["c"], "row": ["v"], "one": ["o"]}
    lines = [
        "cols = tile.whole(x.shape[1], C)",
        "v = w[cols].to(tile.float32)",
        "for rows in tile.parallel(x.shape[0], R):",
        "    t0, t1 = x[rows, cols].to(tile.float32), z[rows, cols].to(tile.float32)",
        "    c, o = t0.max(axis=1, keepdims=True), tile.full((), a)",
    ]
    for number in range(2, 5):
        shape = maker.random.choice(["full", "full", "column", "one"])
        lines.append(f"    e{number} = {maker.tile(shape, 3)}")
        maker.names[shape].append(f"e{number}")
    lines += [
        "    if n > 0:",
        f"        t1 = {maker.tile('full', 2)}",
        *(
            [f"        c = {maker.tile('column', 2)}", "    else:", "        c = c + 1"]
            if maker.random.random() < 0.5
            else []
        ),
        f"    y[rows, cols] = ({maker.tile('full', 3)}).to(y.dtype)",
        f"    s[rows, 0:1] = ({maker.tile('column', 2)}).to(s.dtype)",
    ]
    return lines, {"R": maker.random.choice([1, 3, 8, 16]), "C": max(1, cols + maker.random.choice([0, 0, 3]))}


def _long(maker: _Maker, cols: int) -> tuple[list[str], dict[str, int]]:
    """One row at a time, in parts, with carried tiles."""
    maker.names = {"full": ["t0", "t1"], "one": ["m", "k"]}
    lines = [
        "for row in tile.parallel(x.shape[0]):",
        "    m, k = tile.full((1,), a), tile.zeros((1,))",
        f"    for cols in tile.range(x.shape[1], C, stages={maker.random.choice([1, 2, 3])}):",
        "        t0, t1 = x[row, cols].to(tile.float32), z[row, cols].to(tile.float32)",
        f"        new = m + {maker.tile('one', 2)}",
        f"        k = k * 0.5 - {maker.tile('one', 2)}",
        *(
            ["        if n > 0:", f"            k = tile.maximum(k, m + {maker.tile('one', 1)})"]
            if maker.random.random() < 0.5
            else []
        ),
        "        m = new",
        f"        y[row, cols] = ({maker.tile('full', 3)}).to(y.dtype)",
        "    s[row, 0:1] = (m + k).to(s.dtype)",
    ]
    return lines, {"C": maker.random.choice([1, 4, 8, 16])}


def loaded(text: str, folder: Path, name: str) -> ModuleType:
    """A module of a text, in a file that errors can show."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
