"""The source text of a kernel and its places: nested, decorated, with strings and comments of any shape."""

from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.errors import NoSource, OpwrightError, TrapError, UnknownName
from opwright.runtime.source import source_of


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


def test_no_source() -> None:
    scope: dict[str, object] = {}
    exec("def made(n): pass", scope)
    with pytest.raises(NoSource, match="the source of made cannot be read"):
        source_of(scope["made"])
