"""Operators under the names of other projects: how arguments are mapped, what cannot be, and that they are ours."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
import opwright.ops  # noqa: E402
from opwright import host  # noqa: E402
from opwright.errors import BadDefinition  # noqa: E402
from opwright.operators import operator  # noqa: E402
from opwright.operators._aliases import also_of  # noqa: E402
from opwright.operators._forms import forms_of  # noqa: E402
from opwright.operators._operator import operators  # noqa: E402
from opwright.schema import parse  # noqa: E402

ROPE = "f(Tensor positions, Tensor query, Tensor? key, int size, bool neox=True) -> (Tensor, Tensor)"
WRITES = {"query": 0, "key": 1}


@pytest.mark.parametrize(
    ("own", "writes", "theirs", "form", "called"),
    [
        (
            "f(Tensor x, float e=0.5) -> Tensor",
            {},
            "o::f(Tensor! result, Tensor input) -> ()",
            "f.out",
            "f(B, 0.5, out=A)",
        ),
        (
            "f(Tensor x, Tensor r) -> (Tensor, Tensor)",
            {"x": 0, "r": 1},
            "o::g(Tensor! input, Tensor! r) -> ()",
            "f_",
            "f(A, B)",
        ),
        ("f(Tensor x, Tensor? w) -> Tensor", {}, "o::f(Tensor w, Tensor y) -> Tensor", "f", "f(B, A)"),
        (
            ROPE,
            WRITES,
            "o::f(Tensor! query, Tensor!? key, SymInt size, Tensor positions) -> ()",
            "f_",
            "f(D, A, B, C, True)",
        ),
        ("f(Tensor(a!) cache, Tensor key) -> ()", {}, "o::store(Tensor key, Tensor! kv) -> ()", "f", "f(B, A)"),
    ],
)
def test_mapped(own: str, writes: dict[str, int], theirs: str, form: str, called: str) -> None:
    found = also_of(theirs, forms_of(parse(own), writes))
    placed, named = found.call("ABCD"[: len(found.schema.arguments)], {})
    said = [*map(str, placed), *(f"{name}={value}" for name, value in named.items())]
    assert (found.form.name, f"f({', '.join(said)})") == (form, called)


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        ("o::f(Tensr x) -> ()", "cannot be read: there is no type Tensr"),
        ("f(Tensor x) -> Tensor", "has no namespace"),
        ("o::f(Tensor query, Tensor key, int size) -> (Tensor, Tensor)", "f needs positions"),
        (
            "o::f(Tensor positions, Tensor query, Tensor key, int size, int more) -> (Tensor, Tensor)",
            "f has nothing for more",
        ),
        (
            "o::f(Tensor positions, Tensor query, Tensor key, float size) -> (Tensor, Tensor)",
            "f has size of the type int, and is given size of float",
        ),
        (
            "o::f(Tensor? positions, Tensor query, Tensor key, int size) -> (Tensor, Tensor)",
            "and is given positions of Tensor?",
        ),
        ("o::f(Tensor positions, Tensor query, Tensor key, int size) -> Tensor", "f returns something else"),
        ("o::f(Tensor positions, Tensor! query, Tensor key, int size) -> ()", "f_ does not|f_ writes key"),
    ],
)
def test_what_cannot_be_mapped(theirs: str, reason: str) -> None:
    with pytest.raises(
        BadDefinition, match=f"cannot serve {theirs.partition('(')[0]}(.|\n)*({reason.replace('?', '[?]')})"
    ):
        operator(f"aliases::{ROPE}", dtypes=(host.float32,), writes=WRITES, also=(theirs,))
    assert "aliases::f" not in operators()


@pytest.fixture(scope="module")
def defined() -> list[str]:
    made = operator(
        "aliases::grown(Tensor x, Scalar by=1) -> Tensor",
        dtypes=(host.float32,),
        gradient="exact",
        writes={"x": 0},
        also=(
            "others::grow_(Tensor! y, Scalar by) -> ()",
            "others::grow(Tensor! out, Tensor y) -> ()",
            "others::there(Tensor x) -> Tensor",
        ),
    )
    made.infer(lambda x, by: host.like(x))
    made.reference(lambda x, by: x + by)
    made.backward(lambda grad, needed, x, by: (grad,))
    opwright.ops.register(made)
    theirs = torch.library.Library("others", "FRAGMENT")
    theirs.define("there(Tensor x) -> Tensor")
    theirs.impl("there", lambda x: x * 100, "CompositeImplicitAutograd")
    names = opwright.ops.define_aliases()
    assert opwright.ops.define_aliases() == []  # once
    assert torch.ops.others.there(torch.ones(1)).tolist() == [100]  # theirs stays
    return names


def test_defined(defined: list[str]) -> None:
    assert {"others::grow", "others::grow_", "_C::rms_norm", "_C::silu_and_mul"} <= {*defined}
    assert "others::there" not in defined
    x, out = torch.ones(3), torch.zeros(3)
    torch.ops.others.grow_(x, 2)
    torch.ops.others.grow(out, x)
    assert x.tolist() == [3] * 3 and out.tolist() == [4] * 3
    with pytest.raises(RuntimeError, match="grown: out must have the shape"):
        torch.ops.others.grow(torch.ones(2), x)


def test_compiled(defined: list[str]) -> None:
    """Compiled code has the form of ours, and no copy of what is written."""

    def run(x: Any, out: Any) -> Any:
        torch.ops.others.grow_(x, 2)
        torch.ops._C.silu_and_mul(out, x)
        return out + 1

    x, out = torch.ones(4), torch.zeros(2)
    wanted = opwright.ops.silu_and_mul(x + 2)
    found = torch.compile(run, fullgraph=True, backend="aot_eager")(x, out)
    assert x.tolist() == [3] * 4
    torch.testing.assert_close(out, wanted)
    torch.testing.assert_close(found, wanted + 1)


def test_rms_norm(defined: list[str]) -> None:
    x, weight = torch.randn(2, 8), torch.randn(8)
    out = torch.empty_like(x)
    torch.ops._C.rms_norm(out, x, weight, 1e-6)
    assert out.equal(opwright.ops.rms_norm(x, weight, 1e-6))


def test_serving(defined: list[str]) -> None:
    """What a layer of a model calls, as vLLM does."""
    query, table, positions, one = torch.randn(6, 8), torch.randn(9, 8), torch.arange(6), torch.ones(())
    wanted = opwright.ops.rotary_embedding(positions, query, None, 8, table, True)[0]
    torch.ops._C.rotary_embedding(positions, query, None, 8, table, True)
    assert query.equal(wanted)
    rows, caches = query.view(6, 1, 8), [torch.zeros(2, 4, 1, 8) for _ in range(2)]
    torch.ops._C_cache_ops.reshape_and_cache_flash(rows, rows, *caches, positions, "auto", one, one)
    assert caches[1].view(-1, 1, 8)[:6].equal(rows)
