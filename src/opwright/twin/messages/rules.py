"""Messages about rules that a value known only at run time breaks.

The hint is the one that the rule has at compile time: element types and modes are known from the text, numbers are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES, ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Form
from opwright.ascendc.rules import NoPartialOverlap
from opwright.ascendc.socs import Soc
from opwright.ascendc.table import ROWS
from opwright.ascendc.vector_rules import NoFeeding, Reduces
from opwright.kernel.program import Place
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident


@dataclass
class Settled:
    """What the text settles about the arguments of one call. Answers as `Known`: no number is."""

    soc: Soc
    form: Form
    words: dict[str, str]

    def integer(self, operand: str) -> int | None:
        """None: numbers are known at run time."""
        return None

    def start(self, operand: str) -> int | None:
        """None: so do addresses."""
        return None

    def touched(self, operand: str) -> int | None:
        """None: so do counts."""
        return None

    def memory(self, operand: str) -> str:
        """Not asked: no rule about a position waits for run time."""
        raise NotImplementedError(operand)

    def field(self, operand: str, name: str) -> object:
        """None: a struct is made elsewhere."""
        return None

    def made_with(self, operand: str) -> Mapping[str, str]:
        """Not asked: neither does a rule about an object."""
        raise NotImplementedError(operand)

    def element_bytes(self, operand: str) -> int:
        """The size of a tensor's elements, or of a data type."""
        return ELEMENTS[self.dtype(operand)].bytes

    def dtype(self, operand: str) -> str:
        """The element type of a tensor, or a data type."""
        return self.words[operand]

    def constant(self, operand: str) -> object:
        """The value of an enumeration."""
        (kind,) = (parameter.kind for parameter in self.form.parameters if parameter.name == operand)
        return ENUMS[kind].python[self.words[operand]]


def rule(one: Incident) -> Texts:
    """A rule of the row, or an integer that its parameter cannot hold."""
    place, operand, value = one.place, one.operand(), one["value"]
    if one["rule"] < 0:
        message = f"{operand} of asc.{place.call} does not fit its type (it would become {value})"
        return message, _limits(place, operand, value)
    form = ROWS[place.call].forms[place.form]
    broken = form.rules[one["rule"]]
    hint = broken.hint(Settled(one.kernel.soc, form, dict(place.settled)))
    return f"asc.{place.call}: {broken.sentence}, got {broken.describe(value)}", hint


def overlap(one: Incident) -> Texts:
    """Operands that share bytes although the call does not take that."""
    place, written, read = one.place, one.operand("written"), one.operand("read")
    rules = ROWS[place.call].forms[place.form].rules if place.call else ()
    both = (NoPartialOverlap, NoFeeding, Reduces)
    if not any(isinstance(rule, both) and (rule.operand, rule.other) == (written, read) for rule in rules):
        return f"{written} overlaps {read}", f"keep {written} and {read} apart"
    message = f"{written} overlaps {read} in part, {one['distance']} bytes apart"
    return message, f"let {written} be {read} itself, or keep them apart"


def _limits(place: Place, operand: str, value: int) -> str:
    """What an integer parameter can hold; "" if the line is that of an expression around the call.

    `value`: what it would become. A negative number becomes a large one, or is shown as it was if it has 64 bits.
    """
    parameters = ROWS[place.call].forms[place.form].parameters if place.call else ()
    kinds = [parameter.kind for parameter in parameters if parameter.name == operand and parameter.is_integer]
    if not kinds:
        return ""
    low, high = DTYPES[kinds[0]].limits
    negative = value - (high + 1 if value > high // 2 else 0)
    mind = f"if it is {negative}, write max(0, ...): a core without work counts 0; " if low == 0 > negative else ""
    return f"{mind}pass {low} to {high}"
