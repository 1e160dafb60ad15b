"""What can go wrong while a kernel runs on the twin, stated once.

Out: `FAULTS`, from which `generated/faults.h` is made and from which `report.py` makes the user's error. A fault
carries integers only; their names are here, and the texts that show them. `incident.py` says how a template is filled
in. Texts that depend on more than their integers are made by a function in `messages/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opwright.ascendc.enums import CROSS_FLAGS_BY_HAND, EVENT_IDS
from opwright.errors import (
    AssumedResult,
    CacheError,
    DeadlockError,
    DivergentBarrier,
    FlagError,
    FlagSetAgain,
    FloatAtomic,
    MissingLanes,
    OutOfRange,
    QueueError,
    RaceError,
    RuleError,
    RunError,
    ScalarOverflow,
    StateError,
    TrapError,
    TruncatedCopy,
    UncleanedOutput,
    UninitialisedRead,
    UnwrittenOutput,
    WatchedAccess,
)
from opwright.twin.fault_cases import LISTS, SLICES, USES, Texts, left, scales


@dataclass(frozen=True)
class Fault:
    """One way to fail: the name of its C++ enumerator, of the integers that come with it, and what the user reads.

    severity: "error", or "warning" for what the checked mode reports although the kernel may be right.
    cases: templates of message and hint by the value of the detail `by`, where one pair does not do for all.
    """

    name: str
    details: tuple[str, ...] = ()
    error: type[RunError] = RunError
    message: str = ""
    hint: str = ""
    severity: str = "error"
    by: str = ""
    cases: Mapping[int, Texts] = field(default_factory=dict)

    def texts(self, details: Mapping[str, int]) -> Texts:
        """The templates of message and hint; an empty message if the texts are made by a function."""
        return self.cases[details[self.by]] if self.by else (self.message, self.hint)


# Two accesses to the same bytes. What tells one race from another comes first. Bytes count from the start of the
# memory, or of the argument of a slot; the element is that of the later access's operand, or of the argument.
_RACE = (
    "first_line",
    "first_pipe",
    "second_pipe",
    "memory",
    "first_written",
    "second_written",
    "first_iteration",
    "second_iteration",
    "begin",
    "end",
    "slot",
    "element",
)
# The other core of a race between cores, and its kind.
_OTHER_CORE = ("first_core", "first_core_kind")
# Who wrote next to bytes that nothing has written, and which bytes; line 0: nothing. A load may have brought them: its
# line, and the first of them in L1, which then is where the writer wrote; line 0: none has.
_WRITER = ("writer_line", "writer_begin", "writer_end", "load_line", "load_begin")
# A read of bytes that nothing has written, or, if the line is not 0, of what another line computed from such bytes.
_UNWRITTEN = (
    "operand",
    "memory",
    "pipe",
    "iteration",
    "begin",
    "end",
    "element",
    *_WRITER,
    "origin_line",
    "origin_begin",
)

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
    Fault("NO_MEMORY", ("bytes",), RunError, "the twin could not get {bytes} bytes of memory"),
    Fault("TRAP", (), TrapError),
    Fault("RULE", ("rule", "operand", "value"), RuleError),
    Fault(
        "CAPACITY",
        ("memory", "address", "bytes", "capacity"),
        OutOfRange,
        "this tensor ends at byte {address+bytes} of {memory:memory}, which has {capacity} for a kernel",
        "make the tiles smaller, or let tensors share bytes",
    ),
    Fault("ABSENT_MEMORY", ("memory", "kind"), OutOfRange),
    Fault("WRONG_MEMORY", ("operand", "memory", "allowed"), RuleError),  # allowed: bit i is memory i
    Fault(
        "TENSOR_RANGE",
        ("operand", "bytes", "left"),
        OutOfRange,
        "{operand:operand} is used for {bytes} bytes, but its tensor has only {left} from there",
        "check the offset and the count against the size the tensor was made with",
    ),
    Fault(
        "OFFSET",
        ("offset", "elements"),
        OutOfRange,
        "offset {offset} is outside the tensor ({elements} elements)",
        "an offset counts elements, from 0 to the size the tensor was made with",
    ),
    Fault(
        "HALF_BYTE",
        ("offset",),
        RuleError,
        "offset {offset} lies within a byte, which two elements of 4 bits share",
        "offsets of int4 are even; where a tensor starts at 32 bytes, multiples of 64",
    ),
    Fault(
        "SIZE",
        ("bytes", "max"),
        OutOfRange,
        "{bytes} bytes are too many: only {max} remain from the tensor's start",
        "a tensor ends at the latest where its buffer or its memory does",
    ),
    Fault("DIM", ("dim", "dims"), OutOfRange, "dimension {dim} of a shape that has {dims}", "dimensions count from 0"),
    Fault("LIST", ("what", "value", "max"), OutOfRange, by="what", cases=LISTS),
    Fault("GLOBAL_RANGE", ("operand", "slot", "offset", "bytes", "argument_bytes"), OutOfRange),
    Fault(
        "PLACE_RANGE",
        ("operand", "offsets", "position", "begin", "bytes", "left"),
        OutOfRange,
        "element {position} of {offsets:operand} leads to {operand:operand} from byte {begin} to "
        "{begin+bytes}, but its tensor has {left}",
        "offsets count bytes, not elements, from the start of the tensor and its base",
    ),
    Fault(
        "PLACE_ALIGN",
        ("operand", "offsets", "position", "begin", "unit"),
        RuleError,
        "element {position} of {offsets:operand} leads to {operand:operand} from byte {begin}, which "
        "{unit} does not divide",
        "offsets count bytes: multiply an index by the size of an element",
    ),
    Fault(
        "QUEUES",
        ("valid_bit",),
        RuleError,
        "valid_bit says which queues a merge has: 3, 7 or 15, got {valid_bit}",
        "pass 3 for two queues, 7 for three, 15 for four",
    ),
    Fault(
        "LIST_ALIGN",
        ("value",),
        RuleError,
        "asc.{call}: every tensor of a list must start at a multiple of 32 bytes, got {value}",
        "start parts of a tensor at whole blocks",
    ),
    Fault("OVERLAP", ("written", "read", "distance"), RuleError),
    Fault(
        "WAIT_WITHOUT_SET",
        ("event", "event_id"),
        DeadlockError,
        "flag {event:event} {event_id} is waited for, but nothing set it before this line",
        "set_flag(HardEvent.{event:event}, {event_id}) before it; the twin runs a core in program order "
        "and refuses a set that comes later",
    ),
    Fault(
        "SET_TWICE",
        ("event", "event_id"),
        FlagError,
        "flag {event:event} {event_id} is set again before anything waited for it",
        "wait_flag(HardEvent.{event:event}, ...) first",
    ),
    Fault("LEFT_SET", ("event", "event_id"), FlagError),
    Fault(
        "NO_EVENT_ID",
        ("event",),
        FlagError,
        f"all {EVENT_IDS} event ids of {{event:event}} are given out",
        "release_event_id those that are done with; each enqueued or freed buffer of a queue holds one",
    ),
    Fault(
        "NOT_GIVEN",
        ("event", "event_id"),
        FlagError,
        "event id {event_id} of {event:event} is not given out",
        "release an id once, and only one that alloc_event_id gave",
    ),
    Fault(
        "SECOND_PIPE",
        (),
        QueueError,
        "a kernel has one asc.TPipe, and this is the second",
        "use the first, or destroy() it",
    ),
    Fault("NO_PIPE", (), QueueError, "this asc.TPipe was destroyed", "make another with asc.TPipe()"),
    Fault(
        "WITHOUT_PIPE",
        (),
        QueueError,
        "this kernel has no asc.TPipe here",
        "make one with asc.TPipe(), or do not destroy() it",
    ),
    Fault(
        "BUFFERS_TWICE",
        (),
        QueueError,
        "this has its buffers already",
        "call init_buffer once for each queue and each TBuf",
    ),
    Fault("TOO_MANY_BUFFERS", ("wanted", "have", "max"), QueueError),
    Fault(
        "BUFFER_CAPACITY",
        ("memory", "bytes", "left", "capacity"),
        OutOfRange,
        "these buffers take {bytes} bytes of {memory:memory}, but {left} of {capacity} are left",
        "make the tiles smaller, or let queues have fewer buffers",
    ),
    Fault(
        "POOL_CAPACITY",
        ("bytes", "left", "capacity"),
        OutOfRange,
        "these take {bytes} bytes of a pool, but {left} of {capacity} are left",
        "make the pool larger, or what it hands out smaller",
    ),
    Fault(
        "NO_BUFFERS",
        (),
        QueueError,
        "this has no buffers",
        "call init_buffer first, or init_buf_pool for a pool, and again after reset(); a pipe made in a "
        "branch or loop ends with it",
    ),
    Fault("NONE_FREE", ("buffers", "occupied", "enqueued", "dequeued"), QueueError),
    Fault(
        "FOREIGN_TENSOR",
        (),
        QueueError,
        "this tensor does not belong to this queue",
        "a queue takes what its own alloc_tensor or deque gave",
    ),
    Fault(
        "ENQUE_STATE",
        ("state",),
        QueueError,
        "this tensor cannot be enqueued: it {state:BufferState}",
        "enqueue a tensor once after each alloc_tensor or deque",
    ),
    Fault(
        "FREE_STATE",
        ("state",),
        QueueError,
        "this tensor cannot be freed: it {state:BufferState}",
        "free a tensor once, after deque",
    ),
    Fault(
        "QUEUE_FULL",
        ("depth",),
        QueueError,
        "{depth} tensors wait in this queue, as many as its depth allows",
        "deque one first, or make the queue with a larger depth",
    ),
    Fault(
        "QUEUE_EMPTY",
        (),
        QueueError,
        "no tensor waits in this queue",
        "enque one first; the twin runs a core in program order",
    ),
    Fault(
        "NO_ORDER",
        (),
        QueueError,
        "a queue of depth 0 does not know which tensor is next",
        "name it: deque(tensor), or make the queue with a larger depth",
    ),
    Fault(
        "OTHER_WAY",
        ("set", "waited"),
        QueueError,
        "this tensor was enqueued with flag {set:event}, and deque would wait for {waited:event}",
        "give enque and deque the same positions",
    ),
    Fault(
        "BUFFER_RANGE",
        ("end", "bytes"),
        OutOfRange,
        "this tensor ends at byte {end} of a buffer that has {bytes}",
        "give init_buffer more bytes, or take fewer elements",
    ),
    Fault(
        "DEQUANT",
        ("wants_tensor",),
        RuleError,
        by="wants_tensor",
        cases={0: scales("scale, offset, sign_mode"), 1: scales("vdeq, vdeq_info")},
    ),
    Fault(
        "RESULT_WORDS",
        (),
        RuleError,
        "this mode takes a word for each column, but no tensor of them was named",
        "call asc.set_fix_pipe_config(words) first, or pass cbuf_workspace to asc.fixpipe",
    ),
    Fault(
        "RESULT_MATRICES",
        (),
        RuleError,
        "rows are wanted, but how many matrices there are was not set",
        "call asc.set_fixpipe_nz2nd_flag(1, 0, 0) first: one matrix",
    ),
    Fault(
        "NO_VECTOR_CORE",
        ("sub_block",),
        RuleError,
        "the group has no vector core {sub_block}",
        'use @asc.jit(kernel_type="mix_1_2"), or mix_1_1 for vector core 0 alone',
    ),
    Fault("SLICES", ("what", "operand", "value"), RuleError, by="what", cases=SLICES),
    Fault(
        "PADDING",
        ("left", "right"),
        RuleError,
        "padding of {left} bytes on the left and {right} on the right",
        "each side may take 32 bytes: padding counts elements",
    ),
    Fault(
        "PADDING_VALUE",
        (),
        RuleError,
        "elements of 64 bits can be padded with 0 only",
        "pad with 0, or copy them as pairs of 32 bits",
    ),
    Fault(
        "MASK_MODE",
        (),
        RuleError,
        "in counter mode the mask of this call would be taken for a number of elements",
        "call asc.set_mask_norm() first, or pass is_set_mask=False",
    ),
    Fault(
        "MASK_COUNT",
        (),
        RuleError,
        "in counter mode this call takes its count from the mask register, which does not hold one",
        "call asc.set_vector_mask(count, dtype, asc.MaskMode.COUNTER) first",
    ),
    Fault(
        "ATOMIC_TYPE",
        ("type",),
        RuleError,
        "copies to global memory are set to {type:atomic}, which is not the element type of this copy",
        "call asc.set_atomic_none() first, or use a tensor of the type that was set",
    ),
    Fault("DEADLOCK", ("waiting", "blocks"), DeadlockError),
    Fault(
        "CROSS_COUNT",
        ("id", "core_kind", "block"),
        FlagError,
        "flag {id} between cores is set 16 times more than {whose} has waited for it",
        "its counter ends at 15: call asc.cross_core_wait_flag in between",
    ),
    Fault("CROSS_MODE", ("what", "mode", "id", "pipe", "before"), FlagError),
    Fault("ABSENT_PIPE", ("pipe", "kind", "arch"), FlagError),
    Fault("CROSS_LEFT", ("id", "mode", "left", "core_kind", "block"), FlagError),
    Fault("UNIT_FLAG", ("pipe", "begin", "end"), FlagError),
    Fault(
        "SYNC_GRID",
        ("grid", "cores"),
        DeadlockError,
        "asc.{call}() in a launch of {grid} cores, but {soc} has {cores}",
        "cores beyond those start only when others have ended: launch fewer",
    ),
    Fault("RACE", _RACE, RaceError),
    Fault("RACE_BETWEEN_CORES", (*_RACE, *_OTHER_CORE), RaceError),
    Fault("UNINITIALISED", _UNWRITTEN, UninitialisedRead),
    Fault("GARBAGE", _UNWRITTEN, UninitialisedRead, severity="warning"),
    Fault(
        "WATCHED",
        ("operand", "watch", "begin", "end", "memory", "pipe", "iteration"),
        WatchedAccess,
        "{operand:operand} touches bytes {begin} to {end} of UB, which are watched",
        "asc.check_local_memory_ia asked for it, as watch {watch}",
    ),
    Fault("RESERVED_ID", ("event", "event_id"), FlagError, severity="warning"),
    Fault(
        "RESERVED_FLAG",
        ("id",),
        FlagError,
        "flag {id} between cores is not for kernels: asc.sync_all() uses such flags",
        f"use 0 to {CROSS_FLAGS_BY_HAND - 1}, on an AIC in mode 4 also 16 to 26",
        severity="warning",
    ),
    Fault(
        "TRUNCATED",
        ("operand", "count", "lost"),
        TruncatedCopy,
        "asc.{call} copies whole blocks of 32 bytes: the last {lost} of {count} elements are not copied",
        "copy the rest with asc.data_copy_pad, or all of it",
        severity="warning",
    ),
    Fault("BUFFER_STATE", ("operand", "state"), QueueError, by="state", cases=USES),
    Fault(
        "LIVE_TENSORS",
        ("position", "live"),
        QueueError,
        "{live} tensors of queues at {position:position} are allocated at the same time, 8 are the most",
        "free_tensor some first, or take several tensors from one TBuf",
    ),
    Fault("SHARED_LINE", (*_RACE, *_OTHER_CORE), CacheError, severity="warning"),
    Fault("NOT_CLEANED", (*_RACE, *_OTHER_CORE), CacheError),
    Fault("STALE", (*_RACE, *_OTHER_CORE), CacheError),
    Fault("LOST_UPDATE", (*_RACE, *_OTHER_CORE), CacheError),
    Fault(
        "MASK_LEFT",
        ("counts",),
        StateError,
        by="counts",
        cases={0: left("a mask is", "reset_mask"), 1: left("counter mode is", "set_mask_norm")},
    ),
    Fault(
        "ATOMIC_LEFT",
        (),
        StateError,
        "atomic copies are still on when the core ends",
        "call asc.set_atomic_none() at the end: what is left disturbs the next kernel",
    ),
    Fault(
        "UNSET_STATE",
        ("state",),
        StateError,
        "{caller} depends on {state:SetState}, which here is what the kernel before left on this core",
        "call asc.init_soc_state(), or make the asc.TPipe, before anything else",
    ),
    Fault("FLOAT_ATOMIC", (*_RACE, *_OTHER_CORE), FloatAtomic, severity="warning"),
    Fault("SET_AGAIN", ("wait_line", "source", "destination", "event_id", "set_line"), FlagSetAgain),
    Fault("UNWRITTEN", ("slot", "missing", "begin", "argument_bytes"), UnwrittenOutput, severity="warning"),
    Fault(
        "UNCLEANED",
        ("slot", "begin"),
        UncleanedOutput,
        "element {element} of argument {argument} is set here, and its line of the data cache is never "
        "cleaned: on the chip the value may not arrive",
        "call asc.data_cache_clean_and_invalid(...) of the tensor after its last set_value, or copy the values out",
        severity="warning",
    ),
    Fault("ASSUMED", _ASSUMED, AssumedResult, severity="warning"),
    Fault(
        "SCALAR_OVERFLOW",
        ("operation", "left", "right", "bits"),
        ScalarOverflow,
        "{left} {operation:character} {right} does not fit int{bits}, so it wraps around",
        "keep sizes and offsets below the limit; compute in parts if they are not",
        severity="warning",
    ),
    Fault("THREAD_RACE", _THREAD_RACE, RaceError),
    Fault("THREAD_FLOATS", _THREAD_RACE, FloatAtomic, severity="warning"),
    Fault("THREAD_UNINITIALISED", (*_THREAD, "memory", "begin", "end", "element", "other_line"), UninitialisedRead),
    Fault("THREADS", ("along_x", "along_y", "along_z", "max"), RuleError),
    Fault("POINTER_RANGE", (*_THREAD, "memory", "slot", "index", "elements"), OutOfRange),
    Fault("THREAD_STOP", _THREAD, TrapError),
    Fault("DIVERGENT_BARRIER", (*_THREAD, *_OTHER_THREAD), DivergentBarrier),
    Fault("MISSING_LANES", (*_THREAD, *_OTHER_THREAD), MissingLanes),
    Fault(
        "SHFL_LANE",
        (*_THREAD, "lane"),
        RuleError,
        "thread {thread} wants the value of lane {lane}, which is inactive",
        "it has ended, or the block does not have it: all 32 lanes must reach this line",
    ),
    Fault(
        "SHFL_WIDTH",
        (*_THREAD, "width"),
        RuleError,
        "thread {thread}: width must be 1, 2, 4, 8, 16 or 32, got {width}",
        "a shuffle stays within groups of that many lanes",
    ),
)
