"""Which schemas an operator can have, what is said of the others, and the forms that are made from one."""

from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright.errors import BadDefinition  # noqa: E402
from opwright.operators._forms import forms_of, functional_twin, out_form, reason_against, written_form  # noqa: E402
from opwright.operators._operator import operator  # noqa: E402
from opwright.schema import parse  # noqa: E402

LLM = (Path(__file__).parents[1] / "schema" / "llm.txt").read_text(encoding="utf-8").splitlines()


def test_schemas_of_language_models(golden: Callable[[str, str], None]) -> None:
    """What is made from each of them: all forms, or the functional twin of one that writes."""
    said = []
    for text in LLM:
        schema = parse(text)
        assert reason_against(schema) == ""
        made = [form.schema.text for form in forms_of(schema, {})[1:]] or [functional_twin(schema).text]
        said += [text, *(f"    {one}" for one in made)]
    golden("forms.txt", "\n".join(said) + "\n")


def test_forms() -> None:
    schema = parse("ns::f(Tensor x, Tensor? y=None, *, SymInt[] block, ScalarType? dtype=None) -> (Tensor, Tensor)")
    rest = "Tensor? y=None, *, SymInt[] block, ScalarType? dtype=None"
    assert str(out_form(schema)) == f"ns::f.out(Tensor x, {rest}, Tensor(a!) out0, Tensor(b!) out1) -> ()"
    assert str(written_form(schema, {"x": 1})) == f"ns::f_(Tensor(a!) x, {rest}) -> Tensor"
    both = "Tensor(a!) x, Tensor(b!)? y=None, *, SymInt[] block, ScalarType? dtype=None"
    assert str(written_form(schema, {"x": 0, "y": 1})) == f"ns::f_({both}) -> ()"
    assert str(out_form(parse("f(Tensor x) -> Tensor"))) == "f.out(Tensor x, *, Tensor(a!) out) -> ()"
    assert str(out_form(parse("f.S(Tensor x) -> Tensor?"))) == "f.S_out(Tensor x, *, Tensor(a!)? out) -> ()"
    assert str(written_form(parse("f.S(Tensor x) -> Tensor"), {"x": 0})) == "f_.S(Tensor(a!) x) -> ()"
    twin = functional_twin(parse("f_(Tensor(a!) x, Tensor(b!)[] y, Tensor(c!)? z, int n) -> Tensor"))
    assert str(twin) == "f_functional(Tensor x, Tensor[] y, Tensor? z, int n) -> (Tensor, Tensor, Tensor[], Tensor?)"


def test_a_call_of_a_form() -> None:
    """Arguments in the order of the stated schema, and where results go; what is written, also in lists."""
    schema = parse("f(int n, Tensor x, Tensor? y=None) -> (Tensor, Tensor)")
    out, in_place = forms_of(schema, {"y": 0, "x": 1})[1:]
    values, into = out.taken(schema, (1, "x"), {"out1": "b", "out0": "a"})
    assert values == (1, "x", None) and [(one.name, one.result, one.tensor) for one in into] == [
        ("out0", 0, "a"),
        ("out1", 1, "b"),
    ]
    values, into = in_place.taken(schema, (1,), {"x": "x"})
    assert values == (1, "x", None) and [(one.result, one.tensor) for one in into] == [(0, None), (1, "x")]
    assert in_place.written()(1, "x", y="y") == ["x", "y"] and in_place.written()(1, "x") == ["x"]
    (stated,) = forms_of(parse("f(Tensor(a!)[] x, Tensor y) -> ()"), {})
    assert stated.written()(["a", "b"], "y") == ["a", "b"]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            "mylib::f(Tensr x) -> Tensor",
            "has a schema that cannot be read: there is no type Tensr\n  --> <schema>:1:10\n  |\n"
            "1 | mylib::f(Tensr x) -> Tensor\n  |          ^\nhint: did you mean Tensor?",
        ),
        ("mylib::f(Tensor(a) x) -> Tensor(a)", "has an argument x that shares memory: operators return new tensors"),
        ("mylib::f(Tensor(a! -> b) x) -> ()", "has an argument x with the alias (a! -> b): only tensors are written"),
        ("mylib::f(Tensor[](a!) x) -> ()", "has an argument x with the alias (a!): only tensors are written"),
        ("mylib::f(Tensor(a!) x, Tensor(a!) y) -> ()", "has written arguments that may be one"),
        ("mylib::f(Tensor(a!) x) -> Tensor(a!)", "writes into its arguments, and can return new tensors only"),
        ("mylib::f(int n) -> Tensor", "has no tensor among its arguments"),
        ("mylib::f(Tensor x, Tensor out) -> Tensor", "has an argument out, which is what its out form calls a result"),
        (
            "mylib::f(Tensor x, Layout? y) -> Tensor",
            "has an argument y of the type Layout?, which operators cannot have",
        ),
        ("mylib::f(Tensor x) -> Tensor[]", "must return one or more new tensors"),
        ("mylib::f(Tensor x) -> ()", "must return one or more new tensors"),
        ("mylib::f(Tensor lambda) -> Tensor", "has an argument lambda, which is a word of Python"),
        ("mylib::f(Tensor x, ScalarType y=half) -> Tensor", "has an argument y whose default is a data type"),
    ],
)
def test_refused(schema: str, message: str) -> None:
    with pytest.raises(BadDefinition) as raised:
        operator(schema, dtypes=(torch.float32,))
    assert f"the operator {schema.partition('(')[0]}, defined at {__file__}:" in str(raised.value)
    assert message in str(raised.value)


@pytest.mark.parametrize("schema", ["mylib::f(Tensor(a!) x) -> ()", "mylib::f(Tensor[] x) -> Tensor"])
def test_no_gradient(schema: str) -> None:
    with pytest.raises(BadDefinition, match=r"so it has no gradient|has a gradient and a list of tensors"):
        operator(schema, dtypes=(torch.float32,), gradient="exact")
