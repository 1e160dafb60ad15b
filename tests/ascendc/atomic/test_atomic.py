"""Atomic copies: every operation, type and form of copy, from several cores at once, against NumPy.

Each core adds its own numbers; sums stay small, so that floats are exact in any order.
"""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.table import ROWS
from opwright.errors import OutOfRange, RaceError, WrongDtype
from opwright.settings import settings

CORES = 4
TYPES = {
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "int32": np.dtype(np.int32),
    "float32": np.dtype(np.float32),
}
PART = 256  # elements that one operation gets


@asc.jit
def combine(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Three parts of z: sums, greatest, smallest. Of each: 64 elements by count, 2 blocks by pieces, 5 bytes or so."""
    block = 32 // x.dtype.sizeof()
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm[asc.get_block_idx() * 64 :], 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for kind in asc.static_range(3):
        if kind == 0:
            asc.set_atomic_add(x.dtype)
        elif kind == 1:
            asc.set_atomic_max(x.dtype)
        else:
            asc.set_atomic_min(x.dtype)
        part = z_gm[kind * 256 :]
        asc.data_copy(part, a, 64)
        asc.data_copy(part[64:], a, asc.DataCopyParams(2, 1, 0, 1))
        size = x.dtype.sizeof()
        asc.data_copy_pad(part[64 + 3 * block :], a, asc.DataCopyExtParams(2, 3 * size, 0, size, 0))
        asc.set_atomic_none()


def reference(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """What z becomes, element by element, in integers or float64."""
    block, wanted = 32 // x.itemsize, z.astype(np.float64)
    wide = x.astype(np.float64).reshape(CORES, 64)
    join = (np.add, np.maximum, np.minimum)
    for kind, core in ((kind, core) for kind in range(3) for core in range(CORES)):
        part, mine = wanted[kind * PART :], wide[core]
        runs = [(0, 0, 64), (64, 0, block), (64 + 2 * block, block, block)]
        runs += [(64 + 3 * block + 4 * piece, piece * block, 3) for piece in range(2)]
        for to, start, count in runs:
            part[to : to + count] = join[kind](part[to : to + count], mine[start : start + count])
    return wanted


@pytest.mark.parametrize("dtype", TYPES)
def test_combine(dtype: str, ran: Callable[[str, int, str], None]) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-15, 16, CORES * 64).astype(TYPES[dtype])
    z = rng.integers(-15, 16, 3 * PART).astype(TYPES[dtype])
    for threads in (1, 2):
        got = z.copy()
        with settings.scope(threads=threads):
            combine[CORES](x, got)
        np.testing.assert_array_equal(got.astype(np.float64), reference(x, z))
    for name in ("add", "max", "min"):
        ran(f"set_atomic_{name}", 0, dtype)
    ran("set_atomic_none", 0, "")


def test_nothing_is_found_where_integers_meet() -> None:
    x, z = np.ones(CORES * 64, np.int32), np.zeros(3 * PART, np.int32)
    combine.check[CORES](x, z)
    assert not combine.check.report().findings
    np.testing.assert_array_equal(z.astype(np.float64), reference(x, np.zeros(3 * PART, np.int32)))


@asc.jit
def by_type(z: asc.GlobalAddress, n: int, which: asc.ConstExpr[int]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECIN, 0, 64)
    asc.duplicate(a, 3, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if which == 0:
        asc.set_atomic_type(z.dtype)  # the sum, if nothing was chosen
        asc.data_copy(z_gm, a, 64)
        asc.set_atomic_max(z.dtype)
        asc.set_atomic_type(z.dtype)  # still the greater one
        asc.data_copy(z_gm[64:], a, 64)
        asc.set_atomic_none()
        asc.data_copy(z_gm[128:], a, 64)
    elif which == 1:
        asc.set_atomic_add(z.dtype)
        asc.data_copy(z_gm[n:], a, 64)
        asc.set_atomic_none()
    else:
        asc.set_atomic_add(z.dtype)
        asc.data_copy(z_gm, a, 64)
        asc.set_atomic_none()
        asc.data_copy(a, z_gm, 64)


def test_type(ran: Callable[[str, int, str], None]) -> None:
    z = np.full(192, 5, np.int32)
    by_type.check[1](z, 0, 0)
    np.testing.assert_array_equal(z, np.repeat([8, 5, 3], 64))
    ran("set_atomic_type", 0, "int32")


def test_the_state_is_that_of_the_issue() -> None:
    """Other orders carry copies out when the state has changed already."""
    z = np.full(192, 5, np.int32)
    by_type.check(perturb=8)[1](z, 0, 0)
    np.testing.assert_array_equal(z, np.repeat([8, 5, 3], 64))


@pytest.mark.parametrize(("which", "n", "error"), [(1, 129, OutOfRange), (2, 0, RaceError)])
def test_wrong(which: int, n: int, error: type) -> None:
    with pytest.raises(error):
        by_type.check[1](np.zeros(192, np.int32), n, which)


@pytest.mark.parametrize("name", ["set_atomic_add", "set_atomic_max", "set_atomic_min", "set_atomic_type"])
def test_other_types_are_refused(name: str) -> None:
    assert set(ROWS[name].dtypes["T"].by_soc["ascend910b"]) == set(TYPES)

    @asc.jit
    def refused(z: asc.GlobalAddress, kind: asc.ConstExpr):
        asc.set_atomic_add(kind)

    with pytest.raises(WrongDtype, match="int64"):
        refused.emit("i64[8]", asc.int64)
