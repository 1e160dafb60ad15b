"""A new operation is its class and its spelling: traits tell passes, checks and effects the rest."""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def, var_operand_def
from xdsl.traits import EffectInstance, MemoryEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from opwright import passes
from opwright.ascendc.enums import HardEvent
from opwright.ascendc.table import ROWS
from opwright.check.pairing import pairing
from opwright.emit import expressions
from opwright.emit.expressions import ATOM, Expression, Expressions
from opwright.emit.module import emit
from opwright.emit.text import STATEMENTS, Emitter
from opwright.ir import StringAttr
from opwright.ir.calls import CallOp, call
from opwright.ir.effects import argument_use
from opwright.ir.functions import ReturnOp
from opwright.ir.language import BinaryOp, BreakOp, ConstantOp, ForOp, FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.traits import READ, Costly, Effects, Loop
from opwright.ir.types import INT, ScalarType, address
from opwright.ir.verifying import verify


@irdl_op_definition
class ClampOp(IRDLOperation):
    """A number within two others."""

    name = "py.clamp"
    value = operand_def(ScalarType)
    low = operand_def(ScalarType)
    high = operand_def(ScalarType)
    result = result_def(ScalarType)
    traits = traits_def(Pure(), Costly())

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=list(values), result_types=[INT])


class ReadsFirst(MemoryEffect):
    """Reads the memory behind the first operand."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        return {EffectInstance(READ, op.operands[0])}


class _Touches(IRDLOperation):
    values = var_operand_def()

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class PrefetchOp(_Touches):
    """Says what it reads."""

    name = "py.prefetch"
    traits = traits_def(ReadsFirst())


@irdl_op_definition
class ScatterOp(_Touches):
    """Writes somewhere."""

    name = "py.scatter"
    traits = traits_def(MemoryWriteEffect())


@irdl_op_definition
class MysteryOp(_Touches):
    """Says nothing about itself."""

    name = "py.mystery"


@irdl_op_definition
class ForwardOp(IRDLOperation):
    """The address that it gets."""

    name = "py.forward"
    value = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value], result_types=[value.type])


def kernel(*operations: Operation, parameters: Sequence[tuple[str, Attribute]] = ()) -> ModuleOp:
    function = FuncOp("kernel", parameters)
    for operation in operations:
        function.body.block.add_op(operation)
    return finished(function)


def finished(function: FuncOp) -> ModuleOp:
    for operation in function.body.walk():
        operation.attributes["at"] = StringAttr("1:0")
    return ModuleOp([function])


def printed(value: SSAValue) -> CallOp:
    row = ROWS["printf"]
    return call(row, row.forms[0], [value], [], {row.forms[0].parameters[0].name: "%d"})


def names(block: Block) -> list[str]:
    return [operation.name for operation in block.ops]


@pytest.fixture
def spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    """How the new operations are written."""

    def clamp(operation: ClampOp, known: Expressions, helpers: set[str]) -> Expression:
        return Expression(f"clamp({', '.join(known[value].text for value in operation.operands)})", ATOM)

    monkeypatch.setitem(expressions.SPELLINGS, ClampOp, clamp)

    def mystery(emitter: Emitter, operation: MysteryOp) -> None:
        emitter.line("mystery();", operation)

    monkeypatch.setitem(STATEMENTS, MysteryOp, mystery)


@pytest.mark.usefixtures("spelled")
def test_passes_and_text_know_a_value() -> None:
    """Left where it is used in a loop, dropped where nothing uses it, moved out where it is the same."""
    function = FuncOp("kernel", [("n", INT), ("m", INT)])
    first, second = function.body.block.args
    zero, one = ConstantOp(0, INT), ConstantOp(1, INT)
    body = Block(arg_types=[INT])
    same = ClampOp(first, second, first)
    varying = ClampOp(body.args[0], first, second)
    total = BinaryOp("add", same.result, varying.result)
    for operation in (ClampOp(first, first, first), same, varying, total, printed(total.result)):
        body.add_op(operation)
    for operation in (zero, one, ForOp(zero.result, first, 1, "i", body)):
        function.body.block.add_op(operation)
    module = finished(function)
    verify(module)
    passes.run(module, [])
    verify(module)
    assert names(body) == ["py.clamp", "py.binary", "asc.printf"]
    assert names(function.body.block) == ["py.constant", "py.clamp", "py.for"]
    assert argument_use(module) == {}
    text = emit(module).text
    assert "    int64_t value = clamp(n, m, n);\n    for (int64_t i = 0; i < n; ++i) {\n" in text
    assert 'AscendC::printf("%d", value + clamp(i, n, m));' in text


@pytest.mark.usefixtures("spelled")
def test_what_is_unknown_stays_where_it_is() -> None:
    """It is neither dropped nor moved, and no value is read behind it that was read before it."""
    start = ConstantOp(1, INT)
    variable = VariableOp(start.result, INT)
    load = LoadOp(variable.cell)
    store = StoreOp(variable.cell, ConstantOp(2, INT).result)
    module = kernel(start, variable, load, MysteryOp(), printed(load.result), store.value.owner, store)
    passes.run(module, [])
    verify(module)
    lines = [line.strip() for line in emit(module).text.splitlines()]
    assert lines[lines.index("mystery();") - 1] == "int64_t value_1 = value;"
    assert lines[lines.index("mystery();") + 1] == 'AscendC::printf("%d", value_1);'


PARAMETERS = [("x", address("float32")), ("y", address("float32"))]


@pytest.mark.parametrize(
    ("touching", "use"),
    [
        (None, {"x": (False, False), "y": (False, False)}),
        (PrefetchOp, {"x": (True, False), "y": (False, False)}),
        (ScatterOp, {"x": (True, True), "y": (True, True)}),
        (MysteryOp, {"x": (True, True), "y": (True, True)}),
    ],
)
def test_effects(touching: type[_Touches] | None, use: dict[str, tuple[bool, bool]]) -> None:
    """An operation touches what its traits say; if they say nothing, anything."""
    function = FuncOp("kernel", PARAMETERS)
    forward = ForwardOp(function.body.block.args[0])
    function.body.block.add_op(forward)
    if touching is not None:
        function.body.block.add_op(touching(forward.result))
    module = finished(function)
    verify(module)
    assert argument_use(module) == use


def test_flags_behind_what_is_unknown() -> None:
    """A flag that is set and never waited for is a mistake, unless something may wait for it."""
    row = ROWS["set_flag"]

    def mistakes(*behind: Operation) -> list[str]:
        number = ConstantOp(0, INT)
        flag = call(row, row.forms[0], [number.result], [], {"event": HardEvent.MTE2_V.name})
        return [mistake.kind for mistake in pairing(kernel(number, flag, *behind), ["aiv"])]

    assert mistakes() == ["FlagError"]
    assert mistakes(MysteryOp()) == []


def test_jumps_and_loops_are_traits() -> None:
    """What leaves a block is its last operation."""
    assert ForOp.has_trait(Loop) and not BreakOp.has_trait(Loop)
    for jump in (ReturnOp(), BreakOp()):
        module = kernel(jump, ConstantOp(1, INT))
        with pytest.raises(VerifyException, match="last operation"):
            verify(module)
