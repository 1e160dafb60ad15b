"""Functions that host functions call: each becomes a function of the text, once for each choice of kinds.

In: a plain Python function and its arguments. Out: a call of it. What the text has no value for, such as a tuple of
dtypes, is a constant of that function. Refuses recursion.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType

from opwright.errors import Location, UnsupportedSyntax
from opwright.frontend.builder import Builder, Grammar
from opwright.frontend.compilation import Compilation, FunctionInstance, Helper
from opwright.frontend.scope import Scope
from opwright.frontend.values import Shape, key_of
from opwright.host.compiler.values import as_kind, kinds_of
from opwright.ir import ArrayAttr
from opwright.ir.functions import HelperCallOp
from opwright.ir.host import host_type
from opwright.ir.language import FuncOp
from opwright.ir.types import HostType
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.source import source_of


class HostBuilder(Builder):
    """One host function being compiled. Its text is compiled into a library whole, so nothing captured is a key."""

    def record(self, path: str, value: object, node: ast.AST) -> None:
        pass


def lower(
    grammar: Grammar,
    compilation: Compilation,
    instance: FunctionInstance,
    symbol: str,
    parameters: Mapping[str, str],
    constants: Mapping[str, Value],
) -> tuple[HostType, ...]:
    """Lowers a function, and gives the kinds of its results. parameters: kinds by name."""
    made = FuncOp(symbol, [(name, host_type(kind)) for name, kind in parameters.items()], instance.number)
    block = made.body.block
    names: dict[str, Value] = dict(constants)
    names.update((name, RunTimeValue(one)) for name, one in zip(parameters, block.args, strict=True))
    (definition,) = ast.parse(instance.source.text).body
    assert isinstance(definition, ast.FunctionDef)
    builder = HostBuilder(grammar, compilation, instance, definition, block, Scope(dict(names), {}))
    builder.statements(definition.body)
    results = kinds_returned(builder.flow.shape or ())
    if results and not builder.flow.ended:
        what = f"'{instance.name}', which returns a value on some paths but not on others,"
        raise UnsupportedSyntax(builder.at(definition), what=what, hint="end every path with return or host.refuse")
    if results:
        made.returned = ArrayAttr(list(results))
    compilation.functions.append(made)
    return results


def kinds_returned(shape: Shape) -> tuple[HostType, ...]:
    """The kinds of what a function returns."""
    assert isinstance(shape, tuple)
    return tuple(one for one in shape if isinstance(one, HostType))


def call(builder: Builder, function: FunctionType, path: str, given: Mapping[str, Value], node: ast.Call) -> Value:
    """Calls a function of the author's."""
    passed = {name: value for name, value in given.items() if kinds_of(value)}
    constants = {name: value for name, value in given.items() if not kinds_of(value)}
    kinds = {name: kinds_of(value)[0] for name, value in passed.items()}
    key = (function, *kinds.items(), *((name, key_of(value)) for name, value in constants.items()))
    helper = builder.compilation.helpers.get(key)
    if helper is None:
        calls: tuple[Location, ...] = (*builder.function.calls, builder.at(node))
        instance = builder.compilation.enter(function, source_of(function), path, calls)
        symbol = builder.compilation.unique(function.__name__.strip("_"))
        helper = builder.compilation.helpers[key] = Helper(symbol, instance)
        helper.shape = lower(builder.grammar, builder.compilation, instance, symbol, kinds, constants)
    elif helper.shape is None:
        what = f"{function.__name__} calling itself"
        raise UnsupportedSyntax(builder.at(node), what=what, hint="write a loop")
    operands = [as_kind(builder, passed[name], kind, node) for name, kind in kinds.items()]
    made = builder.add(HelperCallOp(helper.symbol, operands, kinds_returned(helper.shape)), node)
    results = [RunTimeValue(one) for one in made.results]
    if not results:
        return Constant(None)
    return results[0] if len(results) == 1 else Items(tuple(results))
