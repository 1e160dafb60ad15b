"""What is known about a kernel before a launch: its memory budget and mistakes with flags.

In: a program that was just compiled for the checked mode. Out: plain data for the manifest; from that, when a kernel is
launched, findings and a `Budget` with places in the user's file as it is now, and the report that holds them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from opwright import errors
from opwright.findings.budget import Budget, Buffer, Placed
from opwright.findings.finding import REMARKS, Access, Finding, Report
from opwright.findings.formulas import numbers_of
from opwright.kernel.program import Place
from opwright.twin.launch_record import Outcome
from opwright.twin.locations import locate
from opwright.twin.report import findings_of

if TYPE_CHECKING:
    from opwright.ir import ModuleOp
    from opwright.kernel.arguments import BoundArguments
    from opwright.twin.launch import Kernel

Static = dict[str, list[list[Any]]]


def static_part(module: ModuleOp, kinds: Sequence[str]) -> Static:
    """What the manifest keeps."""
    from opwright.check.buffers import buffers_of  # they need the IR, which a kernel of the store does without
    from opwright.check.pairing import pairing

    return {
        "buffers": [list(buffer) for buffer in buffers_of(module)],
        "mistakes": [list(astuple(mistake)) for mistake in pairing(module, kinds)],
    }


def report_of(outcome: Outcome, kernel: Kernel, cores: int, views: Sequence[str], budget: Budget) -> Report:
    """The report of a checked launch: what was known before it, and what came of it.

    views: arguments for which it is unknown whether they were written in full.
    """
    found = findings_of(outcome, kernel, budget.by_hand())
    again = [finding for finding in found if finding.kind is errors.FlagSetAgain]
    ran = [one for one in found if one not in again and not any(remark.holds(one) for remark in REMARKS.values())]
    left = [one for one in found if one.kind is errors.UnwrittenOutput and one.argument not in views]
    declared = [replace(finding, severity="error") for finding in left if finding.argument in kernel.outputs]
    findings = with_static(kernel, [*ran, *declared])
    # What an error leaves out is not reported: once that is fixed, it may be there. Nor is a flag that is set again:
    # where an order is missing, so is what would say that its wait has happened.
    if not _is_wrong(findings):
        findings = (*findings, *again)
    meant = [one for one in left if _may_be_meant(one, kernel)]
    shown = [one for one in found if one.kind is not errors.UnwrittenOutput or one in meant]
    stopped = outcome.fault != 0
    report = Report(kernel.name, kernel.soc.name, cores, findings, budget, stopped=stopped)
    return report.with_remarks([] if _is_wrong(findings) else shown)


def _is_wrong(findings: Sequence[Finding]) -> bool:
    return any(finding.severity == "error" for finding in findings)


def _may_be_meant(finding: Finding, kernel: Kernel) -> bool:
    """Whether an output that nothing declares was written in part. What is read too may keep values on purpose."""
    reads = dict(zip((name for name, _ in kernel.types), (reads for reads, _ in kernel.uses), strict=True))
    return finding.argument not in kernel.outputs and finding.at is not None and not reads[finding.argument]


def budget_of(kernel: Kernel, cores: int, bound: BoundArguments) -> Budget:
    """The memory budget of a launch of a kernel that was built for the checked mode."""
    numbers = numbers_of(cores, bound)
    buffers = [Buffer(*values).settled(numbers) for values in kernel.static.get("buffers", [])]
    placed = (Placed(one, locate(kernel, Place(one.at, function=one.function))) for one in buffers)
    return Budget(kernel.name, tuple(placed))


def with_static(kernel: Kernel, found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings of a run behind those that were there before it; what both found is reported once."""
    reported = {(finding.kind, _line(finding.at)) for finding in found}
    before = []
    for kind, severity, message, hint, function, at in kernel.static.get("mistakes", []):
        location = locate(kernel, Place(at, function=function))
        error: type[errors.RunError] = getattr(errors, kind)
        if (error, _line(location)) not in reported:
            before.append(Finding(error, severity, message, hint, kernel.name, Access(location, 0)))
    return (*before, *found)


def _line(at: errors.Location | None) -> tuple[str, int] | None:
    return (at.file, at.line) if at is not None else None
