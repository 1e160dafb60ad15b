"""Planted mistakes of threads: the checked twin finds each, with its lines and threads; mended, it finds nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from simt_case import Right, Wrong, arguments, load
from simt_planted import RACES
from simt_planted import RIGHT as RIGHT_ORDER
from simt_planted_order import MEETINGS, PLACES
from simt_planted_order import RIGHT as RIGHT_MEETINGS

from opwright import errors
from opwright.errors import OpwrightError

WRONG: dict[str, Wrong] = {**RACES, **MEETINGS, **PLACES}
RIGHT: dict[str, Right] = {**RIGHT_ORDER, **RIGHT_MEETINGS}


def test_the_corpus_does_not_shrink() -> None:
    assert len(RACES) >= 29 and len(MEETINGS) >= 14 and len(PLACES) >= 13 and len(RIGHT) >= 19
    assert len(WRONG) == len(RACES) + len(MEETINGS) + len(PLACES)  # no name twice


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, tmp_path: Path) -> None:
    case = WRONG[name]
    kernel, marks = load(tmp_path, case, mended=False)
    kind = getattr(errors, case.kind)
    with pytest.raises(OpwrightError):
        kernel.check[case.brackets](*arguments(case.n))
    report = kernel.check.report()
    found = [finding for finding in report if finding.kind is kind]
    assert found, str(report)
    finding = found[0]
    text = str(finding.error())
    assert finding.severity == "error" and finding.at is not None
    for word in case.words:
        assert word in text
    if name not in RACES:
        assert finding.at.line == marks["here"], text
        assert "second" not in marks or f"line {marks['second']}" in text
        return
    assert finding.first is not None and finding.first.at is not None
    first, second = (marks.get(mark) or marks["put"] for mark in ("first", "second"))
    assert {finding.first.at.line, finding.at.line} == {first, second}, text


# Only the checked twin knows what was written.
STOPS = [name for name, case in (MEETINGS | PLACES).items() if case.kind != "UninitialisedRead"]


@pytest.mark.parametrize("name", STOPS)
def test_wrong_in_fast_mode(name: str, tmp_path: Path) -> None:
    """What cannot go on is an error without the checks too: it does not hang, nor touch what it must not."""
    case = WRONG[name]
    kernel, marks = load(tmp_path, case, mended=False)
    kind = getattr(errors, case.kind)
    with pytest.raises(kind) as caught:
        kernel[case.brackets](*arguments(case.n))
    assert caught.value.at is not None and caught.value.at.line == marks["here"]


@pytest.mark.parametrize("name", WRONG)
def test_mended(name: str, tmp_path: Path) -> None:
    case = replace(WRONG[name], **(WRONG[name].mended or {}))
    kernel, _ = load(tmp_path, case)
    kernel.check[case.brackets](*arguments(case.n))
    assert not kernel.check.report().findings, str(kernel.check.report())


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str, tmp_path: Path) -> None:
    case = RIGHT[name]
    kernel, _ = load(tmp_path, case)
    kernel.check[case.brackets](*arguments(case.n))
    assert not kernel.check.report().findings, str(kernel.check.report())
