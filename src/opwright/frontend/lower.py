"""A whole function to IR.

In: a function, and the types of its arguments. Out: a `py.func` in the compilation, after those of the helpers that the
function calls. Refuses, with the line, whatever Python means that the text could not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NoReturn

from opwright.errors import UnsupportedSyntax
from opwright.frontend import (
    attributes,
    expressions,
    invocations,
    loops,
    operators,
    returns,
    statements,
    subscripts,
    threads,
)
from opwright.frontend.builder import Builder, Grammar
from opwright.frontend.compilation import Compilation, FunctionInstance, Helper
from opwright.frontend.scope import Scope
from opwright.frontend.values import Binding, Shape, leaves
from opwright.ir import ArrayAttr, numbers
from opwright.ir.language import FuncOp
from opwright.ir.types import ValueType, scalar
from opwright.ir.values import RunTimeValue, Value
from opwright.kernel.parameters import parameters_of


def lower_kernel(
    compilation: Compilation,
    function: FunctionInstance,
    symbol: str,
    parameters: Sequence[tuple[str, ValueType]],
    constants: Mapping[str, Value],
    grammar: Grammar,
) -> Builder:
    """Lowers the kernel, and with it everything that it calls."""
    builder, made = _begin(grammar, compilation, function, symbol, parameters, constants)
    threads.check_soc(builder)
    _lower(builder, made)
    return builder


def lower_helper(
    caller: Builder, helper: Helper, parameters: Sequence[tuple[str, ValueType]], constants: Mapping[str, Value]
) -> Shape:
    """Lowers a function that `caller` calls, and returns the shape of its result."""
    builder, made = _begin(caller.grammar, caller.compilation, helper.instance, helper.symbol, parameters, constants)
    shape = _lower(builder, made)
    helper.array_bytes = builder.stack.total
    return shape


GRAMMAR = Grammar(
    value=expressions.value,
    statement=statements.statement,
    helper=lower_helper,
    begin=lambda builder: None,
    attribute=attributes.attribute,
    subscript=subscripts.subscript,
    set_element=subscripts.set_element,
    arithmetic=operators.arithmetic,
    unary=operators.unary,
    compare=operators.compare,
    truth=lambda builder, value, node: numbers.truth(builder.site(node), value),
    iterate=loops.iterate,
    call=invocations.call_value,
)


def _begin(
    grammar: Grammar,
    compilation: Compilation,
    function: FunctionInstance,
    symbol: str,
    parameters: Sequence[tuple[str, ValueType]],
    constants: Mapping[str, Value],
) -> tuple[Builder, FuncOp]:
    """The builder of a function, whose block is empty."""
    made = FuncOp(symbol, parameters, function.number, function.role, function.max_threads)
    block = made.body.block
    names: dict[str, Binding] = dict(constants)
    for (name, _), argument in zip(parameters, block.args, strict=True):
        names[name] = RunTimeValue(argument)
    declared = {p.name: scalar(p.dtype.name) for p in parameters_of(function.python) if p.dtype is not None}
    (definition,) = ast.parse(function.source.text).body
    assert isinstance(definition, ast.FunctionDef)
    return Builder(grammar, compilation, function, definition, block, Scope(names, declared)), made


def _lower(builder: Builder, made: FuncOp) -> Shape:
    """Lowers all statements of a function, and returns the shape of its result."""
    builder.grammar.begin(builder)
    for node in builder.definition.body:
        if builder.flow.ended:
            break
        try:
            builder.grammar.statement(builder, node)
        except RecursionError:
            refuse_depth(builder, node)
    shape = returns.close(builder)
    if types := leaves(shape):
        made.returned = ArrayAttr(types)
    builder.compilation.functions.append(made)
    return shape


def refuse_depth(builder: Builder, node: ast.AST | None = None) -> NoReturn:
    """Refuses what is nested deeper than Python's stack goes."""
    raise UnsupportedSyntax(
        builder.at(node or builder.definition),
        what="an expression or a nest of branches this deep",
        hint="assign sub-expressions to local variables",
    ) from None
