"""What cube and vector cores do in one walk through a kernel, and whether messages order it.

In: a kernel with its crossings. Out: a `Trace` for each walk through it (`walks.py`), which both kinds of cores do side
by side. A trace is made once; `run` judges any channels on it.

What a pipe knows is which work has ended when its next work starts: a set of bits, one for each piece of work of the
trace. A value that goes from one pipe to another takes along all earlier work of its pipe, as a flag between pipes
does; that is all that is counted on within a core. A wait for another core stops every pipe on ascend910b, and one pipe
on ascend950.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from opwright.ir import Operation, SSAValue
from opwright.ir import language as py
from opwright.ir.language import FuncOp
from opwright.ir.tile import CountedOp, DotOp, FullOp, MakesTile, ViewOp
from opwright.ir.tile_memory import LoadOp, PutsTile
from opwright.ir.types import TileType
from opwright.tile.compiler.crossings import Crossing
from opwright.tile.compiler.walks import walks_of

Pipe: TypeAlias = "tuple[bool, str]"  # of a cube core or not, and its name
PIPES: tuple[Pipe, ...] = tuple(
    (is_cube, name) for is_cube in (True, False) for name in ("MTE2", *(("M", "FIX") if is_cube else ("V", "MTE3")))
)
Answers: TypeAlias = "dict[tuple[Crossing, Crossing], bool]"  # whether the second says that the first is over
_Value: TypeAlias = "tuple[bool, SSAValue]"  # as one kind of core has it


@dataclass(frozen=True)
class Channel:
    """How a value crosses. `there`, `free`: the first flag of a message, which has one for each slot; None: no need."""

    crossing: Crossing
    slots: int
    there: int | None
    free: int | None


class _Act(NamedTuple):
    """What an operation does. `receives`, `sends`: what crosses before and behind it."""

    receives: Sequence[Crossing]
    sends: Sequence[Crossing]
    renames: tuple[_Value, _Value] | None = None  # a value and its new name
    pipe: Pipe | None = None  # that works, if one does
    takes: Sequence[_Value] = ()
    makes: _Value | None = None


class _Event(NamedTuple):
    """Work of a pipe: what it takes, by numbers of events. `own`: the bits of this and all earlier work of the pipe."""

    pipe: Pipe
    takes: Sequence[int]
    own: int
    sends: Crossing | None = None
    receives: Crossing | None = None
    earlier: int = 0  # how often the value was sent before


def traces_of(kernel: FuncOp, cube: Collection[Operation], crossings: Sequence[Crossing]) -> list[Trace]:
    """A trace for each walk through a kernel."""
    acts = _Acts(cube, crossings)
    return [Trace(_Events(acts).of(walk)) for walk in walks_of(kernel.body.block)]


@dataclass
class Trace:
    """One walk on a cube core and on a vector core; the other vector core does the same."""

    events: list[_Event]

    def run(self, channels: Mapping[Crossing, Channel], waits_stop_all: bool, answers: Answers) -> bool:
        """Whether every access of a slot comes after the ones before it.

        answers: gets for each two values whether the last store of the first was over whenever the second was there.
        """
        known = dict.fromkeys(PIPES, 0)
        behind: list[int] = []  # for each event what is known to have ended where it has
        stores: dict[Crossing, tuple[int, int]] = {}  # slot and event of the last one
        loads: dict[tuple[Crossing, int], int] = {}
        free: dict[tuple[Crossing, int], int] = {}  # what a "free" tells that no wait has taken yet

        def wait(pipe: Pipe, ended: int) -> None:
            for other in PIPES:
                if other == pipe or (waits_stop_all and other[0] == pipe[0]):
                    known[other] |= ended

        for number, (pipe, takes, own, sends, receives, earlier) in enumerate(self.events):
            if sends is not None:
                used = (sends, earlier % channels[sends].slots)
                if used in free:
                    wait(pipe, free.pop(used))
            elif receives is not None:
                slot, stored = stores[receives]
                used = (receives, slot)
                if channels[receives].there is not None:
                    wait(pipe, behind[stored])
                    _note_answers(answers, stores, receives, behind[stored])
            ended = known[pipe]
            for one in takes:
                ended |= behind[one]
            known[pipe] = ended
            behind.append(ended | own)
            if sends is not None:
                if used in loads and not ended >> loads[used] & 1:
                    return False
                stores[sends] = used[1], number
            elif receives is not None:
                if not ended >> stored & 1:
                    return False
                loads[used] = number
                if channels[receives].free is not None:
                    free[used] = behind[number]
        return True


def _note_answers(answers: Answers, stores: Mapping[Crossing, tuple[int, int]], receives: Crossing, ended: int) -> None:
    for sent, (_, earlier) in stores.items():
        if sent.from_cube != receives.from_cube:
            is_over = bool(ended >> earlier & 1)
            answers[sent, receives] = answers.get((sent, receives), True) and is_over


class _Acts:
    """What the operations of a kernel do; each is looked at once."""

    def __init__(self, cube: Collection[Operation], crossings: Sequence[Crossing]) -> None:
        self.cube = cube
        self.sent = {one.value: one for one in crossings}
        self.received: dict[Operation, list[Crossing]] = {}
        for one in crossings:
            self.received.setdefault(one.receiver(cube), []).append(one)
        self.known: dict[Operation, _Act] = {}

    def of(self, operation: Operation) -> _Act:
        if (known := self.known.get(operation)) is None:
            known = self.known[operation] = self._act(operation)
        return known

    def _act(self, operation: Operation) -> _Act:
        side = operation in self.cube
        sends = [self.sent[result] for result in operation.results if result in self.sent]
        act = _Act(self.received.get(operation, ()), sends)
        match operation:
            case py.VariableOp() if operation.initial is not None:
                return act._replace(renames=((side, operation.initial), (side, operation.cell)))
            case py.StoreOp():
                return act._replace(renames=((side, operation.value), (side, operation.cell)))
            case py.LoadOp():
                return act._replace(renames=((side, operation.cell), (side, operation.result)))
            case CountedOp() | ViewOp():
                return act._replace(renames=((side, operation.x), (side, operation.result)))
            case FullOp() if side:
                return act  # zeros that a product starts from are no work
            case MakesTile():
                takes = [(side, one) for one in operation.operands if isinstance(one.type, TileType)]
                return act._replace(pipe=(side, _pipe_of(operation, side)), takes=takes, makes=(side, operation.result))
            case PutsTile():
                return act._replace(pipe=(side, "FIX" if side else "MTE3"), takes=[(side, operation.tile)])
        return act


class _Events:
    """The events of a walk."""

    def __init__(self, acts: _Acts) -> None:
        self.acts = acts
        self.events: list[_Event] = []
        self.own = dict.fromkeys(PIPES, 0)
        self.made: dict[_Value, int] = {}  # which event made a value
        self.sent: dict[Crossing, int] = {}  # how often

    def of(self, walk: Sequence[Operation]) -> list[_Event]:
        for operation in walk:
            act = self.acts.of(operation)
            for crossing in act.receives:
                event = self._event((not crossing.from_cube, "MTE2"), (), receives=crossing)
                self.made[not crossing.from_cube, crossing.value] = event
            if act.renames is not None and act.renames[0] in self.made:
                self.made[act.renames[1]] = self.made[act.renames[0]]
            if act.pipe is not None:
                event = self._event(act.pipe, act.takes)
                if act.makes is not None:
                    self.made[act.makes] = event
            for crossing in act.sends:
                self._send(crossing)
        return self.events

    def _send(self, crossing: Crossing) -> None:
        side = crossing.from_cube
        count = self.sent.get(crossing, 0)
        self.sent[crossing] = count + 1
        self._event((side, "FIX" if side else "MTE3"), [(side, crossing.value)], sends=crossing, earlier=count)

    def _event(
        self,
        pipe: Pipe,
        takes: Sequence[_Value],
        sends: Crossing | None = None,
        receives: Crossing | None = None,
        earlier: int = 0,
    ) -> int:
        number = len(self.events)
        self.own[pipe] |= 1 << number
        taken = [self.made[one] for one in takes if one in self.made]
        self.events.append(_Event(pipe, taken, self.own[pipe], sends, receives, earlier))
        return number


def _pipe_of(operation: Operation, is_cube: bool) -> str:
    if isinstance(operation, LoadOp):
        return "MTE2"
    if isinstance(operation, DotOp):
        return "M"
    return "FIX" if is_cube else "V"
