"""Messages about threads of a block: races, reads that come too early, indices outside, barriers that some miss."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.findings.finding import thread_name
from opwright.twin.constants import BLOCK_THREADS
from opwright.twin.enumerations import ThreadKind, ThreadState
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident, line_name
from opwright.twin.messages.races import shared_range

Thread = tuple[int, int, int]

_DOES = {
    ThreadKind.READ: "reads it",
    ThreadKind.WRITTEN: "writes it",
    ThreadKind.ATOMIC: "updates it atomically",
    ThreadKind.ADDS_FLOATS: "adds to it atomically",
}
_STATES = {
    ThreadState.ENDED: "has ended",
    ThreadState.AT_BARRIER: "waits for its block",
    ThreadState.AT_MEETING: "waits for its warp",
}


def thread_of(details: Mapping[str, int], first: bool = False) -> Thread | None:
    """The thread that a fault is about, or of two the first; None if it is not about threads."""
    prefix = "first_" if first else ""
    if f"{prefix}z" not in details:
        return None
    return details[f"{prefix}x"], details[f"{prefix}y"], details[f"{prefix}z"]


def thread_race(one: Incident) -> Texts:
    """A race between two threads of a block."""
    first, second = one.thread("first_"), one.thread()
    does, does_too = _DOES[ThreadKind(one["first_kind"])], _DOES[ThreadKind(one["second_kind"])]
    there, here = line_name(one.located("first_line")), line_name(one.at)
    both = filter(None, (thread_of(one.details, first=True), thread_of(one.details)))
    lower, higher = map(thread_name, sorted(both, key=lambda thread: thread[::-1]))
    message = (
        f"threads {lower} and {higher} touch {shared_range(one)}, and nothing orders them: "
        f"{first} {does} ({there}), {second} {does_too} ({here})"
    )
    if there == here:
        between = "give each thread bytes of its own, put simt.syncthreads() between the two accesses"
    else:
        between = f"put simt.syncthreads() between {there} and {here}"
    return message, f"{between}, or use an atomic such as simt.atomic_add for both"


def thread_floats(one: Incident) -> Texts:
    """Float additions of two threads to the same bytes."""
    there = line_name(one.located("first_line"))
    message = (
        f"thread {one.thread()} adds floats to {shared_range(one)}, and so does thread {one.thread('first_')} "
        f"({there}): the last bits of the sum depend on their order"
    )
    return message, "allow for it, or let each thread write a part of its own and add the parts in one order"


def thread_uninitialised(one: Incident) -> Texts:
    """A thread's read of what nothing has written, or of what another line computed from such bytes."""
    origin = one.located("other_line")
    wrong = f"line {origin.line} computed it from what nothing has written" if origin else "nothing has written it"
    message = f"thread {one.thread()} reads element {one['element']} here, but {wrong} (byte {one['begin']} of UB)"
    return message, "copy to it or fill it first, and put simt.syncthreads() between if other threads fill it"


def threads(one: Incident) -> Texts:
    """A block of more threads than it is made for, or of none."""
    asked = " x ".join(str(one[f"along_{axis}"]) for axis in "xyz")
    more = "; @asc.simt(max_threads=...) says how many" if one["max"] < BLOCK_THREADS else ""
    return f"cannot start {asked} threads", f"it is made for 1 to {one['max']}{more}"


def pointer_range(one: Incident) -> Texts:
    """An index outside, of an argument or of a tensor in UB."""
    goes, index, elements = f"thread {one.thread()} goes", one["index"], one["elements"]
    hint = "test the index before: threads that have nothing to do go past it"
    if one.argument:
        return f"{goes} to element {index} of {one.argument}, which has {elements}", hint
    if one["memory"] == 0:
        return f"{goes} to element {index} of a tensor in UB that has {elements} from its start", hint
    return f"{goes} outside the arguments of the kernel", hint


def thread_stop(one: Incident) -> Texts:
    """A trap or an assertion in a thread."""
    return f"thread {one.thread()}: {one.place.reason or 'an assertion does not hold'}", ""


def divergent_barrier(one: Incident) -> Texts:
    """A barrier of the block that some threads do not reach."""
    hint = "every thread of the block must reach the same simt.syncthreads(): not in a branch that only "
    return f"thread {one.thread()} waits for its block here, but {_other(one)}", f"{hint}some take, nor behind a return"


def missing_lanes(one: Incident) -> Texts:
    """A call of a whole warp that some lanes do not reach."""
    message = f"thread {one.thread()} waits for its warp here, but {_other(one)}"
    return message, "all active threads of a warp must reach the same call"


def _other(one: Incident) -> str:
    """What the thread that does not come does instead."""
    state, other = ThreadState(one["other_state"]), one.located("other_line")
    where = f" at line {other.line}" if state is not ThreadState.ENDED and other else ""
    return f"thread {one.thread('other_')} {_STATES[state]}{where}"
