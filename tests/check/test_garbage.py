"""Computing with what nothing has written: shown where it stays on its core, an error where it leaves it."""

import json
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.asc import BinaryRepeatParams, HardEvent, RoundMode, TPosition, UnaryRepeatParams
from opwright.check.sarif import sarif
from opwright.errors import OpwrightError, UninitialisedRead
from opwright.findings.finding import Report

HERE = Path(__file__)
LINES = HERE.read_text().splitlines()

TILE = 128  # elements of each tensor; x has as many


@asc.jit(opt_level=0)
def tail(x: asc.GlobalAddress, z: asc.GlobalAddress, how: int, filled: int, start: int, count: int):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECCALC, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECCALC, 1024, TILE)
    h = asc.LocalTensor(asc.float16, TPosition.VECCALC, 2048, TILE)
    sums = asc.LocalTensor(x.dtype, TPosition.VECCALC, 3072, TILE)
    room = asc.LocalTensor(asc.uint8, TPosition.VECCALC, 4096, 4096)
    for _ in range(2):
        asc.data_copy(a, x_gm, filled)  # the copy in
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        if how == 0:
            asc.muls(b, a, 2.0, TILE)  # first 0
            asc.exp(b, b, TILE)
            asc.abs(b, a, TILE)
        elif how == 1:  # into blocks 0, 2, ..., 14, then into 1, 3, ..., 15
            asc.abs(b, a, 64, 2, UnaryRepeatParams(2, 1, 1, 8))  # first 1
        elif how == 2:
            asc.cast(h, a, RoundMode.CAST_NONE, TILE)  # first 2
            asc.cast(b, h, RoundMode.CAST_NONE, TILE)
        elif how == 3:  # every repeat adds to what the one before wrote
            asc.duplicate(b, 0.0, TILE)
            asc.add(b, a, b, 64, 2, BinaryRepeatParams(1, 1, 1, 0, 8, 0))  # first 3
        elif how == 4:
            asc.abs(b, a, TILE)  # first 4
            asc.duplicate(b, 3.0, TILE)
        elif how == 5:
            asc.abs(b, a, TILE)  # first 5
            asc.whole_reduce_sum(sums, b, 64, 2, 1, 1, 8)  # the sum
        elif how == 6:
            asc.abs(b, a, TILE)  # first 6
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
            b.set_value(0, b.get_value(count))  # the scalar
        else:
            asc.adv.sin(b, a, TILE, room)  # first 7
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        if count > 0:
            asc.data_copy(z_gm, b[start:], count)  # the copy out
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def line(words: str) -> int:
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(f"# {words}"))


def checked(*values: int, cores: int = 1) -> Report:
    z = np.zeros(TILE, np.float32)
    try:
        tail.check[cores](np.arange(TILE, dtype=np.float32), z, *values)
    except OpwrightError:
        pass
    return tail.check.report()


# How, elements that are copied in, the first that is copied out and how many.
STAYS = {
    "a count": (0, 64, 0, 64),
    "a part of a tile behind the first": (0, 24, 8, 16),
    "repeats that scatter blocks": (1, 64, 0, 8),
    "casts": (2, 64, 0, 64),
    "filled again": (4, 64, 0, 128),
    "composed": (7, 64, 0, 64),
    "nothing is copied out": (3, 64, 0, 0),
}


@pytest.mark.parametrize("name", STAYS)
def test_what_stays_is_shown(name: str) -> None:
    how, filled, _, _ = STAYS[name]
    report = checked(*STAYS[name])
    assert not report.findings, str(report)
    (shown,) = report.garbage
    assert (shown.kind, shown.severity, shown.count) == (UninitialisedRead, "warning", 2)
    assert shown.at is not None and shown.at.line == line(f"first {how}")
    assert (shown.memory, shown.begin, shown.end, shown.element) == ("UB", 4 * filled, 4 * TILE, filled)
    assert shown.message == (
        f"element {filled} of {'src0' if how == 3 else 'src'} is read here, but nothing has written it "
        f"(byte {4 * filled} of UB): line {line('the copy in')} wrote bytes 0 to {4 * filled} and left it out; "
        "what is computed from it does not leave the core"
    )
    assert "asc.duplicate" in shown.hint


# The same, and the first element of b that is told.
LEAVES = {
    "a count": ((0, 64, 0, 128), 64),
    "one block too many": ((0, 24, 8, 24), 16),
    "repeats that scatter blocks": ((1, 64, 0, 16), 8),
    "casts": ((2, 64, 0, 128), 64),
    "repeats that add up": ((3, 64, 0, 8), 0),
    "composed": ((7, 64, 0, 128), 64),
}


@pytest.mark.parametrize("name", LEAVES)
def test_what_leaves_is_an_error(name: str) -> None:
    values, element = LEAVES[name]
    how, filled, _, _ = values
    report = checked(*values)
    assert not report.garbage
    (finding,) = report.findings
    assert (finding.kind, finding.severity, finding.element, finding.count) == (UninitialisedRead, "error", element, 2)
    assert finding.at is not None and finding.at.line == line("the copy out")
    call = {0: "muls", 2: "cast", 3: "add", 7: "adv.sin"}.get(how, "abs")
    assert finding.message == (
        f"element {element} of src comes from what nothing has written: asc.{call} in line {line(f'first {how}')} read "
        f"byte {4 * filled} of UB, and line {line('the copy in')} wrote bytes 0 to {4 * filled} and left it out"
    )
    assert finding.hint.startswith(f"let line {line('the copy in')} write it")


@pytest.mark.parametrize(("how", "count", "place"), [(5, 0, "the sum"), (6, 64, "the scalar")])
def test_what_is_no_result_of_its_own_element_is_an_error(how: int, count: int, place: str) -> None:
    report = checked(how, 64, 0, count)
    (finding,) = report.findings
    assert (finding.kind, report.garbage) == (UninitialisedRead, ())
    assert finding.at is not None and finding.at.line == line(place)
    assert f"asc.abs in line {line(f'first {how}')} read byte 256 of UB" in finding.message


def test_all_is_written() -> None:
    for how in range(6):
        assert str(checked(how, TILE, 0, TILE)).endswith("nothing found")


def test_everywhere_a_report_goes() -> None:
    report = checked(1, 64, 0, 0, cores=2)
    head, _, rest = str(report).partition("\n\n")
    assert head.endswith("nothing found, but elements that nothing has written are computed with")
    assert (
        rest.startswith("warning: UninitialisedRead: tail, core 0: element 64 of src")
        and "(4 times, on 2 cores)" in rest
    )
    assert json.loads(report.to_json())["garbage"][0]["element"] == 64
    (result,) = json.loads(sarif(report, HERE.parent))["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("UninitialisedRead", "warning")
    assert report.shown() == list(report.garbage)
