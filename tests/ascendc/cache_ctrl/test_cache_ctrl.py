"""Caches: what one core leaves for another in global memory, in every type, and what is found without the call."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import CacheError, OutOfRange


@asc.jit
def hands_over(z: asc.GlobalAddress, form: asc.ConstExpr[int]):
    """Core 0 sets two elements in two lines; core 1 takes their sum to a third."""
    line = 64 // z.dtype.sizeof()
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 3 * line)
    if asc.get_block_idx() == 0:
        z_gm.set_value(1, 2)
        z_gm.set_value(line + 1, 3)
        if form == 0:
            asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, z_gm)
            asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, asc.DcciDst.CACHELINE_OUT, z_gm[line:])
        elif form == 1:
            asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, z_gm)
        elif form == 2:  # of another memory
            asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, asc.DcciDst.CACHELINE_UB, z_gm)
        elif form == 3:  # one line only
            asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, asc.DcciDst.CACHELINE_ALL, z_gm)
        elif form == 4:  # atomics
            asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, asc.DcciDst.CACHELINE_ATOMIC, z_gm)
    asc.sync_all()
    if asc.get_block_idx() == 1:
        z_gm.set_value(2 * line + 1, z_gm.get_value(1) + z_gm.get_value(line + 1))


def array(dtype: str) -> np.ndarray:
    kind = np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    return np.full(3 * 64 // kind.itemsize, 99, kind)


@pytest.mark.parametrize("dtype", DTYPES)
def test_hands_over(dtype: str, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    for form in (0, 1) if dtype == "int32" else (0,):
        z = array(dtype)
        hands_over.check[2](z, form)
        wanted = array(dtype).reshape(3, -1)
        wanted[:, 1] = [2, 3, 5]
        np.testing.assert_array_equal(z.reshape(3, -1).astype(float), wanted.astype(float))
    for number in (0, 1):
        ran("data_cache_clean_and_invalid", number, dtype)
    for name in ("CacheLine.ENTIRE_DATA_CACHE", "CacheLine.SINGLE_CACHE_LINE", "DcciDst.CACHELINE_OUT"):
        asserted(name)


@pytest.mark.parametrize(
    ("form", "value"), [(2, "CACHELINE_UB"), (3, "CACHELINE_ALL"), (4, "CACHELINE_ATOMIC"), (5, "")]
)
def test_what_stays_in_the_cache(form: int, value: str, asserted: Callable[[str], None]) -> None:
    with pytest.raises(CacheError, match=r"asc\.data_cache_clean_and_invalid"):
        hands_over.check[2](array("int32"), form)
    if value:
        asserted(f"DcciDst.{value}")


@asc.jit
def cleans_outside(z: asc.GlobalAddress, offset: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 16)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, z_gm[offset:])


def test_a_line_outside() -> None:
    cleans_outside.check[1](np.zeros(16, np.int32), 15)
    with pytest.raises(OutOfRange):
        cleans_outside.check[1](np.zeros(16, np.int32), 16)


@asc.jit
def preloads(x: asc.GlobalAddress, z: asc.GlobalAddress, lines: int, offset: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 2)
    asc.icache_preload(lines)
    asc.data_cache_preload(x_gm, offset)
    z_gm.set_value(0, asc.get_icache_preload_status())
    z_gm.set_value(1, x_gm.get_value(offset // 8))


def test_preloads(ran: Callable[[str, int, str], None]) -> None:
    x = np.arange(16, dtype=np.uint64)
    for launch in (preloads[1], preloads.check[1]):
        for offset in (0, 8, 64, 120):
            z = np.full(2, 99, np.int64)
            launch(x, z, 2, offset)
            assert z.tolist() == [0, offset // 8]
    for offset, words in ((128, "has only 128"), (-1, "cache_offset must lie between 0")):
        with pytest.raises(Exception, match=words):
            preloads[1](x, np.zeros(2, np.int64), 2, offset)
    ran("icache_preload", 0, "")
    ran("get_icache_preload_status", 0, "")
    ran("data_cache_preload", 0, "uint64")


@asc.jit
def preloads_too_early(x: asc.GlobalAddress, z: asc.GlobalAddress, early: asc.ConstExpr[bool]):
    """Core 1 fetches the line before core 0 writes it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 1)
    if asc.get_block_idx() == 1 and early:
        asc.data_cache_preload(x_gm, 0)
    asc.sync_all()
    if asc.get_block_idx() == 0:
        x_gm.set_value(0, 7)
        asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, asc.DcciDst.CACHELINE_OUT, x_gm)
    asc.sync_all()
    if asc.get_block_idx() == 1:
        z_gm.set_value(0, x_gm.get_value(0))


def test_a_line_that_was_fetched_too_early() -> None:
    preloads_too_early.check[2](np.zeros(16, np.uint64), np.zeros(1, np.int64), False)
    with pytest.raises(CacheError, match=r"asc\.data_cache_clean_and_invalid"):
        preloads_too_early.check[2](np.zeros(16, np.uint64), np.zeros(1, np.int64), True)
