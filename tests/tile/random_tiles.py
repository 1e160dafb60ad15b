"""Runs random kernels over tiles on the twin and in NumPy, and compares what they compute.

In: seeds and a SoC. Out: what was wrong, as texts, and what the compiler refused. A batch of kernels is compiled as one
file for each kind of core, because the compiler takes longer to read the headers than to compile a kernel. Every launch
is checked and run in 16 other orders. Sizes are 0, 1, a tile, one more and one less, and odd ones; arrays lie together,
with gaps between their rows, or within larger ones, of which the rest must stay as it was. Among the numbers are both
zeros, and in every other launch NaN and infinity.

float16 runs on ascend950 as if it computed with subnormal numbers: that a division takes them for 0 is a switch of
the twin, and they are common among the numbers of float16 only.
"""

import importlib.util
import random
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import ml_dtypes
import numpy as np
from bits import differing
from random_products import product_of
from random_tile_kernels import FUNCTIONS, TABLE_ROWS, RandomKernel, kernel_of

from opwright.check.launcher import checked, perturbed_findings
from opwright.errors import NotSplit, TileNotBuilt, TileTooLarge, TooManyMessages
from opwright.frontend.compile import LoweredProgram
from opwright.kernel.arguments import BoundArguments
from opwright.settings import settings
from opwright.tile import host
from opwright.twin.launch import Kernel

TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
SOCS = ("ascend910b", "ascend950", "ascend910_93")
EXPRESSIONS = 13  # of a kernel
KERNELS = 12  # of a batch
PRODUCTS = 12  # kernels of a batch with products
ORDERS = 16
ULPS = 8  # of exp and its like
NUMBERS = (0.75, 3)
REFUSALS = (TileNotBuilt, TileTooLarge, NotSplit, TooManyMessages)
SPECIAL = [np.nan, np.inf, -np.inf]


def tools() -> ModuleType:
    """`mutation.judge`, which compiles many kernels at once."""
    folder = str(Path(__file__).parents[2] / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("mutation.judge")


def numbers_of(dtype: str, shape: tuple[int, ...], numbers: np.random.Generator, special: bool) -> np.ndarray:
    """Numbers of a type; one in 20 is a zero of either sign, or the greatest or least integer."""
    if dtype == "index":
        return numbers.integers(0, TABLE_ROWS, shape).astype(np.int32)
    is_odd = numbers.random(shape) < 0.05
    if dtype in TYPES:
        odd = [0.0, -0.0, *(SPECIAL if special else [])]
        return np.where(is_odd, numbers.choice(odd, shape), numbers.standard_normal(shape)).astype(TYPES[dtype])
    limits = np.iinfo(dtype)
    odd = numbers.choice([limits.min, limits.max, 0, -1], shape)
    return np.where(is_odd, odd, numbers.integers(-50, 50, shape)).astype(dtype)


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


@dataclass
class Batch:
    """What came of a batch: what is wrong, how many expressions ran, which kernels the compiler refused and why."""

    wrong: list[str]
    expressions: int
    refused: list[str]


def expressions_of(folder: Path, seed: int, soc: str, dtype: str, times: int = 1) -> Batch:
    """A batch of kernels on vector cores, or a larger one."""
    seeds = range(1000 * seed, 1000 * seed + times * KERNELS)
    made = {one: kernel_of(one, dtype, soc, EXPRESSIONS) for one in seeds}
    return run_batch(folder, made, soc, "flush_subnormals=off" if (soc, dtype) == ("ascend950", "float16") else "")


def products_of(folder: Path, seed: int, soc: str, times: int = 1) -> Batch:
    """A batch of kernels with products of matrices, or a larger one."""
    made = {one: product_of(one) for one in range(1000 * seed, 1000 * seed + times * PRODUCTS)}
    return run_batch(folder, made, soc, "")


def run_batch(folder: Path, made: dict[int, RandomKernel], soc: str, subnormals: str) -> Batch:
    """Compiles and runs kernels, which have their seeds."""
    judge = tools()
    batch = Batch([], 0, [])
    with settings.scope(soc=soc, chip_assumptions=subnormals), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # conversions of infinity and NaN
        groups: dict[str | None, list[tuple[int, object, LoweredProgram]]] = {}
        for seed, one in made.items():
            function = _loaded(folder, f"random_{seed}", one.text).random_kernel
            launch = judge.Launch("random", function, 0, (*_arrays(one, 0, 0), *NUMBERS), {})
            try:
                program = judge.compiled(launch)
            except REFUSALS as refusal:
                batch.refused.append(f"seed {seed}: {refusal}")
                continue
            groups.setdefault(program.kernel_type, []).append((seed, launch, program))
        for name, group in groups.items():
            inside = folder / str(name)
            inside.mkdir()
            judge.build(group[0][1], [program for *_, program in group], inside)
            for place, (seed, launch, program) in enumerate(group):
                loaded = judge.load(launch, program, inside, place)
                batch.wrong += _wrong(made[seed], launch.kernel, loaded, program.host, seed)
                batch.expressions += made[seed].expressions
    return batch


def _arrays(kernel: RandomKernel, place: int, seed: int) -> list[np.ndarray]:
    """Arguments of one of the launches of a kernel."""
    numbers, shape = np.random.default_rng(seed), kernel.shapes[place]
    special = (seed + place) % 2 == 0 and not kernel.is_finite
    return [
        numbers_of(kernel.types[one.dtype], tuple(shape[word] for word in one.sizes), numbers, special)
        for one in kernel.arguments
    ]


def _wrong(kernel: RandomKernel, function: object, loaded: Kernel, facts: object, seed: int) -> list[str]:
    """What is wrong with one kernel, in any of its shapes."""
    generator = random.Random(seed)
    found = []
    for place, shape in enumerate(kernel.shapes):
        arrays = _arrays(kernel, place, seed)
        forms = [generator.randrange(3) for _ in arrays]
        given, evaluated = ([spread(*one) for one in zip(arrays, forms, strict=True)] for _ in range(2))
        bound = function.binder.bind([*(view for view, _ in given), *NUMBERS], {})
        said = _findings(loaded, facts, function, bound)
        function.numpy(*(view for view, _ in evaluated), *NUMBERS)
        ulps = ULPS if kernel.form == FUNCTIONS else 0
        for argument, (_, got), (_, wanted) in zip(kernel.arguments, given, evaluated, strict=True):
            if len(places := differing(got, wanted, ulps)):
                at = tuple(places[0])
                pair = f"{got[at]} and not {wanted[at]}"
                said.append(f"{len(places)} of {argument.name} differ, the first at {places[0].tolist()}: {pair}")
        found += [f"seed {seed}, shape {shape}: {text}\n{kernel.text}" for text in said]
    return found


def _findings(loaded: Kernel, facts: object, function: object, bound: BoundArguments) -> list[str]:
    """What the checked twin finds, and whether another order gives something else."""
    slots = dict(zip(bound.names, bound.slots, strict=True))
    host.test(facts, loaded.name, function.source, slots)
    cores = host.cores_of(facts, slots, loaded.kernel_type.cores(loaded.soc))
    others = perturbed_findings(loaded, cores, bound, ORDERS, 0)
    return [str(one.error()) for one in (*others, *checked(loaded, cores, bound).errors())]


def _loaded(folder: Path, name: str, text: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
