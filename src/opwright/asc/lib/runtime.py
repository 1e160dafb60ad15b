"""`asc.lib.runtime` as PyAsc has it, as far as it means something on the twin: one device, streams in order.

In: calls of host code. Out: what that code expects of a device that is always there. A launch on the twin has ended
when it returns, so there is nothing to wait for. Names for memory and binaries of a device are not there.
"""

from __future__ import annotations

from opwright.asc.runtime.config import Backend, Platform, set_platform
from opwright.settings import settings


class Stream:
    """A queue of launches. On the twin each launch has ended when it returns."""


_STREAM = Stream()


def use_model(custom_lib_prefix: str | None = None) -> None:
    """Runs kernels on the twin, as always."""


def use_npu(custom_lib_prefix: str | None = None) -> None:
    """Refused: nothing is launched on an NPU yet."""
    set_platform(Backend.NPU)


def set_soc_version(soc_version: Platform) -> None:
    """Chooses the SoC of kernels that name none."""
    set_platform(Backend.Model, soc_version)


def current_platform() -> str:
    """The SoC of kernels that name none, as Opwright names it."""
    return settings.soc


def is_available() -> bool:
    """The twin is always there."""
    return True


is_initialized = is_model = is_available


def current_device() -> int:
    """The twin is device 0."""
    return 0


default_device = current_device


def device_count() -> int:
    """The twin is one device."""
    return 1


def set_device(device_id: int) -> None:
    """There is one device: nothing changes."""


def reset_device(device_id: int | None = None) -> None:
    """There is nothing to give back."""


def current_stream(device_id: int | None = None) -> Stream:
    """The stream to launch on: kernel[cores, stream](...)."""
    return _STREAM


def create_stream(priority: int = 0) -> Stream:
    """Another stream; launches of all streams run in the order in which they are made."""
    return Stream()


def destroy_stream(stream_handle: Stream) -> None:
    """There is nothing to give back."""


def synchronize(stream_handle: Stream | None = None, timeout: int = 0) -> None:
    """Returns at once: a launch has ended when it returns."""


def synchronize_device() -> None:
    """Returns at once: a launch has ended when it returns."""
