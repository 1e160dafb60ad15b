"""Launches: what `launch` of an operator gets of the SoC, and what it says.

In: the name of a SoC; a kernel, its cores, its numbers. Out: `Soc` and `Launch`; `launch_of` gives a function that
makes the launch of a kernel over tiles. Refuses a launch with an unknown size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any

from opwright.ascendc.socs import SOCS
from opwright.errors import UnknownSoc
from opwright.host.facts import Scalar, Tensor
from opwright.host.sizes import Unknown
from opwright.schema.dtypes import Dtype

if TYPE_CHECKING:
    from opwright.tile.kernel import TileKernel


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


class DerivedLaunch:
    """A host function that is made from a kernel: all of it when it is compiled, what a call needs when it is called.

    make: gets variants and names of SoCs. The kernel is compiled for each of both.
    """

    def __init__(
        self,
        make: Callable[[Sequence[Sequence[Dtype]], Sequence[str]], FunctionType],
        variants: Sequence[Sequence[Dtype]],
    ) -> None:
        self._make, self._variants = make, variants
        self._called: dict[tuple[object, ...], FunctionType] = {}

    @cached_property
    def function(self) -> FunctionType:
        """The host function: tensors and numbers of the kernel, then the SoC."""
        return self._make(self._variants, tuple(SOCS))

    def __call__(self, *arguments: Any) -> Launch:
        *given, soc = arguments
        dtypes = [one.dtype for one in given if isinstance(one, Tensor)]
        key = (soc.name, *dtypes)
        if key not in self._called:
            self._called[key] = self._make([one for one in self._variants if list(one) == dtypes], (soc.name,))
        found: Launch = self._called[key](*arguments)
        return found


def launch_of(
    kernel: TileKernel, variants: Sequence[Sequence[Dtype]], ranks: Sequence[int], **constants: object
) -> DerivedLaunch:
    """The launch of a kernel over tiles, which `launch` of an operator may call: its own cores and scratch memory.

    variants: data types of its tensors, for each variant that there is. ranks: dimensions of its tensors.
    """

    def make(some: Sequence[Sequence[Dtype]], socs: Sequence[str]) -> FunctionType:
        from opwright.host.derived import launch_function  # loads what kernels need

        return launch_function(kernel, some, ranks, constants, socs)

    return DerivedLaunch(make, variants)


def soc_named(name: str) -> Soc:
    """A SoC of the package, by its name."""
    if name not in SOCS:
        raise UnknownSoc(soc=name, known=", ".join(SOCS))
    soc = SOCS[name]
    return Soc(soc.name, soc.aiv, soc.aic, soc.usable("UB"), soc.usable("L1"), soc.usable("L0C"))
