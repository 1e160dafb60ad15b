"""Options of PyAsc's `@asc.jit` that are not ours: what has a meaning here is translated, the rest is said once.

In: the options by name. Out: the kernel type they ask for, if any. Warns once in a process of each option that changes
nothing here. Refuses other names, and values that are no truth values.
"""

from __future__ import annotations

import enum
import warnings

from opwright.errors import BadOption, OptionIgnored
from opwright.kernel.options import CHANGE_NOTHING, CUBE_ONLY, PRINT_IR


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
_said: set[str] = set()


def kernel_type_of(value: str | int | None, matmul_cube_only: bool = False) -> str | None:
    """A kernel type in our words; what is none is refused where options are."""
    if not isinstance(matmul_cube_only, bool):
        raise BadOption(name=CUBE_ONLY, value=matmul_cube_only, message="is True or False")
    if value is None and matmul_cube_only:
        return "cube"
    return WORDS[value] if isinstance(value, KernelType) else value  # type: ignore[return-value]


def said_once(**options: bool) -> None:
    """Warns once of each option that is given and changes nothing."""
    for name, value in options.items():
        if name not in CHANGE_NOTHING and not name.startswith(PRINT_IR):
            raise BadOption(name=name, value=value, message="is not an option of asc.jit")
        if not isinstance(value, bool):
            raise BadOption(name=name, value=value, message="is True or False")
        if value and name not in _said:
            _said.add(name)
            why = CHANGE_NOTHING.get(name, "`opwright show FILE.py:KERNEL` prints what each pass did")
            warnings.warn(f"@asc.jit({name}=True) changes nothing: {why}", OptionIgnored, stacklevel=4)
