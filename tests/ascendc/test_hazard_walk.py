"""Every form that touches memory is used wrongly on the checked twin, and every wrong use is told where it stands.

The kernels are made from the table, one for each chapter: a row that is added is walked, too. Of each form every
operand is once too small and, where a rule says how it must start, once shifted; and once the call does not wait for
another pipe that writes what it touches. Used rightly, nothing is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from image import load
from made_calls import ROOM, STEP, Made, candidates, is_of_matrix, kernel_of, room_of

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import CORE, LOCALS, Form, Row
from opwright.ascendc.rules import Align
from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.ascendc.traits import Changes, Places
from opwright.ascendc.vector_rules import AlignResults
from opwright.errors import KernelError, OpwrightError, OutOfRange, RaceError, RuleError
from opwright.runtime.jit import JitFunction


def name_of(row: Row, number: int) -> str:
    return f"{row.name}({row.forms[number].signature})"


SOCS = ("ascend950", "ascend910b")
TRIED = 60  # calls of a form, until the front end takes one
# Forms that the walk cannot call. Most rows need only an example that shows what their arguments are.
NOT_WALKED: dict[str, str] = {
    name_of(ROWS[name], number): f"{which}; the tests of its chapter show its wrong uses"
    for name, which in (
        ("adv.softmax", "its extents are fields of a tiling"),
        ("adv.rmsnorm", "its extents are fields of a tiling"),
        ("data_copy", "its extents are lists of slices"),
    )
    for number, form in enumerate(ROWS[name].forms)
    if name != "data_copy" or "slice_list1" in form.named
}
# They let all earlier work of their own core end first.
NEVER_RACE = {
    *("sync_all", "ib_set", "ib_wait", "notify_next_block", "wait_pre_block"),
    *("dump_tensor", "dump_acc_chk_point"),
}
# Alone it waits for ever, unless something is wrong with its operands.
WAITS_FOR_OTHERS = {"ib_wait"}
# Calls that take tensors and do something, but state no footprint.
NO_FOOTPRINT = {
    "adv.concat": "makes one tensor stand for another",
    "data_cache_clean_and_invalid": "moves no data: the checked twin asks it whether others see what was written",
    "GlobalTensor.set_global_buffer": "makes a tensor",
    "GlobalTensor.set_l2_cache_hint": "a hint",
    "set_fix_pipe_config": "names a tensor that later copies read",
    "ListTensorDesc.get_desc": "reads the list word by word: its class states it",
    "TensorDesc.set_shape_addr": "names an array of the stack",
    "TQueBind.enque": "touches flags only",
    "TQueBind.free_tensor": "touches flags only",
    "trans_data_to_5hd": "its function states those of the tensors in its lists, which the tests of its chapter show",
}


def takes_what_there_is(form: Form, operand: str) -> bool:
    """Composed calls without a count take all of a tensor, and whatever room they are given."""
    runs = [access.runs for access in form.accesses if access.operand == operand]
    return all(f"({operand}, {operand})" in text or "given_away" in text for text in runs)


def numbers(row: Row) -> list[int]:
    """The forms that touch memory; tests/simt/test_walk.py walks those of threads, tests/ascendc/cube those of AICs."""
    own = enumerate(row.forms) if CORE in row.called_by else ()
    return [number for number, form in own if form.accesses and not is_of_matrix(form)]


WALKED = {chapter: rows for chapter, rows in CHAPTERS.items() if any(numbers(row) for row in rows)}


def chosen(row: Row, number: int, folder: Path) -> Made | None:
    """A call of a form that the front end takes."""
    own = f"{row.name.replace('.', '_')}_{number}"
    for soc in SOCS:
        made = candidates(row, number, soc, own) if soc not in row.forms[number].not_on else iter(())
        for tried, call in enumerate(islice(made, TRIED)):
            kernel = load(folder, f"{own}_{soc}_{tried}", call.kernel()).calls
            try:
                memories = [f"{dtype}[64]" for dtype in sorted(call.globals)]
                kernel.emit("uint8[64]", *memories, 0, 1, *places([call], call))
            except KernelError:
                continue
            return call
    return None


def places(calls: Sequence[Made], call: Made, short: int = -1, shifted: int = -1, by: int = 0) -> list[int]:
    """The start and the size of each operand; one of them is empty, or starts a little later."""
    result = []
    for slot in range(max(len(one.tensors) for one in calls)):
        element = call.element_bytes(call.tensors[slot]) if slot < len(call.tensors) else 1
        result += [slot * STEP + (by if slot == shifted else 0), 0 if slot == short else ROOM // element]
    return result


@dataclass
class Walk:
    """The calls of a chapter in one kernel, and what was wrong with them."""

    kernel: JitFunction
    calls: list[Made]
    lines: list[str]
    wrong: list[str] = field(default_factory=list)

    def run(self, call: Made, where: list[int], waits: bool = True) -> OpwrightError | None:
        """The first error of a call."""
        m = np.ones(room_of(self.calls), np.uint8)
        for slot, tensor in enumerate(call.tensors):
            if "offset" in tensor.name:
                m[slot * STEP : (slot + 1) * STEP] = 0
        kinds = sorted(set().union(*(one.globals for one in self.calls)))
        types = {kind: ml_dtypes.bfloat16 if kind == "bfloat16" else kind for kind in kinds}
        memories = [np.zeros(ROOM // DTYPES[kind].bytes, types[kind]) for kind in kinds]
        try:
            self.kernel.check[1](m, *memories, self.calls.index(call), int(waits), *where)
        except OpwrightError as error:
            return error
        return None

    def expect(self, what: str, call: Made, kind: type[OpwrightError], error: OpwrightError | None) -> None:
        """Notes what is not told as it should be."""
        line = self.lines[error.at.line - 1].strip() if error is not None and error.at is not None else ""
        if not isinstance(error, kind) or line != call.text:
            self.wrong.append(f"{name_of(call.row, call.number)}: {what}: {type(error).__name__} at '{line}'\n{error}")

    def walk(self, call: Made) -> None:
        touched = {access.operand for access in call.form.accesses}
        if call.row.name not in WAITS_FOR_OTHERS:
            found = self.run(call, places(self.calls, call))
            if found is not None or len(self.kernel.check.report()):
                self.wrong.append(f"{name_of(call.row, call.number)}: used rightly: {found}")
                return
        for slot, tensor in enumerate(call.tensors):
            if tensor.name not in touched:
                continue
            if not takes_what_there_is(call.form, tensor.name):
                short = self.run(call, places(self.calls, call, short=slot))
                self.expect(f"{tensor.name} is too small", call, OutOfRange, short)
            for rule in call.form.rules:
                if isinstance(rule, (Align, AlignResults)) and rule.operand == tensor.name:
                    by = call.element_bytes(tensor) if isinstance(rule, Align) else 1
                    shifted = self.run(call, places(self.calls, call, shifted=slot, by=by))
                    self.expect(f"{tensor.name} is shifted by {by}", call, RuleError, shifted)
        if call.row.name not in NEVER_RACE:
            raced = self.run(call, places(self.calls, call), waits=False)
            self.expect("another pipe writes what it touches", call, RaceError, raced)


@pytest.mark.parametrize("chapter", WALKED)
def test_wrong_uses_are_told(chapter: str, tmp_path: Path) -> None:
    wrong, made = [], []
    for row in WALKED[chapter]:
        for number in numbers(row):
            call = None if name_of(row, number) in NOT_WALKED else chosen(row, number, tmp_path)
            if call is not None:
                made.append(call)
            elif name_of(row, number) not in NOT_WALKED:
                wrong.append(f"{name_of(row, number)}: no call of it was found: let its example show what it takes")
    for soc in SOCS:
        calls = [call for call in made if call.soc == soc]
        if not calls:
            continue
        # Compiled without optimisation: it runs once.
        text = kernel_of(calls, soc, ", auto_sync=False, opt_level=0")
        walk = Walk(load(tmp_path, f"{chapter}_{soc}", text).calls, calls, text.splitlines())
        for call in calls:
            walk.walk(call)
        wrong += walk.wrong
    assert wrong == [], "\n".join(wrong)


def test_the_lists_name_forms_and_rows() -> None:
    forms = {name_of(row, number) for row in ROWS.values() for number in numbers(row)}
    assert set(NOT_WALKED) <= forms and all(NOT_WALKED.values())
    assert WAITS_FOR_OTHERS | NEVER_RACE <= set(ROWS)
    assert len(forms) > 180
    takes_tensors = {
        row.name
        for row in ROWS.values()
        for form in row.forms
        for parameter in form.parameters
        if row.effect == "runs"
        and not form.accesses
        and not form.get(Changes)
        and not form.get(Places)
        and (parameter.is_tensor or parameter.variable)
        if parameter.kind in (*LOCALS, "global", "object")
    }
    assert takes_tensors == set(NO_FOOTPRINT), "a call that touches memory says what it touches"
