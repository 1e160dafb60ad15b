"""The mask register, set with every element type in both forms, against the lanes that a call then changes."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import RuleError

KINDS = tuple(DTYPES.values())
LANES = 64  # of float32 in a repeat


@asc.jit
def sets(z: asc.GlobalAddress, length: int, low: int, most: int):
    """Three repeats for each type: lanes of a length, of bits, and of a count of elements."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 192)
    params = asc.UnaryRepeatParams(1, 1, 8, 8)
    for number in asc.static_range(len(KINDS)):
        kind = KINDS[number]
        asc.data_copy(a, z_gm[number * 192 :], 192)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.set_vector_mask(min(length, 256 // kind.sizeof()), kind, asc.MaskMode.NORMAL)
        asc.adds(a, a, 1.0, 1, 1, params, is_set_mask=False)
        asc.set_vector_mask(0, low, kind, asc.MaskMode.NORMAL)
        asc.adds(a[64:], a[64:], 1.0, 1, 1, params, is_set_mask=False)
        asc.set_mask_count()
        asc.set_vector_mask(most, kind, asc.MaskMode.COUNTER)
        asc.adds(a[128:], a[128:], 1.0, 1, 1, params, is_set_mask=False)
        asc.set_mask_norm()
        asc.reset_mask()
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[number * 192 :], a, 192)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@pytest.mark.parametrize(
    ("length", "low", "most"), [(0, 0, 0), (1, 1, 1), (63, 0x5555, 63), (64, 1 << 62, 64), (256, (1 << 63) - 1, 17)]
)
def test_sets(length: int, low: int, most: int, ran: Callable[[str, int, str], None]) -> None:
    rng = np.random.default_rng(length)
    z = rng.integers(0, 9, (len(KINDS), 3, LANES)).astype(np.float32)
    wanted = z.copy()
    for part, kind in zip(wanted, KINDS, strict=True):
        part[0, : min(length, 256 // kind.bytes)] += 1
        part[1] += [low >> lane & 1 for lane in range(LANES)]
        part[2, :most] += 1
    (sets.check if length == 63 else sets)[1](z, length, low, most)
    np.testing.assert_array_equal(z, wanted)
    for kind in KINDS:
        ran("set_vector_mask", 0, kind.name)
        ran("set_vector_mask", 1, kind.name)
    for call in ("set_mask_count", "set_mask_norm", "reset_mask"):
        ran(call, 0, "")


def test_a_length_below_zero() -> None:
    with pytest.raises(RuleError, match="length must lie between 0"):
        sets[1](np.zeros((len(KINDS), 3, LANES), np.float32), -1, 0, 0)
