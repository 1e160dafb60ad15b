"""Random expressions over tiles: the twin gives the bits of NumPy, in every order."""

import importlib.util
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tile_expressions import kernel_source

from opwright.settings import settings

EXPRESSIONS = 10
TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
# ascend950 takes subnormal numbers for 0, which are common among those of float16 only.
PLACES = {"ascend910b": ("float32", "float16", "bfloat16"), "ascend950": ("float32", "bfloat16")}
CASES = [(seed, soc, dtype) for seed in range(2) for soc, dtypes in PLACES.items() for dtype in dtypes]
pytestmark = pytest.mark.filterwarnings("ignore")  # what becomes of infinity and NaN in conversions is open


@pytest.mark.parametrize(("seed", "soc", "dtype"), CASES)
def test_random_expressions(seed: int, soc: str, dtype: str, tmp_path: Path) -> None:
    number = 100 * seed + 10 * list(PLACES).index(soc) + list(TYPES).index(dtype)
    text, (rows, cols) = kernel_source(number, dtype, EXPRESSIONS)
    path = tmp_path / f"random_{number}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    generator = np.random.default_rng(number)
    with settings.scope(soc=soc):
        for shape in ((2 * rows + 1, cols), (rows - 1, cols - 1), (1, 1), (rows + 1, cols // 2 + 3), (0, 3)):
            sizes = (shape, shape, shape[1:], shape[:1], (EXPRESSIONS, *shape))
            arrays = [generator.standard_normal(size).astype(TYPES[dtype]) for size in sizes]
            results = [arrays[-1].copy(), arrays[-1].copy()]
            module.kernel.check(*arrays[:-1], results[0], 0.75, perturb=16)
            module.kernel.numpy(*arrays[:-1], results[1], 0.75)
            got, wanted = (one.astype(np.float32) for one in results)
            same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
            assert same.all(), (shape, np.argwhere(~same)[:3], text)
