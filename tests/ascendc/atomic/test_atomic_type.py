"""The type of atomic copies alone: the sum at first, then whatever was chosen before."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from opwright import asc

TYPES = ("int8", "int16", "float16", "bfloat16", "int32", "float32")


@asc.jit
def by_type(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_type(x.dtype)
    asc.data_copy(z_gm, a, 64)
    asc.set_atomic_min(x.dtype)
    asc.set_atomic_type(x.dtype)
    asc.data_copy(z_gm[64:], a, 64)
    asc.set_atomic_none()
    asc.data_copy(z_gm[128:], a, 64)


@pytest.mark.parametrize("dtype", TYPES)
def test_type(dtype: str, ran: Callable[[str, int, str], None]) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    x, z = np.arange(-32, 32).astype(kind), np.full(256, 5, kind)
    by_type.check[1](x, z)
    plain = np.arange(-32.0, 32.0)
    np.testing.assert_array_equal(
        z.astype(float).reshape(4, 64), [plain + 5, np.minimum(plain, 5), plain, np.full(64, 5.0)]
    )
    ran("set_atomic_type", 0, dtype)
    ran("set_atomic_min", 0, dtype)
    ran("set_atomic_none", 0, "")
