"""Defaults of arguments: the value that a word means for a type, and the word for a value.

In: a type and a token, or a value. Out: a number, a text, a data type; a text. Refuses a word that is no value of the
type, and what PyTorch cannot read: numbers beyond 64 bits, escapes other than its own.
"""

from __future__ import annotations

import re
import sys
from typing import TypeAlias

from opwright.schema import dtypes
from opwright.schema.dtypes import Dtype
from opwright.schema.tokens import NAME, NUMBER, TEXT, Token
from opwright.schema.types import Base

Element: TypeAlias = bool | int | float | complex | str | Dtype
Value: TypeAlias = Element | tuple[Element, ...] | None

IN_LISTS = ("int", "SymInt", "float", "bool")  # of these lists may be a default
EXAMPLES = {
    "int": "3",
    "SymInt": "3",
    "float": "0.5",
    "bool": "True",
    "complex": "2.5j",
    "Scalar": "1",
    "str": '"text"',
    "ScalarType": "float32",
    "Layout": "strided",
    "MemoryFormat": "contiguous_format",
    "Device": '"cpu"',
}
_NAMED = {
    "int": {"Mean": 1},  # how a loss is reduced
    "Layout": {"strided": 0},
    "MemoryFormat": {"contiguous_format": 0},
}
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPED = {character: f"\\{letter}" for letter, character in _ESCAPES.items() if character != "'"}
_ESCAPE = re.compile(r"\\([0-7]{3}|.)", re.DOTALL)


class NotAValue(Exception):
    """A word is no value of a type; the text says what is wrong with it if that is known."""


def element(kind: Base, token: Token) -> Element:
    """The value that one word means for a type. Raises NotAValue."""
    name = kind.name
    if name in ("str", "Device") and token.kind == TEXT:
        return _text(token.text)
    if name in ("bool", "Scalar") and token.text in ("True", "False"):
        return token.text == "True"
    if name == "ScalarType" and (found := dtypes.found(token.text)):
        return found
    if token.kind == NAME and token.text in _NAMED.get(name, ()):
        return _NAMED[name][token.text]
    if token.kind == NUMBER:
        return _number(name, token.text)
    raise NotAValue


def _number(name: str, text: str) -> int | float | complex:
    is_imaginary, is_integer = text.endswith("j"), re.fullmatch(r"-?\d+", text)
    if is_imaginary and name in ("complex", "Scalar"):
        return complex(0.0, _float(text[:-1]))
    if is_integer and name in ("int", "SymInt", "Scalar", "Layout", "MemoryFormat"):
        if len(text) > len(str(-(2**63))) or not -(2**63) <= int(text) < 2**63:
            raise NotAValue(f"{text} does not fit 64 bits")
        return int(text)
    if not is_imaginary and name in ("float", "Scalar"):
        return _float(text)
    raise NotAValue


def _float(text: str) -> float:
    value = float(text)
    if value and not sys.float_info.min <= abs(value) <= sys.float_info.max:
        raise NotAValue(f"{text} is no normal number of 64 bits")
    return value


def _text(quoted: str) -> str:
    def meant(found: re.Match[str]) -> str:
        word = found[1]
        if word in _ESCAPES:
            return _ESCAPES[word]
        if len(word) == 3 and int(word, 8) < 128:
            return chr(int(word, 8))
        raise NotAValue(f"the text has the escape \\{word}, which schemas do not have")

    return _ESCAPE.sub(meant, quoted[1:-1])


def written(value: Value) -> str:
    """The word for a value."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, complex):
        return f"{value.imag!r}j"
    if isinstance(value, str):
        return f'"{"".join(_character(one) for one in value)}"'
    return str(value) if isinstance(value, Dtype) else repr(value)


def _character(one: str) -> str:
    return _ESCAPED.get(one) or (one if one.isprintable() or ord(one) > 127 else f"\\{ord(one):03o}")
