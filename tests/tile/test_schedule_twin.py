"""Schedule trees as asc kernels on the checked twin: clean as they are, and each removal is found.

One kernel holds all trees; what it leaves out is an argument.
"""

from __future__ import annotations

import importlib.util
import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from schedule_kernels import ELEMENTS, NONE, TENSORS, mutants, printed
from schedule_random import Maker
from schedule_trees import KERNELS

from opwright.errors import FlagSetAgain, RaceError
from opwright.runtime.jit import JitFunction
from opwright.tile.compiler.sync import synchronised

RANDOM_TREES = 12
CLEAN = [(0, 0), (1, 1), (2, 0), (5, 3)]  # iterations of outermost loops, and of all inside of them
REMOVED = [(5, 3), (4, 0), (1, 4), (2, 1), (5, 1), (0, 0)]
ARMS = [(1, 0), (0, 0), (0, 1), (1, 1)]  # whether each iteration takes another arm, and the first one's

pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckRemark")


def kernel_of(text: str, folder: Path) -> JitFunction:
    path = folder / "printed_trees.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("printed_trees", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert isinstance(module.kernel, JitFunction)
    return module.kernel


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_the_checked_twin_agrees(soc: str, tmp_path: Path) -> None:
    made = [make() for make in KERNELS.values()]
    made += [Maker(random.Random(seed), 6, plain=True).tree() for seed in range(RANDOM_TREES)]
    trees = [(tree, synchronised(tree, soc)) for tree in made]
    kernel = kernel_of(printed(soc, trees), tmp_path)
    memory = [np.zeros(ELEMENTS, np.float32) for _ in TENSORS]

    def found(tree: int, without: int, counts: tuple[int, int], arms: tuple[int, int]) -> bool:
        try:
            kernel.check[1](*memory, tree, without, *counts, *arms)
        except (RaceError, FlagSetAgain):
            return True
        return False

    removals = missed = 0
    for number, (_, sync) in enumerate(trees):
        for counts, arms in product(CLEAN, ARMS):
            assert not found(number, NONE, counts, arms), (number, counts, kernel.check.report())
        for without in range(len(mutants(sync))):
            removals += 1
            missed += not any(found(number, without, counts, arms) for arms in ARMS for counts in REMOVED)
    assert removals > 50
    assert missed == 0
