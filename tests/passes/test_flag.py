"""OPWRIGHT_WITHOUT leaves passes out, and keeps what is compiled so apart."""

from pathlib import Path

import pytest

from opwright import asc, passes
from opwright.errors import BadSetting
from opwright.settings import Settings, settings


@asc.jit
def kernel(n: int, m: int):
    for i in range(n):
        asc.printf("%d\n", n * m + i * 1)


@pytest.mark.quick
def test_order() -> None:
    """A pass comes after those that it names; passes without such a wish come in the order of their names."""
    order = list(passes.in_order())
    assert order == ["simplify", "fold", "hoist", "share"]
    assert sorted(order) == passes.names()


@pytest.mark.quick
def test_every_pass_says_what_it_does() -> None:
    for module in passes.in_order().values():
        first = (module.__doc__ or "").splitlines()[0]
        assert first.endswith(".") and len(first) < 120


@pytest.mark.quick
def test_text() -> None:
    def text(without: str) -> str:
        with settings.scope(without=without):
            return kernel.emit(3, 4)

    assert "int64_t value = n * m;\n    for" in text("")
    assert "n * m + i)" in text("hoist")
    assert "n * m + i * 1)" in text("hoist, simplify")
    assert text("simplify,hoist") == text(" hoist ,simplify,")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("folds", "there is no pass 'folds'; did you mean fold?"),
        ("fold,hoisst", "there is no pass 'hoisst'; did you mean hoist?"),
        ("qqq", "there is no pass 'qqq'; the passes are fold, hoist, share, simplify"),
    ],
)
def test_refused(given: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPWRIGHT_WITHOUT", given)
    with pytest.raises(BadSetting) as caught:
        _ = Settings().without
    assert message in str(caught.value)


@pytest.mark.quick
def test_one_order_whatever_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPWRIGHT_WITHOUT", " simplify,fold,,fold ")
    assert Settings().without == "fold,simplify"
    monkeypatch.delenv("OPWRIGHT_WITHOUT")
    assert Settings().without == ""


def test_builds_never_mix(tmp_path: Path) -> None:
    """In this process and in the store: a kernel without a pass is another kernel."""
    variants = ["", "hoist", "hoist,simplify"]
    made = []
    for without in variants:
        with settings.scope(without=without, cache_dir=tmp_path):
            made.append(kernel.compiled(3, 4))
            assert kernel.compiled(3, 4) is made[-1]
    assert len(set(map(id, made))) == len(variants)
    assert len(list((tmp_path / "kernels").iterdir())) == len(variants)
    with settings.scope(without="simplify, hoist", cache_dir=tmp_path):
        assert kernel.compiled(3, 4) is made[-1]
