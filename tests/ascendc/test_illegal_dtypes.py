"""Every element type that a form does not take on a SoC is refused before anything is compiled, in the row's own words.

The walk goes over the table: a row that is added is walked, too. All cases go through the function that binds a call
for the front end; one case of every row goes through a kernel as an author writes it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from image import load
from made_calls import candidates, position_in
from xdsl.ir import Block

from opwright.ascendc.dtypes import DTYPES, ELEMENTS
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.row import CORE, LOCALS, MEMORIES_OF_KIND, Form, Parameter, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.errors import KernelError, Location, NoForm, WrongDtype
from opwright.ir.binding.bind import CallContext, bind
from opwright.ir.types import UB, ValueType, address, global_tensor, local_tensor, object_type, pointer, scalar
from opwright.ir.values import Constant, Items, RunTimeValue, Value

MIXED = KERNEL_TYPES["mix_1_2"]
ROWS_WITH_TYPES = [row for row in ROWS.values() if any(row.dtypes_of(form) for form in row.forms)]
IN_BRACKETS = ("GlobalAddress.__getitem__", "GlobalAddress.__setitem__")
BINDS = (*LOCALS, "global", "address", "dtype", "object", "ub_address", "pointer", "scalar")


@dataclass(frozen=True)
class Case:
    """A form with an element type for each variable, of which one is not there."""

    row: Row
    number: int
    soc: str
    variable: str
    dtypes: dict[str, str]

    @property
    def form(self) -> Form:
        return self.row.forms[self.number]

    @property
    def words(self) -> str:
        """What the refusal must say."""
        if why := self.row.not_on(self.form).get(self.soc):
            return f"not on {self.soc}: {why}"
        dtype, kinds = self.dtypes[self.variable], self.row.dtypes_of(self.form)[self.variable]
        usual = "only asc.cast takes int4" if dtype == "int4" else "this SoC has no such instruction"
        return kinds.why.get(dtype, usual)

    def is_taken_by(self, other: Form) -> bool:
        """Whether another form, with parameters of the same names and kinds, takes these element types."""
        if [(one.name, one.kind) for one in other.parameters] != [(one.name, one.kind) for one in self.form.parameters]:
            return False
        bound: dict[str, set[str]] = {}
        for own, its in zip(self.form.parameters, other.parameters, strict=True):
            if its.variable and own.variable and own.kind in BINDS:
                bound.setdefault(its.variable, set()).add(self.dtypes[own.variable])
        kinds = self.row.dtypes_of(other)
        return self.soc not in self.row.not_on(other) and all(
            len(dtypes) == 1 and dtypes <= set(kinds[variable].by_soc[self.soc]) for variable, dtypes in bound.items()
        )


def cases(row: Row) -> Iterator[Case]:
    for number, form in enumerate(row.forms):
        kinds = row.dtypes_of(form)
        bound = {parameter.variable for parameter in form.parameters if parameter.kind in BINDS} - {""}
        # Threads have no element of 8 bits that is a float, and none of 4 bits.
        known = ELEMENTS if CORE in row.called_by else DTYPES
        for soc in SOCS:
            legal = {
                variable: next(filter(None, (kinds[variable].by_soc[one] for one in (soc, *SOCS))))[0]
                for variable in bound
            }
            if soc in row.not_on(form):
                yield Case(row, number, soc, "", legal)
                continue
            for variable in bound:
                for dtype in known:
                    case = Case(row, number, soc, variable, {**legal, variable: dtype})
                    if dtype not in kinds[variable].by_soc[soc] and not any(map(case.is_taken_by, row.forms)):
                        yield case


def cases_of_arrays(row: Row) -> Iterator[Case]:
    """Those with types of which a kernel can have arrays."""
    return (case for case in cases(row) if DTYPES.keys() >= set(case.dtypes.values()))


def value_of(parameter: Parameter, dtypes: dict[str, str]) -> Value:
    """An argument of the kind that a parameter takes."""
    kind, dtype = parameter.kind, dtypes.get(parameter.variable, "")
    made: ValueType | None = None
    match kind:
        case "local":
            made = local_tensor(dtype, "VECCALC")
        case kind if kind in MEMORIES_OF_KIND:
            made = local_tensor(dtype, position_in(MEMORIES_OF_KIND[kind][0]))
        case "global":
            made = global_tensor(dtype)
        case "address":
            made = address(dtype)
        case "ub_address" | "pointer":
            made = pointer(dtype, UB)
        case "scalar":
            made = scalar(dtype)
        case "object" | "list":
            made = object_type(parameter.made_by, {}, "VECCALC", dtype)
    if made is not None:
        value = RunTimeValue(Block(arg_types=[made]).args[0])
        return Items((value,)) if kind == "list" else value
    if kind in ENUMS:
        return Constant(next(iter(ENUMS[kind].python)))
    return Constant({"dtype": ELEMENTS.get(dtype), "array": (1,), "bool": True, "text": "text"}.get(kind, 1))


def refusal(case: Case) -> KernelError:
    context = CallContext(SOCS[case.soc], MIXED, MIXED.kinds)
    named = [parameter for parameter in case.form.parameters if parameter.kind != "rest"]
    values = {parameter.name: value_of(parameter, case.dtypes) for parameter in named}
    with pytest.raises(KernelError) as told:
        bind(case.row, [], values, context, Location("kernel.py", 1, 0, text="call()"))
    return told.value


@pytest.mark.quick
def test_the_walk_finds_cases() -> None:
    found = [case for row in ROWS.values() for case in cases(row)]
    assert len(found) > 4000
    assert any(case.variable == "" for case in found), "a form that a SoC does not have"
    assert len({case.words for case in found}) > 5, "rows say why in words of their own"


@pytest.mark.parametrize("row", ROWS_WITH_TYPES, ids=lambda row: row.name)
def test_refused_by_the_checks(row: Row) -> None:
    for case in cases(row):
        error = refusal(case)
        where = (case.form.signature, case.soc, case.dtypes)
        assert isinstance(error, NoForm if case.variable == "" else WrongDtype), where
        assert case.words in str(error), where
        assert (f"asc.{row.name}" if row.name not in IN_BRACKETS else "x[index]") in str(error), where


OF_KERNELS = [row for row in ROWS_WITH_TYPES if CORE in row.called_by and any(cases_of_arrays(row))]


@pytest.mark.quick
@pytest.mark.parametrize("row", OF_KERNELS, ids=lambda row: row.name)
def test_refused_in_a_kernel(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last case of a row, by the way of an author's kernel; nothing is compiled for it."""
    monkeypatch.setattr("opwright.twin.build.run", lambda *command: pytest.fail("a compiler was called"))
    *_, case = cases_of_arrays(row)
    call = next(candidates(row, case.number, case.soc, "a", case.dtypes))
    kernel = load(tmp_path, "refused", call.kernel()).calls
    places = [0, 16] * len(call.tensors)
    with pytest.raises(KernelError) as told:
        kernel.emit("uint8[64]", *(f"{dtype}[64]" for dtype in sorted(call.globals)), 0, 1, *places)
    assert case.words in str(told.value)
    assert (
        told.value.at is not None
        and call.text in Path(told.value.at.file).read_text().splitlines()[told.value.at.line - 1]
    )
