"""`tile.print` in a compiled kernel: texts and numbers.

In: a call of `tile.print`. Out: an `asc.printf`. Refuses tiles: no call prints a tensor that is placed by hand, and
`kernel.numpy` prints tiles.
"""

from __future__ import annotations

import ast
from typing import NoReturn

from opwright.ascendc.table import ROWS
from opwright.errors import TileNotBuilt, WrongFormat, WrongType
from opwright.frontend import calls, invocations
from opwright.frontend.builder import Builder
from opwright.frontend.formats import spread
from opwright.ir import numbers
from opwright.ir.types import FLOAT
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.tile import functions
from opwright.tile.compiler.front.bind import bound
from opwright.tile.compiler.front.values import is_number, is_tile, word_of

_ROW = ROWS["printf"]


def call(builder: Builder, node: ast.Call) -> Constant:
    """Prints."""
    text = node.args[0] if node.args else None
    if isinstance(text, ast.JoinedStr):
        written = _spread(builder, text)
        rest = [builder.value(one) for one in node.args[1:]]
    else:
        arguments, keywords = invocations.arguments_of(builder, node)
        word = bound(builder, "tile.print", functions.print, arguments, keywords, node)["text"]
        rest = arguments[1:]
        if not isinstance(word, Constant) or not isinstance(word.value, str):
            hint = 'its first argument is a text: tile.print("n is", n), tile.print(f"n is {n}")'
            raise WrongType(builder.at(node), operation="tile.print", got=word_of(word), hint=hint)
        written = [Constant(word.value.replace("%", "%%"))]
    words = written[0]
    assert isinstance(words, Constant)
    shown = str(words.value)
    for value in rest:
        shown += " " + _conversion(builder, value, node)
    given = [value for value in rest if isinstance(value, RunTimeValue)]
    calls.invoke(builder, _ROW, [Constant(shown + "\n"), *written[1:], *given], {}, node)
    return Constant(None)


def _spread(builder: Builder, text: ast.JoinedStr) -> list[Value]:
    """An f-string as a format and its arguments."""
    try:
        return spread(builder, _ROW, text)
    except WrongFormat:
        for part in text.values:
            if isinstance(part, ast.FormattedValue) and is_tile(builder.value(part.value)):
                _refuse(builder, part)
        raise


def _conversion(builder: Builder, value: Value, node: ast.Call) -> str:
    """A number behind the text."""
    if is_tile(value):
        _refuse(builder, node)
    if isinstance(value, Constant):
        return str(value.value).replace("%", "%%")
    if not is_number(value):
        hint = "it prints texts, numbers and, in kernel.numpy, tiles"
        raise WrongType(builder.at(node), operation="tile.print", got=word_of(value), hint=hint)
    return "%g" if numbers.widened(numbers.kind_of(builder.site(node), value, "a number")) == FLOAT else "%ld"


def _refuse(builder: Builder, node: ast.AST) -> NoReturn:
    hint = "kernel.numpy(...) prints tiles; no call prints a tensor that is placed by hand"
    raise TileNotBuilt(builder.at(node), what="printing a tile on a core", hint=hint)
