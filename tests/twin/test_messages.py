"""Every fault has a text, and every text names only what its fault carries."""

from __future__ import annotations

import string
from types import SimpleNamespace

import pytest

from opwright.ascendc.enums import HardEvent
from opwright.ascendc.socs import SOCS
from opwright.kernel.program import Place
from opwright.twin import enumerations
from opwright.twin.fault_cases import LISTS, SLICES
from opwright.twin.faults import FAULTS, Fault
from opwright.twin.incident import Incident
from opwright.twin.launch_record import Outcome
from opwright.twin.messages import FUNCTIONS, describe

pytestmark = pytest.mark.unchecked(reason="launches nothing")

BY_NAME = {fault.name: fault for fault in FAULTS}
ADDED = {"call", "caller", "argument", "soc", "thread", "whose", "element"}  # what is not among a fault's own integers


def templates(fault: Fault) -> list[str]:
    pairs = fault.cases.values() if fault.by else [(fault.message, fault.hint)]
    return [template for pair in pairs for template in pair]


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.name != "NONE"], ids=lambda fault: fault.name)
def test_a_fault_has_templates_or_a_function(fault: Fault) -> None:
    has_templates = bool(fault.message or fault.cases)
    assert has_templates != (fault.name in FUNCTIONS)
    assert not fault.by or fault.by in fault.details


def test_every_function_is_of_a_fault() -> None:
    assert set(FUNCTIONS) <= set(BY_NAME)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_templates_name_what_the_fault_carries(fault: Fault) -> None:
    for template in templates(fault):
        named = {part for _, name, _, _ in string.Formatter().parse(template) if name for part in name.split("+")}
        assert named <= {*fault.details, *ADDED}, template


def test_every_case_has_a_text() -> None:
    assert set(LISTS) == set(enumerations.ListFault)
    assert set(SLICES) == set(enumerations.SliceRule)


def incident(name: str, details: dict[str, int], place: Place) -> Incident:
    soc = next(iter(SOCS.values()))
    by_hand, mixed = SimpleNamespace(author=None), SimpleNamespace(is_mixed=True)
    kernel = SimpleNamespace(types=(("x", "float32"),), soc=soc, kernel_type=mixed, source=by_hand)
    return Incident(BY_NAME[name], details, place, kernel, Outcome())


def test_a_template_is_filled_in() -> None:
    copy = Place("3:4", "data_copy")
    said = describe(incident("TENSOR_RANGE", {"operand": 0, "bytes": 64, "left": 32}, copy))
    assert said[0] == "dst is used for 64 bytes, but its tensor has only 32 from there"
    said = describe(incident("CAPACITY", {"memory": 0, "address": 100, "bytes": 28, "capacity": 96}, copy))
    assert said[0] == "this tensor ends at byte 128 of UB, which has 96 for a kernel"
    event = HardEvent.MTE2_V
    said = describe(incident("SET_TWICE", {"event": event.value, "event_id": 3}, copy))
    assert said == (
        "flag MTE2_V 3 is set again before anything waited for it",
        "wait_flag(HardEvent.MTE2_V, ...) first",
    )
    said = describe(incident("ENQUE_STATE", {"state": enumerations.BufferState.ENQUEUED}, copy))
    assert said[0] == "this tensor cannot be enqueued: it waits in the queue already"
    said = describe(incident("CROSS_COUNT", {"id": 2, "core_kind": enumerations.CoreKind.AIC, "block": 5}, copy))
    assert said[0] == "flag 2 between cores is set 16 times more than AIC 5 has waited for it"
