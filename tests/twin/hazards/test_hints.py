"""Who follows the hint of a race is rid of it: the lines that it names get a set and a wait, and nothing is found."""

import contextlib
import re
from pathlib import Path

import numpy as np
import pytest
from hazard_case import ADD, COPY, FREE, HEAD, IN_, OUT, WRITE, Right, arguments, indented, lines, load, loop, pair

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.errors import OpwrightError, OverlapError, RaceError
from opwright.findings.finding import Finding
from opwright.runtime.jit import JitFunction

HINT = re.compile(
    r"no flag from (?P<source>\w+) to (?P<destination>\w+) (?P<between>.*): "
    r"set_flag\((?P<flag>HardEvent\.\w+, \d)\) after (?P<after>.*?), wait_flag\((?P=flag)\) (?P<wait>.*)"
)
LAST = loop(COPY, IN_, ADD, OUT, WRITE, FREE)
OWN = "asc.pipe_barrier(PipeID.PIPE_MTE2)"
KERNELS = {
    "straight": lines(COPY, ADD, OUT, WRITE),
    "the next iteration": LAST,
    "the id is used elsewhere": lines(pair("V_MTE2"), pair("V_MTE2", 2), LAST),
    "by its default": lines("asc.set_flag(HardEvent.V_MTE2)", "asc.wait_flag(HardEvent.V_MTE2)", LAST),
    "an inner loop": loop(COPY, IN_, "for j in range(2):", indented(ADD), OUT, WRITE, FREE),
    "from a loop to what follows": lines(loop(OWN, COPY), ADD, OUT, WRITE),
    "into a loop": lines(COPY, loop(ADD), OUT, WRITE),
    "out of a branch": lines("if n > 0:", indented(COPY), ADD, OUT, WRITE),
    "a branch of some turns": loop("if i != 1:", indented(COPY, IN_, ADD), OUT, WRITE, FREE),
    "both branches": "asc.duplicate(b, 1.0, 64)\n"
    + loop("if i % 2 == 0:", indented(COPY, IN_), "else:", indented(ADD), OUT, WRITE, FREE),
    "loops in a loop": loop("for j in range(2):", indented(OWN, COPY), IN_, "for k in range(2):", indented(ADD)),
}
EXPECTED = {
    "straight": ("between line 12 and line 13", "0", "line 12", "before line 13"),
    "the next iteration": (
        "from line 16 to line 13 of the next iteration",
        "0",
        "line 16",
        "at the end of the iteration",
    ),
    "the id is used elsewhere": (
        "from line 20 to line 17 of the next iteration",
        "1",
        "line 20",
        "at the end of the iteration",
    ),
    "by its default": ("from line 18 to line 15 of the next iteration", "1", "line 18", "at the end of the iteration"),
    "an inner loop": (
        "from line 17 to line 13 of the next iteration",
        "0",
        "the loop at line 16",
        "at the end of each iteration of the loop at line 12",
    ),
    "a branch of some turns": (
        "from line 17 to line 14 of the next iteration",
        "0",
        "line 17",
        "at the end of its branch",
    ),
    "both branches": ("from line 19 to line 15 of the next iteration", "0", "line 19", "at the end of its branch"),
    "into a loop": ("between line 12 and line 14", "0", "line 12", "before the loop at line 13"),
    "out of a branch": ("between line 13 and line 14", "0", "the branch at line 12", "before line 14"),
}


def first_race(folder: Path, body: str) -> OpwrightError | None:
    case = Right(body)
    kernel, _ = load(folder, case)
    try:
        kernel.check[1](*arguments(case))
    except RaceError as error:
        return error
    assert len(kernel.check.report()) == 0
    return None


def mended(body: str, hint: re.Match[str]) -> str:
    """The body with what a hint asks for."""
    text = body.splitlines()
    start = len(HEAD.splitlines()) + 1

    def number(words: str) -> int:
        return int(words.rpartition(" ")[2]) - start

    def indent(place: int) -> int:
        return len(text[place]) - len(text[place].lstrip())

    def end(place: int) -> int:
        """Behind a statement and all that is in it, the other branch too."""
        behind = place + 1
        while behind < len(text) and (indent(behind) > indent(place) or text[behind].lstrip() == "else:"):
            behind += 1
        return behind

    after = number(hint["after"])
    if hint["wait"].startswith("before "):
        at = number(hint["wait"])
        waits = (at, indent(at))
    elif hint["wait"] == "at the end of its branch":
        behind = (i for i in range(after + 1, len(text)) if indent(i) < indent(after))
        waits = (next(behind, len(text)), indent(after))
    else:
        around = max(i for i in range(after) if indent(i) < indent(after) and text[i].lstrip().startswith("for "))
        assert hint["wait"] == "at the end of the iteration" or number(hint["wait"]) == around
        waits = (end(around), indent(after))
    sets = (end(after), indent(after))
    for (at, depth), call in sorted(((waits, "wait_flag"), (sets, "set_flag")), reverse=True):
        text.insert(at, f"{' ' * depth}asc.{call}({hint['flag']})")
    return lines(*text)


@pytest.mark.parametrize("name", KERNELS)
def test_who_follows_it_is_rid_of_the_race(name: str, tmp_path: Path) -> None:
    body = KERNELS[name]
    told: list[str] = []
    while (race := first_race(tmp_path, body)) is not None:
        hint = HINT.fullmatch(race.hint)
        assert hint is not None, race
        told.append(race.hint)
        assert len(told) <= 3, told
        if len(told) == 1 and name in EXPECTED:
            words = (hint["between"], hint["flag"].rpartition(" ")[2], hint["after"], hint["wait"])
            assert words == EXPECTED[name]
        body = mended(body, hint)
    assert told


def test_an_id_that_is_not_known(tmp_path: Path) -> None:
    race = first_race(tmp_path, lines(pair("V_MTE2", "n"), LAST))
    assert race is not None and "set_flag(HardEvent.V_MTE2, ID) after line 18, " in race.hint
    assert race.hint.endswith("; ID: one that no other flag from V to MTE2 has there")


def findings(folder: Path, body: str, n: int = 1) -> list[Finding]:
    case = Right(body, n=n)
    kernel, _ = load(folder, case)
    with contextlib.suppress(OpwrightError):
        kernel.check[1](*arguments(case))
    return list(kernel.check.report())


def test_a_flag_that_is_set_is_waited_for(tmp_path: Path) -> None:
    """Not another one proposed: what is missing is the wait."""
    sets, waits = "asc.set_flag(HardEvent.MTE2_V, 3)", "asc.wait_flag(HardEvent.MTE2_V, 3)"
    (race,) = (one for one in findings(tmp_path, lines(COPY, sets, ADD, OUT, WRITE)) if one.kind is RaceError)
    hint = "flag MTE2_V 3 is set, but nothing waits for it: wait_flag(HardEvent.MTE2_V, 3) before line 14"
    assert race.hint == hint
    assert findings(tmp_path, lines(COPY, sets, waits, ADD, OUT, WRITE)) == []
    # Set before the first access, it orders nothing.
    (race, *_) = (one for one in findings(tmp_path, lines(sets, COPY, ADD, OUT, WRITE)) if one.kind is RaceError)
    assert "set_flag(HardEvent.MTE2_V, 0) after line 13" in race.hint


def test_tensors_that_overlap(tmp_path: Path) -> None:
    """No order is proposed between two writes to bytes of which only one can stay; ordered, they are still named."""
    tensors = ["c = asc.LocalTensor(x.dtype, TPosition.VECIN, 1024, 64)"]
    tensors.append("d = asc.LocalTensor(x.dtype, TPosition.VECIN, {}, 64)")
    copies = "asc.data_copy(c, x_gm, 64)", "asc.data_copy(d, x_gm[64:], 64)"
    rest = IN_, "asc.add(b, c, d, 64)", OUT, WRITE
    body = lines(*tensors, *copies, *rest)
    (race,) = findings(tmp_path, body.format(1152))
    assert race.message == (
        "MTE2 writes 128 bytes of UB from byte 1152, element 0, which MTE2 writes too (line 14): "
        "c (line 12) and d (line 13) share bytes 1152 to 1280 of UB"
    )
    assert race.hint == ("give each tensor bytes of its own: let d (line 13) begin elsewhere, such as at byte 1280")
    assert findings(tmp_path, body.format(1280)) == []
    (lost,) = findings(tmp_path, lines(*tensors, copies[0], OWN, copies[1], *rest).format(1152))
    assert (lost.kind, lost.begin, lost.end) == (OverlapError, 1152, 1280) and lost.hint == race.hint


@pytest.mark.parametrize(("address", "length"), [("1024 + n * 16", "64"), ("1152", "n * 8"), ("1152", "64 // n * 8")])
def test_tensors_that_overlap_by_numbers_of_the_run(tmp_path: Path, address: str, length: str) -> None:
    """n is 8: where a tensor lies is known when it is launched."""
    tensors = ["c = asc.LocalTensor(x.dtype, TPosition.VECIN, 1024, 64)"]
    tensors.append(f"d = asc.LocalTensor(x.dtype, TPosition.VECIN, {address}, {length})")
    copies = "asc.data_copy(c, x_gm, 64)", "asc.data_copy(d, x_gm[64:], 64)"
    rest = IN_, "asc.add(b, c, d, 64)", OUT, WRITE
    apart = "give each tensor bytes of its own: let d (line 13) begin elsewhere, such as at byte 1280"
    (race,) = findings(tmp_path, lines(*tensors, *copies, *rest), n=8)
    assert race.kind is RaceError and race.hint == apart
    (lost,) = findings(tmp_path, lines(*tensors, copies[0], OWN, copies[1], *rest), n=8)
    assert (lost.kind, lost.begin, lost.end, lost.hint) == (OverlapError, 1152, 1280, apart)


def test_bytes_that_are_reused(tmp_path: Path) -> None:
    """What was read may go, and be read through either tensor. What lies in both may be of either."""
    tensors = ["c = asc.LocalTensor(x.dtype, TPosition.VECIN, 1024, 64)"]
    tensors.append("d = asc.LocalTensor(x.dtype, TPosition.VECIN, 1152, 64)")
    first = "asc.duplicate(c, 1.0, 64)", "asc.adds(b, c, 1.0, 64)", "asc.duplicate(d, 2.0, 64)"
    reads = "asc.adds(b, d, 1.0, 64)", "asc.adds(b, c, 1.0, 64)"
    # Every second block is of one of them: nothing is lost.
    strided = "asc.BinaryRepeatParams(2, 1, 1, 8, 8, 8)"
    apart = (
        "e = asc.LocalTensor(x.dtype, TPosition.VECIN, 4096, 64)",
        "f = asc.LocalTensor(x.dtype, TPosition.VECIN, 4128, 64)",
        f"asc.add(e, b, b, 32, 1, {strided})",
        f"asc.add(f, b, b, 32, 1, {strided})",
        "asc.adds(b, e, 1.0, 64)",
    )
    within = "asc.duplicate(c, 1.0, 64)", "asc.duplicate(d[0:], 2.0, 32)", *reads
    case = Right(lines(*tensors, *first, *reads, *apart, *within))
    kernel, _ = load(tmp_path, case)
    kernel.check[1](*arguments(case))
    report = str(kernel.check.report())
    assert not kernel.check.report().findings
    assert "\n\nnote: c (line 12) and d (line 13) share bytes 1152 to 1280 of UB" in report


@asc.jit
def add(b, a):
    asc.adds(b, a, 1.0, 64)


@asc.jit
def copy_and_add(b, a, x_gm):
    asc.data_copy(a, x_gm, 64)
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.adds(b, a, 1.0, 64)  # in a helper


@asc.jit
def calls_a_helper(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
    for _ in range(3):
        asc.data_copy(a, x_gm, 64)  # in the loop
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        add(b, a)  # calls the helper


@asc.jit
def calls_a_helper_twice(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, 64)
    copy_and_add(b, a, x_gm)
    copy_and_add(b, a, x_gm)


def hint_of(kernel: JitFunction) -> tuple[str, str, str]:
    with pytest.raises(RaceError) as caught:
        kernel.check[1](np.ones(64, np.float32))
    hint = HINT.fullmatch(caught.value.hint)
    assert hint is not None
    return hint["between"], hint["after"], hint["wait"]


def own_line(words: str) -> int:
    return next(n for n, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith(words))


def test_through_a_helper() -> None:
    """The flag is set where the helper is called, beside the wait."""
    between, after, wait = hint_of(calls_a_helper)
    assert between.endswith(f" to line {own_line('# in the loop')} of the next iteration")
    assert (after, wait) == (f"line {own_line('# calls the helper')}", "at the end of the iteration")


def test_a_helper_called_again() -> None:
    add_line = own_line("# in a helper")
    assert hint_of(calls_a_helper_twice) == (
        f"from line {add_line} to line {add_line - 3} of the next call",
        f"line {add_line}",
        "at the end of copy_and_add",
    )
