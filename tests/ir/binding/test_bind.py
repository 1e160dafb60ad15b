"""Calls bound without any Python source: from IR types and constants, as a front end of another kind would do it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from xdsl.ir import Block, Operation, SSAValue

from opwright import asc
from opwright.ascendc.dtypes import DataType
from opwright.ascendc.enums import HardEvent, TPosition
from opwright.ascendc.kernel_types import AIC, AIV, KERNEL_TYPES
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.errors import KernelError, Location, NoForm, RuleBroken, WrongCore, WrongDtype
from opwright.frontend.compile import compile_function
from opwright.ir.aggregates import ArrayOp
from opwright.ir.binding.bind import CallContext, bind
from opwright.ir.binding.bound import BoundCall
from opwright.ir.binding.build import build
from opwright.ir.calls import CallOp
from opwright.ir.types import INT, UB, ValueType, address, array_type, global_tensor, local_tensor, pointer, scalar
from opwright.ir.values import Constant, Items, RunTimeValue, Value
from opwright.kernel.program import Request
from opwright.kernel.source import source_of

AT = Location("tiles.txt", 7, 3, text="   add c, a, b")
VECTOR = KERNEL_TYPES["vector"]
CONTEXT = CallContext(SOCS["ascend910b"], VECTOR, VECTOR.kinds)


@dataclass
class TextSite:
    """A front end of the smallest kind: every call stands at one place."""

    at: Location = AT
    block: Block = field(default_factory=Block)
    with_memory: list[SSAValue] = field(default_factory=list)

    def add(self, operation: Operation) -> Operation:
        self.block.add_op(operation)
        return operation

    def array(self, element: DataType, values: Sequence[Value]) -> SSAValue:
        numbers = [str(value.value) for value in values if isinstance(value, Constant)]
        return self.add(ArrayOp(array_type(element.name, len(values)), numbers)).results[0]

    def refined(self, tensor: SSAValue) -> None:
        self.with_memory.append(tensor)


def of_type(kind: ValueType) -> RunTimeValue:
    return RunTimeValue(Block(arg_types=[kind]).args[0])


def bound(name: str, *arguments: Value, context: CallContext = CONTEXT, **keywords: Value) -> BoundCall:
    return bind(ROWS[name], arguments, keywords, context, AT)


def built(name: str, *arguments: Value, **keywords: Value) -> tuple[Value, list[Operation]]:
    site = TextSite()
    result = build(site, bound(name, *arguments, **keywords))
    return result, list(site.block.ops)


def ub(dtype: str) -> RunTimeValue:
    return of_type(local_tensor(dtype, "VECCALC"))


@asc.jit
def by_the_front_end(x: asc.GlobalAddress, n: int) -> None:
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 128, 64)
    asc.data_copy(a, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_V, 3)
    asc.adds(b, a, 2.5, n)


def attributes(operation: Operation) -> dict[str, str]:
    """All but the place and the author's name of the result."""
    return {name: str(value) for name, value in operation.attributes.items() if name not in ("at", "variable")}


def calls_of_the_front_end() -> dict[str, CallOp]:
    function = by_the_front_end.function
    types = [("x", "float16"), ("n", "int")]
    program = compile_function(Request(function, source_of(function), types, {}, SOCS["ascend910b"]))
    return {one.row.name: one for one in program.ir.walk() if isinstance(one, CallOp)}


def arguments_of(name: str) -> list[Value]:
    """What the kernel above gives to a call, the last time it makes it."""
    vecin = local_tensor("float16", "VECIN")
    arguments: dict[str, list[Value]] = {
        "GlobalTensor.set_global_buffer": [of_type(global_tensor("?")), of_type(address("float16"))],
        "LocalTensor": [Constant(asc.float16), Constant(TPosition.VECIN), Constant(128), Constant(64)],
        "data_copy": [of_type(vecin), of_type(global_tensor("float16")), of_type(INT)],
        "set_flag": [Constant(HardEvent.MTE2_V), Constant(3)],
        "adds": [of_type(vecin), of_type(vecin), Constant(2.5), of_type(INT)],
    }
    return arguments[name]


@pytest.mark.parametrize("name", ["GlobalTensor.set_global_buffer", "LocalTensor", "data_copy", "set_flag", "adds"])
def test_the_same_operation_as_the_front_end(name: str) -> None:
    compiled = calls_of_the_front_end()[name]
    _, operations = built(name, *arguments_of(name))
    assert operations[-1].name == compiled.name
    assert attributes(operations[-1]) == attributes(compiled)
    assert [one.type for one in operations[-1].operands] == [one.type for one in compiled.operands]
    assert [one.type for one in operations[-1].results] == [one.type for one in compiled.results]
    operations[-1].verify()


def test_the_result_has_a_type_and_a_start() -> None:
    tensor, _ = built("LocalTensor", *arguments_of("LocalTensor"))
    assert isinstance(tensor, RunTimeValue)
    assert tensor.type == local_tensor("float16", "VECIN")
    assert tensor.start == 128


def test_a_call_without_a_result() -> None:
    result, _ = built("adds", *arguments_of("adds"))
    assert result == Constant(None)


def test_a_tensor_gets_its_type_from_its_memory() -> None:
    tensor = of_type(global_tensor("?"))
    site = TextSite()
    build(site, bound("GlobalTensor.set_global_buffer", tensor, of_type(address("int32"))))
    assert tensor.type == global_tensor("int32")
    assert site.with_memory == [tensor.ssa]


def test_a_number_is_cast_to_the_elements() -> None:
    _, operations = built("adds", ub("float16"), ub("float16"), of_type(scalar("float32")), Constant(64))
    assert operations[-1].operands[2].type == scalar("float16")


def test_forms_are_chosen_by_types() -> None:
    by_count = bound("add", ub("float32"), ub("float32"), ub("float32"), Constant(64))
    assert [parameter.name for parameter in by_count.form.parameters][:4] == ["dst", "src0", "src1", "count"]
    assert by_count.types == {"T": "float32"}
    swapped = bound("data_copy", of_type(global_tensor("int8")), of_type(local_tensor("int8", "VECOUT")), Constant(32))
    assert swapped.form.parameters[0].kind == "global"


REFUSED: dict[str, tuple[type[KernelError], str, str, Sequence[Value]]] = {
    "too few": (NoForm, "'count' is missing", "add", [ub("float32"), ub("float32"), ub("float32")]),
    "no tensor": (NoForm, "src1 must be a local tensor", "add", [ub("int32"), ub("int32"), Constant(1), Constant(64)]),
    "two types": (
        NoForm,
        "src1 holds float16, but dst holds float32",
        "add",
        [ub("float32"), ub("float32"), ub("float16"), Constant(64)],
    ),
    "of threads": (
        NoForm,
        "got address of float32 in UB",
        "add",
        [ub("float32"), ub("float32"), of_type(pointer("float32", UB)), Constant(64)],
    ),
    "a list": (
        NoForm,
        "got a tuple of 2",
        "add",
        [ub("float32"), ub("float32"), Items((Constant(1),) * 2), Constant(64)],
    ),
    "dtype": (WrongDtype, "uint8", "add", [ub("uint8"), ub("uint8"), ub("uint8"), Constant(64)]),
    "range": (RuleBroken, "event_id", "set_flag", [Constant(HardEvent.MTE2_V), Constant(8)]),
    "core": (
        WrongCore,
        "L0A",
        "LocalTensor",
        [Constant(asc.float16), Constant(TPosition.A2), Constant(0), Constant(256)],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_have_the_location(case: str) -> None:
    kind, words, name, arguments = REFUSED[case]
    with pytest.raises(kind) as refused:
        bound(name, *arguments)
    assert words in str(refused.value)
    assert refused.value.at == AT
    assert "tiles.txt:7:4" in str(refused.value) and "add c, a, b" in str(refused.value)


def test_a_constant_that_the_elements_cannot_hold_is_refused_when_it_is_built() -> None:
    with pytest.raises(RuleBroken, match="scalar is an int16") as refused:
        built("adds", ub("int16"), ub("int16"), Constant(40000), Constant(64))
    assert refused.value.at == AT


def test_keywords_that_are_unknown() -> None:
    with pytest.raises(NoForm, match="has no parameter 'cuont'; did you mean 'count'"):
        bound("add", ub("int32"), ub("int32"), ub("int32"), cuont=Constant(64))


def test_cores_that_reach_the_call_decide() -> None:
    mixed = KERNEL_TYPES["mix_1_2"]
    arguments = [Constant(asc.float16), Constant(TPosition.A2), Constant(0), Constant(256)]
    assert bound("LocalTensor", *arguments, context=CallContext(SOCS["ascend910b"], mixed, {AIC})).position() == "A2"
    with pytest.raises(WrongCore, match="ascend_is_aic"):
        bound("LocalTensor", *arguments, context=CallContext(SOCS["ascend910b"], mixed, {AIV}))
