"""The source text of a kernel and its places: nested, decorated, with strings and comments of any shape."""

import importlib
import importlib.util
import linecache
import os
import py_compile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opwright import asc
from opwright.errors import NoSource, OpwrightError, SourceChanged, StaleCode, TrapError, UnknownName
from opwright.kernel.source import source_of


def points_at(error: OpwrightError, marker: str, word: str) -> None:
    """The error shows the line with the marker, and its caret stands below the word."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# <{marker}>")]
    assert error.at is not None
    assert (error.at.file, error.at.line) == (__file__, number)
    assert error.at.column == lines[number - 1].index(word)
    shown = str(error).splitlines()
    caret = shown.index(f"{number} | {lines[number - 1]}") + 1
    assert shown[caret].index("^") == len(f"{number} | ") + lines[number - 1].index(word)


def test_nested_and_decorated_over_lines() -> None:
    if True:

        @asc.jit(
            soc="ascend950",
            may_overlap=True,
        )
        def nested(
            n: int,
        ):
            if n:
                asc.trap()  # <nested>

    with pytest.raises(TrapError) as caught:
        nested[1](1)
    points_at(caught.value, "nested", "asc.trap")


# fmt: off
def test_comments_and_strings_further_left() -> None:
    @asc.jit
    def nested(n: int):
        """The first line,
and one that starts at the margin.
        """
# a comment at the margin
        if n:
            asc.trap()  # <margin>

    with pytest.raises(TrapError) as caught:
        nested[1](1)
    points_at(caught.value, "margin", "asc.trap")
# fmt: on


def test_strings_over_lines_keep_their_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    @asc.jit
    def nested():
        asc.printf("""first
        second
    third
""")

    nested[1]()
    assert capsys.readouterr().out == "first\n        second\n    third\n"


@pytest.mark.quick
def test_columns_count_characters_not_bytes() -> None:
    @asc.jit
    def nested(n: int):
        asc.printf("né – ✓ %d", unknown)  # noqa: F821  # <bytes>

    with pytest.raises(UnknownName) as caught:
        nested.emit(1)
    points_at(caught.value, "bytes", "unknown")


def test_columns_count_characters_in_a_run() -> None:
    @asc.jit
    def nested(z: asc.GlobalAddress, a: int, b: int):
        é = a  # noqa: F841
        z_gm = asc.GlobalTensor()
        z_gm.set_global_buffer(z, 8)
        buf = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 8)
        asc.duplicate(buf, a // b, 8); asc.printf("–"); asc.trap()  # noqa: E702  # <run>  # fmt: skip

    with pytest.raises(TrapError) as caught:
        nested[1](np.zeros(8, np.int32), 1, 1)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert lines[caught.value.at.line - 1][caught.value.at.column :].startswith("asc.trap()")


@pytest.mark.quick
def test_the_text_does_not_depend_on_where_it_stands() -> None:
    def first():
        def kernel(n: int):
            return n + 1

        return kernel

    def second():
        if True:
            if True:

                def kernel(n: int):
                    return n + 1

                return kernel

    assert source_of(first()).text == source_of(second()).text


KERNEL = """
from opwright import asc

@asc.jit
def prints(n: int):
    asc.printf("first %d", n)  # <here>
    if n == 9:
        asc.trap()
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "edited",
    [
        KERNEL.replace("first", "second"),
        "# moved\n" * 3 + KERNEL.replace("first", "second"),
        KERNEL.replace("def prints", "def other"),
        "def (",
        "",
        None,
    ],
)
def test_a_file_edited_after_its_import(edited: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel is the function that was imported, as everywhere in Python."""
    path = tmp_path / "edited.py"
    path.write_text(KERNEL)
    module = load(path)
    path.unlink() if edited is None else path.write_text(edited)
    module.prints[1](1)
    assert capsys.readouterr().out == "first 1"
    linecache.checkcache()  # as a traceback does
    with pytest.raises(TrapError) as caught:
        module.prints[1](9)
    assert f"{path}:8:9\n  |\n8 |         asc.trap()\n" in str(caught.value)


def test_a_module_edited_and_loaded_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "again.py"
    path.write_text(KERNEL)
    load(path).prints[1](1)
    path.write_text("# moved\n" + KERNEL.replace("first", "second!"))
    load(path).prints[1](2)
    assert capsys.readouterr().out == "first 1second! 2"


@pytest.mark.quick
@pytest.mark.parametrize(
    "now",
    ["\n" * 3 + "def other(n):\n    pass\n", "\n" * 3 + "def prints(m):\n    pass\n", "\n" * 3 + "x = (\n", "\n" * 5],
)
def test_lines_that_are_not_the_function(now: str, tmp_path: Path) -> None:
    """A file edited between its compilation and the decorator."""
    path = tmp_path / "changed.py"
    path.write_text(KERNEL)
    module = load(path)
    lines = now.splitlines(keepends=True)
    with pytest.raises(SourceChanged, match=f"prints is not at {path}:4: the file changed"):
        source_of(module.prints.function, lines)


@pytest.mark.quick
def test_no_source() -> None:
    scope: dict[str, object] = {}
    exec("def made(n): pass", scope)
    with pytest.raises(NoSource, match="the source of made cannot be read"):
        source_of(scope["made"])


# An older .pyc

STALE = """\
from opwright import asc


@asc.jit
def kernel(n: int):
    asc.printf("%d", n + {number})
"""


@pytest.mark.quick
@pytest.mark.parametrize("how", ["unchecked", "same second"])
def test_stale_code(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E7: Python would run the function of an older .pyc, the twin the text of today."""
    name = f"stale_{how.replace(' ', '_')}"
    file = tmp_path / f"{name}.py"
    mode = py_compile.PycInvalidationMode["UNCHECKED_HASH" if how == "unchecked" else "TIMESTAMP"]
    file.write_text(STALE.format(number=1))
    cached = py_compile.compile(str(file), invalidation_mode=mode)
    status = file.stat()
    file.write_text(STALE.format(number=2))
    if how == "same second":
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))  # Python sees size and time only
        os.utime(cached, ns=(status.st_atime_ns, status.st_mtime_ns))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(name)
    with pytest.raises(StaleCode, match="Python took it from an older") as caught:
        module.kernel.emit(1)
    assert str(cached) in str(caught.value)
    Path(cached).unlink()
    assert "+ 2" in importlib.reload(module).kernel.emit(1)
    assert "+ 2" in importlib.reload(module).kernel.emit(1)  # from the new .pyc
