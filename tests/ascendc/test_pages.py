"""Pages of tasks and calls: where they are found, what they link to, what is explained and what is drawn."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from opwright.ascendc import document, pictures
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.meanings import MEANINGS, meaning
from opwright.ascendc.row import LIST, OBJECT
from opwright.ascendc.table import CHAPTERS, ROWS, SHORTS, TASK_OF, TASKS

pytestmark = pytest.mark.quick

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = document.Example("ascend910b", "KERNEL\n", (1,), "LAUNCH", "TEXT", (), (), "", "")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return document.pages(dict.fromkeys(ROWS, EXAMPLE))


def test_the_sidebar_has_the_tasks_in_order() -> None:
    listed = re.findall(r"^reference/tasks/(\w+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.M)
    assert listed == [document.file_of(task) for task in TASKS]
    assert len({(TASK_OF[chapter], SHORTS[chapter]) for chapter in CHAPTERS}) == len(CHAPTERS), "two of one title"
    assert all(len(short) < 30 for short in SHORTS.values())


def test_every_chapter_is_on_the_page_of_its_task(pages: dict[str, str]) -> None:
    for chapter in CHAPTERS:
        page = pages[f"tasks/{document.file_of(TASK_OF[chapter])}"]
        assert (
            f"## {SHORTS[chapter]}\n" in page
            and f"](../chapters/{chapter}.md).\n" in page
            and f"\n../chapters/{chapter}\n" in page
        )
        assert pages[f"chapters/{chapter}"].startswith(f"# {SHORTS[chapter]}\n")


def test_structs_and_enumerations_are_links(pages: dict[str, str]) -> None:
    for name, row in ROWS.items():
        for form in row.forms:
            for parameter in form.parameters:
                if parameter.name == "self" or row.fields or not (parameter.made_by or parameter.kind in ENUMS):
                    continue
                target = f"{parameter.made_by}.md" if parameter.kind in (OBJECT, LIST) else "enums.md#asc"
                lines = [line for line in pages[f"calls/{name}"].splitlines() if f"| `{parameter.name}` |" in line]
                assert any(target in line for line in lines), f"{name}: {parameter.name}"


def test_a_name_is_a_link_where_it_stands_alone() -> None:
    links = document.Links()
    event = "[HardEvent](../enums.md#aschardevent)"
    assert links("a HardEvent, by `asc.HardEvent`") == f"a {event}, by [`asc.HardEvent`](../enums.md#aschardevent)"
    for same in ("`HardEvent.MTE2_V`", "HardEvent.MTE2_V", "MyHardEvent", "TPipe()"):
        assert links(same) == same
    assert links("the TPipe of a TQue", own="TPipe") == "the TPipe of a [TQue](TQue.md)"


def test_every_meaning_is_used() -> None:
    used = {meaning(row, parameter) for row in ROWS.values() for form in row.forms for parameter in form.parameters}
    assert {*MEANINGS.values()} <= used
    masks = {
        name: {meaning(ROWS[name], p) for form in ROWS[name].forms for p in form.parameters if p.name == "mask"}
        for name in ("add", "TQue", "gather_mask")
    }
    assert len(masks["add"]) == 2 and all("lanes" in words for words in masks["add"])
    assert masks["TQue"] == masks["gather_mask"] == {""}, "the same name for something else"


def test_cells_by_hand() -> None:
    touched = [number for number, colour in enumerate(pictures.repeats(2, 20)) if colour]
    assert touched == [*range(0, 16, 2), *range(20, 36, 2)]
    assert [bool(colour) for colour in pictures.pieces(2, 3, 2)] == [True, True, True, False, False, True, True, True]


def test_drawings(pages: dict[str, str]) -> None:
    for text in pictures.drawings().values():
        ElementTree.fromstring(text)
    drawn = {
        name: {*re.findall(r"\(\.\./pictures/(\w+)\.svg\)", pages[f"calls/{name}"])}
        for name in ("add", "data_copy", "data_copy_pad", "DataCopyParams", "BinaryRepeatParams", "set_flag")
    }
    assert drawn == {
        "add": {pictures.REPEATS},
        "data_copy": {pictures.GAPS},
        "data_copy_pad": {pictures.PADDED},
        "DataCopyParams": {pictures.GAPS},
        "BinaryRepeatParams": {pictures.REPEATS},
        "set_flag": set(),
    }
    assert {*pictures.ALTS} == {*pictures.drawings()}
