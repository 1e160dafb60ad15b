"""A call of Ascend C: which form its arguments fit, whether the SoC takes them, and the operation.

In: a row and the values of the arguments. Out: a call in the IR. Refuses arguments that fit no form (saying why for
each), element types the SoC lacks, and constants that break a rule.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opwright.ascendc.dtypes import DTYPES, ELEMENTS, DataType
from opwright.ascendc.enums import ENUMS, MEMORY_OF, Hardware, TPosition, memory_named
from opwright.ascendc.kernel_types import AIC, AIV, FLAGGED, owner_of
from opwright.ascendc.row import (
    ANY_LENGTH,
    ARRAY,
    LIST,
    MASK,
    MAX_DIMS,
    MEMORIES_OF_KIND,
    OBJECT,
    REQUIRED,
    Form,
    Parameter,
    Row,
)
from opwright.ascendc.socs import A5, Soc
from opwright.ascendc.table import AGGREGATES, is_a
from opwright.ascendc.traits import Allocates, Binds, GivesBack, MakesPipe, NeedsCrossFlags, StartsAt, WithoutMemory
from opwright.errors import NoCrossFlags, NoForm, RuleBroken, WrongCore, WrongDtype
from opwright.frontend import arrays, hints, scalars
from opwright.frontend.builder import Builder
from opwright.frontend.copy_routes import no_way
from opwright.frontend.inplace import check_changed
from opwright.frontend.names import or_similar
from opwright.frontend.overload_errors import told
from opwright.frontend.values import Constant, Items, RunTimeValue, Value, describe
from opwright.ir import SSAValue, StringAttr
from opwright.ir.aggregates import ListOp, MemberOp
from opwright.ir.calls import TYPE_OF_KIND, CallOp, call
from opwright.ir.constants import constant_named, name_of_constant
from opwright.ir.language import CastOp, ConstantOp
from opwright.ir.names import set_name
from opwright.ir.types import (
    BOOL,
    FLOAT,
    GM,
    INT,
    OF_PYTHON,
    UB,
    UINT64,
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
    StructType,
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

_WORDS = {
    **{kind: f"a local tensor in {' or '.join(memories)}" for kind, memories in MEMORIES_OF_KIND.items()},
    "local": "a local tensor",
    "global": "a global tensor",
    "address": "a global address",
    "ub_address": "an address in UB",
    "pointer": "an address",
    "predicate": "a truth value",
    "array": "a list of one or two integers",
    "number": "a number",
    "dtype": "a data type",
    "bool": "a constant True or False",
    "text": "a constant string",
}


# The memory of an address, where a kind says it.
_MEMORY = {"address": GM, "ub_address": UB}

# Parameters that name a memory, and the types of kernels that have one kind of cores.
_PLACES = ("TPosition", "Hardware")
_WITH = {AIC: "cube", AIV: "vector"}

# What threads write between brackets has no name of its own.
_ELEMENTS = {"GlobalAddress.__getitem__": "x[index]", "GlobalAddress.__setitem__": "x[index] = value"}


class Refused(Exception):
    """Why a form does not take the arguments, and the way out if it is only about element types."""

    def __init__(self, complaint: str, hint: str = "") -> None:
        super().__init__(complaint)
        self.hint = hint


@dataclass
class Bound:
    """Arguments bound to a form: values by parameter, and what each type variable became. Answers as `Known`."""

    form: Form
    soc: Soc
    values: dict[str, Value]
    rest: list[Value]
    types: dict[str, str]
    hint: str = ""  # of the last complaint about element types

    def integer(self, operand: str) -> int | None:
        """The value of an integer argument, if it is a constant."""
        value = self.values[operand]
        return value.value if isinstance(value, Constant) and isinstance(value.value, int) else None

    def memory(self, operand: str) -> str:
        """The memory of a position, of an object's tensors, or that an argument names."""
        value = self.values[operand]
        if isinstance(value, RunTimeValue) and isinstance(value.type, ObjectType):
            return memory_named(value.type.position.data)
        assert isinstance(value, Constant) and isinstance(value.value, (TPosition, Hardware))
        return memory_named(value.value.name)

    def field(self, operand: str, name: str) -> object:
        """The value of a field of a struct, if the struct was made here with a constant."""
        value = self.values[operand]
        made = value.ssa.owner if isinstance(value, RunTimeValue) else None
        if not isinstance(made, CallOp):
            return None
        parameter = next((one for one in made.chosen.parameters if one.name == name), None)
        word = made.attributes.get(name)
        if parameter is not None and isinstance(word, StringAttr):
            return constant_named(parameter, word.data)
        given = made.named().get(name)
        return given.owner.number if given is not None and isinstance(given.owner, ConstantOp) else None

    def made_with(self, operand: str) -> Mapping[str, str]:
        """The constants in the type of an object, by parameter."""
        value = self.values[operand]
        assert isinstance(value, RunTimeValue) and isinstance(value.type, ObjectType)
        return value.type.made_with

    def start(self, operand: str) -> int | None:
        """The byte at which a local tensor starts."""
        value = self.values[operand]
        return value.start if isinstance(value, RunTimeValue) else None

    def touched(self, operand: str) -> int | None:
        """How many bytes of a tensor the call touches."""
        if MASK in self.values and not self.constant(MASK):
            return None  # the mask register says it
        for access in self.form.accesses:
            is_counted = access.operand == operand and not access.strides and access.count in self.values
            count = self.integer(access.count) if is_counted else None
            if count is not None:
                return ELEMENTS[self.dtype(operand)].bytes_of(count) // access.floor * access.floor
        return None

    def element_bytes(self, operand: str) -> int:
        """The size of a tensor's elements, or of a data type."""
        return ELEMENTS[self.dtype(operand)].bytes

    def dtype(self, operand: str) -> str:
        """The element type of a tensor."""
        return next(self.types[parameter.variable] for parameter in self.form.parameters if parameter.name == operand)

    def constant(self, operand: str) -> object:
        """The value of an argument that is always a constant."""
        value = self.values[operand]
        assert isinstance(value, Constant)
        return value.value

    def new_start(self) -> int | None:
        """The byte at which the local tensor starts that the call makes."""
        starts = self.form.get(StartsAt)
        if starts is None:
            return None
        if starts.where == "self + offset":
            start, offset = self.start("self"), self.integer("offset")
            return None if start is None or offset is None else start + ELEMENTS[self.dtype("self")].bytes_of(offset)
        return self.start("self") if starts.where == "self" else self.integer(starts.where)


def invoke(
    builder: Builder, row: Row, arguments: Sequence[Value], keywords: Mapping[str, Value], node: ast.AST
) -> Value:
    """Lowers one call."""
    name = _called(row)
    arguments = [_as_object(builder, value, node) for value in arguments]
    keywords = {keyword: _as_object(builder, value, node) for keyword, value in keywords.items()}
    refused = []
    mixed: tuple[str, str] | None = None
    for form in row.forms:
        reason = row.not_on(form).get(builder.soc.name)
        bound, complaints = _bind(form, builder.soc, arguments, keywords)
        if reason:
            complaints = [f"not on {builder.soc.name}: {reason}", *complaints]
        if complaints:
            refused.append((form.signature, complaints))
            if len(complaints) == 1 and bound.hint:
                mixed = mixed or (f"  {complaints[0]}", bound.hint)
            continue
        _check_dtypes(builder, row, bound, name, node)
        _check_rules(builder, bound, name, node)
        _check_cores(builder, bound, name, node)
        check_changed(builder, row, form, bound.values, node)
        allocates = form.get(Allocates)
        if form.get(MakesPipe):
            builder.compilation.pipes.note_made(builder.spot)
        elif allocates and allocates.by_hand and not form.get(WithoutMemory):
            builder.compilation.pipes.note_placed(name, _new_memory(bound), builder.spot, builder.at(node))
        return _build(builder, row, bound, node)
    given = {**dict(zip(("dst", "src"), arguments, strict=False)), **keywords}
    source, target = _lies_in(given.get("src")), _lies_in(given.get("dst"))
    words = no_way(row, builder.soc, builder.kinds, source, target) if source and target else None
    usual = f"for example: {row.example}" if row.example else row.doc
    hint = hints.of_numbers(row, [*arguments, *keywords.values()], builder.function.by_threads) or usual
    reasons, hint = words or mixed or (told(refused), hint)
    raise NoForm(builder.at(node), call=name, reasons=reasons, hint=hint)


def _lies_in(value: Value | None) -> str:
    """The memory of a tensor; "" of anything else."""
    kind = value.type if isinstance(value, RunTimeValue) else None
    if isinstance(kind, LocalType):
        return MEMORY_OF[TPosition[kind.position.data]]
    return "GM" if isinstance(kind, GlobalType) else ""


def _as_object(builder: Builder, value: Value, node: ast.AST) -> Value:
    """A struct that the kernel got by value, as the struct of Ascend C that has its fields."""
    if not (isinstance(value, RunTimeValue) and isinstance(value.type, StructType)):
        return value
    struct = builder.compilation.structs[value.type.struct.data]
    row = AGGREGATES.get(tuple(struct.fields)) if struct.by_value else None
    if row is None:
        return value
    members = [builder.add(MemberOp(value.ssa, name, kind), node) for name, kind in struct.fields.items()]
    return invoke(builder, row, [RunTimeValue(member.results[0]) for member in members], {}, node)


def _bind(form: Form, soc: Soc, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Bound, list[str]]:
    """The arguments by the names of the parameters, and everything that is wrong with them."""
    parameters = [parameter for parameter in form.parameters if parameter.kind != "rest"]
    names = [parameter.name for parameter in parameters]
    complaints = []
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
    bound = Bound(form, soc, values, list(arguments[len(parameters) :]), {})
    # A constant takes the type of another argument, so it comes last.
    for parameter in sorted(parameters, key=lambda one: one.kind == "scalar" and _is_constant(values, one)):
        if parameter.name not in values:
            if parameter.default is REQUIRED:
                complaints.append(f"'{parameter.name}' is missing")
                continue
            values[parameter.name] = Constant(parameter.default)
        try:
            _check_kind(parameter, values[parameter.name], bound)
        except Refused as refusal:
            complaints.append(str(refusal))
            bound.hint = refusal.hint
    return bound, complaints


def _check_kind(parameter: Parameter, value: Value, bound: Bound) -> None:
    """Raises Refused if a value cannot be that parameter; binds type variables."""
    kind = parameter.kind
    constant = value.value if isinstance(value, Constant) else None
    runtime = value.type if isinstance(value, RunTimeValue) else None
    if kind == OBJECT:
        ok = isinstance(runtime, ObjectType) and is_a(runtime.kind.data, parameter.made_by)
        if not ok:
            raise Refused(f"{parameter.name} must be {_a(f'asc.{parameter.made_by}')}, got {describe(value)}")
        if parameter.variable and isinstance(runtime, ObjectType):
            _bind_type(parameter, runtime.dtype.data, bound)
    elif kind == ARRAY:
        most = parameter.length or MAX_DIMS
        is_ready = isinstance(runtime, ArrayType) and runtime.dtype.data == parameter.element
        if is_ready and isinstance(runtime, ArrayType):
            length = runtime.length.data
            is_ready = length <= most if parameter.length == ANY_LENGTH else length == most
        ok = is_ready or 0 < len(_items(value)) <= most
    elif kind == LIST:
        items = _items(value)
        if not items or not all(_is_made_by(item, parameter.made_by) for item in items):
            raise Refused(f"{parameter.name} must be a list of asc.{parameter.made_by}, got {describe(value)}")
        ok = True
    elif kind in TYPE_OF_KIND:
        ok = isinstance(runtime, TYPE_OF_KIND[kind])
        if ok and kind in MEMORIES_OF_KIND and isinstance(runtime, LocalType):
            ok = MEMORY_OF[TPosition[runtime.position.data]] in MEMORIES_OF_KIND[kind]
        if ok and isinstance(runtime, PointerType) and kind in _MEMORY:
            ok = runtime.memory.data == _MEMORY[kind]
        if ok and isinstance(runtime, (AddressType, PointerType, GlobalType, LocalType)):
            _bind_type(parameter, runtime.dtype.data, bound)
    elif kind == "scalar":
        ok = _bind_number(parameter, value, bound)
    elif kind == "dtype":
        ok = isinstance(constant, DataType)
        if isinstance(constant, DataType):
            _bind_type(parameter, constant.name, bound)
    elif kind in ENUMS:
        ok = isinstance(constant, ENUMS[kind].python)
        if not ok:
            raise Refused(f"{parameter.name} must be a value of asc.{kind}, got {describe(value)}")
    elif kind == "bool":
        ok = isinstance(constant, bool)
    elif kind == "text":
        ok = isinstance(constant, str)
        if isinstance(constant, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in constant):
            raise Refused(f"{parameter.name} must be text without null characters or lone surrogates")
    elif parameter.is_number or kind == "predicate":
        ok = isinstance(constant, (int, float)) or isinstance(runtime, ScalarType)
    else:
        ok = isinstance(constant, int) and not isinstance(constant, bool)
        of_run = isinstance(runtime, ScalarType) and runtime != BOOL and not scalars.is_float(runtime)
        if of_run and parameter.template:
            raise Refused(f"{parameter.name} must be a constant: it is part of the type")
        ok = ok or of_run
    if not ok:
        words = "a number" if parameter.is_number else _WORDS.get(kind, "an integer")
        if kind == ARRAY and parameter.length != 2:
            words = f"a list of {parameter.length or f'up to {MAX_DIMS}'} integers"
        raise Refused(f"{parameter.name} must be {words}, got {describe(value)}")


def _is_constant(values: Mapping[str, Value], parameter: Parameter) -> bool:
    return isinstance(values.get(parameter.name, Constant(None)), Constant)


def _bind_number(parameter: Parameter, value: Value, bound: Bound) -> bool:
    """Binds a type variable to the type of a number; a constant is of the type that others have. False: no number."""
    if isinstance(value, RunTimeValue):
        if not isinstance(value.type, ScalarType) or value.type == BOOL:
            return False
        _bind_type(parameter, value.type.dtype.data, bound)
        return True
    number = value.value if isinstance(value, Constant) else None
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return False
    known = bound.types.setdefault(parameter.variable, OF_PYTHON[type(number)].dtype.data)
    if isinstance(number, float) and DTYPES[known].is_int():
        raise Refused(f"{parameter.name} is {number}, but an earlier argument holds {known}")
    return True


def _items(value: Value) -> tuple[Value, ...]:
    """The values of a list or tuple."""
    if isinstance(value, Constant) and isinstance(value.value, (list, tuple)):
        return tuple(Constant(item) for item in value.value)
    return value.items if isinstance(value, Items) else ()


def _is_made_by(value: Value, made_by: str) -> bool:
    return isinstance(value, RunTimeValue) and isinstance(value.type, ObjectType) and value.type.kind.data == made_by


def _bind_type(parameter: Parameter, dtype: str, bound: Bound) -> None:
    known = bound.types.setdefault(parameter.variable, dtype)
    if known == "?":
        bound.types[parameter.variable] = dtype
    elif dtype not in ("?", known):
        earlier = next(one.name for one in bound.form.parameters if one.variable == parameter.variable)
        complaint = f"{parameter.name} holds {dtype}, but {earlier} holds {known}"
        in_gm = parameter.kind == "global"
        hint = hints.mixed(parameter.name, dtype, known, in_gm) if in_gm or parameter.is_local else ""
        raise Refused(complaint, hint)


def _check_dtypes(builder: Builder, row: Row, bound: Bound, name: str, node: ast.AST) -> None:
    for parameter, value in bound.values.items():
        empty = isinstance(value, RunTimeValue) and isinstance(value.type, GlobalType) and value.type.dtype.data == "?"
        if empty and not bound.form.get(Binds):
            raise NoForm(
                builder.at(node),
                call=name,
                reasons=f"  {parameter} is a global tensor that has no memory yet",
                hint="call set_global_buffer first",
            )
    for variable, dtype in bound.types.items():
        kinds = row.dtypes_of(bound.form)[variable]
        allowed = kinds.by_soc[builder.soc.name]
        if dtype not in allowed:
            why = kinds.reason(dtype)
            raise WrongDtype(
                builder.at(node),
                call=name,
                dtype=dtype,
                soc=builder.soc.name,
                why=why,
                allowed=", ".join(allowed),
            )


def _results_given_back(form: Form) -> list[ValueType]:
    """The types of what a call gives back through references."""
    given = form.get(GivesBack)
    return [INT for _ in given.types] if given else []


def _check_cores(builder: Builder, bound: Bound, name: str, node: ast.AST) -> None:
    """Refuses what no core has that comes here: a memory or a state of the other kind, or flags between cores."""
    if bound.form.get(NeedsCrossFlags) and not builder.kernel_type.flags:
        kernel_type = builder.kernel_type.name
        raise NoCrossFlags(builder.at(node), call=name, kernel_type=kernel_type, other=FLAGGED[kernel_type])
    only = bound.form.only
    if only and builder.kinds and only not in builder.kinds:
        hint = _way_to(builder, only)
        raise WrongCore(builder.at(node), call=name, memory="what it sets", owner=only.upper(), hint=hint)
    memories = {bound.memory(parameter.name) for parameter in bound.form.parameters if parameter.kind in _PLACES}
    if bound.form.get(StartsAt):
        memories.add(_new_memory(bound))
    # On ascend950 a core may name memories of the others in its group: there are copies from one to the other.
    kinds = set(builder.kernel_type.kinds) if builder.soc.name in A5 else builder.kinds
    for memory in memories - {"GM"}:
        owner = owner_of(memory)
        if builder.kinds and owner not in kinds:
            raise WrongCore(
                builder.at(node), call=name, memory=memory, owner=owner.upper(), hint=_way_to(builder, owner)
            )


def _way_to(builder: Builder, owner: str) -> str:
    """What to do about a memory of another kind of core."""
    if owner in builder.kernel_type.kinds:
        return f"put it under `if asc.ascend_is_{owner}():`"
    return f'mark the kernel @asc.jit(kernel_type="{_WITH[owner]}"), or "mix_1_2" to have both kinds of cores'


def _check_rules(builder: Builder, bound: Bound, name: str, node: ast.AST) -> None:
    """Tests every rule whose value is known now; the twin tests the others in the run."""
    for parameter in bound.form.parameters:
        value = bound.integer(parameter.name) if parameter.is_integer else None
        if value is not None:
            low, high = DTYPES[parameter.kind].limits
            words = f"{parameter.name} is {_a(parameter.kind)}"
            _require(builder, low <= value <= high, name, words, value, f"pass {low} to {high}", node)
    for rule in bound.form.rules:
        value = rule.value(bound)
        if value is not None and not rule.holds(value):
            raise rule.error(builder.at(node), name, value, bound)


def _require(builder: Builder, holds: bool, name: str, rule: str, value: int | float, hint: str, node: ast.AST) -> None:
    if not holds:
        raise RuleBroken(builder.at(node), call=name, rule=rule, value=value, hint=hint)


def _called(row: Row) -> str:
    """A call as a message names it."""
    return _ELEMENTS.get(row.name, f"asc.{row.name}")


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def _build(builder: Builder, row: Row, bound: Bound, node: ast.AST) -> Value:
    """Makes the operation and its result."""
    operands: list[SSAValue] = []
    words: dict[str, str] = {}
    for parameter in bound.form.parameters:
        if parameter.kind == "rest":
            operands += [_scalar_operand(builder, value, node) for value in bound.rest]
            continue
        value = bound.values[parameter.name]
        if parameter.kind == ARRAY and not isinstance(value, RunTimeValue):
            assert isinstance(node, ast.Call)  # only functions take arrays
            # As many as the call takes: what is not given is 0.
            items = _items(value)
            given = Items((*items, *(Constant(0) for _ in range(parameter.length - len(items)))))
            element = DTYPES.get(parameter.element, arrays.TRUTH)
            array = arrays.make(builder, [Constant(element), given], None, node)
            set_name(array.ssa, parameter.name)
            operands.append(array.ssa)
        elif parameter.kind == LIST:
            items = _items(value)
            objects = [item.ssa for item in items if isinstance(item, RunTimeValue)]
            kind = objects[0].type
            assert isinstance(kind, ObjectType)
            listed = builder.add(ListOp(objects, kind), node).results[0]
            set_name(listed, parameter.name)
            operands.append(listed)
        elif parameter.kind == "predicate":
            operands.append(scalars.materialise(builder, scalars.truth(builder, value, node), BOOL, node))
        elif isinstance(value, Constant) and (parameter.template or not (parameter.is_integer or parameter.is_number)):
            words[parameter.name] = name_of_constant(value.value)
        elif parameter.is_number:
            operands.append(_number(builder, value, bound, parameter, row, node))
        elif isinstance(value, Constant):
            assert isinstance(value.value, int)
            wide = UINT64 if value.value > DTYPES["int64"].limits[1] else INT
            operands.append(scalars.materialise(builder, value, wide, node))
        else:
            assert isinstance(value, RunTimeValue)
            if isinstance(value.type, GlobalType) and value.type.dtype.data == "?":
                refine(value.ssa, global_tensor(bound.types[parameter.variable]))
                builder.compilation.refined(value.ssa)
            operands.append(value.ssa)
    results = [_result_type(row, bound, words)] if bound.form.result else _results_given_back(bound.form)
    operation = builder.add(call(row, bound.form, operands, results, words), node)
    if not results:
        return Constant(None)
    if len(results) > 1:
        return Items(tuple(RunTimeValue(result, nonnegative=row.nonnegative) for result in operation.results))
    return RunTimeValue(operation.results[0], nonnegative=row.nonnegative, start=bound.new_start())


def _scalar_operand(builder: Builder, value: Value, node: ast.AST) -> SSAValue:
    kind = scalars.widened(scalars.kind_of(builder, value, node, "this call"))
    return scalars.materialise(builder, value, INT if kind == BOOL else kind, node)


def _number(builder: Builder, value: Value, bound: Bound, parameter: Parameter, row: Row, node: ast.AST) -> SSAValue:
    """A scalar argument in the element type of the call."""
    dtype, name = bound.types.get(parameter.variable, parameter.kind), parameter.name
    element = DTYPES[dtype]
    if isinstance(value, Constant):
        number = value.value
        assert isinstance(number, (int, float))
        if element.is_int():
            low, high = element.limits
            fits = isinstance(number, int) and low <= number <= high
            hint = f"the tensor holds {dtype}: pass an integer from {low} to {high}"
            _require(builder, fits, _called(row), f"{name} is {_a(dtype)}", number, hint, node)
            return builder.add(ConstantOp(number, scalar(dtype)), node).results[0]
        return builder.add(ConstantOp(float32(number), scalar(dtype)), node).results[0]
    assert isinstance(value, RunTimeValue)
    kind = value.type
    if kind == scalar(dtype):
        return value.ssa
    if element.is_int() and kind == FLOAT:
        raise NoForm(
            builder.at(node),
            call=_called(row),
            reasons=f"  {name} must be an integer for {dtype} tensors, got float",
            hint="convert it first: int(x)",
        )
    wide = INT if element.is_int() else FLOAT
    ssa = scalars.materialise(builder, value, wide, node)
    return ssa if wide == scalar(dtype) else builder.add(CastOp(ssa, scalar(dtype)), node).results[0]


def _result_type(row: Row, bound: Bound, words: Mapping[str, str]) -> ValueType:
    kind, *variable = bound.form.result.split()
    if kind == OBJECT:
        dtype = bound.types[variable[1]] if len(variable) > 1 else ""
        return object_type(variable[0], _made_with(row, bound.form, words), _position(bound) or _hardware(bound), dtype)
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
            return local_tensor(dtype, _position(bound) or TPosition.VECIN.name)
        case "number":
            return UINT64 if dtype == "uint64" else INT if DTYPES[dtype].is_int() else FLOAT
        case _:
            return scalar(dtype)


def _made_with(row: Row, form: Form, words: Mapping[str, str]) -> dict[str, str]:
    """The constants in the type of an object: none if it was made elsewhere."""
    if form.result.split()[1] != row.name:
        return {}
    return {parameter.name: words[parameter.name] for parameter in form.parameters if parameter.template}


def _position(bound: Bound) -> str:
    """The position of a new tensor or object: the first that an argument has."""
    for value in bound.values.values():
        if isinstance(value, RunTimeValue) and isinstance(value.type, (LocalType, ObjectType)):
            if (position := value.type.position.data) in TPosition.__members__:
                return position
        elif isinstance(value, Constant) and isinstance(value.value, TPosition):
            return value.value.name
    return ""


def _new_memory(bound: Bound) -> str:
    """The memory of a new tensor."""
    return MEMORY_OF[TPosition[_position(bound) or TPosition.VECIN.name]]


def _hardware(bound: Bound) -> str:
    """The memory that an object hands out, if it was made with its name."""
    named = (value.value for value in bound.values.values() if isinstance(value, Constant))
    return next((value.name for value in named if isinstance(value, Hardware)), "")
