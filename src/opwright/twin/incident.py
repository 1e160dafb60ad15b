"""A fault at its place in a kernel, and how its integers are shown in a message.

In: a fault with its details, the place of the call and the facts of the kernel. Out: an `Incident`, which fills in the
templates of `faults.py` and answers what the functions in `messages/` ask.

A template names details: `{count}` is the integer, `{begin+bytes}` a sum. What follows a colon says how to show it:
`{operand:operand}` is the operand's name in the call, `{state:BufferState}` a phrase. The other names are those of
`_NAMED`.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from opwright.ascendc.enums import AtomicDtype, HardEvent, PipeID, TPosition
from opwright.ascendc.socs import MEMORIES
from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import Trait
from opwright.errors import Location
from opwright.findings.budget import Pair
from opwright.findings.finding import thread_name
from opwright.kernel.program import KernelFacts, Place
from opwright.twin.enumerations import BufferState, CoreKind, Owner, SetState
from opwright.twin.faults import Fault
from opwright.twin.launch_record import Outcome
from opwright.twin.locations import locate, place_of

NO_OPERAND = "the tensor"  # of an access to one element

# Memories of other cores of a group.
_FOREIGN = {Owner.SELF: "", Owner.AIV_0: "UB", Owner.AIV_1: "UB", Owner.AIC: "L1"}
_BUFFER_STATES = {
    BufferState.FREE: "is not allocated: it was freed, or never was",
    BufferState.OCCUPIED: "is allocated, but was not enqueued",
    BufferState.ENQUEUED: "waits in the queue already",
    BufferState.DEQUEUED: "was dequeued",
}
_SET_STATES = {
    SetState.MASK_MODE: "the mode of the mask",
    SetState.MASK: "the mask",
    SetState.ATOMIC: "whether copies are atomic",
    SetState.IMAGES: "the settings of loads of images",
}


def memory_name(number: int) -> str:
    """The name of a memory, global memory and those of other cores included."""
    return (*MEMORIES, "GM", *(_FOREIGN[owner] for owner in Owner))[number]


def pipe_name(number: int) -> str:
    """The name of a pipe, such as "MTE2"."""
    return PipeID(number).name.removeprefix("PIPE_")


def core_name(kind: int, block: int, mixed: bool) -> str:
    """A core as people call it: "core 3", or "AIC 3" and "AIV 3" where there are both kinds."""
    return f"{CoreKind(kind).name} {block}" if mixed else f"core {block}"


def operand_name(place: Place, index: int) -> str:
    """An operand's name in the call."""
    if place.call and 0 <= index < len(ROWS[place.call].forms[place.form].parameters):
        return ROWS[place.call].forms[place.form].parameters[index].name
    return NO_OPERAND


def line_name(at: Location | None) -> str:
    """A line in a sentence."""
    return at.words if at else "another line"


@dataclass(frozen=True)
class Incident:
    """One fault as a launch reported it.

    details: the integers of the fault by name, and `core`, `own_kind` and `line`. sharing: tensors placed by hand that
    share bytes.
    """

    fault: Fault
    details: Mapping[str, int]
    place: Place
    kernel: KernelFacts
    outcome: Outcome
    sharing: Sequence[Pair] = ()

    def __getitem__(self, name: str) -> int:
        return self.details[name]

    @property
    def mixed(self) -> bool:
        """Whether the launch has both kinds of cores."""
        return self.kernel.kernel_type.is_mixed

    @cached_property
    def at(self) -> Location | None:
        """Where it happened."""
        return locate(self.kernel, self.place)

    @property
    def caller(self) -> str:
        """The call as a message names it."""
        return f"asc.{self.place.call}" if self.place.call else "this call"

    @property
    def argument(self) -> str:
        """The argument in which the bytes lie; "" on chip."""
        slot = self.details.get("slot", -1)
        return self.kernel.types[slot][0] if slot >= 0 else ""

    def has(self, trait: type[Trait]) -> bool:
        """Whether the call has a trait."""
        return bool(self.place.call) and ROWS[self.place.call].forms[self.place.form].get(trait) is not None

    def operand(self, detail: str = "operand") -> str:
        """The name of the operand that a detail numbers."""
        return operand_name(self.place, self.details[detail])

    def located(self, detail: str) -> Location | None:
        """The user's line that a detail numbers; None if the fault has no such detail."""
        line = self.details.get(detail)
        return None if line is None else locate(self.kernel, place_of(self.kernel, line))

    def whose(self, kind: str = "core_kind", block: str = "block") -> str:
        """The core that two details name."""
        return core_name(self.details[kind], self.details[block], self.mixed)

    def thread(self, prefix: str = "") -> str:
        """The thread that the details x, y and z name."""
        details = self.details
        return thread_name((details[f"{prefix}x"], details[f"{prefix}y"], details[f"{prefix}z"]))

    def fill(self, template: str) -> str:
        """A template of `faults.py` with what it names."""
        return _Filler(self).format(template)


_NAMED: dict[str, Callable[[Incident], str]] = {
    "call": lambda one: one.place.call,
    "caller": lambda one: one.caller,
    "argument": lambda one: one.argument,
    "soc": lambda one: one.kernel.soc.name,
    "thread": lambda one: one.thread(),
    "whose": lambda one: one.whose(),
}
_SHOWN: dict[str, Callable[[Incident, int], str]] = {
    "operand": lambda one, number: operand_name(one.place, number),
    "memory": lambda _, number: memory_name(number),
    "event": lambda _, number: HardEvent(number).name,
    "position": lambda _, number: TPosition(number).name,
    "atomic": lambda _, number: AtomicDtype(number).name,
    "character": lambda _, number: chr(number),
    "BufferState": lambda _, number: _BUFFER_STATES[BufferState(number)],
    "SetState": lambda _, number: _SET_STATES[SetState(number)],
}


class _Filler(string.Formatter):
    """Fills in a template for one incident."""

    def __init__(self, incident: Incident) -> None:
        self.incident = incident

    def get_value(self, key: int | str, args: object, kwargs: object) -> int | str:
        name = str(key)
        if name in _NAMED:
            return _NAMED[name](self.incident)
        return sum(self.incident[part] for part in name.split("+"))

    def format_field(self, value: int | str, format_spec: str) -> str:
        return _SHOWN[format_spec](self.incident, int(value)) if format_spec else str(value)
