"""What the library says came of a launch, laid out as in `context.h`; the loader asserts the sizes.

In: nothing. Out: `Outcome`, filled in by the library and read by `report.py`.
"""

from __future__ import annotations

import ctypes

from opwright.twin.constants import DETAILS, WAITERS


class Waiter(ctypes.Structure):
    """A core that waits, where, what for, and whom for."""

    _fields_ = (
        ("block", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        *((name, ctypes.c_uint32) for name in ("core_kind", "awaited", "mode", "id", "partner", "partner_kind")),
        *((name, ctypes.c_uint32) for name in ("partner_sets", "sets")),
        ("partner_line", ctypes.c_int32),
        ("rank", ctypes.c_uint32),
    )
    block: int
    line: int
    core_kind: int
    awaited: int
    mode: int
    id: int
    partner: int
    partner_kind: int
    partner_sets: int
    sets: int
    partner_line: int


class Found(ctypes.Structure):
    """What the checked mode found at one place."""

    _fields_ = (
        ("fault", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        ("block", ctypes.c_uint32),
        ("core_kind", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("details", ctypes.c_int64 * DETAILS),
    )
    fault: int
    line: int
    block: int
    core_kind: int
    count: int
    cores: int
    details: ctypes.Array[ctypes.c_int64]


class Outcome(ctypes.Structure):
    """What came of a launch; laid out as in `context.h`, which the loader asserts."""

    _fields_ = (
        ("fault", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        ("block", ctypes.c_uint32),
        ("core_kind", ctypes.c_uint32),
        ("details", ctypes.c_int64 * DETAILS),
        ("waiters", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("waiting", Waiter * WAITERS),
        ("printed", ctypes.c_void_p),
        ("printed_bytes", ctypes.c_uint64),
        ("findings", ctypes.POINTER(Found)),
        ("finding_count", ctypes.c_uint64),
        ("events", ctypes.c_void_p),
        ("event_count", ctypes.c_uint64),
        ("events_lost", ctypes.c_uint64),
    )
    fault: int
    line: int
    block: int
    core_kind: int
    details: ctypes.Array[ctypes.c_int64]
    waiters: int
    waiting: ctypes.Array[Waiter]
    printed: int | None
    printed_bytes: int
    findings: ctypes._Pointer[Found]
    finding_count: int
    events: int | None
    event_count: int
    events_lost: int
