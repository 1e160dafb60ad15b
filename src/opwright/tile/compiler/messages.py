"""Which messages cube and vector cores need for the values that cross, and how many slots each value has.

In: a kernel with its crossings. Out: a `Channel` for each crossing: "there" is set when a value is in its slot, "free"
when it was read. Of both as few are kept as the order of all accesses needs; a second slot is taken only where one
would need "free". Refuses more messages than there are flags.

The order is judged on traces: both kinds of cores do the same walk through the kernel (`walks.py`) side by side. What
a pipe knows is how much has ended on every pipe when its next work starts. A value that goes from one pipe to another
takes along all earlier work of its pipe, as a flag between pipes does; that is all that is counted on within a core. A
wait for another core stops every pipe on ascend910b, and one pipe on ascend950.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from opwright.errors import TooManyMessages
from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.tile import CountedOp, DotOp, FullOp, MakesTile, ViewOp
from opwright.ir.tile_memory import LoadOp, PutsTile
from opwright.kernel.source import Source
from opwright.tile.compiler.crossings import Crossing
from opwright.tile.compiler.cursor import located
from opwright.tile.compiler.walks import walks_of

FLAGS = 11  # between cores, that nothing else uses

CUBE_PIPES = ("MTE2", "M", "FIX")
VECTOR_PIPES = ("MTE2", "V", "MTE3")
Pipe = tuple[bool, str]  # of a cube core or not, and its name
Clock = dict[Pipe, int]  # how many calls of each pipe have ended
_Slot = tuple[Crossing, int]


@dataclass(frozen=True)
class Channel:
    """How a value crosses. `there`, `free`: the first flag of a message, which has one for each slot; None: no need."""

    crossing: Crossing
    slots: int
    there: int | None
    free: int | None


def channels_of(
    kernel: FuncOp, cube: Collection[Operation], crossings: Sequence[Crossing], waits_stop_all: bool, source: Source
) -> list[Channel]:
    """The channels of a kernel."""

    walks = walks_of(kernel.body.block)

    def is_right(channels: Sequence[Channel]) -> bool:
        return all(_Trace(cube, channels, waits_stop_all).is_right(walk) for walk in walks)

    found = [Channel(one, 1, 0, None) for one in crossings]
    if not is_right(found):
        found = [Channel(one, 2, 0, 0) for one in crossings]
        for number, channel in enumerate(found):
            # One slot, if that needs no "free"; else two, and "free" if they need it.
            for simpler in (replace(channel, slots=1, free=None), replace(channel, free=None)):
                tried = [*found[:number], simpler, *found[number + 1 :]]
                if is_right(tried):
                    found = tried
                    break
    for number, channel in enumerate(found):
        tried = [*found[:number], replace(channel, there=None), *found[number + 1 :]]
        if is_right(tried):
            found = tried
    return _numbered(found, source)


def round_trips(
    kernel: FuncOp, cube: Collection[Operation], channels: Sequence[Channel], waits_stop_all: bool
) -> list[tuple[Channel, Channel]]:
    """Which values answer which: when the second is there, its receiver's last store of the first is over."""
    found: dict[tuple[Crossing, Crossing], bool] = {}
    for walk in walks_of(kernel.body.block):
        trace = _Trace(cube, channels, waits_stop_all)
        trace.is_right(walk)
        for pair, is_answered in trace.answered.items():
            found[pair] = found.get(pair, True) and is_answered
    by_crossing = {channel.crossing: channel for channel in channels}
    return [(by_crossing[sent], by_crossing[answer]) for (sent, answer), is_answered in found.items() if is_answered]


def _numbered(channels: Sequence[Channel], source: Source) -> list[Channel]:
    """Gives each message its flags."""
    numbered, following = [], 0
    for channel in channels:
        flags: list[int | None] = []
        for wanted in (channel.there, channel.free):
            flags.append(None if wanted is None else following)
            following += 0 if wanted is None else channel.slots
        numbered.append(replace(channel, there=flags[0], free=flags[1]))
    if following > FLAGS:
        raise TooManyMessages(located(channels[-1].crossing.maker, source), wanted=following, flags=FLAGS)
    return numbered


class _Race(Exception):
    pass


@dataclass
class _Event:
    """Work of a pipe: its number there, and what had ended when it started."""

    pipe: Pipe
    number: int
    clock: Clock


class _Trace:
    """One walk on a cube core and on a vector core; the other vector core does the same."""

    def __init__(self, cube: Collection[Operation], channels: Sequence[Channel], waits_stop_all: bool) -> None:
        self.cube, self.waits_stop_all = cube, waits_stop_all
        self.channels = {channel.crossing.value: channel for channel in channels}
        self.received: dict[Operation, list[Channel]] = {}
        for channel in channels:
            self.received.setdefault(channel.crossing.receiver(cube), []).append(channel)
        self.clocks: dict[Pipe, Clock] = {
            (is_cube, pipe): {} for is_cube, pipes in ((True, CUBE_PIPES), (False, VECTOR_PIPES)) for pipe in pipes
        }
        self.ended: Clock = dict.fromkeys(self.clocks, 0)
        self.made: dict[tuple[bool, SSAValue], _Event] = {}
        self.used: dict[Crossing, int] = {}  # how often a value has crossed
        self.stores: dict[Crossing, tuple[_Slot, _Event, Clock]] = {}  # the last one of each value, and what it tells
        self.loads: dict[_Slot, _Event] = {}  # the last one of each slot
        self.free: dict[_Slot, Clock] = {}  # what a "free" tells that no wait has taken yet
        self.answered: dict[tuple[Crossing, Crossing], bool] = {}  # as `round_trips`, in this trace

    def is_right(self, walk: Sequence[Operation]) -> bool:
        """Whether every access of a slot comes after the ones before it."""
        try:
            for operation in walk:
                for channel in self.received.get(operation, ()):
                    self._receive(channel)
                self._operation(operation)
        except _Race:
            return False
        return True

    def _operation(self, operation: Operation) -> None:
        side = operation in self.cube
        match operation:
            case py.VariableOp() if operation.initial is not None:
                self._rename(side, operation.initial, operation.cell)
            case py.StoreOp():
                self._rename(side, operation.value, operation.cell)
            case py.LoadOp():
                self._rename(side, operation.cell, operation.result)
            case CountedOp() | ViewOp():
                self._rename(side, operation.x, operation.result)
            case FullOp() if side:
                pass  # zeros that a product starts from are no work
            case MakesTile():
                self.made[side, operation.result] = self._run((side, _pipe_of(operation, side)), operation.operands)
            case PutsTile():
                self._run((side, "FIX" if side else "MTE3"), [operation.tile])
        for result in operation.results:
            if (channel := self.channels.get(result)) is not None:
                self._send(channel)

    def _rename(self, side: bool, old: SSAValue, new: SSAValue) -> None:
        if (side, old) in self.made:
            self.made[side, new] = self.made[side, old]

    def _run(self, pipe: Pipe, operands: Sequence[SSAValue]) -> _Event:
        """Work that starts once what it takes is there."""
        clock = self.clocks[pipe]
        for operand in operands:
            event = self.made.get((pipe[0], operand))
            if event is not None:
                _join(clock, {**event.clock, event.pipe: event.number})
        self.ended[pipe] += 1
        return _Event(pipe, self.ended[pipe], dict(clock))

    def _send(self, channel: Channel) -> None:
        """A value into its slot."""
        crossing = channel.crossing
        pipe = (crossing.from_cube, "FIX" if crossing.from_cube else "MTE3")
        count = self.used.get(crossing, 0)
        self.used[crossing] = count + 1
        place = (crossing, count % channel.slots)
        if channel.free is not None and place in self.free:
            self._wait(pipe, self.free.pop(place))
        stored = self._run(pipe, [crossing.value])
        loaded = self.loads.get(place)
        if loaded is not None and stored.clock.get(loaded.pipe, 0) < loaded.number:
            raise _Race
        self.stores[crossing] = (place, stored, {**self.clocks[pipe], pipe: self.ended[pipe]})

    def _receive(self, channel: Channel) -> None:
        """A value out of its slot."""
        crossing = channel.crossing
        pipe = (not crossing.from_cube, "MTE2")
        place, stored, token = self.stores[crossing]
        if channel.there is not None:
            self._wait(pipe, token)
            for sent, (_, earlier, _) in self.stores.items():
                if sent.from_cube != crossing.from_cube:
                    is_over = token.get(earlier.pipe, 0) >= earlier.number
                    self.answered[sent, crossing] = self.answered.get((sent, crossing), True) and is_over
        loaded = self._run(pipe, [])
        if loaded.clock.get(stored.pipe, 0) < stored.number:
            raise _Race
        self.made[not crossing.from_cube, crossing.value] = self.loads[place] = loaded
        if channel.free is not None:
            self.free[place] = {**self.clocks[pipe], pipe: self.ended[pipe]}

    def _wait(self, pipe: Pipe, token: Clock) -> None:
        for other, clock in self.clocks.items():
            if other == pipe or (self.waits_stop_all and other[0] == pipe[0]):
                _join(clock, token)


def _pipe_of(operation: Operation, is_cube: bool) -> str:
    if isinstance(operation, LoadOp):
        return "MTE2"
    if isinstance(operation, DotOp):
        return "M"
    return "FIX" if is_cube else "V"


def _join(clock: Clock, other: Clock) -> None:
    for pipe, number in other.items():
        if clock.get(pipe, 0) < number:
            clock[pipe] = number
