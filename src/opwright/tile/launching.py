"""Launches of tile kernels: the host tests the arguments, and chooses how many cores there are.

In: a kernel, cores or None, arguments. Out: a run on the target that the settings name. Refuses arguments that share an
element that the kernel writes; views that only interleave share none.
"""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import ArgumentError
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.program import KernelFacts
from opwright.kernel.target import LoadedKernel
from opwright.runtime.checked import Check
from opwright.runtime.launching import Launchable, Launcher
from opwright.tile import host

__tracebackhide__ = True  # pytest leaves out frames of this module
_MOST_WORK = 100_000  # of NumPy's search for a shared element


class TileLauncher(Launcher):
    """A tile kernel with its number of cores, or None: as many as it has iterations to share."""

    __slots__ = ("is_automatic",)

    def __init__(self, kernel: Launchable, cores: int | None) -> None:
        super().__init__(kernel, cores or 0)
        self.is_automatic = cores is None

    def describe(self) -> str:
        return "as many cores as it has iterations" if self.is_automatic else super().describe()

    @property
    def grid(self) -> Any:
        return None if self.is_automatic else self.cores

    def cores_for(self, kernel: LoadedKernel, bound: BoundArguments) -> int:
        """Tests the arguments, and gives the number of cores. A target that only writes text has no use for it."""
        if not isinstance(kernel, KernelFacts):
            return 1
        numbers = dict(zip(bound.names, bound.slots, strict=True))
        host.test(kernel.host, kernel.name, self.kernel.source, numbers)
        _refuse_shared(kernel, bound, numbers)
        if not self.is_automatic:
            self._refuse_all_of_it(kernel)
            return self.cores
        return host.cores_of(kernel.host, numbers, kernel.kernel_type.groups(kernel.soc))

    def _refuse_all_of_it(self, kernel: KernelFacts) -> None:
        """Refuses cores without a loop to share: each would add to the same elements, and read what others write."""
        if self.cores > 1 and not kernel.host["iterations"]:
            message = (
                f"it has no tile.parallel and does not ask for tile.core(): each of {self.cores} cores would do all "
                f"of it; launch it on one, {kernel.name}[1](...)"
            )
            raise ArgumentError(kernel=kernel.name, message=message)


def _refuse_shared(kernel: KernelFacts, bound: BoundArguments, numbers: host.Numbers) -> None:
    """Refuses two arguments that share an element if the kernel writes one: loads run ahead of stores to the other."""
    arrays = [
        (name, memory[0], memory[0] + memory[1], kind, writes)
        for name, kind, memory, (_, writes) in zip(bound.names, bound.kinds, bound.memories, kernel.uses, strict=False)
        if memory is not None and memory[1]
    ]
    for (first, address, end, kind, is_written), (
        second,
        other,
        other_end,
        other_kind,
        is_second_written,
    ) in combinations(arrays, 2):
        if not (is_written or is_second_written) or address >= other_end or other >= end:
            continue
        if address == other:
            how = "are the same memory, and the kernel writes it"
        elif _share(_places(first, address, kind, numbers), _places(second, other, other_kind, numbers)):
            how = "share elements, and the kernel writes them"
        else:
            continue
        raise ArgumentError(kernel=kernel.name, message=f"arguments {first} and {second} {how}: pass a copy")


def _places(name: str, address: int, kind: str, numbers: host.Numbers) -> Any:
    """Where the elements of an argument lie, as an array that is never read."""
    shape, strides = host.layout(numbers, name)
    width = DTYPES[kind].bytes
    steps = tuple(width * stride for stride in strides)
    described = {"data": (address, True), "shape": shape, "strides": steps, "typestr": f"|V{width}", "version": 3}
    return np.asarray(SimpleNamespace(__array_interface__=described))


def _share(first: Any, second: Any) -> bool:
    """Whether two arguments share an element; where that takes too long to say, they count as sharing one."""
    try:
        return np.shares_memory(first, second, max_work=_MOST_WORK)  # type: ignore[arg-type]  # any number will do
    except np.exceptions.TooHardError:
        return True


class TileCheck(Check):
    """A tile kernel to be checked. With arguments it launches on as many cores as there are iterations."""

    def __call__(self, *arguments: object, perturb: int = 0, seed: int = 0, **keywords: object) -> Any:
        check = super().__call__(perturb=perturb, seed=seed) if perturb or seed else self
        if arguments or keywords:
            check[None](*arguments, **keywords)
            return None
        return check
