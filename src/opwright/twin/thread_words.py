"""What to say about threads of a block that come to the same bytes in no order, or too early.

In: a fault's name with its details, and where both accesses stand. Out: class, message and way out of the user's error,
with the threads and the lines of both; None for a fault of another kind.
"""

from __future__ import annotations

from opwright.errors import FloatAtomic, Location, RaceError, UninitialisedRead
from opwright.findings.finding import thread_name
from opwright.twin.faults import Words
from opwright.twin.race_words import bytes_words

Thread = tuple[int, int, int]

# In the order of opwright::ThreadKind.
_DOES = ("reads it", "writes it", "updates it atomically", "adds to it atomically")


def thread_of(details: dict[str, int], first: bool = False) -> Thread | None:
    """The thread that a fault is about, or of two the first; None if it is not about threads."""
    prefix = "first_" if first else ""
    if f"{prefix}z" not in details:
        return None
    return details[f"{prefix}x"], details[f"{prefix}y"], details[f"{prefix}z"]


def thread_words(
    name: str, details: dict[str, int], first: Location | None, second: Location | None, argument: str
) -> Words | None:
    """Class, message and way out of a fault."""
    match name:
        case "THREAD_RACE":
            return RaceError, *_race_words(details, first, second, argument)
        case "THREAD_FLOATS":
            return FloatAtomic, *_floats_words(details, first, argument)
        case "THREAD_UNINITIALISED":
            return UninitialisedRead, *_uninitialised_words(details, first)
    return None


def _race_words(
    details: dict[str, int], first: Location | None, second: Location | None, argument: str
) -> tuple[str, str]:
    """A race between two threads of a block."""
    one, other = map(thread_name, _both(details))
    does, does_too = _DOES[details["first_kind"]], _DOES[details["second_kind"]]
    there, here = (f"line {at.line}" if at else "another line" for at in (first, second))
    lower, higher = map(thread_name, sorted(_both(details), key=lambda thread: thread[::-1]))
    message = (
        f"threads {lower} and {higher} touch {bytes_words(details, argument)}, and nothing orders them: "
        f"{one} {does} ({there}), {other} {does_too} ({here})"
    )
    if there == here:
        between = "give each thread bytes of its own, put simt.syncthreads() between the two accesses"
    else:
        between = f"put simt.syncthreads() between {there} and {here}"
    return message, f"{between}, or use an atomic such as simt.atomic_add for both"


def _floats_words(details: dict[str, int], first: Location | None, argument: str) -> tuple[str, str]:
    """Float additions of two threads to the same bytes."""
    one, other = map(thread_name, _both(details))
    there = f"line {first.line}" if first else "another line"
    message = (
        f"thread {other} adds floats to {bytes_words(details, argument)}, and so does thread {one} ({there}): the last "
        "bits of the sum depend on their order"
    )
    return message, "allow for it, or let each thread write a part of its own and add the parts in one order"


def _uninitialised_words(details: dict[str, int], origin: Location | None) -> tuple[str, str]:
    """A thread's read of what nothing has written, or of what another line computed from such bytes."""
    thread = thread_of(details)
    assert thread is not None
    wrong = f"line {origin.line} computed it from what nothing has written" if origin else "nothing has written it"
    message = f"thread {thread_name(thread)} reads element {details['element']} here, but {wrong}"
    message += f" (byte {details['begin']} of UB)"
    return message, "copy to it or fill it first, and put simt.syncthreads() between if other threads fill it"


def _both(details: dict[str, int]) -> tuple[Thread, Thread]:
    first, second = thread_of(details, first=True), thread_of(details)
    assert first is not None and second is not None
    return first, second
