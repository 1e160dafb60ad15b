"""The engine for races between threads against all pairs of small lists of events: no race missed, no false alarm.

`happens_before.py` knows the races without the engine. What must agree:

- Every pair that is told is a race, of the kinds that are told, in every byte that is told.
- For each access, byte and kind (read, written, atomic, added to): if the access races there with an earlier one of
  that kind, a race with one of that kind is told. So no access that races with an earlier one goes untold.
- Bytes of UB that a thread reads before any thread has touched them are told, each once.
- What is told to be touched, kind by kind, is what was touched.
"""

import random
from collections import Counter

import pytest
from happens_before import GM, UB, Access, BlockMeets, Event, How, Race, WarpMeets, races
from judge import Finding, Judge, Told, load

CASES = 12000
PARTS = 12
# How many lists of each kind a part has at least, so that none goes missing. Seeds are fixed: it does not flicker.
LEAST = {
    **{"clean": 100, "race": 300, "only in a warp": 30, "floats": 30},
    **{"overlap": 30, "over a page": 30, "kept beside": 30},
}
PAGE = 1024


@pytest.fixture(scope="module")
def judge() -> Judge:
    return load()


def make(chance: random.Random) -> list[Event]:
    """A list of events that touch few bytes, in one way or in many."""
    threads = chance.sample([0, 1, 2, 31, 32, 33, 34, 63, 64, 2046, 2047], chance.randint(1, 6))
    alike = chance.random() < 0.5
    size = chance.choice([1, 2, 4, 8])
    start = chance.choice([0, 16, PAGE - 8, 5 * PAGE - 16])
    hows = chance.choice([list(How), [How.READ, How.WRITTEN], [How.READ, How.READ, How.READ, How.WRITTEN]])
    memories = chance.choice([[UB], [GM], [UB, GM]])
    meets = chance.choice([0.1, 0.3, 0.5])
    events: list[Event] = []
    for _ in range(chance.randint(2, 24)):
        if chance.random() < meets:
            warp = chance.choice(threads) // 32
            events.append(BlockMeets() if chance.random() < 0.3 else WarpMeets(warp))
            continue
        own = size if alike else chance.choice([1, 2, 4, 8, 12, 16])
        offset = own * chance.randrange(3) if alike else chance.randrange(20)
        events.append(Access(chance.choice(threads), chance.choice(hows), chance.choice(memories), start + offset, own))
    return events


def compare(events: list[Event], right: set[Race], findings: list[Finding]) -> None:
    told = [finding for finding in findings if finding.kind == Told.RACE]
    covered = set()
    for finding in told:
        first, second = events[finding.first_line], events[finding.second_line]
        assert isinstance(first, Access) and isinstance(second, Access)
        assert (finding.first_thread, finding.first_access) == (first.thread, first.how)
        assert (finding.second_thread, finding.second_access) == (second.thread, second.how)
        for place in finding.places():
            assert Race(finding.first_line, finding.second_line, place) in right
            covered.add((finding.second_line, place, finding.first_access))
    for race in right:
        first = events[race.first]
        assert isinstance(first, Access)
        assert (race.second, race.place, first.how) in covered, race

    known: set[tuple[int, int]] = set()
    first_reads = set()
    for number, event in enumerate(events):
        if not isinstance(event, Access):
            continue
        if event.memory == UB and event.how is not How.WRITTEN:
            first_reads |= {(number, place) for place in event.touches() - known}
        known |= event.touches()
    said = [(f.second_line, place) for f in findings if f.kind == Told.FIRST_READ for place in f.places()]
    assert sorted(said) == sorted(first_reads)

    touched = {(event.how, place) for event in events if isinstance(event, Access) for place in event.touches()}
    said_touched = [(f.first_access, place) for f in findings if f.kind == Told.TOUCHED for place in f.places()]
    assert sorted(said_touched) == sorted(touched)


def what_is_in(events: list[Event], right: set[Race]) -> set[str]:
    accesses = [event for event in events if isinstance(event, Access)]
    pairs = {(events[race.first], events[race.second]) for race in right}
    readers: Counter[tuple[int, int]] = Counter(
        place for event in accesses if event.how is How.READ for place in event.touches()
    )
    sizes = {(event.bytes, event.address % event.bytes) for event in accesses}
    there = {
        "clean": not right,
        "race": bool(right),
        "only in a warp": bool(pairs) and all(a.thread // 32 == b.thread // 32 for a, b in pairs),
        "floats": any(a.how is b.how is How.ADDS_FLOATS for a, b in pairs),
        "overlap": len(sizes) > 1 and bool(right),
        "over a page": any(event.address // PAGE != (event.address + event.bytes - 1) // PAGE for event in accesses),
        "kept beside": any(count > 4 for count in readers.values()),
    }
    return {name for name, is_there in there.items() if is_there}


@pytest.mark.parametrize("part", range(PARTS))
def test_small_lists(part: int, judge: Judge) -> None:
    counts: Counter[str] = Counter()
    for seed in range(part * CASES // PARTS, (part + 1) * CASES // PARTS):
        events = make(random.Random(seed))
        right = races(events)
        try:
            compare(events, right, judge(events))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {events}") from error
        counts.update(what_is_in(events, right))
    for name, least in LEAST.items():
        assert counts[name] >= least, counts


def test_a_reader_of_a_third_warp_hides_nothing(judge: Judge) -> None:
    """Many warps read, then one that read too writes: it races with the others, and not with itself."""
    reads: list[Event] = [Access(32 * warp, How.READ, UB, 0, 4) for warp in range(8)]
    for writer in range(8):
        told = [f for f in judge([*reads, Access(32 * writer, How.WRITTEN, UB, 0, 4)]) if f.kind == Told.RACE]
        assert len(told) == 1 and told[0].first_thread != 32 * writer


def test_many_pages(judge: Judge) -> None:
    """More pages than the small table and the first large one have room for: each keeps its own."""
    places = [4096 * 1024 + 1024 * 1024 * page for page in range(3000)]
    events: list[Event] = [Access(number % 2048, How.WRITTEN, GM, place, 4) for number, place in enumerate(places)]
    events += [Access((number + 1) % 2048, How.READ, GM, place, 4) for number, place in enumerate(places[::7])]
    told = {(f.first_line, f.second_line) for f in judge(events) if f.kind == Told.RACE}
    same = {n for n in range(0, len(places), 7) if n % 2048 == (n // 7 + 1) % 2048}
    assert told == {(n, len(places) + n // 7) for n in range(0, len(places), 7) if n not in same}
    assert len(told) > 400
