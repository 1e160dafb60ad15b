"""Which order flags and barriers give: every execution of a schedule tree, all numbers of iterations and all arms.

In: the conflicts of a tree, flags and barriers. Out: the first fault: two calls that meet without an order, a flag that
is set again before its wait has certainly happened, a wait without a set, or a flag that is left over.

What a pipe knows is what has certainly ended when it starts its next call. The state of an execution holds, for each
pipe and each set flag, the bits of the calls that may *not* have ended: always those of the last call with this bit, so
the number of states is finite, and all of them are walked. The bits of pipes and flags lie side by side in one number,
a lane for each.

No bit depends on another one: what counts is which columns, the same bit of all lanes, a position can have, not which
of them come together. So a column that is within one that was at the same position before is left out, as less can go
wrong from there, and columns of different bits share a state. A position has as many states as a bit has columns there,
however many arms lead to it.

The rules are those of the chip: a pipe starts its calls in order, but a call may start before the one ahead of it has
ended; a set comes behind the end of everything ahead of it on its pipe; the scalar unit works in order, stands still in
its own waits, and issues everything else: what it knows, all that is issued later knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from opwright.tile.compiler.conflicts import Conflicts
from opwright.tile.compiler.operations import (
    SCALAR,
    Choice,
    Entry,
    Operation,
    Reader,
    Repeat,
    Run,
    Seen,
    Signal,
    Stop,
    Table,
)
from opwright.tile.compiler.schedule import Barrier, Flag, Step

RACE, SET_AGAIN, NOT_SET, LEFT = "race", "set again", "not set", "left"
PENDING, UNKNOWN = 0, -1  # positions in a state

State: TypeAlias = list[int]  # the flags that are set, the counters, and the lanes of what may not have ended


@dataclass(frozen=True)
class Fault:
    """What goes wrong; two steps for a race, else the flag."""

    kind: str
    first: Step | None = None
    second: Step | None = None
    flag: Flag | None = None


class _FaultFound(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class Model:
    """Judges flags and barriers of one tree.

    in_order: pipes whose calls wait for those ahead of them. given: flags that are there in any case.
    """

    def __init__(self, conflicts: Conflicts, in_order: frozenset[str], given: Sequence[Flag] = ()) -> None:
        self.conflicts, self.table = conflicts, Table(conflicts, in_order, tuple(given))

    def fault(
        self,
        flags: Sequence[Flag],
        barriers: Sequence[Barrier] = (),
        *,
        ids: bool = True,
        own: bool = True,
        cross: bool = True,
        only: int = -1,
    ) -> Fault | None:
        """The first fault.

        Without `ids` flags may be set again early, without `own` every pipe waits for itself, without `cross` races
        between pipes may be left out. only: bits of steps; races of others may be left out.
        """
        try:
            _Execution(self.table, flags, barriers, ids, own, cross, only).run()
        except _FaultFound as found:
            return found.fault
        return None

    def stops(self, flags: Sequence[Flag], barriers: Sequence[Barrier]) -> list[Barrier]:
        """A barrier before each step that meets an unfinished one of its own pipe, as executions come to it."""
        execution = _Execution(self.table, flags, barriers, ids=False, own=True, cross=False)
        execution.added = {}
        execution.run()
        return [Barrier(step.pipe, step) for step in execution.added]


class _Execution:
    """All executions of a tree with some flags and barriers."""

    def __init__(
        self,
        table: Table,
        flags: Sequence[Flag],
        barriers: Sequence[Barrier],
        ids: bool,
        own: bool,
        cross: bool,
        only: int = -1,
    ) -> None:
        self.table, self.ids, self.own = table, ids, own
        flags = [*flags, *table.given]
        self.reader = Reader(table, flags, barriers, ids)
        self.bits, self.width, self.lane = self.reader.bits, self.reader.width, self.reader.lane
        self.ones, self.first_token = self.reader.ones, self.reader.first_token
        self.added: dict[Step, None] | None = None
        waits = (1 << self.width) - (1 << self.bits)
        self.watched = waits | ((table.own_bits if own else 0) | (table.cross_bits if cross else 0)) & only
        self.masks: dict[int, int] = {}
        # What the scalar unit knows is known to all; if it neither waits nor works, that is nothing.
        self.scalar = bool(table.conflicts.own[SCALAR]) or any(flag.destination == SCALAR for flag in flags)

    def run(self) -> None:
        """Walks every state; raises the first fault."""
        start = [self.reader.start, *(0 for _ in self.table.counters), 0]
        for state in self._walk(self.reader.read(self.table.conflicts.root), [start]):
            if state[PENDING] != self.reader.start:
                raise _FaultFound(Fault(LEFT))

    def _walk(self, operations: list[Operation], states: list[State]) -> list[State]:
        """The states behind some operations; those before are used up."""
        for operation in operations:
            match operation:
                case Run():
                    for state in states:
                        self._call(operation, state)
                case Signal(is_set=True):
                    for state in states:
                        self._set(operation, state)
                case Signal():
                    for state in states:
                        self._wait(operation, state)
                case Stop(mask):
                    for state in states:
                        state[UNKNOWN] &= mask
                case Repeat():
                    states = self._iterate(operation, states)
                case Choice(arms, seen):
                    behind = [self._walk(arm, [state[:] for state in states]) for arm in arms]
                    states = self._new(seen, [state for some in behind for state in some])
        return states

    def _iterate(self, loop: Repeat, states: list[State]) -> list[State]:
        """The states behind a loop: those after each number of iterations."""
        if loop.once:
            return self._new(loop.seen, self._body(loop, states))  # as if it stood there without the loop
        found: list[State] = []
        new = self._new(loop.seen, states)
        while new:
            found += new
            new = self._new(loop.seen, self._body(loop, new))
        return self._new({}, found)

    def _body(self, loop: Repeat, states: list[State]) -> list[State]:
        """The states behind one iteration."""
        behind = self._walk(loop.body, [state[:] for state in states])
        for state in behind:
            for counter, count in loop.counters:
                state[counter] = (state[counter] + 1) % count
            state[UNKNOWN] &= loop.mask
        return behind

    def _new(self, seen: Seen, states: list[State]) -> list[State]:
        """The columns from which more can go wrong than from those that were at this position before, in few states."""
        new: Seen = {}
        for *known, unknown in states:
            key = tuple(known)
            if (mask := self.masks.get(known[PENDING])) is None:
                mask = self.masks[known[PENDING]] = self._mask(known[PENDING])
            unknown &= mask
            for other in seen.get(key, ()):
                if not unknown:
                    break
                unknown &= self._columns(unknown & ~other)
            if unknown or not (key in seen or key in new):
                self._add(new.setdefault(key, []), unknown)
        for key, lanes in new.items():
            others = seen.setdefault(key, [])
            for unknown in lanes:
                self._add(others, unknown)
        return [[*key, unknown] for key, lanes in new.items() for unknown in lanes]

    def _add(self, states: list[int], unknown: int) -> None:
        """Puts columns into the first states whose columns are within them, and what is left into a new state."""
        for position, state in enumerate(states):
            kept = self._columns(state & ~unknown)
            left = unknown & kept & self._columns(unknown & ~state)
            states[position] = state & kept | unknown & ~kept
            unknown = left
            if not unknown:
                return
        states.append(unknown)

    def _columns(self, lanes: int) -> int:
        """All lanes of the bits that some lane has."""
        for shift in self.reader.halvings:
            lanes |= lanes >> shift
        return (lanes & self.lane) * self.ones

    def _mask(self, pending: int) -> int:
        """The watched bits in the lanes of all pipes and of the flags that are set."""
        mask = self.reader.pipe_lanes
        for token in range(pending.bit_length()):
            if pending >> token & 1:
                mask |= self.lane << (self.first_token + token) * self.width
        return mask & self.watched * self.ones

    def _call(self, run: Run, state: State) -> None:
        position = 0
        for counter, stride in run.calls.counters:
            position += state[counter] * stride
        entry = run.calls.entries[position]
        unknown = self._start(run.lane, state)
        if unknown & entry.meets:
            raise _FaultFound(self._race(unknown & entry.meets, run))
        behind = self._own(run, entry, unknown) if self.own and entry.calls else unknown & ~run.own | entry.last
        state[UNKNOWN] = (state[UNKNOWN] | run.spread[position]) & ~(self.lane << run.lane) | behind << run.lane

    def _own(self, run: Run, entry: Entry, unknown: int) -> int:
        """What a pipe that does not wait for itself does not know behind some calls."""
        for position, (bits, meets, step) in enumerate(entry.calls):
            if position in run.stops or (self.added and step in self.added):
                unknown &= ~run.own
            if unknown & meets:
                if self.added is None:
                    raise _FaultFound(Fault(RACE, self.table.conflicts.step_of(unknown & meets), step))
                self.added[step] = None
                unknown &= ~run.own
            unknown |= bits
        return unknown

    def _start(self, lane: int, state: State) -> int:
        """What a pipe does not know when it starts what is issued now."""
        unknown = state[UNKNOWN] >> lane & self.lane
        return unknown & state[UNKNOWN] if self.scalar else unknown  # the lane of the scalar unit is the first one

    def _set(self, signal: Signal, state: State) -> None:
        token = signal.token + (state[signal.counter] if signal.counter is not None else 0)
        unknown = self._start(signal.lane, state)
        is_judged = self.ids and signal.flag not in self.table.given
        if state[PENDING] >> token & 1 or (is_judged and unknown >> self.bits + token & 1):
            raise _FaultFound(Fault(SET_AGAIN, flag=signal.flag))
        state[PENDING] |= 1 << token
        lane = (self.first_token + token) * self.width
        state[UNKNOWN] = state[UNKNOWN] & ~(self.lane << lane) | (unknown & ~signal.own) << lane

    def _wait(self, signal: Signal, state: State) -> None:
        token = signal.token + (state[signal.counter] if signal.counter is not None else 0)
        if not state[PENDING] >> token & 1:
            raise _FaultFound(Fault(NOT_SET, flag=signal.flag))
        state[PENDING] ^= 1 << token
        given = state[UNKNOWN] >> (self.first_token + token) * self.width
        unknown = self._start(signal.lane, state) & given
        # Behind a wait of the scalar unit nothing is issued before it is over.
        if self.ids and signal.lane and signal.flag not in self.table.given:
            state[UNKNOWN] |= self.ones << self.bits + token
        state[UNKNOWN] = state[UNKNOWN] & ~(self.lane << signal.lane) | unknown << signal.lane

    def _race(self, bits: int, run: Run) -> Fault:
        """The steps of a race between pipes."""
        occurrences = self.table.conflicts.occurrences
        meets = (step for step in run.calls.steps if any(mask & bits for mask in occurrences[step].conflicts.values()))
        return Fault(RACE, self.table.conflicts.step_of(bits), next(meets))
