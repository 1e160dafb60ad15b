"""What the host tests and computes before a launch: conditions on shapes and numbers, and the number of iterations.

In: values of the IR. Out: `HostFacts`, whose `plain` is kept with the program: numbers, names of parameters of the
text, and lists of an operator and its operands. `opwright.tile.host` reads it without any of the compiler.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

from opwright.ir import Block, SSAValue
from opwright.ir.language import (
    BinaryOp,
    CastOp,
    CompareOp,
    ConstantOp,
    FuncOp,
    LogicalOp,
    SelectOp,
    TruncDivOp,
    UnaryOp,
)
from opwright.ir.names import name_of
from opwright.ir.types import BOOL, INT
from opwright.ir.values import Constant, RunTimeValue, Value

Plain: TypeAlias = Any  # a number, a name, or [operator, operand, ...]
ALL_CORES = "all"


def plain_of(value: Value | SSAValue) -> Plain | None:
    """A number as the host computes it; None if it is known on a core only."""
    if isinstance(value, Constant):
        return value.value if isinstance(value.value, (int, float)) else None
    if isinstance(value, RunTimeValue):
        value = value.ssa
    if not isinstance(value, SSAValue):
        return None
    made = value.owner
    if isinstance(made, Block):
        return name_of(value) if isinstance(made.parent_op(), (FuncOp, type(None))) else None
    match made:
        case ConstantOp():
            return made.number
        case BinaryOp() | TruncDivOp() | CompareOp() | LogicalOp() | UnaryOp():
            operator = made.operator.data
        case SelectOp():
            operator = "select"
        case CastOp() if made.value.type in (INT, BOOL) and made.result.type in (INT, BOOL):
            return plain_of(made.value)
        case _:
            return None
    operands = [plain_of(operand) for operand in made.operands]
    return None if None in operands else [operator, *operands]


@dataclass
class HostFacts:
    """Tests before a launch, each with its "line:column", and the number of iterations to share among cores."""

    tests: list[list[Plain]] = field(default_factory=list)
    iterations: list[Plain] = field(default_factory=list)

    def add(self, test: list[Plain]) -> None:
        """One more test, unless there is the same one for an earlier line."""
        if all(known[1:] != test[1:] for known in self.tests):
            self.tests.append(test)

    def assume(self, at: str, condition: Plain) -> None:
        """A condition that the author states."""
        self.add([at, "assume", condition])

    def whole(self, at: str, length: Plain, size: int) -> None:
        """An axis that is not longer than a size."""
        self.add([at, "whole", length, size])

    def last_stride(self, at: str, tensor: str, rank: int) -> None:
        """A tensor whose last axis has no gaps."""
        self.add([at, "stride", tensor, rank])

    def within(self, at: str, tensor: str, axis: int, start: Plain, stop: Plain) -> None:
        """Positions that lie within an axis."""
        if not (start == 0 and stop == f"{tensor}_shape{axis}"):
            self.add([at, "axis", tensor, axis, start, stop])

    def plain(self) -> dict[str, Plain]:
        """These facts as JSON has them."""
        return {"tests": self.tests, "iterations": self.iterations}
