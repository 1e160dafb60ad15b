"""The IR of every golden kernel verifies, prints, and reads back to the same IR and the same text."""

import importlib.util
from functools import cache
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import GivesBack, SetsFields
from opwright.emit.module import emit
from opwright.emit.spelling import cpp
from opwright.frontend.compile import LoweredProgram
from opwright.ir.calls import call, call_class, dialect
from opwright.ir.dialect import PyDialect
from opwright.ir.effects import argument_use
from opwright.ir.functions import functions
from opwright.ir.language import ConstantOp, FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.names import name_of, set_name
from opwright.ir.types import FLOAT, INT, address, global_tensor, local_tensor, scalar
from opwright.kernel.captures import value_at
from opwright.kernel.source import source_of

SPEC = importlib.util.spec_from_file_location("kernels_of_the_ir", Path(__file__).parents[1] / "emit" / "kernels.py")
assert SPEC and SPEC.loader
KERNELS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(KERNELS)


@cache
def program(name: str) -> LoweredProgram:
    kernel, arguments, soc = KERNELS.CASES[name]
    bound = kernel.binder.bind(arguments, {}, described=True)
    return kernel.program(bound, soc)


def read(text: str) -> ModuleOp:
    context = Context()
    for known in (Builtin, PyDialect, dialect()):
        context.load_dialect(known)
    return Parser(context, text).parse_module()


def source(name: str, made: LoweredProgram, function: FuncOp) -> str:
    """The text of a kernel or of one of its helpers."""
    kernel = KERNELS.CASES[name][0]
    path = made.functions[function.place].path
    found = value_at(kernel.function, path) if path else kernel
    return source_of(getattr(found, "function", found)).text


@pytest.mark.parametrize("name", KERNELS.CASES)
def test_round_trip(name: str) -> None:
    made = program(name)
    made.ir.verify()
    printed = str(made.ir)
    back = read(printed)
    back.verify()
    assert str(back) == printed
    assert emit(back) == emit(made.ir)
    assert argument_use(back) == made.argument_use


def is_enclosing(operation: Operation) -> bool:
    """Whether it stands for nothing of the author's: the first and the last line of a kernel without a TPipe."""
    return operation.name in ("asc.init_soc_state", "asc.pipe_barrier") and "at" not in operation.attributes


@pytest.mark.parametrize("name", KERNELS.CASES)
def test_every_operation_has_a_place(name: str) -> None:
    made = program(name)
    for function in functions(made.ir):
        lines = source(name, made, function).splitlines()
        for operation in function.walk():
            if operation is not function and not is_enclosing(operation):
                at = operation.attributes["at"]
                assert isinstance(at, StringAttr)
                line, column = map(int, at.data.split(":"))
                assert column < len(lines[line - 1]) and not lines[line - 1][column].isspace()


@pytest.mark.parametrize("name", KERNELS.CASES)
def test_source_map(name: str) -> None:
    """Every line that is a statement leads to a line of the Python; a call leads to its row."""
    made = program(name)
    lines = made.text.splitlines()
    body = range(next(i for i, line in enumerate(lines) if line.startswith('extern "C"')) + 1, len(lines) - 1)
    for index in body:
        if lines[index].strip() not in ("}", "} else {"):
            assert index + 1 in made.places, lines[index]
    for number, place in made.places.items():
        if place.call and not ROWS[place.call].is_method and place.call not in ("LocalTensor", "GlobalTensor"):
            row, line = ROWS[place.call], lines[number - 1]
            # What comes back through a reference is declared before.
            is_declared = any(form.get(GivesBack) for form in row.forms) and line.endswith(" = 0;")
            # Fields that no constructor takes are set one by one.
            is_field = any(form.get(SetsFields) for form in row.forms) and "." in line.partition(" = ")[0]
            spelled = [row.cpp, *filter(None, [row.in_simt]), *(["_memory;"] if row.name == "simt.shared" else [])]
            assert any(word in line for word in spelled) or is_declared or is_field or row.forms[0].text


@pytest.mark.quick
def test_argument_use() -> None:
    assert program("vector_calls_f16").argument_use == {"x": (True, False), "y": (True, False), "z": (False, True)}
    assert program("double_buffer").argument_use == {"x": (False, True)}
    # Threads that a kernel starts, and those that are one, through helpers and moved addresses.
    assert program("starts_threads_f32").argument_use == {"x": (True, False), "z": (False, True)}
    assert program("starts_threads_in_a_helper").argument_use == {"x": (True, False)}
    assert program("divides_on_both_sides").argument_use == {"x": (True, True)}
    assert program("elementwise_f32").argument_use == {"x": (True, False), "y": (True, True)}
    assert program("block_sum").argument_use == {"x": (True, False), "sums": (False, True)}
    # Which of two tensors is meant is known in the run only: both are.
    assert program("tensors_by_branch").argument_use == {"x": (True, True), "y": (True, True)}
    assert program("hostile_names").argument_use == {"register": (True, True), "new": (True, True)}


@pytest.mark.quick
def test_argument_names_that_end_in_numbers_stay_apart() -> None:
    kernel = FuncOp("kernel", [("x_1", address("int32")), ("x_2", address("int32"))])
    assert argument_use(ModuleOp([kernel])) == {"x_1": (False, False), "x_2": (False, False)}
    assert [name_of(argument) for argument in kernel.body.block.args] == ["x_1", "x_2"]


@pytest.mark.quick
def test_names() -> None:
    constant = ConstantOp(3, INT)
    assert name_of(constant.result) is None
    set_name(constant.result, "größe_1")
    set_name(constant.result, "later")
    assert name_of(constant.result) == "größe_1"
    assert name_of(Block(arg_types=[INT]).args[0]) is None


@pytest.mark.quick
@pytest.mark.parametrize("number", [0, -1, (1 << 63) - 1, -(1 << 63), (1 << 64) - 1])
def test_integer_constants_keep_their_value(number: int) -> None:
    assert ConstantOp(number, INT).number == number


@pytest.mark.quick
@pytest.mark.parametrize("number", [0.0, -0.0, 0.1, 1e-45, 3.4e38, float("inf"), float("-inf"), float("nan")])
def test_float_constants_keep_their_value(number: float) -> None:
    got = ConstantOp(number, FLOAT).number
    assert isinstance(got, float) and repr(got) == repr(number)


@pytest.mark.quick
def test_the_verifier_refuses_a_wrong_operand() -> None:
    number = ConstantOp(1, INT)
    wrong = call(ROWS["add"], ROWS["add"].forms[0], [number.result] * 4, [], {})
    with pytest.raises(VerifyException, match="dst"):
        wrong.verify()


@pytest.mark.quick
def test_a_variable_holds_its_type() -> None:
    variable = VariableOp(ConstantOp(1, INT).result, INT)
    load = LoadOp(variable.cell)
    assert load.result.type == INT
    StoreOp(variable.cell, load.result).verify()


@pytest.mark.quick
def test_every_row_has_an_operation() -> None:
    assert {operation.name for operation in dialect().operations} == {f"asc.{name}" for name in ROWS}
    assert call_class("add") is call_class("add")


def test_a_signature_names_one_form() -> None:
    for row in ROWS.values():
        assert [*row.by_signature.values()] == [*row.forms], row.name


def test_attributes_hold_names() -> None:
    """No attribute of any golden kernel holds C++, but for what the author wrote in C++."""
    for name in KERNELS.CASES:
        for line in str(program(name).ir).splitlines():
            assert "::" not in line or '"py.inline"' in line, line


@pytest.mark.quick
def test_types_in_the_text() -> None:
    assert cpp(scalar("float16")) == "half"
    assert cpp(address("bfloat16")) == "__gm__ bfloat16_t*"
    assert cpp(global_tensor("uint8")) == "AscendC::GlobalTensor<uint8_t>"
    assert cpp(local_tensor("float32", "VECIN")) == "AscendC::LocalTensor<float>"
    assert str(local_tensor("float32", "VECIN")) == "LocalTensor of float32 at VECIN"
