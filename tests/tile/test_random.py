"""Random expressions over tiles, more than a thousand: the twin gives the bits of NumPy, in every order.

`tools/random_tiles.py` runs more of them.
"""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from bits import differing
from random_products import EVERY_PRODUCT, product_of
from random_tile_kernels import EVERY_FORM, RandomKernel, kernel_of
from random_tiles import EXPRESSIONS, KERNELS, PRODUCTS, SOCS, TYPES, Batch, expressions_of, products_of

# ascend910_93 has the texts of ascend910b.
CASES = [*((soc, dtype) for soc in SOCS[:2] for dtype in TYPES), (SOCS[2], "float32")]


def judge(batch: Batch) -> None:
    """Nothing is wrong, and nothing is refused."""
    assert not batch.wrong, "\n".join(batch.wrong)
    assert not batch.refused, "\n".join(batch.refused)


@pytest.mark.parametrize("seed", range(len(CASES)))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    judge(expressions_of(tmp_path, seed, *CASES[seed]))


@pytest.mark.parametrize("soc", SOCS[:2])
def test_random_products(soc: str, tmp_path: Path) -> None:
    judge(products_of(tmp_path, SOCS.index(soc), soc))


def every_kernel() -> list[RandomKernel]:
    """Those of the tests above."""
    seeds = [(1000 * seed + place, *case) for seed, case in enumerate(CASES) for place in range(KERNELS)]
    return [kernel_of(seed, dtype, soc, EXPRESSIONS) for seed, soc, dtype in seeds]


@pytest.mark.quick
def test_there_are_a_thousand_expressions_with_every_operation() -> None:
    made = every_kernel()
    assert sum(one.expressions for one in made) >= 1000
    assert {one.form for one in made} == set(EVERY_FORM)
    assert made == every_kernel()
    texts = "".join(one.text for one in made)
    words = ["if ", "for _ in range", "stages=3", ".sum(axis=0", ".max(axis=0", "bfloat16", ".to(tile.int16)", ".T"]
    words += ["cols.index", "rows.index", "tile.where(", "(~", " & ", " | ", ".fill(", "t[n[rows], cols]", "tile.full("]
    words += ['round="floor"', "tile.abs(whole", "-0.0", "yi[", "yh[", "n[rows.start]", "tile.erf(", " == ", " >= "]
    assert [word for word in words if word not in texts] == []
    products = [product_of(1000 * seed + place) for seed in range(2) for place in range(PRODUCTS)]
    assert {one.form for one in products} == set(EVERY_PRODUCT)
    assert {one.types["factor"] for one in products} == {"float16", "bfloat16", "float32", "int8"}


@pytest.mark.quick
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_bits_are_compared(dtype: type) -> None:
    numbers = np.array([0.0, 1.0, np.nan, np.inf], dtype)
    other = np.array([-0.0, 1.0, -np.nan, -np.inf], dtype)
    assert differing(numbers, numbers, 0).tolist() == []
    assert differing(numbers, other, 0).tolist() == [[0], [3]]
    above = numbers.copy()
    above.view(f"u{numbers.itemsize}")[1] += 3
    assert differing(numbers, above, 2).tolist() == [[1]]
    assert differing(numbers, above, 3).tolist() == []
    assert differing(np.array([0.5], dtype), -np.array([0.5], dtype), 8).tolist() == [[0]]
