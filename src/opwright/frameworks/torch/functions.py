"""The functions of an operator that people call: `f(x, ..., out=None)` and `f_(x, ...)`.

In: a registered operator. Out: Python functions with its arguments by name, its docstring, and typed errors: what the
dispatcher raises is asked of the operator's check again, which raises the class it means, also while tracing. `f_`
gives what `f` gives, with the arguments that it writes in the places of their results. An operator that writes by
itself has one function, which gives what its schema says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from torch import Tensor

from opwright.errors import BadType, OpwrightError
from opwright.frameworks.torch.direct import NAMES, lines_of, names_in
from opwright.frameworks.torch.native import error_thrown
from opwright.frameworks.torch.register import Registered
from opwright.frameworks.torch.serve import check, check_outs, check_written, choose
from opwright.operators._forms import Form, Into
from opwright.operators._operator import Operator
from opwright.schema import Argument, Optional


@dataclass(frozen=True)
class Functions:
    """The functions of one operator."""

    operator: Operator
    stated: Callable[..., Any]
    in_place: Callable[..., Any] | None


_FUNCTIONAL = """
def {name}({parameters}):
    {synonyms}
    if out is None:
        try:
{stated}
        except Exception as error:
            raise _explained_stated(error, ({values}))
    if {wrong_outs}:
        _refuse_outs(out)
    try:
{out}
    except Exception as error:
        raise _explained_out(error, ({values}), ({outs},))
    return out
"""

_WRITING = """
def {name}({parameters}):
    {synonyms}
    try:
{stated}
    except Exception as error:
        raise _explained_stated(error, ({values}))
    return _rest
"""

# One of two names of an argument, as it is given mostly: under its own.
_SYNONYM = "if {second} is not ... or {name} is ...: {name} = _one_of({name!r}, {name}, {second!r}, {second})"

_IN_PLACE = """
def {name}_({parameters}):
    {synonyms}
    try:
{in_place}
    except Exception as error:
        raise _explained_in_place(error, ({values}), ({written},))
    return {returned}
"""


def functions_for(made: Registered) -> Functions:
    """Makes the functions of a registered operator."""
    operator, schema = made.operator, made.operator.schema
    placed = [a for a in schema.arguments if not a.keyword_only]
    named = [a for a in schema.arguments if a.keyword_only]

    def declared(argument: Argument) -> str:
        if argument.name in operator.synonyms:
            return f"{argument.name}=..."  # not given, perhaps under its other name
        return f"{argument.name}={argument.default!r}" if argument.has_default else argument.name

    others = [f"{second}=..." for second in operator.synonyms.values()]
    star = ["*", *map(declared, named), *others]
    outs = operator.out_names
    single = len(outs) == 1
    given = {"out": "out"} if single else {name: f"out[{i}]" for i, name in enumerate(outs)}
    may_be_absent = tuple(isinstance(result.type, Optional) for result in schema.results)
    words = {
        "name": operator.function_name,
        "values": ", ".join(a.name for a in schema.arguments) + ",",
        "outs": ", ".join(given.values()),
        "wrong_outs": "not isinstance(out, _Tensor)" if single else f"not _are_tensors(out, {may_be_absent})",
        "written": ", ".join(operator.writes),
        "returned": _returned(operator),
        "synonyms": "\n    ".join(map(_SYNONYM.format_map, _synonyms(operator))),
    }
    space: dict[str, Any] = {
        **NAMES,
        "_refuse_outs": _refuser(operator),
        "_are_tensors": _are_tensors,
        "_Tensor": Tensor,
        "_one_of": _chooser(operator),
    }
    for overload, form in made.forms.items():
        space.update(names_in(form, overload))
        space[f"_explained_{form.kind}"] = _explainer(operator, form)
        # The lines of a functional form stand one level deeper.
        indent = 12 if form.kind == "stated" and not operator.is_writing else 8
        words[form.kind] = lines_of(operator, form, given, indent)
    plain = ", ".join([*map(declared, placed), *(star if len(star) > 1 else [])])
    if operator.is_writing:
        exec(_WRITING.format(parameters=plain, **words), space)
    else:
        parameters = ", ".join([*map(declared, placed), *star, "out=None"])
        exec(_FUNCTIONAL.format(parameters=parameters, **words), space)
    stated = space[operator.function_name]
    _dress(operator, stated, schema.text)
    in_place = None
    if operator.writes:
        exec(_IN_PLACE.format(parameters=plain, **words), space)
        in_place = space[f"{operator.function_name}_"]
        _dress(operator, in_place, operator.forms[-1].schema.text)
    return Functions(operator, stated, in_place)


def _synonyms(operator: Operator) -> list[dict[str, str]]:
    return [{"name": name, "second": second} for name, second in operator.synonyms.items()]


def _chooser(operator: Operator) -> Callable[[str, Any, str, Any], Any]:
    defaults = {one.name: one.default for one in operator.schema.arguments if one.has_default}

    def one_of(name: str, value: Any, second: str, other: Any) -> Any:
        """What is given under one of two names; raises if it is given under both, or missing."""
        if value is not ... and other is not ...:
            raise BadType(operator=operator.name, message=f"{second} is another name of {name}: give one of them")
        if value is ... and other is ... and name not in defaults:
            raise BadType(operator=operator.name, message=f"{name} is missing, which may be called {second}")
        return value if value is not ... else other if other is not ... else defaults[name]

    return one_of


def _returned(operator: Operator) -> str:
    """What the form in place gives: written arguments, and the others from what the dispatcher gives."""
    count = len(operator.schema.results)
    written = {result: name for name, result in operator.writes.items()}
    others = [i for i in range(count) if i not in written]
    each = ["_rest"] if len(others) == 1 else [f"_rest[{i}]" for i in range(len(others))]
    listed = [written[i] if i in written else each[others.index(i)] for i in range(count)]
    return listed[0] if count == 1 else f"({', '.join(listed)},)"


def _dress(operator: Operator, function: Any, schema: str) -> None:
    doc = inspect.getdoc(operator.functions["reference"]) or ""
    order = "; ".join(f"{device}: {', '.join(names)}" for device, names in operator.orders.items())
    kind = {"exact": "exact", "straight_through": "straight through", "none": "none"}[operator.gradient]
    note = f"{schema}\n\nGradient: {kind}. Providers: {order}; any other device: reference."
    function.__doc__ = f"{doc}\n\n{note}"
    function.__module__ = "opwright.ops"
    function.__qualname__ = function.__name__


def _are_tensors(outs: object, may_be_absent: tuple[bool, ...]) -> bool:
    if not isinstance(outs, (tuple, list)) or len(outs) != len(may_be_absent):
        return False
    return all(isinstance(out, Tensor) or (may and out is None) for out, may in zip(outs, may_be_absent, strict=True))


def _refuser(operator: Operator) -> Callable[[object], NoReturn]:
    count = len(operator.schema.results)
    wanted = "a tensor" if count == 1 else f"a tuple of {count} tensors"

    def refuse(outs: object) -> NoReturn:
        raise BadType(operator=operator.name, message=f"out must be {wanted}, not {type(outs).__name__}")

    return refuse


def _explainer(operator: Operator, form: Form) -> Callable[..., Exception]:
    """Gives what is wrong with a call that failed, if a library has said it or the operator's check knows."""
    name = operator.name

    def explained(error: Exception, values: tuple[Any, ...], outs: tuple[Tensor | None, ...] = ()) -> Exception:
        clear = error_thrown(name, error) or _cause(error) or wrong(values, outs)
        if clear is None or clear is error:
            return error
        clear.__suppress_context__ = True
        return clear

    def wrong(values: tuple[Any, ...], outs: tuple[Tensor | None, ...]) -> OpwrightError | None:
        try:
            check(operator, values)
            if outs:
                into = zip(form.into, outs, strict=True)
                check_outs(operator, values, [Into(name, result, out) for (name, result), out in into])
            elif operator.is_writing:
                check_written(operator, values)
            choose(operator, values)
        except OpwrightError as clear:
            return clear.with_traceback(None)
        return None

    return explained


def _cause(error: Exception) -> OpwrightError | None:
    """The error of ours that it is, or that raised it."""
    if isinstance(error, OpwrightError):
        return error
    return error.__cause__.with_traceback(None) if isinstance(error.__cause__, OpwrightError) else None
