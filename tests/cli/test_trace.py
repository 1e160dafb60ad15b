"""`opwright trace`: a page, a trace for Perfetto, and what it refuses."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
Golden = Callable[[str, str], None]
ROOT = Path(__file__).parents[2]
KERNEL = f"{ROOT}/examples/04_find_the_race.py:forgets_to_wait"
ARRAYS = ("--arg", "x=f32[4096]", "--arg", "z=f32[4096]", "--arg", "tiles=4")


def data_of(page: Path) -> dict:
    found = re.search(r'<script type="application/json" id="trace">(.*)</script>', page.read_text(encoding="utf-8"))
    assert found
    return json.loads(found[1])


def test_page(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    done = run("trace", KERNEL, *ARRAYS, "-o", str(page))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{page}: 36 events, 1 finding\n", "")
    data = data_of(page)
    assert len(data["steps"]) == 36 and len(data["arrows"]) == 12
    assert [finding["kind"] for finding in data["findings"]] == ["RaceError"]
    assert all(len(finding["steps"]) == 2 for finding in data["findings"])


def test_perfetto(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "out.json"
    done = run("trace", KERNEL, *ARRAYS, "-o", str(trace))
    assert (done.returncode, done.stdout) == (0, f"{trace}: 36 events, 1 finding\n")
    events = json.loads(trace.read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) == 36
    assert sum(event["ph"] == "s" for event in events) == sum(event["ph"] == "f" for event in events) == 13


def test_one_core_of_several(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "out.html"
    words = ("--arg", "x=f32[256]", "--arg", "z=f32[256]", "--arg", "times=2", "--cores", "3", "-o", str(page))
    kernel = f"{ROOT}/tests/check/trace_kernels.py:copies_often"
    assert run("trace", kernel, *words).stdout == f"{page}: 24 events, 2 findings\n"
    assert data_of(page)["cores"] == [0, 1, 2]
    assert run("trace", kernel, *words, "--core", "2").stdout == f"{page}: 8 events, 2 findings\n"
    assert data_of(page)["cores"] == [2] and data_of(page)["notes"] == ["Only core 2 of 3 is shown."]


@pytest.mark.parametrize(
    ("words", "complaint", "code"),
    [
        ((), "Missing option '-o' / '--output'", 2),
        (("-o", "out.txt"), "-o out.txt: name a file that ends in .html (a page) or .json (a trace for Perfetto)", 2),
        (("-o", "out.html", "--core", "1"), "--core 1: the cores are 0 to 0", 2),
        (("-o", "/no/such/folder/out.html"), "/no/such/folder/out.html cannot be written: No such file", 1),
    ],
)
def test_refused(words: tuple[str, ...], complaint: str, code: int, run: Run) -> None:
    done = run("trace", KERNEL, *ARRAYS, *words)
    assert done.returncode == code and complaint in done.stderr


def test_help_text(run: Run, golden: Golden) -> None:
    golden("opwright_trace_help.txt", run("trace", "--help", COLUMNS="80").stdout)
