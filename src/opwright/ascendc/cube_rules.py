"""Rules about calls of the matrix unit: types that go together, and what the fields of their parameters must be.

In: a rule with its parameters. Out: as in `rules.py`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from opwright.ascendc.rules import Known, Rule, require
from opwright.errors import Location, OpwrightError, RuleBroken


@dataclass(frozen=True, eq=False)
class Together(Rule):
    """The types of some tensors go together, by SoC. Judges 1 if they do."""

    operand: str
    others: tuple[str, ...]
    by_soc: Mapping[str, tuple[tuple[str, ...], ...]]  # the types of the others, and last that of the operand

    def _types(self, known: Known) -> tuple[str, ...]:
        return tuple(known.dtype(name) for name in (*self.others, self.operand))

    def value(self, known: Known) -> int | None:
        return int(self._types(known) in self.by_soc[known.soc.name])

    def holds(self, value: int) -> bool:
        return value == 1

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # types are always known at compile time

    @property
    def sentence(self) -> str:
        return f"{', '.join(self.others)} and {self.operand} must hold types that the SoC puts together"

    def hint(self, known: Known) -> str:
        given, rows = self._types(known), self.by_soc[known.soc.name]
        # The first of the given types that go together stay; those that follow must change.
        kept = max(n for n in range(len(given)) if any(types[:n] == given[:n] for types in rows))
        names = (*self.others, self.operand)
        stay = " and ".join(f"{kind} in {name}" for name, kind in zip(names, given[:kept], strict=False))
        change = " or ".join(" and ".join(types[kept:]) for types in rows if types[:kept] == given[:kept])
        return f"{f'with {stay} ' if stay else ''}let {' and '.join(names[kept:])} hold {change}"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        got = ", ".join(self._types(known))
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))

    @property
    def table(self) -> str:
        socs: dict[tuple[str, ...], list[str]] = {}
        for soc, all_types in self.by_soc.items():
            for types in all_types:
                socs.setdefault(types, []).append(soc)
        names = (*self.others, self.operand)
        head = f"| {' | '.join(names)} | on |\n|{'---|' * (len(names) + 1)}\n"
        return head + "\n".join(f"| {' | '.join(types)} | {', '.join(on)} |" for types, on in socs.items())


@dataclass(frozen=True, eq=False)
class OnlyWith(Rule):
    """A parameter that only one value of a template argument has: with others it keeps its default. Judges 0 or 1."""

    operand: str
    default: int
    chooser: str
    chosen: enum.Enum

    def value(self, known: Known) -> int | None:
        return int(known.constant(self.chooser) == self.chosen or known.integer(self.operand) == self.default)

    def holds(self, value: int) -> bool:
        return value == 1

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # always known at compile time

    @property
    def sentence(self) -> str:
        return f"{self.operand} is only for {self.chooser} {self.chosen.name}"

    def hint(self, known: Known) -> str:
        return "leave it out"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        got = getattr(known.constant(self.chooser), "name", "")
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class Holds(Rule):
    """A condition on fields of a parameter, or on what they are with other arguments. Checked at run time.

    `before` judges constants at compile time: the number that breaks the rule, or None if they keep it or are not
    known.
    """

    operand: str
    condition: str  # C++, over the parameters of the call, its type variables and `at`
    judged: str  # C++: the number that is reported when it does not hold
    says: str
    advice: str
    names: type[enum.Enum] | None = None  # of a number that stands for a mode
    before: Callable[[Known], int | None] | None = None

    def value(self, known: Known) -> int | None:
        return self.before(known) if self.before else None

    def holds(self, value: int) -> bool:
        return False  # only asked about a value that broke it

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return require(self.condition, number, index[self.operand], f"int64_t({self.judged})")

    @property
    def sentence(self) -> str:
        return self.says

    def describe(self, value: int) -> str:
        return self.names(value).name if self.names else super().describe(value)

    def hint(self, known: Known) -> str:
        return self.advice

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return RuleBroken(at, call=call, rule=self.says, value=self.describe(value), hint=self.advice)


def number_in(known: Known, operand: str, name: str) -> int | None:
    """A number or a flag in a struct, if it is known."""
    value = known.field(operand, name)
    return int(value) if isinstance(value, int) else None
