"""Messages about bytes that nothing has written, and about addresses outside of what is there."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.socs import MEMORIES
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import NO_OPERAND, Incident, memory_name
from opwright.twin.locations import place_of


def trap(one: Incident) -> Texts:
    """A trap or an assertion of a core."""
    return one.place.reason or "stopped by asc.trap()", ""


def uninitialised(one: Incident) -> Texts:
    """Bytes that nothing has written, with the line that wrote next to them if there is one."""
    writer = one.located("writer_line")
    if load := one.located("load_line"):
        return _loaded(one, load.line, writer.line if writer else 0)
    memory = memory_name(one["memory"])
    if memory == "L0B" and one["begin"] >= one.kernel.soc.size["L0B"]:  # see cube_sparse.h
        message = f"the indices of {one.operand()} are read here, but nothing has loaded them"
        return message, f"load {one.operand()} and its indices with asc.load_data_with_sparse"
    if origin := one.located("origin_line"):
        call = place_of(one.kernel, one["origin_line"]).call
        message = f"{_element(one)} comes from what nothing has written: asc.{call} in line {origin.line} read byte "
        message += f"{one['origin_begin']} of {memory}"
    else:
        message = f"{_element(one)} is read here, but nothing has written it (byte {one['begin']} of {memory})"
    if writer:
        message += f"{', and' if origin else ':'} line {writer.line} wrote bytes {one['writer_begin']} to "
        message += f"{one['writer_end']} and left it out"
    if one.fault.name == "GARBAGE":
        fix = "pass the count of what was copied in, or fill the rest first, as with asc.duplicate"
        return f"{message}; what is computed from it does not leave the core", fix
    if not writer:
        return message, "copy to it or fill it first; check the count of what did"
    counts = "check its count and strides, and whether a length counts bytes or elements"
    others = "fill it first, or leave it out here" if origin else "fill it first"
    return message, f"let line {writer.line} write it: {counts}; or {others}"


def _element(one: Incident) -> str:
    """An element of an operand, or the one that get_value names."""
    return "the element" if one.operand() == NO_OPERAND else f"element {one['element']} of {one.operand()}"


def _loaded(one: Incident, load: int, writer: int) -> Texts:
    """Bytes that line `load` brought from L1, where nothing had written them; line `writer` wrote beside, if not 0."""
    message = (
        f"{_element(one)} counts here, but nothing has written it: line {load} loaded it from byte "
        f"{one['load_begin']} of L1"
    )
    if not writer:
        return message, "copy to it or fill it before it is loaded, or make m, n and k as small as what was"
    wrote = f"line {writer} wrote bytes {one['writer_begin']} to {one['writer_end']} there and left it out"
    counts = "check its counts and strides; or fill it first, or make m, n and k as small as what is there"
    return f"{message}, where {wrote}", f"let line {writer} write it: {counts}"


def unwritten(one: Incident) -> Texts:
    """An argument of which something is missing."""
    size = DTYPES[one.kernel.types[one["slot"]][1]].bytes
    missing, elements = -(-one["missing"] // size), one["argument_bytes"] // size
    count = "1 element was" if elements == 1 else f"{missing} of {elements} elements were"
    message = f"argument {one.argument}: {count} never written, first {one['element']}"
    return message, "check where loops and parts of cores end, and whether a length counts bytes or elements"


def absent_memory(one: Incident) -> Texts:
    """A core that does not have the memory of a tensor."""
    kind, other = ("AIC", "AIV") if one["kind"] else ("AIV", "AIC")
    return (
        f"{MEMORIES[one['memory']]} belongs to an {other}, and this code runs on an {kind}",
        f"make the tensor under `if asc.ascend_is_{other.lower()}():`",
    )


def wrong_memory(one: Incident) -> Texts:
    """A tensor in a memory that the call does not take it from."""
    allowed = [name for number, name in enumerate(MEMORIES) if one["allowed"] >> number & 1]
    return (
        f"{one.operand()} lies in {MEMORIES[one['memory']]}, where asc.{one.place.call} does not take it",
        f"it may lie in {' or '.join(allowed)}: choose another position" if allowed else "",
    )


def global_range(one: Incident) -> Texts:
    """Bytes of global memory outside of an argument, or of one that must not be written."""
    operand, size = one.operand(), one["argument_bytes"]
    if one["slot"] < 0:
        return f"{operand} lies in no argument", "give it an address that comes from an argument"
    start, end = one["offset"], one["offset"] + one["bytes"]
    if start >= 0 and end <= size:
        message = (
            f"{operand} writes into argument {one.argument}, which this kernel only reads, as far as the compiler knows"
        )
        return message, "an address that comes from another argument reaches into it: check the offset"
    message = f"{operand} touches bytes {start} to {end} of argument {one.argument}, which has {size}"
    return message, "check the offset, the length per core and the number of cores"
