"""Flags and barriers within a core: each carries a result, and where one is left out the race is found."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.errors import RaceError

E = asc.HardEvent
# An event, then what its pipes do to one tensor.
STEPS = (
    (E.MTE2_V, "MTE2", "V"),
    (E.V_MTE2, "V", "MTE2"),
    (E.V_MTE3, "V", "MTE3"),
    (E.MTE3_V, "MTE3", "V"),
    (E.MTE2_MTE3, "MTE2", "MTE3"),
    (E.MTE3_MTE2, "MTE3", "MTE2"),
    (E.S_V, "S", "V"),
    (E.V_S, "V", "S"),
    (E.S_MTE2, "S", "MTE2"),
    (E.MTE2_S, "MTE2", "S"),
    (E.S_MTE3, "S", "MTE3"),
    (E.MTE3_S, "MTE3", "S"),
    (E.V_V, "V", "V"),
)


@asc.jit
def work(pipe: asc.ConstExpr[str], a: asc.LocalTensor, into: asc.GlobalTensor, out: asc.GlobalTensor):
    """What one pipe does: brings 7s, doubles, takes away, or sets one element."""
    if pipe == "MTE2":
        asc.data_copy(a, into, 64)
    elif pipe == "V":
        asc.muls(a, a, 2.0, 64)
    elif pipe == "MTE3":
        asc.data_copy(out, a, 64)
    else:
        a.set_value(5, 50.0)


@asc.jit(auto_sync=False)
def hands(x: asc.GlobalAddress, z: asc.GlobalAddress, left_out: int, ident: int):
    """Of every step: what was taken away in it, and the tensor after it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    for number in asc.static_range(len(STEPS)):
        a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, number * 256, 64)
        asc.duplicate(a, 1.0, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        work(STEPS[number][1], a, x_gm, z_gm[number * 128 :])
        if number != left_out:
            asc.set_flag(STEPS[number][0], ident)
            asc.wait_flag(STEPS[number][0], ident)
        work(STEPS[number][2], a, x_gm, z_gm[number * 128 :])
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[number * 128 + 64 :], a, 64)


def by_hand() -> np.ndarray:
    wanted = np.full((len(STEPS), 2, 64), 99, np.float32)
    for (_, *pipes), (out, after) in zip(STEPS, wanted, strict=True):
        a = np.ones(64, np.float32)
        for pipe in pipes:
            if pipe == "MTE2":
                a[:] = 7
            elif pipe == "V":
                a *= 2
            elif pipe == "MTE3":
                out[:] = a
            else:
                a[5] = 50
        after[:] = a
    return wanted


@pytest.mark.parametrize("ident", [0, 5])
def test_flags(ident: int, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    for launch in (hands.check[1], hands.check(perturb=4)[1]):
        z = np.full((len(STEPS), 2, 64), 99, np.float32)
        launch(np.full(64, 7, np.float32), z, -1, ident)
        np.testing.assert_array_equal(z, by_hand())
    assert not hands.check.report().findings
    for call in ("set_flag", "wait_flag", "pipe_barrier"):
        ran(call, 0, "")
    for event, *_ in STEPS:
        asserted(f"HardEvent.{event.name}")


@pytest.mark.parametrize("left_out", range(len(STEPS)), ids=[event.name for event, *_ in STEPS])
def test_without_a_flag(left_out: int) -> None:
    with pytest.raises(RaceError):
        hands.check[1](np.zeros(64, np.float32), np.zeros((len(STEPS), 2, 64), np.float32), left_out, 0)


@asc.jit(auto_sync=False)
def barriers(x: asc.GlobalAddress, z: asc.GlobalAddress, left_out: int):
    """Two accesses of each pipe to the same bytes."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 128)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(a, x_gm, 64)
    if left_out != 0:
        asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
    asc.data_copy(a, x_gm[64:], 32)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.muls(a, a, 2.0, 64)
    if left_out != 1:
        asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(a, a, 1.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 64)
    if left_out != 2:
        asc.pipe_barrier(asc.PipeID.PIPE_MTE3)
    asc.data_copy(z_gm, a, 32)


def test_barriers(asserted: Callable[[str], None]) -> None:
    x, z = np.arange(128, dtype=np.float32), np.full(64, np.nan, np.float32)
    barriers.check[1](x, z, -1)
    np.testing.assert_array_equal(z, 2 * np.concatenate([x[64:96], x[32:64]]) + 1)
    for pipe in ("MTE2", "MTE3", "V", "ALL"):
        asserted(f"PipeID.PIPE_{pipe}")


@pytest.mark.parametrize("left_out", range(3))
def test_without_a_barrier(left_out: int) -> None:
    with pytest.raises(RaceError):
        barriers.check[1](np.zeros(128, np.float32), np.zeros(64, np.float32), left_out)


@asc.jit
def scalar_barriers(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 5)
    z_gm.set_value(0, 3)
    asc.data_sync_barrier(asc.MemDsbT.ALL)
    z_gm.set_value(1, z_gm.get_value(0) + 1)
    asc.data_sync_barrier(asc.MemDsbT.DDR)
    z_gm.set_value(2, z_gm.get_value(1) + 1)
    asc.data_sync_barrier(asc.MemDsbT.UB)
    z_gm.set_value(3, z_gm.get_value(2) + 1)
    asc.data_sync_barrier(asc.MemDsbT.SEQ)
    z_gm.set_value(4, z_gm.get_value(3) + 1)


def test_scalar_barriers(ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    z = np.full(5, 99, np.int32)
    scalar_barriers.check[1](z)
    assert z.tolist() == [3, 4, 5, 6, 7]
    ran("data_sync_barrier", 0, "")
    for name in ("ALL", "DDR", "UB", "SEQ"):
        asserted(f"MemDsbT.{name}")


@asc.jit
def meets(z: asc.GlobalAddress, way: asc.ConstExpr[int]):
    """Each core writes its block, then takes that of the next."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 8)
    core = asc.get_block_idx()
    asc.duplicate(a, core + 1, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[core * 8 :], a, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if way == 0:
        asc.sync_all()
    elif way == 1:
        asc.cross_core_set_flag(15, 0, asc.PipeID.PIPE_MTE3)
        asc.cross_core_wait_flag(15, 0, asc.PipeID.PIPE_MTE3)
    cores = asc.get_block_num()
    asc.data_copy(a, z_gm[(core + 1) % cores * 8 :], 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[(cores + core) * 8 :], a, 8)


@pytest.mark.parametrize("way", [0, 1])
def test_meets(way: int, ran: Callable[[str, int, str], None]) -> None:
    z = np.full(2 * 5 * 8, 99, np.int32)
    meets.check[5](z, way)
    np.testing.assert_array_equal(z, np.repeat([1, 2, 3, 4, 5, 2, 3, 4, 5, 1], 8))
    for call in ("sync_all",) if way == 0 else ("cross_core_set_flag", "cross_core_wait_flag"):
        ran(call, 0, "")


def test_without_a_meeting() -> None:
    with pytest.raises(RaceError, match="core"):
        meets.check[5](np.zeros(80, np.int32), 2)
