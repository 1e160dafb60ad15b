"""Threads: how a kernel starts them, and what their functions may do.

In: asc.vf_call, simt.shared, calls. Out: IR. Addresses and tensors become addresses as threads have them. Refuses SoCs
without threads, more threads than a function is made for, tensors outside of UB, and calls that are for the other side.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NoReturn

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import MEMORY_OF, TPosition
from opwright.ascendc.row import Row
from opwright.errors import BeyondMemory, NoThreads, UnsupportedSyntax, WrongCall
from opwright.frontend import calls, scalars
from opwright.frontend.functions import Functions
from opwright.frontend.values import Constant, Items, Runtime, Value, describe
from opwright.ir import StringAttr
from opwright.ir.language import SIMT_KERNEL, VF
from opwright.ir.threads import PointerOp, StartOp
from opwright.ir.types import (
    BOOL,
    GM,
    INT,
    UB,
    AddressType,
    GlobalType,
    LocalType,
    PointerType,
    ScalarType,
    StructType,
    pointer,
)
from opwright.kernel.function import ThreadFunction, refuse_threads

_SIGNATURE = "(function, threads, ...): a function marked @asc.simt, how many threads run it, and what it takes"


class Threads(Functions):
    """The part of a lowering that knows threads."""

    def check_soc(self) -> None:
        """Refuses a kernel of threads where there are none."""
        if self.frame.role == SIMT_KERNEL and not self.soc.runs_threads:
            what, hint = self.definition.name, 'make it for a SoC that has one: soc="ascend950"'
            raise NoThreads(self.at(self.definition), what=what, soc=self.soc.name, hint=hint)

    def start(self, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
        """asc.vf_call(function, threads, ...)."""
        if not self.soc.runs_threads:
            hint = 'make the kernel for a SoC that has one: @asc.jit(soc="ascend950")'
            raise NoThreads(self.at(node), what="asc.vf_call", soc=self.soc.name, hint=hint)
        if len(arguments) < 2:
            self.refuse_start("takes a function and its threads first", node)
        function, threads, *given = arguments
        if not (isinstance(function, Constant) and isinstance(function.value, ThreadFunction) and function.path):
            named = getattr(function.value, "__name__", "") if isinstance(function, Constant) else ""
            self.refuse_start(f"{named or describe(function)} is not a function marked @asc.simt", node)
        started = function.value
        axes = self.axes(started, threads, node)
        helper, operands = self.helper_for(
            started.function,
            started.source,
            function.path,
            [self.for_threads(value, node) for value in given],
            {name: self.for_threads(value, node) for name, value in keywords.items()},
            node,
            VF,
            started.most_threads,
        )
        self.add(StartOp(helper.symbol, [scalars.materialise(self, axis, INT, node) for axis in axes], operands), node)
        return Constant(None)

    def refuse_start(self, message: str, node: ast.Call) -> NoReturn:
        """Refuses the arguments of asc.vf_call itself."""
        raise WrongCall(self.at(node), call="asc.vf_call", message=message, signature=_SIGNATURE)

    def axes(self, function: ThreadFunction, threads: Value, node: ast.Call) -> list[Value]:
        """How many threads there are along x, y and z, as far as they are given."""
        axes = [threads]
        if isinstance(threads, Items):
            axes = list(threads.items)
        elif isinstance(threads, Constant) and isinstance(threads.value, tuple):
            axes = [Constant(axis) for axis in threads.value]
        for axis in axes or [Constant(None)]:
            number = axis.value if isinstance(axis, Constant) else None
            is_integer = type(number) is int if isinstance(axis, Constant) else _is_integer(axis)
            if not is_integer or len(axes) > 3:
                message = f"the second argument must be an integer or a tuple of up to three, got {describe(threads)}"
                self.refuse_start(message, node)
        # Axes of the run are tested there; what is known already must not be too much by itself.
        numbers = [axis.value for axis in axes if isinstance(axis, Constant) and isinstance(axis.value, int)]
        refuse_threads(self.at(node), function.__name__, numbers, function.most_threads)
        return axes

    def for_threads(self, value: Value, node: ast.Call) -> Value:
        """An argument as threads have it."""
        if not isinstance(value, Runtime):
            return value
        kind = value.type
        if isinstance(kind, LocalType) and MEMORY_OF[TPosition[kind.position.data]] != "UB":
            self.refuse_start(f"threads reach tensors in UB, got {describe(value)}", node)
        if isinstance(kind, StructType):
            self.refuse_start(f"threads take addresses, tensors and numbers, got {describe(value)}", node)
        if isinstance(kind, (AddressType, GlobalType, LocalType)) and kind.dtype.data != "?":
            memory = UB if isinstance(kind, LocalType) else GM
            return Runtime(self.add(PointerOp(value.ssa, pointer(kind.dtype.data, memory)), node).results[0])
        return value

    def share(self, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Value:
        """simt.shared: it stands where every thread comes by, once, and must fit with all others."""
        if self.frame.role != SIMT_KERNEL:
            raise UnsupportedSyntax(
                self.at(node),
                what="simt.shared in a function that a kernel starts or that threads call",
                hint="give it the memory: a tensor in UB to asc.vf_call, or what simt.shared made in the kernel",
            )
        if self.block is not self.outermost:
            hint = "share memory at the start of the kernel"
            raise UnsupportedSyntax(self.at(node), what="simt.shared in a branch or a loop", hint=hint)
        made = calls.invoke(self, row, arguments, keywords, node)
        assert isinstance(made, Runtime) and isinstance(made.type, PointerType)
        length = made.ssa.owner.attributes["length"]  # type: ignore[union-attr]
        assert isinstance(length, StringAttr)
        size = ELEMENTS[made.type.dtype.data].bytes
        begin = -(-self.unit.shared_bytes // size) * size
        self.unit.shared_bytes = end = begin + int(length.data) * size
        capacity = self.soc.usable("UB", threads=True)
        if end > capacity:
            what = "what threads share ends"
            raise BeyondMemory(self.at(node), what=what, end=end, memory="UB", soc=self.soc.name, capacity=capacity)
        return made


def _is_integer(value: Value) -> bool:
    """Whether a value of the run is an integer."""
    kind = value.type if isinstance(value, Runtime) else None
    return isinstance(kind, ScalarType) and kind != BOOL and not scalars.is_float(kind)
