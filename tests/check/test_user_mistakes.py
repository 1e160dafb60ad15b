"""Mistakes as people make them in a kernel that was right: each is noticed, and who does what its hint says has a right
kernel again.

A mistake replaces text of one kernel, a remedy text of what is wrong then. Most remedies lead back to the right kernel,
which is compiled once.
"""

import contextlib
import importlib.util
import itertools
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from opwright.errors import (
    DeadlockError,
    FlagSetAgain,
    OpwrightError,
    OutOfRange,
    OverlapError,
    RaceError,
    RuleBroken,
    RuleError,
    TruncatedCopy,
    UninitialisedRead,
    UnwrittenOutput,
)
from opwright.findings.finding import Finding, Report
from opwright.runtime.jit import JitFunction

# Both copies in wait until the vector unit has read the last tile, results until the last tile has left.
RIGHT = """\
from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition

TILE = 64

@asc.jit(opt_level=0)
def kernel(x: asc.GlobalAddress, w: asc.GlobalAddress, y: asc.GlobalAddress, n: int, part: int):
    start = asc.get_block_idx() * part
    own = min(part, max(0, n - start))
    x_gm, w_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, own)
    w_gm.set_global_buffer(w + start, own)
    y_gm.set_global_buffer(y + start, own)
    a = asc.LocalTensor(asc.float32, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(asc.float32, TPosition.VECIN, 256, TILE)
    c = asc.LocalTensor(asc.float32, TPosition.VECOUT, 512, TILE)
    asc.set_flag(HardEvent.V_MTE2, 0)
    asc.set_flag(HardEvent.MTE3_V, 0)
    for at in range(0, own, TILE):
        count = min(TILE, own - at)
        size = asc.DataCopyExtParams(1, count * 4)
        none = asc.DataCopyPadExtParams(asc.float32)
        asc.wait_flag(HardEvent.V_MTE2, 0)
        asc.data_copy_pad(a, x_gm[at:], size, none)
        asc.data_copy_pad(b, w_gm[at:], size, none)
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE3_V, 0)
        asc.mul(c, a, b, count)
        asc.abs(c, c, count)
        asc.set_flag(HardEvent.V_MTE2, 0)
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        asc.data_copy_pad(y_gm[at:], c, size)
        asc.set_flag(HardEvent.MTE3_V, 0)
    asc.wait_flag(HardEvent.V_MTE2, 0)
    asc.wait_flag(HardEvent.MTE3_V, 0)
"""
N, CORES, PART = 300, 2, 152  # tiles of 64, 64, 24 elements, and of 64, 64, 20

COPY_X = "asc.data_copy_pad(a, x_gm[at:], size, none)"
COPY_W = "asc.data_copy_pad(b, w_gm[at:], size, none)"
COPY_Y = "asc.data_copy_pad(y_gm[at:], c, size)"
MUL, ABS = "asc.mul(c, a, b, count)", "asc.abs(c, c, count)"
B = "asc.LocalTensor(asc.float32, TPosition.VECIN, {}, TILE)"
C = "asc.LocalTensor(asc.float32, TPosition.VECOUT, {}, TILE)"


def flag(event: str, event_id: int = 0) -> tuple[str, str]:
    """A set and a wait."""
    return f"asc.set_flag(HardEvent.{event}, {event_id})", f"asc.wait_flag(HardEvent.{event}, {event_id})"


def both(event: str, event_id: int = 0) -> str:
    """One behind the other, as they stand in the loop."""
    return "\n        ".join(flag(event, event_id))


OUT = both("V_MTE3") + "\n        "


@dataclass(frozen=True)
class Mistake:
    """What is replaced by what; the error, the line that it names, words of its message and of its hint; the remedy as
    text of the wrong kernel and what takes its place, None for the right kernel. severity: of what tells it. text: of
    the kernel that was right.
    """

    old: str
    new: str
    kind: type[OpwrightError]
    line: str
    words: str
    hint: str
    remedy: tuple[str, str] | None = None
    severity: str = "error"
    cores: int = CORES
    text: str = RIGHT


MISTAKES = {
    "a flag is missing": Mistake(
        OUT,
        "",
        RaceError,
        COPY_Y,
        "MTE3 reads 256 bytes of UB from byte 512, element 0, which V may still be writing ({abs})",
        "set_flag(HardEvent.V_MTE3, 0) after {abs}, wait_flag(HardEvent.V_MTE3, 0) before {copy_y}",
    ),
    "a wait is missing": Mistake(
        flag("MTE2_V")[1] + "\n        ",
        "",
        RaceError,
        MUL,
        "V reads 256 bytes of UB from byte 256, element 0, which MTE2 may still be writing ({copy_w})",
        "flag MTE2_V 0 is set, but nothing waits for it: wait_flag(HardEvent.MTE2_V, 0) before {mul}",
    ),
    "the wrong event": Mistake(
        both("V_MTE3"),
        both("MTE2_MTE3"),
        RaceError,
        COPY_Y,
        "which V may still be writing ({abs})",
        "set_flag(HardEvent.V_MTE3, 0) after {abs}, wait_flag(HardEvent.V_MTE3, 0) before {copy_y}",
    ),
    "the wrong id": Mistake(
        flag("MTE2_V")[1],
        flag("MTE2_V", 1)[1],
        DeadlockError,
        flag("MTE2_V", 1)[1],
        "flag MTE2_V 1 is waited for, but nothing set it before this line",
        "set_flag(HardEvent.MTE2_V, 1) before it",
        (flag("MTE2_V")[0], flag("MTE2_V", 1)[0]),
    ),
    "a flag that nothing leads back from": Mistake(
        COPY_Y,
        f"{both('MTE2_MTE3')}\n        {COPY_Y}",
        FlagSetAgain,
        flag("MTE2_MTE3")[0],
        "flag MTE2_MTE3 0, set at line 34, is set again, but nothing says that its wait (line 35) has happened",
        "let MTE2 wait for a flag that MTE3 sets after line 35, or alternate ids, one per buffer",
        (flag("MTE2_MTE3")[1], f"{flag('MTE2_MTE3')[1]}\n        {both('MTE3_MTE2')}"),
    ),
    "inputs overlap": Mistake(
        B.format(256),
        B.format(128),
        RaceError,
        COPY_W,
        "which MTE2 writes too ({copy_x}): a ({a}) and b ({b}) share bytes 128 to 256 of UB",
        "let b ({b}) begin elsewhere, such as at byte 256",
    ),
    "inputs at one address": Mistake(
        B.format(256),
        B.format(0),
        RaceError,
        COPY_W,
        "which MTE2 may still be writing ({copy_x}): a ({a}) and b ({b}) share bytes 0 to 256 of UB",
        "give each tensor bytes of its own; if they share them: pipe_barrier(PipeID.PIPE_MTE2) between {copy_x} and",
    ),
    "inputs overlap, copied in order": Mistake(
        COPY_W,
        f"asc.pipe_barrier(PipeID.PIPE_MTE2)\n        {COPY_W}",
        OverlapError,
        MUL,
        "V reads bytes 128 to 256 of UB through a, but what was written through a ({copy_x}) was overwritten through b "
        "({copy_w}) and never read: a ({a}) and b ({b}) share bytes 128 to 256 of UB",
        "let b ({b}) begin elsewhere, such as at byte 256",
        (B.format(128), B.format(256)),
        text=RIGHT.replace(B.format(256), B.format(128)),
    ),
    "input and output overlap": Mistake(
        C.format(512),
        C.format(384),
        RuleError,
        MUL,
        "dst overlaps src1 in part, 128 bytes apart",
        "let dst be src1 itself, or keep them apart",
    ),
    "one element too few": Mistake(
        "min(TILE, own - at)",
        "min(TILE, own - at - 1)",
        UnwrittenOutput,
        COPY_Y,
        "argument y: 2 of 300 elements were never written, first 151",
        "check where loops and parts of cores end",
        severity="warning",
    ),
    "one element too late": Mistake(
        "y_gm[at:]",
        "y_gm[at + 1:]",
        OutOfRange,
        "asc.data_copy_pad(y_gm[at + 1:], c, size)",
        "dst is used for 96 bytes, but its tensor has only 92 from there",
        "check the offset and the count",
    ),
    "one tile too few": Mistake(
        "range(0, own, TILE)",
        "range(0, own - TILE, TILE)",
        UnwrittenOutput,
        COPY_Y,
        "argument y: 44 of 300 elements were never written, first 128",
        "check where loops and parts of cores end",
        severity="warning",
    ),
    "whole tiles of a tail": Mistake(
        "min(TILE, own - at)",
        "TILE",
        OutOfRange,
        COPY_X,
        "src is used for 256 bytes, but its tensor has only 96 from there",
        "check the offset and the count against the size the tensor was made with",
    ),
    "whole tiles of a tail, and no lengths": Mistake(
        "min(TILE, own - at)",
        "TILE",
        OutOfRange,
        COPY_X,
        "src touches bytes 1120 to 1376 of argument x, which has 1200",
        "check the offset, the length per core and the number of cores",
        text=RIGHT.replace(" + start, own)", " + start)"),
    ),
    "a tail that fills no block": Mistake(
        COPY_X,
        "asc.data_copy(a, x_gm[at:], count)",
        TruncatedCopy,
        "asc.data_copy(a, x_gm[at:], count)",
        "the last 4 of 20 elements are not copied",
        "copy the rest with asc.data_copy_pad",
        severity="warning",
    ),
    "a wrong stride of results": Mistake(
        MUL,
        "asc.mul(c, a, b, 32, 2, asc.BinaryRepeatParams(1, 1, 1, 2, 4, 4))",
        UninitialisedRead,
        COPY_Y,
        "element 48 of src comes from what nothing has written: asc.abs in {abs} read byte 704 of UB, and "
        "{mul} wrote bytes 512 to 704 and left it out",
        "let {mul} write it: check its count and strides",
        ("1, 1, 1, 2, 4, 4", "1, 1, 1, 4, 4, 4"),
    ),
    "a wrong stride of a source": Mistake(
        MUL,
        "asc.mul(c, a, b, 32, 2, asc.BinaryRepeatParams(1, 1, 1, 4, 8, 4))",
        OutOfRange,
        "asc.mul(c, a, b, 32, 2, asc.BinaryRepeatParams(1, 1, 1, 4, 8, 4))",
        "src0 is used for 384 bytes, but its tensor has only 256 from there",
        "check the offset and the count",
        ("1, 1, 1, 4, 8, 4", "1, 1, 1, 4, 4, 4"),
    ),
    "an address between blocks": Mistake(
        B.format(256),
        B.format("256 + 8"),
        RuleBroken,
        COPY_W,
        "dst must start at a multiple of 32 bytes, got 264",
        "make it at an address that 32 divides",
    ),
    "elements for bytes on the way in": Mistake(
        COPY_X,
        "asc.data_copy_pad(a, x_gm[at:], asc.DataCopyExtParams(1, count), none)",
        UninitialisedRead,
        COPY_Y,
        "element 16 of src comes from what nothing has written: asc.mul in {mul} read byte 64 of UB, and "
        "{copy_x} wrote bytes 0 to 64 and left it out",
        "whether a length counts bytes or elements",
    ),
    "elements for bytes on the way out": Mistake(
        COPY_Y,
        "asc.data_copy_pad(y_gm[at:], c, asc.DataCopyExtParams(1, count))",
        UnwrittenOutput,
        "asc.data_copy_pad(y_gm[at:], c, asc.DataCopyExtParams(1, count))",
        "argument y: 225 of 300 elements were never written, first 16",
        "whether a length counts bytes or elements",
        severity="warning",
    ),
    "more cores than work": Mistake(
        "max(0, n - start)",
        "n - start",
        RuleError,
        "x_gm.set_global_buffer(x + start, own)",
        "does not fit its type (it would become -4)",
        "write max(0, ...): a core without work counts 0",
        cores=4,
    ),
}
_numbers = itertools.count()


def load(folder: Path, text: str) -> JitFunction:
    name = f"mistake_{next(_numbers)}"
    path = folder / f"{name}.py"  # of its own: Python takes a compiled file of the same second for that of the new text
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: JitFunction = module.kernel
    return kernel


def checked(folder: Path, text: str, cores: int) -> tuple[Report, bool]:
    """What is said about a kernel, and whether its numbers are right."""
    kernel = load(folder, text)
    values = np.random.default_rng(0).standard_normal((2, N)).astype(np.float32)
    y = np.full(N, np.nan, np.float32)
    with warnings.catch_warnings(), contextlib.suppress(OpwrightError):
        warnings.simplefilter("ignore")
        kernel.check[cores](*values, y, N, PART)
    return kernel.check.report(), np.array_equal(y, np.abs(values[0] * values[1]))


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def line_of(text: str, part: str) -> int:
    return 1 + next(number for number, line in enumerate(text.splitlines()) if part in line)


def told(report: Report, mistake: Mistake) -> Finding:
    """The first that is of the mistake's kind."""
    every = report.shown()
    found = [finding for finding in every if finding.kind is mistake.kind]
    assert found, str(report)
    return found[0]


def test_there_are_as_many() -> None:
    assert len(MISTAKES) >= 18


def test_one_finding_for_one_flag(tmp_path: Path) -> None:
    """The sum reads two tensors: their copies lack one wait, and following the hint of one finding mends both."""
    pair = both("MTE2_V") + "\n        "
    found = checked(tmp_path, replaced(RIGHT, pair, ""), CORES)[0].findings
    (race,) = (finding for finding in found if finding.access.pipe == "V")
    assert race.hint.endswith(f"before line {line_of(replaced(RIGHT, pair, ''), MUL)}")
    (other,) = race.more
    assert (other.kind, other.at) == (RaceError, race.at)
    assert other.first is not None and race.first is not None and other.first.at.line < race.first.at.line
    assert str(race).endswith("\n1 more follows from it") and race.as_json()["more"] == [other.as_json()]


def test_one_barrier_for_many(tmp_path: Path) -> None:
    """Without the toolchain's order between vector calls: each barrier that is missing is told once."""
    text = RIGHT.replace("opt_level=0", "opt_level=0, auto_sync=False")
    wrong = replaced(text, ABS, f"{ABS}\n        asc.adds(c, c, 0.0, count)\n        asc.add(c, c, c, count)")
    report, _ = checked(tmp_path, wrong, CORES)
    lines = [finding.at.line for finding in report if finding.at]
    first = line_of(wrong, ABS)
    assert lines == [first, first + 1, first + 2] and all(finding.kind is RaceError for finding in report)
    barrier = "asc.pipe_barrier(PipeID.PIPE_V)\n        "
    assert {finding.hint.partition(" ")[0] for finding in report} == {"pipe_barrier(PipeID.PIPE_V)"}
    for call in (ABS, "asc.adds(c,", "asc.add(c,"):
        wrong = replaced(wrong, call, barrier + call)
    assert str(checked(tmp_path, wrong, CORES)[0]).endswith("nothing found")


def test_the_right_one(tmp_path: Path) -> None:
    report, is_right = checked(tmp_path, RIGHT, CORES)
    assert str(report).endswith("nothing found") and is_right


@pytest.mark.parametrize("name", MISTAKES)
def test_noticed_and_mended(name: str, tmp_path: Path) -> None:
    mistake = MISTAKES[name]
    wrong = replaced(mistake.text, mistake.old, mistake.new)
    report, _ = checked(tmp_path, wrong, mistake.cores)
    finding = told(report, mistake)
    assert finding.severity == mistake.severity
    assert finding.at is not None and finding.at.line == line_of(wrong, mistake.line)
    parts = {"abs": "asc.abs(", "mul": "asc.mul(", "copy_x": "(a, x_gm[", "copy_w": "(b, w_gm[", "copy_y": "(y_gm["}
    parts |= {"a": "    a = ", "b": "    b = ", "c": "    c = "}
    lines = {key: f"line {line_of(wrong, part)}" for key, part in parts.items()}
    assert mistake.words.format(**lines) in finding.message
    assert mistake.hint.format(**lines) in finding.hint
    mended = replaced(wrong, *mistake.remedy) if mistake.remedy else mistake.text
    after, is_right = checked(tmp_path, mended, mistake.cores)
    assert str(after).endswith("nothing found") and is_right, f"{after}\n{mended}"
