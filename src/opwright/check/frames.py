"""Following a kernel's IR from call to call, before any run.

In: a module. Out: a `Frame` for the kernel and for each call of a helper. A helper is followed once for each place that
calls it, with the constants that are passed there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ir import Block, ModuleOp, SSAValue
from opwright.ir.functions import HelperCallOp, by_name, functions
from opwright.ir.language import FuncOp, constant_of
from opwright.ir.types import unquoted

MAX_CALLS = 1000  # that are followed


class TooManyCalls(Exception):
    """A kernel whose calls of helpers are too many to be followed one by one."""


@dataclass(frozen=True)
class Frame:
    """One call of a function.

    number: of the function, as a `Place` counts them. constants: its parameters that are known.
    """

    number: int
    block: Block
    constants: Mapping[SSAValue, int]

    def integer(self, value: SSAValue | None) -> int | None:
        """The value, where it is a constant."""
        if value is None:
            return None
        number = self.constants.get(value, constant_of(value))
        return number if isinstance(number, int) else None


class Frames:
    """The calls of one kernel."""

    def __init__(self, module: ModuleOp) -> None:
        self._callees = by_name(module)
        self._count = 0
        self.kernel = _frame(functions(module)[-1], {})

    def enter(self, frame: Frame, call: HelperCallOp) -> Frame:
        """The frame of a helper that is called in another one."""
        self._count += 1
        if self._count > MAX_CALLS:
            raise TooManyCalls
        callee = self._callees[unquoted(call.callee)]
        known: dict[SSAValue, int] = {}
        for parameter, value in zip(callee.body.block.args, call.arguments, strict=True):
            number = frame.integer(value)
            if number is not None:
                known[parameter] = number
        return _frame(callee, known)


def _frame(function: FuncOp, constants: Mapping[SSAValue, int]) -> Frame:
    return Frame(function.place, function.body.block, constants)
