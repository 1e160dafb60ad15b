"""A kernel with its number of cores: binds arguments, asks for the loaded kernel, runs it.

In: something that can be launched, cores, arguments. Out: a run on the target that the settings name, fast or, where
they say so, checked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from opwright.errors import OpwrightError, TargetRefused
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.function import KernelFunction
from opwright.kernel.target import LoadedKernel, Mode
from opwright.settings import settings
from opwright.tracebacks import hidden
from opwright.twin.launch import Kernel

__tracebackhide__ = True  # pytest leaves out frames of this module


class Launchable(KernelFunction, ABC):
    """A kernel that launches can be made of.

    check: the same on the checked twin, of `runtime/checked.py`.
    """

    check: Any

    @abstractmethod
    def __getitem__(self, grid: Any) -> Launcher:
        """With its number of cores."""

    @abstractmethod
    def kernel_for(self, bound: BoundArguments, mode: Mode = Mode.FAST) -> LoadedKernel:
        """The loaded kernel for some arguments."""

    def checked_kernel(self, bound: BoundArguments, mode: Mode) -> Kernel:
        """The kernel on the twin, which alone has other modes than the fast one."""
        if settings.target != "twin":
            reason = f"has no {mode.value} mode"
            raise TargetRefused(kernel=self.__name__, target=settings.target, reason=reason)
        kernel = self.kernel_for(bound, mode)
        assert isinstance(kernel, Kernel)
        return kernel


class Launcher:
    """A kernel with its number of cores."""

    __slots__ = ("cores", "kernel")

    def __init__(self, kernel: Launchable, cores: int) -> None:
        self.kernel = kernel
        self.cores = cores

    def __repr__(self) -> str:
        return f"<kernel {self.kernel.__name__} on {self.describe()}>"

    def describe(self) -> str:
        """How many cores, in words."""
        return f"{self.cores} {'core' if self.cores == 1 else 'cores'}"

    @property
    def grid(self) -> Any:
        """What stands between the brackets of a launch."""
        return self.cores

    def bind(self, arguments: Sequence[object], keywords: Mapping[str, object]) -> BoundArguments:
        """Checks and converts the arguments."""
        return self.kernel.binder.bind(arguments, keywords)

    def cores_for(self, kernel: LoadedKernel, bound: BoundArguments) -> int:
        """How many cores this launch has; a front end's own launcher may refuse the arguments here."""
        return self.cores

    def __call__(self, *arguments: object, **keywords: object) -> None:
        """Runs the kernel on the target that the settings name; in the checked mode if OPWRIGHT_CHECK says so."""
        try:
            if settings.run().check:
                self.kernel.check[self.grid].in_place_of_plain(arguments, keywords)
                return
            bound = self.bind(arguments, keywords)
            kernel = self.kernel.kernel_for(bound)
            kernel.run(self.cores_for(kernel, bound), bound)
        except OpwrightError as error:
            raise hidden(error) from None
