"""Words for what goes wrong between cores: flags in the wrong mode, counters, and cores that wait for ever.

In: a fault's name with its details, the cores that wait, and how to find a line. Out: class, message and way out of the
user's error. A core is named by its kind where a launch has both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opwright.ascendc.enums import CROSS_FLAGS_BY_HAND, PipeID
from opwright.ascendc.socs import PIPES, SOCS
from opwright.errors import DeadlockError, FlagError
from opwright.twin.faults import Words
from opwright.twin.outcome import Waiter

_MOST_NAMED = 4
_FLAG = 1  # of opwright::Awaited
_MIXED = 'kernel_type="mix_1_1" or "mix_1_2" has both kinds of cores'


def core_name(kind: int, block: int, mixed: bool) -> str:
    """A core as people call it: "core 3", or "AIC 3" and "AIV 3" where there are both kinds."""
    return f"{('AIV', 'AIC')[kind]} {block}" if mixed else f"core {block}"


def cross_words(name: str, details: dict[str, int], call: str, mixed: bool) -> Words | None:
    """Class, message and way out of a fault of flags between cores; None if it is about something else."""
    match name:
        case "CROSS_COUNT":
            whose = core_name(details["core_kind"], details["block"], mixed)
            message = f"flag {details['id']} between cores is set 16 times more than {whose} has waited for it"
            return FlagError, message, "its counter ends at 15: call asc.cross_core_wait_flag in between"
        case "CROSS_LEFT":
            whose, left = core_name(details["core_kind"], details["block"], mixed), details["left"]
            times = "once" if left == 1 else f"{left} times"
            message = f"flag {details['id']} (mode {details['mode']}) is set {times} more than {whose} waits for it"
            return FlagError, message, "call asc.cross_core_wait_flag as often: what is left disturbs the next kernel"
        case "CROSS_MODE":
            return FlagError, *_mode_words(details, call)
        case "RESERVED_FLAG":
            message = f"flag {details['id']} between cores is not for kernels: asc.sync_all() uses such flags"
            return FlagError, message, f"use 0 to {CROSS_FLAGS_BY_HAND - 1}, on an AIC in mode 4 also 16 to 26"
        case "ABSENT_PIPE":
            return FlagError, *_pipe_words(details, call, mixed)
        case "UNIT_FLAG":
            return FlagError, *_unit_words(details)
    return None


def _mode_words(details: dict[str, int], call: str) -> tuple[str, str]:
    """Of opwright::CrossReason."""
    mode, flag = details["mode"], details["id"]
    pipe = PipeID(details["pipe"]).name
    both = "an AIC and its AIVs" if mode != 1 else "the two AIVs of an AIC"
    return (
        (f"asc.{call}: flags between cores have no mode {mode}", "pass 0, 1, 2, or on ascend950 4"),
        (f"asc.{call}: mode {mode} is there on ascend950 only", "pass 2, which sets the flag for all AIVs of the AIC"),
        (
            f"asc.{call}: mode {mode} is between {both}, and this core has no such partner",
            'kernel_type="mix_1_2" has them; mode 1 is for AIVs only' if mode == 1 else _MIXED,
        ),
        (
            f"asc.{call}: no flags of mode {mode} are set after {pipe}",
            f"name the pipe whose work others wait for; {pipe} is for mode 4",
        ),
        (
            f"asc.{call}: there is no flag {flag} in mode {mode} on this core",
            "flags have numbers 0 to 15; in mode 4 an AIC adds 16 to those of AIV 1",
        ),
        (
            f"asc.{call}: flag {flag} is set in mode {mode}, and one set in mode {details['before']} is not waited for",
            "wait for it first, or use another flag",
        ),
        (
            "asc.sync_all() is the barrier of the vector cores, and this is an AIC",
            "pass is_aiv_only=False for all cores",
        ),
        (
            "asc.sync_all(is_aiv_only=False) leads from AIVs to AICs and back, and this kernel has one kind only",
            f"leave is_aiv_only out on vector cores, use flags of mode 0 on cube cores; {_MIXED}",
        ),
    )[details["what"]]


def _pipe_words(details: dict[str, int], call: str, mixed: bool) -> tuple[str, str]:
    """Of a core that has not the pipe of a flag or a barrier."""
    kind, other = ("AIC", "AIV") if details["kind"] else ("AIV", "AIC")
    arch, pipe = details["arch"], PipeID(details["pipe"]).name
    has = f"it has {', '.join(PIPES[kind, arch])}"
    if mixed and pipe in PIPES[other, arch]:
        has += f"; what is for an {other} belongs under `if asc.ascend_is_{other.lower()}():`"
    soc = next(soc.name for soc in SOCS.values() if soc.arch == arch)
    return f"asc.{call}: an {kind} of {soc} has no {pipe}", has


def _unit_words(details: dict[str, int]) -> tuple[str, str]:
    part = f"bytes {details['begin']} to {details['end']} of L0C"
    if PipeID(details["pipe"]) is PipeID.PIPE_M:
        message = f"asc.mmad waits until {part} are empty, but no copy out with a unit flag comes before"
        return message, "let the copy out of the product before have unit_flag=3, and come first"
    message = f"this copy waits until {part} are full, but no asc.mmad with unit_flag=3 comes before"
    return message, "let the last asc.mmad of the sum have unit_flag=3, the others 2"


def deadlock_words(waiters: Sequence[Waiter], count: int, cores: int, mixed: bool, line: Callable[[int], str]) -> Words:
    """Who waits where and for whom. `waiters`: those that are known, of `count`; `line`: of the text, in words."""
    at = {(waiter.core_kind, waiter.block): waiter.line for waiter in waiters}
    # A flag that somebody else never set explains more than cores that wait for each other's barrier.
    named = sorted(waiters, key=lambda one: one.awaited != _FLAG)[:_MOST_NAMED]
    told = []
    for waiter in named:
        who = f"{core_name(waiter.core_kind, waiter.block, mixed)} at {line(waiter.line)}"
        told.append(f"{who} {_flag_words(waiter, at, mixed, line)}" if waiter.awaited == _FLAG else who)
    more = f" and {count - len(named)} more" if count > len(named) else ""
    who_waits = f"{count} of {cores} cores wait"
    if named[0].awaited == _FLAG:
        hint = "let each of them set the flag as often as it is waited for, in the same mode"
        return DeadlockError, f"{who_waits} for ever: {'; '.join(told)}{more}", hint
    hint = "let every core reach the same asc.sync_all()"
    return DeadlockError, f"{who_waits} for the others, which have ended: {', '.join(told)}{more}", hint


def _flag_words(waiter: Waiter, at: dict[tuple[int, int], int], mixed: bool, line: Callable[[int], str]) -> str:
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
