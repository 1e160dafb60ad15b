"""Findings in generated source: the line that the author wrote comes first, the generated one second."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.check.sarif import sarif
from opwright.errors import RaceError, UnknownName
from opwright.frontend.compile import LoweredProgram, Watch, compile_function
from opwright.kernel import program
from opwright.kernel.options import Options
from opwright.kernel.program import Request, register_front_end
from opwright.kernel.source import generated_source
from opwright.runtime.compile import AscFrontEnd
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

HERE = f"{Path(__file__).parent}/"
HEAD = """\
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    tile = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
"""
# The statements of the language below, as asc says them.
STATEMENTS = {
    "load": ["asc.data_copy(tile, x_gm, 64)"],
    "wait": ["asc.set_flag(asc.HardEvent.MTE2_V, 0)", "asc.wait_flag(asc.HardEvent.MTE2_V, 0)"],
    "double": ["asc.add(tile, tile, tile, 64)"],
    "wait for it": ["asc.set_flag(asc.HardEvent.V_MTE3, 0)", "asc.wait_flag(asc.HardEvent.V_MTE3, 0)"],
    "store": ["asc.data_copy(z_gm, tile, 64)"],
    "mistake": ["asc.adds(tile, tile, nothing, 64)"],
}


class Doubling:
    """Makes asc Python of the lines of a docstring."""

    name = "doubling"

    def __init__(self) -> None:
        self.compiled = 0

    def identity(self) -> list[object]:
        return [STATEMENTS, *AscFrontEnd().identity()]

    def compile(self, request: Request, watch: Watch) -> LoweredProgram:
        self.compiled += 1
        lines = ["def generated(x, z):", *HEAD.splitlines()]
        origins = {}
        for number, line in enumerate(request.source.text.splitlines(), 1):
            for statement in STATEMENTS.get(line.strip(), ()):
                lines.append(f"    {statement}")
                origins[len(lines)] = (number, len(line) - len(line.lstrip()))
        source = generated_source(request.source, "\n".join(lines) + "\n", origins)
        return compile_function(replace(request, source=source), watch)


class Doubled(JitFunction):
    front_end = "doubling"


def races(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    """A tile, doubled.

    load
    double
    wait for it
    store
    """


def mistaken(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    """
    load
    mistake
    """


@pytest.fixture
def doubling(tmp_path: Path) -> Iterator[Doubling]:
    front_end = Doubling()
    register_front_end(front_end)
    with settings.scope(cache_dir=tmp_path / "cache"):
        yield front_end
    del program._FRONT_ENDS["doubling"]


def line_of(word: str) -> int:
    """The line of this file on which a word of a kernel stands alone."""
    return 1 + Path(__file__).read_text(encoding="utf-8").splitlines().index(f"    {word}")


def launched() -> JitFunction:
    kernel = Doubled(races, Options())
    with pytest.raises(RaceError):
        kernel.check[1](np.ones(64, np.float32), np.zeros(64, np.float32))
    return kernel


@pytest.mark.filterwarnings("ignore")
def test_a_race_is_reported_at_both_lines(doubling: Doubling, golden) -> None:
    report = launched().check.report()
    assert str(launched().check.report()) == str(report) and doubling.compiled == 1  # the second one from the store
    golden("generated.txt", relative(str(report)) + "\n")
    finding = report.findings[0]
    load, double = line_of("load"), line_of("double")
    assert finding.at is not None and finding.first is not None and finding.first.at is not None
    assert finding.at.written.line == double and finding.first.at.written.line == load
    place = finding.as_json()
    assert (place["file"], place["line"], place["column"]) == (__file__, double, 5)
    assert place["generated"] == {"line": 8, "column": 5, "text": "asc.add(tile, tile, tile, 64)"}
    result = json.loads(sarif(report, Path(HERE)))["runs"][0]["results"][0]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "test_generated.py" and physical["region"]["startLine"] == double
    earlier, *generated = result["relatedLocations"]
    assert earlier["physicalLocation"]["region"]["startLine"] == load
    assert [one["message"]["text"] for one in generated] == [
        f"generated line 8, from line {double}: asc.add(tile, tile, tile, 64)",
        f"generated line 7, from line {load}: asc.data_copy(tile, x_gm, 64)",
    ]
    shown = unescape(report._repr_html_())
    assert shown.index("--> " + __file__) < shown.index("--> <generated races>:8:5 (generated)")


def relative(text: str) -> str:
    """Without the folder, and with lines counted from the docstring, so that the golden stays when code above moves."""
    base = line_of("load")
    for word in ("load", "double", "store"):
        text = re.sub(rf"\b{line_of(word)}\b", str(line_of(word) - base + 10), text)
    return text.replace(HERE, "")


@pytest.mark.filterwarnings("ignore")
def test_a_trace_shows_both(doubling: Doubling, tmp_path: Path) -> None:
    trace = Doubled(races, Options()).trace[1](np.ones(64, np.float32), np.zeros(64, np.float32))
    trace.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"test_generated.py:{line_of('double')}, generated line 8" in page
    assert f"line {line_of('load')}, generated line 7" in page
    assert "asc.add(tile, tile, tile, 64)" in page  # the generated source, which the lines of the page lead to


def test_an_error_shows_both(doubling: Doubling) -> None:
    with pytest.raises(UnknownName) as caught:
        Doubled(mistaken, Options()).emit("f32[64]", "f32[64]")
    first, second = (line for line in str(caught.value).splitlines() if "-->" in line)
    assert first == f"  --> {__file__}:{line_of('mistake')}:5"
    assert second == "  --> <generated mistaken>:8:26 (generated)"
    assert "    mistake\n" in str(caught.value) and "asc.adds(tile, tile, nothing, 64)" in str(caught.value)
