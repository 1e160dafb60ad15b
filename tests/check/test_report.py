"""Findings are values: all of a launch, with both places, and the same on any number of threads."""

import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from check_kernels import (
    adds_one,
    all_write,
    copies_too_little,
    counts_to_nothing,
    reads_pieces,
    tiles_apart,
    two_mistakes,
    writes_both,
)

from opwright.errors import (
    CheckWarning,
    NoReport,
    OpwrightError,
    OutOfRange,
    RaceError,
    UninitialisedRead,
    WrongArguments,
)
from opwright.settings import settings

KERNELS = Path(__file__).parent / "check_kernels.py"


def line_of(words: str) -> int:
    number, *_ = (n for n, line in enumerate(KERNELS.read_text().splitlines(), 1) if words in line)
    return number


def arrays(cores: int = 1) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(1024, dtype=np.float32), np.full(1024 * cores, np.nan, np.float32)


def test_all_findings_of_a_launch() -> None:
    """The first raises; the report has all, each once, with the counts of all turns and cores."""
    with pytest.raises(UninitialisedRead):
        two_mistakes.check[2](*arrays(2), 3)
    report = two_mistakes.check.report()
    assert (report.kernel, report.soc, report.cores) == ("two_mistakes", "ascend910b", 2)
    unwritten, race = report
    assert unwritten.kind is UninitialisedRead and race.kind is RaceError
    assert unwritten.at is not None and unwritten.at.line == line_of("b, 64)")
    assert (unwritten.memory, unwritten.begin, unwritten.end, unwritten.element) == ("UB", 480, 512, 56)
    assert (unwritten.access.pipe, unwritten.access.iteration, unwritten.count, unwritten.cores) == ("MTE3", 0, 6, 2)
    assert race.at is not None and race.at.line == line_of("asc.data_copy(a, x_gm")
    assert race.first is not None and race.first.at is not None
    assert race.first.at.line == line_of("1.0, 57)")
    assert (race.access.pipe, race.access.written, race.access.iteration) == ("MTE2", True, 1)
    assert (race.first.pipe, race.first.written, race.first.iteration) == ("V", False, 0)
    assert (race.memory, race.begin, race.end, race.element) == ("UB", 0, 224, 0)
    assert (race.count, race.cores) == (4, 2)
    (again,) = race.more  # a flag from V to MTE2 orders the copies, too
    assert again.first is not None and again.first.pipe == again.access.pipe == "MTE2"  # the copy after itself


def test_the_program_runs_to_its_end() -> None:
    """A race does not end a core: the numbers are there."""
    x, z = arrays()
    with pytest.raises(UninitialisedRead):
        two_mistakes.check[1](x, z, 2)
    np.testing.assert_array_equal(z[:56], x[:56] + 1)
    np.testing.assert_array_equal(z[64:120], x[64:120] + 1)


def test_bytes_of_an_argument() -> None:
    with pytest.raises(RaceError):
        all_write.check[3](np.zeros(64, np.float32))
    (race,) = all_write.check.report()
    assert (race.memory, race.argument, race.begin, race.end, race.element) == ("GM", "z", 64, 96, 16)
    assert race.first is not None and (race.first.core, race.access.core) == (0, 1)
    assert (race.count, race.cores) == (2, 3)


def test_what_ends_a_core_is_a_finding_too() -> None:
    with pytest.raises(OutOfRange):
        all_write.check[1](np.zeros(20, np.float32))
    (finding,) = all_write.check.report()
    assert finding.kind is OutOfRange and finding.severity == "error"


def test_nothing_found() -> None:
    x, z = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    adds_one.check[4](x, z)
    report = adds_one.check.report()
    assert len(report) == 0 and not report.errors()
    assert str(report) == "adds_one on 4 cores of ascend910b: nothing found"
    np.testing.assert_array_equal(z, x + 1)


def test_a_refused_launch_is_the_report() -> None:
    x, z = arrays()
    adds_one.check[1](x, z)
    with pytest.raises(OpwrightError) as caught:
        adds_one.check[1](x.astype(np.int8), z)
    (finding,) = adds_one.check.report()
    assert (finding.severity, str(finding.error())) == ("error", str(caught.value))
    with pytest.raises(WrongArguments):
        adds_one.check[2](x)
    assert (adds_one.check.report().findings[0].kind, adds_one.check.report().cores) == (WrongArguments, 2)


def test_text_and_json(golden) -> None:
    with pytest.raises(UninitialisedRead):
        two_mistakes.check[2](*arrays(2), 3)
    report = two_mistakes.check.report()
    folder = f"{KERNELS.parent}/"
    golden("report.txt", f"{report}\n".replace(folder, ""))
    golden("report.json", report.to_json().replace(folder, ""))
    assert json.loads(report.to_json()) == report.as_json()
    assert report.budget is not None and report.as_json()["budget"] == report.budget.as_json()


def test_the_same_on_any_number_of_threads() -> None:
    texts = set()
    for threads in (1, 2):
        for _ in range(5):
            with settings.scope(threads=threads):
                with pytest.raises(UninitialisedRead):
                    two_mistakes.check[8](*arrays(8), 3)
                with pytest.raises(RaceError):
                    all_write.check[8](np.zeros(64, np.float32))
            texts.add(two_mistakes.check.report().to_json() + all_write.check.report().to_json())
    assert len(texts) == 1


def test_a_report_belongs_to_its_thread() -> None:
    adds_one.check[1](*arrays())
    told = []

    def ask() -> None:
        with pytest.raises(NoReport) as caught:
            adds_one.check.report()
        told.append(caught.value)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(told) == 1


def test_a_setting_checks_every_launch() -> None:
    x, z = arrays()
    with settings.scope(check=False):  # whatever OPWRIGHT_CHECK says
        two_mistakes[1](x, z, 3)
    with settings.scope(check=True), pytest.raises(UninitialisedRead):
        two_mistakes[1](x, z, 3)


def test_a_warning_is_told_at_the_launch() -> None:
    """Checked by name or by setting: a warning points at the line of the launch, not into the package."""
    x, z = arrays()
    with pytest.warns(CheckWarning) as every:
        copies_too_little.check[1](x, z, 63)
        copies_too_little.check(perturb=1)[1](x, z, 63)
        with settings.scope(check=True):
            copies_too_little[1](x, z, 63)
    own = Path(__file__).read_text(encoding="utf-8").splitlines()
    launches = [number for number, line in enumerate(own, 1) if re.match(r" +copies_too_little.*x, z", line)]
    told = [one for one in every if one.category is CheckWarning]
    assert [(one.filename, one.lineno) for one in told] == [(__file__, line) for line in launches]


def test_the_variable_checks_every_launch(cache_dir: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(KERNELS.parent)!r})\n"
        "import numpy as np; from check_kernels import two_mistakes\n"
        "two_mistakes[1](np.zeros(1024, np.float32), np.zeros(1024, np.float32), 3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": "/usr/bin:/bin", "OPWRIGHT_CACHE_DIR": str(cache_dir), "OPWRIGHT_CHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and "UninitialisedRead: two_mistakes, core 0" in done.stderr


def test_many_cores_that_write_one_place() -> None:
    """The lowest cores are told, and how many there are."""
    with pytest.raises(RaceError, match="core 1: it writes 32 bytes of argument z"):
        all_write.check[40](np.zeros(64, np.float32))
    (race,) = all_write.check.report()
    assert race.first is not None and (race.first.core, race.access.core, race.cores) == (0, 1, 40)


def test_the_iteration_of_a_race_between_cores() -> None:
    """Ten tiles a core, nine apart: the last of one is the first of the next."""
    with pytest.raises(RaceError):
        tiles_apart.check[3](np.zeros(2048, np.float32), 9)
    (race,) = tiles_apart.check.report()
    assert race.first is not None and (race.first.iteration, race.access.iteration, race.element) == (9, 0, 576)
    tiles_apart.check[3](np.zeros(2048, np.float32), 10)


def test_findings_are_in_the_order_of_arguments() -> None:
    """Not in that of addresses, which are others every time."""
    memory = np.zeros(256, np.float32)
    for x, z in ((memory[:64], memory[128:192]), (memory[128:192], memory[:64])):
        with pytest.raises(RaceError):
            writes_both.check[3](x, z)
        assert [race.argument for race in writes_both.check.report()] == ["x", "z"]


def test_a_bound_that_was_never_written() -> None:
    """The core ends: with a number that is not there the loop would run for minutes."""
    with pytest.raises(UninitialisedRead):
        counts_to_nothing.check[1](np.zeros(64, np.float32))


def test_many_copies_of_the_same_pieces() -> None:
    """What cores read again and again is kept once: this took minutes."""
    begin = time.process_time()
    reads_pieces.check[40](np.zeros(8192, np.float32), 400)
    reads_pieces.check[40](np.zeros(8192, np.float32), 400)
    assert time.process_time() - begin < 20


def test_over_the_end_of_an_argument_into_another() -> None:
    """The bytes belong to somebody, but not to the argument that the tensor was made of."""
    memory = np.zeros(192, np.float32)
    adds_one.check[1](memory[:64], memory[64:128])
    with pytest.raises(OutOfRange, match="bytes 256 to 512 of argument x, which has 256"):
        adds_one.check[2](memory[:64], memory[64:192])
