"""What ends a core because of a thread, in words: golden messages, and the Python lines that they point at."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.errors import DivergentBarrier, Location, MissingLanes, OutOfRange, RuleError, TrapError
from opwright.kernel.program import Called, Place
from opwright.kernel.source import source_of
from opwright.twin.faults import FAULTS
from opwright.twin.incident import Incident
from opwright.twin.launch_record import Outcome
from opwright.twin.messages import describe
from opwright.twin.report import error_of

pytestmark = pytest.mark.quick

THREAD = {"x": 3, "y": 1, "z": 0}
OTHER = {"other_x": 31, "other_y": 0, "other_z": 2}
IN_GLOBAL, IN_UB = {"memory": 7, "slot": 1}, {"memory": 0, "slot": -1}

CASES = [
    ("THREADS", {"along_x": 64, "along_y": 64, "along_z": 1, "max": 1024}, RuleError),
    ("THREADS", {"along_x": 0, "along_y": 1, "along_z": 1, "max": 2048}, RuleError),
    ("POINTER_RANGE", {**THREAD, **IN_GLOBAL, "index": 1027, "elements": 1024}, OutOfRange),
    ("POINTER_RANGE", {**THREAD, **IN_UB, "index": -1, "elements": 256}, OutOfRange),
    ("POINTER_RANGE", {**THREAD, "memory": 7, "slot": -1, "index": 0, "elements": 0}, OutOfRange),
    ("THREAD_STOP", THREAD, TrapError),
    ("DIVERGENT_BARRIER", {**THREAD, **OTHER, "other_state": 0, "other_line": 0}, DivergentBarrier),
    ("DIVERGENT_BARRIER", {**THREAD, **OTHER, "other_state": 1, "other_line": 5}, DivergentBarrier),
    ("MISSING_LANES", {**THREAD, **OTHER, "other_state": 1, "other_line": 5}, MissingLanes),
    ("MISSING_LANES", {**THREAD, **OTHER, "other_state": 2, "other_line": 5}, MissingLanes),
    ("SHFL_LANE", {**THREAD, "lane": 8}, RuleError),
    ("SHFL_WIDTH", {**THREAD, "width": 12}, RuleError),
]


def test_messages(golden: Callable[[str, str], None]) -> None:
    said = []
    kernel = SimpleNamespace(
        types=(("w", "float32"), ("x", "float32")),
        source=SimpleNamespace(author=None, locate=lambda line, column: Location("kernels.py", line, column)),
        places={5: Place("70:5")},
        functions=(Called(""),),
    )
    for name, details, kind in CASES:
        fault = next(one for one in FAULTS if one.name == name)
        assert set(fault.details) == set(details)
        assert fault.error is kind
        message, hint = describe(Incident(fault, details, Place(""), kernel, Outcome()))
        said.append(f"{name}\n    {message}\n    hint: {hint}\n")
    golden("stray_words.txt", "\n".join(said))


def strays(x: object) -> None:
    x[0] = 1
    if x[1]:
        x[2] = 3


@pytest.mark.parametrize(
    ("name", "details", "kind", "words"),
    [
        ("POINTER_RANGE", [3, 0, 0, 7, 0, 9, 8], OutOfRange, "thread (3,0,0) goes to element 9 of x, which has 8"),
        ("THREAD_STOP", [0, 5, 0], TrapError, "thread (0,5,0): division by zero"),
        ("DIVERGENT_BARRIER", [0, 0, 0, 7, 0, 0, 1, 12], DivergentBarrier, "waits for its block at line {other}"),
    ],
)
def test_errors_point_at_python(name: str, details: list[int], kind: type[Exception], words: str) -> None:
    outcome = Outcome(fault=[one.name for one in FAULTS].index(name), line=11, block=4)
    outcome.details = (ctypes.c_int64 * len(outcome.details))(*details)
    kernel = SimpleNamespace(
        name="strays",
        source=source_of(strays),
        python=strays,
        types=(("x", "float32"),),
        places={11: Place("2:4", reason="division by zero"), 12: Place("4:8")},
        functions=(Called(""),),
        kernel_type=KERNEL_TYPES[None],
    )
    error = error_of(outcome, kernel)
    first = strays.__code__.co_firstlineno
    assert type(error) is kind
    assert words.format(other=first + 3) in str(error)
    assert f"test_stray_words.py:{first + 1}" in str(error)
    assert "core 4" in str(error)
