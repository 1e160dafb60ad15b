"""What the numeric tests of the rows share: `ran(call, form, dtype)` says what was executed and compared.

The session writes all of it to build/evidence.json: {"call": {"form": ["dtype", ...]}}. It is
meant for `opwright list calls --coverage LIST`, as the proof of what is covered.
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


@pytest.fixture(scope="session")
def ran() -> Callable[[str, int, str], None]:
    """Notes that a form of a call, by its number in the row, was run with an element type and compared."""

    def note(call: str, form: int, dtype: str) -> None:
        _RAN[call][str(form)].add(dtype)

    return note


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker leaves its part beside the file; whoever started the session puts the parts together."""
    EVIDENCE.parent.mkdir(exist_ok=True)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        _part(worker).write_text(json.dumps(_as_lists()))
        return
    for path in sorted(EVIDENCE.parent.glob("evidence-*.json")):
        for call, forms in json.loads(path.read_text()).items():
            for form, dtypes in forms.items():
                _RAN[call][form].update(dtypes)
        path.unlink()
    if _RAN:
        EVIDENCE.write_text(json.dumps(_as_lists(), indent=1, sort_keys=True))


def _part(worker: str) -> Path:
    return EVIDENCE.with_name(f"evidence-{worker}.json")


def _as_lists() -> dict[str, dict[str, list[str]]]:
    return {call: {form: sorted(dtypes) for form, dtypes in forms.items()} for call, forms in _RAN.items()}
