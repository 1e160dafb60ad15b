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
from opwright.frontend import calls, functions
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir import StringAttr, numbers
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
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.function import ThreadFunction, refuse_threads

_SIGNATURE = "(function, threads, ...): a function marked @asc.simt, how many threads run it, and what it takes"


def check_soc(builder: Builder) -> None:
    """Refuses a kernel of threads where there are none."""
    if builder.function.role == SIMT_KERNEL and not builder.soc.runs_threads:
        what, hint = builder.definition.name, 'make it for a SoC that has one: soc="ascend950"'
        raise NoThreads(builder.at(builder.definition), what=what, soc=builder.soc.name, hint=hint)


def start(builder: Builder, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call) -> Constant:
    """asc.vf_call(function, threads, ...)."""
    if not builder.soc.runs_threads:
        hint = 'make the kernel for a SoC that has one: @asc.jit(soc="ascend950")'
        raise NoThreads(builder.at(node), what="asc.vf_call", soc=builder.soc.name, hint=hint)
    if len(arguments) < 2:
        _refuse_start(builder, "takes a function and its threads first", node)
    function, threads, *given = arguments
    if not (isinstance(function, Constant) and isinstance(function.value, ThreadFunction) and function.path):
        named = getattr(function.value, "__name__", "") if isinstance(function, Constant) else ""
        _refuse_start(builder, f"{named or describe(function)} is not a function marked @asc.simt", node)
    started = function.value
    axes = _axes(builder, started, threads, node)
    helper, operands = functions.helper_for(
        builder,
        started.function,
        started.source,
        function.path,
        [_for_threads(builder, value, node) for value in given],
        {name: _for_threads(builder, value, node) for name, value in keywords.items()},
        node,
        VF,
        started.max_threads,
    )
    builder.add(
        StartOp(helper.symbol, [numbers.materialise(builder.site(node), axis, INT) for axis in axes], operands), node
    )
    return Constant(None)


def _refuse_start(builder: Builder, message: str, node: ast.Call) -> NoReturn:
    """Refuses the arguments of asc.vf_call itself."""
    raise WrongCall(builder.at(node), call="asc.vf_call", message=message, signature=_SIGNATURE)


def _axes(builder: Builder, function: ThreadFunction, threads: Value, node: ast.Call) -> list[Value]:
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
            _refuse_start(builder, message, node)
    # Run-time axes are tested at run time; those that are constants must not be too many by themselves.
    numbers = [axis.value for axis in axes if isinstance(axis, Constant) and isinstance(axis.value, int)]
    refuse_threads(builder.at(node), function.__name__, numbers, function.max_threads)
    return axes


def _for_threads(builder: Builder, value: Value, node: ast.Call) -> Value:
    """An argument as threads have it."""
    if not isinstance(value, RunTimeValue):
        return value
    kind = value.type
    if isinstance(kind, LocalType) and MEMORY_OF[TPosition[kind.position.data]] != "UB":
        _refuse_start(builder, f"threads reach tensors in UB, got {describe(value)}", node)
    if isinstance(kind, StructType):
        _refuse_start(builder, f"threads take addresses, tensors and numbers, got {describe(value)}", node)
    if isinstance(kind, (AddressType, GlobalType, LocalType)) and kind.dtype.data != "?":
        memory = UB if isinstance(kind, LocalType) else GM
        return RunTimeValue(builder.add(PointerOp(value.ssa, pointer(kind.dtype.data, memory)), node).results[0])
    return value


def share(
    builder: Builder, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.Call
) -> Value:
    """simt.shared: only at the top level of the kernel; all shared arrays together must fit in UB."""
    if builder.function.role != SIMT_KERNEL:
        raise UnsupportedSyntax(
            builder.at(node),
            what="simt.shared in a function that a kernel starts or that threads call",
            hint="give it the memory: a tensor in UB to asc.vf_call, or what simt.shared made in the kernel",
        )
    if builder.block is not builder.outermost:
        hint = "share memory at the start of the kernel"
        raise UnsupportedSyntax(builder.at(node), what="simt.shared in a branch or a loop", hint=hint)
    made = calls.invoke(builder, row, arguments, keywords, node)
    assert isinstance(made, RunTimeValue) and isinstance(made.type, PointerType)
    length = made.ssa.owner.attributes["length"]  # type: ignore[union-attr]
    assert isinstance(length, StringAttr)
    size = ELEMENTS[made.type.dtype.data].bytes
    begin = -(-builder.compilation.shared_bytes // size) * size
    builder.compilation.shared_bytes = end = begin + int(length.data) * size
    capacity = builder.soc.usable("UB", threads=True)
    if end > capacity:
        what = "what threads share ends"
        raise BeyondMemory(builder.at(node), what=what, end=end, memory="UB", soc=builder.soc.name, capacity=capacity)
    return made


def _is_integer(value: Value) -> bool:
    """Whether a run-time value is an integer."""
    kind = value.type if isinstance(value, RunTimeValue) else None
    return isinstance(kind, ScalarType) and kind != BOOL and not numbers.is_float(kind)
