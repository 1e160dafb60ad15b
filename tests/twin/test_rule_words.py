"""Every rule that waits for the run has a way out there, whatever the element types and modes."""

from collections.abc import Iterator

import pytest

from opwright.ascendc.enums import ENUMS
from opwright.ascendc.row import Form, Row
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.twin.messages.rules import Settled

pytestmark = pytest.mark.quick


def words_of(row: Row, form: Form, soc: str, last: bool) -> dict[str, str]:
    """What a text could settle: the first of all types and modes, or the last."""
    words, types = {}, row.dtypes_of(form)
    for parameter in form.parameters:
        if parameter.kind in ENUMS:
            words[parameter.name] = list(ENUMS[parameter.kind].python)[-last].name
        elif parameter.is_tensor or parameter.kind == "dtype":
            words[parameter.name] = types[parameter.variable].by_soc[soc][-last]
    return words


def waiting() -> Iterator[tuple[str, Row, Form, int]]:
    for row in ROWS.values():
        for form in row.forms:
            index = {parameter.name: number for number, parameter in enumerate(form.parameters)}
            for number, rule in enumerate(form.rules):
                if "opwright::require(" in rule.cpp(number, index):
                    yield f"{row.name}({form.signature}) {type(rule).__name__}", row, form, number


@pytest.mark.parametrize("soc", SOCS)
def test_every_rule_of_the_run_has_a_hint(soc: str) -> None:
    seen = set()
    for name, row, form, number in waiting():
        if soc in row.not_on(form):
            continue
        for last in (False, True):
            hint = form.rules[number].hint(Settled(SOCS[soc], form, words_of(row, form, soc, last)))
            assert hint, name
        seen.add(type(form.rules[number]).__name__)
    assert len(seen) > 6
