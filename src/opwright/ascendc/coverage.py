"""What it takes for a call to count as covered, and what is left for later or left out, with the reason.

In: the table, and the evidence of tests: {"ran": {"call": {"form": ["dtype", ...]}}, "asserted": ["name", ...]}. Out:
`wanted`, the element types of each form; `lacks`, why a call is not covered; `LATER`, `EXCEPTIONS` and `NOT_COVERED`;
`page`, what was run, chapter by chapter. Refuses evidence of what the table does not have.

A call is covered when each of its forms was run and compared on every element type that some SoC takes. What runs was
emitted: the twin compiles the text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from opwright.ascendc.row import Form, Row, parse_parameter
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import CHAPTERS, ROWS, SHORTS
from opwright.ascendc.words import is_class

# Patterns of groups and of names that belong to later work -> what they belong to. They are not counted.
LATER: dict[str, str] = {
    "core/params_aipp*": "image preprocessing",
    "adv/matmul*": "matmul",
    "host/*": "host side",
    "runtime/*": "runtime of the device",
    "toplevel": "options of another compiler",
    "asc.set_aipp_functions": "image preprocessing",
    "asc.load_image_to_local": "image preprocessing",
    "asc.LoadImageToLocalParams": "image preprocessing",
    "asc.adv.Matmul*": "matmul",
    "asc.adv.TCubeTiling*": "matmul",
}

# Names, or patterns of single overloads with their parameters, that are left out for good -> why. A test counts them.
EXCEPTIONS: dict[str, str] = {
    "asc.adv.RmsNormTiling.get_ir_type": "it describes a type of another compiler's IR",
    "asc.adv.SoftmaxTiling.get_ir_type": "it describes a type of another compiler's IR",
    "asc.adv.QuantConfig": "quant takes its scale, offset and count as arguments",
    "asc.LocalTensor()": "the text needs an element type: asc.LocalTensor(dtype)",
    "asc.LocalTensor.to_file": "a kernel writes no files: dump_tensor shows what a tensor holds",
    "asc.LocalTensor.print": "only builds for a CPU have it: dump_tensor shows what a tensor holds",
    "asc.LocalTensorAuto": "it leaves the place of a tensor to a planner, which the tile level will have",
    "asc.SliceInfo.__getitem__": "a struct has no elements: its fields say all",
    "asc.LoadData3DParamsV1": "only older chips have it: LoadData3DParamsV2",
    "asc.load_data(*: LoadData3DParamsV1)": "only older chips have it: LoadData3DParamsV2",
    "asc.data_copy_pad(*: Nd2NzParams)": "it goes through messages of the Matmul object",
    "asc.TPipe.get_base_addr": "only builds for a CPU have it: tensors count from 0",
    "asc.TQueBind.init_buf_handle": "no call gives a handle of a buffer",
    "asc.TQueBind.init_start_buf_handle": "no call gives a handle of a buffer",
    **dict.fromkeys(
        ("asc.rp_sort16", "asc.mrg_sort4", "asc.proposal_concat", "asc.proposal_extract"),
        "no SoC here has proposals: sort32 and mrg_sort sort pairs",
    ),
    "asc.trans_data_to_5hd(*: AddrList, *)": "no check could follow addresses that are numbers: pass tensors",
    "asc.trans_data_to_5hd(*: LocalTensor, *)": "no check could follow addresses within a tensor: pass tensors",
}


# What Ascend C has beyond any list of names that we compare with, and we do not have -> why.
NOT_COVERED: dict[str, str] = {
    "RegTensor, MaskReg and the calls on them (vector registers of the ascend950)": "no kernel can name a register "
    "yet: write vector calls on local tensors, or functions of threads",
    "sincosf, sincospif, frexpf, modff, remquof": "they give results through pointers: call sinf and cosf, ilogbf, "
    "truncf, remainderf",
    "normf, rnormf": "they take an array of a thread: add up squares, or call norm3df, norm4df",
    "j0f, j1f, jnf, y0f, y1f, ynf, cyl_bessel_i0f, cyl_bessel_i1f": "the twin has no Bessel function whose bits are "
    "the same on every machine",
    "arithmetic, comparisons and functions of half and bfloat16_t (__hadd, __hfma, __heq, hexp, ...)": "numbers of a "
    "kernel compute in float32: write a + b, simt.expf(x)",
    "half2, bfloat16x2_t, float4 and other short vectors, and the calls on them": "a number of a kernel is one element",
    "conversions to and from 8 and 4 bits": "no number of a kernel has such a type; asc.cast converts tensors",
    "conversions ending in _sat, __half2half_rn and the like": "public texts do not say what they make of infinities, "
    "NaN and fractions",
    "min, max, abs in functions of threads": "write Python's min, max and abs",
    "clock, asc_nop": "a CPU's time says nothing about a chip, and the twin has no thread that spins",
    "__isGlobal, __cvta_generic_to_global and the like": "the type of an address says which memory it is in",
    "cooperative_groups.h": "its groups are templates of C++: call syncthreads, shfl, ballot",
    "asc_uintdiv": "write a // b",
    "products of int4 (mmad and load_data on ascend910b)": "asc.cast makes float16 of int4: multiply that, or int8",
    "products of MX formats (float8 and float4 with a scale for each 32 elements, on ascend950)": "no element "
    "type is a scale or has 4 bits: multiply float8, and scale whole rows and columns of the result",
    "fixpipe to global memory with results of float8 or HiFloat8": "a global tensor holds no floats of 8 bits: write "
    "them to UB or L1",
    "fixpipe with the hybrid rounding of HiFloat8": "what public texts say about float32 would change numbers that "
    "HiFloat8 holds exactly: QF322HIF8_PRE rounds to the nearest",
}


def left_out(name: str) -> str:
    """Why a name, or an overload with its parameters, is left out for good, or ""."""
    return next((why for pattern, why in EXCEPTIONS.items() if fnmatchcase(name, pattern)), "")


def later(group: str, name: str) -> str:
    """What later work a name belongs to, or ""."""
    for pattern, what in LATER.items():
        if fnmatchcase(group, pattern) or fnmatchcase(name, pattern):
            return what
    return ""


# What has to be shown -----------------------------------------------------------------------------------------


def variables_of(form: Form) -> set[str]:
    """The element-type variables that a form has."""
    results = [] if form.result in ("", "integer") else [parse_parameter(f"result: {form.result}")]
    return {parameter.variable for parameter in (*form.parameters, *results)} - {""}


def dtypes_of(row: Row, form: Form) -> frozenset[str]:
    """The element types of a form on any SoC, of all its variables together; {""} for a form that has none."""
    kinds = row.dtypes_of(form)
    socs = [soc for soc in SOCS if soc not in form.not_on]
    taken = {name for variable in variables_of(form) for soc in socs for name in kinds[variable].by_soc.get(soc, ())}
    return frozenset(taken or {""})


def wanted(row: Row) -> list[frozenset[str]]:
    """For each form of a call the element types with which it has to be run."""
    return [dtypes_of(row, form) for form in row.forms]


def refusal(call: str, form: int, dtype: str) -> str:
    """Why it cannot be true that a form of a call was run with an element type, or ""."""
    row = ROWS.get(call)
    if row is None:
        return f"there is no call asc.{call}"
    if not 0 <= form < len(row.forms):
        return f"asc.{call} has the forms 0 to {len(row.forms) - 1}, not {form}"
    legal = wanted(row)[form]
    if dtype not in legal:
        listed = ", ".join(sorted(legal)) or '"", since it has no element type'
        return f"form {form} of asc.{call} is not run with {dtype!r}, but with {listed}"
    return ""


# What was shown -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """What tests have run and compared, and the names that they rest on."""

    ran: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    asserted: frozenset[str] = frozenset()

    @classmethod
    def of(cls, data: object) -> Evidence:
        """From parsed JSON; raises ValueError with what is wrong with it."""
        kinds = {key: type(value) for key, value in data.items()} if isinstance(data, dict) else {}
        if not isinstance(data, dict) or kinds != {"ran": dict, "asserted": list}:
            raise ValueError('it is not {"ran": {...}, "asserted": [...]}')
        for call, forms in data["ran"].items():
            for form, names in forms.items():
                for name in names:
                    if why := refusal(call, int(form), name):
                        raise ValueError(why)
        return cls(data["ran"], frozenset(data["asserted"]))

    def of_form(self, call: str, form: int) -> frozenset[str]:
        """The element types with which a form was run."""
        return frozenset(self.ran.get(call, {}).get(str(form), ()))

    @property
    def dtypes(self) -> frozenset[str]:
        """The element types with which anything was run."""
        return frozenset(name for forms in self.ran.values() for names in forms.values() for name in names)


def not_run(row: Row, evidence: Evidence) -> dict[int, list[str]]:
    """Form -> the element types with which it was not run.

    Of a class without element types a test that rests on its objects shows all there is.
    """
    if row.name in evidence.asserted and is_class(row) and not any(map(variables_of, row.forms)):
        return {}
    missing = {form: dtypes - evidence.of_form(row.name, form) for form, dtypes in enumerate(wanted(row))}
    return {form: sorted(dtypes) for form, dtypes in missing.items() if dtypes}


def lacks(row: Row, evidence: Evidence) -> str:
    """Why a call is not covered, or ""."""
    missing = not_run(row, evidence)
    if not missing:
        return ""
    if len(missing) == len(row.forms) and row.name not in evidence.ran:
        return "not run"
    texts = [f"form {form}" + (f" with {', '.join(names)}" if names != [""] else "") for form, names in missing.items()]
    return f"not run: {'; '.join(texts)}"


# The page -----------------------------------------------------------------------------------------------------


def page(evidence: Evidence | None) -> str:
    """A table of the chapters, how much of each was run and below it what was not; without evidence, how to get it."""
    lines = [
        "# What was run\n",
        "Every form of a call is meant to be run on the CPU, on each element type that some SoC takes, and compared "
        "with a reference in NumPy that knows nothing of the call's row. Nothing here has been run on an NPU.\n",
    ]
    missing: list[str] = []
    if evidence is None:
        lines.append(
            "This copy of the documentation was built without the results of the tests. To have them here, run "
            "`pytest tests/ascendc tests/simt` before `sphinx-build`.\n"
        )
    else:
        table, missing = _table(evidence)
        lines += table
    lines += ["\n## Not covered\n", "Names of Ascend C that Opwright does not have, and why.\n"]
    lines += [f"- {what}: {why}." for what, why in NOT_COVERED.items()]
    if missing:
        lines += ["\n## Not run yet\n", *missing]
    return "\n".join(lines) + "\n"


def _table(evidence: Evidence) -> tuple[list[str], list[str]]:
    """How much of each chapter was run, and a line for each call that was not run whole."""
    lines = [
        "This is how much the tests had done when this page was made.\n",
        "| chapter | calls | forms | forms × types | run and compared |\n|---|---:|---:|---:|---:|",
    ]
    missing = []
    sums = [0, 0, 0, 0]
    for chapter, rows in CHAPTERS.items():
        pairs = sum(len(dtypes) for row in rows for dtypes in wanted(row))
        undone = {row.name: not_run(row, evidence) for row in rows}
        run = pairs - sum(len(dtypes) for forms in undone.values() for dtypes in forms.values())
        counts = [len(rows), sum(len(row.forms) for row in rows), pairs, run]
        sums = [total + count for total, count in zip(sums, counts, strict=True)]
        lines.append(f"| [{SHORTS[chapter]}](chapters/{chapter}.md) | {' | '.join(map(str, counts))} |")
        names = [name for name, forms in undone.items() if forms]
        missing += [f"- [`asc.{name}`](calls/{name}.md): {lacks(ROWS[name], evidence)}" for name in names]
    lines.append(f"| all | {' | '.join(map(str, sums))} |")
    return lines, missing
