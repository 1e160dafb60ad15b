"""What the tests of the rows show: runs, names they rest on, and counts of builds, launches and elements compared.

In: notes of the fixtures; `watch` sees builds and launches. Out: build/evidence.json, and a line for the end of the
session. The processes of a session each have a tally; `packed` of one goes into another with `add`.
"""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

EVIDENCE = Path(__file__).parents[2] / "build" / "evidence.json"
RAN: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
ASSERTED: set[str] = set()
COUNTS: Counter[str] = Counter()


def compared(elements: int) -> None:
    """Counts elements that were compared with a reference."""
    COUNTS["elements"] += elements


def watch(patch: pytest.MonkeyPatch) -> None:
    """Counts what is compiled and what is launched from now on."""
    import opwright.twin.build
    from opwright.twin.launch import Kernel

    build, launch = opwright.twin.build.build_kernel, Kernel.launch

    def counted_build(*arguments: Any, **keywords: Any) -> Any:
        COUNTS["builds"] += 1
        return build(*arguments, **keywords)

    def counted_launch(*arguments: Any, **keywords: Any) -> Any:
        COUNTS["launches"] += 1
        return launch(*arguments, **keywords)

    patch.setattr(opwright.twin.build, "build_kernel", counted_build)
    patch.setattr(Kernel, "launch", counted_launch)


def evidence() -> dict[str, object]:
    """The notes as plain data."""
    ran = {call: {form: sorted(dtypes) for form, dtypes in forms.items()} for call, forms in RAN.items()}
    return {"ran": ran, "asserted": sorted(ASSERTED)}


def packed() -> str:
    """All of it as text."""
    return json.dumps({**evidence(), "counts": COUNTS})


def add(text: str) -> None:
    """Adds what another process packed."""
    part = json.loads(text)
    for call, forms in part["ran"].items():
        for form, dtypes in forms.items():
            RAN[call][form].update(dtypes)
    ASSERTED.update(part["asserted"])
    COUNTS.update(part["counts"])


def write() -> None:
    """Writes the evidence, if there is any."""
    if RAN or ASSERTED:
        EVIDENCE.parent.mkdir(exist_ok=True)
        EVIDENCE.write_text(json.dumps(evidence(), indent=1, sort_keys=True))


def line() -> str:
    """The counts in words."""
    return f"ascendc: {COUNTS['builds']} builds, {COUNTS['launches']} launches, {COUNTS['elements']} elements compared"
