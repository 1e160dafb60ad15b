"""Arguments of the language's own functions and methods, bound as Python binds them.

In: the function of `opwright.tile` that was called, and values. Out: a value for each parameter. Refuses what Python
would, and run-time values where a constant is needed.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from opwright.errors import WrongCall, WrongType
from opwright.frontend.builder import Builder
from opwright.frontend.values import describe
from opwright.ir.values import Constant, Items, Value


@cache
def _signature(function: Callable[..., Any], is_method: bool) -> inspect.Signature:
    found = inspect.signature(function)
    parameters = list(found.parameters.values())
    return found.replace(parameters=parameters[1:] if is_method else parameters)


def bound(
    builder: Builder,
    call: str,
    function: Callable[..., Any],
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    node: ast.AST,
    is_method: bool = False,
) -> dict[str, Value]:
    """A value for each parameter; defaults are constants."""
    signature = _signature(function, is_method)
    try:
        given = signature.bind(*arguments, **keywords)
    except TypeError as error:
        names = f"({', '.join(signature.parameters)})"
        raise WrongCall(builder.at(node), call=call, message=str(error), signature=names) from None
    missing = {
        name: Constant(one.default)
        for name, one in signature.parameters.items()
        if name not in given.arguments and one.default is not one.empty
    }
    return {**missing, **given.arguments}


def known(builder: Builder, call: str, name: str, value: Value, node: ast.AST) -> Any:
    """The constant that an argument must be; a tuple may hold constants."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Items):
        return tuple(known(builder, call, name, item, node) for item in value.items)
    hint = f"{name} is a constant: a number, or a parameter annotated with tile.constexpr"
    raise WrongType(builder.at(node), operation=call, got=f"{describe(value)} for {name}", hint=hint)
