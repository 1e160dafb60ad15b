"""What to say about threads of a block that come to the same bytes in no order, or too early.

In: the details of a THREAD_RACE, THREAD_FLOATS or THREAD_UNINITIALISED. Out: the message and a way to mend it, with the
threads and the lines of both accesses.
"""

from __future__ import annotations

from opwright.check.finding import thread_name
from opwright.errors import Location
from opwright.twin.race_words import bytes_words

Thread = tuple[int, int, int]

# In the order of opwright::ThreadKind.
_DOES = ("reads", "writes", "updates atomically", "adds to atomically")


def thread_of(details: dict[str, int], first: bool = False) -> Thread | None:
    """The thread that a fault is about, or of two the first; None if it is not about threads."""
    prefix = "first_" if first else ""
    if f"{prefix}z" not in details:
        return None
    return details[f"{prefix}x"], details[f"{prefix}y"], details[f"{prefix}z"]


def thread_race_words(
    details: dict[str, int], first: Location | None, second: Location | None, argument: str
) -> tuple[str, str]:
    """Message and way out of a race between two threads of a block."""
    one, other = _both(details)
    does, does_too = _DOES[details["first_kind"]], _DOES[details["second_kind"]]
    there, here = (f"line {at.line}" if at else "another line" for at in (first, second))
    message = (
        f"threads {one} and {other} touch {bytes_words(details, argument)}, and nothing orders them: "
        f"{one} {does} it ({there}), {other} {does_too} it ({here})"
    )
    if there == here:
        between = "give each thread bytes of its own, put simt.syncthreads() between the two accesses"
    else:
        between = f"put simt.syncthreads() between {there} and {here}"
    return message, f"{between}, or use an atomic such as simt.atomic_add for both"


def thread_floats_words(details: dict[str, int], first: Location | None, argument: str) -> tuple[str, str]:
    """Message and way out of float additions of two threads to the same bytes."""
    one, other = _both(details)
    there = f"line {first.line}" if first else "another line"
    message = (
        f"thread {other} adds floats to {bytes_words(details, argument)}, and so does thread {one} ({there}): the last "
        "bits of the sum depend on their order"
    )
    return message, "allow for it, or let each thread write a part of its own and add the parts in one order"


def thread_uninitialised_words(details: dict[str, int]) -> tuple[str, str]:
    """Message and way out of a thread's read of what nothing has written."""
    thread = thread_of(details)
    assert thread is not None
    message = f"thread {thread_name(thread)} reads element {details['element']} here, but nothing has written it"
    message += f" (byte {details['begin']} of UB)"
    return message, "copy to it or fill it first, and put simt.syncthreads() between if other threads fill it"


def _both(details: dict[str, int]) -> tuple[str, str]:
    first, second = thread_of(details, first=True), thread_of(details)
    assert first is not None and second is not None
    return thread_name(first), thread_name(second)
