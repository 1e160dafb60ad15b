"""The named programs compute what NumPy says, for all numbers of threads; the checked twin finds nothing in them.

Elementwise, block scan, histogram, transpose through UB, sorts of warps, reductions, atomics of two blocks, indices in
three dimensions: as pure kernels and mixed with copies and flags.
"""

import pytest
from simt_programs import PROGRAMS, THREADS

CASES = [(name, threads) for name, program in PROGRAMS.items() for threads in program.threads]
# A checked launch of 2048 threads takes as long as all others together, and 1024 threads have full and many warps too.
CHECKED = [(name, threads) for name, threads in CASES if threads not in (31, 2048)]
PERTURBED = [(name, threads) for name, threads in CASES if threads in (33, 60, 64, 256)]


def test_the_list_does_not_shrink() -> None:
    assert len(PROGRAMS) >= 25
    everywhere = [name for name, program in PROGRAMS.items() if program.threads == THREADS]
    assert len(everywhere) >= 20


@pytest.mark.parametrize(("name", "threads"), CASES)
def test_program(name: str, threads: int) -> None:
    run = PROGRAMS[name].make(threads)
    arguments = run.fresh()
    run.kernel[run.place](*arguments)
    run.compare(arguments)


@pytest.mark.parametrize(("name", "threads"), CHECKED)
def test_nothing_is_found(name: str, threads: int) -> None:
    run = PROGRAMS[name].make(threads)
    arguments = run.fresh()
    run.kernel.check[run.place](*arguments)
    assert not run.kernel.check.report().findings, str(run.kernel.check.report())
    run.compare(arguments)


@pytest.mark.parametrize(("name", "threads"), PERTURBED)
def test_any_order_of_threads(name: str, threads: int) -> None:
    run = PROGRAMS[name].make(threads)
    arguments = run.fresh()
    check = run.kernel.check(perturb=4)
    check[run.place](*arguments)
    assert not check.report().findings, str(check.report())
    run.compare(arguments)


def test_a_wrong_result_shows() -> None:
    """What the tests rest on: outputs that nobody wrote, or wrote otherwise, are not equal."""
    run = PROGRAMS["ring of threads"].make(33)
    with pytest.raises(AssertionError, match="argument 0"):
        run.compare(run.fresh())
