"""Launches on the checked twin.

In: a kernel that was built for it, cores, arguments; how many other legal orders to try. Out: a `Report`. The arrays
hold what the program gives in its own order.
"""

from __future__ import annotations

from dataclasses import replace

from opwright.check.perturb import Outputs, Perturbed, perturbed
from opwright.errors import RunError, ScheduleDependent
from opwright.findings.finding import Access, Finding, Report
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.target import Mode
from opwright.twin.constants import DOUBTS
from opwright.twin.launch import Kernel


def checked(kernel: Kernel, cores: int, bound: BoundArguments) -> Report:
    """Launches a kernel that was built for the checked mode."""
    from opwright.check.static import budget_of, report_of  # they need the table

    budget = budget_of(kernel, cores, bound)
    overlapping = budget.overlapping()
    outcome = kernel.launch(cores, bound, Mode.RECORDED if overlapping else Mode.CHECKED, DOUBTS)
    assert outcome is not None
    try:
        report = report_of(outcome, kernel, cores, bound.views, budget)
        if not overlapping or report.errors():
            return report
        from opwright.check.overlaps import lost_values  # it needs NumPy

        lost = lost_values(outcome, kernel, overlapping)
        return replace(report, findings=(*report.findings, *lost)).with_remarks(()) if lost else report
    finally:
        kernel.finish(outcome)


def perturbed_findings(kernel: Kernel, cores: int, bound: BoundArguments, count: int, seed: int) -> list[Finding]:
    """What other orders change, as one finding at most. The arrays are left as they were."""
    if count == 0:
        return []
    outputs = Outputs(kernel, bound)
    before = outputs.take()
    try:
        result = perturbed(kernel, cores, bound, count, seed)
    except RunError:
        return []  # it fails in its own order: the checked launch tells that
    finally:
        outputs.put(before)
    return _finding_of(kernel, result)


def _finding_of(kernel: Kernel, result: Perturbed) -> list[Finding]:
    first = result.first
    if first is None:
        return []
    if first.argument:
        what = f"element {first.element} of argument {first.argument} is another one"
    elif first.error is not None:
        what = f"the kernel fails ({type(first.error).__name__})"
    else:
        what = "the kernel prints something else"
    differing = sum(schedule.differs for schedule in result.schedules)
    hint = (
        "look for a race: the checked twin names it unless cores depend on each other's values; "
        f"check(perturb=1, seed={first.seed}) runs this order again"
    )
    line = next((n for n, text in enumerate(kernel.source.lines, 1) if text.lstrip().startswith("def ")), 1)
    finding = Finding(
        kind=ScheduleDependent,
        severity="error",
        message=f"{what} in the order of seed {first.seed} ({differing} of {len(result.schedules)} orders differ)",
        hint=hint,
        kernel=kernel.name,
        access=Access(kernel.source.locate(line, 0), 0),
        argument=first.argument,
        element=first.element,
        count=differing,
    )
    return [finding]
