"""Flags that cannot be right, found at compile time.

In: a kernel's IR and the kinds of cores that run it. Out: mistakes with flags of constant ids on straight-line code: a
flag that is set and never waited for, waited for but not set before, or set twice without a wait between; and loops
whose iterations do not set a flag as often as they wait for it. Flags are inside a core, so each kind is read by
itself, with its side of the branches that ask for a kind. It reports only what is certain. About a flag that is touched
in a branch, or by an id that is not a constant, it says nothing from there on; nor about anything behind a branch that
leaves the function, nor about kernels with queues, which set flags of their own. Where only run time decides how often
a loop runs, a mistake in it is a warning: no iteration, or a single one, may be right.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import MakesQueue, SetsFlag, WaitsForFlag
from opwright.check.frames import Frame, Frames, TooManyCalls
from opwright.ir import Block, ModuleOp, Operation
from opwright.ir.calls import CallOp, asked_kind
from opwright.ir.functions import HelperCallOp, ReturnOp, functions
from opwright.ir.language import At, ForOp, IfOp
from opwright.ir.rewriting import blocks_of
from opwright.ir.traits import is_jump, is_unknown
from opwright.ir.types import ObjectType, unquoted

Flag = tuple[str, int]  # name of the event, id


@dataclass(frozen=True)
class Mistake:
    """One of them, as the manifest keeps it; `kind` is the name of the exception, `at` counts from the `def`."""

    kind: str
    severity: str
    message: str
    hint: str
    function: int
    at: str


def pairing(module: ModuleOp, kinds: Iterable[str]) -> list[Mistake]:
    """The mistakes of a kernel, in program order, on each kind of core that it runs on."""
    operations = [one for function in functions(module) for one in function.body.walk()]
    if any(is_unknown(one) or _makes_queue(one) for one in operations):
        return []
    found: list[Mistake] = []
    for kind in kinds:
        reading = _Reading(module, kind)
        with suppress(_Left, TooManyCalls):  # what was found before is certain all the same
            reading.read(reading.frames.kernel, reading.frames.kernel.block)
            reading.end()
        found += reading.found
    return list(dict.fromkeys(found))


class _Left(Exception):
    """From here on nothing is certain: a branch may have left the function."""


class _Reading:
    """What is known about every flag while the kernel is read in program order."""

    def __init__(self, module: ModuleOp, kind: str) -> None:
        self.frames = Frames(module)
        self.kind = kind
        self.found: list[Mistake] = []
        self.is_set: dict[Flag, tuple[int, str]] = {}  # and where
        self.unknown: set[Flag | str] = set()  # flags, or all flags of an event, that may be in any state
        self.sure = True  # that what is being read runs at all

    def read(self, frame: Frame, block: Block) -> None:
        """Reads a block of a call."""
        for operation in block.ops:
            if isinstance(operation, HelperCallOp):
                inner = self.frames.enter(frame, operation)
                self.read(inner, inner.block)
            elif isinstance(operation, ForOp):
                self.read_loop(frame, operation)
            elif isinstance(operation, IfOp):
                self.read_branch(frame, operation)
            elif isinstance(operation, CallOp) and _is_flag(operation):
                self.touch(frame, operation)
            elif operation.regions:
                self.skip(frame, operation)

    def read_branch(self, frame: Frame, branch: IfOp) -> None:
        """A branch; which side a kind of core takes is known."""
        if asked := asked_kind(branch.condition):
            self.read(frame, (branch.then if asked == self.kind else branch.orelse).block)
        else:
            self.skip(frame, branch)

    def touch(self, frame: Frame, operation: CallOp) -> None:
        """A set or a wait."""
        event, flag = _flag_of(frame, operation)
        if flag is None:
            self.unknown.add(event)
            return
        if flag in self.unknown or event in self.unknown:
            return
        name, place = f"{event} {flag[1]}", (frame.number, At.of(operation))
        if _waits(operation) and flag not in self.is_set:
            message = f"flag {name} is waited for, but nothing set it before this line"
            hint = f"set_flag(HardEvent.{event}, {flag[1]}) before it"
            self.report(flag, "DeadlockError", message, hint, place)
        elif _waits(operation):
            del self.is_set[flag]
        elif flag in self.is_set:
            message = f"flag {name} is set again before anything waited for it"
            self.report(flag, "FlagError", message, f"wait_flag(HardEvent.{event}, {flag[1]}) first", place)
        else:
            self.is_set[flag] = place

    def report(self, flag: Flag, kind: str, message: str, hint: str, place: tuple[int, str]) -> None:
        """Notes a mistake. What follows from it is not reported again."""
        severity = "error" if self.sure else "warning"
        self.found.append(Mistake(kind, severity, message, hint, *place))
        self.forget([flag])

    def forget(self, flags: Iterable[Flag | str]) -> None:
        """From here on nothing is known about these."""
        self.unknown.update(flags)

    def read_loop(self, frame: Frame, loop: ForOp) -> None:
        """One iteration, which must leave every flag as it found it."""
        touched = _touched(self.frames, frame, loop)
        if any(is_jump(one) for one in loop.walk()):
            # An iteration may end halfway.
            self.skip(frame, loop)
            return
        iterations = _iterations(frame, loop)
        if iterations == 0:
            return
        before, sure = dict(self.is_set), self.sure
        self.sure = sure and iterations is not None
        self.read(frame, loop.body.block)
        self.sure = sure and iterations is not None and iterations > 1
        for flag in sorted(flag for flag in touched if isinstance(flag, tuple)):
            event, number = flag
            if (
                flag in self.unknown
                or event in self.unknown
                or iterations == 1
                or (flag in before) == (flag in self.is_set)
            ):
                continue
            if flag in self.is_set:
                message = f"every iteration of the loop sets flag {event} {number} once more than it waits for it"
                hint = f"wait_flag(HardEvent.{event}, {number}) in the same iteration"
                self.report(flag, "FlagError", message, hint, self.is_set[flag])
            else:
                place = _last_wait(self.frames, frame, loop, flag)
                message = f"every iteration of the loop waits for flag {event} {number} once more than it sets it"
                hint = f"set_flag(HardEvent.{event}, {number}) in the same iteration"
                self.report(flag, "DeadlockError", message, hint, place)
        self.sure = sure

    def skip(self, frame: Frame, operation: Operation) -> None:
        """A branch, or a loop that is not followed."""
        if any(isinstance(one, ReturnOp) for one in operation.walk()):
            raise _Left
        self.forget(_touched(self.frames, frame, operation))

    def end(self) -> None:
        """The core ends: no flag may be left set."""
        for (event, number), place in self.is_set.items():
            if (event, number) in self.unknown or event in self.unknown:
                continue
            message = f"flag {event} {number} is still set when the core ends"
            hint = f"wait_flag(HardEvent.{event}, {number}) after it: a flag left set disturbs the next kernel"
            self.found.append(Mistake("FlagError", "error", message, hint, *place))


def _flag_of(frame: Frame, operation: CallOp) -> tuple[str, Flag | None]:
    """The event of a set or wait, and its flag if the id is known."""
    event = unquoted(operation.attributes["event"])  # type: ignore[arg-type]
    number = frame.integer(operation.named().get("event_id"))
    return event, (event, number) if number is not None else None


def _calls(frames: Frames, frame: Frame, operation: Operation) -> list[tuple[Frame, CallOp]]:
    """Every set and wait below an operation, in helpers too."""
    found: list[tuple[Frame, CallOp]] = []
    for block in blocks_of(operation):
        for one in block.walk():
            if isinstance(one, CallOp) and _is_flag(one):
                found.append((frame, one))
            elif isinstance(one, HelperCallOp):
                inner = frames.enter(frame, one)
                parent = inner.block.parent_op()
                assert parent is not None
                found += _calls(frames, inner, parent)
    return found


def _touched(frames: Frames, frame: Frame, operation: Operation) -> set[Flag | str]:
    """The flags that may be set or waited for below an operation; an event where its ids are not known."""
    return {flag or event for inner, one in _calls(frames, frame, operation) for event, flag in [_flag_of(inner, one)]}


def _last_wait(frames: Frames, frame: Frame, loop: Operation, flag: Flag) -> tuple[int, str]:
    """Where a loop waits for a flag."""
    *_, (number, at) = (
        (inner.number, At.of(one))
        for inner, one in _calls(frames, frame, loop)
        if _waits(one) and _flag_of(inner, one)[1] == flag
    )
    return number, at


def _iterations(frame: Frame, loop: ForOp) -> int | None:
    """How often a loop runs, if that is known."""
    if loop.by is not None:
        return None
    start, stop = frame.integer(loop.start), frame.integer(loop.stop)
    return len(range(start, stop, loop.step.data)) if start is not None and stop is not None else None


def _is_flag(call: CallOp) -> bool:
    return bool(call.chosen.get(SetsFlag) or call.chosen.get(WaitsForFlag))


def _waits(call: CallOp) -> bool:
    return call.chosen.get(WaitsForFlag) is not None


def _makes_queue(operation: Operation) -> bool:
    kinds = (result.type.kind.data for result in operation.results if isinstance(result.type, ObjectType))
    return any(ROWS[kind].forms[0].get(MakesQueue) for kind in kinds)
