"""The functions of an operator that people call: `f(x, ..., out=None)` and `f_(x, ...)`.

In: a registered operator. Out: Python functions with its arguments by name, its docstring, and typed errors: what the
dispatcher raises is asked of the operator's check again, which raises the class it means, also while tracing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from opwright.errors import OpwrightError
from opwright.frameworks.torch.register import Registered
from opwright.frameworks.torch.serve import check, check_outs
from opwright.operators._operator import Operator


@dataclass(frozen=True)
class Functions:
    """The functions of one operator."""

    operator: Operator
    functional: Callable[..., Any]
    in_place: Callable[..., Any] | None


_FUNCTIONAL = """
def {name}({parameters}):
    if {no_out}:
        try:
            return _functional({passed})
        except Exception as error:
            _explain(error, ({values}), None)
            raise
    try:
        _out({passed}, {outs_passed})
    except Exception as error:
        _explain(error, ({values}), ({outs},))
        raise
    return {result}
"""

_IN_PLACE = """
def {name}_({parameters}):
    try:
        _in_place({passed})
    except Exception as error:
        _explain(error, ({values}), ({first},))
        raise
    return {first}
"""


def functions_for(made: Registered) -> Functions:
    """Makes the functions of a registered operator."""
    operator, schema = made.operator, made.operator.schema
    placed = [a for a in schema.arguments if not a.keyword_only]
    named = [a for a in schema.arguments if a.keyword_only]

    def declared(argument: Any) -> str:
        return f"{argument.name}={argument.default!r}" if argument.has_default else str(argument.name)

    passed = ", ".join([*(a.name for a in placed), *(f"{a.name}={a.name}" for a in named)])
    values = ", ".join(a.name for a in schema.arguments) + ","
    star = ["*", *map(declared, named)]
    outs = schema.out_names
    single = len(outs) == 1
    words = {
        "name": operator.name,
        "passed": passed,
        "values": values,
        "first": schema.arguments[0].name,
        "outs": ", ".join(["out"] if single else [f"out[{i}]" for i in range(len(outs))]),
        "outs_passed": "out=out" if single else ", ".join(f"{name}=out[{i}]" for i, name in enumerate(outs)),
        "no_out": "out is None",
        "result": "out",
    }
    space: dict[str, Any] = {
        "_functional": made.functional,
        "_out": made.out,
        "_in_place": made.in_place,
        "_explain": _explainer(operator),
    }
    parameters = ", ".join([*map(declared, placed), *star, "out=None"])
    exec(_FUNCTIONAL.format(parameters=parameters, **words), space)
    _dress(operator, space[operator.name], schema.functional(operator.name))
    in_place = None
    if made.in_place is not None:
        parameters = ", ".join([*map(declared, placed), *(star if named else [])])
        exec(_IN_PLACE.format(parameters=parameters, **words), space)
        in_place = space[f"{operator.name}_"]
        _dress(operator, in_place, schema.in_place(f"{operator.name}_"))
    return Functions(operator, space[operator.name], in_place)


def _dress(operator: Operator, function: Any, schema: str) -> None:
    doc = inspect.getdoc(operator.functions["reference"]) or ""
    order = "; ".join(f"{device}: {', '.join(names)}" for device, names in operator.orders.items())
    kind = {"exact": "exact", "straight_through": "straight through", "none": "none"}[operator.gradient]
    note = f"{schema}\n\nGradient: {kind}. Providers: {order}; any other device: reference."
    function.__doc__ = f"{doc}\n\n{note}"
    function.__module__ = "opwright.ops"
    function.__qualname__ = function.__name__


def _explainer(operator: Operator) -> Callable[..., None]:
    """Raises what is wrong with a call that failed, if its check knows."""

    def explain(error: Exception, values: tuple[Any, ...], outs: tuple[Tensor, ...] | None) -> None:
        if isinstance(error, OpwrightError):
            return
        try:
            check(operator, values)
            if outs is not None:
                check_outs(operator, values, outs)
        except OpwrightError as clear:
            raise clear.with_traceback(None) from None

    return explain
