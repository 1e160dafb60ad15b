"""Random programs mean on the twin what they mean in CPython: integers wrap, floats are rounded at every step.

Each test is one kernel of many programs. At the end of the run the forms that the programs used are counted.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from random_kernels import Batch, failures, programs, report
from reference import Int64
from short import short
from shrink import shrink

pytestmark = [
    pytest.mark.unchecked(reason="its kernels compute scalars only"),
    # The checked twin warns about numbers that wrap: here they are meant.
    pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning"),
]

BATCHES = 34
PER_BATCH = 60
LEAST = 100
FORMS = """
/ // % abs and array array_element array_element_set array_through_a_helper asc.number assert assignment
assignment_of_a_constant augmented_assignment bit_operation bool break ceildiv chain_of_assignments chained_comparison
closure_constant comparison continue elif else float for,_constant_bounds for,_negative_step for,_run-time_bounds
for,_run-time_step global_constant helper helper_with_constants helper_with_two_types if int len max method min
narrow_annotation narrow_assignment not object object_field object_field_set or return_in_a_helper shift static_range
struct_field ternary tuple_assignment tuple_result while
""".split()


@pytest.mark.parametrize("seed", short(range(BATCHES), 4))
def test_programs(seed: int, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    texts, forms = programs(seed, PER_BATCH)
    record_property("programs", {"programs": PER_BATCH, **forms})
    wrong = failures(tmp_path, texts)
    if wrong:
        number = min(wrong, key=lambda number: len(texts[number]))
        pytest.fail(
            f"{len(wrong)} of {PER_BATCH} programs fail; one of them:\n{report(tmp_path, number, texts[number])}"
        )


def test_every_form_is_covered() -> None:
    assert BATCHES * PER_BATCH >= 2000
    counts = sum((programs(seed, PER_BATCH)[1] for seed in range(1, BATCHES)), programs(0, PER_BATCH)[1])
    assert {form.replace(" ", "_") for form in counts} == set(FORMS)
    assert {form: count for form, count in counts.items() if count < LEAST} == {}


def test_programs_are_the_same_in_every_run() -> None:
    assert programs(3, 5) == programs(3, 5)
    assert programs(3, 5) != programs(4, 5)


def test_a_wrong_program_is_found_and_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in for the twin rounds quotients towards zero, as C does."""

    def rounds_to_zero(batch: Batch, which: int, arguments: tuple) -> object:
        if which < 0:
            return None
        with monkeypatch.context() as patch:
            patch.setattr(Int64, "__floordiv__", lambda a, b: Int64(math.trunc(Fraction(int(a), int(b)))))
            return batch.python(which, arguments)

    monkeypatch.setattr(Batch, "twin", rounds_to_zero)
    text = """@asc.jit
def program_0(a, b, c, x, y, t):
    n, m, k, p, q = a, b, c, x, y
    for i in range(b % 4):
        if a > 3:
            n += (a * 2) // 2
            break
        m += i
    return n, m, (a - 4) // 3 + min(b, c), p, q
"""
    assert failures(tmp_path, {0: text.replace("(a - 4) // 3", "a")}) == {}
    assert failures(tmp_path, {0: text}).keys() == {0}
    small, kind, difference = report(tmp_path, 0, text).rsplit("\n", 2)
    assert kind == "they differ" and "CPython" in difference
    body = "    n, m, k, p, q = (a, b, c, x, y)\n    return (n, m, a // 3, p, q)\n"
    assert small == f"@asc.jit\ndef program_0(a, b, c, x, y, t):\n{body}"


def test_shrinking() -> None:
    text = "def f(a):\n    b = 1\n    if a:\n        c = g(a + 2 * b)\n    return b\n"
    small = shrink(text, lambda candidate: "2" in candidate and "def f" in candidate)
    assert small == "def f(a):\n    c = 2\n"
