"""A flag that is set again before its wait has certainly happened: on the chip one of the sets may be lost."""

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.errors import FlagError, FlagSetAgain

LINES = Path(__file__).read_text().splitlines()


@asc.jit(opt_level=0)
def two_buffers(x: asc.GlobalAddress, turns: int, apart: int, back: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    asc.set_flag(HardEvent.V_MTE2, 0)
    asc.set_flag(HardEvent.V_MTE2, 1)
    for turn in range(turns):
        buffer = turn % 2
        a = asc.LocalTensor(x.dtype, TPosition.VECCALC, buffer * 256, 64)
        asc.wait_flag(HardEvent.V_MTE2, buffer)
        asc.data_copy(a, x_gm, 64)
        asc.set_flag(HardEvent.MTE2_V, buffer * apart)  # sets
        asc.wait_flag(HardEvent.MTE2_V, buffer * apart)  # waits
        asc.adds(a, a, 1.0, 64)
        asc.set_flag(HardEvent.V_MTE2, buffer)
        if back > 0:
            asc.set_flag(HardEvent.V_MTE2, 2)
            asc.wait_flag(HardEvent.V_MTE2, 2)
    asc.wait_flag(HardEvent.V_MTE2, 0)
    asc.wait_flag(HardEvent.V_MTE2, 1)


# Turns, ids for each buffer, a flag back in every turn; whether a set may come too early.
CASES = {
    "an id for each buffer": ((4, 1, 0), False),
    "one id for both": ((4, 0, 0), True),
    "one id, set once": ((1, 0, 0), False),
    "one id, and a flag back": ((4, 0, 1), False),
}


def line(words: str) -> int:
    return next(number for number, text in enumerate(LINES, 1) if text.endswith(words))


@pytest.mark.parametrize("name", CASES)
def test_one_id_for_two_buffers(name: str) -> None:
    values, early = CASES[name]
    with pytest.raises(FlagError) if early else contextlib.nullcontext():
        two_buffers.check[2](np.ones(64, np.float32), *values)
    report = two_buffers.check.report()
    if not early:
        assert str(report).endswith("nothing found")
        return
    (again,) = report.findings
    assert (again.kind, again.severity, again.count) == (FlagSetAgain, "error", 2)
    assert again.at is not None and again.at.line == line("# sets")
    sets, waits = line("# sets"), line("# waits")
    words = (
        f"flag MTE2_V 0, set at line {sets}, is set again, but nothing says that its wait (line {waits}) has happened"
    )
    assert again.message.startswith(words)
    assert again.hint.startswith(f"let MTE2 wait for a flag that V sets after line {line('# waits')}, or alternate ids")
    assert json.loads(report.to_json())["findings"][0]["class"] == "FlagSetAgain"
