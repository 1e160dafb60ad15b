"""Every call of threads that touches memory goes outside it once, at either end, and is told where it stands.

The kernel is made from the table: a row that is added is walked, too. Used rightly, nothing is told.
"""

import numpy as np
import pytest
from image import load
from thread_calls import HEAD

from opwright.ascendc.row import SIMT
from opwright.ascendc.table import ROWS
from opwright.errors import OutOfRange

LENGTH = 64
VALUES = {"val": "1", "compare": "0", "value": "1"}
MEMORIES = {"address": ("x",), "ub_address": ("tile",), "pointer": ("x", "tile")}


def calls() -> dict[str, str]:
    """What is walked, by row and memory: an element type that all of them take, and any values."""
    found = {}
    for row in ROWS.values():
        for form in row.forms:
            if row.space != SIMT or not form.accesses:
                continue
            pointer, *others = form.parameters
            for memory in MEMORIES[pointer.kind]:
                arguments = ", ".join([f"{memory}[place:]", *(VALUES[other.name] for other in others)])
                found[f"{row.short} {memory}"] = f"{row.name}({arguments})"
    return found


CALLS = calls()
TEXT = [
    *HEAD.splitlines(),
    "@simt",
    "def walked(x: asc.GlobalAddress, which: int, place: int):",
    f"    tile = simt.shared(asc.uint32, {LENGTH})",
    f"    for i in range({LENGTH}):",
    "        tile[i] = i",
]
LINES = {}
for number, (name, call) in enumerate(CALLS.items()):
    TEXT += [f"    if which == {number}:", f"        {call}"]
    LINES[name] = len(TEXT)


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory):
    return load(tmp_path_factory.mktemp("walked"), "walked", "".join(f"{line}\n" for line in TEXT)).walked


def test_all_kinds_are_walked() -> None:
    rows = {name.partition(" ")[0].partition("_")[0] for name in CALLS}
    assert {"atomic", "ldcg", "ldca", "stcg", "stwt", "load", "store"} <= rows
    assert {name.partition(" ")[2] for name in CALLS} == {"x", "tile"}


@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("name", CALLS)
def test_outside(name: str, checked: bool, walked) -> None:
    x = np.zeros(LENGTH, np.uint32)
    launch = (walked.check if checked else walked)[1, 1]
    which = list(CALLS).index(name)
    launch(x, which, LENGTH - 1)
    for place in (LENGTH, -1, 1 << 40):
        with pytest.raises(OutOfRange, match=f"element {place}") as caught:
            launch(x, which, place)
        assert caught.value.at is not None and caught.value.at.line == LINES[name]
