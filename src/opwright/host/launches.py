"""Launches: what `launch` of an operator gets of the SoC, and what it says.

In: the name of a SoC; a kernel, its cores, its numbers. Out: `Soc` and `Launch`. Refuses a launch with an unknown size.
"""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ascendc.socs import SOCS
from opwright.errors import UnknownSoc
from opwright.host.facts import Scalar
from opwright.host.sizes import Unknown


@dataclass(frozen=True)
class Soc:
    """What a host function may ask of a SoC. Bytes are those that a kernel may use."""

    name: str
    vector_cores: int
    cube_cores: int
    ub_bytes: int
    l1_bytes: int
    l0c_bytes: int


@dataclass(frozen=True)
class Launch:
    """One launch. kernel: the name of the variant. blocks: groups of cores; 0 launches nothing. arguments: the numbers
    that the kernel takes behind its tensors, in its order. workspace: bytes of scratch memory."""

    kernel: str
    blocks: int
    arguments: tuple[Scalar, ...] = ()
    workspace: int = 0

    def __post_init__(self) -> None:
        numbers: tuple[object, ...] = (self.blocks, *self.arguments, self.workspace)
        for number in numbers:
            if isinstance(number, Unknown):
                int(number)  # refuses: a launch knows every size


def soc_named(name: str) -> Soc:
    """A SoC of the package, by its name."""
    if name not in SOCS:
        raise UnknownSoc(soc=name, known=", ".join(SOCS))
    soc = SOCS[name]
    return Soc(soc.name, soc.aiv, soc.aic, soc.usable("UB"), soc.usable("L1"), soc.usable("L0C"))
