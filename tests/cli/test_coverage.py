"""`opwright list calls --coverage`: how much of a list of names there is, and how much of it tests have shown."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opwright import asc
from opwright.ascendc.coverage import EXCEPTIONS, LATER, NOT_COVERED, Evidence, dtypes_of, later, refusal, wanted
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.table import ROWS
from opwright.cli import cli
from opwright.cli._coverage import is_known, lacks, our_names, percent
from opwright.cli._overloads import parse, split, unmet

pytestmark = pytest.mark.quick

MOST_EXCEPTIONS = 20


def opwright(*words: str) -> Result:
    return CliRunner().invoke(cli, words, env={"COLUMNS": "100"}, prog_name="opwright")


def data(*words: str) -> dict:
    done = opwright(*words, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


# By name


def test_our_names() -> None:
    names = our_names()
    assert {f"asc.{name}" for name in (*ROWS, *ENUMS, *DTYPES)} <= names
    assert {f"asc.{name}" for name in asc.__all__} <= names
    for name in (
        "asc.add",
        "asc.jit",
        "asc.half",
        "asc.HardEvent.MTE2_V",
        "asc.DataType.sizeof",
        "asc.GlobalTensor.set_global_buffer",
        "asc.GlobalTensor.__call__",
        "asc.UnaryRepeatParams.dst_blk_stride",
    ):
        assert name in names
    assert all(name.startswith("asc.") for name in names)
    assert not {name for name in names if "._" in name and "__" not in name}


LIST = """\
name,group,signature
asc.add,basic/vec_binary,"(a, b)"
asc.nonesuch,basic/vec_binary,
asc.add,basic/vec_binary,twice
asc.HardEvent.MTE2_V,core/enum_value,
asc.float16,core/dtype,
 asc.HardEvent , core/enum,
,core/enum,
asc.Nothing,elsewhere
asc.GlobalTensor.set_global_buffer,core/tensor_method,
asc.no_group
"""


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.csv"
    path.write_text(LIST)
    return path


def test_coverage(names: Path) -> None:
    done = opwright("list", "calls", "--coverage", str(names))
    assert (done.exit_code, done.stderr) == (0, "")
    head, _, *lines, last = done.stdout.splitlines()
    beyond = [line for line in lines if line.startswith("not covered: ")]
    assert head.split() == ["group", "covered", "share"]
    assert [line.split() for line in lines[: -len(beyond)]] == [
        ["basic/vec_binary", "1/2", "50.0", "%"],
        ["core/enum_value", "1/1", "100.0", "%"],
        ["core/dtype", "1/1", "100.0", "%"],
        ["core/enum", "1/1", "100.0", "%"],
        ["elsewhere", "0/1", "0.0", "%"],
        ["core/tensor_method", "1/1", "100.0", "%"],
        ["(no", "group)", "0/1", "0.0", "%"],
    ]
    assert last == "covered 5 of 8 (62.5 %)"
    assert beyond == [f"not covered: {what}: {why}" for what, why in NOT_COVERED.items()]
    assert beyond[0].startswith("not covered: RegTensor, MaskReg")


def test_coverage_as_json(names: Path) -> None:
    found = data("list", "calls", "--coverage", str(names))
    assert (found["covered"], found["total"], found["percent"]) == (5, 8, 62.5)
    assert found["not_covered"] == NOT_COVERED
    assert found["groups"][0] == {
        "group": "basic/vec_binary",
        "covered": 1,
        "total": 2,
        "missing": ["asc.nonesuch"],
    }
    assert sum(group["covered"] for group in found["groups"]) == 5
    assert set(found["not_in_the_list"]) == our_names() - {line.split(",")[0].strip() for line in LIST.splitlines()}


def test_everything_we_have_is_covered(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    ours = sorted(our_names())
    path.write_text("﻿group,name\n" + "".join(f"g,{name}\n" for name in ours), encoding="utf-8")
    assert opwright("list", "calls", "--coverage", str(path)).stdout.splitlines()[-1] == (
        f"covered {len(ours)} of {len(ours)} (100.0 %)"
    )


def test_percent() -> None:
    assert [percent(*pair) for pair in ((0, 7), (1, 3), (2, 3), (7, 7), (99999, 100000))] == [0, 33.3, 66.7, 100, 99.9]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"name,kind\nasc.add,x\n", "has no column group; its first line has: name, kind"),
        (b"a,b\n", "has no column name and no column group; its first line has: a, b"),
        (b"", "has no column name and no column group; its first line has: nothing"),
        (b"name,group\n", "has no names below its first line"),
        (b"name,group\n,x\n", "has no names below its first line"),
        (b"\xff\xfe\x00name", "cannot be read as CSV"),
        (b'name,group\n"' + b"x" * 200_000 + b'",y\n', "cannot be read as CSV: field larger than field limit"),
    ],
)
def test_coverage_of_a_wrong_file(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_bytes(content)
    done = opwright("list", "calls", "--coverage", str(path))
    assert done.exit_code == 1
    assert done.stdout == ""
    assert message in done.stderr and "names.csv" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_coverage_of_no_file(tmp_path: Path) -> None:
    done = opwright("list", "calls", "--coverage", str(tmp_path / "none.csv"))
    assert done.exit_code == 2
    assert "none.csv' does not exist" in done.stderr
    done = opwright("list", "calls", "--coverage", str(tmp_path))
    assert done.exit_code == 2
    assert "is a directory" in done.stderr


# What is left out


def test_later(names: Path) -> None:
    names.write_text(
        "name,group,overloads\nasc.add,basic/x,1\nasc.adv.Matmul,adv/matmul,2\nasc.adv.MatmulConfig,core/p,1\n"
    )
    done = opwright("list", "calls", "--coverage", str(names))
    lines = [line for line in done.stdout.splitlines() if not line.startswith("not covered: ")]
    assert [line.split()[0] for line in lines[2:-3]] == ["basic/x"]
    assert lines[-3:] == [
        "later, not counted: 2 matmul",
        "of all 3 names, later work and exceptions too: 1 (33.3 %)",
        "covered 1 of 1 (100.0 %)",
    ]
    found = data("list", "calls", "--coverage", str(names))
    assert (found["total"], found["all_names"], found["percent_of_all"]) == (1, 3, 33.3)
    assert [group.get("later") for group in found["groups"]] == [
        None,
        {"asc.adv.Matmul": "matmul"},
        {"asc.adv.MatmulConfig": "matmul"},
    ]
    assert later("adv/params", "asc.adv.QuantConfig") == ""
    assert later("adv/params", "asc.adv.MatmulConfig") == "matmul"


def test_exceptions(names: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXCEPTIONS, "asc.nonesuch", "nobody knows what it does")
    monkeypatch.setitem(EXCEPTIONS, "asc.add", "it is there: this must not hide it")
    found = data("list", "calls", "--coverage", str(names))
    assert found["groups"][0] == {
        "group": "basic/vec_binary",
        "covered": 1,
        "total": 1,
        "missing": [],
        "exceptions": {"asc.nonesuch": "nobody knows what it does"},
    }
    lines = opwright("list", "calls", "--coverage", str(names)).stdout.splitlines()
    assert "exception: asc.nonesuch: nobody knows what it does" in lines


def test_overloads_that_are_exceptions(names: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXCEPTIONS, "asc.exp(*: Strange*)", "it is strange")
    names.write_text('name,group,overloads\nasc.exp,basic/v,"2: (dst, src: Strange) | (dst, src: Odd)"\n')
    path = tmp_path / "evidence.json"
    path.write_text(json.dumps({"ran": {"exp": whole("exp")}, "asserted": []}))
    (group,) = data("list", "calls", "--coverage", str(names), "--evidence", str(path))["groups"]
    assert group["exceptions"] == {"asc.exp(dst, src: Strange)": "it is strange"}
    assert group["missing"] == {"asc.exp": "no form for (dst, src: Odd)"}


def test_what_is_left_out_has_a_reason() -> None:
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS
    assert all({**LATER, **EXCEPTIONS, **NOT_COVERED}.values())
    simt = {name.removeprefix("asc.simt.") for name in our_names() if name.startswith("asc.simt.")}
    assert not simt & {word for what in NOT_COVERED for word in what.replace(",", " ").split()}
    assert all(name.startswith("asc.") for name in EXCEPTIONS)
    assert not {name for name in our_names() if later("", name)}, "what is there is not later"
    assert not EXCEPTIONS.keys() & our_names(), "what is there is no exception"


# Overloads


def test_split() -> None:
    assert split("a: List[int, str], b = (1, 2) , c", ",") == ["a: List[int, str]", "b = (1, 2)", "c"]
    assert split(" (a | b) | [c] ", "|") == ["(a | b)", "[c]"]
    assert split("", ",") == []


def test_parse() -> None:
    parsed = parse("(dst: LocalTensor, /, n: Optional[int] = None, *rest) -> Tuple[int, int]")
    assert [(one.name, one.type, one.is_optional) for one in parsed] == [
        ("dst", "LocalTensor", False),
        ("n", "Optional[int]", True),
        ("rest", "", True),
    ]
    assert parse("()") == parse("() -> int") == []


@pytest.mark.parametrize(
    ("name", "overloads", "count"),
    [
        ("asc.add", "1", 0),
        ("asc.add", "", 0),
        ("asc.nonesuch", "1: (a)", 0),
        ("asc.add", "2: (dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) | (dst: LocalTensor)", 1),
        ("asc.add", "1: (dst, src0, src1, count: int, is_set_mask: bool = True)", 0),
        ("asc.add", "1: (dst, src0, src1, count: List[int])", 1),
        ("asc.add", "1: (dst: GlobalTensor, src0, src1, count)", 1),
        ("asc.add", "1: (dst: BaseTensor, src0, src1, count, more: int = 0)", 0),
        ("asc.add", "1: (dst, src0, src1, count, more: int)", 1),
        ("asc.add", "1: (dst, src0, src1, mask: int, repeat_times: int, repeat_params: BinaryRepeatParams)", 0),
        ("asc.add", "1: (dst, src0, src1, mask: List[int], repeat_times: int, repeat_params: BinaryRepeatParams)", 0),
        ("asc.add", "1: (dst, src0, src1, mask: int, repeat_times: int, repeat_params: UnaryRepeatParams)", 1),
        ("asc.TPipe.init_buffer", "1: (que: TQue, num: int = 0, len: int = 0)", 0),
        ("asc.data_copy", "1: (dst: LocalTensor, src: GlobalTensor, intri_params: Nd2NzParams)", 0),  # later
    ],
)
def test_overloads(name: str, overloads: str, count: int) -> None:
    assert len(unmet(name, overloads)) == count


# Evidence


def test_what_is_wanted() -> None:
    narrow, wide = dtypes(a2=("float16",), a5=("float16", "int8")), dtypes(a2=("int32",), a5=("uint32",))
    plain = Form("dst: ub T, n: int32")
    two = Form("dst: ub T, src: ub U")
    old = Form("src: ub T", not_on={"ascend950": "it has none"})
    none = Form("n: int32")
    row = Row("x", "X", "X.", forms=(plain, two, old, none), dtypes={"T": narrow, "U": wide})
    assert wanted(row) == [{"float16", "int8"}, {"float16", "int8", "int32", "uint32"}, {"float16"}, {""}]
    made = Form("n: int32", result="local T")
    assert dtypes_of(Row("y", "Y", "Y.", forms=(made,), dtypes={"T": narrow}), made) == {"float16", "int8"}


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (("add", 0, "float32"), ""),
        (("add", 0, "bfloat16"), ""),
        (("set_mask_norm", 0, ""), ""),
        (("nonesuch", 0, ""), "there is no call asc.nonesuch"),
        (("add", 3, "float32"), "asc.add has the forms 0 to 2, not 3"),
        (("add", -1, "float32"), "asc.add has the forms 0 to 2, not -1"),
        (("exp", 0, "int32"), "form 0 of asc.exp is not run with 'int32', but with float16, float32"),
        (("exp", 0, ""), "form 0 of asc.exp is not run with '', but with float16, float32"),
        (("set_mask_norm", 0, "float32"), "not run with 'float32', but with \"\", since it has no element type"),
    ],
)
def test_claims_are_checked(claim: tuple[str, int, str], why: str) -> None:
    found = refusal(*claim)
    assert (why in found) if why else not found


def whole(name: str) -> dict[str, list[str]]:
    """Evidence of every form of a call on every type."""
    return {str(form): sorted(kinds) for form, kinds in enumerate(wanted(ROWS[name]))}


def test_lacks() -> None:
    exp = whole("exp")
    evidence = Evidence.of(
        {
            "ran": {"exp": exp, "ln": {**exp, "1": ["float16"]}, "abs": {"0": exp["0"]}},
            "asserted": "MaskMode.NORMAL MaskMode.COUNTER RoundMode.CAST_ODD UnaryRepeatParams ceildiv "
            "PlainValue.__add__ sqrt".split(),
        }
    )
    expected = {
        "asc.exp": "",
        "asc.ln": "not run: form 1 with float32",
        "asc.abs": "not run: form 1 with float16, float32; form 2 with float16, float32",
        "asc.sqrt": "not run",  # a call is not covered by a word
        "asc.nonesuch": "no row",
        "asc.MaskMode": "",  # by its values
        "asc.MaskMode.COUNTER": "",
        "asc.RoundMode": "no test rests on it",
        "asc.RoundMode.CAST_ODD": "",
        "asc.RoundMode.CAST_RINT": "no test rests on it",
        "asc.UnaryRepeatParams": "",
        "asc.BinaryRepeatParams": "not run",
        "asc.ceildiv": "",
        "asc.float16": "",  # by runs
        "asc.int64": "no test rests on it",
        "PlainValue.__add__": "",
        "PlainValue.__rxor__": "no test rests on it",
        "PlainValue.__nonesuch__": "no row",
    }
    assert {name: lacks(name, evidence) for name in expected} == expected


def test_known_names() -> None:
    assert all(map(is_known, ("add", "UnaryRepeatParams.dst_blk_stride", "PlainValue.__req__", "PlainValue.cast")))
    assert not any(map(is_known, ("asc.add", "nonesuch", "UnaryRepeatParams.nonesuch", "PlainValue.__nonesuch__")))


def test_coverage_by_evidence(names: Path, tmp_path: Path) -> None:
    names.write_text(
        "name,group,overloads\n"
        'asc.exp,basic/v,"2: (dst: LocalTensor, src: LocalTensor, count: int) | (dst, src)"\n'
        "asc.ln,basic/v,1\nasc.abs,basic/v,1\nasc.nonesuch,basic/v,1\nasc.RoundMode.CAST_ODD,core/enum_value,1\n"
    )
    path = tmp_path / "evidence.json"
    path.write_text(
        json.dumps({"ran": {"exp": whole("exp"), "ln": whole("ln")}, "asserted": ["RoundMode.CAST_ODD"]}),
    )
    words = ("list", "calls", "--coverage", str(names), "--evidence", str(path))
    lines = [line.split() for line in opwright(*words).stdout.splitlines()]
    assert lines[0] == ["group", "names", "rows", "executed", "exceptions", "share"]
    assert lines[2] == ["basic/v", "4", "3", "1", "0", "25.0", "%"]
    assert lines[3] == ["core/enum_value", "1", "1", "1", "0", "100.0", "%"]
    assert " ".join(lines[-1]) == "covered 2 of 5 (40.0 %)"
    assert data(*words)["groups"][0] == {
        "group": "basic/v",
        "covered": 1,
        "total": 4,
        "rows": 3,
        "missing": {"asc.exp": "no form for (dst, src)", "asc.abs": "not run", "asc.nonesuch": "no row"},
    }


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read as evidence"),
        ("[]", 'it is not {"ran": {...}, "asserted": [...]}'),
        ('{"ran": {}}', 'it is not {"ran": {...}, "asserted": [...]}'),
        ('{"ran": {"add": {"7": ["float32"]}}, "asserted": []}', "asc.add has the forms 0 to 2, not 7"),
    ],
)
def test_wrong_evidence(content: str, message: str, names: Path, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(content)
    done = opwright("list", "calls", "--coverage", str(names), "--evidence", str(path))
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr and "evidence.json" in done.stderr


def test_evidence_without_a_list(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    path.write_text("{}")
    done = opwright("list", "calls", "--evidence", str(path))
    assert done.exit_code == 2
    assert "add --coverage" in done.stderr
