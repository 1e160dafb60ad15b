"""The IR of host functions: it is verified, and its text reads back as the same IR and prints the same C++."""

import pytest
from host_programs import LAUNCHES, PROGRAMS
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from opwright.emit.host import emit
from opwright.host.compiler.compile import lowered
from opwright.ir import ModuleOp
from opwright.ir.calls import dialect
from opwright.ir.dialect import HostDialect, PyDialect
from opwright.ir.host import ApplyOp, ConstantOp, host_type

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_reads_back(name: str) -> None:
    infer, kinds, count = PROGRAMS[name]
    module = lowered(infer, kinds, count, LAUNCHES.get(name))
    context = Context()
    for known in (Builtin, PyDialect, HostDialect, dialect()):
        context.load_dialect(known)
    read = Parser(context, str(module)).parse_module()
    read.verify()
    assert str(read) == str(module)
    assert emit(name, read) == emit(name, module)


def test_every_operation_is_used() -> None:
    used = {type(one) for made in PROGRAMS.values() for one in lowered(*made).walk()}
    assert set(HostDialect.operations) <= used


def test_operands_of_another_kind_are_found() -> None:
    number, text = ConstantOp("3", "int"), ConstantOp("three", "text")
    wrong = ApplyOp("add", [number.result, text.result], host_type("int"))
    with pytest.raises(VerifyException, match="add of int, text"):
        ModuleOp([number, text, wrong]).verify()
