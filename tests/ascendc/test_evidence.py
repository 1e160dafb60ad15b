"""Evidence that cannot be true is refused, what is missing from it is found, and the page shows it."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import tally

from opwright.ascendc import coverage
from opwright.ascendc.coverage import Evidence, wanted
from opwright.ascendc.table import CHAPTERS, ROWS, SHORTS

ROOT = Path(__file__).parents[2]


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


@pytest.mark.quick
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


@pytest.mark.quick
def test_what_was_not_run_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """tools/check_evidence.py: a call without runs, a form, a dtype; words of the language need none."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    check_evidence = import_module("check_evidence")
    rows = {name: row for name, row in ROWS.items() if name not in check_evidence.WITHOUT_RUNS}
    assert set(ROWS) - set(rows) == check_evidence.WITHOUT_RUNS
    ran = {name: {str(form): sorted(kinds) for form, kinds in enumerate(wanted(row))} for name, row in rows.items()}
    assert check_evidence.left_out(Evidence(ran)) == {}
    del ran["exp"]["1"], ran["ln"]
    ran["abs"]["0"].remove("float16")
    assert check_evidence.left_out(Evidence(ran)) == {
        "abs": "not run: form 0 with float16",
        "exp": "not run: form 1 with float16, float32",
        "ln": "not run",
    }


def test_the_page_without_evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])
    generate = import_module("_generate")
    monkeypatch.setattr(generate, "EVIDENCE", tmp_path / "evidence.json")
    page = generate.coverage_page()
    assert "pytest tests/ascendc tests/simt" in page and "Not run yet" not in page
    assert "- RegTensor, MaskReg" in page
    (tmp_path / "evidence.json").write_text('{"ran": {}, "asserted": []}')
    assert "Not run yet" in generate.coverage_page()
