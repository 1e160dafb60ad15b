"""Words for the faults of pipes, queues, buffers and flags.

In: a fault's name with its details, and the place of the call. Out: class, message and way out of the user's error;
None for a fault of another kind.
"""

from __future__ import annotations

from opwright.ascendc.enums import EVENT_IDS, EVENT_IDS_BY_HAND, HardEvent, TPosition
from opwright.ascendc.socs import MEMORIES
from opwright.ascendc.table import ROWS
from opwright.errors import DeadlockError, FlagError, OutOfRange, QueueError
from opwright.kernel.place import Place
from opwright.twin.faults import Words

# Of opwright::BufferState.
_STATES = (
    "is not allocated: it was freed, or never was",
    "is allocated, but was not enqueued",
    "waits in the queue already",
    "was dequeued",
)


# Of a tensor used in a state in which it must not be; -1: the pipe was reset since.
_USES = {
    -1: (
        "was taken before the pipe was reset or destroyed, or its pool reset",
        "take another from a queue or TBuf after init_buffer",
    ),
    0: ("was freed", "call free_tensor after its last use"),
    2: ("waits in the queue", "use what deque() gives: it waits until the tensor is ready"),
}


_BUFFERS = 64  # of a kernel

NO_OPERAND = "the tensor"  # of an access to one element


def operand_name(place: Place, index: int) -> str:
    """An operand's name in the call."""
    if place.call and 0 <= index < len(ROWS[place.call].forms[place.form].parameters):
        return ROWS[place.call].forms[place.form].parameters[index].name
    return NO_OPERAND


def queue_words(name: str, details: dict[str, int], place: Place) -> Words | None:
    """Class, message and way out of a fault."""
    match name:
        case "SECOND_PIPE":
            return QueueError, "a kernel has one asc.TPipe, and this is the second", "use the first, or destroy() it"
        case "NO_PIPE":
            return QueueError, "this asc.TPipe was destroyed", "make another with asc.TPipe()"
        case "WITHOUT_PIPE":
            return QueueError, "this kernel has no asc.TPipe here", "make one with asc.TPipe(), or do not destroy() it"
        case "BUFFERS_TWICE":
            return QueueError, "this has its buffers already", "call init_buffer once for each queue and each TBuf"
        case "NO_BUFFERS":
            hint = "call init_buffer first, or init_buf_pool for a pool, and again after reset(); a pipe made in a "
            return QueueError, "this has no buffers", f"{hint}branch or loop ends with it"
        case "TOO_MANY_BUFFERS":
            most = details["most"]
            whose = "a kernel" if most == _BUFFERS else "this pool"
            message = f"{details['wanted']} more buffers after {details['have']}: {whose} has {most} at most"
            return QueueError, message, "let queues have fewer buffers, or take several tensors from one TBuf"
        case "BUFFER_CAPACITY":
            memory, left = MEMORIES[details["memory"]], details["left"]
            message = (
                f"these buffers take {details['bytes']} bytes of {memory}, but {left} of {details['capacity']} are left"
            )
            return OutOfRange, message, "make the tiles smaller, or let queues have fewer buffers"
        case "POOL_CAPACITY":
            message = f"these take {details['bytes']} bytes of a pool, but {details['left']} of {details['capacity']} "
            return OutOfRange, f"{message}are left", "make the pool larger, or what it hands out smaller"
        case "BUFFER_RANGE":
            message = f"this tensor ends at byte {details['end']} of a buffer that has {details['bytes']}"
            return OutOfRange, message, "give init_buffer more bytes, or take fewer elements"
        case "NO_EVENT_ID" | "NOT_GIVEN":
            return _event_id_words(name, details)
        case "RESERVED_ID":
            return _reserved_words(details)
        case "WAIT_WITHOUT_SET" | "SET_TWICE" | "LEFT_SET":
            return _flag_words(name, details, place)
    return _tensor_words(name, details, place)


def _tensor_words(name: str, details: dict[str, int], place: Place) -> Words | None:
    """What a queue says about its tensors."""
    match name:
        case "NONE_FREE":
            states = [f"{details[state]} {state}" for state in ("occupied", "enqueued", "dequeued") if details[state]]
            message = f"none of the {details['buffers']} buffers of this queue is free: {', '.join(states)}"
            return QueueError, message, "free_tensor what is done with, or give init_buffer a larger num"
        case "FOREIGN_TENSOR":
            message = "this tensor does not belong to this queue"
            return QueueError, message, "a queue takes what its own alloc_tensor or deque gave"
        case "ENQUE_STATE":
            message = f"this tensor cannot be enqueued: it {_STATES[details['state']]}"
            return QueueError, message, "enqueue a tensor once after each alloc_tensor or deque"
        case "FREE_STATE":
            message = f"this tensor cannot be freed: it {_STATES[details['state']]}"
            return QueueError, message, "free a tensor once, after deque"
        case "BUFFER_STATE":
            why, hint = _USES[details["state"]]
            return QueueError, f"{operand_name(place, details['operand'])} {why}", hint
        case "LIVE_TENSORS":
            position = TPosition(details["position"]).name
            message = (
                f"{details['live']} tensors of queues at {position} are allocated at the same time, 8 are the most"
            )
            return QueueError, message, "free_tensor some first, or take several tensors from one TBuf"
        case "QUEUE_FULL":
            message = f"{details['depth']} tensors wait in this queue, as many as its depth allows"
            return QueueError, message, "deque one first, or make the queue with a larger depth"
        case "QUEUE_EMPTY":
            message = "no tensor waits in this queue"
            return QueueError, message, "enque one first; the twin runs a core in program order"
        case "NO_ORDER":
            message = "a queue of depth 0 does not know which tensor is next"
            return QueueError, message, "tell it: deque(tensor), or make the queue with a larger depth"
        case "OTHER_WAY":
            put, taken = HardEvent(details["set"]).name, HardEvent(details["waited"]).name
            message = f"this tensor was enqueued with flag {put}, and deque would wait for {taken}"
            return QueueError, message, "give enque and deque the same positions"
    return None


def _pair(details: dict[str, int]) -> str:
    return HardEvent(details["event"]).name


def _event_id_words(name: str, details: dict[str, int]) -> Words:
    pair = _pair(details)
    if name == "NOT_GIVEN":
        message = f"event id {details['event_id']} of {pair} is not given out"
        return FlagError, message, "release an id once, and only one that alloc_event_id gave"
    message = f"all {EVENT_IDS} event ids of {pair} are given out"
    hint = "release_event_id those that are done with; each enqueued or freed buffer of a queue holds one"
    return FlagError, message, hint


def _reserved_words(details: dict[str, int]) -> Words:
    event_id, most = details["event_id"], EVENT_IDS_BY_HAND - 1
    use = "is reserved" if event_id == EVENT_IDS_BY_HAND else "is used by the toolchain's auto sync"
    return FlagError, f"event id {event_id} of {_pair(details)} {use}", f"use 0 to {most}, or pipe.alloc_event_id()"


def _flag_words(name: str, details: dict[str, int], place: Place) -> Words:
    pair, event_id = _pair(details), details["event_id"]
    flag = f"flag {pair} {event_id}"
    if name == "SET_TWICE":
        hint = f"wait_flag(HardEvent.{pair}, ...) first"
        return FlagError, f"{flag} is set again before anything waited for it", hint
    if name == "LEFT_SET" and place.call == "TQueBind.enque":
        message = f"a tensor enqueued here is never dequeued, so {flag} is still set when the core ends"
        return FlagError, message, "deque it, or call free_all_event(): a flag left set disturbs the next kernel"
    if name == "LEFT_SET":
        message = f"{flag} is still set when the core ends"
        hint = f"wait_flag(HardEvent.{pair}, {event_id}) after it: a flag left set disturbs the next kernel"
        return FlagError, message, hint
    message = f"{flag} is waited for, but nothing set it before this line"
    set_call = f"set_flag(HardEvent.{pair}, {event_id})"
    hint = f"{set_call} before it; the twin runs a core in program order and refuses a set that comes later"
    return DeadlockError, message, hint
