"""Cores that wait for some others: results that only the right order gives, and what is said without it."""

from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.errors import DeadlockError, FlagError, NoForm, OutOfRange, RaceError, RuleBroken, RuleError
from opwright.settings import settings

CORES = 6
# The calls with workspaces that each way takes, with the number of their form.
CALLED = {
    "blocks": (("notify_next_block", 0), ("wait_pre_block", 0)),
    "events": (("ib_set", 0), ("ib_wait", 0)),
    "words": (("sync_all", 1),),
}
WAYS = ("blocks", "events", "flags", "words", "nothing")


@asc.jit
def chain(z: asc.GlobalAddress, w: asc.GlobalAddress, way: asc.ConstExpr[str]):
    """Every core in turn doubles z and adds its number."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(buffer, 2048)
    a = buffer.get_with_offset(8, 0, asc.int32)
    u = buffer.get_with_offset(256, 1024, asc.int32)
    core = asc.get_block_idx()
    cores = asc.get_block_num()
    if way == "blocks":
        asc.wait_pre_block(w_gm, u)
    elif way == "events":
        if core > 0:
            asc.ib_wait(w_gm, u, core - 1, 1)
    elif way == "flags":
        for _ in range(core):
            asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)
            asc.cross_core_wait_flag(3, 0, asc.PipeID.PIPE_MTE3)
    elif way == "words":
        for _ in range(core):
            asc.sync_all(w_gm, u)
    asc.data_copy(a, z_gm, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.muls(a, a, 2, 8)
    asc.adds(a, a, core, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if way == "blocks":
        asc.notify_next_block(w_gm, u)
    elif way == "events":
        if core < cores - 1:
            asc.ib_set(w_gm, u, core, 1)
    elif way == "flags":
        for _ in range(cores - core):
            asc.cross_core_set_flag(3, 0, asc.PipeID.PIPE_MTE3)
            asc.cross_core_wait_flag(3, 0, asc.PipeID.PIPE_MTE3)
    elif way == "words":
        for _ in range(cores - core):
            asc.sync_all(w_gm, u)


def in_turn(cores: int) -> int:
    value = 1
    for core in range(cores):
        value = 2 * value + core
    return value


@pytest.mark.parametrize("way", WAYS[:-1])
def test_chain(way: str, ran: Callable[[str, int, str], None]) -> None:
    for threads in (1, 2):
        z, w = np.ones(8, np.int32), np.zeros(512, np.int32)
        with settings.scope(threads=threads):
            chain[CORES](z, w, way)
        np.testing.assert_array_equal(z, in_turn(CORES))
    z, w = np.ones(8, np.int32), np.zeros(512, np.int32)
    chain.check(perturb=3)[CORES](z, w, way)
    np.testing.assert_array_equal(z, in_turn(CORES))
    assert not chain.check.report().findings
    for name, form in CALLED.get(way, ()):
        ran(name, form, "int32")


def test_without_order_it_is_a_race() -> None:
    with pytest.raises(RaceError, match="which core 0 writes too"):
        chain.check[CORES](np.ones(8, np.int32), np.zeros(512, np.int32), "nothing")


@asc.jit
def some(z: asc.GlobalAddress, w: asc.GlobalAddress, used: int, which: asc.ConstExpr[int]):
    """The first `used` cores write, meet, and read what the next of them wrote."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w, 64)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECIN)
    pipe.init_buffer(buffer, 1280)
    a = buffer.get_with_offset(8, 0, asc.int32)
    u = buffer.get_with_offset(64, 1024, asc.int32)
    core = asc.get_block_idx()
    if which == 0:
        if core < used:
            asc.duplicate(a, core + 1, 8)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            asc.data_copy(z_gm[core * 8 :], a, 8)
            asc.sync_all(w_gm, u, used)
            asc.data_copy(a, z_gm[(core + 1) % used * 8 :], 8)
            asc.sync_all(w_gm, u, used)
            asc.data_copy(z_gm[core * 8 :], a, 8)
    elif which == 1:
        asc.ib_wait(w_gm, u, core, 0)
    elif which == 2:
        for _ in range(16):
            asc.cross_core_set_flag(0, 0, asc.PipeID.PIPE_MTE3)
    elif which == 3:
        asc.ib_set(w_gm, u[used + 1 :], core, 0)
    elif which == 4:
        asc.ib_set(w_gm, u, core, used)
    elif which == 5:
        asc.cross_core_wait_flag(0, 0, asc.PipeID.PIPE_MTE3)


def test_some_cores_meet() -> None:
    z, w = np.full(64, 99, np.int32), np.zeros(64, np.int32)
    some.check[6](z, w, 4, 0)
    np.testing.assert_array_equal(z, [*np.repeat([2, 3, 4, 1], 8), *[99] * 32])
    assert not some.check.report().findings


@pytest.mark.parametrize(
    ("which", "used", "error", "words"),
    [
        (1, 0, DeadlockError, "2 of 2 cores wait"),
        (2, 0, FlagError, "16 times more than core 0 has waited"),
        (3, 0, RuleError, "must start at a multiple of 32 bytes"),
        (4, 4, OutOfRange, "offset 64 is outside the tensor|is used for 32 bytes"),
        (5, 0, DeadlockError, "2 of 2 cores wait"),
    ],
)
def test_wrong(which: int, used: int, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        some[2](np.zeros(64, np.int32), np.zeros(64, np.int32), used, which)


def test_more_cores_than_the_chip_has() -> None:
    with pytest.raises(DeadlockError, match=r"asc.ib_wait\(\) in a launch of 49 cores"):
        some[49](np.zeros(64, np.int32), np.zeros(64 * 8, np.int32), 0, 1)


@asc.jit
def modes(which: asc.ConstExpr[int]):
    if which == 0:
        asc.cross_core_set_flag(0, 3, asc.PipeID.PIPE_MTE3)
    elif which == 1:
        asc.cross_core_wait_flag(16, 0, asc.PipeID.PIPE_MTE3)


@pytest.mark.parametrize(
    ("which", "words"), [(0, "mode_id must be one of 0, 1, 2, 4"), (1, "flag_id must lie between 0 and 15")]
)
def test_what_no_kernel_has_is_refused(which: int, words: str) -> None:
    with pytest.raises(RuleBroken, match=words):
        modes.emit(which)


def test_words_are_int32() -> None:
    @asc.jit
    def floats(w: asc.GlobalAddress):
        w_gm = asc.GlobalTensor()
        w_gm.set_global_buffer(w)
        asc.ib_set(w_gm, asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 8), 0, 0)

    with pytest.raises(NoForm, match=r"holds int32, but \w+ holds float32"):
        floats.emit("f32[64]")
