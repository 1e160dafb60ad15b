"""A tile kernel to IR: the grammar of tiles, made of that of `opwright.asc`.

In: a `Request` for a function over tiles. Out: the builder and a module of operations of `tile` and `py`. Refuses, with
the line, what the language does not have, and what would be carried from one iteration of `tile.parallel` to another.
"""

from __future__ import annotations

import ast
from dataclasses import fields

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import NotAKernel, UnsupportedSyntax
from opwright.frontend import expressions, statements
from opwright.frontend.builder import Builder, Grammar
from opwright.frontend.compile import lowered
from opwright.frontend.lower import GRAMMAR
from opwright.ir import ModuleOp
from opwright.ir.types import AddressType
from opwright.ir.values import RunTimeValue, Value
from opwright.kernel.program import Request
from opwright.tile.carried import refuse_carried
from opwright.tile.compiler.front import attributes, functions, loops, operators, tensors
from opwright.tile.compiler.front.cells import counted, note_stores
from opwright.tile.compiler.front.inline import InlinedBuilder
from opwright.tile.compiler.front.state import State, TileGrammar, state_of
from opwright.tile.compiler.front.values import TensorValue, is_tile


def lowered_tile(request: Request) -> tuple[Builder, ModuleOp]:
    """The IR of a tile kernel, and its builder, whose grammar's state has what the host must test."""
    refuse_carried(request.function, request.constants)
    state = State()
    while True:
        made = lowered(request, grammar(state))
        if not state.changing:
            return made
        state = State(state.varying | state.changing)


def grammar(state: State) -> TileGrammar:
    """The grammar of one compilation."""
    known = {one.name: getattr(GRAMMAR, one.name) for one in fields(Grammar)}
    known |= {
        "value": value,
        "statement": statement,
        "begin": begin,
        "attribute": attributes.attribute,
        "subscript": attributes.subscript,
        "set_element": attributes.set_element,
        "arithmetic": operators.arithmetic,
        "unary": operators.unary,
        "compare": operators.compare,
        "iterate": loops.iterate,
        "call": functions.call,
    }
    return TileGrammar(**known, state=state)


def begin(builder: Builder) -> None:
    """Makes tensors of the parameters of the text."""
    names = builder.scope.names
    state_of(builder).blocks.append(builder.block)
    for name, given in list(names.items()):
        if not (isinstance(given, RunTimeValue) and isinstance(given.type, AddressType)):
            continue
        shape: list[RunTimeValue] = []
        strides: list[RunTimeValue] = []
        while isinstance(length := names.pop(f"{name}_shape{len(shape)}", None), RunTimeValue):
            shape.append(length)
        while isinstance(stride := names.pop(f"{name}_stride{len(strides)}", None), RunTimeValue):
            strides.append(stride)
        if not shape:
            reason, hint = f"'{name}' is an array and has no annotation", f"write {name}: tile.Tensor"
            raise NotAKernel(builder.at(builder.definition), name=builder.definition.name, reason=reason, hint=hint)
        state_of(builder).shapes |= {length.ssa for length in shape}
        dtype = DTYPES[given.type.dtype.data]
        names[name] = TensorValue(name, given.ssa, tuple(shape), tuple(strides), dtype)


def value(builder: Builder, node: ast.expr) -> Value:
    """The value of an expression; a tile that a variable holds comes with its counts."""
    found = expressions.value(builder, node)
    if isinstance(node, ast.Name) and is_tile(found):
        return RunTimeValue(counted(builder, found, node))
    return found


def statement(builder: Builder, node: ast.stmt) -> None:
    """Lowers one statement."""
    state = state_of(builder)
    is_branch = bool(state.blocks) and builder.block is not state.blocks[-1] and state.is_branch
    outside = state.is_branch, state.branches, state.parallel
    state.branches += is_branch
    state.is_branch = isinstance(node, (ast.If, ast.While))
    state.blocks.append(builder.block)
    before = builder.block.last_op
    try:
        _lower(builder, node)
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            note_stores(builder, before, node)
    finally:
        state.blocks.pop()
        state.is_branch, state.branches, state.parallel = outside


def _is_last(builder: Builder, node: ast.stmt) -> bool:
    """Whether a statement is the last one of its function, so that `return` there leaves nothing out."""
    return isinstance(node, ast.Return) and node is builder.definition.body[-1]


def _lower(builder: Builder, node: ast.stmt) -> None:
    match node:
        case ast.Return() if isinstance(builder, InlinedBuilder):
            builder.give_back(node)
        case ast.Break() | ast.Continue() | ast.Return() if not _is_last(builder, node):
            word = type(node).__name__.lower()
            raise UnsupportedSyntax(builder.at(node), what=f"{word} in a tile kernel", hint="use an if")
        case ast.Expr(value=ast.expr() as expression) if not isinstance(expression, (ast.Call, ast.Constant)):
            builder.value(expression)
        case ast.AugAssign(target=ast.Subscript() as target):
            base = builder.value(target.value)
            if not isinstance(base, TensorValue):
                statements.statement(builder, node)
                return
            axes = tensors.index_of(builder, base, target.slice, target)
            old = tensors.load(builder, base, axes, target)
            new = builder.grammar.arithmetic(builder, node.op, old, builder.value(node.value), node)
            tensors.put(builder, "a store", base, axes, new, node)
        case _:
            statements.statement(builder, node)
