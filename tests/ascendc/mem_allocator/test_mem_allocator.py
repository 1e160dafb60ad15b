"""Memory that an allocator hands out: where each tensor lies, for every type, known before the run or in it."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RuleBroken, RuleError, WrongCore

TYPES = tuple(DTYPES.values())
UB = 188416


@asc.jit
def allocations(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    allocator = asc.LocalMemAllocator()
    for i in asc.static_range(len(TYPES)):
        known = allocator.alloc(asc.TPosition.VECIN, TYPES[i], 20 + i)
        z_gm.set_value(6 * i, known.get_phy_addr())
        z_gm.set_value(6 * i + 1, known.get_length())
        z_gm.set_value(6 * i + 2, allocator.get_cur_addr())
        of_run = allocator.alloc(asc.TPosition.VECOUT, TYPES[i], n + i)
        z_gm.set_value(6 * i + 3, of_run.get_phy_addr())
        z_gm.set_value(6 * i + 4, of_run.get_length())
        z_gm.set_value(6 * i + 5, allocator.get_cur_addr())


@pytest.mark.parametrize("n", [1, 8, 33])
def test_allocations(n: int, ran: Callable[[str, int, str], None]) -> None:
    z = np.full(6 * len(TYPES) + 1, 99, np.int64)
    allocations[1](z, n)
    wanted, at = [], 0
    for index, dtype in enumerate(TYPES):
        for count in (20 + index, n + index):
            size = count * dtype.sizeof()
            following = (at + size + 31) // 32 * 32
            wanted += [at, size, following]
            at = following
        ran("LocalMemAllocator.alloc", 0, dtype.name)
        ran("LocalMemAllocator.alloc", 1, dtype.name)
    assert z.tolist() == [*wanted, 99]
    ran("LocalMemAllocator", 0, "")
    ran("LocalMemAllocator.get_cur_addr", 0, "")


@asc.jit
def too_large(n: int):
    allocator = asc.LocalMemAllocator(asc.Hardware.UB)
    allocator.alloc(asc.TPosition.VECIN, asc.float32, 8)
    allocator.alloc(asc.TPosition.VECIN, asc.float32, n)


def test_too_large() -> None:
    too_large[1](UB // 4 - 8)
    with pytest.raises(OutOfRange, match=f"this tensor ends at byte {UB + 4} of UB"):
        too_large[1](UB // 4 - 7)
    with pytest.raises(RuleError, match="tile_size must lie between 1"):
        too_large[1](0)


@asc.jit
def elsewhere():
    asc.LocalMemAllocator(asc.Hardware.L1)


def test_a_vector_core_has_ub_only() -> None:
    with pytest.raises(WrongCore, match="L1 belongs to an AIC"):
        elsewhere.emit()


@asc.jit(kernel_type="cube")
def of_another_memory():
    allocator = asc.LocalMemAllocator(asc.Hardware.L1)
    allocator.alloc(asc.TPosition.A2, asc.float16, 16)


def test_a_position_in_another_memory() -> None:
    with pytest.raises(RuleBroken, match="pos must be in the memory of self, got one in L0A"):
        of_another_memory.emit()
