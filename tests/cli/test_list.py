"""`opwright list`: what there is. How much of a list it covers: test_coverage.py."""

import importlib
import json
import pkgutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opwright.ascendc.dtypes import BY_SHORT, DTYPES
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.socs import MEMORIES, SOCS, Soc
from opwright.ascendc.table import CHAPTER_OF, ROWS
from opwright.cli import cli
from opwright.cli.list import _socs_text, socs_of

Run = Callable[..., subprocess.CompletedProcess[str]]
Golden = Callable[[str, str], None]


def opwright(*words: str) -> Result:
    return CliRunner().invoke(cli, words, env={"COLUMNS": "100"}, prog_name="opwright")


def data(*words: str) -> object:
    done = opwright(*words, "--json")
    assert done.exit_code == 0
    return json.loads(done.stdout)


# Calls


@pytest.mark.quick
def test_calls() -> None:
    done = opwright("list", "calls")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines()]
    listed = [line[0] for line in lines if line and line[0].startswith("asc.")]
    assert listed == [f"asc.{name}" for name in ROWS]
    assert ["asc.add", "vec_binary", "Add"] in [line[:3] for line in lines]
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert "…" not in done.stdout


@pytest.mark.quick
def test_calls_as_json() -> None:
    entries = data("list", "calls")
    assert [entry["name"] for entry in entries] == [f"asc.{name}" for name in ROWS]
    for entry in entries:
        assert list(entry) == ["name", "chapter", "ascendc", "socs"]
        row = ROWS[entry["name"].removeprefix("asc.")]
        assert (entry["chapter"], entry["ascendc"]) == (CHAPTER_OF[row.name], row.cpp)
        assert set(entry["socs"]) <= set(SOCS)
        for variables in entry["socs"].values():
            assert all(set(shorts) <= set(BY_SHORT) for shorts in variables.values())
    (add,) = [entry for entry in entries if entry["name"] == "asc.add"]
    assert set(add["socs"]["ascend910b"]["T"]) == {"i16", "i32", "f16", "f32"}
    assert "bf16" in add["socs"]["ascend950"]["T"]


@pytest.mark.quick
def test_calls_with_words() -> None:
    names = [entry["name"] for entry in data("list", "calls", "Reduce", "sum")]
    assert names == [f"asc.{name}" for name in ROWS if "reduce" in name and "sum" in name]
    assert "asc.reduce_sum" in names
    assert [entry["name"] for entry in data("list", "calls", "vec_transpose")] == [
        f"asc.{name}" for name in ROWS if CHAPTER_OF[name] == "vec_transpose"
    ]
    done = opwright("list", "calls", "banana")
    assert (done.exit_code, done.stderr) == (1, "Error: no call has banana in its name\n")


@pytest.mark.quick
def test_socs_of_a_row() -> None:
    everything = tuple(DTYPES)
    narrow, wide = dtypes(a2=("float16",), a5=("float16", "int8")), dtypes(a2=everything, a5=everything)
    first = Form("dst: ub T, n: int32", not_on={"ascend950": "it has none"})
    second = Form("dst: ub T, src: ub U", dtypes={"U": wide}, not_on={"ascend910_93": "it has none"})
    row = Row("x", "X", "X.", forms=(first,), dtypes={"T": narrow})
    assert socs_of(row) == {"ascend910b": {"T": ["f16"]}, "ascend910_93": {"T": ["f16"]}}
    assert _socs_text(socs_of(row)) == "ascend910b, ascend910_93: f16"
    row = Row("x", "X", "X.", forms=(first, second), dtypes={"T": narrow})
    assert socs_of(row)["ascend950"] == {"T": ["i8", "f16"], "U": [dtype.short for dtype in DTYPES.values()]}
    assert _socs_text(socs_of(row)).splitlines() == [
        "ascend910b: T: f16; U: every dtype",
        "ascend910_93: f16",
        "ascend950: T: i8 f16; U: every dtype",
    ]
    row = Row("x", "X", "X.", forms=(Form("n: int32"),))
    assert _socs_text(socs_of(row)) == "all"
    row = Row("x", "X", "X.", forms=(Form("n: int32", not_on=dict.fromkeys(SOCS, "no")),))
    assert _socs_text(socs_of(row)) == "none"


# The rest


@pytest.mark.quick
def test_socs() -> None:
    done = opwright("list", "socs")
    assert done.exit_code == 0
    for soc in SOCS.values():
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(f"{soc.name} ")]
        assert line.split()[1:5] == [soc.npu_arch, str(soc.aic), str(soc.aiv), f"{soc.usable('UB') // 1024}"]
    entries = data("list", "socs")
    assert [entry["name"] for entry in entries] == list(SOCS)
    for entry in entries:
        assert list(entry) == ["name", "npu_arch", "aic", "aiv", "memory"]
        assert entry["memory"] == {memory: SOCS[entry["name"]].usable(memory) for memory in MEMORIES}


def test_operators() -> None:
    """A4: the operators are listed, all that the package registers."""
    pytest.importorskip("torch")
    from opwright import operators as folder
    from opwright.operators._operator import operators

    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    own = sorted(found.name for found in operators().values() if found.schema.space == "opwright")
    entries = data("list", "operators")
    assert len(own) >= 10 and [entry["name"] for entry in entries] == own
    assert all(entry["purpose"].endswith(".") for entry in entries)
    done = opwright("list", "operators")
    listed = [line.split()[0] for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert [word for word in listed if word in own] == own


@pytest.mark.quick
def test_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import opwright.passes

    monkeypatch.setattr(opwright.passes, "__path__", [str(tmp_path)])
    done = run_passes()
    assert (done.exit_code, done.stdout) == (0, "none yet\n")
    assert data("list", "passes") == []
    (tmp_path / "tidy_for_a_test.py").write_text('"""Tidies up.\n\nMore."""\n')
    (tmp_path / "_shared.py").write_text("raise OSError\n")
    assert data("list", "passes") == [{"name": "tidy_for_a_test", "purpose": "Tidies up."}]
    assert ["tidy_for_a_test", "Tidies", "up."] in [line.split() for line in run_passes().stdout.splitlines()]


def run_passes() -> Result:
    return CliRunner().invoke(cli, ["list", "passes"])


@cache
def listing(what: str, width: int) -> str:
    """What `opwright list` prints on a terminal of a width."""
    return CliRunner().invoke(cli, ["list", what], env={"COLUMNS": str(width)}).stdout


@pytest.mark.quick
@pytest.mark.parametrize("width", [40, 100])
@pytest.mark.parametrize("what", ["calls", "socs", "operators", "passes"])
def test_tables_break_no_word(what: str, width: int) -> None:
    """A9: whatever the width, the words of a list are those of a terminal without end."""
    narrow, wide = listing(what, width), listing(what, 10000)
    words, whole = (set(text.replace("─", " ").split()) for text in (narrow, wide))
    assert words <= whole
    table = [line.split() for line in wide.splitlines() if "─" not in line]
    assert {word for line in table[1:] for word in line} <= words  # a list has no titles
    assert max(map(len, narrow.splitlines()[:-1])) <= width


@pytest.mark.quick
def test_socs_at_80_columns() -> None:
    """A9: SoCs stand in a table there, one line each."""
    done = CliRunner().invoke(cli, ["list", "socs"], env={"COLUMNS": "80"})
    for soc in SOCS.values():
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(soc.name)]
        assert line.split()[1:] == [soc.npu_arch, str(soc.aic), str(soc.aiv), *_kib(soc)]


def _kib(soc: Soc) -> list[str]:
    return [f"{soc.usable(memory) / 1024:g}" for memory in MEMORIES]


@pytest.mark.quick
def test_unknown() -> None:
    done = opwright("list", "call")
    assert done.exit_code == 2
    assert "No such command 'call'" in done.stderr


@pytest.mark.parametrize("words", [(), ("calls",), ("socs",), ("operators",), ("passes",)])
def test_help(words: tuple[str, ...], run: Run, golden: Golden) -> None:
    golden(f"{'_'.join(('opwright', 'list', *words))}_help.txt", run("list", *words, "--help", COLUMNS="80").stdout)
