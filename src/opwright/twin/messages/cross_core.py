"""Messages about what goes wrong between cores: flags in the wrong mode, counters, and cores that wait for ever.

A core is named by its kind where a launch has both.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.ascendc.enums import PipeID
from opwright.ascendc.socs import PIPES, SOCS
from opwright.twin.constants import WAITERS
from opwright.twin.enumerations import Awaited, CrossReason
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident, core_name
from opwright.twin.launch_record import Waiter
from opwright.twin.locations import locate, place_of

_MAX_NAMED = 4
_MIXED = 'kernel_type="mix_1_1" or "mix_1_2" has both kinds of cores'


def cross_mode(one: Incident) -> Texts:
    """A flag in a mode, on a pipe or on a core that does not have it."""
    call, mode, flag = one.place.call, one["mode"], one["id"]
    pipe = PipeID(one["pipe"]).name
    both = "an AIC and its AIVs" if mode != 1 else "the two AIVs of an AIC"
    texts: dict[CrossReason, Texts] = {
        CrossReason.NO_SUCH_MODE: (
            f"asc.{call}: flags between cores have no mode {mode}",
            "pass 0, 1, 2, or on ascend950 4",
        ),
        CrossReason.ONLY_3510: (
            f"asc.{call}: mode {mode} exists only on ascend950",
            "pass 2, which sets the flag for all AIVs of the AIC",
        ),
        CrossReason.NO_PARTNER: (
            f"asc.{call}: mode {mode} is between {both}, and this core has no such partner",
            'kernel_type="mix_1_2" has them; mode 1 is for AIVs only' if mode == 1 else _MIXED,
        ),
        CrossReason.PIPE: (
            f"asc.{call}: no flags of mode {mode} are set after {pipe}",
            f"name the pipe whose work others wait for; {pipe} is for mode 4",
        ),
        CrossReason.ID: (
            f"asc.{call}: there is no flag {flag} in mode {mode} on this core",
            "flags have numbers 0 to 15; in mode 4 an AIC adds 16 to those of AIV 1",
        ),
        CrossReason.OTHER_MODE: (
            f"asc.{call}: flag {flag} is set in mode {mode}, and one set in mode {one['before']} is not waited for",
            "wait for it first, or use another flag",
        ),
        CrossReason.AIC_AT_AIVS: (
            "asc.sync_all() is the barrier of the vector cores, and this is an AIC",
            "pass is_aiv_only=False for all cores",
        ),
        CrossReason.NOT_BOTH: (
            "asc.sync_all(is_aiv_only=False) leads from AIVs to AICs and back, and this kernel has one kind only",
            f"leave is_aiv_only out on vector cores, use flags of mode 0 on cube cores; {_MIXED}",
        ),
    }
    return texts[CrossReason(one["what"])]


def cross_left(one: Incident) -> Texts:
    """A flag that is set more often than it is waited for."""
    left = one["left"]
    times = "once" if left == 1 else f"{left} times"
    message = f"flag {one['id']} (mode {one['mode']}) is set {times} more than {one.whose()} waits for it"
    return message, "call asc.cross_core_wait_flag as often: what is left disturbs the next kernel"


def absent_pipe(one: Incident) -> Texts:
    """A core that does not have the pipe of a flag or a barrier."""
    kind, other = ("AIC", "AIV") if one["kind"] else ("AIV", "AIC")
    arch, pipe = one["arch"], PipeID(one["pipe"]).name
    has = f"it has {', '.join(PIPES[kind, arch])}"
    if one.mixed and pipe in PIPES[other, arch]:
        has += f"; what is for an {other} belongs under `if asc.ascend_is_{other.lower()}():`"
    soc = next(soc.name for soc in SOCS.values() if soc.arch == arch)
    return f"asc.{one.place.call}: an {kind} of {soc} has no {pipe}", has


def unit_flag(one: Incident) -> Texts:
    """A call that waits for unit flags which nothing sets."""
    part = f"bytes {one['begin']} to {one['end']} of L0C"
    if PipeID(one["pipe"]) is PipeID.PIPE_M:
        message = f"asc.mmad waits until {part} are empty, but no copy out with a unit flag comes before"
        return message, "let the copy out of the product before have unit_flag=3, and come first"
    message = f"this copy waits until {part} are full, but no asc.mmad with unit_flag=3 comes before"
    return message, "let the last asc.mmad of the sum have unit_flag=3, the others 2"


def deadlock(one: Incident) -> Texts:
    """Who waits where and for whom. The library names some of those that wait."""
    count, kernel = one.outcome.waiters, one.kernel
    waiters = list(one.outcome.waiting)[: min(count, WAITERS)]

    def line(number: int) -> str:
        at = locate(kernel, place_of(kernel, number))
        return f"line {at.line if at else '?'}"

    at = {(waiter.core_kind, waiter.block): waiter.line for waiter in waiters}
    # A flag that another core never set explains more than cores that wait for each other's barrier.
    named = sorted(waiters, key=lambda waiter: waiter.awaited != Awaited.FLAG)[:_MAX_NAMED]
    listed = []
    for waiter in named:
        who = f"{core_name(waiter.core_kind, waiter.block, one.mixed)} at {line(waiter.line)}"
        is_flag = waiter.awaited == Awaited.FLAG
        listed.append(f"{who} {_awaited_flag(waiter, at, one.mixed, line)}" if is_flag else who)
    more = f" and {count - len(named)} more" if count > len(named) else ""
    who_waits = f"{count} of {one['blocks']} cores wait"
    if named[0].awaited == Awaited.FLAG:
        hint = "let each of them set the flag as often as it is waited for, in the same mode"
        return f"{who_waits} for ever: {'; '.join(listed)}{more}", hint
    hint = "let every core reach the same asc.sync_all()"
    return f"{who_waits} for the others, which have ended: {', '.join(listed)}{more}", hint


def _awaited_flag(waiter: Waiter, at: dict[tuple[int, int], int], mixed: bool, line: Callable[[int], str]) -> str:
    """Which flag a core waits for, and who should have set it."""
    partner = core_name(waiter.partner_kind, waiter.partner, mixed)
    if waiter.partner_sets:
        has = f"set it {waiter.partner_sets} of {waiter.sets} times"
    else:
        has = "never set it"
    there = waiter.partner_line or at.get((waiter.partner_kind, waiter.partner), 0)
    if (waiter.partner_kind, waiter.partner) == (waiter.core_kind, waiter.block):
        return f"for flag {waiter.id} (mode {waiter.mode}), and {has} itself"
    where = f"waits at {line(there)}" if there else "has ended"
    return f"for flag {waiter.id} (mode {waiter.mode}): {partner} {has}, and {where}"
