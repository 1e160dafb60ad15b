"""`opwright env`: every setting with its value and where that comes from."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from opwright.settings import settings

Run = Callable[..., subprocess.CompletedProcess[str]]
Golden = Callable[[str, str], None]


def entries(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, object]]:
    return {entry["name"]: entry for entry in json.loads(done.stdout)}


def test_table(run: Run) -> None:
    done = run("env", OPWRIGHT_THREADS="3")
    assert (done.returncode, done.stderr) == (0, "")
    head, _, *lines = done.stdout.splitlines()
    assert head.split("  ")[0] == "setting"
    words = {line.split()[0]: line.split()[1:] for line in lines if line.startswith("OPWRIGHT_")}
    assert list(words) == [setting.name for setting in settings]
    assert words["OPWRIGHT_THREADS"][:2] == ["3", "environment"]
    assert words["OPWRIGHT_SOC"][:2] == ["ascend910b", "default"]
    assert words["OPWRIGHT_CXX"][:2] == ["(empty)", "default"]
    assert words["OPWRIGHT_TWIN_ELIDE"][:2] == ["1", "default"]
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_json(run: Run) -> None:
    done = run("env", "--json", OPWRIGHT_TWIN_ELIDE="off", OPWRIGHT_THREADS="3")
    found = entries(done)
    assert list(found) == [setting.name for setting in settings]
    assert all(list(entry) == ["name", "value", "source", "purpose", "error"] for entry in found.values())
    assert [entry["purpose"] for entry in found.values()] == [setting.doc for setting in settings]
    assert found["OPWRIGHT_TWIN_ELIDE"]["value"] is False
    assert found["OPWRIGHT_TWIN_ELIDE"]["source"] == "environment"
    assert found["OPWRIGHT_THREADS"]["value"] == 3
    assert found["OPWRIGHT_DEBUG"] == {
        "name": "OPWRIGHT_DEBUG",
        "value": 0,
        "source": "default",
        "purpose": type(settings).debug.doc,
        "error": None,
    }


def test_default_cache_directory(run: Run, tmp_path: Path) -> None:
    found = entries(run("env", "--json", OPWRIGHT_CACHE_DIR=None, XDG_CACHE_HOME=str(tmp_path)))
    assert found["OPWRIGHT_CACHE_DIR"]["value"] == str(tmp_path / "opwright")
    assert found["OPWRIGHT_CACHE_DIR"]["source"] == "default"
    assert list(tmp_path.iterdir()) == []


def test_values_are_not_markup(run: Run) -> None:
    assert "/[red]x[/]" in run("env", OPWRIGHT_CACHE_DIR="/[red]x[/]").stdout


def test_bad_setting(run: Run) -> None:
    done = run("env", OPWRIGHT_THREADS="many", OPWRIGHT_TWIN_ELIDE="maybe")
    assert done.returncode == 1
    assert "OPWRIGHT_DEBUG" in done.stdout
    assert "error: OPWRIGHT_THREADS='many': takes 0 (all cores) or a number up to 4096" in done.stderr
    assert "hint: change or unset OPWRIGHT_THREADS" in done.stderr
    assert "error: OPWRIGHT_TWIN_ELIDE='maybe': takes 0 or 1" in done.stderr
    done = run("env", "--json", OPWRIGHT_THREADS="many")
    assert done.returncode == 1
    entry = entries(done)["OPWRIGHT_THREADS"]
    assert (entry["value"], entry["error"]) == ("many", "takes 0 (all cores) or a number up to 4096")


def test_narrow_terminal_loses_nothing(run: Run) -> None:
    done = run("env", COLUMNS="40")
    letters = "".join(done.stdout.split())
    assert done.returncode == 0
    assert "…" not in letters
    assert max(map(len, done.stdout.splitlines())) <= 40


def test_help(run: Run, golden: Golden) -> None:
    golden("opwright_env_help.txt", run("env", "--help", COLUMNS="80").stdout)
