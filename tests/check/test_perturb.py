"""`kernel.check(perturb=16)[cores](...)`: other legal orders, compared with the program's own."""

import numpy as np
import pytest
from check_kernels import adds_one, all_write, races_within, two_mistakes

from opwright.errors import ArgumentError, RaceError, ScheduleDependent


def test_a_race_changes_the_result() -> None:
    x, z = np.arange(1024, dtype=np.float32), np.full(1024, np.nan, np.float32)
    check = races_within.check(perturb=16)
    with pytest.raises(RaceError):
        check[1](x, z)
    report = check.report()
    assert report.schedules == 16 and report is races_within.check.report()
    race, order = report
    assert race.kind is RaceError and order.kind is ScheduleDependent
    assert order.argument == "z" and 0 <= order.element < 64 and order.count >= 1
    np.testing.assert_array_equal(z[:64], x[:64] + 1)  # the program's own order


def test_a_seed_is_replayed() -> None:
    x, z = np.arange(1024, dtype=np.float32), np.full(1024, np.nan, np.float32)
    with pytest.raises(RaceError):
        races_within.check(perturb=16)[1](x, z)
    found = races_within.check.report().findings[-1]
    seed = int(found.hint.rpartition("seed=")[2].partition(")")[0])
    for _ in range(2):
        again = races_within.check(perturb=1, seed=seed)
        with pytest.raises(RaceError):
            again[1](x, z)
        finding = again.report().findings[-1]
        assert finding.kind is ScheduleDependent and finding.element == found.element


def test_a_right_kernel_never_changes() -> None:
    x, z = np.arange(1024, dtype=np.float32), np.full(1024, np.nan, np.float32)
    adds_one.check(perturb=64)[4](x, z)
    assert len(adds_one.check.report()) == 0
    np.testing.assert_array_equal(z[:256], x[:256] + 1)


def test_inputs_that_are_outputs_too() -> None:
    """Each order starts from what the arrays held."""
    x = np.arange(256, dtype=np.float32)
    adds_one.check(perturb=8)[4](x, x)
    np.testing.assert_array_equal(x, np.arange(256) + 1)


def test_what_fails_in_its_own_order_is_told_once() -> None:
    with pytest.raises(Exception, match="argument z"):
        all_write.check(perturb=4)[1](np.zeros(20, np.float32))
    assert len(all_write.check.report()) == 1


@pytest.mark.quick
@pytest.mark.parametrize(
    "options", [{"perturb": -1}, {"perturb": True}, {"perturb": 1.5}, {"perturb": 1, "seed": 2**63}]
)
def test_bad_numbers_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ArgumentError, match="is an integer from 0 to"):
        two_mistakes.check(**options)
