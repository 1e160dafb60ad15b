"""Options of PyAsc's `@asc.jit` that are not ours: what has a meaning here is translated, the rest is said once.

In: the options by name. Out: the kernel type they ask for, if any. Warns once in a process of each option that changes
nothing here. Refuses other names, and values that are no truth values.
"""

from __future__ import annotations

import enum
import inspect
import warnings

from opwright.errors import BadOption, OptionIgnored


class KernelType(enum.IntEnum):
    """PyAsc's names of the types of kernels; `@asc.jit(kernel_type=...)` takes them beside its own words."""

    AIV_ONLY = 0
    AIC_ONLY = 1
    MIX_AIV_HARD_SYNC = 2
    MIX_AIC_HARD_SYNC = 3
    MIX_AIV_1_0 = 4
    MIX_AIC_1_0 = 5
    MIX_AIC_1_1 = 6
    MIX_AIC_1_2 = 7


WORDS = {
    KernelType.AIV_ONLY: "vector",
    KernelType.AIC_ONLY: "cube",
    KernelType.MIX_AIV_HARD_SYNC: "mix_0_1",
    KernelType.MIX_AIC_HARD_SYNC: "mix_1_0",
    KernelType.MIX_AIV_1_0: "mix_0_1",
    KernelType.MIX_AIC_1_0: "mix_1_0",
    KernelType.MIX_AIC_1_1: "mix_1_1",
    KernelType.MIX_AIC_1_2: "mix_1_2",
}
# What each option is for there, and what there is here.
_WHY = {
    "always_compile": "a kernel is found by its source, so that a cached one is always the right one",
    "debug": "errors name your line as it is; OPWRIGHT_DEBUG=1 shows the frames of Opwright too",
    "insert_sync": "no flags are added: set and wait for them; kernel.check[cores](...) finds missing ones",
    "verify_sync": "kernel.check[cores](...) judges the order",
}
_CUBE_ONLY = "matmul_cube_only"
_PRINT = "print_ir_"
_WHY_PRINT = "`opwright show FILE.py:KERNEL` prints what each pass did"
_said: set[str] = set()
# As `described` takes them.
PARAMETERS = [
    *(
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool")
        for name in (*_WHY, _CUBE_ONLY)
    ),
    inspect.Parameter("print_ir", inspect.Parameter.VAR_KEYWORD, annotation="bool"),
]
NOTES = (
    f'{_CUBE_ONLY}: the same as kernel_type="cube", for code of PyAsc, whose types of kernels are taken too.',
    f"{', '.join(_WHY)}, {_PRINT}*: options of PyAsc that change nothing here.",
)


def kernel_type_of(value: str | int | None, matmul_cube_only: bool = False) -> str | None:
    """A kernel type in our words; what is none is refused where options are."""
    if not isinstance(matmul_cube_only, bool):
        raise BadOption(name=_CUBE_ONLY, value=matmul_cube_only, message="is True or False")
    if value is None and matmul_cube_only:
        return "cube"
    return WORDS[value] if isinstance(value, KernelType) else value  # type: ignore[return-value]


def said_once(**options: bool) -> None:
    """Warns once of each option that is given and changes nothing."""
    for name, value in options.items():
        if name not in _WHY and not name.startswith(_PRINT):
            raise BadOption(name=name, value=value, message="is not an option of asc.jit")
        if not isinstance(value, bool):
            raise BadOption(name=name, value=value, message="is True or False")
        if value and name not in _said:
            _said.add(name)
            why = _WHY.get(name, _WHY_PRINT)
            warnings.warn(f"@asc.jit({name}=True) changes nothing: {why}", OptionIgnored, stacklevel=4)
