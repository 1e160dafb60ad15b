"""Runs random kernels over tiles on the twin and in NumPy, and compares what they compute.

In: a seed, a SoC, an element type. Out: what was wrong, as texts. A batch of kernels is compiled as one file, because
the compiler takes longer to read the headers than to compile a kernel. Every launch is checked and run in 16 other
orders. Sizes are 0, 1, a tile, one more and one less, and odd ones; arrays lie together, with gaps between their rows,
or within larger ones, of which the rest must stay as it was.

float16 runs on ascend950 as if it computed with subnormal numbers: that a division takes them for 0 is a switch of
the twin, and they are common among the numbers of float16 only.
"""

import importlib.util
import random
import sys
import warnings
from pathlib import Path
from types import ModuleType

import ml_dtypes
import numpy as np
from tile_expressions import FUNCTIONS, PARTS, RandomKernel, kernel_of

from opwright.check.launcher import checked, perturbed_findings
from opwright.errors import TileNotBuilt
from opwright.frontend.compile import LoweredProgram
from opwright.kernel.arguments import BoundArguments
from opwright.settings import settings
from opwright.tile import host
from opwright.twin.launch import Kernel

TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SOCS = ("ascend910b", "ascend950", "ascend910_93")
EXPRESSIONS = 4  # of a kernel: with more stores in one loop the compiler searches long for ids of flags
KERNELS = 20  # of a batch
ORDERS = 16
ULPS = 8  # of exp and its like
NUMBER = 0.75


def tools() -> ModuleType:
    """`mutation.judge`, which compiles many kernels at once."""
    folder = str(Path(__file__).parents[2] / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("mutation.judge")


def shapes_of(kernel: RandomKernel, generator: random.Random) -> list[tuple[int, int]]:
    """Two shapes: one with several iterations, one at an edge or any."""
    rows, cols = kernel.rows, kernel.cols
    wide = [cols, cols - 1, cols // 2 + 3] if kernel.form != PARTS else [3 * cols, 2 * cols + 1, 2 * cols - 1]
    edges = [(1, 1), (rows - 1, cols - 1), (rows + 1, cols), (0, 3), (3, 0), (rows, 7), (1, cols)]
    several = (generator.choice([2 * rows + 1, 3 * rows - 1, 4 * rows]), generator.choice(wide))
    edges.append((generator.choice([1, 7, 13, 2 * rows]), generator.randint(1, wide[0])))
    return [several, generator.choice(edges)]


def spread(array: np.ndarray, form: int) -> tuple[np.ndarray, np.ndarray]:
    """The same numbers as they are, in every other row of a larger array, or in the middle of it; and all of that."""
    if form == 0:
        own = array.copy()
        return own, own
    if form == 1 and array.ndim > 1:
        around = np.full((*array.shape[:-2], 2 * array.shape[-2] + 1, array.shape[-1]), 77, array.dtype)
        view = around[..., 1::2, :]
    else:
        around = np.full([size + 3 for size in array.shape], 77, array.dtype)
        view = around[tuple(slice(1, size + 1) for size in array.shape)]
    view[...] = array
    return view, around


def ordered(array: np.ndarray) -> np.ndarray:
    """Integers that count the floats of a type, so that neighbours differ by 1."""
    kind = np.dtype(f"int{8 * array.itemsize}")
    bits = np.ascontiguousarray(array).view(kind).astype(np.int64)
    return np.where(bits < 0, np.iinfo(kind).min - bits, bits)


def differing(got: np.ndarray, wanted: np.ndarray, ulps: int) -> np.ndarray:
    """Where two arrays differ. Which NaN it is, and which zero, is open; so is what functions make of subnormals."""
    numbers, others = got.astype(np.float32), wanted.astype(np.float32)
    same = (numbers == others) | (np.isnan(numbers) & np.isnan(others))
    if ulps:
        same |= np.maximum(np.abs(numbers), np.abs(others)) < np.finfo(np.float32).tiny
        same |= ~np.isnan(numbers) & ~np.isnan(others) & (np.abs(ordered(got) - ordered(wanted)) <= ulps)
    return np.argwhere(~same)


def failures(folder: Path, seed: int, soc: str, dtype: str) -> tuple[list[str], int]:
    """What is wrong with a batch of kernels, and how many expressions they have."""
    judge = tools()
    made = [kernel_of(1000 * seed + place, dtype, EXPRESSIONS) for place in range(KERNELS)]
    subnormals = "flush_subnormals=off" if (soc, dtype) == ("ascend950", "float16") else ""
    with settings.scope(soc=soc, chip_assumptions=subnormals), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what becomes of infinity and NaN in conversions is open
        modules = [_loaded(folder, f"random_{seed}_{place}", one.text) for place, one in enumerate(made)]
        described = [_described(one, dtype) for one in made]
        launches = [
            judge.Launch("random", module.random_kernel, 0, some, {})
            for module, some in zip(modules, described, strict=True)
        ]
        compiled = [_compiled(judge, launch) for launch in launches]
        kept = [place for place, program in enumerate(compiled) if program is not None]
        made, launches, programs = ([some[place] for place in kept] for some in (made, launches, compiled))
        judge.build(launches[0], programs, folder)
        found = []
        for place, (kernel, launch, program) in enumerate(zip(made, launches, programs, strict=True)):
            loaded = judge.load(launch, program, folder, place)
            found += _wrong(kernel, launch.kernel, loaded, program.host, dtype, 1000 * seed + kept[place])
    return found, sum(one.expressions for one in made)


def _compiled(judge: ModuleType, launch: object) -> LoweredProgram | None:
    """The program of a kernel; None if the compiler refuses what it has not built."""
    try:
        return judge.compiled(launch)
    except TileNotBuilt:
        return None


def _wrong(kernel: RandomKernel, function: object, loaded: Kernel, facts: object, dtype: str, seed: int) -> list[str]:
    """What is wrong with one kernel, in any of its shapes."""
    generator, numbers = random.Random(seed), np.random.default_rng(seed)
    found = []
    for shape in shapes_of(kernel, generator):
        sizes = (shape, shape, shape[1:], shape[:1], (kernel.expressions, *shape))
        arrays = [numbers.standard_normal(size).astype(TYPES[dtype]) for size in sizes]
        forms = [generator.randrange(3) for _ in arrays]
        given, evaluated = ([spread(*one) for one in zip(arrays, forms, strict=True)] for _ in range(2))
        bound = function.binder.bind([*(view for view, _ in given), NUMBER], {})
        said = _findings(loaded, facts, function, bound)
        function.numpy(*(view for view, _ in evaluated), NUMBER)
        ulps = ULPS if kernel.form == FUNCTIONS else 0
        for (_, got), (_, wanted) in zip(given, evaluated, strict=True):
            if len(places := differing(got, wanted, ulps)):
                said.append(f"{len(places)} elements differ, the first at {places[0].tolist()}")
        found += [f"seed {seed}, shape {shape}: {text}\n{kernel.text}" for text in said]
    return found


def _findings(loaded: Kernel, facts: object, function: object, bound: BoundArguments) -> list[str]:
    """What the checked twin finds, and whether another order gives something else."""
    slots = dict(zip(bound.names, bound.slots, strict=True))
    host.test(facts, loaded.name, function.source, slots)
    cores = host.cores_of(facts, slots, loaded.kernel_type.cores(loaded.soc))
    others = perturbed_findings(loaded, cores, bound, ORDERS, 0)
    return [str(one.error()) for one in (*others, *checked(loaded, cores, bound).errors())]


def _described(kernel: RandomKernel, dtype: str) -> tuple[object, ...]:
    """Arguments that have the kernel's types."""
    shape = (kernel.rows, kernel.cols)
    sizes = (shape, shape, shape[1:], shape[:1], (kernel.expressions, *shape))
    return (*(np.zeros(size, TYPES[dtype]) for size in sizes), NUMBER)


def _loaded(folder: Path, name: str, text: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
