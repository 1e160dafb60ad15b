"""The table itself: what must hold for every row, rule, type, enumeration and SoC, and for what is made from them."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from opwright.ascendc import document, dtypes, socs
from opwright.ascendc.dtypes import ALIASES, DTYPES, ELEMENTS, SMALL, parse
from opwright.ascendc.enums import ENUMS, MEMORY_OF, ConstantsText, HardEvent, PipeID, TPosition
from opwright.ascendc.row import CORE, REQUIRED, Each, Form, Function, Row, parse_parameter
from opwright.ascendc.rules import (
    Align,
    AtMostBytes,
    BufferCapacity,
    Capacity,
    NoPartialOverlap,
    OnChip,
    Range,
    SameMemory,
)
from opwright.ascendc.socs import MEMORIES, SOCS
from opwright.ascendc.table import CHAPTER_OF, CHAPTERS, ROWS, TITLES
from opwright.ascendc.type_rules import Conversion, OneOf, SameWidth, TypePair
from opwright.ascendc.vector_rules import AlignResults, Apart, BothApart, Lanes, Moves, NoFeeding, Reduces, WholeRepeats
from opwright.ascendc.words import STARRED

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "src" / "opwright" / "twin" / "include" / "opwright"
OVERLAPS = (NoPartialOverlap, NoFeeding, Reduces, Apart)
FORMS = [(row, form) for row in ROWS.values() for form in row.forms]
by_chapter = pytest.mark.parametrize("rows", CHAPTERS.values(), ids=CHAPTERS)  # a test for each row takes longer


@pytest.mark.quick
def test_titles_keep_the_names_of_memories() -> None:
    assert all(title[0].isupper() for title in TITLES.values())
    assert "L0C" in TITLES["cube_fixpipe"]


@pytest.mark.quick
def test_names_are_unique_and_python() -> None:
    names = [row.name for rows in CHAPTERS.values() for row in rows]
    assert len(names) == len(set(names)) == len(ROWS)
    assert all(part.isidentifier() for name in names for part in name.split("."))
    assert {CHAPTER_OF[name] for name in names} == set(CHAPTERS)


@pytest.mark.quick
@by_chapter
def test_rows(rows: Sequence[Row]) -> None:
    for row in rows:
        check_row(row)


def check_row(row: Row) -> None:
    assert row.doc.endswith(".") and row.doc[0].isupper() and len(row.doc) > 10
    assert row.forms
    assert row.exactness == "exact" or re.fullmatch(r"(bounded|assumed)\(.+\)", row.exactness)
    assert len({form.signature for form in row.forms}) == len(row.forms)
    used = {parameter.variable for form in row.forms for parameter in form.parameters} - {""}
    results = [parse_parameter(f"result: {form.result}") for form in row.forms if form.result not in ("", "integer")]
    used |= {result.variable for result in results} - {""}
    stated = [(variable, types) for own in (row, *row.forms) for variable, types in own.dtypes.items()]
    assert used == {name for name, _ in stated}, "element types are stated for exactly the variables of the forms"
    for variable, types in stated:
        for soc in SOCS:
            allowed = types.by_soc[soc]
            runs = CORE in row.called_by or SOCS[soc].runs_threads
            assert bool(allowed) == runs and set(allowed) <= set(ELEMENTS) and len(set(allowed)) == len(allowed), (
                variable
            )
        assert set(types.why) <= set(ELEMENTS) and all(types.why.values())
        # A reason stands only where something is missing.
        assert all(any(name not in types.by_soc[soc] for soc in SOCS) for name in types.why)
    if row.is_method:
        assert row.owner in ROWS or row.owner == "GlobalAddress"
        assert all(form.parameters[0].name == "self" for form in row.forms)


@pytest.mark.quick
@by_chapter
def test_forms(rows: Sequence[Row]) -> None:
    for row in rows:
        for form in row.forms:
            check_form(form)


def check_form(form: Form) -> None:
    parameters = {parameter.name: parameter for parameter in form.parameters}
    assert len(parameters) == len(form.parameters)
    required = [parameter.default is REQUIRED for parameter in form.parameters if parameter.kind not in STARRED]
    assert required == sorted(required, reverse=True), "what has a default comes last"
    for access in form.accesses:
        assert parameters[access.operand].is_tensor
        if access.runs:
            names = set(re.findall(r"(?<![.:\w])[a-z]\w*(?!\w*::|\w*\()", access.runs))
            stepped = ["chosen", "lane_count"] if any(other.strides for other in form.accesses) else []
            views = {f"{one.operand}_read" for one in form.accesses[: form.accesses.index(access)] if not one.writes}
            assert names <= {*parameters, *stepped, *views, "at"} and not access.count
        else:
            assert access.count.isdigit() or parameters[access.count].is_integer
        assert access.floor in (1, 32)
        if access.strides:
            for stride, kind in zip(access.strides, ("blk", "rep"), strict=True):
                holder, _, field = stride.partition(".")
                own = parameters[holder].made_by if field else ""
                fields = {parameter.name for parameter in ROWS[own].forms[0].parameters} if own else ()
                short = {"blk": "stride", "rep": "repeat_size"}[kind]
                # The one source of a call, src0, is src to its strides.
                alone = access.operand.rstrip("0")
                named = {f"{access.operand}_{kind}_stride", f"{alone}_{kind}_stride", f"{access.operand}_{short}"}
                assert named & set(fields) if own else holder in (*parameters, "1")
            assert parameters[access.mask].kind in ("uint64", "array")
    assert len({(access.operand, access.writes) for access in form.accesses}) == len(form.accesses)
    for rule in form.rules:
        match rule:
            case Range(operand, low, high):
                low_type, high_type = DTYPES[parameters[operand].kind].limits
                assert low <= high and parameters[operand].is_integer
                assert low >= low_type and high <= high_type, "a rule narrower than its type, or none"
            case Align(operand, alignment):
                assert parameters[operand].is_tensor and alignment in (16, 32, 64, 128, 512, 1024)
            case NoPartialOverlap(operand, other):
                assert operand in form.written and other in {access.operand for access in form.accesses}
            case BothApart(operand, other):
                assert {operand, other} <= form.written
            case NoFeeding(operand, other) | Reduces(operand, other) | Apart(operand, other):
                assert operand in form.written and other in {access.operand for access in form.accesses}
            case AlignResults(operand, elements, order):
                assert operand in form.written and elements in (1, 2, 8)
                assert not order or parameters[order].kind == "ReduceOrder"
            case Moves(operand, tensor):
                assert parameters[operand].made_by and tensor in form.written
            case Lanes(operand, tensors):
                assert parameters[operand].kind == "uint64" and all(parameters[name].is_tensor for name in tensors)
            case Conversion(operand, source, target, modes):
                assert parameters[operand].kind == "RoundMode" and set(modes) == set(SOCS)
                assert parameters[source].is_tensor and target in form.written
                for pairs in modes.values():
                    assert all(set(pair) <= set(ELEMENTS) and ways for pair, ways in pairs.items())
            case TypePair(operand, source, pairs):
                assert operand in form.written and parameters[source].is_tensor
                assert all(set(pair) <= set(DTYPES) for pair in pairs)
            case SameWidth(operand, other):
                assert parameters[operand].is_tensor and parameters[other].is_tensor
            case WholeRepeats(operand, tensor):
                assert parameters[operand].is_integer and parameters[tensor].is_tensor
            case OneOf(operand, values, tensor, fewer):
                python = ENUMS[parameters[operand].kind].python
                assert all(isinstance(value, python) for value in values) and bool(tensor) == bool(fewer)
                assert set(fewer) <= set(SOCS) and (not tensor or parameters[tensor].variable)
            case OnChip(operand):
                assert parameters[operand].kind in ("TPosition", "Hardware")
            case Capacity(operand, address, size, dtype):
                assert parameters[operand].kind == "TPosition" and parameters[dtype].kind == "dtype"
                assert parameters[address].is_integer and parameters[size].is_integer
            case AtMostBytes(operand, dtype, most):
                assert parameters[operand].is_integer and parameters[dtype].kind == "dtype" and most > 0
            case SameMemory(operand, other):
                assert {parameters[operand].kind, parameters[other].kind} <= {"TPosition", "object"}
            case BufferCapacity(operand, length, number):
                assert parameters[operand].made_by and parameters[length].is_integer
                assert not number or parameters[number].is_integer
        assert rule.sentence[-1].isalnum()
    pipe = form.pipe
    assert pipe in PipeID.__members__ or pipe in parameters or re.fullmatch(r"opwright::\w+_pipe\(event\)", pipe)
    # A vector call may read what it writes only if it says how.
    overlaps = {
        (rule.operand, rule.other)
        for rule in form.rules
        if isinstance(rule, OVERLAPS) and not isinstance(rule, BothApart)
    }
    if pipe == "PIPE_V":
        reads = [access.operand for access in form.accesses if not access.writes]
        assert overlaps == {(written, read) for written in form.written for read in reads if read != written}
        aligned = {rule.operand for rule in form.rules if isinstance(rule, (Align, AlignResults))}
        assert aligned == {access.operand for access in form.accesses}


@cache
def with_includes(header: Path) -> str:
    """A header of a chapter with those of the other chapters that it includes."""
    text = header.read_text()
    return text + "".join(
        with_includes(INCLUDE / name) for name in re.findall(r'#include "((?:vec|adv|math|cube)_\w+\.h)"', text)
    )


@pytest.mark.quick
@by_chapter
def test_meanings(rows: Sequence[Row]) -> None:
    for row in rows:
        for form in row.forms:
            if form.meaning:
                check_meaning(row, form)


def check_meaning(row: Row, form: Form) -> None:
    if isinstance(form.meaning, Function):
        header = with_includes(INCLUDE / f"{CHAPTER_OF[row.name]}.h")
        name = form.meaning.name.removesuffix("<T>")
        assert re.search(rf"^OPWRIGHT_INLINE \S+ {name}\(const At&", header, re.M)
    else:
        assert isinstance(form.meaning, Each)
        functions = re.findall(r"opwright::(\w+)(?:<T>)?\(", form.meaning.expression)
        header = with_includes(INCLUDE / f"{CHAPTER_OF[row.name]}.h") if functions else ""
        assert all(re.search(rf"^OPWRIGHT_INLINE \S+ {name}\(", header, re.M) for name in functions)
        # Functions within it have names of their own.
        plain = re.sub(r"\[\]\(.*?\) \{.*?\}", "", form.meaning.expression)
        names = set(re.findall(r"[a-z_]\w*", re.sub(r"opwright::\w+(<T>)?\(", "(", plain)))
        sources = {access.operand for access in form.accesses if not access.writes}
        scalars = {parameter.name for parameter in form.parameters if parameter.kind == "number"}
        assert names == sources | scalars


@pytest.mark.quick
@by_chapter
def test_examples(rows: Sequence[Row]) -> None:
    for row in rows:
        check_example(row)


def check_example(row: Row) -> None:
    """It is Python, and it calls this very row."""
    tree = ast.parse(row.example)
    called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    last = row.short
    if row.name == "GlobalAddress.__add__":
        assert any(isinstance(node, ast.Add) for node in ast.walk(tree))
    elif last in ("__getitem__", "__setitem__"):
        parts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
        assert any(isinstance(node.slice, ast.Slice) == (CORE in row.called_by) for node in parts)
    elif row.fields:
        assert f"{row.name}.{row.fields[0]}".rstrip(".") in row.example
    else:
        assert any(name.split(".")[-1] == last for name in called)


# Rules --------------------------------------------------------------------------------------------------------

# Template arguments are tested before the run only.
RULES = sorted({rule for _, form in FORMS for rule in form.rules if type(rule) in (Range, Align)}, key=repr)


def edges(rule: Range | Align) -> list[int]:
    if isinstance(rule, Align):
        return [0, 1, 16, 31, 32, 33, 64, 96, 1000, 1024, 188416]
    return sorted(
        {rule.low - 1, rule.low, rule.low + 1, rule.high - 1, rule.high, rule.high + 1, -5, 0, 7, 8, 99, 1 << 40}
    )


def test_rules_mean_the_same_in_python_and_in_cpp(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("a C++ compiler is not installed")
    checks = [(rule, value) for rule in RULES for value in edges(rule)]
    # The statement of a rule, with a stand-in for what it calls and for the operand it looks at.
    head = """
#include <cstdint>
#include <cstdio>
namespace opwright { void require(int, bool holds, int, int, int64_t) { putchar(holds ? '1' : '0'); } }
struct Operand { int64_t value; int64_t address() const { return value; } };
int main() {
    const int at = 0;
"""
    lines = [
        f"    {{ const Operand {rule.operand}{{{value}}}; {rule.cpp(0, {rule.operand: 0})} }}" for rule, value in checks
    ]
    source = tmp_path / "rules.cpp"
    source.write_text(head + "\n".join(lines) + "\n}\n")
    subprocess.run([compiler, "-std=c++17", source, "-o", tmp_path / "rules"], check=True)
    answers = subprocess.run([tmp_path / "rules"], capture_output=True, text=True, check=True).stdout
    assert len(answers) == len(checks) > 20
    for (rule, value), answer in zip(checks, answers, strict=True):
        assert rule.holds(value) == (answer == "1"), (rule, value)


@pytest.mark.quick
def test_range_and_align_by_hand() -> None:
    assert [Range("n", 0, 7).holds(value) for value in (-1, 0, 7, 8)] == [False, True, True, False]
    assert [Align("x", 32).holds(value) for value in (0, 16, 32, 48)] == [True, False, True, False]
    assert Range("n", 0, 7).sentence == "n must lie between 0 and 7"


# Types, enumerations, SoCs ------------------------------------------------------------------------------------


@pytest.mark.quick
def test_dtypes() -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    for name, dtype in DTYPES.items():
        known = numpy.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)
        assert known.itemsize == dtype.bytes == dtype.sizeof()
        if dtype.is_int():
            info = numpy.iinfo(known)
            assert dtype.limits == (info.min, info.max)
        assert dtype.is_int() + dtype.is_float() == 1
        assert dtype.is_signed() + dtype.is_unsigned() == dtype.is_int()
        assert parse(name) is parse(dtype.short) is dtype
        assert repr(dtype) == f"asc.{name}"
    assert all(dtype.is_float() and dtype.bytes == 1 and name not in DTYPES for name, dtype in SMALL.items())
    assert all(dtype.bits == 8 * dtype.bytes and dtype.bytes_of(3) == 3 * dtype.bytes for dtype in DTYPES.values())
    int4 = ELEMENTS["int4"]
    assert (int4.bits, int4.sizeof(), int4.bytes_of(64), int4.limits) == (4, 1, 32, (-8, 7))
    assert len({dtype.cpp for dtype in DTYPES.values()}) == len(DTYPES) == len(dtypes.BY_SHORT)
    assert parse("half") is DTYPES["float16"] and set(ALIASES.values()) == set(DTYPES.values())


@pytest.mark.quick
@pytest.mark.parametrize(("text", "hint"), [("fp16", "did you mean f16"), ("float61", "float16"), ("complex", "known")])
def test_unknown_dtype(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        parse(text)


@pytest.mark.quick
def test_enums() -> None:
    for name, text in ENUMS.items():
        values = [value.value for value in text.python]
        assert values == sorted(set(values)), name
        assert text.python.__doc__
    assert HardEvent.MTE2_V.pipes == (PipeID.PIPE_MTE2, PipeID.PIPE_V)
    assert all(event.name == "_".join(pipe.name[5:] for pipe in event.pipes) for event in HardEvent)
    assert len({event.pipes for event in HardEvent}) == len(HardEvent)
    assert set(MEMORY_OF.values()) <= {*MEMORIES, "GM"}
    assert set(TPosition) - set(MEMORY_OF) == {TPosition.MAX}
    assert ENUMS["HardEvent"].spell(HardEvent.V_V) == "AscendC::HardEvent::V_V"
    assert ENUMS["PipeID"].spell(PipeID.PIPE_ALL) == "PIPE_ALL"


@pytest.mark.quick
def test_enums_in_cpp() -> None:
    header = (INCLUDE / "generated" / "enums.h").read_text()
    for text in ENUMS.values():
        if not text.cpp or isinstance(text, ConstantsText):
            continue  # constants
        body = re.search(rf"enum (?:class )?{text.cpp} : int32_t \{{\n(.*?)\}};", header, re.S)
        assert body
        found = re.findall(r"(\w+) = (\d+),", body.group(1))
        assert found == [(value.name, str(value.value)) for value in text.python]


@pytest.mark.quick
def test_socs() -> None:
    for name, soc in SOCS.items():
        assert soc.name == name and soc.aiv == 2 * soc.aic
        for memory in MEMORIES:
            assert 0 < soc.usable(memory) <= soc.size[memory]
            assert soc.usable(memory) % 32 == 0
    assert set(socs.A2) | set(socs.A5) == set(SOCS) == set(socs.ALL)
    assert SOCS["ascend910b"].usable("UB") == 184 * 1024


# Signatures and generated files -------------------------------------------------------------------------------


@pytest.mark.quick
def test_signatures_are_read() -> None:
    parameter = parse_parameter("event: template HardEvent")
    assert (parameter.name, parameter.kind, parameter.template) == ("event", "HardEvent", True)
    assert parse_parameter("pos: TPosition = VECIN").default is TPosition.VECIN
    assert parse_parameter("n: int32 = 3").default == 3
    assert parse_parameter("b: bool = True").default is True
    assert parse_parameter("x: ub T").variable == "T"
    with pytest.raises(AssertionError):
        parse_parameter("x: tensor T")


def test_generated_files_are_current() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "generate.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.quick
def test_pages() -> None:
    example = document.Example(
        "ascend910b", "KERNEL\n", (1,), "LAUNCH", "TEXT", ("GIVEN",), ("RESULT",), "PRINTED\n", ""
    )
    pages = document.pages(dict.fromkeys(ROWS, example))
    for name, row in ROWS.items():
        page = pages[f"calls/{name}"]
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page).replace("`", "").lower()
        assert row.doc.replace("`", "").lower() in plain and "Not run on an NPU" in page
        assert all(word in page for word in ("KERNEL", "LAUNCH", "TEXT", "GIVEN", "RESULT", "PRINTED"))
        for form in row.forms:
            assert all(rule.sentence.lower() in plain and rule.table in page for rule in form.rules)
            told = [p.name for p in form.parameters if p.name != "self" and not row.fields]
            assert all(f"| `{name}` |" in page for name in told)
            assert all(reason in page for reason in row.not_on(form).values())
            for kinds in row.dtypes_of(form).values():
                assert all(why in page for why in kinds.why.values())
        assert f"({name}.md)" not in page, "a link to itself"
        assert f"calls/{name}.md" in pages[f"chapters/{CHAPTER_OF[name]}"]
    # What is not exact is listed, with the very reason.
    listed = pages["assumptions"].replace("\\|", "|")
    for name, row in ROWS.items():
        lines = [line for line in listed.splitlines() if f"(calls/{name}.md)" in line]
        reason = row.exactness.partition("(")[2].removesuffix(")")
        assert [line.endswith(f"| {reason} |") for line in lines] == [True] * (row.exactness != "exact"), name
        assert (reason or "Exact") in pages[f"calls/{name}"]


@pytest.mark.quick
def test_every_page_has_its_parts() -> None:
    """A signature for each form, where it runs, element types by SoC, exactness, and an example."""
    example = document.Example("ascend910b", "KERNEL\n", (1,), "LAUNCH", "TEXT", (), (), "", "")
    pages = document.pages(dict.fromkeys(ROWS, example))
    for name, row in ROWS.items():
        page = pages[f"calls/{name}"]
        headings = re.findall(r"^## (.+)$", page, re.M)
        count = len(row.forms)
        forms = ["Form"] if count == 1 else [f"Form {number} of {count}" for number in range(1, count + 1)]
        assert headings == ["Example", *forms, *["Element types"] * bool(row.dtypes), "Exactness"]
        runs = "Runs on " if CORE in row.called_by else "Called by threads."
        assert page.count(runs) == page.count("```python") == count
        for form in row.forms:
            for variable, kinds in row.dtypes_of(form).items():
                for soc in SOCS:
                    types = ", ".join(kinds.by_soc[soc]) or "none"
                    assert (
                        f"| {soc} | {types} |" in page
                        or f"| {soc} | all |" in page
                        or f"`{variable}` may be any" in page
                    )


@pytest.mark.quick
def test_enumerations_have_a_page() -> None:
    example = document.Example("ascend910b", "KERNEL\n", (1,), "LAUNCH", "TEXT", (), (), "", "")
    pages = document.pages(dict.fromkeys(ROWS, example))
    assert all(f"| {event.name} |" in pages["enums"] for event in HardEvent)
