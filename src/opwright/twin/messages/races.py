"""Messages about two accesses that the chip may do in either order, and where the missing flag goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright.ascendc.enums import HardEvent
from opwright.findings.budget import Pair, describe_overlap, is_nested, shared_bytes
from opwright.kernel.program import KernelFacts, Place
from opwright.twin.fault_cases import Texts
from opwright.twin.flag_places import FlagPlaces, flag_places, free_id, in_one_function, unwaited_id
from opwright.twin.incident import Incident, line_name, memory_name, pipe_name
from opwright.twin.locations import chain_of, function_source, line_of, place_of


def race_event(details: Mapping[str, int]) -> str:
    """The event that would order the two pipes of a race; "" if there is none."""
    event = f"{pipe_name(details['first_pipe'])}_{pipe_name(details['second_pipe'])}"
    return event if event in HardEvent.__members__ else ""


def race(one: Incident) -> Texts:
    """A race between two accesses of a core. The hint says where the missing flag goes, if the text tells."""
    kernel, second = one.kernel, one.place
    first = place_of(kernel, one["first_line"])
    if texts := lost_write(one):
        return texts
    sources = [function_source(kernel, number) for number in range(len(kernel.functions))]
    places, event = _flag_places(kernel, first, second), race_event(one.details)
    unwaited = None
    if places and first.function == second.function and not places.again:
        own = function_source(kernel, first.function)
        unwaited = unwaited_id(sources, own, event, line_of(first), line_of(second))
    event_id = free_id(sources, event) if unwaited is None else unwaited
    message, hint = _unordered(one, places, event_id, is_set=unwaited is not None)
    if pair := _written_through(one.details, one.sharing, nested=True):
        return f"{message}: {describe_overlap(*pair)}", f"give each tensor bytes of its own; if they share them: {hint}"
    return message, hint


def _unordered(one: Incident, places: FlagPlaces | None, event_id: int | None, is_set: bool) -> Texts:
    """Two accesses without an order; `places`, `event_id`: of the flag that is missing.

    Without places the lines of the accesses have to do, without an id its user has to find one. `is_set`: the flag is
    set already, and only its wait is missing.
    """
    source, destination = pipe_name(one["first_pipe"]), pipe_name(one["second_pipe"])
    doing = "writing" if one["first_written"] else "reading"
    does = "writes" if one["second_written"] else "reads"
    here, there = line_name(one.at), line_name(one.located("first_line"))
    again = f", iteration {one['first_iteration'] + 1}" if one["first_iteration"] else ""
    message = f"{destination} {does} {shared_range(one)}, which {source} may still be {doing} ({there}{again})"
    places = places or FlagPlaces(there, f"before {here}")
    if source == destination:
        where = f"before {here}" if here == there or places.again else f"between {there} and {here}"
        return message, f"pipe_barrier(PipeID.PIPE_{source}) {where}"
    event = race_event(one.details)
    if not event:
        return message, f"order {there} and {here} with flags over another pipe, or with pipe_barrier(PipeID.PIPE_ALL)"
    between = f"from {there} to {here} of the next {places.again}" if places.again else f"between {there} and {here}"
    flag = f"HardEvent.{event}, {'ID' if event_id is None else event_id}"
    if is_set:
        return message, f"flag {event} {event_id} is set, but nothing waits for it: wait_flag({flag}) {places.wait}"
    hint = f"set_flag({flag}) after {places.after}, wait_flag({flag}) {places.wait}"
    own = f"; ID: one that no other flag from {source} to {destination} has there" if event_id is None else ""
    return message, f"no flag from {source} to {destination} {between}: {hint}{own}"


def lost_write(one: Incident) -> Texts | None:
    """Two writes to bytes that two tensors share in part; None otherwise. In any order, a value is lost."""
    if not (pair := _written_through(one.details, one.sharing, nested=False)):
        return None
    source, destination = pipe_name(one["first_pipe"]), pipe_name(one["second_pipe"])
    there = line_name(one.located("first_line"))
    message = f"{destination} writes {shared_range(one, on_chip=True)}, which {source} writes too ({there}): "
    return message + describe_overlap(*pair), apart_hint(str(pair[1]), pair[0].buffer.end or 0)


def apart_hint(later: str, free: int) -> str:
    """How to keep tensors apart that share bytes; from byte `free` on the later one is apart."""
    return f"give each tensor bytes of its own: let {later} begin elsewhere, such as at byte {free}"


def set_again(one: Incident) -> Texts:
    """A flag that may not have been waited for when it is set again."""
    source, destination = pipe_name(one["source"]), pipe_name(one["destination"])
    before, there = line_name(one.located("set_line")), line_name(one.located("wait_line"))
    flag = f"flag {source}_{destination} {one['event_id']}, set at {before},"
    message = f"{flag} is set again, but nothing says that its wait ({there}) has happened: one of the sets may be lost"
    back = f"let {source} wait for a flag that {destination} sets after {there}"
    return message, f"{back}, or alternate ids, one per buffer"


def core_race(one: Incident) -> Texts:
    """A race between two cores."""
    doing = "writes" if one["first_written"] else "reads"
    does = "writes" if one["second_written"] else "reads"
    there = line_name(one.located("first_line"))
    message = f"it {does} {shared_range(one)}, which {_other_core(one)} {doing} too ({there})"
    pipes = pipe_name(one["first_pipe"]), pipe_name(one["second_pipe"])
    if memory_name(one["memory"]) == "GM" and "V" in pipes:
        # Nothing but threads brings the vector unit to global memory.
        apart = "give each core bytes of its own, or use an atomic such as simt.atomic_add for both"
        return message, f"{apart}; asc.sync_all() between two asc.vf_call orders them too"
    if one.mixed:
        flags = "asc.cross_core_set_flag after the first, on its pipe, and asc.cross_core_wait_flag before the second"
        return message, f"{flags}; or give each core bytes of its own"
    return message, "give each core bytes of its own, or put asc.sync_all() between the two"


def float_atomic(one: Incident) -> Texts:
    """Float additions of two cores to the same bytes."""
    there = line_name(one.located("first_line"))
    message = (
        f"it adds floats to {shared_range(one)}, and so does {_other_core(one)} ({there}): "
        "the last bits of the sum depend on their order"
    )
    return message, "allow for it, or let each core write a part of its own and add the parts in one order"


def incoherent(one: Incident) -> Texts:
    """Scalar accesses to global memory that the data cache does not keep coherent."""
    name = one.fault.name
    there = line_name(one.located("first_line"))
    who = _other_core(one)
    call = "asc.data_cache_clean_and_invalid(...)"
    what = shared_range(one)
    if name == "SHARED_LINE":
        message = f"it sets {what}, in the same 64 bytes as what {who} sets ({there}): one of them may be lost"
        return message, f"give each core 64 bytes of its own, or write with asc.data_copy; or {call} and asc.sync_all()"
    own = (one["first_core"], one["first_core_kind"]) == (one["core"], one["own_kind"])
    if name == "LOST_UPDATE":
        theirs = f"what {'it' if own else who} has set ({there}) and may still have in its data cache"
        message = f"it writes {what}, in the same 64 bytes as {theirs}: its later write-back overwrites this value"
        if own:
            return message, f"{call} after {there}"
        return message, f"{call} after {there}, then asc.sync_all() before this; or give each core 64 bytes of its own"
    if name == "NOT_CLEANED":
        whose, until = ("its own data cache", "") if own else (f"{who}'s data cache", ", before the two cores meet")
        message = f"it reads {what}, which may still be in {whose}: set_value wrote it ({there})"
        return message, f"{call} after {there}{until}"
    if pipe_name(one["second_pipe"]) == "V":
        cache = "the data cache of the threads may hold an older value"
        message = f"it reads {what}, which {who} has written since ({there}): {cache}"
        return message, "simt.dcci_single(...) or simt.dcci_entire(...) before it, or read it with simt.ldcg(...)"
    message = f"get_value reads {what}, which {who} has written since ({there}): the data cache may hold an older value"
    return message, f"{call} before it"


def _other_core(one: Incident) -> str:
    """The core of the first access."""
    return one.whose("first_core_kind", "first_core")


def shared_range(one: Incident, on_chip: bool = False) -> str:
    """The bytes that a race is about; of an argument, unless they are known to lie on chip."""
    size = one["end"] - one["begin"]
    count = "a byte" if size == 1 else f"{size} bytes"
    where = f"argument {one.argument}" if one.argument and not on_chip else memory_name(one["memory"])
    element = f", element {one['element']}" if one["element"] >= 0 else ""
    return f"{count} of {where} from byte {one['begin']}{element}"


def _written_through(details: Mapping[str, int], sharing: Sequence[Pair], nested: bool) -> Pair | None:
    """The tensors that share the bytes which two lines write, if there are any; `nested`: one lies in the other."""
    if not (details["first_written"] and details["second_written"]) or details["first_line"] == details["line"]:
        return None
    for pair in sharing:
        begin, end = shared_bytes(*pair)
        in_both = memory_name(details["memory"]) == pair[0].buffer.memory and begin <= details["begin"]
        if in_both and details["end"] <= end and is_nested(pair) == nested:
            return pair
    return None


def _flag_places(kernel: KernelFacts, first: Place, second: Place) -> FlagPlaces | None:
    """Where a flag between two places goes, if the text tells."""
    if (
        not first.at
        or not second.at
        or not (both := in_one_function(chain_of(kernel, first), chain_of(kernel, second)))
    ):
        return None
    function, line, other_line = both
    return flag_places(function_source(kernel, function), function == 0, line, other_line)
