"""What a launch hands to the library and gets back from it, laid out as in `context.h`.

Out: `LaunchRecord` and `GmRange` as ctypes sees them, and `packing`, the format with which `struct` writes them: that
takes less time than filling in fields. `Outcome`, which the library fills in and `report.py` reads; the loader asserts
its size.
"""

from __future__ import annotations

import ctypes

from opwright.ascendc.socs import MEMORIES
from opwright.twin.constants import DETAILS, WAITERS


class LaunchRecord(ctypes.Structure):
    """Followed in memory by argument slots of 8 bytes, and by `ranges` entries of `GmRange`."""

    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("arch", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("grid", ctypes.c_uint32),
        ("threads", ctypes.c_uint32),
        ("cores", ctypes.c_uint32),
        ("slots", ctypes.c_uint32),
        ("ranges", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("dynamic_ub", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
        ("workspace", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("memory_bytes", ctypes.c_uint64 * len(MEMORIES)),
    )


class GmRange(ctypes.Structure):
    """Global memory that an argument stands for."""

    _fields_ = (
        ("base", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("use", ctypes.c_uint32),
        ("slot", ctypes.c_uint32),
    )


def packing(kind: type[ctypes.Structure]) -> str:
    """The fields of a structure as letters of `struct`: words of 4 bytes, and of 8 bytes alone or in arrays."""
    sizes = (getattr(kind, field[0]).size for field in kind._fields_)
    return "".join("I" if size == 4 else "Q" * (size // 8) for size in sizes)


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
