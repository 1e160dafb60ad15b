"""A call that copies says which ways it has where it has none, and what goes that way instead."""

import pytest

from opwright.ascendc.kernel_types import AIC, AIV
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.ir.binding.copy_routes import no_route


@pytest.mark.parametrize(
    ("call", "soc", "kinds", "source", "target", "reason", "hint"),
    [
        ("data_copy", "ascend910b", (AIC,), "GM", "L0A", "only from GM to UB or L1", "use asc.load_data"),
        (
            "data_copy",
            "ascend910b",
            (AIV,),
            "GM",
            "GM",
            "only from GM to UB or L1 and to GM from UB or L1 or L0C",
            "go through UB: asc.data_copy from GM, then asc.data_copy to GM",
        ),
        (
            "data_copy",
            "ascend910b",
            (AIC,),
            "GM",
            "GM",
            "and to GM from UB or L1 or L0C",
            "go through L1: asc.data_copy from GM, then asc.data_copy to GM",
        ),
        (
            "fixpipe",
            "ascend910b",
            (AIC,),
            "L0C",
            "L0A",
            "only from L0C to GM or L1",
            "go through L1: asc.fixpipe from L0C, then asc.load_data to L0A",
        ),
        (
            "fixpipe",
            "ascend950",
            (AIC,),
            "L0C",
            "L0A",
            "only from L0C to GM or UB or L1",
            "go through L1: asc.fixpipe from L0C, then asc.load_data to L0A",
        ),
        ("load_data", "ascend910b", (AIC,), "L0C", "UB", "it has no path from L0C to UB", "go through GM"),
    ],
)
def test_where_there_is_no_route(
    call: str, soc: str, kinds: tuple[str, ...], source: str, target: str, reason: str, hint: str
) -> None:
    words = no_route(ROWS[call], SOCS[soc], kinds, source, target)
    assert words is not None
    assert words[0].startswith(f"  it has no path from {source} to {target}")
    assert words[0].endswith(reason), words
    assert hint in words[1], words


@pytest.mark.parametrize(
    ("call", "source", "target"),
    [
        ("data_copy", "GM", "UB"),
        ("load_data", "L1", "L0A"),
        ("fixpipe", "L0C", "UB"),  # on ascend950: its form says so
        ("adds", "GM", "UB"),  # it computes
    ],
)
def test_where_forms_say_more(call: str, source: str, target: str) -> None:
    assert no_route(ROWS[call], SOCS["ascend910b"], (AIC, AIV), source, target) is None
