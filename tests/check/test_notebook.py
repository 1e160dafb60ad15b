"""`kernel.trace` in Python, and what notebooks show: traces, reports, texts."""

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from check_kernels import two_mistakes
from trace_kernels import copies_often

from opwright import asc
from opwright.check.trace import Trace
from opwright.errors import ArgumentError, RaceError
from opwright.findings.finding import Report

pytestmark = pytest.mark.opwright_check(False)  # kernels that are wrong on purpose


@pytest.fixture(scope="module")
def trace() -> Trace:
    x, z = np.ones(256, np.float32), np.zeros(256, np.float32)
    return copies_often.trace[3](x, z, times=2)


def test_a_trace_is_saved(trace: Trace, tmp_path: Path) -> None:
    """What was found raises nothing and is in the report; the files are those of the command."""
    assert repr(trace) == "<trace of copies_often on 3 cores of ascend910b: 24 events, 2 findings>"
    assert [finding.kind for finding in trace.report] == [RaceError] * 2
    trace.save(tmp_path / "all.json")
    events = json.loads((tmp_path / "all.json").read_text(encoding="utf-8"))["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == 24
    trace.save(str(tmp_path / "one.html"), core=2)
    assert "Only core 2 of 3 is shown." in (tmp_path / "one.html").read_text(encoding="utf-8")


def test_what_a_trace_refuses(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"a file \.html is a page, one \.json a trace for Perfetto"):
        trace.save(tmp_path / "out.txt")
    with pytest.raises(ArgumentError, match="trace of core 3: the cores are 0 to 2"):
        trace.save(tmp_path / "out.html", core=3)
    with pytest.raises(ArgumentError, match="argument 'times' is missing"):
        copies_often.trace[1](np.ones(256, np.float32), np.zeros(256, np.float32))
    assert list(tmp_path.iterdir()) == []


def test_notebooks_show_a_trace(trace: Trace, tmp_path: Path) -> None:
    """The page in a frame that cannot reach the notebook."""
    trace.save(tmp_path / "all.html")
    frame = re.fullmatch(
        r'<iframe sandbox="allow-scripts" style="[^"]*" srcdoc="([^"]*)"></iframe>', trace._repr_html_()
    )
    assert frame is not None
    assert html.unescape(frame[1]) == (tmp_path / "all.html").read_text(encoding="utf-8")


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def test_notebooks_show_a_report(trace: Trace) -> None:
    """The same words, in colours; what a user wrote is no markup."""
    assert text_of(trace.report._repr_html_()) == str(trace.report)
    assert trace.report._repr_html_().count('font-weight: bold">error: RaceError</span>') == 2
    assert 'bold">nothing found</span>' in Report("k", "ascend910b", 1)._repr_html_()
    assert "<b>" not in Report("<b>k</b>", "ascend910b", 1)._repr_html_()


def test_notebooks_show_a_text() -> None:
    text = two_mistakes.emit("f32[4096]", "f32[4096]", 4)
    assert isinstance(text, str) and "LocalTensor<float>" in text
    assert text_of(text._repr_html_()) == text and "LocalTensor&lt;float&gt;" in text._repr_html_()


@asc.simt
def by_threads(x: asc.GlobalAddress):
    pass


def test_what_stands_for_a_launch_is_short(trace: Trace) -> None:
    """No addresses and no dumps, whatever part of a launch somebody prints."""
    shown = {
        repr(copies_often[8]): "<kernel copies_often on 8 cores>",
        repr(copies_often[1]): "<kernel copies_often on 1 core>",
        repr(by_threads[4, 64]): "<kernel by_threads on a grid of 4x1x1 blocks of 64x1x1 threads>",
        repr(copies_often.check): "<copies_often.check>",
        repr(copies_often.check(perturb=3)[8]): "<copies_often.check(perturb=3, seed=0) on 8 cores>",
        repr(copies_often.trace): "<copies_often.trace>",
        repr(copies_often.trace[2]): "<copies_often.trace on 2 cores>",
        repr(trace.report): "<report of copies_often on 3 cores of ascend910b: 2 findings>",
        repr(Report("mine", "ascend950", 1)): "<report of mine on 1 core of ascend950: nothing found>",
    }
    assert list(shown) == list(shown.values())
    assert str(trace.report).startswith("copies_often on 3 cores of ascend910b: 2 findings\n")
