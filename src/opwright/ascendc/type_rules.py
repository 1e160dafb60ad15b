"""Rules about the types and modes of vector calls, which are always known at compile time. See `rules.py`.

In: a rule with its parameters. Out: as there; no text for run time.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from opwright.ascendc.enums import RoundMode
from opwright.ascendc.rules import Known, Rule
from opwright.errors import Location, OpwrightError, RuleBroken

Pair = tuple[str, str]  # the type of the source and that of the destination


@dataclass(frozen=True, eq=False)
class SameWidth(Rule):
    """Elements of two tensors have the same size. Judges by how many bytes they differ."""

    operand: str
    other: str

    def value(self, known: Known) -> int | None:
        return known.element_bytes(self.operand) - known.element_bytes(self.other)

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # types are always known at compile time

    @property
    def sentence(self) -> str:
        return f"elements of {self.operand} must have as many bits as those of {self.other}"

    def hint(self, known: Known) -> str:
        return f"use uint{8 * known.element_bytes(self.other)} for {self.operand}"


@dataclass(frozen=True, eq=False)
class OneOf(Rule):
    """An argument of an enumeration is one of `values`; for some element types, by SoC, one of fewer. Judges 0 or 1."""

    operand: str
    values: tuple[enum.Enum, ...]
    tensor: str = ""
    fewer: Mapping[str, Mapping[str, tuple[enum.Enum, ...]]] = field(default_factory=dict)

    def _values(self, known: Known) -> tuple[enum.Enum, ...]:
        types = self.fewer.get(known.soc.name, {})
        return types.get(known.dtype(self.tensor), self.values) if self.tensor else self.values

    def value(self, known: Known) -> int | None:
        return int(known.constant(self.operand) in self._values(known))

    def holds(self, value: int) -> bool:
        return value == 1

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # it is always known at compile time

    @property
    def sentence(self) -> str:
        but = [
            f"for {dtype} on {soc} {_names(values)}"
            for soc, types in self.fewer.items()
            for dtype, values in types.items()
        ]
        return "; ".join([f"{self.operand} must be one of {_names(self.values)}", *but])

    def hint(self, known: Known) -> str:
        return f"use {_names(self._values(known))}"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        got = getattr(known.constant(self.operand), "name", "")
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class Never(Rule):
    """An argument does not have one value on some SoCs, for all element types or for one. Judges 1 if it does."""

    operand: str
    refused: object
    socs: tuple[str, ...]
    instead: str
    tensor: str = ""
    only: str = ""  # the element type of `tensor`

    def value(self, known: Known) -> int | None:
        is_of_type = not self.tensor or known.dtype(self.tensor) == self.only
        return int(is_of_type and known.soc.name in self.socs and known.constant(self.operand) == self.refused)

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # it is always known at compile time

    @property
    def sentence(self) -> str:
        kind = f" for {self.only}" if self.tensor else ""
        return f"{self.operand} must not be {_name(self.refused)}{kind} on {', '.join(self.socs)}"

    def hint(self, known: Known) -> str:
        return self.instead

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return RuleBroken(at, call=call, rule=self.sentence, value=_name(self.refused), hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class Conversion(Rule):
    """A conversion between two types with a way of rounding. Judges 0 if there is no such pair, 1 if the pair does not
    take this rounding, 2 if all is well."""

    operand: str  # the rounding
    source: str
    target: str
    modes: Mapping[str, Mapping[Pair, tuple[RoundMode, ...]]]  # by SoC

    def _pair(self, known: Known) -> Pair:
        return known.dtype(self.source), known.dtype(self.target)

    def value(self, known: Known) -> int | None:
        modes = self.modes[known.soc.name].get(self._pair(known))
        return 0 if modes is None else 1 + (known.constant(self.operand) in modes)

    def holds(self, value: int) -> bool:
        return value == 2

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # types and rounding are always known at compile time

    @property
    def sentence(self) -> str:
        return f"{self.source}, {self.target} and {self.operand} must be a conversion that the SoC has"

    def hint(self, known: Known) -> str:
        source, target = self._pair(known)
        pairs = self.modes[known.soc.name]
        if (source, target) in pairs:
            return f"use {_names(pairs[source, target])}"
        others = ", ".join(other for start, other in pairs if start == source)
        return f"on {known.soc.name} {source} becomes {others}: take two steps, or another type"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        source, target = self._pair(known)
        mode = f" with {getattr(known.constant(self.operand), 'name', '')}" if value == 1 else ""
        got = f"{source} to {target}{mode}"
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))

    @property
    def table(self) -> str:
        socs: dict[tuple[Pair, tuple[RoundMode, ...]], list[str]] = {}
        for soc, pairs in self.modes.items():
            for pair, modes in pairs.items():
                socs.setdefault((pair, modes), []).append(soc)
        lines = [
            f"| {source} | {target} | {_names(modes)} | {', '.join(names)} |"
            for ((source, target), modes), names in socs.items()
        ]
        head = f"| {self.source} | {self.target} | {self.operand} | on |\n|---|---|---|---|\n"
        return head + "\n".join(lines)


@dataclass(frozen=True, eq=False)
class TypePair(Rule):
    """The types of two tensors go together. Judges 1 if they do."""

    operand: str
    source: str
    pairs: tuple[Pair, ...]

    def value(self, known: Known) -> int | None:
        return int((known.dtype(self.source), known.dtype(self.operand)) in self.pairs)

    def holds(self, value: int) -> bool:
        return value == 1

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # types are always known at compile time

    @property
    def sentence(self) -> str:
        pairs = ", ".join(f"{source} and {target}" for source, target in self.pairs)
        return f"{self.source} and {self.operand} must hold types that go together: {pairs}"

    def hint(self, known: Known) -> str:
        source = known.dtype(self.source)
        targets = " or ".join(target for start, target in self.pairs if start == source)
        return f"{source} becomes {targets}; asc.cast has more conversions"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        got = f"{known.dtype(self.source)} and {known.dtype(self.operand)}"
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))


def _name(value: object) -> str:
    return value.name if isinstance(value, enum.Enum) else str(value)


def _names(modes: Sequence[enum.Enum]) -> str:
    return ", ".join(mode.name for mode in modes)
