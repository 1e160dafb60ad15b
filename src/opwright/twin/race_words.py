"""What to say about two accesses that the chip may do in either order.

In: the details of a RACE, and where the text of the kernel has room for a flag. Out: the message and a way to mend it,
with the lines of both accesses.
"""

from __future__ import annotations

from opwright.ascendc.enums import HardEvent, PipeID
from opwright.ascendc.socs import MEMORIES
from opwright.errors import Location
from opwright.twin.cross_words import core_name
from opwright.twin.flag_places import FlagPlaces

# Memories of other cores of a group, in the order of opwright::Owner.
_FOREIGN = ("", "UB", "UB", "L1")


def memory_name(number: int) -> str:
    """The name of a memory, global memory and those of other cores included."""
    return (*MEMORIES, "GM", *_FOREIGN)[number]


def pipe_name(number: int) -> str:
    """The name of a pipe, such as "MTE2"."""
    return PipeID(number).name.removeprefix("PIPE_")


def race_event(details: dict[str, int]) -> str:
    """The event that would order the two pipes of a race; "" if there is none."""
    event = f"{pipe_name(details['first_pipe'])}_{pipe_name(details['second_pipe'])}"
    return event if event in HardEvent.__members__ else ""


def race_words(
    details: dict[str, int],
    first: Location | None,
    second: Location | None,
    argument: str,
    places: FlagPlaces | None,
    event_id: int | None,
    is_set: bool = False,
) -> tuple[str, str]:
    """Message and way out of a race between two accesses of a core; `places`, `event_id`: of the flag that is missing.

    Without places the lines of the accesses have to do, without an id its user has to find one. `is_set`: the flag is
    set already, and only its wait is missing.
    """
    source, destination = pipe_name(details["first_pipe"]), pipe_name(details["second_pipe"])
    doing = "writing" if details["first_written"] else "reading"
    does = "writes" if details["second_written"] else "reads"
    here, there = (f"line {at.line}" if at else "another line" for at in (second, first))
    turn = f", its run {details['first_turn'] + 1}" if details["first_turn"] else ""
    what = bytes_words(details, argument)
    message = f"{destination} {does} {what}, which {source} may still be {doing} ({there}{turn})"
    places = places or FlagPlaces(there, f"before {here}")
    if source == destination:
        where = f"before {here}" if here == there or places.again else f"between {there} and {here}"
        return message, f"pipe_barrier(PipeID.PIPE_{source}) {where}"
    event = race_event(details)
    if not event:
        return message, f"order {there} and {here} with flags over another pipe, or with pipe_barrier(PipeID.PIPE_ALL)"
    between = f"from {there} to {here} of the next {places.again}" if places.again else f"between {there} and {here}"
    flag = f"HardEvent.{event}, {'ID' if event_id is None else event_id}"
    if is_set:
        return message, f"flag {event} {event_id} is set, but nothing waits for it: wait_flag({flag}) {places.wait}"
    hint = f"set_flag({flag}) after {places.after}, wait_flag({flag}) {places.wait}"
    own = f"; ID: one that no other flag from {source} to {destination} has there" if event_id is None else ""
    return message, f"no flag from {source} to {destination} {between}: {hint}{own}"


def overlap_race_words(
    details: dict[str, int], first: Location | None, shared: str, later: str, free: int
) -> tuple[str, str]:
    """Message and way out of two writes to bytes that two tensors share; from byte `free` on the later one is apart."""
    source, destination = pipe_name(details["first_pipe"]), pipe_name(details["second_pipe"])
    there = f"line {first.line}" if first else "another line"
    what = bytes_words(details, "")
    message = f"{destination} writes {what}, which {source} writes too ({there}): {shared}"
    return message, apart_words(later, free)


def apart_words(later: str, free: int) -> str:
    """The way out of tensors that share bytes; from byte `free` on the later one is apart."""
    return f"give each tensor bytes of its own: let {later} begin elsewhere, such as at byte {free}"


def set_again_words(details: dict[str, int], first: Location | None, wait: Location | None) -> tuple[str, str]:
    """Message and way out of a flag that may not have been waited for when it is set again."""
    source, destination = pipe_name(details["source"]), pipe_name(details["destination"])
    before, there = (f"line {at.line}" if at else "another line" for at in (first, wait))
    flag = f"flag {source}_{destination} {details['event_id']}, set at {before},"
    message = f"{flag} is set again, but nothing says that its wait ({there}) has happened: one of the sets may be lost"
    back = f"let {source} wait for a flag that {destination} sets after {there}"
    return message, f"{back}, or use ids in turn, one for each buffer"


def core_race_words(details: dict[str, int], first: Location | None, argument: str, mixed: bool) -> tuple[str, str]:
    """Message and way out of a race between two cores."""
    doing = "writes" if details["first_written"] else "reads"
    does = "writes" if details["second_written"] else "reads"
    there = f"line {first.line}" if first else "another line"
    message = f"it {does} {bytes_words(details, argument)}, which {other_core(details, mixed)} {doing} too ({there})"
    pipes = pipe_name(details["first_pipe"]), pipe_name(details["second_pipe"])
    if memory_name(details["memory"]) == "GM" and "V" in pipes:
        # Nothing but threads brings the vector unit to global memory.
        apart = "give each core bytes of its own, or use an atomic such as simt.atomic_add for both"
        return message, f"{apart}; asc.sync_all() between two asc.vf_call orders them too"
    if mixed:
        flags = "asc.cross_core_set_flag after the first, on its pipe, and asc.cross_core_wait_flag before the second"
        return message, f"{flags}; or give each core bytes of its own"
    return message, "give each core bytes of its own, or put asc.sync_all() between the two"


def float_atomic_words(details: dict[str, int], first: Location | None, argument: str, mixed: bool) -> tuple[str, str]:
    """Message and way out of float additions of two cores to the same bytes."""
    there = f"line {first.line}" if first else "another line"
    message = (
        f"it adds floats to {bytes_words(details, argument)}, and so does {other_core(details, mixed)} ({there}): "
        "the last bits of the sum depend on their order"
    )
    return message, "allow for it, or let each core write a part of its own and add the parts in one order"


def cache_words(
    name: str, details: dict[str, int], first: Location | None, argument: str, mixed: bool
) -> tuple[str, str]:
    """Message and way out of scalar accesses to global memory that went past each other."""
    there = f"line {first.line}" if first else "another line"
    who = other_core(details, mixed)
    call = "asc.data_cache_clean_and_invalid(...)"
    what = bytes_words(details, argument)
    if name == "SHARED_LINE":
        message = f"it sets {what}, in the same 64 bytes as what {who} sets ({there}): one of them may be lost"
        return message, f"give each core 64 bytes of its own, or write with asc.data_copy; or {call} and asc.sync_all()"
    own = (details["first_core"], details["first_core_kind"]) == (details["core"], details["own_kind"])
    if name == "LOST_UPDATE":
        theirs = f"what {'it' if own else who} has set ({there}) and may still have in its data cache"
        message = f"it writes {what}, in the same 64 bytes as {theirs}: written back later, they take this away"
        if own:
            return message, f"{call} after {there}"
        return message, f"{call} after {there}, then asc.sync_all() before this; or give each core 64 bytes of its own"
    if name == "NOT_CLEANED":
        whose, until = ("its own data cache", "") if own else (f"{who}'s data cache", ", before the two cores meet")
        message = f"it reads {what}, which may still be in {whose}: set_value wrote it ({there})"
        return message, f"{call} after {there}{until}"
    if pipe_name(details["second_pipe"]) == "V":
        cache = "the data cache of the threads may hold an older value"
        message = f"it reads {what}, which {who} has written since ({there}): {cache}"
        return message, "simt.dcci_single(...) or simt.dcci_entire(...) before it, or read it with simt.ldcg(...)"
    message = f"get_value reads {what}, which {who} has written since ({there}): the data cache may hold an older value"
    return message, f"{call} before it"


def other_core(details: dict[str, int], mixed: bool) -> str:
    """The core of the first access."""
    return core_name(details["first_core_kind"], details["first_core"], mixed)


def bytes_words(details: dict[str, int], argument: str) -> str:
    """What a race is about."""
    size = details["end"] - details["begin"]
    count = "a byte" if size == 1 else f"{size} bytes"
    where = f"argument {argument}" if argument else memory_name(details["memory"])
    element = f", element {details['element']}" if details["element"] >= 0 else ""
    return f"{count} of {where} from byte {details['begin']}{element}"


def uncleaned_words(element: int, argument: str) -> tuple[str, str]:
    """Message and way out of a set_value whose line of the data cache nothing cleans."""
    return (
        f"element {element} of argument {argument} is set here, and its line of the data cache is never cleaned: on "
        "the chip the value may not arrive",
        "call asc.data_cache_clean_and_invalid(...) of the tensor after its last set_value, or copy the values out",
    )
