"""Every row's example runs on the twin, within the kernel that its reference page shows."""

import re
from pathlib import Path

import pytest
from documentation import examples

from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS


@pytest.mark.parametrize("row", ROWS.values(), ids=lambda row: row.name)
def test_example_runs(row: Row, tmp_path: Path) -> None:
    prepared = examples.Prepared(row, tmp_path)
    example = prepared.run()
    assert row.cpp.removesuffix("]") in example.text
    assert row.example in example.kernel.replace("\n    ", "\n")
    if prepared.around.written:
        assert example.results, "what the example writes was not seen"
    assert (example.error != "") == (row.name == "trap")
    for soc in prepared.around.socs:
        if any(soc not in row.not_on(form) for form in row.forms):
            assert prepared.kernel.emit(*prepared.arguments.values(), soc=soc)


def test_an_example_that_cannot_run_is_found(tmp_path: Path) -> None:
    row = Row(
        "add", "Add", "Adds.", ROWS["add"].forms, ROWS["add"].dtypes, example="asc.add(z_local, what, y_local, 64)"
    )
    with pytest.raises(LookupError, match=re.escape("asc.add: the example uses what")):
        examples.Prepared(row, tmp_path)


def test_results_are_shown_where_they_are(tmp_path: Path) -> None:
    """By hand: 0.5 + 2, -1 + -3, and from element 64 on 32.5 + 2."""
    add = examples.Prepared(ROWS["add"], tmp_path).run()
    assert add.given == ("x = [0.5, -1.0, 1.5, -2.0, 2.5, -3.0, ...]", "y = [2.0, -3.0, 1.0, 4.0, 2.0, -3.0, ...]")
    assert add.results == ("z = [2.5, -4.0, 2.5, 2.0, 4.5, -6.0, ...]",)
    part = examples.Prepared(ROWS["LocalTensor.__getitem__"], tmp_path).run()
    assert part.results == ("z[64:70] = [34.5, -36.0, 34.5, -30.0, 36.5, -38.0, ...]",)
