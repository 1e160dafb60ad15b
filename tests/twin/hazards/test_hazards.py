"""The hazard corpus: small wrong kernels that the checked twin must find, at their lines, and right ones that look
suspicious, about which it must say nothing.

Numbers of items are those of the catalogue of hazards. Left out:
18 is about cost, not about results.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hazard_case import BLOCK, COPY, FILL, IN_, OUT, Right, arguments, lines, load
from hazards import RIGHT, THEMES, WRONG

from opwright.errors import CacheError, CheckWarning, FloatAtomic, KernelError, OpwrightError, RaceError
from opwright.settings import settings

# Item -> how many wrong kernels it has at least.
ITEMS: dict[int | str, int] = {
    **{
        1: 16,
        2: 5,
        3: 5,
        4: 17,
        5: 4,
        6: 14,
        7: 12,
        8: 5,
        9: 8,
        10: 6,
        11: 7,
        12: 6,
        13: 24,
        14: 13,
        15: 12,
        16: 7,
        17: 12,
        19: 6,
        20: 3,
    },
    **{"overflow": 6, "narrowing": 6},
}


def test_the_corpus_does_not_shrink() -> None:
    count = Counter(case.item for case in WRONG.values())
    assert set(count) == set(ITEMS)
    assert {item: count[item] for item, least in ITEMS.items() if count[item] < least} == {}
    assert len(WRONG) == sum(len(theme.WRONG) for theme in THEMES)  # no name twice
    assert len(RIGHT) == sum(len(theme.RIGHT) for theme in THEMES) >= 84


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name: str, tmp_path: Path) -> None:
    case = WRONG[name]
    kernel, marks = load(tmp_path, case)
    second = marks.get("here") or marks.get("both") or marks["second"]
    raised: OpwrightError | None = None
    if case.warns:
        with pytest.warns(CheckWarning):
            kernel.check[case.cores](*arguments(case))
    else:
        with pytest.raises(OpwrightError) as caught:
            kernel.check[case.cores](*arguments(case))
        raised = caught.value
    if issubclass(case.kind, KernelError):
        assert isinstance(raised, case.kind)
        assert raised.at is not None and raised.at.line == second
        assert case.words in str(raised)
        return
    # What is certain before the run comes first: a flag that nothing waits for, beside the wait for another.
    finding, *_ = (finding for finding in kernel.check.report() if finding.kind is case.kind)
    assert finding.severity == ("warning" if case.warns else "error")
    assert finding.at is not None and finding.at.line == second
    assert case.words in str(finding.error())
    assert raised is None or str(raised) == str(kernel.check.report().errors()[0].error())
    if case.kind in (RaceError, CacheError, FloatAtomic):
        assert finding.first is not None and finding.first.at is not None
        assert finding.first.at.line == (marks.get("both") or marks["first"])


@pytest.mark.parametrize("name", RIGHT)
def test_right(name: str, tmp_path: Path) -> None:
    case = RIGHT[name]
    kernel, _ = load(tmp_path, case)
    kernel.check[case.cores](*arguments(case))
    assert not kernel.check.report().findings, str(kernel.check.report())


def test_every_core_is_checked(tmp_path: Path) -> None:
    branch = f"if {BLOCK} == 2:\n    asc.data_copy(a, x_gm[64:], 64)"
    kernel, _ = load(tmp_path, Right(lines(COPY, IN_, branch, "asc.adds(b, a, 1.0, 64)")))
    with pytest.raises(RaceError, match="core 2"):
        kernel.check[4](*arguments(Right("")))


def test_the_report_is_the_same_on_two_threads(tmp_path: Path) -> None:
    case = Right(lines(f"first = {BLOCK} * n", FILL, OUT, "asc.data_copy(z_gm[first:], b, 64)"), n=8)
    kernel, _ = load(tmp_path, case)
    reports = set()
    for threads in (1, 2):
        for _ in range(5):
            with settings.scope(threads=threads), pytest.raises(RaceError) as caught:
                kernel.check[4](np.ones(256, np.float32), np.zeros(256, np.float32), 8)
            reports.add(str(caught.value))
    assert len(reports) == 1
