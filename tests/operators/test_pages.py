"""The page of each operator in the documentation: `docs/_operators.py`, and what was measured for it."""

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from battery import Operator, own_operators  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs"
OPERATORS = own_operators()
FLOOR = 2.0  # a provider is at most as far from float64 as this times the reference


@pytest.fixture(scope="module")
def made() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    import _operators

    return _operators


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: one.name)
def test_page(operator: Operator, made: ModuleType) -> None:
    page = made.pages()[f"operators/{operator.name}"]
    refusals = (made.MISTAKES / f"{operator.name}.txt").read_text(encoding="utf-8").strip()
    wanted = [operator.schema.text, *(f"also serves `{one.schema.qualified}(" for one in operator.also), refusals]
    wanted += [f"{place}. {name}: " for place, name in enumerate(operator.orders["cpu"], 1)]
    wanted += [f"- dtypes: {str(operator.dtypes[0]).removeprefix('torch.')}", "- gradient: ", "## Accuracy\n"]
    assert [text for text in wanted if text not in page] == []


def measured(made: ModuleType, name: str) -> list[dict[str, object]]:
    """Rows of a file, which says where they are from."""
    found = json.loads(getattr(made, name).read_text(encoding="utf-8"))
    assert all(found[what] for what in ("cpu", "date", "commit", "command"))
    rows: list[dict[str, object]] = found["rows"]
    return rows


def test_every_operator_is_measured(made: ModuleType) -> None:
    names = {str(row["case"]).partition(",")[0] for row in measured(made, "SPEED")}
    missing = {one.name for one in OPERATORS if "timed" in one.functions} - names
    assert not missing, "run python benchmarks/operators.py --json docs/measured/operators.json"


def test_no_provider_is_far_from_float64(made: ModuleType) -> None:
    rows = measured(made, "ACCURACY")
    missing = {one.name for one in OPERATORS if one.tolerance} - {str(row["operator"]) for row in rows}
    assert not missing, "run python benchmarks/accuracy.py --json docs/measured/accuracy.json"
    far = [row for row in rows if row["ours"] is not None and row["ours"] > FLOOR * row["eager"]]
    assert far == []
