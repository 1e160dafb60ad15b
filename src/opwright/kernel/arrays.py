"""NumPy arrays and torch tensors as memory: element type, address, size. Imports neither: a caller that passes one has.

In: an array argument. Out: its element type and `Memory`; of a view also its shape and strides. Refuses what the
hardware could not take as it is. This is the hot part of a launch, so the usual case is a few attribute reads and
everything else is sorted out behind it.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opwright.ascendc.dtypes import DTYPES
from opwright.errors import (
    ArgumentError,
    BadStrides,
    GradArgument,
    NegatedArgument,
    NotAnArray,
    NotContiguous,
    NpuTensor,
    ReadOnlyArgument,
    UnsupportedDtype,
    WrongByteOrder,
    WrongDevice,
    WrongRank,
)

# Address, bytes, what a kernel that writes to it raises (None: it may), and the tensor if it is one of torch.
Memory = tuple[int, int, type[ArgumentError] | None, Any]

MAX_RANK = 5  # of a view

_numpy_names: dict[Any, str] = {}
_torch_names: dict[Any, str] = {}
_numpy_address: Callable[[Any], int] | None = None
_increment_version: Callable[[Any], None] | None = None


class ArrayView(NamedTuple):
    """An array whose elements may lie apart. Strides count elements; the memory spans from the first to the last one.

    Along an axis of one element, or none, nothing says how far apart they lie: its stride is that of a dense array.
    """

    element: str
    memory: Memory
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def view_of(kernel: str, name: str, value: Any) -> ArrayView:
    """An array with its shape and strides; refuses elements before the first one, and steps of part of an element."""
    element, memory = memory_of(kernel, name, value, strided=True)
    shape = tuple(int(length) for length in value.shape)
    if memory[3] is None:
        steps = [divmod(stride, value.itemsize) for stride in value.strides]
        if any(part and length > 1 for (_, part), length in zip(steps, shape, strict=True)):
            raise BadStrides(kernel=kernel, name=name, strides=value.strides, reason="not of whole elements")
        strides = [step for step, _ in steps]
    else:
        strides = list(value.stride())
    return ArrayView(element, memory, *axes_of(kernel, name, shape, strides))


def axes_of(
    kernel: str, name: str, shape: tuple[int, ...], strides: Sequence[int] | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape with its strides, None for those of a dense array. Strides of an empty one say nothing: NumPy has 0."""
    if 0 in shape:
        strides = None
    if not 1 <= len(shape) <= MAX_RANK:
        raise WrongRank(kernel=kernel, name=name, rank=len(shape), most=MAX_RANK)
    found: list[int] = []
    dense = 1
    for axis in reversed(range(len(shape))):
        found.insert(0, dense if strides is None or shape[axis] <= 1 else strides[axis])
        dense = max(shape[axis], 1) * found[0]
    return shape, tuple(found)


def memory_of(kernel: str, name: str, value: Any, strided: bool = False) -> tuple[str, Memory]:
    """Element type and memory of an array; `strided`: from its first element to its last, with what lies between."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _numpy(kernel, name, value, strided)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _torch(torch, kernel, name, value, strided)
    raise NotAnArray(kernel=kernel, name=name, type=type(value).__name__)


def _numpy(kernel: str, name: str, value: Any, strided: bool) -> tuple[str, Memory]:
    known = _numpy_names.get(value.dtype) or _numpy_name(kernel, name, value.dtype)
    flags = value.flags
    size = value.nbytes
    if not flags.c_contiguous:
        if not strided:
            raise NotContiguous(kernel=kernel, name=name, shape=value.shape, strides=value.strides)
        size = _span(value.shape, value.strides, value.itemsize)
        if size < 0:
            reason = "elements lie before the first one"
            raise BadStrides(kernel=kernel, name=name, strides=value.strides, reason=reason)
    address = _numpy_address or _choose_numpy_address()
    return known, (address(value), size, None if flags.writeable else ReadOnlyArgument, None)


def _span(shape: Sequence[int], strides: Sequence[int], element: int) -> int:
    """The bytes from the first element of a view to the end of its last; -1 if elements lie before the first one."""
    if any(stride < 0 and length > 1 for length, stride in zip(shape, strides, strict=True)):
        return -1
    steps = sum((length - 1) * stride for length, stride in zip(shape, strides, strict=True))
    return steps + element if all(shape) else 0


def _numpy_name(kernel: str, name: str, dtype: Any) -> str:
    if not dtype.isnative:
        raise WrongByteOrder(kernel=kernel, name=name, order=dtype.byteorder)
    known = str(dtype.name)
    if known not in DTYPES or dtype.hasobject:
        _unsupported(kernel, name, str(dtype))
    _numpy_names[dtype] = known
    return known


def _choose_numpy_address() -> Callable[[Any], int]:
    """How to get at an array's address.

    NumPy's own ways take 1.5 us each. Its C ABI puts the data pointer right behind the object's head; where a trial
    confirms that, it is read from there.
    """
    global _numpy_address
    numpy = sys.modules["numpy"]
    offset = object.__basicsize__
    read = ctypes.c_void_p.from_address
    trial = [numpy.zeros(3, numpy.float32), numpy.arange(7)[2:], numpy.zeros((2, 3), numpy.int8)]
    if all(read(id(array) + offset).value == _slow_address(array) for array in trial):
        _numpy_address = lambda array: read(id(array) + offset).value or 0  # noqa: E731
    else:
        _numpy_address = _slow_address
    return _numpy_address


def _slow_address(array: Any) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


def _torch(torch: Any, kernel: str, name: str, value: Any, strided: bool) -> tuple[str, Memory]:
    if not value.is_cpu:
        if value.device.type in ("npu", "privateuseone"):
            raise NpuTensor(kernel=kernel, name=name, device=value.device)
        raise WrongDevice(kernel=kernel, name=name, device=value.device)
    known = _torch_names.get(value.dtype) or _torch_name(kernel, name, value.dtype)
    if value.layout is torch.strided and value.is_contiguous():
        size = value.nbytes
    else:
        strides = value.stride() if value.layout is torch.strided else value.layout
        if not strided or value.layout is not torch.strided:
            raise NotContiguous(kernel=kernel, name=name, shape=tuple(value.shape), strides=strides)
        element = value.element_size()
        size = _span(value.shape, [stride * element for stride in strides], element)
    if value.is_neg():  # its conjugate cousin is complex, and no such type gets here
        raise NegatedArgument(kernel=kernel, name=name)
    base = value.data_ptr()
    if base == 0 and size:  # a fake tensor says that it is on the CPU, but has no memory
        raise NotAnArray(kernel=kernel, name=name, type=type(value).__name__)
    # Autograd would not see the write: its gradients would be silently wrong.
    return known, (base, size, GradArgument if value.requires_grad and torch.is_grad_enabled() else None, value)


def written(tensors: list[Any]) -> None:
    """Tells torch that tensors were written to, so that autograd refuses to use what it kept of them."""
    global _increment_version
    if _increment_version is None:
        _increment_version = sys.modules["torch"].autograd.graph.increment_version
    _increment_version(tensors)


def _torch_name(kernel: str, name: str, dtype: Any) -> str:
    known = str(dtype).removeprefix("torch.")
    if known not in DTYPES:
        _unsupported(kernel, name, str(dtype))
    _torch_names[dtype] = known
    return known


def _unsupported(kernel: str, name: str, dtype: str) -> None:
    raise UnsupportedDtype(kernel=kernel, name=name, dtype=dtype, allowed=", ".join(DTYPES))
