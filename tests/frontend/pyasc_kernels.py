"""What kernels written as PyAsc's are share: how a tile is stored, a number shown, and a result compared.

Every such kernel takes some of x, f32[256], y, f32[64], n, an int, and r, a float. Kernels of one file are compiled as
one, which chooses by its number.
"""

from collections.abc import Callable

import numpy as np

from opwright import asc
from opwright.runtime.jit import JitFunction

Expected = Callable[[np.ndarray, int, float], object]
X = (np.random.default_rng(5).integers(-1000, 1000, 256) / 8).astype(np.float32)
# Two settings, so that a number of the run that was taken for a constant shows.
SETTINGS = [(3, 0.5), (1, -2.75)]


@asc.jit
def store(y: asc.GlobalAddress, a: asc.LocalTensor):
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(y_gm, a, 64)


@asc.jit
def show(y: asc.GlobalAddress, value):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    asc.duplicate(a, asc.float32(value), 64)  # pyright: ignore[reportAbstractUsage, reportCallIssue]
    store(y, a)


@asc.jit
def show_count(y: asc.GlobalAddress, count: asc.ConstExpr[int]):
    """As many ones as the constant says, then zeros."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 0.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.duplicate(a, 1.0, count)
    store(y, a)


def ones(count: int) -> np.ndarray:
    return (np.arange(64) < count).astype(np.float32)


def compare(run: JitFunction, which: int, expected: Expected, cores: int = 1) -> None:
    for n, r in SETTINGS:
        x, y = X.copy(), np.full(64, np.nan, np.float32)
        run[cores](x, y, which, n, r)
        wanted = np.broadcast_to(np.asarray(expected(x, n, r), np.float32), 64)
        np.testing.assert_allclose(y, wanted, rtol=1e-6, err_msg=f"n={n}, r={r}")
