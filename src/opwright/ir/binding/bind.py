"""Which form of a call the arguments fit, and whether the SoC and the core take them.

In: a row, typed arguments, and where the call stands: its source location, the SoC and the cores that reach it. Out: a
`BoundCall`. Refuses arguments that fit no form (saying why for each), element types the SoC lacks, constants that break
a rule, and memories that no core has which reaches the call.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import MEMORY_OF, TPosition
from opwright.ascendc.kernel_types import AIC, AIV, FLAGGED, KernelType, owner_of
from opwright.ascendc.row import REQUIRED, Form, Parameter, Row
from opwright.ascendc.socs import A5, Soc
from opwright.ascendc.traits import Binds, NeedsCrossFlags, StartsAt
from opwright.errors import Location, NoCrossFlags, NoForm, RuleBroken, WrongCore, WrongDtype
from opwright.ir.binding.bound import BoundCall, called
from opwright.ir.binding.copy_routes import no_route
from opwright.ir.binding.kinds import Refused, check_kind, with_article
from opwright.ir.binding.overload_errors import summary
from opwright.ir.binding.similar import or_similar
from opwright.ir.types import GlobalType, LocalType
from opwright.ir.values import Constant, RunTimeValue, Value

# Parameters that name a memory, and the types of kernels that have one kind of cores.
_PLACES = ("TPosition", "Hardware")
_WITH = {AIC: "cube", AIV: "vector"}


@dataclass(frozen=True)
class CallContext:
    """What a call is compiled for: the SoC, the type of the kernel, and the kinds of cores that may reach the call."""

    soc: Soc
    kernel_type: KernelType
    kinds: Collection[str]


def bind(
    row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], context: CallContext, at: Location
) -> BoundCall:
    """The first form that takes the arguments, with them."""
    refused = []
    mixed: tuple[str, str] | None = None
    for form in row.forms:
        reason = row.not_on(form).get(context.soc.name)
        bound, complaints, hint = _bind_form(row, form, context.soc, arguments, keywords)
        if reason:
            complaints = [f"not on {context.soc.name}: {reason}", *complaints]
        if not complaints:
            _check_dtypes(bound, at)
            _check_rules(bound, at)
            _check_cores(bound, context, at)
            return bound
        refused.append((form.signature, complaints))
        if len(complaints) == 1 and hint:
            mixed = mixed or (f"  {complaints[0]}", hint)
    given = {**dict(zip(("dst", "src"), arguments, strict=False)), **keywords}
    source, destination = _memory_of(given.get("src")), _memory_of(given.get("dst"))
    route = no_route(row, context.soc, context.kinds, source, destination) if source and destination else None
    usual = f"for example: {row.example}" if row.example else row.doc
    reasons, hint = route or mixed or (summary(refused), usual)
    raise NoForm(at, call=called(row), reasons=reasons, hint=hint)


def takes(row: Row, form: Form, soc: Soc, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> bool:
    """Whether a form takes arguments, as far as their kinds go."""
    return soc.name not in row.not_on(form) and not _bind_form(row, form, soc, arguments, keywords)[1]


def _memory_of(value: Value | None) -> str:
    """The memory of a tensor; "" of anything else."""
    kind = value.type if isinstance(value, RunTimeValue) else None
    if isinstance(kind, LocalType):
        return MEMORY_OF[TPosition[kind.position.data]]
    return "GM" if isinstance(kind, GlobalType) else ""


def _bind_form(
    row: Row, form: Form, soc: Soc, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[BoundCall, list[str], str]:
    """The arguments by the names of the parameters, everything that is wrong with them, and a hint for the last."""
    parameters = [parameter for parameter in form.parameters if parameter.kind != "rest"]
    names = [parameter.name for parameter in parameters]
    complaints = []
    hint = ""
    if len(arguments) > len(parameters) and len(parameters) == len(form.parameters):
        complaints.append(f"takes {len(parameters)} arguments, got {len(arguments)}")
    values = dict(zip(names, arguments, strict=False))
    for keyword, value in keywords.items():
        if keyword not in names:
            complaints.append(f"has no parameter '{keyword}'{or_similar(keyword, names)}")
        elif keyword in values:
            complaints.append(f"got '{keyword}' twice")
        else:
            values[keyword] = value
    bound = BoundCall(row, form, soc, values, list(arguments[len(parameters) :]), {})
    # A constant takes the type of another argument, so it comes last.
    for parameter in sorted(parameters, key=lambda one: one.kind == "scalar" and _is_constant(values, one)):
        if parameter.name not in values:
            if parameter.default is REQUIRED:
                complaints.append(f"'{parameter.name}' is missing")
                continue
            values[parameter.name] = Constant(parameter.default)
        try:
            check_kind(parameter, values[parameter.name], bound)
        except Refused as refusal:
            complaints.append(str(refusal))
            hint = refusal.hint
    return bound, complaints, hint


def _is_constant(values: Mapping[str, Value], parameter: Parameter) -> bool:
    return isinstance(values.get(parameter.name, Constant(None)), Constant)


def _check_dtypes(bound: BoundCall, at: Location) -> None:
    for parameter, value in bound.values.items():
        empty = isinstance(value, RunTimeValue) and isinstance(value.type, GlobalType) and value.type.dtype.data == "?"
        if empty and not bound.form.get(Binds):
            raise NoForm(
                at,
                call=called(bound.row),
                reasons=f"  {parameter} is a global tensor that has no memory yet",
                hint="call set_global_buffer first",
            )
    for variable, dtype in bound.types.items():
        kinds = bound.row.dtypes_of(bound.form)[variable]
        allowed = kinds.by_soc[bound.soc.name]
        if dtype not in allowed:
            raise WrongDtype(
                at,
                call=called(bound.row),
                dtype=dtype,
                soc=bound.soc.name,
                why=kinds.reason(dtype),
                allowed=", ".join(allowed),
            )


def _check_rules(bound: BoundCall, at: Location) -> None:
    """Tests every rule whose value is known now; the twin tests the others at run time."""
    name = called(bound.row)
    for parameter in bound.form.parameters:
        value = bound.integer(parameter.name) if parameter.is_integer else None
        if value is not None:
            low, high = DTYPES[parameter.kind].limits
            if not low <= value <= high:
                words = f"{parameter.name} is {with_article(parameter.kind)}"
                raise RuleBroken(at, call=name, rule=words, value=value, hint=f"pass {low} to {high}")
    for rule in bound.form.rules:
        value = rule.value(bound)
        if value is not None and not rule.holds(value):
            raise rule.error(at, name, value, bound)


def _check_cores(bound: BoundCall, context: CallContext, at: Location) -> None:
    """Refuses what no core has that reaches the call: a memory or a state of the other kind, or flags between cores."""
    name = called(bound.row)
    if bound.form.get(NeedsCrossFlags) and not context.kernel_type.flags:
        kernel_type = context.kernel_type.name
        raise NoCrossFlags(at, call=name, kernel_type=kernel_type, other=FLAGGED[kernel_type])
    only = bound.form.only
    if only and context.kinds and only not in context.kinds:
        hint = _other_core(context, only)
        raise WrongCore(at, call=name, memory="what it sets", owner=only.upper(), hint=hint)
    memories = {bound.memory(parameter.name) for parameter in bound.form.parameters if parameter.kind in _PLACES}
    if bound.form.get(StartsAt):
        memories.add(bound.new_memory())
    # On ascend950 a core may name memories of the others in its group: there are copies from one to the other.
    kinds = context.kernel_type.kinds if context.soc.name in A5 else context.kinds
    for memory in memories - {"GM"}:
        owner = owner_of(memory)
        if context.kinds and owner not in kinds:
            hint = _other_core(context, owner)
            raise WrongCore(at, call=name, memory=memory, owner=owner.upper(), hint=hint)


def _other_core(context: CallContext, owner: str) -> str:
    """What to do about a memory of another kind of core."""
    if owner in context.kernel_type.kinds:
        return f"put it under `if asc.ascend_is_{owner}():`"
    return f'mark the kernel @asc.jit(kernel_type="{_WITH[owner]}"), or "mix_1_2" to have both kinds of cores'
