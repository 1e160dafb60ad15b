"""Every row, form, element type and SoC, and every call of the emitted texts, agree with the list of signatures.

The list says what Ascend C declares, in words of our own: see `signature_list.py`. A row that is added needs lines
there, which are looked up and not derived: a row that is wrong must not make its own list. One wrong row and one wrong
text of each kind show that they are found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from signature_list import COLUMNS, FOLDER, calls_of, disagreements, read, wrong_calls

from opwright import asc
from opwright.ascendc.cube_rules import Together
from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.row import Dtypes, Form, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTER_OF, CHAPTERS, ROWS
from opwright.ascendc.traits import SetsFields
from opwright.ascendc.words import describe_since

pytestmark = pytest.mark.quick

GOLDEN = Path(__file__).parents[1] / "emit" / "golden"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_rows_agree(chapter: str) -> None:
    wrong = [line for row in CHAPTERS[chapter] for line in disagreements(row, read())]
    assert not wrong, "\n".join(wrong)


def test_the_list_has_nothing_else() -> None:
    assert {path.stem for path in FOLDER.glob("*.tsv")} == set(CHAPTERS)
    assert {name for name, _ in read()} == set(ROWS)
    assert sum(len(row.forms) for row in ROWS.values()) == len(read())


def test_element_types_are_known() -> None:
    for line in read().values():
        for soc in SOCS:
            for part in filter(None, getattr(line, soc).replace("-", "").split("; ")):
                assert set(part.partition("=")[2].split()) <= set(ELEMENTS), (line.key, soc)


# Wrong rows ---------------------------------------------------------------------------------------------------


def form_of(row: Row, number: int, **changes: object) -> Row:
    """A row with another form."""
    forms = list(row.forms)
    forms[number] = replace(forms[number], **changes)  # type: ignore[arg-type]
    return replace(row, forms=tuple(forms))


def with_type(row: Row, number: int, soc: str, *, add: str) -> Row:
    kinds = row.dtypes_of(row.forms[number])["T"]
    more = Dtypes({**kinds.by_soc, soc: (*kinds.by_soc[soc], add)}, kinds.why)
    return form_of(row, number, dtypes={**row.forms[number].dtypes, "T": more})


def fields_set_on_demand() -> SetsFields:
    """The fields of a form of FixpipeParamsArch3510, of which none is always set."""
    sets = ROWS["FixpipeParamsArch3510"].forms[0].get(SetsFields)
    assert sets is not None
    return SetsFields(sets.fields)


def without_rules(row: Row, number: int) -> Row:
    return form_of(row, number, rules=())


def with_a_pair() -> Row:
    """data_copy from L0C that takes bfloat16 from int32, as Fixpipe does."""
    row = ROWS["data_copy"]
    (rule,) = (one for one in row.forms[12].rules if isinstance(one, Together))
    more = {soc: (*pairs, ("int32", "bfloat16")) for soc, pairs in rule.by_soc.items()}
    rules = tuple(replace(one, by_soc=more) if isinstance(one, Together) else one for one in row.forms[12].rules)
    return form_of(row, 12, rules=rules)


PLANTED: dict[str, tuple[Callable[[], Row], str]] = {
    "another name": (lambda: replace(ROWS["set_fix_pipe_pre_quant_flag"], cpp="SetFixPipePreQuantFlag"), "cpp"),
    "another namespace": (lambda: form_of(ROWS["get_tpipe_ptr"], 0, text="*AscendC::GetTPipePtr()"), "cpp"),
    "a form more": (lambda: replace(ROWS["adv.log"], forms=(*ROWS["adv.log"].forms, Form("dst: ub T"))), "lacks it"),
    "a form less": (lambda: replace(ROWS["add"], forms=ROWS["add"].forms[:2]), "lacks it"),
    "another kind": (
        lambda: form_of(ROWS["gatherb"], 0, signature="dst: ub T, src0: ub T, offset: ub T"),
        "parameters",
    ),
    "another order": (lambda: form_of(ROWS["adv.sin"], 3, order=()), "parameters"),
    "a template more": (
        lambda: form_of(
            ROWS["abs"], 0, signature=f"{ROWS['abs'].forms[0].signature}, is_set_mask: template bool = True"
        ),
        "templates",
    ),
    "a value for a reference": (lambda: form_of(ROWS["sort"], 0, lvalues=()), "references"),
    "a type of 8 bits with repeats": (lambda: with_type(ROWS["add"], 1, "ascend950", add="int8"), "ascend950"),
    "a type that an old SoC lacks": (lambda: with_type(ROWS["exp"], 0, "ascend910b", add="bfloat16"), "ascend910b"),
    "a call that a SoC lacks": (lambda: form_of(ROWS["get_gather_mask_remain_count"], 0, not_on={}), "ascend950"),
    "an argument that is refused": (lambda: without_rules(ROWS["pipe_barrier"], 0), "refused"),
    "a mask that is not left": (lambda: without_rules(ROWS["add"], 0), "refused"),
    "no need of a TPipe": (lambda: form_of(ROWS["reduce_sum"], 2, needs_tpipe={}), "needs_tpipe"),
    "no need of a TPipe on one SoC": (
        lambda: form_of(ROWS["adv.power"], 3, needs_tpipe={}),
        "needs_tpipe is '', the list has 'ascend950'",
    ),
    "queues of any depth": (lambda: without_rules(ROWS["TQueBind.alloc_tensor"], 0), "refused"),
    "a question to queues of any depth": (lambda: without_rules(ROWS["TQueBind.has_idle_buffer"], 0), "refused"),
    "a pool of another size": (lambda: without_rules(ROWS["TBufPool.init_buf_pool"], 0), "refused"),
    "types that do not go together": (lambda: without_rules(ROWS["cast_deq"], 0), "refused"),
    "one pair of types more": (with_a_pair, "refused"),
    "conversions that there are not": (lambda: without_rules(ROWS["cast"], 1), "refused"),
    "results in other types": (lambda: without_rules(ROWS["fixpipe"], 2), "refused"),
    "a wider field": (lambda: without_rules(ROWS["MrgSort4Info"], 0), "refused"),
    "a type that is not said": (lambda: form_of(ROWS["data_cache_preload"], 0, deduced=()), "text"),
    "a field that is not set": (
        lambda: form_of(ROWS["FixpipeParamsArch3510"], 0, traits=(fields_set_on_demand(),)),
        "text",
    ),
    "no header": (lambda: replace(ROWS["ListTensorDesc"], header=""), "text"),
    "templates left out": (lambda: form_of(ROWS["adv.softmax"], 0, spells_all=False), "text"),
    "types in another number": (lambda: form_of(ROWS["mul_add_dst"], 1, types=()), "text"),
    "an older version": (lambda: form_of(ROWS["data_copy_l1_to_ub"], 0, since={}), "since"),
}


@pytest.mark.parametrize("which", PLANTED)
def test_a_wrong_row_is_found(which: str) -> None:
    make, words = PLANTED[which]
    row = make()
    assert not disagreements(ROWS[row.name], read())
    found = disagreements(row, read())
    assert found and any(words in line for line in found), found


def test_a_row_that_the_list_lacks_is_told_with_its_line() -> None:
    row = replace(ROWS["add"], name="new_add")
    assert all("the list lacks it; look it up" in line for line in disagreements(row, read()))


def test_pages_say_which_versions() -> None:
    assert describe_since(ROWS["data_copy_l1_to_ub"].forms[0]) == ["In CANN from 9.1.0 on"]
    assert describe_since(ROWS["reduce_sum"].forms[2]) == ["int32 and uint32 in CANN after 9.2.0-beta.1"]
    assert not describe_since(ROWS["add"].forms[0])


# Texts --------------------------------------------------------------------------------------------------------

TEXTS = sorted(GOLDEN.glob("*.cpp"))


def test_every_text_is_read() -> None:
    calls = [call for path in TEXTS for call in calls_of(path.read_text())]
    assert len(TEXTS) > 100 and len(calls) > 1000
    named = {call.name for call in calls}
    listed = {
        line.cpp for line in read().values() if line.cpp.startswith("AscendC::") and CHAPTER_OF[line.name] != "simt"
    }
    assert len(named & listed) > 200


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_texts_agree(path: Path) -> None:
    assert wrong_calls(path.read_text()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AscendC::SetFixPipePreQuantFlag(1);", "is in no line"),
        ("AscendC::TPipe& pipe = *AscendC::GetTPipePtr();", "is in no line"),
        ("AscendC::RpSort16(a, b, 1);", "is in no line"),
        ("pipe.GetBaseAddr(1);", "is in no line"),
        ("AscendC::Ceil(c, a);", "arguments"),
        ("AscendC::Log(c, a, room, 8);", "arguments"),
        ("AscendC::Add(a, b, c, 0, 1, params);", "a mask of 0"),
        ("AscendC::Sort<float, true>(a, b, i, c[512], 1);", "takes a variable for tmp"),
        ("queue.FreeTensor(y[0]);", "takes a variable for tensor"),
        ("AscendC::DataCopyParams params(1, 2);", "arguments"),
        ("AscendC::Add<half, false>(a, b, c, 64);", "has 0 types and templates"),
        ("AscendC::Adds<half>(a, b, c, 64);", "has 2 types and templates"),
        ("AscendC::SoftMax(a, b, c, d, e);", "must have its types"),
        ("AscendC::DataCachePreload(g, 64);", "takes the type of cache_offset"),
    ],
)
def test_a_wrong_text_is_found(text: str, words: str) -> None:
    (found,) = wrong_calls(f"void kernel() {{\n    {text}\n}}\n")
    assert words in found


def test_a_helper_that_gives_an_object_back_is_no_call() -> None:
    helper = "__aicore__ inline AscendC::GlobalTensor<float> part(AscendC::GlobalTensor<float> x, int64_t n) {"
    assert wrong_calls(f"{helper}\n    return x[n];\n}}\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "AscendC::Duplicate(a, (n << 3) >> 1, n > 4 ? n : 64);",
        "AscendC::Duplicate(a, static_cast<half>(n >> 63), 64);",
        "AscendC::Adds<half, false>(a[f<g<int>>(n)], a, b, 1, 1, AscendC::UnaryRepeatParams(1, 1, 8, 8));",
    ],
)
def test_angle_brackets_are_told_from_operators(text: str) -> None:
    found = [line for line in wrong_calls(f"void kernel() {{\n    {text}\n}}\n") if not line.startswith("f ")]
    assert found == []


def test_columns() -> None:
    for path in FOLDER.glob("*.tsv"):
        head, *lines = path.read_text(encoding="utf-8").splitlines()
        assert head.split("\t") == COLUMNS
        assert all(line.count("\t") == head.count("\t") for line in lines)


@asc.jit
def waits() -> None:
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def test_what_any_test_emits_is_held_against_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples of rows, operators' kernels, random programs: see tests/conftest.py."""
    assert "PipeBarrier" in waits.emit()
    monkeypatch.setattr("signature_list.by_name", dict)
    with pytest.raises(pytest.fail.Exception, match="AscendC::PipeBarrier is in no line of the list"):
        waits.emit(soc="ascend950")
