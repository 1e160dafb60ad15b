"""What the numeric tests of the rows share: `ran(call, form, dtype)` says what was executed and compared.

`asserted(name)` says that a test rests on a value of an enumeration, a field, a constant or a word of the language. The
session writes all of it to build/evidence.json: {"ran": {"call": {"form": ["dtype", ...]}}, "asserted": ["name", ...]}.
It is meant for `opwright list calls --coverage LIST`, as the proof of what is covered.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
EVIDENCE = Path(__file__).parents[2] / "build" / "evidence.json"
_RAN: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
_ASSERTED: set[str] = set()


@pytest.fixture(scope="session")
def ran() -> Callable[[str, int, str], None]:
    """Notes that a form of a call, by its number in the row, was run with an element type ("": none) and compared."""

    def note(call: str, form: int, dtype: str) -> None:
        _RAN[call][str(form)].add(dtype)

    return note


@pytest.fixture(scope="session")
def asserted() -> Callable[[str], None]:
    """Notes that a test rests on a name: RoundMode.CAST_ODD, DataCopyParams.block_len, ONE_BLK_SIZE."""
    return _ASSERTED.add


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker leaves its part beside the file; whoever started the session puts the parts together."""
    EVIDENCE.parent.mkdir(exist_ok=True)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        _part(worker).write_text(json.dumps(_evidence()))
        return
    for path in sorted(EVIDENCE.parent.glob("evidence-*.json")):
        part = json.loads(path.read_text())
        for call, forms in part["ran"].items():
            for form, dtypes in forms.items():
                _RAN[call][form].update(dtypes)
        _ASSERTED.update(part["asserted"])
        path.unlink()
    if _RAN or _ASSERTED:
        EVIDENCE.write_text(json.dumps(_evidence(), indent=1, sort_keys=True))


def _part(worker: str) -> Path:
    return EVIDENCE.with_name(f"evidence-{worker}.json")


def _evidence() -> dict[str, object]:
    ran = {call: {form: sorted(dtypes) for form, dtypes in forms.items()} for call, forms in _RAN.items()}
    return {"ran": ran, "asserted": sorted(_ASSERTED)}
