"""`asc.runtime.config` as PyAsc has it: the SoC that kernels without one of their own are for.

In: a backend and a platform. Out: the setting OPWRIGHT_SOC, for this process. The model is the twin. Refuses the NPU,
on which nothing is launched yet.
"""

from __future__ import annotations

import enum
from typing import TypeVar

from opwright.errors import BadOption
from opwright.runtime.pyasc_options import KernelType as KernelType
from opwright.settings import settings
from opwright.tracebacks import bordered

__tracebackhide__ = True  # pytest leaves out frames of this module
E = TypeVar("E", bound=enum.Enum)


class Backend(str, enum.Enum):
    """Where kernels run."""

    Model = "Model"
    NPU = "NPU"


class Platform(str, enum.Enum):
    """Chips by their full names."""

    Ascend910B1 = "Ascend910B1"
    Ascend910B2 = "Ascend910B2"
    Ascend910B2C = "Ascend910B2C"
    Ascend910B3 = "Ascend910B3"
    Ascend910B4 = "Ascend910B4"
    Ascend910B4_1 = "Ascend910B4-1"
    Ascend910_9362 = "Ascend910_9362"
    Ascend910_9372 = "Ascend910_9372"
    Ascend910_9381 = "Ascend910_9381"
    Ascend910_9382 = "Ascend910_9382"
    Ascend910_9391 = "Ascend910_9391"
    Ascend910_9392 = "Ascend910_9392"

    @property
    def soc(self) -> str:
        """The SoC as Opwright names it."""
        return "ascend910b" if "910B" in self.value else "ascend910_93"


@bordered
def set_platform(
    backend: Backend | str, soc_version: Platform | str | None = None, device_id: int | None = None, check: bool = True
) -> None:
    """Chooses the SoC of kernels that name none; the device and `check` change nothing.

    The model of PyAsc is the twin here. Other threads read the choice too, unless they have settings of their own.
    """
    if _member(Backend, "backend", backend) is Backend.NPU:
        message = "is not supported yet: kernels run on the twin, Backend.Model"
        raise BadOption(name="backend", value=str(backend), message=message)
    if soc_version is not None:
        settings.prefer(soc=_member(Platform, "soc_version", soc_version).soc)


def _member(kind: type[E], name: str, value: object) -> E:
    try:
        return kind(value)
    except ValueError:
        message = f"is one of {', '.join(member.value for member in kind)}"
        raise BadOption(name=name, value=value, message=message) from None
