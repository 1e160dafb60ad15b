"""Enumerations that Python and C++ share, stated once: `enumerations.h` is generated from here.

Out: `SHARED`, the enumerations with their C++ types. Values count from 0 in the order of the lines; C++ spells them as
Python does.
"""

from __future__ import annotations

from enum import IntEnum, auto


class _FromZero(IntEnum):
    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[int]) -> int:
        return count


class CoreKind(_FromZero):
    """The two kinds of cores."""

    AIV = auto()
    AIC = auto()


class BufferState(_FromZero):
    """Where a buffer of a queue is."""

    FREE = auto()
    OCCUPIED = auto()
    ENQUEUED = auto()
    DEQUEUED = auto()


class SetState(_FromZero):
    """What InitSocState sets, and a TPipe when it is made. A checked core starts with what another kernel left."""

    MASK_MODE = auto()
    MASK = auto()
    ATOMIC = auto()
    IMAGES = auto()


class Awaited(_FromZero):
    """What a core waits for: a barrier over cores, a flag of another core, or a word of global memory."""

    BARRIER = auto()
    FLAG = auto()
    WORD = auto()


class Owner(_FromZero):
    """Whose on-chip memory an operand lies in: from 3510 on a core reaches some of those of the others in its group."""

    SELF = auto()
    AIV_0 = auto()
    AIV_1 = auto()
    AIC = auto()


class ListFault(_FromZero):
    """What is wrong with a list of tensors."""

    OFFSET = auto()
    LENGTH = auto()
    COUNT = auto()
    INDEX = auto()
    EXTENTS = auto()
    STRANGER = auto()


class SliceRule(_FromZero):
    """What slices of a copy must fulfil."""

    DIMS = auto()
    END = auto()
    SHAPE = auto()
    BURST = auto()
    BLOCKS = auto()
    PIECES = auto()


class CrossReason(_FromZero):
    """Why a flag between cores is refused."""

    NO_SUCH_MODE = auto()
    ONLY_3510 = auto()
    NO_PARTNER = auto()
    PIPE = auto()
    ID = auto()
    OTHER_MODE = auto()
    AIC_AT_AIVS = auto()
    NOT_BOTH = auto()


class ThreadState(_FromZero):
    """What a thread waits for."""

    ENDED = auto()
    AT_BARRIER = auto()
    AT_MEETING = auto()


class ThreadKind(_FromZero):
    """How a thread touches bytes. Atomics never race with each other; the order of float additions shows in a sum."""

    READ = auto()
    WRITTEN = auto()
    ATOMIC = auto()
    ADDS_FLOATS = auto()


class TraceKind(_FromZero):
    """What an event of a recorded launch is."""

    ACCESS = auto()
    SET = auto()
    WAIT = auto()
    BARRIER = auto()
    SYNC_ALL = auto()
    CROSS_SET = auto()
    CROSS_WAIT = auto()


SHARED: dict[type[IntEnum], str] = {
    CoreKind: "uint32_t",
    BufferState: "uint8_t",
    SetState: "uint8_t",
    Awaited: "uint32_t",
    Owner: "uint8_t",
    ListFault: "uint32_t",
    SliceRule: "int64_t",
    CrossReason: "int64_t",
    ThreadState: "uint32_t",
    ThreadKind: "uint32_t",
    TraceKind: "uint32_t",
}
