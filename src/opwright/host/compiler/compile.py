"""From a host function to C++.

In: `infer` of an operator, perhaps its `launch`, and the kinds of its arguments. Out: C++ over `opwright/host.h`, one
namespace for each operator; what both functions call stands there once. Refuses, with the author's line, whatever
Python means that the text could not, and functions whose parameters or results are not those of the schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType

from opwright.ascendc.socs import SOCS
from opwright.emit.host import emit
from opwright.errors import Location, NotForHost, UnsupportedSyntax
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


def lowered(
    infer: FunctionType, parameters: Mapping[str, str], results: int, launch: FunctionType | None = None
) -> ModuleOp:
    """The IR of host functions and of all that they call. parameters: kinds by name."""
    compilation = Compilation(next(iter(SOCS.values())))  # it is compiled for no SoC
    symbols = [compilation.unique(name) for name in ("infer", "launch")]  # no helper has these names
    found = _lower(compilation, infer, symbols[0], parameters)
    if found != ("tensor",) * results:
        words = ", ".join(found) or "nothing"
        hint = "return host.dense(shape, dtype) or host.like(tensor) for each result of the schema, several as a tuple"
        raise NotForHost(_begin(infer), what=f"a result of {words} for {results} of the schema", hint=hint)
    if launch is not None:
        found = _lower(compilation, launch, symbols[1], _parameters_of_launch(launch, parameters, results))
        if found != ("launch",):
            words = ", ".join(found) or "nothing"
            hint = "return host.Launch(kernel, blocks=..., arguments=(...), workspace=...)"
            raise NotForHost(_begin(launch), what=f"a result of {words} for a launch", hint=hint)
    module = ModuleOp(compilation.functions)
    module.verify()
    return module


def _lower(
    compilation: Compilation, function: FunctionType, symbol: str, parameters: Mapping[str, str]
) -> tuple[str, ...]:
    """The kinds of a function's results; its IR is added to the compilation."""
    instance = compilation.enter(function, source_of(function), "")
    try:
        found = helpers.lower(HOST, compilation, instance, symbol, parameters, {})
    except UnsupportedSyntax as error:
        raise NotForHost(error.at, what=error.fields["what"], hint=error.fields["hint"]) from None
    return tuple(kind_of(one) for one in found)


def _parameters_of_launch(launch: FunctionType, parameters: Mapping[str, str], results: int) -> dict[str, str]:
    """Those of `infer`, one for each result, under any name, and the SoC."""
    names = launch.__code__.co_varnames[: launch.__code__.co_argcount]
    if names[: len(parameters)] != tuple(parameters) or len(names) != len(parameters) + results + 1:
        what = f"a launch that takes ({', '.join(names)})"
        several = f"{results} results" if results != 1 else "the result"
        hint = f"it takes the arguments ({', '.join(parameters)}), then the facts of {several}, then the SoC"
        raise NotForHost(_begin(launch), what=what, hint=hint)
    return {**parameters, **dict.fromkeys(names[len(parameters) : -1], "tensor"), names[-1]: "soc"}


def _begin(function: FunctionType) -> Location:
    return source_of(function).locate(1, 0)


def compile_infer(
    operator: str,
    function: FunctionType,
    parameters: Mapping[str, str],
    results: int,
    launch: FunctionType | None = None,
) -> str:
    """The C++ of `infer` and `launch` of an operator. parameters: kinds by name, as `ir.types.HOST_KINDS` has them."""
    return emit(operator, lowered(function, parameters, results, launch))
