"""Random programs of threads mean on the twin what a sequential reference says: thread by thread, meeting by meeting.

Each test is one kernel of many programs, one a block. Programs without meetings and programs with them.
"""

from pathlib import Path

import pytest
from short import short
from simt_batches import NAMES, Batch, arrays, differences, launch, load, reference, source, text_of, wrong
from simt_meetings import MeetingPrograms
from simt_random import Programs, StraightPrograms

from opwright.twin.build import thread_flags

ALONE = [  # CI runs the first two
    Batch(Programs, 7, 60, 8, mixed=True),
    Batch(StraightPrograms, 8, 30, 40, own="int16", owned="float16", mixed=True),
    Batch(Programs, 0, 60, 5),
    Batch(Programs, 2, 60, 8, own="int16", owned="float16"),
    Batch(Programs, 1, 60, 33, own="int64"),
    Batch(Programs, 3, 60, 7, own="uint8"),
    Batch(Programs, 4, 60, 1, own="uint32"),
    Batch(Programs, 5, 60, 16, own="int8"),
    Batch(Programs, 6, 60, 12, own="uint16", owned="float16"),
    Batch(StraightPrograms, 9, 20, 70, opt=3),
]
TOGETHER = [  # and the first one
    Batch(MeetingPrograms, 5, 34, 64, mixed=True),
    Batch(MeetingPrograms, 3, 34, 32, own="int16", owned="float16"),
    Batch(MeetingPrograms, 0, 34, 64),
    Batch(MeetingPrograms, 1, 34, 40),
    Batch(MeetingPrograms, 2, 34, 33, own="int64"),
    Batch(MeetingPrograms, 4, 34, 7),
]
MORE = [
    *(Batch(Programs, seed, 60, 1 + seed % 40, opt=3) for seed in range(100, 104)),
    *(Batch(StraightPrograms, seed, 40, 1 + seed % 70, opt=3) for seed in range(110, 112)),
    *(Batch(MeetingPrograms, seed, 34, (31, 32, 48, 96, 1)[seed % 5], opt=3) for seed in range(100, 105)),
]
CHECKED = [
    Batch(Programs, 20, 12, 9),
    Batch(MeetingPrograms, 20, 16, 64),
    Batch(MeetingPrograms, 21, 16, 40, mixed=True),
]


def named(batch: Batch) -> str:
    return f"{batch.make.__name__}-{batch.seed}"


@pytest.mark.parametrize("batch", [*short(ALONE, 2), *short(TOGETHER, 1), *short(MORE, 0)], ids=named)
def test_programs(batch: Batch, tmp_path: Path) -> None:
    programs = batch.programs()
    failed = wrong(tmp_path, batch, programs)
    if failed:
        number = min(failed, key=lambda number: len(text_of(number, programs[number])))
        shown = f"{text_of(number, programs[number])}\n{failed[number]}"
        pytest.fail(f"{len(failed)} of {len(programs)} programs fail; one of them:\n{shown}", pytrace=False)


def test_there_are_enough() -> None:
    assert sum(batch.count for batch in ALONE) >= 500
    assert sum(batch.count for batch in TOGETHER) >= 200


@pytest.mark.parametrize("batch", CHECKED, ids=named)
def test_nothing_is_found(batch: Batch, tmp_path: Path) -> None:
    programs = batch.programs()
    kernel = load(tmp_path, source(batch, programs))
    launch(kernel.check, batch, len(programs), 3)
    assert not kernel.check.report().findings, str(kernel.check.report())


def test_every_form_is_covered() -> None:
    for batches in (ALONE, TOGETHER):
        makers = [batch.make(batch.seed, batch.threads, batch.own) for batch in batches]
        for maker, batch in zip(makers, batches, strict=True):
            for _ in range(batch.count):
                maker.make()
        counts = sum((maker.forms for maker in makers[1:]), makers[0].forms)
        assert {form: count for form, count in counts.items() if count < 5} == {}


@pytest.mark.parametrize(("batch", "how"), [(ALONE[0], []), (ALONE[-1], ["-DOPWRIGHT_SIMT_MASKED"])])
def test_how_threads_run(batch: Batch, how: list[str], tmp_path: Path) -> None:
    """One after the other, or many at once: straight programs are there for the latter."""
    kernel = load(tmp_path, source(batch, dict([*batch.programs().items()][:8])))
    given = (getattr(arrays(batch, 8), name) for name in (*NAMES, "own", "owned"))
    text = kernel.emit(*given, 3)
    assert [flag for flag in thread_flags(text) if flag == "-DOPWRIGHT_SIMT_MASKED"] == how


def test_programs_are_the_same_in_every_run() -> None:
    first, again, other = (Batch(Programs, seed, 5, 8).programs() for seed in (3, 3, 4))
    assert first == again != other


def test_a_wrong_result_shows() -> None:
    """A reference that knows another number of threads, or none of the meetings, is not equal."""
    batch = Batch(MeetingPrograms, 3, 6, 32)
    programs = batch.programs()
    right = reference(batch, programs, 3)
    assert differences(right, reference(batch, programs, 3), 6) == {}
    assert differences(right, reference(batch, programs, 2), 6) != {}
    silent = {number: [node for node in body if node.form != "meet"] for number, body in programs.items()}
    assert differences(right, reference(batch, silent, 3), 6) != {}
