"""Calls that set the state of a core, beside masks: atomic copies, addresses, watches; and which kind of core it is."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError, StateError, WatchedAccess, WrongDtype
from opwright.settings import settings


@asc.jit
def kinds(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 6)
    if asc.ascend_is_aiv():
        z_gm.set_value(0, 1)
    else:
        z_gm.set_value(0, 2)
    if asc.ascend_is_aic():
        z_gm.set_value(1, 1)
    is_vector = asc.ascend_is_aiv()
    z_gm.set_value(2, int(is_vector))
    z_gm.set_value(3, int(is_vector and n > 3))
    z_gm.set_value(4, int(not asc.ascend_is_aic() and not asc.ascend_is_aic()))
    z_gm.set_value(5, 7 if asc.ascend_is_aic() else 8)
    asc.set_hf32_mode(True)
    asc.set_hf32_trans_mode(False)
    asc.set_mm_layout_transform(True)


def test_kinds(ran: Callable[[str, int, str], None]) -> None:
    for launch in (kinds[1], kinds.check[1]):
        z = np.full(6, 99, np.int64)
        launch(z, 4)
        assert z.tolist() == [1, 99, 1, 1, 1, 8]
    text = kinds.emit("i64[6]", 4)
    assert "    if ASCEND_IS_AIV {\n" in text and "    if ASCEND_IS_AIC {\n" in text
    assert "bool is_vector = (g_coreType == AscendC::AIV);" in text
    for line in ("SetHF32Mode(true)", "SetHF32TransMode(false)", "SetMMLayoutTransform(true)"):
        assert f"    AscendC::{line};\n" in text
    for call in ("ascend_is_aic", "ascend_is_aiv", "set_hf32_mode", "set_hf32_trans_mode", "set_mm_layout_transform"):
        ran(call, 0, "")


# Addresses ----------------------------------------------------------------------------------------------------


@asc.jit
def keeps(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    asc.set_sys_workspace(x)
    asc.set_hccl_context(0, y)
    asc.set_hccl_context(1, z)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(asc.get_sys_workspace(), 8)
    w_gm.set_value(0, 1)
    a_gm = asc.GlobalTensor()
    a_gm.set_global_buffer(asc.get_hccl_context(0), 8)
    a_gm.set_value(1, 2)
    b_gm = asc.GlobalTensor()
    b_gm.set_global_buffer(asc.get_hccl_context(1), 8)
    b_gm.set_value(2, 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_keeps(dtype: str, ran: Callable[[str, int, str], None]) -> None:
    kind = np.dtype("uint16" if dtype == "bfloat16" else dtype)  # bytes are what is compared
    arrays = [np.frombuffer(bytes([99] * 16), kind).copy() for _ in range(3)]
    if dtype == "bfloat16":
        ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
        arrays = [array.view(ml_dtypes.bfloat16) for array in arrays]
    keeps[1](*arrays)
    for place, array in enumerate(arrays):
        wanted = [99] * 16
        wanted[place] = place + 1
        assert array.view(np.uint8).tolist() == wanted
    for call in ("set_sys_workspace", "set_hccl_context"):
        ran(call, 0, dtype)
    for call in ("get_sys_workspace", "get_hccl_context"):
        ran(call, 0, "")


@asc.jit
def has_none(z: asc.GlobalAddress, which: asc.ConstExpr[int]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    w_gm = asc.GlobalTensor()
    if which == 0:
        w_gm.set_global_buffer(asc.get_sys_workspace())
    else:
        w_gm.set_global_buffer(asc.get_hccl_context(1))
    z_gm.set_value(0, w_gm.get_value(0))


@pytest.mark.parametrize("which", [0, 1])
def test_nothing_lies_where_nothing_was_set(which: int) -> None:
    keeps[1](*(np.zeros(16, np.uint8) for _ in range(3)))  # what a core kept is not there for the next one
    with pytest.raises(OutOfRange, match="argument"):
        has_none[1](np.zeros(8, np.uint8), which)


@asc.jit
def races(z: asc.GlobalAddress):
    asc.set_sys_workspace(z)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(asc.get_sys_workspace(), 64)
    a = asc.LocalTensor(asc.uint8, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, w_gm, 64)
    asc.data_copy(w_gm, a, 64)


def test_the_workspace_is_checked() -> None:
    with pytest.raises(RaceError):
        races.check[1](np.zeros(64, np.uint8))


def test_there_are_two_contexts() -> None:
    @asc.jit
    def third(z: asc.GlobalAddress):
        asc.set_hccl_context(2, z)

    with pytest.raises(RuleBroken, match="index must lie between 0 and 1"):
        third.emit("u8[8]")


# Atomic copies ------------------------------------------------------------------------------------------------

TYPES = {
    "ATOMIC_F32": "float32",
    "ATOMIC_F16": "float16",
    "ATOMIC_S16": "int16",
    "ATOMIC_S32": "int32",
    "ATOMIC_S8": "int8",
    "ATOMIC_BF16": "bfloat16",
}


@asc.jit
def adds_up(z: asc.GlobalAddress, n: asc.GlobalAddress, kind: asc.ConstExpr[asc.AtomicDtype]):
    """Adds z to itself, once; n tells the state before, between and after."""
    n_gm = asc.GlobalTensor()
    n_gm.set_global_buffer(n, 6)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, z_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    first, operation = asc.get_store_atomic_config()
    n_gm.set_value(0, first)
    n_gm.set_value(1, operation)
    asc.set_store_atomic_config(kind, asc.AtomicOp.ATOMIC_SUM)
    second, operation = asc.get_store_atomic_config()
    n_gm.set_value(2, second)
    n_gm.set_value(3, operation)
    asc.data_copy(z_gm, a, 64)
    asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_NONE, asc.AtomicOp.ATOMIC_SUM)
    third, operation = asc.get_store_atomic_config()
    n_gm.set_value(4, third)
    n_gm.set_value(5, operation)


@pytest.mark.parametrize(("name", "dtype"), TYPES.items())
def test_store_config(
    name: str, dtype: str, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]
) -> None:
    kind = np.dtype(dtype if dtype != "bfloat16" else pytest.importorskip("ml_dtypes", reason="absent").bfloat16)
    z, n = np.arange(-32, 32).astype(kind), np.full(6, 99, np.int64)
    adds_up.check[1](z, n, asc.AtomicDtype[name])
    np.testing.assert_array_equal(z.astype(float), 2.0 * np.arange(-32, 32))
    assert n.tolist() == [0, 0, list(TYPES).index(name) + 1, 0, 0, 0]
    for call in ("set_store_atomic_config", "get_store_atomic_config"):
        ran(call, 0, "")
    for value in (f"AtomicDtype.{name}", "AtomicDtype.ATOMIC_NONE", "AtomicOp.ATOMIC_SUM"):
        asserted(value)


def test_store_config_of_another_type() -> None:
    with pytest.raises(RuleError, match="ATOMIC_F16, which is not the element type"):
        adds_up[1](np.zeros(64, np.float32), np.zeros(6, np.int64), asc.AtomicDtype.ATOMIC_F16)


def test_store_config_that_stays_on() -> None:
    @asc.jit
    def leaves():
        asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_F16, asc.AtomicOp.ATOMIC_SUM)

    with pytest.raises(StateError, match="atomic copies are still on"):
        leaves.check[1]()


# Watches ------------------------------------------------------------------------------------------------------

FIELDS = ("scalar_read", "scalar_write", "vector_read", "vector_write", "mte_read", "mte_write")


@asc.jit
def touches(z: asc.GlobalAddress, watch: asc.ConstExpr[int], is_on: asc.ConstExpr[bool], start: int, end: int):
    """Bytes 0 to 128 come by a copy, 128 to 256 are computed, 256 is read and 260 written by the scalar unit."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 80)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECCALC, 0, 80)
    asc.duplicate(a, 1.0, 80)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.check_local_memory_ia(
        asc.CheckLocalMemoryIAParam(
            3, start, end, watch == 0, watch == 1, watch == 2, watch == 3, watch == 4, watch == 5, is_on
        )
    )
    asc.data_copy(a, z_gm, 32)
    asc.adds(a[32:], a[32:], 1.0, 32)
    a.set_value(65, a.get_value(64))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a[72:], 8)
    asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(3))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 80)


# Of each kind the bytes that the kernel touches.
TOUCHED = {0: (256, 260), 1: (260, 264), 2: (128, 256), 3: (128, 256), 4: (288, 320), 5: (0, 128)}


@pytest.mark.parametrize("watch", range(6))
def test_watches(watch: int, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    begin, end = TOUCHED[watch]
    first, last = begin // 32, -(-end // 32)
    for start, stop in ((first - 1, first), (last, last + 1), (first, first), (0, 0)):
        if start >= 0:
            touches.check[1](np.zeros(80, np.float32), watch, True, start, stop)
    inner = (max(begin, (last - 1) * 32), end)
    with pytest.raises(WatchedAccess, match=rf"touches bytes {inner[0]} to {inner[1]} of UB, which are watched"):
        touches.check[1](np.zeros(80, np.float32), watch, True, last - 1, last + 4)
    with pytest.raises(WatchedAccess, match="as watch 3"):
        touches.check[1](np.zeros(80, np.float32), watch, True, 0, 65535)
    if watch == 0:
        touches[1](np.zeros(80, np.float32), watch, True, 0, 65535)  # only the checked mode tells
    ran("check_local_memory_ia", 0, "")
    ran("CheckLocalMemoryIAParam", 0, "")
    for field in ("enable_bit", "start_addr", "end_addr", f"is_{FIELDS[watch]}", "is_enable"):
        asserted(f"CheckLocalMemoryIAParam.{field}")


@asc.jit
def fills(first: int):
    """The first core watches, all of them write."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(a, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if asc.get_block_idx() == first:
        asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(0, 0, 8, is_vector_write=True, is_enable=True))


def test_a_watch_is_that_of_its_core() -> None:
    with settings.scope(threads=1):
        fills.check[3](0)
        fills.check[3](-1)


def test_a_watch_that_is_off() -> None:
    touches.check[1](np.zeros(80, np.float32), 3, False, 0, 65535)


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (0, 65536)])
def test_what_cannot_be_watched(start: int, end: int) -> None:
    with pytest.raises(RuleError, match=r"does not fit|must lie between"):
        touches.check[1](np.zeros(80, np.float32), 3, True, start, end)


def test_other_types_are_not_fetched() -> None:
    @asc.jit
    def fetches(x: asc.GlobalAddress):
        x_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x, 8)
        asc.data_cache_preload(x_gm, 0)

    with pytest.raises(WrongDtype):
        fetches.emit("f32[8]")
