"""Messages about results that a switch of `ascendc/assumptions.py` decides."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from opwright.ascendc.assumptions import ASSUMPTIONS, Assumption
from opwright.twin.fault_cases import Texts
from opwright.twin.incident import Incident


def switch_of(details: Mapping[str, int]) -> Assumption:
    """The switch that decides."""
    return list(ASSUMPTIONS.values())[details["switch"]]


def has_nan(details: Mapping[str, int]) -> bool:
    """Whether the first result is NaN, with the switch either way."""
    return not details["is_integer"] and any(_number(details[which], False) == "nan" for which in ("taken", "other"))


def assumed(one: Incident) -> Texts:
    """What comes out, and what would with the switch the other way."""
    details = one.details
    name = switch_of(details).name
    here, other = (f"{name}={'on' if is_on else 'off'}" for is_on in (details["is_on"], not details["is_on"]))
    gives, would = (_number(details[which], bool(details["is_integer"])) for which in ("taken", "other"))
    values = [_number(details[which], bool(details["are_integers"])) for which in ("first", "second")]
    of = f" for {' and '.join(values[: details['values']])}" if details["values"] else ""
    message = f"{one.caller} gives {gives}{of}, as {here} is assumed; with {other} it is {would}"
    try_it = f"OPWRIGHT_CHIP_ASSUMPTIONS={other} or @asc.jit(chip_assumptions={other!r})"
    return message, f"public texts leave it open; see what becomes of it with {try_it}"


def _number(detail: int, is_integer: bool) -> str:
    """A detail as people write numbers."""
    if is_integer:
        return str(detail)
    value: float = struct.unpack("d", struct.pack("q", detail))[0]
    return f"{value:.7g}"
