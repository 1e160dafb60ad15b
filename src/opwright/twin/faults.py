"""What can go wrong while a kernel runs on the twin, stated once.

In: nothing. Out: `FAULTS`, from which `include/opwright/generated/faults.h` is generated and from which
`opwright.twin.report` makes the user's error. A fault carries integers only; the names of its details are here.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.errors import RunError

Words = tuple[type[RunError], str, str]  # class, message and way out of a user's error


@dataclass(frozen=True)
class Fault:
    """One way to fail: the name of its C++ enumerator, of the integers that come with it, and how bad it is.

    severity: "error", or "warning" for what the checked mode tells although the kernel may be right.
    """

    name: str
    details: tuple[str, ...] = ()
    severity: str = "error"


# Two accesses to the same bytes. What tells one race from another comes first. Bytes count from the start of the
# memory, or of the argument of a slot; the element is that of the later access's operand, or of the argument.
_RACE = (
    "first_line",
    "first_pipe",
    "second_pipe",
    "memory",
    "first_written",
    "second_written",
    "first_turn",
    "second_turn",
    "begin",
    "end",
    "slot",
    "element",
)
# The other core of a race between cores, and its kind.
_OTHER_CORE = ("first_core", "first_core_kind")
# Who wrote next to bytes that nothing has written, and which bytes; line 0: nobody. A load may have brought them: its
# line, and the first of them in L1, which then is where the writer wrote; line 0: none has.
_WRITER = ("writer_line", "writer_begin", "writer_end", "load_line", "load_begin")
# A read of bytes that nothing has written, or, if the line is not 0, of what another line computed from such bytes.
_UNWRITTEN = ("operand", "memory", "pipe", "turn", "begin", "end", "element", *_WRITER, "origin_line", "origin_begin")

# A thread of a block, and one that does not come to where it waits. The other one has ended, or waits at a line of its
# own for the block or for its warp: 0, 1, 2.
_THREAD = ("x", "y", "z")
# Two accesses of threads to the same bytes: that of the upper line first. Kinds are those of opwright::ThreadKind.
_THREAD_RACE = (
    "first_line",
    "memory",
    "first_kind",
    "second_kind",
    "begin",
    "end",
    "slot",
    "element",
    "first_x",
    "first_y",
    "first_z",
    *_THREAD,
)
# A result that a switch of assumptions.py decides: the switch, whether it is on, what comes out and what would with the
# switch the other way, and what it comes of. Numbers that are no integers are the bits of a double.
_ASSUMED = ("switch", "is_on", "is_integer", "taken", "other", "are_integers", "values", "first", "second")
_OTHER_THREAD = ("other_x", "other_y", "other_z", "other_state", "other_line")


FAULTS: tuple[Fault, ...] = (
    Fault("NONE"),
    Fault("NO_MEMORY", ("bytes",)),
    Fault("TRAP"),
    Fault("RULE", ("rule", "operand", "value")),
    Fault("CAPACITY", ("memory", "address", "bytes", "capacity")),
    Fault("ABSENT_MEMORY", ("memory", "kind")),
    Fault("WRONG_MEMORY", ("operand", "memory", "allowed")),  # allowed: bit i is memory i
    Fault("TENSOR_RANGE", ("operand", "bytes", "left")),
    Fault("OFFSET", ("offset", "elements")),
    Fault("HALF_BYTE", ("offset",)),
    Fault("SIZE", ("bytes", "most")),
    Fault("DIM", ("dim", "dims")),
    Fault("LIST", ("what", "value", "most")),
    Fault("GLOBAL_RANGE", ("operand", "slot", "offset", "bytes", "argument_bytes")),
    Fault("PLACE_RANGE", ("operand", "offsets", "position", "begin", "bytes", "left")),
    Fault("PLACE_ALIGN", ("operand", "offsets", "position", "begin", "unit")),
    Fault("QUEUES", ("valid_bit",)),
    Fault("LIST_ALIGN", ("value",)),
    Fault("OVERLAP", ("written", "read", "distance")),
    Fault("WAIT_WITHOUT_SET", ("event", "event_id")),
    Fault("SET_TWICE", ("event", "event_id")),
    Fault("LEFT_SET", ("event", "event_id")),
    Fault("NO_EVENT_ID", ("event",)),
    Fault("NOT_GIVEN", ("event", "event_id")),
    Fault("SECOND_PIPE"),
    Fault("NO_PIPE"),
    Fault("WITHOUT_PIPE"),
    Fault("BUFFERS_TWICE"),
    Fault("TOO_MANY_BUFFERS", ("wanted", "have", "most")),
    Fault("BUFFER_CAPACITY", ("memory", "bytes", "left", "capacity")),
    Fault("POOL_CAPACITY", ("bytes", "left", "capacity")),
    Fault("NO_BUFFERS"),
    Fault("NONE_FREE", ("buffers", "occupied", "enqueued", "dequeued")),
    Fault("FOREIGN_TENSOR"),
    Fault("ENQUE_STATE", ("state",)),
    Fault("FREE_STATE", ("state",)),
    Fault("QUEUE_FULL", ("depth",)),
    Fault("QUEUE_EMPTY"),
    Fault("NO_ORDER"),
    Fault("OTHER_WAY", ("set", "waited")),
    Fault("BUFFER_RANGE", ("end", "bytes")),
    Fault("DEQUANT", ("wants_tensor",)),
    Fault("RESULT_WORDS"),
    Fault("RESULT_MATRICES"),
    Fault("NO_VECTOR_CORE", ("sub_block",)),
    Fault("SLICES", ("what", "operand", "value")),
    Fault("PADDING", ("left", "right")),
    Fault("PADDING_VALUE"),
    Fault("MASK_MODE"),
    Fault("MASK_COUNT"),
    Fault("ATOMIC_TYPE", ("type",)),
    Fault("DEADLOCK", ("waiting", "blocks")),
    Fault("CROSS_COUNT", ("id", "core_kind", "block")),
    Fault("CROSS_MODE", ("what", "mode", "id", "pipe", "before")),
    Fault("ABSENT_PIPE", ("pipe", "kind", "arch")),
    Fault("CROSS_LEFT", ("id", "mode", "left", "core_kind", "block")),
    Fault("UNIT_FLAG", ("pipe", "begin", "end")),
    Fault("SYNC_GRID", ("grid", "cores")),
    Fault("RACE", _RACE),
    Fault("RACE_BETWEEN_CORES", (*_RACE, *_OTHER_CORE)),
    Fault("UNINITIALISED", _UNWRITTEN),
    Fault("GARBAGE", _UNWRITTEN, "warning"),
    Fault("WATCHED", ("operand", "watch", "begin", "end", "memory", "pipe", "turn")),
    Fault("RESERVED_ID", ("event", "event_id"), "warning"),
    Fault("RESERVED_FLAG", ("id",), "warning"),
    Fault("TRUNCATED", ("operand", "count", "lost"), "warning"),
    Fault("BUFFER_STATE", ("operand", "state")),
    Fault("LIVE_TENSORS", ("position", "live")),
    Fault("SHARED_LINE", (*_RACE, *_OTHER_CORE), "warning"),
    Fault("NOT_CLEANED", (*_RACE, *_OTHER_CORE)),
    Fault("STALE", (*_RACE, *_OTHER_CORE)),
    Fault("LOST_UPDATE", (*_RACE, *_OTHER_CORE)),
    Fault("MASK_LEFT", ("counts",)),
    Fault("ATOMIC_LEFT"),
    Fault("UNSET_STATE", ("state",)),
    Fault("FLOAT_ATOMIC", (*_RACE, *_OTHER_CORE), "warning"),
    Fault("SET_AGAIN", ("wait_line", "source", "destination", "event_id", "set_line")),
    Fault("UNWRITTEN", ("slot", "missing", "begin", "argument_bytes"), "warning"),
    Fault("UNCLEANED", ("slot", "begin"), "warning"),
    Fault("ASSUMED", _ASSUMED, "warning"),
    Fault("SCALAR_OVERFLOW", ("operation", "left", "right", "bits"), "warning"),
    Fault("THREAD_RACE", _THREAD_RACE),
    Fault("THREAD_FLOATS", _THREAD_RACE, "warning"),
    Fault("THREAD_UNINITIALISED", (*_THREAD, "memory", "begin", "end", "element", "other_line")),
    Fault("THREADS", ("along_x", "along_y", "along_z", "most")),
    Fault("POINTER_RANGE", (*_THREAD, "memory", "slot", "index", "elements")),
    Fault("THREAD_STOP", _THREAD),
    Fault("DIVERGENT_BARRIER", (*_THREAD, *_OTHER_THREAD)),
    Fault("MISSING_LANES", (*_THREAD, *_OTHER_THREAD)),
    Fault("SHFL_LANE", (*_THREAD, "lane")),
    Fault("SHFL_WIDTH", (*_THREAD, "width")),
)
