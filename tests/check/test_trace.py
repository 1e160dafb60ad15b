"""Traces: every event of a known kernel in order, arrows that are its flags, findings at their accesses; then the page
and the file for Perfetto that show it."""

import json
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from check_kernels import all_write, sets_once_more, two_mistakes
from trace_kernels import add_twice, copies_often, in_two_phases

from opwright.check.events import Event, Recording, recorded
from opwright.check.html import MAX_STEPS, html
from opwright.check.perfetto import perfetto
from opwright.check.timeline import Timeline, part, timeline
from opwright.errors import CheckWarning, FlagError, RaceError, UninitialisedRead
from opwright.kernel.target import Mode
from opwright.runtime.jit import JitFunction

HERE = Path(__file__).parent
X = np.arange(1024, dtype=np.float32)


def record(kernel: JitFunction, cores: int, *arguments: object) -> Recording:
    bound = kernel.binder.bind(arguments, {})
    return recorded(kernel.kernel_for(bound, Mode.CHECKED), cores, bound)


def array(length: int = 1024) -> np.ndarray:
    return np.full(length, np.nan, np.float32)


def lines(file: str) -> dict[str, int]:
    """What stands in each line, to its number; the last one where there are several."""
    return {text.strip(): n for n, text in enumerate((HERE / file).read_text(encoding="utf-8").splitlines(), 1)}


def brief(event: Event) -> tuple[object, ...]:
    return event.kind, event.flag or event.pipe, event.at.line if event.at else 0


# Events -------------------------------------------------------------------------------------------------------


def in_order(core: int) -> list[tuple[object, ...]]:
    """What a core of `in_two_phases` does, read off its source."""
    at = lines("trace_kernels.py")
    first = (
        (HERE / "trace_kernels.py").read_text(encoding="utf-8").splitlines().index("    asc.adds(dst, src, 1.0, 64)")
    )
    return [
        ("access", "MTE2", at["asc.data_copy(a, x_gm[core * 64 :], 64)"]),
        ("set", "MTE2_V 1", at["asc.set_flag(HardEvent.MTE2_V, 1)"]),
        ("wait", "MTE2_V 1", at["asc.wait_flag(HardEvent.MTE2_V, 1)"]),
        ("access", "V", first + 1),
        ("barrier", "V", first + 2),
        ("access", "V", first + 3),
        *([("barrier", "ALL", at["asc.pipe_barrier(PipeID.PIPE_ALL)"])] if core == 0 else []),
        ("set", "V_MTE3 0", at["asc.set_flag(HardEvent.V_MTE3, 0)"]),
        ("wait", "V_MTE3 0", at["asc.wait_flag(HardEvent.V_MTE3, 0)"]),
        ("access", "MTE3", at["asc.data_copy(y_gm[core * 64 :], b, 64)"]),
        ("sync_all", "ALL", at["asc.sync_all()"]),
        ("access", "MTE2", at["asc.data_copy(a, y_gm[(core + 1) % asc.get_block_num() * 64 :], 64)"]),
        ("set", "MTE2_MTE3 0", at["asc.set_flag(HardEvent.MTE2_MTE3, 0)"]),
        ("wait", "MTE2_MTE3 0", at["asc.wait_flag(HardEvent.MTE2_MTE3, 0)"]),
        ("access", "MTE3", at["asc.data_copy(z_gm[core * 64 :], a, 64)"]),
    ]


@pytest.fixture(scope="module")
def two_phases() -> Recording:
    y, z = array(), array()
    recording = record(in_two_phases, 3, X, y, z)
    np.testing.assert_array_equal(z[:192], np.roll(X[:192], -64) + 2)
    return recording


@pytest.fixture(scope="module")
def mistakes() -> Recording:
    return record(two_mistakes, 2, X, array(2048), 3)


def test_every_event_in_order(two_phases: Recording) -> None:
    assert two_phases.lost == 0 and len(two_phases.report) == 0
    for core in range(3):
        assert [brief(event) for event in two_phases.events if event.core == core] == in_order(core)
    assert [event.core for event in two_phases.events] == [0] * 15 + [1] * 14 + [2] * 14
    assert [source.name for source in two_phases.sources] == ["in_two_phases", "add_twice"]


def test_bytes_and_calls(two_phases: Recording) -> None:
    """Bytes of an argument count from its start, on every core."""
    copies = [event for event in two_phases.events if event.call == "data_copy" and event.core == 1]
    seen = [[(one.argument or one.memory, one.begin, one.end, one.written) for one in e.ranges] for e in copies]
    assert seen == [
        [("x", 256, 512, False), ("UB", 0, 256, True)],
        [("UB", 256, 512, False), ("y", 256, 512, True)],
        [("y", 512, 768, False), ("UB", 0, 256, True)],
        [("UB", 0, 256, False), ("z", 256, 512, True)],
    ]
    assert {event.call for event in two_phases.events if event.kind != "access"} == {
        "set_flag",
        "wait_flag",
        "pipe_barrier",
        "sync_all",
    }


def test_a_helper_says_who_called_it(two_phases: Recording) -> None:
    (first, *_) = (event for event in two_phases.events if event.pipe == "V" and event.kind == "access")
    assert first.at is not None and first.at.text.strip() == "asc.adds(dst, src, 1.0, 64)"
    assert [call.line for call in first.at.calls] == [lines("trace_kernels.py")["add_twice(b, a)"]]
    assert add_twice.__name__ == "add_twice"


def test_iterations_count_per_core_and_line(mistakes: Recording) -> None:
    for core in (0, 1):
        own = [event for event in mistakes.events if event.core == core]
        assert [event.iteration for event in own] == [0] * 9 + [1] * 9 + [2] * 9


# Timeline -----------------------------------------------------------------------------------------------------


def test_what_is_found_before_the_run_is_in_the_report() -> None:
    """The same report as that of a checked launch."""
    recording = record(sets_once_more, 1, 1)
    with pytest.warns(CheckWarning):
        sets_once_more.check[1](1)
    assert recording.report == sets_once_more.check.report()
    (finding,) = recording.report
    assert finding.kind is FlagError and recording.report.budget is not None


def test_cores_meet_where_they_wait_for_each_other(two_phases: Recording) -> None:
    shown = timeline(two_phases)
    assert shown.pipes == ("MTE2", "V", "MTE3") and shown.cores == (0, 1, 2)
    places = {core: [step.x for step in shown.steps if step.event.core == core] for core in shown.cores}
    assert places[0] == list(range(15))
    assert places[1] == places[2] == [*range(9), *range(10, 15)]  # one step less before the sync_all


def test_arrows_are_the_flags_of_the_kernel(mistakes: Recording) -> None:
    shown = timeline(mistakes)
    pairs = [(shown.steps[a].event, shown.steps[b].event) for a, b in shown.arrows]
    expected = [
        (core, flag, turn) for core in (0, 1) for turn in range(3) for flag in ("MTE2_V 0", "V_MTE3 0", "MTE3_V 0")
    ]
    assert [(a.core, a.flag, a.iteration) for a, _ in pairs] == expected
    assert [(b.core, b.flag, b.iteration) for _, b in pairs] == expected
    assert all((a.kind, b.kind) == ("set", "wait") for a, b in pairs)


def test_two_flags_of_one_pair_of_pipes_are_kept_apart() -> None:
    shown = timeline(record(copies_often, 1, X, array(), 5))
    assert [shown.steps[a].event.flag for a, _ in shown.arrows] == [f"MTE2_MTE3 {turn % 2}" for turn in range(5)]
    assert all(b == a + 1 for a, b in shown.arrows)


def test_findings_are_marked_at_their_accesses(mistakes: Recording) -> None:
    shown = timeline(mistakes)
    unwritten, race = shown.marks
    assert [mark.finding.kind for mark in shown.marks] == [UninitialisedRead, RaceError]
    assert [brief(shown.steps[place].event)[:2] for place in unwritten.steps] == [("access", "MTE3")]
    events = [shown.steps[place].event for place in race.steps]
    assert [(event.pipe, event.iteration, event.core) for event in events] == [("V", 0, 0), ("MTE2", 1, 0)]


def test_a_race_between_cores_is_marked_on_both() -> None:
    shown = timeline(record(all_write, 3, array(64)))
    (mark,) = shown.marks
    assert [(shown.steps[place].event.core, shown.steps[place].event.pipe) for place in mark.steps] == [
        (0, "MTE3"),
        (1, "MTE3"),
    ]


def test_what_ended_a_core_has_no_step() -> None:
    """The call that is refused was not done. Its line is told all the same."""
    shown = timeline(record(all_write, 1, array(20)))
    (mark,) = shown.marks
    assert mark.stops and mark.steps == () and [step.event.kind for step in shown.steps] == ["access", "set", "wait"]
    (finding,) = data_of(html(shown))["findings"]
    assert finding["stops"] == 0 and finding["places"][0]["text"] == "asc.data_copy(z_gm[16:], a, 8)"
    (told,) = (event for event in json.loads(perfetto(shown))["traceEvents"] if event["ph"] == "i")
    assert told["name"] == "OutOfRange" and told["ts"] == 30  # behind the third of three steps


def test_nothing_done() -> None:
    """A part that no core has: the page and the trace are there, and say so."""
    empty = Recording(record(all_write, 1, array(64)).report, [], False, 0, ())
    shown = timeline(empty)
    assert shown.notes == ("Nothing was done that touches memory or another pipe.",)
    assert data_of(html(shown))["steps"] == [] and json.loads(perfetto(shown))["traceEvents"] == []


def test_one_core_alone(mistakes: Recording) -> None:
    shown = timeline(mistakes, core=1)
    assert {step.event.core for step in shown.steps} == {1} and shown.cores == (1,)
    assert shown.notes == ("Only core 1 of 2 is shown.",)
    assert all(mark.steps == () for mark in shown.marks)  # they were found on core 0


def test_a_part_is_drawn_around_the_first_finding() -> None:
    whole = timeline(record(copies_often, 2, X, array(), 500))
    assert len(whole.steps) == 4000 and part(whole, 4000) is whole
    # The first finding at its real place is near the start: as if it came late, it is in the middle.
    late = Timeline(
        **{**vars(whole), "marks": (type(whole.marks[0])(whole.marks[0].finding, (1000, 1004)), *whole.marks[1:])}
    )
    shown = part(late, 100)
    assert len(shown.steps) == 100 and shown.cores == (0,)
    assert shown.marks[0].steps == (50, 54)
    assert shown.steps[50] == whole.steps[1000] and shown.marks[1].steps == ()
    assert shown.notes == ("Of core 0 the events 951 to 1050 of 2000 are drawn.", "1 other core is not drawn.")
    assert shown.arrows and all(0 <= a < b < 100 for a, b in shown.arrows)
    for a, b in shown.arrows:
        assert shown.steps[a].event.flag == shown.steps[b].event.flag


def test_what_was_not_kept_is_counted(mistakes: Recording) -> None:
    cut = Recording(mistakes.report, mistakes.events[:10], False, 44, mistakes.sources)
    assert timeline(cut).notes == (
        "The launch is too long to be kept whole: 44 records of its later part are missing.",
    )


# The page -----------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Elements with their attributes, and the text of #trace."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = [dict(attrs).get("id") or tag]

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[0]] = self.texts.get(self._open[0], "") + data

    def handle_endtag(self, tag: str) -> None:
        self._open = []


def data_of(text: str) -> dict:
    return json.loads(Page(text).texts["trace"])


def test_the_page_has_all_steps_and_arrows(mistakes: Recording) -> None:
    shown = timeline(mistakes)
    text = html(shown)
    data = data_of(text)
    assert [(step["core"], step["x"], step["kind"]) for step in data["steps"]] == [
        (step.event.core, step.x, step.event.kind) for step in shown.steps
    ]
    assert [tuple(pair) for pair in data["arrows"]] == list(shown.arrows)
    assert data["steps"][0]["reads"] == ["224 bytes of argument x, 0 to 224"]
    assert data["steps"][0]["where"] == f"{HERE}/check_kernels.py:{lines('check_kernels.py')[data['steps'][0]['text']]}"
    source, line = data["steps"][0]["line"]
    kernel = data["sources"][source]
    assert kernel["lines"][line - kernel["first"]].strip() == data["steps"][0]["text"]
    assert Page(text).texts["title"] == Page(text).texts["h1"] == "two_mistakes on 2 cores of ascend910b"


def test_the_page_tells_the_findings(mistakes: Recording) -> None:
    data = data_of(html(timeline(mistakes)))
    race = data["findings"][1]
    assert race["kind"] == "RaceError" and race["severity"] == "error"
    assert race["hint"] == mistakes.report.findings[1].hint
    assert [place["who"] for place in race["places"]] == [
        "first: V reads, core 0, iteration 1",
        "then: MTE2 writes, core 0, iteration 2",
    ]
    assert [place["text"] for place in race["places"]] == [
        "asc.adds(b, a, 1.0, 57)",
        "asc.data_copy(a, x_gm[tile * 64 :], 56)",
    ]
    assert [data["steps"][place]["pipe"] for place in race["steps"]] == ["V", "MTE2"]
    assert race["stops"] is None


def test_the_page_loads_nothing(two_phases: Recording) -> None:
    text = html(timeline(two_phases))
    assert (
        "http:" not in text
        and "https:" not in text
        and "@import" not in text
        and "url(" not in text.replace("url(#", "")
    )
    page = Page(text)
    assert not [tag for tag, attributes in page.elements if {"src", "href"} & set(attributes) or tag in ("link", "img")]
    policy = next(attributes["content"] for _, attributes in page.elements if "http-equiv" in attributes)
    assert policy and policy.startswith("default-src 'none'")


def test_long_traces_are_cut(mistakes: Recording) -> None:
    data = data_of(html(timeline(record(copies_often, 1, X, array(), 2000))))
    assert len(data["steps"]) == MAX_STEPS == 3000
    assert data["notes"] == ["Of core 0 the events 1 to 3000 of 8000 are drawn."]


EVIL = '''\
from opwright import asc


@asc.jit
def evil(z: asc.GlobalAddress):
    """</script><script>alert(1)</script> &amp; <b>"""
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 64)
    asc.whole_reduce_sum(a, a, 64, 1, 1, 1, 8)  # </script><img src=x onerror=alert(2)> <!--
'''


def test_what_a_user_writes_is_text(tmp_path: Path) -> None:
    folder = tmp_path / "<script>alert(3)<"
    folder.mkdir()
    file = folder / "a&'\"b.py"
    file.write_text(EVIL, encoding="utf-8")
    names: dict[str, JitFunction] = {}
    exec(compile(EVIL, str(file), "exec"), names)
    text = html(timeline(record(names["evil"], 1, array(64))))
    page = Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert not {tag for tag, _ in page.elements} & {"img", "b"}
    assert "alert(2)> <!--" not in text and "<script>alert" not in text
    data = json.loads(page.texts["trace"])
    assert data["steps"][0]["where"] == f"{file}:8"
    assert data["sources"][0]["lines"][-1].endswith("# </script><img src=x onerror=alert(2)> <!--")
    assert data["findings"][0]["kind"] == "UninitialisedRead"


def test_the_script_makes_no_markup() -> None:
    """Whatever it shows goes through text nodes and attributes."""
    script = (Path(recorded.__code__.co_filename).parent / "page" / "trace.js").read_text(encoding="utf-8")
    assert not [
        word
        for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "Function(")
        if word in script
    ]


# Perfetto -----------------------------------------------------------------------------------------------------


def test_perfetto(mistakes: Recording) -> None:
    shown = timeline(mistakes)
    trace = json.loads(perfetto(shown))
    events = trace["traceEvents"]
    by_phase = {phase: [event for event in events if event["ph"] == phase] for phase in "MXsfi"}
    assert sum(map(len, by_phase.values())) == len(events)
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in by_phase["M"] if e["name"] == "thread_name"}
    assert sorted(names.values()) == ["MTE2", "MTE2", "MTE3", "MTE3", "V", "V"]
    assert len({tid for _, tid in names}) == 6 and all(pid > 0 and tid > 0 for pid, tid in names)
    cores = {e["pid"]: e["args"]["name"] for e in by_phase["M"] if e["name"] == "process_name"}
    assert cores == {1: "core 0", 2: "core 1"}
    slices = [(e["pid"] - 1, names[e["pid"], e["tid"]], e["ts"] // e["dur"], e["name"]) for e in by_phase["X"]]
    assert sorted(slices) == sorted((s.event.core, s.event.pipe, s.x, s.event.call) for s in shown.steps)
    assert {event["dur"] for event in by_phase["X"]} == {10}
    assert [event["name"] for event in by_phase["i"]] == ["UninitialisedRead", "RaceError"]


def test_perfetto_flows_are_paired_and_lie_in_slices(mistakes: Recording) -> None:
    shown = timeline(mistakes)
    events = json.loads(perfetto(shown))["traceEvents"]

    def key(event: dict[str, object]) -> tuple[object, ...]:
        return event["cat"], event["name"], event["id"]

    begins = {key(event): event for event in events if event["ph"] == "s"}
    ends = {key(event): event for event in events if event["ph"] == "f"}
    assert len(begins) == sum(event["ph"] == "s" for event in events) == len(shown.arrows) + 1
    assert begins.keys() == ends.keys()
    assert all(event["bp"] == "e" for event in ends.values())
    slices = {(e["tid"], e["ts"]): e for e in events if e["ph"] == "X"}
    for name, begin in begins.items():
        end = ends[name]
        assert begin["ts"] <= end["ts"] and events.index(begin) < events.index(end)
        around = [slices[event["tid"], event["ts"] - 5] for event in (begin, end)]
        if name[0] == "flag":
            assert [one["cat"] for one in around] == ["set", "wait"]
            assert [one["args"]["flag"] for one in around] == [name[1]] * 2
        else:
            assert [one["cat"] for one in around] == ["access", "access"]


def test_perfetto_shows_a_barrier_of_all_pipes_in_all_of_them(two_phases: Recording) -> None:
    events = json.loads(perfetto(timeline(two_phases)))["traceEvents"]
    meets = [event for event in events if event["ph"] == "X" and event["name"] == "sync_all"]
    assert len(meets) == 9 and len({event["ts"] for event in meets}) == 1 and len({e["tid"] for e in meets}) == 9
