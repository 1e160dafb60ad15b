"""Every row's example runs on the twin, within the kernel that its reference page shows, and gives what the page says.

Every example is emitted; CI compiles every third one, and the slow tests the others. What came out is stored for the
pages in docs/example_outcomes.json; `--update-golden` notes it down anew.
"""

import re
from pathlib import Path

import pytest
from documentation import examples
from short import short

from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS

STORED = examples.read_outcomes(examples.OUTCOMES.read_text(encoding="utf-8"))


EVERY_THIRD = list(ROWS.values())[::3]
OTHERS = [row for row in ROWS.values() if row not in EVERY_THIRD]


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_example_is_emitted(row: Row, tmp_path: Path) -> None:
    prepared = examples.Prepared(row, tmp_path)
    for soc in prepared.around.socs:
        if any(soc not in row.not_on(form) for form in row.forms):
            assert row.cpp.removesuffix("]") in prepared.kernel.emit(*prepared.arguments.values(), soc=soc)


@pytest.mark.parametrize("row", short(EVERY_THIRD + OTHERS, len(EVERY_THIRD)), ids=lambda row: row.name)
def test_example_runs(row: Row, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    prepared = examples.Prepared(row, tmp_path)
    outcome = prepared.run()
    if request.config.getoption("--update-golden"):
        examples.note_outcome(row.name, outcome)
    else:
        assert outcome == STORED.get(row.name), "if this is meant, note it down with --update-golden"
    example = prepared.example(outcome)
    assert row.cpp.removesuffix("]") in example.text
    assert row.example in example.kernel.replace("\n    ", "\n")
    if prepared.around.written:
        assert example.results, "what the example writes was not seen"
    assert (example.error != "") == (row.name == "trap")


def test_an_example_that_cannot_run_is_found(tmp_path: Path) -> None:
    row = Row(
        "add", "Add", "Adds.", ROWS["add"].forms, ROWS["add"].dtypes, example="asc.add(z_local, what, y_local, 64)"
    )
    with pytest.raises(LookupError, match=re.escape("asc.add: the example uses what")):
        examples.Prepared(row, tmp_path)


def test_outcomes_are_of_rows() -> None:
    """Of every row, and of nothing else; pages are made without a run."""
    assert list(STORED) == sorted(ROWS)
    shown = examples.stored_examples()
    assert all(row.example in shown[name].kernel.replace("\n    ", "\n") for name, row in ROWS.items())
    assert not any(re.search(r"\d{13}", "".join(example.given)) for example in shown.values()), "an address"


def test_a_row_that_was_not_run_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noting a row down keeps the others, and forgets what is no row."""
    monkeypatch.setattr(examples, "OUTCOMES", tmp_path / "outcomes.json")
    examples.note_outcome("add", examples.Outcome("TEXT", ("z = [1]",)))
    examples.note_outcome("no_row", examples.Outcome("TEXT"))
    examples.note_outcome("abs", examples.Outcome("TEXT", printed="PRINTED\n"))
    noted = examples.read_outcomes(examples.OUTCOMES.read_text())
    assert noted == {
        "abs": examples.Outcome("TEXT", printed="PRINTED\n"),
        "add": examples.Outcome("TEXT", ("z = [1]",)),
    }
    with pytest.raises(LookupError, match=r"outcomes\.json lacks .*\bsub\b.*--update-golden"):
        examples.stored_examples()


def test_results_are_shown_where_they_are(tmp_path: Path) -> None:
    """By hand: 0.5 + 2, -1 + -3, and from element 64 on 32.5 + 2."""
    prepared = examples.Prepared(ROWS["add"], tmp_path)
    add = prepared.example(prepared.run())
    assert add.given == ("x = [0.5, -1.0, 1.5, -2.0, 2.5, -3.0, ...]", "y = [2.0, -3.0, 1.0, 4.0, 2.0, -3.0, ...]")
    assert add.results == ("z = [2.5, -4.0, 2.5, 2.0, 4.5, -6.0, ...]",)
    part = examples.Prepared(ROWS["LocalTensor.__getitem__"], tmp_path).run()
    assert part.results == ("z[64:70] = [34.5, -36.0, 34.5, -30.0, 36.5, -38.0, ...]",)
