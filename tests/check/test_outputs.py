"""Outputs that a kernel leaves unwritten: shown by a report, an error where the kernel declares them."""

import json
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.check.sarif import sarif
from opwright.errors import BadOption, CheckRemark, UnwrittenOutput

HERE = Path(__file__)
LINE = 1 + next(n for n, text in enumerate(HERE.read_text().splitlines()) if text.endswith("# the copy out"))


def fills(y: asc.GlobalAddress, z: asc.GlobalAddress, start: int, count: int, per_core: int):
    y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(y.dtype, TPosition.VECCALC, 0, 64)
    own = asc.get_block_idx() * 64
    asc.data_copy(a, z_gm[own:], 64)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.duplicate(a, 1.0, 64)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    if count > 0:
        params = asc.DataCopyExtParams(1, count * 4)
        asc.data_copy_pad(y_gm[start + asc.get_block_idx() * per_core :], a, params)  # the copy out
        asc.data_copy(z_gm[own:], a, 8)


quiet = asc.jit(opt_level=0)(fills)
declares = asc.jit(opt_level=0, outputs=("y",))(fills)

# Start, count, elements for each core; of 60 elements those that are missing, the first of them and the core beside it.
CASES = {
    "one short": ((0, 19, 20), 3, 19, 0),
    "one late": ((1, 20, 20), 1, 0, 0),
    "a core too few": ((0, 10, 20), 30, 10, 0),
    "bytes for elements": ((0, 5, 20), 45, 5, 0),
    "behind the last": ((0, 19, 19), 3, 57, 2),
}


def arrays(start: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(60 + start, np.float32), np.zeros(192, np.float32)


@pytest.mark.parametrize("name", CASES)
def test_what_is_missing_is_counted(name: str) -> None:
    (start, count, per_core), missing, first, core = CASES[name]
    y, z = arrays(start)
    with pytest.warns(CheckRemark, match="UnwrittenOutput: .*argument y: "):
        quiet.check[3](y, z, start, count, per_core)
    report = quiet.check.report()
    assert not report.findings and not report.errors()
    (left,) = report.unwritten
    assert left.message == f"argument y: {missing} of {y.size} elements were never written, first {first}"
    assert (left.kind, left.severity, left.argument, left.element) == (UnwrittenOutput, "warning", "y", first)
    assert left.at is not None and (left.at.line, left.access.core) == (LINE, core)


def test_everywhere_a_report_goes() -> None:
    quiet.check[3](*arrays(), 0, 19, 20)
    report = quiet.check.report()
    head, _, rest = str(report).partition("\n\n")
    assert head == "fills on 3 cores of ascend910b: nothing found, but an output was not written in full"
    assert rest.startswith("warning: UnwrittenOutput: fills, core 0: argument y: 3 of 60 elements")
    assert "hint: check where loops and parts of cores end" in rest
    assert json.loads(report.to_json())["unwritten"][0]["element"] == 19
    (result,) = json.loads(sarif(report, HERE.parent))["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("UnwrittenOutput", "warning")


def test_nothing_is_missing() -> None:
    """Nor is what the kernel reads too, as z, and an argument that this launch does not write at all."""
    for kernel in (quiet, declares):
        kernel.check[3](*arrays(), 0, 20, 20)
        assert not kernel.check.report().unwritten and not kernel.check.report().findings
    quiet.check[3](*arrays(), 0, 0, 20)
    assert not quiet.check.report().unwritten
    assert str(quiet.check.report()).endswith("nothing found")


def test_a_declared_output_is_an_error() -> None:
    with pytest.raises(UnwrittenOutput, match="3 of 60 elements were never written, first 19") as caught:
        declares.check[3](*arrays(), 0, 19, 20)
    assert caught.value.at is not None and caught.value.at.line == LINE
    with pytest.raises(UnwrittenOutput, match="60 of 60 elements were never written, first 0"):
        declares.check[3](*arrays(), 0, 0, 20)
    assert not declares.check.report().unwritten


def test_bad_options() -> None:
    for outputs, words in (("y", "is a tuple of names"), (["y"], "is a tuple"), ((1,), "is a tuple")):
        with pytest.raises(BadOption, match=words):
            asc.jit(outputs=outputs)  # type: ignore[call-overload]
    with pytest.raises(BadOption, match="has no 'x'"):
        asc.jit(outputs=("x",))(fills)
