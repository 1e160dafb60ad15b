"""Messages about queues, buffers and flags within a core."""

from __future__ import annotations

from opwright.ascendc.enums import EVENT_IDS_BY_HAND, HardEvent
from opwright.ascendc.traits import Enqueues
from opwright.twin.constants import BUFFERS
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident


def too_many_buffers(one: Incident) -> Texts:
    """A kernel or a pool has a limited number of buffers."""
    whose = "a kernel" if one["max"] == BUFFERS else "this pool"
    message = f"{one['wanted']} more buffers after {one['have']}: {whose} has {one['max']} at most"
    return message, "let queues have fewer buffers, or take several tensors from one TBuf"


def none_free(one: Incident) -> Texts:
    """A queue has no buffer to give."""
    states = [f"{one[state]} {state}" for state in ("occupied", "enqueued", "dequeued") if one[state]]
    message = f"none of the {one['buffers']} buffers of this queue is free: {', '.join(states)}"
    return message, "free_tensor what is done with, or give init_buffer a larger num"


def reserved_id(one: Incident) -> Texts:
    """An event id that is not for kernels."""
    event_id = one["event_id"]
    use = "is reserved" if event_id == EVENT_IDS_BY_HAND else "is used by the toolchain's auto sync"
    message = f"event id {event_id} of {HardEvent(one['event']).name} {use}"
    return message, f"use 0 to {EVENT_IDS_BY_HAND - 1}, or pipe.alloc_event_id()"


def left_set(one: Incident) -> Texts:
    """A flag that is set when the core ends."""
    pair, event_id = HardEvent(one["event"]).name, one["event_id"]
    flag = f"flag {pair} {event_id}"
    if one.has(Enqueues):
        message = f"a tensor enqueued here is never dequeued, so {flag} is still set when the core ends"
        return message, "deque it, or call free_all_event(): a flag left set disturbs the next kernel"
    hint = f"wait_flag(HardEvent.{pair}, {event_id}) after it: a flag left set disturbs the next kernel"
    return f"{flag} is still set when the core ends", hint
