"""What is said about threads that race or read too early: text, JSON, SARIF. A stand-in for a launch has numbers."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.check.sarif import sarif
from opwright.errors import FloatAtomic, RaceError, UninitialisedRead
from opwright.findings.finding import Finding, Report
from opwright.kernel.program import Called, Place
from opwright.kernel.source import Source
from opwright.twin.faults import FAULTS
from opwright.twin.launch_record import Found, Outcome
from opwright.twin.report import findings_of

pytestmark = pytest.mark.quick

TEXT = """\
@simt
def reverse(x: asc.GlobalAddress, y: asc.GlobalAddress):
    tile = simt.shared(asc.float32, 256)
    i = simt.threadIdx.x
    tile[i] = x[i]
    y[i] = tile[255 - i]
    simt.atomic_add(y[:], x[i])
    y[0] = y[0] + x[i]
"""
LINES = tuple(TEXT.splitlines(keepends=True))
PLACES = {10 + number: Place(f"{number}:4") for number in range(1, len(LINES) + 1)}
KERNEL = SimpleNamespace(
    name="reverse",
    python=None,
    places=PLACES,
    functions=(Called(""),),
    source=Source("reverse", TEXT, "reverse.py", 1, 0, LINES),
    types=(("x", "float32"), ("y", "float32")),
    kernel_type=KERNEL_TYPES[None],
)
READ, WRITTEN, ATOMIC, ADDS_FLOATS = range(4)
UB, GM = 0, 7
AIV = 0


def race(first: int, *kinds: int, memory: int, begin: int, slot: int, threads: tuple[int, ...]) -> list[int]:
    return [first, memory, *kinds, begin, begin + 4, slot, begin // 4, *threads]


CASES: dict[str, tuple[str, int, list[int]]] = {
    "of UB": (
        "THREAD_RACE",
        16,
        race(15, WRITTEN, READ, memory=UB, begin=1020, slot=-1, threads=(255, 0, 0, 0, 0, 0)),
    ),
    "on one line": (
        "THREAD_RACE",
        18,
        race(18, WRITTEN, READ, memory=GM, begin=0, slot=1, threads=(0, 0, 0, 1, 0, 0)),
    ),
    "with an atomic": (
        "THREAD_RACE",
        18,
        race(17, ADDS_FLOATS, WRITTEN, memory=GM, begin=0, slot=1, threads=(0, 1, 2, 3, 0, 0)),
    ),
    "of floats": (
        "THREAD_FLOATS",
        17,
        race(17, ADDS_FLOATS, ADDS_FLOATS, memory=GM, begin=0, slot=1, threads=(0, 0, 0, 1, 0, 0)),
    ),
    "too early": ("THREAD_UNINITIALISED", 16, [3, 0, 0, UB, 1008, 1012, 252, 0]),
    "computed from nothing": ("THREAD_UNINITIALISED", 16, [3, 0, 0, UB, 1008, 1012, 252, 15]),
    "of blocks": ("RACE_BETWEEN_CORES", 18, [18, 1, 1, GM, 1, 0, 0, 0, 0, 4, 1, 0, 0, AIV]),
}


@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    numbers = {fault.name: number for number, fault in enumerate(FAULTS)}
    outcome = Outcome()
    found = (Found * len(CASES))()
    for one, (name, line, details) in zip(found, CASES.values(), strict=True):
        assert len(details) == len(FAULTS[numbers[name]].details)
        one.fault, one.line, one.block, one.count, one.cores = numbers[name], line, 2, 255, 1
        one.details[: len(details)] = details
    outcome.findings = ctypes.cast(found, ctypes.POINTER(Found))
    outcome.finding_count = len(found)
    return dict(zip(CASES, findings_of(outcome, KERNEL, ()), strict=True))  # type: ignore[arg-type]


def test_classes(findings: dict[str, Finding]) -> None:
    kinds = [RaceError, RaceError, RaceError, FloatAtomic, UninitialisedRead, UninitialisedRead, RaceError]
    assert [finding.kind for finding in findings.values()] == kinds
    assert [finding.severity for finding in findings.values()] == ["error"] * 3 + ["warning"] + ["error"] * 3


def test_text(findings: dict[str, Finding], golden: Callable[[str, str], None]) -> None:
    golden("thread_words.txt", "\n\n".join(map(str, findings.values())) + "\n")


def test_json(findings: dict[str, Finding]) -> None:
    told = findings["of UB"].as_json()
    first = told["first"]
    assert isinstance(first, dict)
    assert (told["line"], told["thread"], told["written"], told["pipe"]) == (6, [0, 0, 0], False, "V")
    assert (first["line"], first["thread"], first["written"]) == (5, [255, 0, 0], True)
    assert (told["memory"], told["begin"], told["end"], told["element"]) == ("UB", 1020, 1024, 255)
    assert findings["with an atomic"].first is not None and findings["with an atomic"].first.thread == (0, 1, 2)
    assert findings["too early"].access.thread == (3, 0, 0)
    assert findings["of blocks"].access.thread is None


def test_sarif(findings: dict[str, Finding]) -> None:
    text = sarif(Report("reverse", "ascend950", 4, tuple(findings.values())), Path.cwd())
    race = json.loads(text)["runs"][0]["results"][0]
    assert race["properties"]["thread"] == [0, 0, 0]
    assert race["relatedLocations"][0]["message"]["text"] == "the other access: thread (255,0,0) writes here (core 2)"
    assert "threads (0,0,0) and (255,0,0)" in race["message"]["text"]
