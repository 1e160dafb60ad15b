"""From a bound call to its operation.

In: a bound call, and the site that it is added at. Out: the value of the call. Refuses constants that the element type
of the call cannot hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from xdsl.ir import SSAValue

from opwright.ascendc.dtypes import DTYPES, DataType
from opwright.ascendc.enums import TPosition
from opwright.ascendc.row import ARRAY, LIST, OBJECT, Parameter
from opwright.ascendc.traits import GivesBack
from opwright.errors import NoForm, RuleBroken
from opwright.ir.aggregates import ListOp
from opwright.ir.binding.bound import BoundCall, called
from opwright.ir.binding.kinds import with_article
from opwright.ir.calls import call
from opwright.ir.constants import name_of_constant
from opwright.ir.language import CastOp, ConstantOp
from opwright.ir.names import set_name
from opwright.ir.numbers import kind_of, materialise, truth, widened
from opwright.ir.site import Site
from opwright.ir.types import (
    BOOL,
    FLOAT,
    INT,
    UB,
    UINT64,
    GlobalType,
    ObjectType,
    ValueType,
    address,
    float32,
    global_tensor,
    local_tensor,
    object_type,
    pointer,
    refine,
    scalar,
)
from opwright.ir.values import Constant, Items, RunTimeValue, Value, items_of

# Only a call of Ascend C takes an array of these.
TRUTH = DataType("bool", "bool", 1, "uint", "bool")


class CallSite(Site, Protocol):
    """A site that calls are added at."""

    def array(self, element: DataType, values: Sequence[Value]) -> SSAValue:
        """An array on the stack that holds these numbers."""

    def refined(self, tensor: SSAValue) -> None:
        """A global tensor was given its memory, and with it its element type."""


def build(site: CallSite, bound: BoundCall) -> Value:
    """Adds the operation, and returns its result: None, a value, or a tuple of them."""
    row = bound.row
    operands: list[SSAValue] = []
    constants: dict[str, str] = {}
    for parameter in bound.form.parameters:
        if parameter.kind == "rest":
            operands += [_rest(site, value) for value in bound.rest]
            continue
        value = bound.values[parameter.name]
        is_word = parameter.template or not (parameter.is_integer or parameter.is_number)
        if isinstance(value, Constant) and is_word and parameter.kind not in (ARRAY, LIST, "predicate"):
            constants[parameter.name] = name_of_constant(value.value)
        else:
            operands.append(_operand(site, bound, parameter, value))
    results = [_result_type(bound, constants)] if bound.form.result else _given_back(bound)
    operation = site.add(call(row, bound.form, operands, results, constants))
    if not results:
        return Constant(None)
    if len(results) > 1:
        return Items(tuple(RunTimeValue(result) for result in operation.results))
    return RunTimeValue(operation.results[0], start=bound.new_start())


def _operand(site: CallSite, bound: BoundCall, parameter: Parameter, value: Value) -> SSAValue:
    """An argument that is an operand of the operation."""
    if parameter.kind == ARRAY and not isinstance(value, RunTimeValue):
        # As many as the call takes: what is not given is 0.
        items = items_of(value)
        given = [*items, *(Constant(0) for _ in range(parameter.length - len(items)))]
        array = site.array(DTYPES.get(parameter.element, TRUTH), given)
        set_name(array, parameter.name)
        return array
    if parameter.kind == LIST:
        return _list(site, parameter, value)
    if parameter.kind == "predicate":
        return materialise(site, truth(site, value), BOOL)
    if parameter.is_number:
        return _number(site, bound, parameter, value)
    if isinstance(value, Constant):
        assert isinstance(value.value, int)
        return materialise(site, value, UINT64 if value.value > DTYPES["int64"].limits[1] else INT)
    assert isinstance(value, RunTimeValue)
    if isinstance(value.type, GlobalType) and value.type.dtype.data == "?":
        refine(value.ssa, global_tensor(bound.types[parameter.variable]))
        site.refined(value.ssa)
    return value.ssa


def _list(site: Site, parameter: Parameter, value: Value) -> SSAValue:
    """A list of objects."""
    objects = [item.ssa for item in items_of(value) if isinstance(item, RunTimeValue)]
    kind = objects[0].type
    assert isinstance(kind, ObjectType)
    listed = site.add(ListOp(objects, kind)).results[0]
    set_name(listed, parameter.name)
    return listed


def _rest(site: Site, value: Value) -> SSAValue:
    """A number beyond the named parameters."""
    kind = widened(kind_of(site, value, "this call"))
    return materialise(site, value, INT if kind == BOOL else kind)


def _number(site: Site, bound: BoundCall, parameter: Parameter, value: Value) -> SSAValue:
    """A scalar argument in the element type of the call."""
    dtype, name = bound.types.get(parameter.variable, parameter.kind), parameter.name
    element = DTYPES[dtype]
    if isinstance(value, Constant):
        number = value.value
        assert isinstance(number, (int, float))
        if element.is_int():
            low, high = element.limits
            if not (isinstance(number, int) and low <= number <= high):
                hint = f"the tensor holds {dtype}: pass an integer from {low} to {high}"
                rule = f"{name} is {with_article(dtype)}"
                raise RuleBroken(site.at, call=called(bound.row), rule=rule, value=number, hint=hint)
            return site.add(ConstantOp(number, scalar(dtype))).results[0]
        return site.add(ConstantOp(float32(number), scalar(dtype))).results[0]
    assert isinstance(value, RunTimeValue)
    if value.type == scalar(dtype):
        return value.ssa
    if element.is_int() and value.type == FLOAT:
        reasons = f"  {name} must be an integer for {dtype} tensors, got float"
        raise NoForm(site.at, call=called(bound.row), reasons=reasons, hint="convert it first: int(x)")
    wide = INT if element.is_int() else FLOAT
    ssa = materialise(site, value, wide)
    return ssa if wide == scalar(dtype) else site.add(CastOp(ssa, scalar(dtype))).results[0]


def _given_back(bound: BoundCall) -> list[ValueType]:
    """The types of what a call gives back through references."""
    given = bound.form.get(GivesBack)
    return [INT for _ in given.types] if given else []


def _result_type(bound: BoundCall, constants: Mapping[str, str]) -> ValueType:
    kind, *variable = bound.form.result.split()
    if kind == OBJECT:
        dtype = bound.types[variable[1]] if len(variable) > 1 else ""
        place = bound.position() or bound.hardware()
        return object_type(variable[0], _made_with(bound, constants), place, dtype)
    if kind == "integer":
        return INT
    dtype = bound.types.get(variable[0], "?") if variable else kind
    match kind:
        case "address":
            return address(dtype if variable else "uint8")  # without a type it is one of bytes
        case "ub_address":
            return pointer(dtype, UB)
        case "pointer":
            (own,) = (bound.values[p.name] for p in bound.form.parameters if p.kind == kind)
            assert isinstance(own, RunTimeValue)
            return own.type
        case "global":
            return global_tensor(dtype)
        case "local":
            return local_tensor(dtype, bound.position() or TPosition.VECIN.name)
        case "number":
            return UINT64 if dtype == "uint64" else INT if DTYPES[dtype].is_int() else FLOAT
        case _:
            return scalar(dtype)


def _made_with(bound: BoundCall, constants: Mapping[str, str]) -> dict[str, str]:
    """The constants in the type of an object: none if it was made elsewhere."""
    if bound.form.result.split()[1] != bound.row.name:
        return {}
    return {parameter.name: constants[parameter.name] for parameter in bound.form.parameters if parameter.template}
