"""Products that add to the same sums, one after another: long ones keep their order, short ones need a barrier."""

from __future__ import annotations

import numpy as np
import pytest

from opwright import asc
from opwright.errors import RaceError

K = 16


@asc.jit(kernel_type="cube")
def adds_up(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress, m: int, n: int, barrier: bool):
    """C = A x B in two steps along k, of which the second adds to the first."""
    a_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    c_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(a)
    b_gm.set_global_buffer(b)
    c_gm.set_global_buffer(c)
    a_l1 = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 2 * m * K)
    b_l1 = asc.LocalTensor(asc.float16, asc.TPosition.B1, 65536, 2 * n * K)
    a_l0 = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 2 * m * K)
    b_l0 = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 2 * n * K)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, m * n)
    # B comes transposed, n x k: its fractals are those that L0B wants.
    asc.data_copy(a_l1, a_gm, asc.Nd2NzParams(1, m, 2 * K, 0, 2 * K, m, 1, 0))
    asc.data_copy(b_l1, b_gm, asc.Nd2NzParams(1, n, 2 * K, 0, 2 * K, n, 1, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.load_data(a_l0, a_l1, asc.LoadData2DParams(0, 2 * m // 16, 1))
    asc.load_data(b_l0, b_l1, asc.LoadData2DParams(0, 2 * n // 16, 1))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.mmad(sums, a_l0, b_l0, asc.MmadParams(m, n, K, 0, False, True))
    if barrier:
        asc.pipe_barrier(asc.PipeID.PIPE_M)
    asc.mmad(sums, a_l0[m * K :], b_l0[n * K :], asc.MmadParams(m, n, K, 0, False, False))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.fixpipe(c_gm, sums, asc.FixpipeParamsV220(n, m, m, n))


def arguments(m: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    a, b = (random.integers(-4, 5, (rows, 2 * K)).astype(np.float16) for rows in (m, n))
    return a, b, np.full((m, n), np.nan, np.float32)


@pytest.mark.parametrize(("m", "n", "barrier"), [(48, 64, False), (48, 64, True), (16, 32, True)])
def test_in_order(m: int, n: int, barrier: bool) -> None:
    a, b, c = arguments(m, n)
    adds_up.check(perturb=8)[1](a, b, c, m, n, barrier)
    np.testing.assert_array_equal(c, a.astype(np.float64) @ b.T.astype(np.float64))


def test_short_products_without_a_barrier() -> None:
    with pytest.raises(RaceError, match="mmad"):
        adds_up.check[1](*arguments(16, 32), 16, 32, False)
