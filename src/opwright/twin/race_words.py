"""What to say about two accesses that the chip may do in either order.

In: the details of a RACE. Out: the message and a way to mend it, with the lines of both accesses.
"""

from __future__ import annotations

from opwright.ascendc.enums import HardEvent, PipeID
from opwright.ascendc.socs import MEMORIES
from opwright.errors import Location


def race_words(details: dict[str, int], first: Location | None, second: Location | None) -> tuple[str, str]:
    """Message and way out."""
    source, destination = (PipeID(details[which]).name.removeprefix("PIPE_") for which in ("first_pipe", "second_pipe"))
    memory = (*MEMORIES, "GM")[details["memory"]]
    doing = "writing" if details["first_written"] else "reading"
    does = "writes" if details["second_written"] else "reads"
    here, there = (f"line {at.line}" if at else "another line" for at in (second, first))
    byte = f"byte {details['byte']} of {memory}" if memory != "GM" else "the same bytes of global memory"
    turn = f", its run {details['first_turn'] + 1}" if details["first_turn"] else ""
    message = f"{destination} {does} {byte}, which {source} may still be {doing} ({there}{turn})"
    if source == destination:
        return message, f"pipe_barrier(PipeID.PIPE_{source}) between {there} and {here}"
    event = f"{source}_{destination}"
    if event not in HardEvent.__members__:
        return message, f"order {there} and {here} with flags over another pipe, or with pipe_barrier(PipeID.PIPE_ALL)"
    return message, f"set_flag(HardEvent.{event}, 0) after {there}, wait_flag(HardEvent.{event}, 0) before {here}"


def core_race_words(details: dict[str, int], first: Location | None) -> tuple[str, str]:
    """Message and way out of a race between two cores."""
    doing = "writes" if details["first_written"] else "reads"
    does = "writes" if details["second_written"] else "reads"
    there = f"line {first.line}" if first else "another line"
    count = details["end"] - details["begin"]
    message = f"it {does} {count} bytes of global memory that core {details['first_core']} {doing} too ({there})"
    return message, "give each core bytes of its own, or put asc.sync_all() between the two"
