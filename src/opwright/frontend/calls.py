"""A call of Ascend C in a kernel.

In: a row, the values of the arguments, and the node of the call. Out: the value of the call, which `ir.binding` has
bound and built. Refuses, beyond what binding refuses, what only a kernel in Python can get wrong: a tensor changed
under one of several names.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opwright.ascendc.dtypes import DataType
from opwright.ascendc.row import Row
from opwright.ascendc.table import AGGREGATES
from opwright.ascendc.traits import Allocates, MakesPipe, WithoutMemory
from opwright.errors import NoForm
from opwright.frontend import arrays, hints
from opwright.frontend.builder import Builder, NodeSite
from opwright.frontend.inplace import check_changed
from opwright.ir import SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.binding.bind import CallContext, bind
from opwright.ir.binding.bound import called
from opwright.ir.binding.build import build
from opwright.ir.types import StructType
from opwright.ir.values import Constant, Items, RunTimeValue, Value


@dataclass(frozen=True)
class _CallSite(NodeSite):
    """A node that calls are added at."""

    def array(self, element: DataType, values: Sequence[Value]) -> SSAValue:
        """An array on the stack that holds these numbers."""
        assert isinstance(self.node, ast.Call)  # only functions take arrays
        return arrays.make(self.builder, [Constant(element), Items(tuple(values))], None, self.node).ssa

    def refined(self, tensor: SSAValue) -> None:
        """A global tensor was given its memory, and with it its element type."""
        self.builder.compilation.refined(tensor)


def invoke(
    builder: Builder, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST
) -> Value:
    """Lowers one call."""
    arguments = [_argument(builder, value, node) for value in arguments]
    keywords = {keyword: _argument(builder, value, node) for keyword, value in keywords.items()}
    context = CallContext(builder.soc, builder.kernel_type, builder.kinds)
    try:
        bound = bind(row, arguments, keywords, context, builder.at(node))
    except NoForm as refusal:
        hint = hints.of_numbers(row, [*arguments, *keywords.values()], builder.function.by_threads)
        if not hint:
            raise
        call, reasons = refusal.fields["call"], refusal.fields["reasons"]
        raise NoForm(refusal.at, call=call, reasons=reasons, hint=hint) from None
    check_changed(builder, row, bound.form, bound.values, node)
    allocates = bound.form.get(Allocates)
    if bound.form.get(MakesPipe):
        builder.compilation.pipes.note_made(builder.spot)
    elif allocates and allocates.by_hand and not bound.form.get(WithoutMemory):
        builder.compilation.pipes.note_placed(called(row), bound.new_memory(), builder.spot, builder.at(node))
    return build(_CallSite(builder, node), bound)


def _argument(builder: Builder, value: Value, node: ast.AST) -> Value:
    """An argument as binding takes it: a struct by value becomes the struct of Ascend C that has its fields."""
    if not (isinstance(value, RunTimeValue) and isinstance(value.type, StructType)):
        return value
    struct = builder.compilation.structs[value.type.struct.data]
    row = AGGREGATES.get(tuple(struct.fields)) if struct.by_value else None
    if row is None:
        return value
    members = [builder.add(MemberOp(value.ssa, name, kind), node) for name, kind in struct.fields.items()]
    return invoke(builder, row, [RunTimeValue(member.results[0]) for member in members], {}, node)
