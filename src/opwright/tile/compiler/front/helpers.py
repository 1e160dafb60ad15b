"""`tile.call`: functions of `opwright.asc` on the local tensors of tiles.

In: a call of `tile.call`. Out: a `tile.helper` whose body holds the function's calls, and those of functions that it
calls, in the place of the call. Refuses, with the function's line, whatever is no work of the vector unit on the
tensors that it is given, and functions that change their inputs.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.enums import PipeID
from opwright.ascendc.traits import TensorArray
from opwright.errors import NotForVector, WrongCall, WrongType
from opwright.frontend import invocations, statements
from opwright.frontend.builder import Builder
from opwright.frontend.lower import GRAMMAR
from opwright.ir import Block, SSAValue
from opwright.ir.calls import CallOp, trap_reason
from opwright.ir.tile import HelperOp, type_of
from opwright.ir.types import local_tensor, tile_type
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel.function import KernelFunction
from opwright.tile import dtypes, functions
from opwright.tile.compiler.buffers import base_of, touched
from opwright.tile.compiler.front.bind import bound, known
from opwright.tile.compiler.front.cells import counted
from opwright.tile.compiler.front.inline import InlinedBuilder, inlined
from opwright.tile.compiler.front.state import constant
from opwright.tile.compiler.front.values import at_node, is_tile
from opwright.tile.shapes import shape_of

_POSITION = "VECCALC"


def call(builder: Builder, node: ast.Call) -> RunTimeValue:
    """Calls a function under `@asc.jit`."""
    # What stands for the function in NumPy is nothing to the compiler.
    keywords = [one for one in node.keywords if one.arg != "reference"]
    arguments, named = invocations.arguments_of(builder, ast.Call(node.func, node.args, keywords))
    given = bound(builder, "tile.call", functions.call, arguments, named, node)
    helper = given["helper"]
    # Python binds what is left to a tuple.
    values: tuple[Value, ...] = cast("tuple[Value, ...]", given.get("arguments", ()))
    function = helper.value if isinstance(helper, Constant) else None
    if not isinstance(function, KernelFunction) or function.front_end != "asc":
        hint = "it calls a function marked @asc.jit"
        raise WrongType(builder.at(node), operation="tile.call", got=ast.unparse(node.args[0]), hint=hint)
    assert isinstance(helper, Constant)
    sizes, dtype = _result(builder, known(builder, "tile.call", "out", given["out"], node), node)
    scratch = known(builder, "tile.call", "scratch", given["scratch"], node)
    tiles = [counted(builder, value, node) for value in values if is_tile(value)]
    types = [*(type_of(tile).dtype.data for tile in tiles), dtype.name, *(["uint8"] if scratch else [])]
    body = Block(arg_types=[local_tensor(one, _POSITION) for one in types])
    left = iter(body.args)
    passed = [RunTimeValue(next(left)) if is_tile(value) else value for value in values]
    passed += [RunTimeValue(one) for one in left]
    with builder.nested(body):
        _lower(builder, helper, passed, node, frozenset(body.args[: len(tiles)]))
    made = HelperOp(tiles, body, scratch, tile_type(sizes, dtype.name), [constant(builder, size) for size in sizes])
    return RunTimeValue(builder.add(made, node).results[0])


def _result(builder: Builder, out: object, node: ast.Call) -> tuple[tuple[int, ...], DataType]:
    """The shape and the type of the result."""
    match out:
        case (shape, DataType() as dtype):
            with at_node(builder, node):
                dtypes.refuse_wide("call", dtype)
                return shape_of("call", shape), dtype
    message = "out is a shape and a type, such as ((64, 128), tile.float32)"
    raise WrongCall(builder.at(node), call="tile.call", message=message, signature="(helper, *tiles, out=, scratch=)")


def _lower(
    builder: Builder, helper: Constant, values: Sequence[Value], node: ast.Call, inputs: frozenset[SSAValue]
) -> None:
    """The statements of a function, in the block of the caller."""

    def statement(builder: Builder, node: ast.stmt) -> None:
        before = builder.block.last_op
        if isinstance(node, ast.Return) and isinstance(builder, InlinedBuilder):
            builder.give_back(node)
        else:
            statements.statement(builder, node)
        operation = builder.block.first_op if before is None else before.next_op
        while operation is not None:
            for one in operation.walk():
                if isinstance(one, CallOp) and (does := _refused(one, inputs)):
                    raise NotForVector(builder.at(node), does=does)
            operation = operation.next_op

    def call_of(builder: Builder, function: Value, node: ast.Call) -> Value:
        if isinstance(function, Constant) and isinstance(function.value, KernelFunction):
            arguments, keywords = invocations.arguments_of(builder, node)
            return inlined(builder, function, arguments, keywords, node)
        return invocations.call_value(builder, function, node)

    inlined(builder, helper, values, {}, node, replace(GRAMMAR, statement=statement, call=call_of))


def _refused(call: CallOp, inputs: frozenset[SSAValue]) -> str:
    """What a call does that a helper must not do."""
    form, name = call.chosen, f"asc.{call.row.name}"
    accesses = list(touched(call))
    if any(is_written and base_of(tensor) in inputs for tensor, is_written in accesses):
        return f"changes one of its inputs by {name}"
    if accesses:
        return "" if form.pipe == PipeID.PIPE_V.name else f"calls {name}, which runs on {form.pipe}"
    is_barrier = call.row.name == "pipe_barrier" and PipeID.PIPE_V.name in str(call.attributes)
    is_plain = call.row.effect in ("value", "reads") or call.row.short in ("__getitem__", "reinterpret_cast")
    if is_plain or is_barrier or form.get(TensorArray) or trap_reason(call) is not None:
        return ""
    return f"calls {name}"
