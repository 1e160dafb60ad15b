"""The functions of an operator that people call: `f(x, ..., out=None)` and `f_(x, ...)`.

In: a registered operator. Out: Python functions with its arguments by name, its docstring, and typed errors: what the
dispatcher raises is asked of the operator's check again, which raises the class it means, also while tracing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from torch import Tensor

from opwright.errors import BadType, OpwrightError
from opwright.frameworks.torch.register import Registered
from opwright.frameworks.torch.serve import check, check_outs, choose
from opwright.operators._operator import Operator
from opwright.schema import Argument


@dataclass(frozen=True)
class Functions:
    """The functions of one operator."""

    operator: Operator
    functional: Callable[..., Any]
    in_place: Callable[..., Any] | None


_FUNCTIONAL = """
def {name}({parameters}):
    if out is None:
        try:
            return _functional({passed})
        except Exception as error:
            _explain(error, ({values}), None)
            raise
    if {wrong_outs}:
        _refuse_outs(out)
    try:
        _out({passed}, {outs_passed})
    except Exception as error:
        _explain(error, ({values}), ({outs},))
        raise
    return out
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

    def declared(argument: Argument) -> str:
        return f"{argument.name}={argument.default!r}" if argument.has_default else argument.name

    passed = ", ".join([*(a.name for a in placed), *(f"{a.name}={a.name}" for a in named)])
    values = ", ".join(a.name for a in schema.arguments) + ","
    star = ["*", *map(declared, named)]
    outs = operator.out_names
    single = len(outs) == 1
    words = {
        "name": operator.name,
        "passed": passed,
        "values": values,
        "first": schema.arguments[0].name,
        "outs": ", ".join(["out"] if single else [f"out[{i}]" for i in range(len(outs))]),
        "outs_passed": "out=out" if single else ", ".join(f"{name}=out[{i}]" for i, name in enumerate(outs)),
        "wrong_outs": "not isinstance(out, _Tensor)" if single else f"not _are_tensors(out, {len(outs)})",
    }
    space: dict[str, Any] = {
        "_functional": made.functional,
        "_out": made.out,
        "_in_place": made.in_place,
        "_explain": _explainer(operator),
        "_refuse_outs": _refuser(operator),
        "_are_tensors": _are_tensors,
        "_Tensor": Tensor,
    }
    parameters = ", ".join([*map(declared, placed), *star, "out=None"])
    exec(_FUNCTIONAL.format(parameters=parameters, **words), space)
    _dress(operator, space[operator.name], operator.forms[0].text)
    in_place = None
    if made.in_place is not None:
        parameters = ", ".join([*map(declared, placed), *(star if named else [])])
        exec(_IN_PLACE.format(parameters=parameters, **words), space)
        in_place = space[f"{operator.name}_"]
        _dress(operator, in_place, operator.forms[-1].text)
    return Functions(operator, space[operator.name], in_place)


def _dress(operator: Operator, function: Any, schema: str) -> None:
    doc = inspect.getdoc(operator.functions["reference"]) or ""
    order = "; ".join(f"{device}: {', '.join(names)}" for device, names in operator.orders.items())
    kind = {"exact": "exact", "straight_through": "straight through", "none": "none"}[operator.gradient]
    note = f"{schema}\n\nGradient: {kind}. Providers: {order}; any other device: reference."
    function.__doc__ = f"{doc}\n\n{note}"
    function.__module__ = "opwright.ops"
    function.__qualname__ = function.__name__


def _are_tensors(outs: object, count: int) -> bool:
    return isinstance(outs, (tuple, list)) and len(outs) == count and all(isinstance(out, Tensor) for out in outs)


def _refuser(operator: Operator) -> Callable[[object], NoReturn]:
    count = len(operator.schema.results)
    wanted = "a tensor" if count == 1 else f"a tuple of {count} tensors"

    def refuse(outs: object) -> NoReturn:
        raise BadType(operator=operator.name, message=f"out must be {wanted}, not {type(outs).__name__}")

    return refuse


def _explainer(operator: Operator) -> Callable[..., None]:
    """Raises what is wrong with a call that failed, if its check knows."""

    def explain(error: Exception, values: tuple[Any, ...], outs: tuple[Tensor, ...] | None) -> None:
        if isinstance(error, OpwrightError):
            return
        if isinstance(error.__cause__, OpwrightError):
            raise error.__cause__.with_traceback(None) from None
        try:
            check(operator, values)
            if outs is not None:
                check_outs(operator, values, outs)
            choose(operator, values)
        except OpwrightError as clear:
            raise clear.with_traceback(None) from None

    return explain
