"""From what the library reports to the user's error, with the Python line.

In: an `Outcome` and the kernel it came from. Out: findings, or the exception of a failed launch. What they say comes
from `messages/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import PipeID
from opwright.ascendc.traits import SetsFlag
from opwright.errors import OpwrightError
from opwright.findings.budget import Pair
from opwright.findings.finding import Access, Finding
from opwright.kernel.program import KernelFacts
from opwright.twin.faults import FAULTS
from opwright.twin.incident import Incident, memory_name, pipe_name
from opwright.twin.launch_record import Found, Outcome
from opwright.twin.locations import place_of
from opwright.twin.messages import describe
from opwright.twin.messages.assumed import has_nan, switch_of
from opwright.twin.messages.threads import thread_of
from opwright.twin.race_edges import by_edge, edge_of

_OF_ARGUMENTS = ("UNWRITTEN", "UNCLEANED")  # faults about an element of an argument
_VECTOR: int = PipeID.PIPE_V.value  # the pipe on which threads run


def error_of(outcome: Outcome, kernel: KernelFacts) -> OpwrightError:
    """The exception of a failed launch."""
    return _finding(outcome, incident_of(outcome, kernel, outcome)).error()


def findings_of(outcome: Outcome, kernel: KernelFacts, sharing: Sequence[Pair]) -> list[Finding]:
    """All that a checked launch found: what its cores reported, then what ended one of them.

    sharing: tensors placed by hand that share bytes.
    """
    reported = [outcome.findings[i] for i in range(outcome.finding_count)]
    # What nothing has written is NaN here: what it becomes is no result.
    garbage = any(FAULTS[one.fault].name == "GARBAGE" for one in reported)
    both = [(one, incident_of(one, kernel, outcome, sharing)) for one in reported]
    both = [(one, at) for one, at in both if not _is_of_a_queue(at) and not _is_settled(at, garbage)]
    found = by_edge([_finding(*one) for one in both], [edge_of(at) for _, at in both])
    return [*found, _finding(outcome, incident_of(outcome, kernel, outcome))] if outcome.fault else found


def incident_of(
    found: Found | Outcome, kernel: KernelFacts, outcome: Outcome, sharing: Sequence[Pair] = ()
) -> Incident:
    """What was found, with names for its integers. What ended a core comes as the outcome itself."""
    fault = FAULTS[found.fault]
    details: dict[str, int] = {**dict(zip(fault.details, found.details, strict=False)), "core": found.block}
    details["own_kind"] = found.core_kind
    details["line"] = found.line
    if fault.name in _OF_ARGUMENTS:
        details["element"] = details["begin"] // DTYPES[kernel.types[details["slot"]][1]].bytes
    return Incident(fault, details, place_of(kernel, found.line), kernel, outcome, sharing)


def _is_of_a_queue(one: Incident) -> bool:
    """Whether a flag that was set again is one of a queue: the toolchain chooses its id."""
    return one.fault.name == "SET_AGAIN" and not one.has(SetsFlag)


def _is_settled(one: Incident, garbage: bool) -> bool:
    """Whether a result depends on what is assumed, but public texts say it of this SoC; or it may be of garbage."""
    if one.fault.name != "ASSUMED":
        return False
    return one.kernel.soc.name not in switch_of(one.details).open_on or (garbage and has_nan(one.details))


def _finding(found: Found | Outcome, one: Incident) -> Finding:
    """One finding in words."""
    fault, details, kernel = one.fault, one.details, one.kernel
    thread = thread_of(details)
    pipe = details.get("second_pipe", details.get("pipe", _VECTOR if thread is not None else None))
    message, hint = describe(one)
    return Finding(
        kind=fault.error,
        severity=fault.severity,
        message=message,
        hint=hint,
        kernel=kernel.name,
        access=Access(
            one.at,
            found.block,
            pipe_name(pipe) if pipe is not None else "",
            bool(details.get("second_written", details.get("second_kind", 0))),
            details.get("second_iteration", details.get("iteration", 0)),
            thread,
            kernel.kernel_type.kind_name(found.core_kind),
        ),
        first=_first_access({"first_core_kind": found.core_kind, **details}, one),
        memory=memory_name(details["memory"]) if "memory" in details else "",
        argument=one.argument if "first_line" in details or fault.name in _OF_ARGUMENTS else "",
        begin=details.get("begin", 0),
        end=details.get("end", 0),
        element=details.get("element", -1),
        count=found.count if isinstance(found, Found) else 1,
        cores=found.cores if isinstance(found, Found) else 1,
    )


def _first_access(details: Mapping[str, int], one: Incident) -> Access | None:
    """The earlier access of a race."""
    if "first_line" not in details:
        return None
    return Access(
        one.located("first_line"),
        details.get("first_core", details["core"]),
        pipe_name(details.get("first_pipe", _VECTOR)),
        bool(details.get("first_written", details.get("first_kind"))),
        details.get("first_iteration", 0),
        thread_of(details, first=True),
        one.kernel.kernel_type.kind_name(details["first_core_kind"]),
    )
