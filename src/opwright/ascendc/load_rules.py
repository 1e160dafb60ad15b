"""Rules of loads and copies of the matrix unit, with those of `cube_rules.py`. See `rules.py`.

In: a rule with its parameters. Out: as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ascendc.rules import Known, Rule, require


@dataclass(frozen=True, eq=False)
class ZeroOrMore(Rule):
    """An integer parameter is 0, or at least `low`."""

    operand: str
    low: int

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand)

    def holds(self, value: int) -> bool:
        return value == 0 or value >= self.low

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.value)"
        return require(f"{value} == 0 || {value} >= {self.low}", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.operand} must be 0, or at least {self.low}"

    def hint(self, known: Known) -> str:
        return f"pass 0 for none, or {self.low} and more"


@dataclass(frozen=True, eq=False)
class WholeUnits(Rule):
    """A count of elements fills whole units of a table. Judges the bytes that are left over."""

    operand: str
    tensor: str
    bytes: int

    def value(self, known: Known) -> int | None:
        count = known.integer(self.operand)
        return None if count is None else count * known.element_bytes(self.tensor) % self.bytes

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.value * sizeof(T) % {self.bytes})"
        return require(f"{value} == 0", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.operand} elements of {self.tensor} must fill whole pieces of {self.bytes} bytes"

    def hint(self, known: Known) -> str:
        elements = self.bytes // known.element_bytes(self.tensor)
        return f"pass a multiple of {elements}; let the tensors be longer than the data"
