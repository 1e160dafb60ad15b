"""The engine for threads as a function: events in, what it tells out. An event is known by its number as its line."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum

from happens_before import WARP, Access, BlockMeets, Event, WarpMeets

from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain

MOST_FINDINGS = 1 << 14


class Told(IntEnum):
    RACE = 0
    FIRST_READ = 1
    TOUCHED = 2


class RawEvent(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("thread", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        ("memory", ctypes.c_uint32),
        ("access", ctypes.c_uint32),
        ("bytes", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
    )


class Finding(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("memory", ctypes.c_uint32),
        ("first_thread", ctypes.c_uint32),
        ("second_thread", ctypes.c_uint32),
        ("first_line", ctypes.c_int32),
        ("second_line", ctypes.c_int32),
        ("first_access", ctypes.c_uint32),
        ("second_access", ctypes.c_uint32),
        ("begin", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
    )

    def places(self) -> set[tuple[int, int]]:
        return {(self.memory, byte) for byte in range(self.begin, self.end)}


Judge = Callable[[list[Event]], list[Finding]]


def raw(number: int, event: Event) -> RawEvent:
    match event:
        case Access(thread, how, memory, address, size):
            return RawEvent(0, thread, number, memory, how, size, address)
        case BlockMeets():
            return RawEvent(1, 0, number)
        case WarpMeets(warp):
            return RawEvent(2, warp * WARP, number)


def load() -> Judge:
    store = Store(settings.cache_dir)
    function = ctypes.CDLL(str(library(store, toolchain(store), Mode.CHECKED).path)).opwright_judge_threads
    function.restype = ctypes.c_uint64
    out = (Finding * MOST_FINDINGS)()

    def judge(events: list[Event]) -> list[Finding]:
        given = (RawEvent * len(events))(*(raw(number, event) for number, event in enumerate(events)))
        count = function(given, ctypes.c_uint64(len(events)), out, ctypes.c_uint64(MOST_FINDINGS))
        assert count <= MOST_FINDINGS
        return [Finding.from_buffer_copy(finding) for finding in out[:count]]

    return judge
