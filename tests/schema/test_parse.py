"""Schemas without a framework: what is read, and that what is written reads back to the same."""

import random

import pytest
from listed import LLM, MUL, OWN
from random_schemas import schema as random_schema

from opwright.errors import BadSchema
from opwright.schema import Alias, Argument, Base, List, Optional, Result, Schema, parse
from opwright.schema.dtypes import DTYPES
from opwright.schema.tokens import tokens

pytestmark = pytest.mark.quick

WRITES_A = Alias(("a",), ("a",), writes=True)


def test_the_lists_are_whole() -> None:
    assert len(LLM) == 37 and len(MUL) == 11 and len(OWN) >= 10
    assert len({parsed.qualified for parsed in map(parse, MUL)}) == 11


@pytest.mark.parametrize("text", [*LLM, *MUL, *OWN])
def test_round_trip(text: str) -> None:
    """All of them are canonical: the text itself comes back."""
    assert str(parse(text)) == text


def test_all_parts() -> None:
    found = parse("ns::f.out(Tensor? x, int[2] k=3, *, Tensor(a!)[] y, float f=1) -> (Tensor, Tensor(b|a)? z)")
    assert found == Schema(
        "ns",
        "f",
        "out",
        (
            Argument("x", Optional(Base("Tensor"))),
            Argument("k", List(Base("int"), 2), (3, 3)),
            Argument("y", List(Base("Tensor", WRITES_A)), keyword_only=True),
            Argument("f", Base("float"), 1.0, keyword_only=True),
        ),
        (Result(Base("Tensor")), Result(Optional(Base("Tensor", Alias(("a", "b"), ("a", "b")))), "z")),
    )
    assert [one.kind for one in found.arguments] == ["Tensor", "int[]", "Tensor[]", "float"]
    assert [one.is_written for one in found.arguments] == [False, False, True, False]
    assert [one.is_optional for one in found.arguments] == [True, False, False, False]
    assert type(found.arguments[3].default) is float


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("f( Tensor  x ,int y = 3 )->Tensor", "f(Tensor x, int y=3) -> Tensor"),
        ("f(\n    Tensor x,\n    int y\n) -> Tensor", "f(Tensor x, int y) -> Tensor"),
        ("f(Tensor! x, Tensor!? y) -> ()", "f(Tensor(a!) x, Tensor(b!)? y) -> ()"),
        ("f(Tensor! x, Tensor(a!) y, Tensor![] c) -> ()", "f(Tensor(b!) x, Tensor(a!) y, Tensor(c!)[] c) -> ()"),
        ("f(Tensor(b|a) x) -> Tensor(a->b|a)", "f(Tensor(a|b) x) -> Tensor(a -> a|b)"),
        ("f(Tensor(a->*) x) -> Tensor(*)[]", "f(Tensor(a -> *) x) -> Tensor(*)[]"),
        ("f(int[2] x=1, bool[2] y=True) -> ()", "f(int[2] x=[1, 1], bool[2] y=[True, True]) -> ()"),
        (
            "f(float x=1, float? y=-2, float[] z=[1,.5]) -> ()",
            "f(float x=1.0, float? y=-2.0, float[] z=[1.0, 0.5]) -> ()",
        ),
        ("f(Scalar x=1, Scalar y=1., Scalar z=2j) -> ()", "f(Scalar x=1, Scalar y=1.0, Scalar z=2.0j) -> ()"),
        ("f(ScalarType x=half, ScalarType? y=4) -> ()", "f(ScalarType x=float16, ScalarType? y=int64) -> ()"),
        ("f(str x='a\"\\'\\n\\101') -> ()", 'f(str x="a\\"\'\\nA") -> ()'),
        ("f(int reduction=Mean, Layout y=strided) -> ()", "f(int reduction=1, Layout y=0) -> ()"),
        ("f() -> (Tensor)", "f() -> Tensor"),
        ("f() -> (Tensor y)", "f() -> Tensor y"),
        ("f(Tensor?[]? x, int[][] y) -> Tensor?", "f(Tensor?[]? x, int[][] y) -> Tensor?"),
    ],
)
def test_canonical(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)


def test_defaults_are_values() -> None:
    text = 'f(int a=-1, bool b=False, str c="x", ScalarType d=long, int[] e=[], Tensor? g=None, complex h=2j) -> ()'
    values = [argument.default for argument in parse(text).arguments]
    assert values == [-1, False, "x", DTYPES["int64"], (), None, 2j]
    assert parse("f(Tensor x, *, int y) -> ()").complete((1,), {}) == (1, None)
    assert parse("f(Tensor x, int y=2, *, int z=3) -> ()").complete((1,), {"z": 4}) == (1, 2, 4)


@pytest.mark.parametrize("text", ["f(int[{}] x=1) -> ()", "f(int x={}) -> ()", "f(float x={}) -> ()"])
def test_very_long_numbers(text: str) -> None:
    with pytest.raises(BadSchema):
        parse(text.format("9" * 5000))


def test_random_round_trip() -> None:
    rng = random.Random(1)
    for _ in range(1000):
        made = random_schema(rng)
        assert parse(str(made)) == made, str(made)
        spaced = "".join(f"{word.text}{rng.choice((' ', '  '))}" for word in tokens(str(made)))
        assert parse(spaced) == made, spaced


def test_random_mistakes() -> None:
    """A text that was changed somewhere is read and written back, or refused at a place within it."""
    rng = random.Random(2)
    refused = 0
    for _ in range(2000):
        text = rng.choice([*LLM, *MUL, *OWN, str(random_schema(rng))])
        start, length = rng.randrange(len(text)), rng.choice((0, 1, 1, 2, 5))
        text = text[:start] + rng.choice("()[]!?*,=->:.|'\"\\0a ") * rng.randrange(2) + text[start + length :]
        try:
            assert parse(str(parse(text))) == parse(text)
        except BadSchema as error:
            refused += 1
            assert error.at is not None and 0 <= error.at.column <= len(error.at.text) and error.hint and error.message
    assert 500 < refused < 2000
