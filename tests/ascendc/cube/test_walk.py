"""Every form that takes tensors of the matrix unit is used wrongly on the checked twin, and every wrong use is told.

The kernels are made from the table: a row that is added is walked, too. Of each form every operand is once empty and,
where a rule says how it must start, once shifted; and once the call does not wait for another pipe that touches what it
touches. Used rightly, nothing is found. Structs are made as examples make them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from image import load
from made_calls import is_of_matrix, object_text, position_in

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import LOCALS, MEMORIES_OF_KIND, REQUIRED, Form, Parameter, Row
from opwright.ascendc.rules import Align
from opwright.ascendc.table import CHAPTERS
from opwright.errors import KernelError, OpwrightError, OutOfRange, RaceError, RuleError
from opwright.runtime.jit import JitFunction

SOCS = ("ascend910b", "ascend950")
ROOM = {"BT": 512, "FB": 1024}  # bytes of a tensor; 8192 elsewhere
STEP = 16384  # from one to the next
SLOTS = 4
TRIED = 40
# Structs for elements of a type, and those whose examples are for one form among several.
STRUCTS = {
    "InitConstValueParams": "asc.InitConstValueParams(2, 4, 4, 1, asc.{0})",
    "LoadData3DParamsV2": "asc.LoadData3DParamsV2([0, 0, 0, 0], 4, 4, 32, 32, 16, dtype=asc.{0})",
}
# Conversions on the way out of L0C, of one word and of one for each column.
QUANT = {
    ("float32", "float16"): ("F322F16", ""),
    ("float32", "float32"): ("NoQuant", ""),
    ("float32", "int8"): ("QF322B8_PRE", "VQF322B8_PRE"),
    ("int32", "float16"): ("DEQF16", "VDEQF16"),
}
# Alone they do nothing but what these lines ask for.
BEFORE = {"LoadData3DParamsV2Pro": "asc.set_fmatrix(4, 4, [0, 0, 0, 0])"}
# Indices of sparse matrices, for all of L0B.
INDICES = """\
weights = asc.LocalTensor(asc.int8, asc.TPosition.A1, 0, 65536)
indices = asc.LocalTensor(asc.uint8, asc.TPosition.A1, 65536, 16384)
filters = asc.LocalTensor(asc.int8, asc.TPosition.B2, 0, 65536)
asc.load_data_with_sparse(filters, weights, indices, asc.LoadData2DParams(0, 100))
asc.pipe_barrier(asc.PipeID.PIPE_ALL)"""


@dataclass(frozen=True, eq=False)
class Used:
    """One call of a form."""

    row: Row
    number: int
    soc: str
    dtypes: dict[str, str]

    @property
    def form(self) -> Form:
        return self.row.forms[self.number]

    @property
    def name(self) -> str:
        return f"{self.row.name}({self.form.signature})"

    @property
    def tensors(self) -> list[Parameter]:
        return [one for one in self.form.parameters if one.kind in (*LOCALS, "global")]

    def room(self, tensor: Parameter) -> int:
        """Elements of an operand."""
        memory = MEMORIES_OF_KIND.get(tensor.kind, ("GM",))[0]
        return ROOM.get(memory, 8192) // DTYPES[self.dtypes[tensor.variable]].bytes

    def start(self, slot: int) -> int:
        memory = MEMORIES_OF_KIND.get(self.tensors[slot].kind, ("GM",))[0]
        starts_together = self.tensors[slot].name == "bias"  # in L0C it is what the call writes
        return 0 if memory in ROOM or starts_together else slot * STEP

    @property
    def globals(self) -> set[str]:
        return {self.dtypes[one.variable] for one in self.tensors if one.kind == "global"}

    def argument(self, parameter: Parameter) -> str:
        if parameter in self.tensors:
            return f"t_{parameter.name}"
        if parameter.made_by == "MmadParams" and "bias" in self.form.named:
            return "asc.MmadParams(16, 16, 16, cmatrix_init_val=False)"
        if self.quant and parameter.kind == "object":
            layout = "asc.CO2Layout.NZ, " if parameter.made_by == "FixpipeParamsArch3510" else ""
            sizes = "16, 16, 16, 32"
            return f"asc.{parameter.made_by}({layout}{sizes}, asc.QuantModes.{self.quant})"
        if parameter.kind == "object":
            text = STRUCTS.get(parameter.made_by, "").format(self.dtypes.get(parameter.variable, ""))
            return text or object_text(parameter, self.dtypes)
        if parameter.kind in ENUMS:
            return f"asc.{next(iter(ENUMS[parameter.kind].python))}"
        return {"count": "128", "bool": "False"}.get(parameter.name, "1")

    @property
    def leaves(self) -> bool:
        """Whether it moves a result out of L0C."""
        return self.form.pipe == "PIPE_FIX" and self.tensors[1].kind == "l0c"

    @property
    def quant(self) -> str:
        """The conversion between its types."""
        if not self.leaves:
            return ""
        types = self.dtypes[self.tensors[1].variable], self.dtypes[self.tensors[0].variable]
        return QUANT.get(types, ("", ""))["cbuf_workspace" in self.form.named]

    @property
    def is_possible(self) -> bool:
        return not self.leaves or bool(self.quant)

    @property
    def text(self) -> str:
        given = [one for one in self.form.parameters if one.default is REQUIRED or one.name == "config"]
        return f"asc.{self.row.name}({', '.join(self.argument(one) for one in given)})"

    @property
    def memories(self) -> set[str]:
        touched = {access.operand for access in self.form.accesses}
        return {
            MEMORIES_OF_KIND[one.kind][0]
            for one in self.tensors
            if one.name in touched and one.kind in MEMORIES_OF_KIND
        }

    @property
    def disturbed(self) -> str:
        """Another pipe touches what the call touches."""
        pipe, memories = self.form.pipe, self.memories
        if "L1" in memories:
            if pipe != "PIPE_MTE2":
                return "asc.init_const_value(all_l1, asc.InitConstValueParams(1, 4000, 0, 1, asc.int16))"
            return "asc.load_data(all_l0a, all_l1, asc.LoadData2DParams(0, 100, 1))"
        for side, memory in (("all_l0a", "L0A"), ("all_l0b", "L0B")):
            if memory in memories and pipe != "PIPE_MTE1":
                return f"asc.load_data({side}, all_l1, asc.LoadData2DParams(0, 100, 1))"
            if memory in memories:
                return f"asc.load_data({side}, words, asc.LoadData2DParams(0, 16, 1))"
        product_of = "asc.mmad(all_l0c, left, right, asc.MmadParams(128, 128, 16))"
        return product_of

    def lines(self) -> Iterator[str]:
        """Its tensors, and what it needs before."""
        for slot, tensor in enumerate(self.tensors):
            name, dtype, room = f"t_{tensor.name}", self.dtypes[tensor.variable], self.room(tensor)
            if tensor.kind == "global":
                yield f"{name} = asc.GlobalTensor()"
                yield f"{name}.set_global_buffer(memory_{dtype}, {room})"
                yield f"{name} = {name}[{room} - size{slot} :]"
            else:
                position = position_in(MEMORIES_OF_KIND[tensor.kind][0])
                made = f"asc.LocalTensor(asc.{dtype}, asc.TPosition.{position}, start{slot}, {room})"
                yield f"{name} = {made}[{room} - size{slot} :]"
        for parameter in self.form.parameters:
            if parameter.made_by in BEFORE:
                yield BEFORE[parameter.made_by]
        if self.row.name == "mmad_with_sparse":
            yield from INDICES.splitlines()


def kernel_of(calls: list[Used], soc: str) -> str:
    kinds = sorted({"int16"}.union(*(call.globals for call in calls)))
    numbers = ", ".join(f"start{slot}: int, size{slot}: int" for slot in range(SLOTS))
    memories = ", ".join(f"memory_{kind}: asc.GlobalAddress" for kind in kinds)
    needs_product = any("mmad" in call.disturbed or "L0C" in call.memories for call in calls)
    lines = [
        "from opwright import asc",
        "",
        "",
        f"@asc.jit(soc={soc!r}, kernel_type='cube', opt_level=0, auto_sync=False)",
        f"def calls({memories}, which: int, waits: int, {numbers}):",
        "    words = asc.GlobalTensor()",
        "    words.set_global_buffer(memory_int16)",
        "    all_l1 = asc.LocalTensor(asc.int16, asc.TPosition.A1, 0, 65536)",
        "    all_l0a = asc.LocalTensor(asc.int16, asc.TPosition.A2, 0, 32768)",
        "    all_l0b = asc.LocalTensor(asc.int16, asc.TPosition.B2, 0, 32768)",
        "    asc.init_const_value(all_l1, asc.InitConstValueParams(1, 4000, 0, 1, asc.int16))",
        "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
    ]
    if needs_product:
        lines += [
            "    all_l0c = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 32768)",
            "    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 8192)",
            "    right = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 8192)",
            "    bias = asc.LocalTensor(asc.float32, asc.TPosition.C2, 0, 256)",
            "    all_floats = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 32768)",
            "    asc.load_data(all_l0a, all_l1, asc.LoadData2DParams(0, 100, 1))",
            "    asc.load_data(all_l0b, all_l1, asc.LoadData2DParams(0, 100, 1))",
            "    asc.data_copy(bias, all_floats, 256)",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            "    asc.mmad(all_l0c, left, right, asc.MmadParams(128, 128, 16))",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
    for number, call in enumerate(calls):
        lines.append(f"    if which == {number}:")
        lines += [f"        {line}" for line in call.lines()]
        lines += [f"        {call.disturbed}"]
        lines += ["        if waits:", "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)", f"        {call.text}"]
        lines += ["        asc.pipe_barrier(asc.PipeID.PIPE_ALL)"]
    return "\n".join(lines) + "\n"


def chosen(row: Row, number: int, folder: Path) -> Used | None:
    """A call of a form that the front end takes."""
    form = row.forms[number]
    kinds = row.dtypes_of(form)
    variables = sorted({parameter.variable for parameter in form.parameters} - {""})
    for soc in SOCS:
        if soc in form.not_on:
            continue
        types = [[name for name in kinds[variable].by_soc[soc] if name in DTYPES] for variable in variables]
        types = [sorted(names, key=lambda name: name != "float16") for names in types]
        for tried, names in enumerate(islice(product(*types), TRIED)):
            call = Used(row, number, soc, dict(zip(variables, names, strict=True)))
            if not call.is_possible:
                continue
            kernel = load(folder, f"one_{number}_{tried}", kernel_of([call], soc)).calls
            try:
                kernel.emit(*(f"{kind}[64]" for kind in sorted({"int16", *call.globals})), 0, 1, *[0] * 2 * SLOTS)
            except KernelError:
                continue
            return call
    return None


@dataclass
class Walk:
    """The calls of a chapter on one SoC in one kernel, and what was wrong with them."""

    kernel: JitFunction
    calls: list[Used]
    lines: list[str]
    wrong: list[str]

    def run(self, call: Used, empty: int = -1, shifted: int = -1, waits: bool = True) -> OpwrightError | None:
        where = []
        for slot in range(SLOTS):
            is_there = slot < len(call.tensors)
            by = DTYPES[call.dtypes[call.tensors[slot].variable]].bytes if slot == shifted else 0
            where += [call.start(slot) + by if is_there else 0]
            where += [call.room(call.tensors[slot]) if is_there and slot != empty else 0]
        kinds = sorted({"int16"}.union(*(one.globals for one in self.calls)))
        numpy = {kind: ml_dtypes.bfloat16 if kind == "bfloat16" else kind for kind in kinds}
        memories = [np.zeros(8192 // DTYPES[kind].bytes, numpy[kind]) for kind in kinds]
        try:
            self.kernel.check[1](*memories, self.calls.index(call), int(waits), *where)
        except OpwrightError as error:
            return error
        return None

    def expect(self, what: str, call: Used, kind: type[OpwrightError], error: OpwrightError | None) -> None:
        line = self.lines[error.at.line - 1].strip() if error is not None and error.at is not None else ""
        if not isinstance(error, kind) or line != call.text:
            self.wrong.append(f"{call.name}: {what}: {type(error).__name__} at '{line}'\n{error}")

    def walk(self, call: Used) -> None:
        found = self.run(call)
        if found is not None or len(self.kernel.check.report()):
            self.wrong.append(f"{call.name}: used rightly: {call.text}: {found}")
            return
        touched = {access.operand for access in call.form.accesses}
        for slot, tensor in enumerate(call.tensors):
            if tensor.name not in touched:
                continue
            # A bias that is the destination does not start where it does, then.
            told = RuleError if "bias: l0c" in call.form.signature and tensor.kind == "l0c" else OutOfRange
            self.expect(f"{tensor.name} is empty", call, told, self.run(call, empty=slot))
            aligned = [rule for rule in call.form.rules if isinstance(rule, Align) and rule.operand == tensor.name]
            if aligned:
                self.expect(f"{tensor.name} is shifted", call, RuleError, self.run(call, shifted=slot))
        self.expect("another pipe touches what it touches", call, RaceError, self.run(call, waits=False))


FORMS = {
    chapter: [
        (row, number)
        for row in rows
        for number, form in enumerate(row.forms)
        # What goes to UB, or comes from it, needs vector cores, too: tests of their own have them.
        if is_of_matrix(form) and form.accesses and all(one.kind != "ub" for one in form.parameters)
    ]
    for chapter, rows in CHAPTERS.items()
}


@pytest.mark.parametrize("chapter", [chapter for chapter, forms in FORMS.items() if forms])
def test_wrong_uses_are_told(chapter: str, tmp_path: Path) -> None:
    wrong, made = [], []
    for row, number in FORMS[chapter]:
        call = chosen(row, number, tmp_path)
        if call is None:
            wrong.append(f"{row.name}({row.forms[number].signature}): no call of it was found")
        else:
            made.append(call)
    for soc in SOCS:
        calls = [call for call in made if call.soc == soc]
        if calls:
            text = kernel_of(calls, soc)
            walk = Walk(load(tmp_path, f"{chapter}_{soc}", text).calls, calls, text.splitlines(), wrong)
            for call in calls:
                walk.walk(call)
    assert wrong == [], "\n".join(wrong)
