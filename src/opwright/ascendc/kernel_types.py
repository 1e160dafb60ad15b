"""What kinds of cores a kernel runs on: the types that `@asc.jit(kernel_type=...)` takes.

In: nothing. Out: `KERNEL_TYPES` by name. An AIC has the matrix unit and its memories, an AIV the vector unit and UB. A
launch starts groups of them: `aic` and `aiv` say how many of each are in a group.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ascendc.socs import Soc

UB = "UB"
AIC, AIV = "aic", "aiv"
# Calls of flags between cores, by name: places of a kernel know calls only so.
CROSS_FLAG_CALLS = frozenset({"cross_core_set_flag", "cross_core_wait_flag"})


def owner_of(memory: str) -> str:
    """The kind of core that has a memory of the chip."""
    return AIV if memory == UB else AIC


@dataclass(frozen=True)
class KernelType:
    """One type: its cores, how the text marks it, and whether its cores can signal each other by flags."""

    name: str | None
    aic: int
    aiv: int
    qualifier: str
    flags: bool = True

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of cores for which its text is compiled."""
        return tuple(kind for kind, count in ((AIV, self.aiv), (AIC, self.aic)) if count)

    @property
    def group(self) -> int:
        """A group as a launch record has it."""
        return self.aiv + (self.aic << 8)

    def has(self, memory: str) -> bool:
        """Whether one of its cores has a memory."""
        return owner_of(memory) in self.kinds

    def groups(self, soc: Soc) -> int:
        """How many groups run at once."""
        return soc.aic if self.aic else soc.aiv

    def cores(self, soc: Soc) -> int:
        """How many AIVs run at once, or AICs if there are no AIVs."""
        return self.groups(soc) * (self.aiv or 1)

    @property
    def is_mixed(self) -> bool:
        """Whether a launch has cores of both kinds."""
        return bool(self.aic and self.aiv)

    def kind_name(self, kind: int) -> str:
        """The kind of a core, as the twin numbers them, where it takes that to tell cores apart; else nothing."""
        return ("AIV", "AIC")[kind] if self.is_mixed else ""

    @property
    def group_description(self) -> str:
        """What a launch counts, in words."""
        if self.is_mixed:
            return f"groups of 1 AIC and {self.aiv} AIV"
        return "cube cores" if self.aic else "vector cores"


KERNEL_TYPES: dict[str | None, KernelType] = {
    one.name: one
    for one in (
        KernelType(None, 0, 1, "__aicore__"),  # left to the NPU's compiler
        KernelType("vector", 0, 1, "__vector__", flags=False),
        KernelType("cube", 1, 0, "__cube__", flags=False),
        KernelType("mix_0_1", 0, 1, "__mix__(0, 1)"),
        KernelType("mix_1_0", 1, 0, "__mix__(1, 0)"),
        KernelType("mix_1_1", 1, 1, "__mix__(1, 1)"),
        KernelType("mix_1_2", 1, 2, "__mix__(1, 2)"),
    )
}
# Types without flags between cores -> those that differ in having them.
FLAGGED: dict[str | None, str] = {"vector": "mix_0_1", "cube": "mix_1_0"}
