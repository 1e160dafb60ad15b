"""The guide is true: its Python runs in order, prints what the page shows, and is refused where the page says so.

Its commands are run where a reader would: in a checkout, of which they get the examples.
"""

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from opwright.errors import OpwrightError
from opwright.settings import settings

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md"))
_BLOCK = re.compile(r"^```(?P<kind>\S.*)\n(?P<body>(?:.*\n)*?)```$", re.MULTILINE)
_OUTPUTS = ("text", "cpp", "printed")
_CLASS = re.compile(r":class: (refused|triton|printed)\n\n")


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks in order: "python", "refused", "triton", "printed" or what follows the fence, and the body."""
    found = []
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        kind, body = block["kind"], block["body"]
        if named := _CLASS.match(body):
            kind, body = named[1], body[named.end() :]
        found.append((kind, body))
    return found


def outcome(kind: str, body: str, file: Path, names: dict[str, object]) -> str:
    """What a block printed, or the error that refused it. All blocks of a page share their names."""
    file.write_text(body, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(body, str(file), "exec"), names)
        except OpwrightError as error:
            assert kind == "refused", f"{error}"
            return str(error)
    assert kind == "python", f"this was not refused:\n{body}"
    return printed.getvalue()


def command(body: str, folder: Path) -> str:
    """What a command prints. Its exit code tells whether that is an error."""
    opwright = f"{Path(sys.executable).parent}/python -m opwright.cli"
    line = re.sub(r"^opwright\b", opwright, body, flags=re.MULTILINE)
    done = subprocess.run(["bash", "-e", "-c", line], cwd=folder, capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.returncode == ("error: " in done.stdout), done.stdout + done.stderr
    return done.stdout.replace(f"{folder}/", "")


def follow(page: Path, folder: Path) -> list[tuple[str, str, str]]:
    """Block, what came out, what the page shows."""
    names: dict[str, object] = {"__name__": "guide"}
    followed: list[tuple[str, str, str]] = []
    awaited = False
    (folder / "examples").symlink_to(ROOT / "examples")
    for number, (kind, body) in enumerate(blocks(page)):
        if kind in ("python", "refused"):
            place = folder / str(number)
            place.mkdir()
            # A reader sees the block alone: its lines are counted from 1.
            text = outcome(kind, body, place / "kernel.py", names)
            text = re.sub(rf"{re.escape(str(folder))}/\d+/", "", text)
            followed.append((body, text, ""))
            awaited = True
        elif kind == "triton":
            compile(body, page.name, "exec")  # Triton is not installed here: it is Python, at least
        elif kind == "bash":
            followed.append((body, command(body, folder), ""))
            awaited = True
        elif kind in _OUTPUTS and awaited:
            followed[-1] = (*followed[-1][:2], body)
            awaited = False
        else:
            raise AssertionError(f"a block of {kind} that nothing explains")
    return followed


def as_written(page: Path) -> object:
    """The page on checking has kernels that are wrong on purpose, and shows what a plain launch makes of them."""
    marks = [pytest.mark.opwright_check(False)] if page.stem == "checking" else []
    return pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", [as_written(page) for page in PAGES])
def test_page(page: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a page may write files
    with settings.scope():  # a page may choose its SoC
        followed = follow(page, tmp_path)
    assert len(followed) > 3
    if request.config.getoption("--update-golden"):
        _rewrite(page, [text for _, text, shown in followed if text])
        return
    for body, text, shown in followed:
        assert shown.rstrip() == text.rstrip(), f"{body}\ngives\n{text}"


def _rewrite(page: Path, outputs: list[str]) -> None:
    """Puts what came out into the page."""
    left = iter(outputs)

    def fill(block: re.Match[str]) -> str:
        named = _CLASS.match(block["body"])
        if (named[1] if named else block["kind"]) not in _OUTPUTS:
            return block[0]
        return f"```{block['kind']}\n{named[0] if named else ''}{next(left).rstrip()}\n```"

    page.write_text(_BLOCK.sub(fill, page.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.unchecked(reason="launches nothing")
def test_an_editor_finds_nothing_wrong(tmp_path: Path) -> None:
    pytest.importorskip("pyright", reason="pyright is not installed")
    files = [tmp_path / f"{page.stem}.py" for page in PAGES]
    for page, file in zip(PAGES, files, strict=True):
        file.write_text("\n\n".join(body for kind, body in blocks(page) if kind == "python"), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *map(str, files)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(PAGES)
    found = [
        (Path(entry["file"]).stem, entry["range"]["start"]["line"], entry["message"])
        for entry in answer["generalDiagnostics"]
    ]
    assert found == []
