"""Values that set_value wrote and that are still in the data cache when the kernel ends."""

import json
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.check.sarif import sarif
from opwright.errors import UncleanedOutput

NEVER, ONE, EACH, ALL, EARLY, BACKWARDS = range(6)


@asc.jit
def fills(z: asc.GlobalAddress, count: int, cleans: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    part = z_gm[asc.get_block_idx() * 32 :]
    if cleans == 4:
        asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, z_gm)
    for i in range(count):
        part.set_value(i, i)
    if cleans == 1:
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, part)
    if cleans == 2:
        for i in range(0, count, 16):
            asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, part[i:])
    if cleans == 3:
        asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, z_gm)
    if cleans == 5:
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, part[16:])
        asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, part)


@pytest.mark.parametrize(
    ("count", "cleans", "element"),
    [
        (1, NEVER, 0), (32, NEVER, 0), (32, ONE, 16), (32, EARLY, 0),
        (16, ONE, None), (32, EACH, None), (32, ALL, None), (32, BACKWARDS, None), (0, NEVER, None),
    ],
)  # fmt: skip
def test_lines_of_the_data_cache(count: int, cleans: int, element: int | None) -> None:
    z = np.zeros(64, np.int32)
    fills.check[2](z, count, cleans)
    report = fills.check.report()
    assert not report.findings
    assert [finding.element for finding in report.uncleaned] == ([] if element is None else [element])
    assert "a value may stay in the data cache" in str(report) or element is None
    np.testing.assert_array_equal(z[:count], np.arange(count))  # the twin has no cache


def test_what_is_shown(tmp_path: Path) -> None:
    fills.check[2](np.zeros(64, np.int32), 32, NEVER)
    report = fills.check.report()
    (finding,) = report.uncleaned
    assert (finding.kind, finding.severity, finding.argument, finding.cores) == (UncleanedOutput, "warning", "z", 2)
    assert finding.at is not None and "set_value" in Path(finding.at.file).read_text().splitlines()[finding.at.line - 1]
    assert "hint: call asc.data_cache_clean_and_invalid(...)" in str(report)
    assert json.loads(report.to_json())["uncleaned"][0]["element"] == 0
    results = json.loads(sarif(report, tmp_path))["runs"][0]["results"]
    assert [one["ruleId"] for one in results if one["ruleId"] == "UncleanedOutput"]
