"""The battery itself is tested: it finds each planted fault, by the check that is meant to, and says what it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from battery import Operator  # noqa: E402
from battery_capture import check_capture  # noqa: E402
from battery_gradients import check_gradients  # noqa: E402
from battery_mistakes import check_devices  # noqa: E402
from battery_processes import check_first_use  # noqa: E402
from battery_values import (  # noqa: E402
    check_aliases,
    check_fake,
    check_layouts,
    check_oracle,
    check_rows,
    check_stale_contents,
    check_undeclared_writes,
)
from battery_writing import check_written  # noqa: E402

DTYPE = torch.float32

# By fault: the check that finds it, what else that is given, and what it says.
FAULTS: dict[str, tuple[Callable[..., None], tuple[Any, ...], str]] = {
    "undeclared_write": (check_undeclared_writes, (DTYPE,), "writes into an argument that it does not declare"),
    "wrong_fake_stride": (check_fake, (DTYPE,), r"gives strides \[4, 1\], but its fake says \[1, 3\]"),
    "aliasing_return": (check_aliases, (DTYPE,), "returns an alias: a result shares the memory of"),
    "gradient_dropped": (check_gradients, (), "drops the gradient of x"),
    "contiguous_only_read": (check_layouts, (DTYPE,), "is wrong for tensors that are every second"),
    "stale_cache": (check_stale_contents, (DTYPE,), "is wrong when a call of the same geometry .* came before it"),
    "hidden_item": (check_capture, (), "waits for a number: aten.item"),
}
WRITES = {
    "write_beside": "writes beside what it declares, in x",
    "write_of_a_read_argument": "raises the version of y|writes beside what it declares, in y",
}
WRONG, MIXED, RACE = "wrong_reference", "rows_mixed", "race_on_first_use"


@pytest.fixture(scope="module")
def planted() -> dict[str, Operator]:
    """The operators with a fault, by fault; importing them registers them."""
    from planted import PLANTED

    return PLANTED


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, planted: dict[str, Operator]) -> None:
    check, more, text = FAULTS[fault]
    with pytest.raises(AssertionError, match=f"planted::{fault} by bad (.|\n)*{text}"):
        check(planted[fault], "bad", *more)


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_sound_passes(fault: str, planted: dict[str, Operator]) -> None:
    check, more, _ = FAULTS[fault]
    check(planted["sound"], "bad", *more)


@pytest.mark.parametrize("fault", WRITES)
def test_a_planted_write_is_found(fault: str, planted: dict[str, Operator]) -> None:
    with pytest.raises(AssertionError, match=f"planted::{fault} by bad (.|\n)*({WRITES[fault]})"):
        check_written(planted[fault], "bad", DTYPE)


def test_a_sound_write_passes(planted: dict[str, Operator]) -> None:
    check_written(planted["sound_write"], "bad", DTYPE)


def test_a_wrong_reference_is_found(planted: dict[str, Operator]) -> None:
    with pytest.raises(
        AssertionError, match=f"planted::{WRONG} by reference gives a result that is wrong by its oracle"
    ):
        check_oracle(planted[WRONG], "reference", DTYPE)
    check_oracle(planted["sound"], "reference", DTYPE)


def test_rows_that_depend_on_others_are_found(planted: dict[str, Operator]) -> None:
    with pytest.raises(
        AssertionError, match=rf"planted::{MIXED} by default (.|\n)* wrong for row 0 of dimension 0 alone"
    ):
        check_rows(planted[MIXED])
    check_rows(planted["sound"])


def test_without_an_oracle_it_is_said_what_to_write(planted: dict[str, Operator]) -> None:
    with pytest.raises(AssertionError, match=r"has no @sound_write\.oracle: write one that computes"):
        check_oracle(planted["sound_write"], "reference", DTYPE)


def test_tensors_of_two_devices_are_found(planted: dict[str, Operator]) -> None:
    with pytest.raises(AssertionError, match="planted::sound_write by default takes tensor 0 on another device"):
        check_devices(planted["sound_write"])


def test_a_race_is_found(planted: dict[str, Operator], tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=f"planted::{RACE} by first use has a race: by bad, "):
        check_first_use([planted["sound"], planted[RACE]], tmp_path, module="planted")


def test_no_race_is_found_where_there_is_none(planted: dict[str, Operator], tmp_path: Path) -> None:
    check_first_use([planted["sound"]], tmp_path, module="planted")


def test_every_planted_operator_is_asked_for(planted: dict[str, Operator]) -> None:
    assert {*FAULTS, *WRITES, WRONG, MIXED, RACE, "sound", "sound_write"} == planted.keys()
