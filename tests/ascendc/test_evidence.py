"""The fixtures that note evidence refuse what cannot be true, and the page shows what was noted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tally

from opwright.ascendc import coverage
from opwright.ascendc.coverage import Evidence, wanted
from opwright.ascendc.table import CHAPTERS, ROWS, SHORTS


def test_a_run_of_what_is_not_there_is_refused(ran: Callable[[str, int, str], None]) -> None:
    for claim in (("nonesuch", 0, ""), ("exp", 3, "float32"), ("exp", 0, "int8"), ("set_mask_norm", 0, "int8")):
        with pytest.raises(AssertionError):
            ran(*claim)


def test_a_name_that_is_not_there_is_refused(asserted: Callable[[str], None]) -> None:
    for name in ("nonesuch", "RoundMode.CAST_NONESUCH", "asc.RoundMode", "PlainValue.__nonesuch__"):
        with pytest.raises(AssertionError):
            asserted(name)


def test_the_summary(compared: Callable[[int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "COUNTS", tally.Counter(builds=2, launches=30))
    compared(5)
    compared(6)
    assert tally.line() == "ascendc: 2 builds, 30 launches, 11 elements compared"


def test_the_page() -> None:
    everything = {
        name: {str(form): sorted(kinds) for form, kinds in enumerate(wanted(row))} for name, row in ROWS.items()
    }
    whole = coverage.page(Evidence(everything))
    assert "Not run yet" not in whole
    for chapter, title in SHORTS.items():
        assert f"| [{title}](chapters/{chapter}.md) | {len(CHAPTERS[chapter])} |" in whole
    (sums,) = (line for line in whole.splitlines() if line.startswith("| all |"))
    assert (all_of_it := sums.split(" | "))[-2] == all_of_it[-1].removesuffix(" |")
    assert "- RegTensor, MaskReg" in whole
    del everything["exp"]["1"], everything["ln"]
    part = coverage.page(Evidence(everything)).partition("## Not run yet\n\n")[2]
    assert part.splitlines() == [
        "- [`asc.exp`](calls/exp.md): not run: form 1 with float16, float32",
        "- [`asc.ln`](calls/ln.md): not run",
    ]


def test_what_is_noted_down_is_in_the_table() -> None:
    noted = Path(__file__).parents[2] / "docs" / "evidence.json"
    assert Evidence.of(json.loads(noted.read_text())).ran


def test_no_form_of_a_call_that_was_run_is_left_out() -> None:
    """Calls of functions of threads and words of the language have evidence of other kinds, or none."""
    evidence = Evidence.of(json.loads((Path(__file__).parents[2] / "docs" / "evidence.json").read_text()))
    why = {name: coverage.lacks(row, evidence) for name, row in ROWS.items()}
    assert {name: what for name, what in why.items() if what not in ("", "not run")} == {}
