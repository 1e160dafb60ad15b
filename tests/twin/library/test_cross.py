"""Flags between cores and the barrier of both kinds of cores, in the twin's library."""

import ctypes
from types import SimpleNamespace

import pytest
from library_harness import AIC, AIV, CROSS_MODE, DEADLOCK, NUMBERS, SYNC_GRID, Twin, integers


@pytest.mark.parametrize("threads", [1, 2])
def test_barriers_that_a_core_can_never_pass(twin: Twin, threads: int) -> None:
    got = twin.launch("sync", 24, [], threads, aiv=2, aic="sync")
    assert (got.fault, got.kind, got.block, got.line, got.details[0]) == (CROSS_MODE, AIC, 0, 5, 6)
    for entries in ({"name": "sync_both"}, {"name": "", "aic": "sync_both"}):
        got = twin.launch(**entries, grid=24, threads=threads)
        assert (got.fault, got.block, got.line, got.details[0]) == (CROSS_MODE, 0, 6, 7)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("aiv", [1, 2])
def test_barrier_of_all_cores(twin: Twin, aiv: int, threads: int) -> None:
    for rounds in (1, 2, 30):
        wrong = integers(72)
        wrong[:] = [-1] * 72
        assert (
            twin.launch("barriers_both", 24, [integers(72), wrong, rounds], threads, aiv=aiv, aic="barriers_both").fault
            == 0
        )
        assert list(wrong) == [0] * (24 * (aiv + 1)) + [-1] * (48 - 24 * aiv)


# Flags between cores: each step is set (0) or wait (1), mode, pipe, id.
SET, WAIT = 0, 1
S, V, M, MTE2, MTE3, FIX = 0, 1, 2, 4, 5, 10


def program(*steps: tuple[int, ...]) -> ctypes.Array[ctypes.c_int32]:
    return (ctypes.c_int32 * (4 * len(steps) + 1))(len(steps), *(number for step in steps for number in step))


def crosses(
    twin: Twin,
    aic: list | None,
    aiv: list,
    groups: int = 3,
    count: int = 2,
    threads: int = 2,
    arch: int = 2201,
) -> SimpleNamespace:
    """Each kind of core runs its steps; those of an AIV are a list, or one list for each of them; None: no AIC."""
    each = aiv if aiv and isinstance(aiv[0], list) else [aiv, aiv]
    slots = [program(*(aic or ())), *(program(*steps) for steps in each)]
    kinds = {"name": "cross" if count else "", "aic": "cross" if aic is not None else ""}
    return twin.launch(**kinds, grid=groups, slots=slots, threads=threads, aiv=count, arch=arch)


@pytest.mark.parametrize("threads", [1, 2])
def test_flags_in_every_mode(twin: Twin, threads: int) -> None:
    both = [(SET, 0, MTE3, 3), (WAIT, 0, MTE3, 3)]
    pairs = [
        (both, [(SET, 0, MTE3, 4), (WAIT, 0, MTE3, 4)]),
        ([], [(SET, 1, MTE3, 5), (WAIT, 1, MTE3, 5)]),
        ([(SET, 2, FIX, 1), (WAIT, 2, S, 2)], [(WAIT, 2, S, 1), (SET, 2, MTE3, 2)]),
    ]
    for aic, aiv in pairs:
        for times in (1, 5):
            assert crosses(twin, aic * times, aiv * times, threads=threads).fault == 0
    # Mode 4: flag x of AIV 1 is x + 16 on the AIC, both ways.
    aic = [(SET, 4, FIX, 3), (SET, 4, FIX, 20), (WAIT, 4, M, 5), (WAIT, 4, M, 22)]
    each = [[(WAIT, 4, MTE2, 3), (SET, 4, MTE3, 5)], [(WAIT, 4, MTE2, 4), (SET, 4, MTE3, 6)]]
    assert crosses(twin, aic, each, threads=threads, arch=3510).fault == 0
    crossed = [[(WAIT, 4, MTE2, 4)], [(WAIT, 4, MTE2, 3)]]
    assert crosses(twin, aic[:2], crossed, threads=threads, arch=3510).fault == DEADLOCK


@pytest.mark.parametrize("threads", [1, 2])
def test_a_set_of_one_aiv_is_not_enough(twin: Twin, threads: int) -> None:
    got = crosses(twin, [(WAIT, 2, S, 7)], [[(SET, 2, MTE3, 7)], []], threads=threads)
    assert (got.fault, got.kind, got.block, got.details[:2]) == (DEADLOCK, AIC, 0, [3, 9])
    # AIC g waits for AIV 2 g + 1, which never set flag 7 and has ended.
    assert got.missing == [(AIC, group, 2, 7, AIV, 2 * group + 1, 0, 1, 0) for group in range(3)]


def test_who_is_missing(twin: Twin) -> None:
    """The AIC waits for a second set of its only AIV, which waits for the AIC."""
    got = crosses(twin, [(WAIT, 2, S, 7), (WAIT, 2, S, 7)], [(SET, 2, MTE3, 7), (WAIT, 2, S, 1)], groups=1, count=1)
    assert got.missing == [(AIC, 0, 2, 7, AIV, 0, 1, 2, 1002), (AIV, 0, 2, 1, AIC, 0, 0, 1, 1002)]
    got = crosses(twin, [], [[(WAIT, 0, S, 2)], [(SET, 0, MTE3, 2), (WAIT, 0, S, 2)]])
    assert got.missing[0] == (AIV, 0, 0, 2, AIV, 0, 0, 1, 0)


@pytest.mark.parametrize(
    ("aic", "aiv", "count", "arch", "reason"),
    [
        ([(SET, 3, FIX, 0)], [], 2, 2201, 0),
        ([(SET, 4, FIX, 0)], [], 2, 2201, 1),
        ([], [(SET, 1, MTE3, 0)], 1, 2201, 2),
        ([(SET, 1, FIX, 0)], [], 2, 2201, 2),
        (None, [(SET, 2, MTE3, 0)], 1, 2201, 2),
        ([(WAIT, 2, FIX, 0)], [], 0, 2201, 2),
        ([], [(SET, 2, S, 0)], 2, 3510, 3),
        ([(SET, 2, FIX, 16)], [], 2, 2201, 4),
        ([], [(SET, 4, MTE3, 16)], 2, 3510, 4),
        ([(SET, 4, FIX, 32)], [], 2, 3510, 4),
        ([(SET, 2, FIX, 0)], [(SET, 1, MTE3, 0)], 2, 2201, 5),
    ],
)
def test_modes_that_cannot_be(
    twin: Twin, aic: list | None, aiv: list, count: int, arch: int, reason: int | None
) -> None:
    got = crosses(twin, aic, aiv, count=count, arch=arch, threads=1)
    assert (got.fault, got.details[0]) == (CROSS_MODE, reason)


@pytest.mark.parametrize(
    ("aic", "aiv", "arch", "pipe"),
    [
        ([(SET, 2, V, 0)], [], 2201, V),
        ([], [(SET, 2, M, 0)], 2201, M),
        ([(SET, 0, MTE3, 0)], [], 3510, MTE3),
        ([(WAIT, 4, MTE3, 0)], [], 3510, MTE3),
        ([], [(WAIT, 1, FIX, 0)], 3510, FIX),
    ],
)
def test_pipes_that_a_core_has_not(twin: Twin, aic: list, aiv: list, arch: int, pipe: int) -> None:
    got = crosses(twin, aic, aiv, arch=arch, threads=1)
    assert (got.fault, list(got.details[:3])) == (NUMBERS["ABSENT_PIPE"], [pipe, AIC if aic else AIV, arch])


def test_counters_end_at_15(twin: Twin) -> None:
    assert crosses(twin, [(SET, 2, FIX, 1)] * 15, [(WAIT, 2, S, 1)] * 15, threads=1).fault == 0
    got = crosses(twin, [(SET, 2, FIX, 1)] * 16, [(WAIT, 2, S, 1)] * 16, threads=1)
    assert (got.fault, got.kind, got.line, got.details[:3]) == (NUMBERS["CROSS_COUNT"], AIC, 1016, [1, AIV, 0])
    # The counter of the AIC goes up when both have set it.
    got = crosses(twin, [], [[(SET, 2, MTE3, 1)] * 20, []], threads=1)
    assert got.fault == NUMBERS["CROSS_LEFT"]
    got = crosses(twin, [], [(SET, 2, MTE3, 1)] * 16, threads=1)
    assert (got.fault, got.kind, got.block, got.details[:3]) == (NUMBERS["CROSS_COUNT"], AIV, 1, [1, AIC, 0])


@pytest.mark.parametrize(
    ("aic", "aiv", "told"),
    [
        ([(SET, 2, FIX, 1)] * 3, [(WAIT, 2, S, 1)], (AIC, 0, 1003, [1, 2, 2, AIV, 0])),
        ([(SET, 2, FIX, 1)], [[(WAIT, 2, S, 1)], []], (AIC, 0, 1001, [1, 2, 1, AIV, 1])),
        ([], [[(SET, 2, MTE3, 1)] * 2, [(SET, 2, MTE3, 1)]], (AIV, 0, 1002, [1, 2, 2, AIC, 0])),
        ([], [(SET, 0, MTE3, 4)], (AIV, 0, 1001, [4, 0, 1, AIV, 0])),
    ],
)
def test_flags_that_are_left(twin: Twin, aic: list, aiv: list, told: tuple) -> None:
    got = crosses(twin, aic, aiv)
    assert got.fault == NUMBERS["CROSS_LEFT"]
    assert (got.kind, got.block, got.line, got.details[:5]) == told


def test_a_core_that_fails_is_the_story(twin: Twin) -> None:
    """Its group's flags are left too, of a core with a lower rank."""
    got = crosses(twin, [(SET, 2, FIX, 1)], [(SET, 3, MTE3, 1), (WAIT, 2, S, 1)])
    assert (got.fault, got.kind, got.block) == (CROSS_MODE, AIV, 0)


def test_a_grid_above_the_chip(twin: Twin) -> None:
    """Flags within a group need no other group; those over all of them need all at once."""
    inside = ([(SET, 2, FIX, 1), (WAIT, 2, S, 2)], [(WAIT, 2, S, 1), (SET, 2, MTE3, 2)])
    assert crosses(twin, *inside, groups=60).fault == 0
    got = crosses(twin, [(SET, 0, FIX, 1)], [], groups=60)
    assert (got.fault, got.details[:2]) == (SYNC_GRID, [120, 48])
