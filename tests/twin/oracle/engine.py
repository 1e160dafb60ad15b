"""The engine of the checked twin as a function: a program in, its findings out."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from schedules import Access, Barrier, CrossSet, CrossWait, Program, Rules, Set, SyncAll, Wait

from opwright.check.events import TraceEvent as Event
from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain

ACCESS, SET, WAIT, BARRIER, SYNC_ALL, CROSS_SET, CROSS_WAIT = range(7)
RACE, RACE_BETWEEN_CORES, STALL = range(3)
MOST_FINDINGS = 1 << 16


class Finding(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("kind", "memory", "core", "first_core", "first_pipe", "second_pipe")),
        ("first_written", ctypes.c_uint32),
        ("second_written", ctypes.c_uint32),
        ("first_line", ctypes.c_int32),
        ("second_line", ctypes.c_int32),
        ("first_iteration", ctypes.c_uint32),
        ("second_iteration", ctypes.c_uint32),
        ("begin", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("element_bytes", ctypes.c_uint64),
    )


Judge = Callable[[Program, Rules], list[Finding]]


def events(program: Program) -> list[Event]:
    """A step is known to the engine by its number, counted over all cores, as its line."""
    found: list[Event] = []
    numbered = [(core, step) for core, steps in enumerate(program) for step in steps]
    for line, (core, step) in enumerate(numbered):
        match step:
            case Access(pipe, touches):
                for place, (memory, begin, end, written) in enumerate(touches):
                    more = len(touches) - 1 if place == 0 else 0
                    found.append(Event(core, ACCESS, pipe, 0, 0, line, memory, written, begin, end, more))
            case Set(source, destination, number):
                found.append(Event(core, SET, source, destination, number, line))
            case Wait(source, destination, number):
                found.append(Event(core, WAIT, destination, source, number, line))
            case Barrier(pipe):
                found.append(Event(core, BARRIER, pipe, 0, 0, line))
            case SyncAll():
                found.append(Event(core, SYNC_ALL, 0, 0, 0, line))
            case CrossSet(pipe, mode, number):
                found.append(Event(core, CROSS_SET, pipe, mode, number, line))
            case CrossWait(mode, number):
                found.append(Event(core, CROSS_WAIT, 0, mode, number, line))
    return found


def as_group(told: list[Event]) -> list[Event]:
    """The first core is the AIC of a group, the others are its AIVs."""
    for event in told:
        event.core_kind = event.core == 0
        event.core = max(event.core - 1, 0)
    return told


def load() -> Judge:
    store = Store(settings.cache_dir)
    function = ctypes.CDLL(str(library(store, toolchain(store), Mode.CHECKED).path)).opwright_judge
    function.restype = ctypes.c_uint64
    out = (Finding * MOST_FINDINGS)()

    def judge(program: Program, rules: Rules) -> list[Finding]:
        told = events(program)
        bits = rules.vector_in_order | rules.scalar_in_order << 1
        trace = (Event * len(told))(*told)
        count = function(trace, ctypes.c_uint64(len(told)), ctypes.c_uint32(bits), out, ctypes.c_uint64(MOST_FINDINGS))
        assert count <= MOST_FINDINGS
        return [Finding.from_buffer_copy(finding) for finding in out[:count]]

    return judge
