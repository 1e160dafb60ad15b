"""Which schemas an operator can have, what is said of the others, and the forms that are made from one."""

from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from opwright.errors import BadDefinition  # noqa: E402
from opwright.operators._forms import in_place_form, letters, out_form, reason_against  # noqa: E402
from opwright.operators._operator import operator  # noqa: E402
from opwright.schema import parse  # noqa: E402

LLM = (Path(__file__).parents[1] / "schema" / "llm.txt").read_text(encoding="utf-8").splitlines()


def test_schemas_of_language_models(golden: Callable[[str, str], None]) -> None:
    """Which of them operators can have today."""
    said = [f"{text}\n    {reason_against(parse(text)) or 'can be defined'}\n" for text in LLM]
    golden("forms.txt", "".join(said))


def test_forms() -> None:
    schema = parse("ns::f(Tensor x, Tensor? y=None, *, SymInt[] block, ScalarType? dtype=None) -> (Tensor, Tensor)")
    rest = "Tensor? y=None, *, SymInt[] block, ScalarType? dtype=None"
    assert str(out_form(schema)) == f"ns::f.out(Tensor x, {rest}, Tensor(a!) out0, Tensor(b!) out1) -> ()"
    assert str(in_place_form(schema)) == f"ns::f_(Tensor(a!) x, {rest}) -> ()"
    assert letters(schema) == "tTlD"
    assert str(out_form(parse("f(Tensor x) -> Tensor"))) == "f.out(Tensor x, *, Tensor(a!) out) -> ()"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (
            "mylib::f(Tensr x) -> Tensor",
            "has a schema that cannot be read: there is no type Tensr\n  --> <schema>:1:10\n  |\n"
            "1 | mylib::f(Tensr x) -> Tensor\n  |          ^\nhint: did you mean Tensor?",
        ),
        ("mylib::f(Tensor(a!) x) -> ()", "has an argument x with an alias: state the form that returns new tensors"),
        ("mylib::f(Tensor[] x) -> Tensor", "has an argument x of the type Tensor[], which operators cannot have"),
        (
            "mylib::f(Tensor x, Layout? y) -> Tensor",
            "has an argument y of the type Layout?, which operators cannot have",
        ),
        ("mylib::f(Tensor x) -> Tensor?", "must return one or more new tensors"),
        ("mylib::f(Tensor x) -> ()", "must return one or more new tensors"),
        ("mylib::f.x(Tensor x) -> Tensor", "has an overload name; its forms are made for it"),
        ("mylib::f(Tensor lambda) -> Tensor", "has an argument lambda, which is a word of Python"),
        ("mylib::f(Tensor x, ScalarType y=half) -> Tensor", "has an argument y whose default is a data type"),
    ],
)
def test_refused(schema: str, message: str) -> None:
    with pytest.raises(BadDefinition) as raised:
        operator(schema, dtypes=(torch.float32,))
    assert f"the operator {schema.partition('(')[0]}, defined at {__file__}:" in str(raised.value)
    assert message in str(raised.value)
