"""What a report says about a fault.

In: an `Incident`. Out: message and hint, from the templates of `faults.py`, or from a function here for faults whose
texts depend on more than their integers.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident
from opwright.twin.messages import assumed, cross_core, memory, queues, races, rules, threads
from opwright.twin.messages.generated import hint_for_tiles

FUNCTIONS: dict[str, Callable[[Incident], Texts]] = {
    "TRAP": memory.trap,
    "RULE": rules.rule,
    "ABSENT_MEMORY": memory.absent_memory,
    "WRONG_MEMORY": memory.wrong_memory,
    "GLOBAL_RANGE": memory.global_range,
    "OVERLAP": rules.overlap,
    "LEFT_SET": queues.left_set,
    "TOO_MANY_BUFFERS": queues.too_many_buffers,
    "NONE_FREE": queues.none_free,
    "RESERVED_ID": queues.reserved_id,
    "DEADLOCK": cross_core.deadlock,
    "CROSS_MODE": cross_core.cross_mode,
    "CROSS_LEFT": cross_core.cross_left,
    "ABSENT_PIPE": cross_core.absent_pipe,
    "UNIT_FLAG": cross_core.unit_flag,
    "RACE": races.race,
    "RACE_BETWEEN_CORES": races.core_race,
    "FLOAT_ATOMIC": races.float_atomic,
    "SET_AGAIN": races.set_again,
    "SHARED_LINE": races.incoherent,
    "NOT_CLEANED": races.incoherent,
    "STALE": races.incoherent,
    "LOST_UPDATE": races.incoherent,
    "UNINITIALISED": memory.uninitialised,
    "GARBAGE": memory.uninitialised,
    "UNWRITTEN": memory.unwritten,
    "ASSUMED": assumed.assumed,
    "THREAD_RACE": threads.thread_race,
    "THREAD_FLOATS": threads.thread_floats,
    "THREAD_UNINITIALISED": threads.thread_uninitialised,
    "THREADS": threads.threads,
    "POINTER_RANGE": threads.pointer_range,
    "THREAD_STOP": threads.thread_stop,
    "DIVERGENT_BARRIER": threads.divergent_barrier,
    "MISSING_LANES": threads.missing_lanes,
}


def describe(incident: Incident) -> Texts:
    """Message and hint."""
    message, hint = _texts(incident)
    return message, hint_for_tiles(incident) or hint


def _texts(incident: Incident) -> Texts:
    """Message and hint for the author of the text that is compiled."""
    if function := FUNCTIONS.get(incident.fault.name):
        return function(incident)
    message, hint = incident.fault.texts(incident.details)
    return incident.fill(message), incident.fill(hint)
