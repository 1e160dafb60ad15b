"""Another grammar over the same syntax: every part that it replaces is reached, and the rest stays as it is."""

import ast
from dataclasses import dataclass, replace

import pytest

from opwright import asc
from opwright.frontend import invocations, loops, operators
from opwright.frontend.builder import Builder, Loop
from opwright.frontend.compile import finish, lowered
from opwright.frontend.lower import GRAMMAR
from opwright.ir.names import set_name
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel import options as limits

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class Times:
    """Something to call that is not of opwright.asc."""

    factor: int


TWICE = Times(2)


@dataclass(frozen=True)
class Pairs:
    """`for i, j in n`: i counts, j is one more."""

    stop: Value

    def begin(self, builder: Builder, node: ast.For) -> Loop:
        assert isinstance(node.target, ast.Tuple)
        first, second = node.target.elts
        assert isinstance(first, ast.Name) and isinstance(second, ast.Name)
        counted = ast.copy_location(ast.For(first, node.iter, node.body, []), node)
        made = loops.Counting(Constant(0), self.stop, Constant(1)).begin(builder, counted)
        with builder.nested(made.body):
            more = operators.arithmetic(builder, ast.Add(), made.names[0][1], Constant(1), node)
        assert isinstance(more, RunTimeValue)
        set_name(more.ssa, second.id)
        return Loop(made.operation, made.body, [*made.names, (second, more)])


def iterate(builder: Builder, node: ast.For) -> Pairs | loops.Counting | range:
    return loops.iterate(builder, node) if isinstance(node.iter, ast.Call) else Pairs(builder.value(node.iter))


def unary(builder: Builder, op: ast.unaryop, value: Value, node: ast.AST) -> Value:
    if isinstance(op, ast.Invert):
        return operators.arithmetic(builder, ast.Add(), value, Constant(1), node)
    return operators.unary(builder, op, value, node)


def compare(builder: Builder, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    return operators.compare(builder, ast.Gt() if isinstance(op, ast.Lt) else op, left, right, node)


def arithmetic(builder: Builder, op: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
    return operators.arithmetic(builder, ast.Mult() if isinstance(op, ast.MatMult) else op, left, right, node)


def call(builder: Builder, callee: Value, node: ast.Call) -> Value:
    if isinstance(callee, Constant) and isinstance(callee.value, Times):
        (value,), _ = invocations.arguments_of(builder, node)
        return operators.arithmetic(builder, ast.Mult(), value, Constant(callee.value.factor), node)
    return invocations.call_value(builder, callee, node)


OTHER = replace(GRAMMAR, iterate=iterate, unary=unary, compare=compare, arithmetic=arithmetic, call=call)


@asc.jit
def plain(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    total = -n
    for i in range(n):
        j = i + 1
        if i > 3:
            x_gm.set_value(i + 1, j * 2)
        total *= 3
        x_gm.set_value(i, j * total)
    for k in range(4):
        x_gm.set_value(k, total)


@asc.jit
def other(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    total = -n
    for i, j in n:  # type: ignore[attr-defined]
        if i < 3:
            x_gm.set_value(~i, TWICE(j))  # type: ignore[operator]
        total @= 3  # type: ignore[operator]
        x_gm.set_value(i, j @ total)
    for k in range(4):
        x_gm.set_value(k, total)


def test_every_part_can_be_replaced() -> None:
    request = other.request(other.binder.bind(("i32[64]", 8), {}, described=True))
    builder, module = lowered(request, OTHER)
    assert sorted(builder.compilation.captures) == ["TWICE", "asc", "range"]
    assert finish(request, module).text.replace("other", "plain") == plain.emit("i32[64]", 8)


@asc.jit
def reads_a_module_of_ours(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_gm.set_value(0, limits.BLOCK_THREADS)


def test_what_opwright_holds_is_no_capture() -> None:
    """Its version covers it; a module of a user's is read again before every launch."""
    program = reads_a_module_of_ours.program(reads_a_module_of_ours.binder.bind(("i32[64]",), {}, described=True))
    assert sorted(program.captures) == ["asc", "limits"]
    assert f"SetValue(0, static_cast<int32_t>({limits.BLOCK_THREADS}))" in program.text
