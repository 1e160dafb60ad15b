"""Words for what ends a core because of one of its threads: an index outside, a barrier that others pass by.

In: a fault's name with its details, the argument that it is about, and where the other thread is. Out: class, message
and way out of the user's error; None for faults that are not of threads.
"""

from __future__ import annotations

from opwright.errors import DivergentBarrier, Location, MissingLanes, OutOfRange, RuleError, TrapError
from opwright.findings.finding import thread_name
from opwright.twin.constants import BLOCK_THREADS
from opwright.twin.faults import Words

# In the order of opwright::ThreadState.
_STATES = ("has ended", "waits for its block", "waits for its warp")


def stray_words(name: str, details: dict[str, int], reason: str, argument: str, other: Location | None) -> Words | None:
    """Class, message and way out of a fault."""
    match name:
        case "THREADS":
            most = details["most"]
            asked = " x ".join(str(details[f"along_{axis}"]) for axis in "xyz")
            more = "; @asc.simt(max_threads=...) says how many" if most < BLOCK_THREADS else ""
            return RuleError, f"{asked} threads asked for", f"it is made for 1 to {most}{more}"
        case "POINTER_RANGE":
            return OutOfRange, *_outside_words(details, argument)
        case "THREAD_STOP":
            return TrapError, f"thread {_thread(details)}: {reason or 'an assertion does not hold'}", ""
        case "DIVERGENT_BARRIER":
            message = f"thread {_thread(details)} waits for its block here, but {_other_words(details, other)}"
            hint = "let every thread of the block come to the same simt.syncthreads(): not in a branch that only "
            return DivergentBarrier, message, hint + "some take, nor behind a return"
        case "MISSING_LANES":
            message = f"thread {_thread(details)} waits for its warp here, but {_other_words(details, other)}"
            return MissingLanes, message, "let all threads of a warp that have not ended come to the same call"
        case "SHFL_LANE":
            message = f"thread {_thread(details)} wants the value of lane {details['lane']}, which takes no part"
            return RuleError, message, "it has ended, or the block does not have it: let all 32 lanes come here"
        case "SHFL_WIDTH":
            message = f"thread {_thread(details)}: width must be 1, 2, 4, 8, 16 or 32, got {details['width']}"
            return RuleError, message, "a shuffle stays within groups of so many lanes"
    return None


def _thread(details: dict[str, int], prefix: str = "") -> str:
    return thread_name((details[f"{prefix}x"], details[f"{prefix}y"], details[f"{prefix}z"]))


def _outside_words(details: dict[str, int], argument: str) -> tuple[str, str]:
    """An index outside, of an argument or of a tensor in UB."""
    thread, index, elements = _thread(details), details["index"], details["elements"]
    hint = "test the index before: threads that have nothing to do go past it"
    if argument:
        return f"thread {thread} goes to element {index} of {argument}, which has {elements}", hint
    if details["memory"] == 0:
        return f"thread {thread} goes to element {index} of a tensor in UB that has {elements} from its start", hint
    return f"thread {thread} goes outside the arguments of the kernel", hint


def _other_words(details: dict[str, int], other: Location | None) -> str:
    state = details["other_state"]
    where = f" at line {other.line}" if state and other else ""
    return f"thread {_thread(details, 'other_')} {_STATES[state]}{where}"
