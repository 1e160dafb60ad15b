"""What the numeric tests of the rows share: `ran`, `asserted` and `compared` note what tests show.

`ran(call, form, dtype)` says what was executed and compared; it refuses what the table does not have. `asserted(name)`
says that a test rests on a value of an enumeration, a field, a constant or a word of the language. The session writes
all of it to build/evidence.json, {"ran": {"call": {"form": ["dtype", ...]}}, "asserted": ["name", ...]}: the proof that
`opwright list calls --coverage LIST --evidence build/evidence.json` asks for. `compared(n)` counts elements; builds and
launches are counted by themselves, and the end of the session tells all three.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opwright.ascendc.coverage import refusal
from opwright.cli._coverage import is_known

sys.path.insert(0, str(Path(__file__).parent))
import tally

EVIDENCE = Path(__file__).parents[2] / "build" / "evidence.json"
_RAN: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
_ASSERTED: set[str] = set()


@pytest.fixture(scope="session")
def ran() -> Callable[[str, int, str], None]:
    """Notes that a form of a call, by its number in the row, was run with an element type ("": none) and compared."""

    def note(call: str, form: int, dtype: str) -> None:
        why = refusal(call, form, dtype)
        assert not why, why
        _RAN[call][str(form)].add(dtype)

    return note


@pytest.fixture(scope="session")
def asserted() -> Callable[[str], None]:
    """Notes that a test rests on a name: RoundMode.CAST_ODD, DataCopyParams.block_len, ONE_BLK_SIZE."""

    def note(name: str) -> None:
        assert is_known(name), f"there is no asc.{name}"
        _ASSERTED.add(name)

    return note


@pytest.fixture(scope="session")
def compared() -> Callable[[int], None]:
    """Counts elements that were compared; `same` of call_kernels.py and of image.py count theirs."""
    return tally.compared


@pytest.fixture(scope="session", autouse=True)
def counting() -> Iterator[None]:
    """Counts builds and launches."""
    with pytest.MonkeyPatch.context() as patch:
        tally.watch(patch)
        yield


def pytest_sessionstart(session: pytest.Session) -> None:
    """Parts that a session left behind when it was stopped are nobody's evidence."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        for path in EVIDENCE.parent.glob("evidence-*.json"):
            path.unlink()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker leaves its part beside the file; whoever started the session puts the parts together."""
    EVIDENCE.parent.mkdir(exist_ok=True)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        _part(worker).write_text(json.dumps({**_evidence(), "counts": tally.COUNTS}))
        return
    for path in sorted(EVIDENCE.parent.glob("evidence-*.json")):
        part = json.loads(path.read_text())
        for call, forms in part["ran"].items():
            for form, dtypes in forms.items():
                _RAN[call][form].update(dtypes)
        _ASSERTED.update(part["asserted"])
        tally.COUNTS.update(part["counts"])
        path.unlink()
    if _RAN or _ASSERTED:
        EVIDENCE.write_text(json.dumps(_evidence(), indent=1, sort_keys=True))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the numbers rest on."""
    if any(tally.COUNTS.values()):
        terminalreporter.write_line(tally.line())


def _part(worker: str) -> Path:
    return EVIDENCE.with_name(f"evidence-{worker}.json")


def _evidence() -> dict[str, object]:
    ran = {call: {form: sorted(dtypes) for form, dtypes in forms.items()} for call, forms in _RAN.items()}
    return {"ran": ran, "asserted": sorted(_ASSERTED)}
