"""A tensor whose numbers are kept as HiFloat8 codes with a scale for each block: the weight of an `nn.Linear`.

In: floats and a block size, or codes with their scale. Out: a tensor of the floats' shape and type that takes a byte
for each number. Products with it (`F.linear`, `mm` and the like) dequantise it first, on the CPU a part at a time.
Copies, other devices and types, transposition, and views and slices that do not cut blocks stay codes. `state_dict`,
`torch.save`, `torch.load(weights_only=True)`, `torch.compile` and `torch.export` know it.

Every other operator is refused: dequantise first. `quantize_` gives a model such weights. `operators._hifloat8` says
what a block size and a scale are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import torch
from torch._subclasses.fake_tensor import extract_tensor_metadata
from torch.utils._python_dispatch import return_and_correct_aliasing

import opwright.ops  # noqa: F401  registers what is called here
from opwright.operators import _hifloat8, _hifloat8_host
from opwright.operators import _hifloat8_checks as checks
from opwright.operators import _hifloat8_shown as shown
from opwright.operators._hifloat8_products import PRODUCTS, multiply

Function = TypeVar("Function", bound=Callable[..., Any])

_Rest = tuple[tuple[int, ...], torch.dtype, str, bool]

_aten = torch.ops.aten
_own = torch.ops.opwright
WHO = "HiFloat8Tensor"  # in errors


class HiFloat8Tensor(torch.Tensor):  # type: ignore[misc]
    """Codes, their scale, and what they stand for.

    dtype: the type that the tensor says it has, and of what it is dequantised to.
    overflow: the rule by which numbers that are copied into it become codes. Their scales are those of `from_float`.
    """

    codes: torch.Tensor
    scale: torch.Tensor
    block_size: tuple[int, ...]
    overflow: str
    is_part: bool  # of a tensor whose other elements have scales in common with it: it cannot be written to

    def __new__(
        cls,
        codes: torch.Tensor,
        scale: torch.Tensor,
        block_size: Sequence[int],
        dtype: torch.dtype = torch.bfloat16,
        overflow: str = "saturate",
    ) -> HiFloat8Tensor:
        checks.check_codes(WHO, codes, "codes")
        checks.check_output_dtype(WHO, dtype)
        checks.check_overflow(WHO, overflow)
        checks.check_block_size(WHO, block_size, codes.shape)
        checks.check_scale(WHO, scale, block_size, codes)
        return cls._of(codes, scale, tuple(block_size), dtype, overflow)

    @classmethod
    def _of(
        cls,
        codes: torch.Tensor,
        scale: torch.Tensor,
        block_size: tuple[int, ...],
        dtype: torch.dtype,
        overflow: str,
        is_part: bool = False,
    ) -> HiFloat8Tensor:
        """Of parts that fit each other."""
        made: HiFloat8Tensor = torch.Tensor._make_wrapper_subclass(
            cls,
            codes.shape,
            strides=codes.stride(),
            dtype=dtype,
            device=codes.device,
            requires_grad=False,
        )
        made.codes, made.scale, made.block_size = codes, scale, block_size
        made.overflow, made.is_part = overflow, is_part
        return made

    @classmethod
    def from_float(
        cls,
        numbers: torch.Tensor,
        block_size: Sequence[int],
        *,
        target_max: float = 15.0,
        overflow: str = "saturate",
    ) -> HiFloat8Tensor:
        """Of numbers, with the scale that brings the largest of each block to `target_max`."""
        checks.check_floats(WHO, numbers, "numbers")
        checks.check_block_size(WHO, block_size, numbers.shape)
        checks.check_target_max(WHO, target_max)
        checks.check_overflow(WHO, overflow)
        scale = _own.hifloat8_scale(numbers.detach(), block_size, target_max=target_max)
        codes = _own.quantize_to_hifloat8(numbers.detach(), scale, block_size, overflow=overflow)
        return cls(codes, scale, tuple(block_size), numbers.dtype, overflow)

    def dequantize(self, dtype: torch.dtype | None = None) -> torch.Tensor:
        """The numbers, in the tensor's type if no other is named."""
        checks.check_output_dtype(WHO, dtype)
        return _own.dequantize_from_hifloat8(self.codes, self.scale, self.block_size, dtype=dtype or self.dtype)

    def share_memory_(self) -> NoReturn:
        """Refused: PyTorch would move memory that this tensor does not have."""
        checks.refuse_operation(WHO, "share_memory_ does not take a HiFloat8Tensor; share its codes and its scale")

    def _seen_as(
        self, codes: torch.Tensor, scale: torch.Tensor, block_size: Sequence[int], is_part: bool = False
    ) -> HiFloat8Tensor:
        """Of the same memory, seen in another way."""
        # In inference mode PyTorch takes a view of a tensor from outside to be from outside too.
        with torch.inference_mode(torch.is_inference_mode_enabled() and self.is_inference()):
            return self._of(codes, scale, tuple(block_size), self.dtype, self.overflow, self.is_part or is_part)

    def __repr__(self, *, tensor_contents: object = None) -> str:
        known = (
            f"shape={list(self.shape)}, block_size={list(self.block_size)}, dtype={self.dtype}, "
            f"overflow={self.overflow!r}, {shown.scales_in_words(self.scale, self.block_size)}"
        )
        if type(self.codes) is not torch.Tensor or self.codes.is_meta:
            return f"HiFloat8Tensor({known})"  # a compiler traces it, or there are no numbers
        values = shown.values_in_words(self.codes, self.scale, self.block_size)
        return f"HiFloat8Tensor({values},\n{known})"

    def _stable_hash_for_caching(self) -> str:
        """What a compiled graph depends on; torch.compile warns where it is missing."""
        parts = [extract_tensor_metadata(part) for part in (self.codes, self.scale)]
        return repr((type(self).__qualname__, self.__tensor_flatten__()[1], self.requires_grad, parts))

    def __tensor_flatten__(self) -> tuple[list[str], _Rest]:
        return ["codes", "scale"], (self.block_size, self.dtype, self.overflow, self.is_part)

    @classmethod
    def __tensor_unflatten__(
        cls,
        parts: dict[str, torch.Tensor],
        rest: _Rest,
        outer_size: Sequence[int],
        outer_stride: Sequence[int],
    ) -> HiFloat8Tensor:
        return cls._of(parts["codes"], parts["scale"], *rest)

    # Functions of torch become operators as for a plain tensor; only those are taken.
    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in PRODUCTS:
            return multiply(func, args, kwargs, cls, _floats)
        if func not in _AS_CODES:
            checks.refuse_operation(WHO, f"{func} does not take a HiFloat8Tensor; call its dequantize() first")
        return return_and_correct_aliasing(func, args, kwargs, _AS_CODES[func](*args, **kwargs))


def _floats(tensor: HiFloat8Tensor, dim: int | None = None, first: int = 0, count: int = 0) -> torch.Tensor:
    """Of all of a tensor, or of a part along a dimension."""
    return (tensor if dim is None else _slice(tensor, dim, first, first + count)).dequantize()


_AS_CODES: dict[Any, Callable[..., Any]] = {}


def _implements(*operators: Any) -> Callable[[Function], Function]:
    def note(function: Function) -> Function:
        _AS_CODES.update(dict.fromkeys(operators, function))
        return function

    return note


# Copies -------------------------------------------------------------------------------------------------------


@_implements(_aten.detach.default, _aten.alias.default)
def _detach(tensor: HiFloat8Tensor) -> HiFloat8Tensor:
    return tensor._seen_as(tensor.codes.detach(), tensor.scale.detach(), tensor.block_size)


@_implements(_aten.clone.default)
def _clone(tensor: HiFloat8Tensor, *, memory_format: Any = torch.preserve_format) -> HiFloat8Tensor:
    codes = tensor.codes.clone(memory_format=memory_format)
    return tensor._of(codes, tensor.scale.clone(), tensor.block_size, tensor.dtype, tensor.overflow)


@_implements(_aten._to_copy.default)
def _to_copy(
    tensor: HiFloat8Tensor,
    *,
    dtype: torch.dtype | None = None,
    layout: Any = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = torch.preserve_format,
) -> HiFloat8Tensor:
    checks.check_output_dtype(WHO, dtype)
    if layout not in (None, torch.strided) or pin_memory:
        checks.refuse_operation(WHO, "a HiFloat8Tensor is strided and cannot be pinned")
    where = {"device": device, "non_blocking": non_blocking, "copy": True}
    codes = tensor.codes.to(**where, memory_format=memory_format or torch.preserve_format)
    return tensor._of(codes, tensor.scale.to(**where), tensor.block_size, dtype or tensor.dtype, tensor.overflow)


@_implements(_aten.copy_.default)
def _copy_(target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> torch.Tensor:
    if not isinstance(target, HiFloat8Tensor):
        return target.copy_(source.dequantize(), non_blocking)
    if target.is_part:
        checks.refuse_value(WHO, "this part has scales in common with the rest and cannot be written")
    if target.shape != source.shape:
        checks.refuse_value(WHO, f"shape {list(source.shape)} cannot be copied to a tensor of {list(target.shape)}")
    if not isinstance(source, HiFloat8Tensor):
        numbers = source if source.dtype in _hifloat8.FLOATS else source.to(target.dtype)
        block_size, overflow = target.block_size, target.overflow
        source = HiFloat8Tensor.from_float(numbers, block_size, overflow=overflow)
    if _lengths(target) != _lengths(source):
        checks.refuse_value(
            WHO,
            f"blocks of {list(source.block_size)} cannot be copied to blocks of {list(target.block_size)}; "
            "copy dequantize() of the source, which rounds again",
        )
    target.codes.copy_(source.codes, non_blocking)
    target.scale.copy_(source.scale, non_blocking)
    return target


def _lengths(tensor: HiFloat8Tensor) -> list[Any]:
    """The block size, with the size of the dimension where that has but one block."""
    parts = zip(tensor.block_size, tensor.scale.shape, tensor.shape, strict=True)
    return [size if count == 1 else length for length, count, size in parts]


# Views --------------------------------------------------------------------------------------------------------


@_implements(_aten.permute.default)
def _permute(tensor: HiFloat8Tensor, dims: Sequence[int]) -> HiFloat8Tensor:
    block_size = tuple(tensor.block_size[dim] for dim in dims)
    return tensor._seen_as(tensor.codes.permute(dims), tensor.scale.permute(dims), block_size)


@_implements(_aten.transpose.int)
def _transpose(tensor: HiFloat8Tensor, first: int, second: int) -> HiFloat8Tensor:
    dims = list(range(tensor.dim()))
    dims[first], dims[second] = dims[second], dims[first]
    return _permute(tensor, dims)


@_implements(_aten.t.default)
def _t(tensor: HiFloat8Tensor) -> HiFloat8Tensor:
    if tensor.dim() > 2:
        checks.refuse_value(WHO, f"t() takes a tensor of at most 2 dimensions, not {tensor.dim()}")
    return _permute(tensor, list(range(tensor.dim()))[::-1])


@_implements(_aten.slice.Tensor)
def _slice(tensor: HiFloat8Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> HiFloat8Tensor:
    codes = _aten.slice.Tensor(tensor.codes, dim, start, end, step)
    size, taken = tensor.shape[dim], codes.shape[dim]
    length = size if tensor.block_size[dim] == -1 else tensor.block_size[dim]
    first = 0 if start is None else torch.sym_max(0, start + size if start < 0 else start)
    last = first + (taken - 1) * step
    is_whole = True
    if taken == 0:
        blocks = (0, 0, 1)
    elif length == 1:
        blocks = (first, last + 1, step)
    elif (step == 1 and first % length == 0) or first // length == last // length:
        blocks = (first // length, last // length + 1, 1)
        is_whole = step == 1 and first % length == 0 and (last + 1 == size or (last + 1) % length == 0)
    else:
        _cut(f"a slice from {first} to {last} in steps of {step}", tensor)
    scale = _aten.slice.Tensor(tensor.scale, dim, *blocks)
    return tensor._seen_as(codes, scale, tensor.block_size, is_part=not is_whole)


@_implements(_aten.view.default, _aten._unsafe_view.default)
def _view(tensor: HiFloat8Tensor, shape: Sequence[Any]) -> HiFloat8Tensor:
    codes = tensor.codes.view(shape)
    block_size = [1] * codes.dim()
    for before, after in _groups(tensor.shape, codes.shape) if codes.numel() else []:
        if len(before) == len(after) == 1:
            block_size[after[0]] = tensor.block_size[before[0]]
            continue
        run = _run_of(tensor, before)
        lengths = run and _lengths_of(run, [codes.shape[dim] for dim in after])
        if not lengths:
            _cut(f"a view of shape {list(codes.shape)}", tensor)
        for dim, length in zip(after, lengths, strict=True):
            block_size[dim] = length
    scale_shape = _hifloat8_host.scale_shape(codes.shape, block_size)
    return tensor._seen_as(codes, tensor.scale.view(scale_shape), block_size)


def _run_of(tensor: HiFloat8Tensor, dims: Sequence[int]) -> Any:
    """How many elements that follow each other in these dimensions a block is; None if it is not such a run."""
    run: Any = 1
    is_inside = True  # the dimensions so far, from the last, are all of one block
    lengths = _lengths(tensor)
    for dim in reversed(dims):
        size, length = tensor.shape[dim], lengths[dim]
        if not is_inside and length != 1:
            return None
        if length != size:
            if dim != dims[0] and size % length:
                return None  # the short block at the end of each row
            is_inside = False
        run *= length
    return run


def _lengths_of(run: Any, sizes: Sequence[Any]) -> list[Any] | None:
    """The block size in which a run is a block of dimensions of these sizes; None if there is none."""
    lengths: list[Any] = []
    for place, size in reversed(list(enumerate(sizes))):
        length = torch.sym_min(run, size)
        if place and (run % length or size % length):
            return None
        lengths.insert(0, -1 if length == size else length)
        run = run // length
    return lengths


def _groups(before: Sequence[Any], after: Sequence[Any]) -> list[tuple[list[int], list[int]]]:
    """The fewest dimensions in a row of two shapes that have as many elements. Those of size 1 are left out."""
    olds = [dim for dim, size in enumerate(before) if size != 1]
    news = [dim for dim, size in enumerate(after) if size != 1]
    groups: list[tuple[list[int], list[int]]] = []
    while olds or news:
        old, new = olds[:1], news[:1]
        olds, news = olds[1:], news[1:]
        while (lead := math.prod(before[dim] for dim in old) - math.prod(after[dim] for dim in new)) != 0:
            if lead < 0:
                old.append(olds.pop(0))
            else:
                new.append(news.pop(0))
        groups.append((old, new))
    return groups


def _cut(what: str, tensor: HiFloat8Tensor) -> NoReturn:
    checks.refuse_value(
        WHO,
        f"{what} cuts blocks of {list(tensor.block_size)} in a HiFloat8Tensor of shape {list(tensor.shape)}; "
        "call its dequantize() first",
    )


# Models -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HiFloat8WeightOnlyConfig:
    """How `quantize_` makes codes: the arguments of `HiFloat8Tensor.from_float`. A row is what one output needs."""

    block_size: Sequence[int] = (1, -1)
    target_max: float = 15.0
    overflow: str = "saturate"


def quantize_(
    model: torch.nn.Module,
    config: HiFloat8WeightOnlyConfig | None = None,
    filter_fn: Callable[[torch.nn.Module, str], bool] | None = None,
    device: torch.device | str | int | None = None,
) -> None:
    """Makes the weight of each `nn.Linear` in a model a HiFloat8Tensor, in place, with the signature of torchao.

    filter_fn: gets each `nn.Linear` and its name in the model, and says whether it is changed. Without one all are but
    the output of `nn.MultiheadAttention`, whose own code does not take it.
    device: where the model is moved first. Weights that two layers share they share afterwards.
    """
    config = config or HiFloat8WeightOnlyConfig()
    if device is not None:
        model.to(device)
    chosen = [
        (name, module)
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear)
        and not isinstance(module.weight, HiFloat8Tensor)
        and (filter_fn or _is_taken)(module, name)
    ]
    for name, module in chosen:  # before the first is changed
        checks.check_floats(WHO, module.weight, f"{name}.weight" if name else "weight")
        checks.check_block_size(WHO, config.block_size, module.weight.shape)
    made: dict[torch.nn.Parameter, torch.nn.Parameter] = {}
    for _, module in chosen:
        weight = module.weight
        if weight not in made:
            codes = HiFloat8Tensor.from_float(
                weight, config.block_size, target_max=config.target_max, overflow=config.overflow
            )
            made[weight] = torch.nn.Parameter(codes, requires_grad=False)
        module.weight = made[weight]


def _is_taken(module: torch.nn.Module, name: str) -> bool:
    return not isinstance(module, torch.nn.modules.linear.NonDynamicallyQuantizableLinear)


torch.serialization.add_safe_globals([HiFloat8Tensor])
