"""Random kernels: what their IR means is what the evaluator computes, bit for bit."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from interpret import run
from random_front import loaded, made

KERNELS = 20
TYPES = (np.float32, np.float16, ml_dtypes.bfloat16)


@pytest.mark.parametrize("dtype", TYPES)
def test_tile_expressions(dtype: type, tmp_path: Path) -> None:
    begin = TYPES.index(dtype) * KERNELS
    for seed in range(begin, begin + KERNELS):
        one = made(seed, is_exact=False)
        kernel = loaded(one.text, tmp_path, f"kernel_{seed}").kernel
        given, expected = one.arguments(dtype), one.arguments(dtype)
        kernel.numpy(*expected, **one.constants)
        run(kernel, *given, **one.constants)
        for got, wanted in zip(given, expected, strict=True):
            # As float32, which holds all of them: NumPy knows no NaN of bfloat16.
            np.testing.assert_array_equal(*(np.asarray(side, np.float32) for side in (got, wanted)), err_msg=one.text)
