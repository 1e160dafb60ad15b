"""What people reach for in a kernel, and what there is instead: functions of `math` and NumPy, print, dtypes of NumPy.

In: what was written. Out: a hint in words; "" where nothing better is known than the usual one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Row
from opwright.ascendc.table import ROWS
from opwright.ir.types import INT, GlobalType, LocalType, ScalarType
from opwright.ir.values import Constant, RunTimeValue, Value

_MODULES = ("math", "numpy", "torch")
# Functions of these modules and of Python that have another name in Ascend C.
_OTHERS = {
    "log": "ln",
    "fabs": "abs",
    "absolute": "abs",
    "pow": "adv.power",
    "power": "adv.power",
    "maximum": "max",
    "minimum": "min",
    "max": "reduce_max",
    "min": "reduce_min",
    "sum": "reduce_sum",
}
# What a kernel writes for a number x, where no call of Ascend C is needed.
_OF_NUMBERS = {
    "abs": "write abs(x)",
    "max": "write max(x, y)",
    "min": "write min(x, y)",
    "floor": "of integers write n // 64; of a number x that is 0 or more, int(x)",
    "ceil": "of integers write asc.ceildiv(n, 64) or -(-n // 64); of a number x that is 0 or more, "
    "int(x) + (1 if x > int(x) else 0)",
    "trunc": "write int(x)",
    "round": "of a number x that is 0 or more write int(x + 0.5), which rounds halves up",
}

# How the parameters of a call begin that gives each element a function of one element.
_UNARY = ["dst", "src", "count"]

PRINT = 'asc.printf("n = %d\\n", n) prints numbers, asc.dump_tensor(tensor, 0, 64) elements of a tensor'
DUMP = "asc.dump_tensor(tensor, 0, 64) prints elements of a tensor; tensor.get_value(0) is one of them"

AUTO = (
    "the tile level, which is planned, will place tensors and set flags; place a tensor with "
    "asc.LocalTensor(dtype, position, address, length), and set and wait for flags"
)


def of_function(name: str, arguments: Sequence[Value], by_threads: bool) -> str:
    """What there is instead of a function of Python, `math`, NumPy or torch with these arguments."""
    if by_threads:
        return f"threads call asc.simt.{name}f" if f"simt.{name}f" in ROWS else ""
    called = _call(name)
    if any(map(is_tensor, arguments)):
        example = ROWS[called].example if called else ""
        return f"a call of Ascend C writes its result into a tensor: {example}" if example else ""
    if called == "adv.power":
        return of_power(arguments[1], by_threads) if len(arguments) == 2 else ""
    return _OF_NUMBERS.get(called.removeprefix("adv."), "") or _through_tensor(called)


def of_power(exponent: Value, by_threads: bool) -> str:
    """A hint for a power of a run-time number."""
    known = exponent.value if isinstance(exponent, Constant) else None
    if isinstance(known, int):
        return "multiply instead" + (", and divide 1.0 by the product" if known < 0 else "")
    if isinstance(exponent, RunTimeValue) and exponent.type == INT:
        return "multiply in a loop instead"
    if by_threads:
        return "threads call asc.simt.powf"
    if known in (0.5, -0.5):
        return _through_tensor("sqrt" if known == 0.5 else "rsqrt")
    return _recipe(
        f"t, e and u are float32 tensors of 8 elements {_of_buffer('adv.power')}, and p is the exponent",
        "asc.duplicate(t, x, 1); asc.duplicate(e, p, 1)",
        "asc.adv.power(u, t, e, 1)",
        "u",
    )


def _call(name: str) -> str:
    """The call of Ascend C for a function's name; "" if there is none."""
    return next((one for one in (_OTHERS.get(name, name), f"adv.{name}") if one in ROWS), "")


def _through_tensor(called: str) -> str:
    """A hint for a function of a number: the scalar unit has none, the vector unit has it for elements."""
    if not called or not any([p.name for p in form.parameters[:3]] == _UNARY for form in ROWS[called].forms):
        return ""
    # Calls of asc.adv do not take one tensor as source and destination everywhere.
    result = "u" if called.startswith("adv.") else "t"
    tensors = "t is a float32 tensor" if result == "t" else "t and u are float32 tensors"
    where = f"{tensors} of 8 elements {_of_buffer(called)}"
    return _recipe(where, "asc.duplicate(t, x, 1)", f"asc.{called}({result}, t, 1)", result)


def _of_buffer(called: str) -> str:
    """Where the tensors of a call lie: a call that needs a TPipe takes none that are placed by hand."""
    needs_pipe = any(form.needs_tpipe for form in ROWS[called].forms if len(form.parameters) <= 4)
    return f"that a TBuf gives, since asc.{called} needs a TPipe" if needs_pipe else "in UB"


def _recipe(tensors: str, before: str, call: str, result: str) -> str:
    """Statements for a number x; right with auto_sync=False, too."""
    return (
        "a constant is computed before the kernel; for a runtime number x use the vector unit, since the scalar "
        f"unit has no such function: where {tensors}, {before}; asc.pipe_barrier(asc.PipeID.PIPE_V); {call}; "
        "asc.set_flag(asc.HardEvent.V_S); asc.wait_flag(asc.HardEvent.V_S); "
        f"y = {result}.get_value(0)"
    )


def of_module(module: object, name: str) -> tuple[str, str] | None:
    """What a name of `math`, NumPy or torch that is no function is in a kernel: what it is called, and a hint."""
    if not isinstance(module, ModuleType):
        return None
    if module.__name__.startswith("opwright.asc") and name == "LocalTensorAuto":
        return "asc.LocalTensorAuto", AUTO
    if is_foreign(module) and name in DTYPES:
        return f"{module.__name__}.{name}", f"write asc.{name}"
    return None


def is_foreign(value: object) -> bool:
    """Whether an object is a module that computes outside of kernels only, or a function of one."""
    return getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", None) in _MODULES


def of_numbers(row: Row, values: Iterable[Value], by_threads: bool) -> str:
    """A hint for a call of tensors that got numbers and nothing else, as in y = asc.sqrt(x)."""
    takes_tensors = any(parameter.is_tensor for form in row.forms for parameter in form.parameters[:1])
    given = list(values)
    if not takes_tensors or not given or not all(map(_is_number, given)):
        return ""
    return of_function(row.name.removeprefix("adv."), given, by_threads)


def is_tensor(value: Value) -> bool:
    """Whether a value is a tensor."""
    return isinstance(value, RunTimeValue) and isinstance(value.type, (GlobalType, LocalType))


def _is_number(value: Value) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.value, (int, float))
    return isinstance(value, RunTimeValue) and isinstance(value.type, ScalarType)
