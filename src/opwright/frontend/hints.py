"""What people reach for in a kernel, and what there is instead: functions of `math` and NumPy, print, dtypes of NumPy.

In: what was written. Out: the way out in words; "" where nothing better is known than the usual one.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType

from opwright.ascendc.dtypes import DTYPES, ELEMENTS, PACKED
from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS
from opwright.frontend.values import Constant, Runtime, Value
from opwright.ir.types import GlobalType, LocalType, ScalarType

_MODULES = ("math", "numpy", "torch")
# Functions of these modules that have another name in Ascend C.
_OTHERS = {"log": "ln", "fabs": "abs", "absolute": "abs", "pow": "adv.power", "power": "adv.power"}

PRINT = 'asc.printf("n = %d\\n", n) prints numbers, asc.dump_tensor(tensor, 0, 64) elements of a tensor'
DUMP = "asc.dump_tensor(tensor, 0, 64) prints elements of a tensor; tensor.get_value(0) is one of them"

AUTO = (
    "the tile level will place tensors and set flags by itself, and is not there yet; here say where a tensor lies, "
    "asc.LocalTensor(dtype, position, address, length), and set and wait for flags"
)


def through_tensor(name: str, by_threads: bool) -> str:
    """The way to a function of a number: the scalar unit has none, the vector unit has it for elements."""
    if by_threads:
        return f"threads call asc.simt.{name}f" if f"simt.{name}f" in ROWS else ""
    called = next((one for one in (_OTHERS.get(name, name), f"adv.{name}") if one in ROWS), "")
    if not called:
        return ""
    return (
        "a constant is computed before the kernel; for numbers of the run the scalar unit has no such function, but "
        f"the vector unit: asc.duplicate(t, x, 1) fills a tensor of one element, asc.{called} takes it, and after "
        "asc.HardEvent.V_S, set and waited for, t.get_value(0) is the result"
    )


def of_module(module: object, name: str, by_threads: bool) -> tuple[str, str] | None:
    """What a name of `math`, NumPy or torch is in a kernel: what it is called, and the way out."""
    if not isinstance(module, ModuleType):
        return None
    if module.__name__.startswith("opwright.asc") and name == "LocalTensorAuto":
        return "asc.LocalTensorAuto", AUTO
    if module.__name__ not in _MODULES:
        return None
    if name in DTYPES:
        return f"{module.__name__}.{name}", f"write asc.{name}"
    way_out = through_tensor(name, by_threads)
    return (f"calling {module.__name__}.{name}", way_out) if way_out else None


def of_numbers(row: Row, values: Iterable[Value], by_threads: bool) -> str:
    """The way for a call of tensors that got numbers and nothing else, as in y = asc.sqrt(x)."""
    takes_tensors = any(parameter.is_tensor for form in row.forms for parameter in form.parameters[:1])
    given = list(values)
    return through_tensor(row.name, by_threads) if takes_tensors and given and all(map(_is_number, given)) else ""


def is_tensor(value: Value) -> bool:
    """Whether a value is a tensor of the run."""
    return isinstance(value, Runtime) and isinstance(value.type, (GlobalType, LocalType))


def mixed(name: str, dtype: str, other: str) -> str:
    """What makes one type of two."""
    if dtype in PACKED or other in PACKED:
        return "take the bytes of int4, two elements to one: local.reinterpret_cast(asc.int8)"
    narrows = ELEMENTS[dtype].bytes >= ELEMENTS[other].bytes
    mode = "CAST_RINT" if narrows else "CAST_NONE"
    return f"make both the same: asc.cast(new, {name}, asc.RoundMode.{mode}, count) makes {other} of {dtype} in UB"


def _is_number(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, (int, float))
    return isinstance(value, Runtime) and isinstance(value.type, ScalarType)
