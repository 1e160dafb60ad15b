"""From a host function to C++.

In: `infer` of an operator, and the kinds of its arguments. Out: C++ over `opwright/host.h`, one namespace for each
operator. Refuses, with the author's line, whatever Python means that the text could not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType

from opwright.ascendc.socs import SOCS
from opwright.emit.host import emit
from opwright.errors import NotForHost, UnsupportedSyntax
from opwright.frontend.builder import Grammar
from opwright.frontend.compilation import Compilation
from opwright.frontend.lower import GRAMMAR
from opwright.host.compiler import calls, expressions, helpers, statements
from opwright.ir import ModuleOp
from opwright.ir.host import kind_of
from opwright.kernel.source import source_of

HOST: Grammar = replace(
    GRAMMAR,
    value=expressions.value,
    statement=statements.statement,
    attribute=expressions.attribute,
    subscript=expressions.subscript,
    arithmetic=expressions.arithmetic,
    unary=expressions.unary,
    compare=expressions.compare,
    truth=expressions.truth,
    iterate=statements.iterate,
    call=calls.call_value,
)


def lowered(function: FunctionType, parameters: Mapping[str, str]) -> tuple[ModuleOp, tuple[str, ...]]:
    """The IR of a host function and of all that it calls, and the kinds of its results. parameters: kinds by name."""
    compilation = Compilation(next(iter(SOCS.values())))  # it is compiled for no SoC
    instance = compilation.enter(function, source_of(function), "")
    symbol = compilation.unique("infer")
    try:
        results = helpers.lower(HOST, compilation, instance, symbol, parameters, {})
    except UnsupportedSyntax as error:
        raise NotForHost(error.at, what=error.fields["what"], hint=error.fields["hint"]) from None
    module = ModuleOp(compilation.functions)
    module.verify()
    return module, tuple(kind_of(one) for one in results)


def compile_infer(operator: str, function: FunctionType, parameters: Mapping[str, str], results: int) -> str:
    """The C++ of `infer` of an operator. parameters: kinds by name, as `ir.types.HOST_KINDS` has them."""
    module, kinds = lowered(function, parameters)
    if kinds != ("tensor",) * results:
        words = ", ".join(kinds) or "nothing"
        at = source_of(function).locate(1, 0)
        hint = "return host.dense(shape, dtype) or host.like(tensor) for each result of the schema, several as a tuple"
        raise NotForHost(at, what=f"a result of {words} for {results} of the schema", hint=hint)
    return emit(operator, module)
