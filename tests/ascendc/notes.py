"""Fixtures with which tests of the rows note what they show: `ran`, `asserted` and `compared`.

`ran(call, form, dtype)` says what was executed and compared; it refuses what the table does not have. `asserted(name)`
says that a test rests on a value of an enumeration, a field, a constant or a word of the language. The session writes
all of it to build/evidence.json, {"ran": {"call": {"form": ["dtype", ...]}}, "asserted": ["name", ...]}: the proof that
`opwright list calls --coverage LIST --evidence build/evidence.json` asks for. `compared(n)` counts elements; builds and
launches are counted by themselves, and the end of the session tells all three.
"""

from collections.abc import Callable, Iterator

import pytest
import tally

from opwright.ascendc.coverage import refusal
from opwright.cli._coverage import is_known


@pytest.fixture(scope="session")
def ran() -> Callable[[str, int, str], None]:
    """Notes that a form of a call, by its number in the row, was run with an element type ("": none) and compared."""

    def note(call: str, form: int, dtype: str) -> None:
        why = refusal(call, form, dtype)
        assert not why, why
        tally.RAN[call][str(form)].add(dtype)

    return note


@pytest.fixture(scope="session")
def asserted() -> Callable[[str], None]:
    """Notes that a test rests on a name: RoundMode.CAST_ODD, DataCopyParams.block_len, ONE_BLK_SIZE."""

    def note(name: str) -> None:
        assert is_known(name), f"there is no asc.{name}"
        tally.ASSERTED.add(name)

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
