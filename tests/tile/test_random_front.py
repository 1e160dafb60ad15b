"""Random kernels: what their IR means is what the evaluator computes, bit for bit."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from bits import assert_same_bits
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
            assert_same_bits(got, wanted)
