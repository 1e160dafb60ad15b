"""From what the library reports to the user's error, with the Python line.

In: an `Outcome` and the kernel it came from. Out: findings, or the exception of a failed launch. The integers
of a fault are named in `faults.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import PipeID
from opwright.ascendc.rules import NoPartialOverlap
from opwright.ascendc.socs import MEMORIES
from opwright.ascendc.table import ROWS
from opwright.ascendc.vector_rules import NoFeeding, Reduces
from opwright.errors import (
    CacheError,
    DeadlockError,
    FlagSetAgain,
    FloatAtomic,
    Location,
    OpwrightError,
    OutOfRange,
    RaceError,
    RuleError,
    RunError,
    ScalarOverflow,
    TrapError,
    TruncatedCopy,
    UncleanedOutput,
    UninitialisedRead,
    UnwrittenOutput,
    WatchedAccess,
)
from opwright.findings.budget import Pair, is_nested, overlap_words, shared_bytes
from opwright.findings.finding import Access, Finding
from opwright.kernel.captures import value_at
from opwright.kernel.function import KernelFunction
from opwright.kernel.place import Place
from opwright.kernel.source import Source, source_of
from opwright.twin.assumed_words import assumed_words, has_nan, switch_of
from opwright.twin.constants import WAITERS
from opwright.twin.cross_words import cross_words, deadlock_words
from opwright.twin.facts import KernelFacts
from opwright.twin.faults import FAULTS, Words
from opwright.twin.flag_places import Chain, FlagPlaces, Span, flag_places, free_id, in_one_function, span, unwaited_id
from opwright.twin.outcome import Found, Outcome
from opwright.twin.queue_words import NO_OPERAND, operand_name, queue_words
from opwright.twin.race_words import (
    cache_words,
    core_race_words,
    float_atomic_words,
    memory_name,
    overlap_race_words,
    pipe_name,
    race_event,
    race_words,
    set_again_words,
    uncleaned_words,
)
from opwright.twin.rule_words import rule_words
from opwright.twin.state_words import state_words
from opwright.twin.stray_words import stray_words
from opwright.twin.thread_words import thread_of, thread_words

_OF_ARGUMENTS = ("UNWRITTEN", "UNCLEANED")  # faults that tell an element of an argument
_VECTOR: int = PipeID.PIPE_V.value  # the pipe on which threads run

# In the order of opwright::SliceRule.
_SLICE_RULES = (
    ("dim_value must lie between 1 and the number of slices in the list", "pass one slice for each dimension"),
    ("end_index must not be below start_index", "end_index is the last index of the slice"),
    ("end_index must be below shape_value", "shape_value is the length of the whole dimension"),
    ("burst_len of all but the first slice must be 1", "pieces lie in the first, innermost dimension"),
    ("pieces on the chip must start at multiples of 32 bytes", "choose start_index, stride and shape_value so"),
    ("both lists must describe as many pieces of one burst_len", "count the pieces of each dimension"),
)


def error_of(outcome: Outcome, kernel: KernelFacts) -> OpwrightError:
    """The exception of a failed launch."""
    return _finding(outcome, kernel, outcome).error()


def findings_of(outcome: Outcome, kernel: KernelFacts, sharing: Sequence[Pair]) -> list[Finding]:
    """All that a checked launch found: what its cores told, then what ended one of them.

    sharing: tensors placed by hand that share bytes.
    """
    told = [outcome.findings[i] for i in range(outcome.finding_count)]
    # What nothing has written is NaN here: what it becomes is nobody's result.
    garbage = any(FAULTS[one.fault].name == "GARBAGE" for one in told)
    told = [one for one in told if not _is_of_a_queue(one, kernel) and not _is_settled(one, kernel, garbage)]
    findings = [_finding(one, kernel, outcome, sharing) for one in told]
    found = _by_edge(findings, [_edge(one, kernel, sharing) for one in told])
    return [*found, _finding(outcome, kernel, outcome)] if outcome.fault else found


class _Edge(NamedTuple):
    """The order that is missing between two pipes, and where in the text."""

    first_pipe: int
    second_pipe: int
    span: Span
    details: Mapping[str, int]

    def is_mended_by(self, other: _Edge) -> bool:
        same = (self.first_pipe, self.second_pipe) == (other.first_pipe, other.second_pipe)
        return same and self.span.is_mended_by(other.span, self.first_pipe == self.second_pipe)

    def goes_through(self, other: _Edge, races: set[tuple[int, int]]) -> bool:
        """Whether the first access comes before that of `other`, for which the same access is too early.

        Both touch the same bytes, one of them writes, and no race between them is told: so they are in order.
        """
        mine, theirs = self.details, other.details
        lines = mine["first_line"], theirs["first_line"]
        return (
            mine["line"] == theirs["line"]
            and mine["memory"] == theirs["memory"]
            and max(mine["begin"], theirs["begin"]) < min(mine["end"], theirs["end"])
            and bool(mine["first_written"] or theirs["first_written"])
            and lines[0] != lines[1]
            and lines not in races
        )


def _edge(found: Found, kernel: KernelFacts, sharing: Sequence[Pair]) -> _Edge | None:
    """What would mend a race, as far as it is an order and the text tells where."""
    if FAULTS[found.fault].name != "RACE":
        return None
    details = {**dict(zip(FAULTS[found.fault].details, found.details, strict=False)), "line": found.line}
    first, second = place_of(kernel, details["first_line"]), place_of(kernel, found.line)
    if not first.at or not second.at or _overlap_words(details, sharing, None):
        return None
    if not (both := in_one_function(_chain(kernel, first), _chain(kernel, second))):
        return None
    place = span(function_source(kernel, both[0]), both[1], both[2])
    return _Edge(details["first_pipe"], details["second_pipe"], place, details) if place else None


def _by_edge(findings: list[Finding], edges: list[_Edge | None]) -> list[Finding]:
    """Of races that one flag or barrier mends one is told, with the others behind it: that with the least room.

    Those within a pipe come last: a flag to another pipe and back orders them, too.
    """
    races = {(edge.details["first_line"], edge.details["line"]) for edge in edges if edge}

    def room(number: int) -> tuple[bool, bool, tuple[int, ...]]:
        edge = edges[number]
        assert edge is not None
        by_barrier = edge.first_pipe == edge.second_pipe
        return by_barrier, edge.span.again, edge.span.room(by_barrier)

    def follows(edge: _Edge, other: _Edge) -> bool:
        return edge.is_mended_by(other) or edge.goes_through(other, races)

    more: dict[int, list[Finding]] = {}
    for number in sorted((i for i, edge in enumerate(edges) if edge), key=room):
        edge = edges[number]
        root = next((i for i in more if edge and (other := edges[i]) and follows(edge, other)), None)
        if root is None:
            more[number] = []
        else:
            more[root].append(findings[number])
    kept = (i for i, edge in enumerate(edges) if not edge or i in more)
    return [replace(findings[i], more=tuple(more.get(i, ()))) for i in kept]


def _is_of_a_queue(found: Found, kernel: KernelFacts) -> bool:
    """Whether a flag that was set again is one of a queue: the toolchain chooses its id."""
    return FAULTS[found.fault].name == "SET_AGAIN" and place_of(kernel, found.line).call != "set_flag"


def _is_settled(found: Found, kernel: KernelFacts, garbage: bool) -> bool:
    """Whether a result depends on what is assumed, but public texts say it of this SoC; or it may be of garbage."""
    fault = FAULTS[found.fault]
    if fault.name != "ASSUMED":
        return False
    details = dict(zip(fault.details, found.details, strict=False))
    return kernel.soc.name not in switch_of(details).open_on or (garbage and has_nan(details))


def _finding(found: Found | Outcome, kernel: KernelFacts, outcome: Outcome, sharing: Sequence[Pair] = ()) -> Finding:
    """One finding in words. What ended a core comes as the outcome itself."""
    fault = FAULTS[found.fault]
    details: dict[str, int] = {**dict(zip(fault.details, found.details, strict=False)), "core": found.block}
    details["own_kind"] = found.core_kind
    details["line"] = found.line
    if fault.name in _OF_ARGUMENTS:
        details["element"] = details["begin"] // _element_bytes(details, kernel)
    thread = thread_of(details)
    pipe = details.get("second_pipe", details.get("pipe", _VECTOR if thread is not None else None))
    place = place_of(kernel, found.line)
    at = locate(kernel, place)
    kind, message, hint = _words(fault.name, details, place, kernel, outcome, sharing)
    return Finding(
        kind=kind,
        severity=fault.severity,
        message=message,
        hint=hint,
        kernel=kernel.name,
        access=Access(
            at,
            found.block,
            pipe_name(pipe) if pipe is not None else "",
            bool(details.get("second_written", details.get("second_kind", 0))),
            details.get("second_turn", details.get("turn", 0)),
            thread,
            kernel.kernel_type.kind_name(found.core_kind),
        ),
        first=_first_access({"first_core_kind": found.core_kind, **details}, found.block, kernel),
        memory=memory_name(details["memory"]) if "memory" in details else "",
        argument=_argument(details, kernel) if "first_line" in details or fault.name in _OF_ARGUMENTS else "",
        begin=details.get("begin", 0),
        end=details.get("end", 0),
        element=details.get("element", -1),
        count=found.count if isinstance(found, Found) else 1,
        cores=found.cores if isinstance(found, Found) else 1,
    )


def _first_access(details: dict[str, int], core: int, kernel: KernelFacts) -> Access | None:
    """The earlier access of a race."""
    if "first_line" not in details:
        return None
    return Access(
        locate(kernel, place_of(kernel, details["first_line"])),
        details.get("first_core", core),
        pipe_name(details.get("first_pipe", _VECTOR)),
        bool(details.get("first_written", details.get("first_kind"))),
        details.get("first_turn", 0),
        thread_of(details, first=True),
        kernel.kernel_type.kind_name(details["first_core_kind"]),
    )


def place_of(kernel: KernelFacts, line: int) -> Place:
    """Where a line of the kernel's text comes from; an empty place if it comes from nowhere."""
    return kernel.places.get(line, Place(""))


def locate(kernel: KernelFacts, place: Place) -> Location | None:
    """The place in the user's file as it is now."""
    if not place.at:
        return None
    calls: list[Location] = []
    function = place.function
    # A helper's text is compiled once: as long as one place calls it, that is how it was reached.
    while len(callers := kernel.functions[function].callers) == 1:
        function, at = callers[0]
        calls.insert(0, _location(kernel, function, at))
    one_of = tuple(_location(kernel, caller, at) for caller, at in callers)
    return replace(_location(kernel, place.function, place.at), calls=tuple(calls), one_of=one_of)


def _location(kernel: KernelFacts, function: int, at: str) -> Location:
    """A place in one of the kernel's functions."""
    line, column = at.split(":")
    return function_source(kernel, function).locate(int(line), int(column))


def function_source(kernel: KernelFacts, function: int) -> Source:
    """The text of one of the kernel's functions."""
    if not (path := kernel.functions[function].path):
        return kernel.source
    found = value_at(kernel.python, path)
    return found.source if isinstance(found, KernelFunction) else source_of(found)  # type: ignore[arg-type]


def _argument(details: dict[str, int], kernel: KernelFacts) -> str:
    """The argument in which the bytes of a race lie; "" on chip."""
    return kernel.types[details["slot"]][0] if details["slot"] >= 0 else ""


def _element_bytes(details: dict[str, int], kernel: KernelFacts) -> int:
    """Of the argument of a slot."""
    return DTYPES[kernel.types[details["slot"]][1]].bytes


def _words(
    name: str, details: dict[str, int], place: Place, kernel: KernelFacts, outcome: Outcome, sharing: Sequence[Pair]
) -> Words:
    """Class, message and way out of a fault."""
    mixed = kernel.kernel_type.is_mixed
    if words := queue_words(name, details, place):
        return words
    if words := _thread_words(name, details, place, kernel):
        return words
    if words := cross_words(name, details, place.call, mixed):
        return words
    match name:
        case "TRAP":
            return TrapError, place.reason or "stopped by asc.trap()", ""
        case "RULE":
            return rule_words(details, place, kernel.soc)
        case "RACE":
            return RaceError, *_race_words(details, place, kernel, sharing)
        case "RACE_BETWEEN_CORES":
            first = locate(kernel, place_of(kernel, details["first_line"]))
            return RaceError, *core_race_words(details, first, _argument(details, kernel), mixed)
        case "FLOAT_ATOMIC":
            first = locate(kernel, place_of(kernel, details["first_line"]))
            return FloatAtomic, *float_atomic_words(details, first, _argument(details, kernel), mixed)
        case "SHARED_LINE" | "LOST_UPDATE" | "NOT_CLEANED" | "STALE":
            first = locate(kernel, place_of(kernel, details["first_line"]))
            return CacheError, *cache_words(name, details, first, _argument(details, kernel), mixed)
        case "UNINITIALISED" | "GARBAGE":
            return UninitialisedRead, *_uninitialised_words(name, details, place, kernel)
        case "SET_AGAIN":
            lines = (locate(kernel, place_of(kernel, details[name])) for name in ("set_line", "wait_line"))
            return FlagSetAgain, *set_again_words(details, *lines)
        case "ASSUMED":
            return assumed_words(details, place.call)
        case "UNWRITTEN":
            return UnwrittenOutput, *_unwritten_words(details, kernel)
        case "UNCLEANED":
            return UncleanedOutput, *uncleaned_words(details["element"], _argument(details, kernel))
        case "WATCHED":
            operand, begin, end = operand_name(place, details["operand"]), details["begin"], details["end"]
            message = f"{operand} touches bytes {begin} to {end} of UB, which are watched"
            return WatchedAccess, message, f"asc.check_local_memory_ia asked for it, as watch {details['watch']}"
        case "TRUNCATED":
            lost, count = details["lost"], details["count"]
            message = (
                f"asc.{place.call} copies whole blocks of 32 bytes: the last {lost} of {count} elements stay behind"
            )
            return TruncatedCopy, message, "copy the rest with asc.data_copy_pad, or all of it"
        case "SCALAR_OVERFLOW":
            return ScalarOverflow, *_overflow_words(details)
        case "CAPACITY":
            memory = MEMORIES[details["memory"]]
            end = details["address"] + details["bytes"]
            message = f"this tensor ends at byte {end} of {memory}, which has {details['capacity']} for a kernel"
            return OutOfRange, message, "make the tiles smaller, or let tensors share bytes"
        case "ABSENT_MEMORY":
            return OutOfRange, *_absent_words(details)
        case "WRONG_MEMORY":
            return RuleError, *_memory_words(details, place)
        case "TENSOR_RANGE":
            operand, needed, left = operand_name(place, details["operand"]), details["bytes"], details["left"]
            message = f"{operand} is used for {needed} bytes, but its tensor has only {left} from there"
            return OutOfRange, message, "check the offset and the count against the size the tensor was made with"
        case "PLACE_RANGE":
            begin, end = details["begin"], details["begin"] + details["bytes"]
            message = f"{_place_words(details, place)} byte {begin} to {end}, but its tensor has {details['left']}"
            return OutOfRange, message, "offsets count bytes, not elements, from the start of the tensor and its base"
        case "PLACE_ALIGN":
            message = f"{_place_words(details, place)} byte {details['begin']}, which {details['unit']} does not divide"
            return RuleError, message, "offsets count bytes: multiply an index by the size of an element"
        case "OFFSET":
            message = f"offset {details['offset']} of a tensor that has {details['elements']} elements from there"
            return OutOfRange, message, "an offset counts elements, from 0 to the size the tensor was made with"
        case "HALF_BYTE":
            message = f"offset {details['offset']} lies within a byte, which two elements of 4 bits share"
            return RuleError, message, "offsets of int4 are even; where a tensor starts at 32 bytes, multiples of 64"
        case "SIZE":
            message = f"{details['bytes']} bytes are too many: {details['most']} are there from the tensor's start on"
            return OutOfRange, message, "a tensor ends at the latest where its buffer or its memory does"
        case "LIST":
            return OutOfRange, *_list_words(details)
        case "DIM":
            message = f"dimension {details['dim']} of a shape that has {details['dims']}"
            return OutOfRange, message, "dimensions count from 0"
        case "GLOBAL_RANGE":
            return OutOfRange, *_global_words(details, place, kernel)
        case "OVERLAP":
            written, read = operand_name(place, details["written"]), operand_name(place, details["read"])
            rules = ROWS[place.call].forms[place.form].rules if place.call else ()
            both = (NoPartialOverlap, NoFeeding, Reduces)
            if not any(isinstance(rule, both) and (rule.operand, rule.other) == (written, read) for rule in rules):
                return RuleError, f"{written} overlaps {read}", f"keep {written} and {read} apart"
            message = f"{written} overlaps {read} in part, {details['distance']} bytes apart"
            return RuleError, message, f"let {written} be {read} itself, or keep them apart"
        case "QUEUES":
            message = f"valid_bit says which queues a merge has: 3, 7 or 15, got {details['valid_bit']}"
            return RuleError, message, "pass 3 for two queues, 7 for three, 15 for four"
        case "LIST_ALIGN":
            rule = "every tensor of a list must start at a multiple of 32 bytes"
            message = f"asc.{place.call}: {rule}, got {details['value']}"
            return RuleError, message, "start parts of a tensor at whole blocks"
        case "SLICES":
            rule, hint = _SLICE_RULES[details["what"]]
            message = f"asc.{place.call}: {operand_name(place, details['operand'])}: {rule}, got {details['value']}"
            return RuleError, message, hint
        case "PADDING":
            message = f"padding of {details['left']} bytes on the left and {details['right']} on the right"
            return RuleError, message, "each side may take 32 bytes: padding counts elements"
        case "PADDING_VALUE":
            message = "elements of 64 bits can be padded with 0 only"
            return RuleError, message, "pad with 0, or copy them as pairs of 32 bits"
        case "MASK_MODE" | "MASK_COUNT" | "MASK_LEFT" | "ATOMIC_TYPE" | "ATOMIC_LEFT" | "DEQUANT":
            return state_words(name, details, place.call)
        case "RESULT_WORDS" | "RESULT_MATRICES" | "NO_VECTOR_CORE" | "UNSET_STATE":
            return state_words(name, details, place.call)
        case "DEADLOCK":
            return _deadlock_words(details, kernel, outcome)
        case "SYNC_GRID":
            grid, have = details["grid"], details["cores"]
            message = f"asc.{place.call}() in a launch of {grid} cores, but {kernel.soc.name} has {have}"
            return (
                DeadlockError,
                message,
                "cores beyond those start only when others have ended: launch fewer",
            )
    return RunError, f"the twin could not get {details.get('bytes', 0)} bytes of memory", ""


def _thread_words(name: str, details: dict[str, int], place: Place, kernel: KernelFacts) -> Words | None:
    argument = _argument(details, kernel) if "slot" in details else ""
    line = details.get("other_line", details.get("first_line"))
    other = locate(kernel, place_of(kernel, line)) if line is not None else None
    words = stray_words(name, details, place.reason, argument, other)
    return words or thread_words(name, details, other, locate(kernel, place), argument)


def _race_words(
    details: dict[str, int], second: Place, kernel: KernelFacts, sharing: Sequence[Pair]
) -> tuple[str, str]:
    first = place_of(kernel, details["first_line"])
    if words := _overlap_words(details, sharing, locate(kernel, first)):
        return words
    sources = [function_source(kernel, number) for number in range(len(kernel.functions))]
    places, event = _flag_places(kernel, first, second), race_event(details)
    unwaited = None
    if places and first.function == second.function and not places.again:
        own = function_source(kernel, first.function)
        unwaited = unwaited_id(sources, own, event, _line(first.at), _line(second.at))
    message, hint = race_words(
        details,
        locate(kernel, first),
        locate(kernel, second),
        _argument(details, kernel),
        places,
        free_id(sources, event) if unwaited is None else unwaited,
        is_set=unwaited is not None,
    )
    if pair := _written_through(details, sharing, nested=True):
        return f"{message}: {overlap_words(*pair)}", f"give each tensor bytes of its own; if they share them: {hint}"
    return message, hint


def _overlap_words(details: dict[str, int], sharing: Sequence[Pair], first: Location | None) -> tuple[str, str] | None:
    """Of two writes to bytes that two tensors share in part; None otherwise. In any order, a value is lost."""
    if not (pair := _written_through(details, sharing, nested=False)):
        return None
    return overlap_race_words(details, first, overlap_words(*pair), str(pair[1]), pair[0].buffer.end or 0)


def _written_through(details: dict[str, int], sharing: Sequence[Pair], nested: bool) -> Pair | None:
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
    if not first.at or not second.at or not (both := in_one_function(_chain(kernel, first), _chain(kernel, second))):
        return None
    function, line, other_line = both
    return flag_places(function_source(kernel, function), function == 0, line, other_line)


def _chain(kernel: KernelFacts, place: Place) -> Chain:
    """The lines through which a place is reached, outermost first, as far as there is one way only."""
    chain = [(place.function, _line(place.at))]
    while len(callers := kernel.functions[chain[0][0]].callers) == 1:
        function, at = callers[0]
        chain.insert(0, (function, _line(at)))
    return chain


def _line(at: str) -> int:
    return int(at.partition(":")[0])


def _place_words(details: dict[str, int], place: Place) -> str:
    """Which offset leads where."""
    offsets, operand = operand_name(place, details["offsets"]), operand_name(place, details["operand"])
    return f"element {details['position']} of {offsets} leads to {operand} from"


def _element_words(details: dict[str, int], place: Place) -> str:
    """An element of an operand, or the one that get_value names."""
    if (operand := operand_name(place, details["operand"])) == NO_OPERAND:
        return "the element"
    return f"element {details['element']} of {operand}"


def _uninitialised_words(name: str, details: dict[str, int], place: Place, kernel: KernelFacts) -> tuple[str, str]:
    """Of bytes that nothing has written, with the line that wrote next to them if there is one."""
    writer = locate(kernel, place_of(kernel, details["writer_line"]))
    if load := locate(kernel, place_of(kernel, details["load_line"])):
        return _loaded_words(details, place, load.line, writer.line if writer else 0)
    if memory_name(details["memory"]) == "L0B" and details["begin"] >= kernel.soc.size["L0B"]:  # see cube_sparse.h
        operand = operand_name(place, details["operand"])
        message = f"the indices of {operand} are read here, but nothing has loaded them"
        return message, f"load {operand} and its indices with asc.load_data_with_sparse"
    element, memory = _element_words(details, place), memory_name(details["memory"])
    if origin := locate(kernel, place_of(kernel, details["origin_line"])):
        call = place_of(kernel, details["origin_line"]).call
        message = f"{element} comes from what nothing has written: asc.{call} in line {origin.line} read byte "
        message += f"{details['origin_begin']} of {memory}"
    else:
        message = f"{element} is read here, but nothing has written it (byte {details['begin']} of {memory})"
    if writer:
        message += f"{', and' if origin else ':'} line {writer.line} wrote bytes {details['writer_begin']} to "
        message += f"{details['writer_end']} and left it out"
    if name == "GARBAGE":
        mend = "pass the count of what was copied in, or fill the rest first, as with asc.duplicate"
        return f"{message}; what is computed from it does not leave the core", mend
    if not writer:
        return message, "copy to it or fill it first; check the count of what did"
    counts = "check its count and strides, and whether a length counts bytes or elements"
    others = "fill it first, or leave it out here" if origin else "fill it first"
    return message, f"let line {writer.line} write it: {counts}; or {others}"


def _loaded_words(details: dict[str, int], place: Place, load: int, writer: int) -> tuple[str, str]:
    """Of bytes that line `load` brought from L1, where nothing had written them; line `writer` did beside, if not 0."""
    message = (
        f"{_element_words(details, place)} counts here, but nothing has written it: line {load} loaded it from byte "
        f"{details['load_begin']} of L1"
    )
    if not writer:
        return message, "copy to it or fill it before it is loaded, or make m, n and k as small as what was"
    wrote = f"line {writer} wrote bytes {details['writer_begin']} to {details['writer_end']} there and left it out"
    counts = "check its counts and strides; or fill it first, or make m, n and k as small as what is there"
    return f"{message}, where {wrote}", f"let line {writer} write it: {counts}"


def _overflow_words(details: dict[str, int]) -> tuple[str, str]:
    left, operation, right, bits = details["left"], chr(details["operation"]), details["right"], details["bits"]
    return (
        f"{left} {operation} {right} does not fit int{bits}, so it wraps around",
        "keep sizes and offsets below the limit; compute in parts if they are not",
    )


def _unwritten_words(details: dict[str, int], kernel: KernelFacts) -> tuple[str, str]:
    """Of an argument of which something is missing."""
    size = _element_bytes(details, kernel)
    missing, elements = -(-details["missing"] // size), details["argument_bytes"] // size
    count = "1 element was" if elements == 1 else f"{missing} of {elements} elements were"
    message = f"argument {_argument(details, kernel)}: {count} never written, first {details['element']}"
    return message, "check where loops and parts of cores end, and whether a length counts bytes or elements"


def _absent_words(details: dict[str, int]) -> tuple[str, str]:
    """Of a core that has not the memory of a tensor."""
    memory = MEMORIES[details["memory"]]
    kind, other = ("AIC", "AIV") if details["kind"] else ("AIV", "AIC")
    return (
        f"{memory} belongs to an {other}, and this code runs on an {kind}",
        f"make the tensor under `if asc.ascend_is_{other.lower()}():`",
    )


def _memory_words(details: dict[str, int], place: Place) -> tuple[str, str]:
    """Of a tensor in a memory that the call does not take it from."""
    operand, memory = operand_name(place, details["operand"]), MEMORIES[details["memory"]]
    allowed = [name for number, name in enumerate(MEMORIES) if details["allowed"] >> number & 1]
    return (
        f"{operand} lies in {memory}, where asc.{place.call} does not take it",
        f"it may lie in {' or '.join(allowed)}: choose another position" if allowed else "",
    )


def _list_words(details: dict[str, int]) -> tuple[str, str]:
    """Of opwright::ListFault."""
    value, most = details["value"], details["most"]
    made = "make the list with asc.list_of_tensors"
    return (
        (f"this is no list of tensors: its addresses start at byte {value}, its descriptions end at {most}", made),
        (f"the list is read up to byte {value}, and length says that it has {most}", "give the bytes of the list"),
        (f"shape_size says {value} tensors, and the list has {most}", "give the number of tensors, or leave it out"),
        (f"tensor {value} of a list that has {most}", "tensors count from 0"),
        (f"the tensor has {value} extents, and there is room for {most}", "give set_shape_addr a longer asc.array"),
        (f"tensor {value} of the list is no argument of the kernel", "give the launch the tensors as arguments too"),
    )[details["what"]]


def _global_words(details: dict[str, int], place: Place, kernel: KernelFacts) -> tuple[str, str]:
    operand, size = operand_name(place, details["operand"]), details["argument_bytes"]
    if details["slot"] < 0:
        return f"{operand} lies in no argument", "give it an address that comes from an argument"
    name = kernel.types[details["slot"]][0]
    start, end = details["offset"], details["offset"] + details["bytes"]
    if start >= 0 and end <= size:
        message = f"{operand} writes into argument {name}, which this kernel was only seen to read"
        return message, "an address that comes from another argument has run into it: check the offset"
    message = f"{operand} touches bytes {start} to {end} of argument {name}, which has {size}"
    return message, "check the offset, the length per core and the number of cores"


def _deadlock_words(details: dict[str, int], kernel: KernelFacts, outcome: Outcome) -> Words:
    def line(number: int) -> str:
        at = locate(kernel, place_of(kernel, number))
        return f"line {at.line if at else '?'}"

    waiters = list(outcome.waiting)[: min(outcome.waiters, WAITERS)]
    return deadlock_words(waiters, outcome.waiters, details["blocks"], kernel.kernel_type.is_mixed, line)
