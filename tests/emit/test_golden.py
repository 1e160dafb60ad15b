"""The text of every kernel of `kernels.py`, as a file to read."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright.ascendc.table import CHAPTER_OF, ROWS

HERE = Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("kernels_of_the_golden_texts", HERE / "kernels.py")
assert SPEC and SPEC.loader
KERNELS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(KERNELS)
CASES = KERNELS.CASES


@pytest.mark.quick
@pytest.mark.parametrize("name", CASES)
def test_text(name: str, golden: Callable[[str, str], None]) -> None:
    kernel, arguments, soc = CASES[name]
    golden(f"{name}.cpp", kernel.emit(*arguments, soc=soc))


@pytest.mark.quick
def test_no_text_is_left_over() -> None:
    assert {path.stem for path in (HERE / "golden").glob("*.cpp")} == set(CASES)


def test_every_form_of_every_row_is_used() -> None:
    used = set()
    for kernel, arguments, soc in CASES.values():
        bound = kernel.binder.bind(arguments, {}, described=True)
        for operation in kernel.program(bound, soc).ir.walk():
            if operation.name == "py.start":
                used.add(("vf_call", 0))
            if operation.name.startswith("asc."):
                used.add((operation.row.name, operation.row.forms.index(operation.chosen)))
    # The calls of threads are many, and much alike: tests/simt/test_strict_calls.py has a text with each of them.
    own = [row for row in ROWS.values() if not CHAPTER_OF[row.name].startswith("simt_")]
    assert used >= {(row.name, index) for row in own for index in range(len(row.forms))}


@pytest.mark.quick
def test_emission_is_deterministic() -> None:
    kernel, arguments, soc = CASES["variables"]
    assert len({kernel.emit(*arguments, soc=soc) for _ in range(5)}) == 1
