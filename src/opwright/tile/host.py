"""What happens on the host before a launch of a tile kernel: tests of its arguments, and the number of cores.

In: the facts that the compiler kept with the program, and the numbers of a launch by name. Out: the number of cores.
Refuses arguments for which an assumption does not hold, an axis is too long or too short, a product has depth 0, the
last axis has gaps, or rows overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opwright.ascendc.arithmetic import MEANING
from opwright.errors import AssumptionBroken, BadStrides, LastStride, Location, OutOfRange, SpanTooLong, TileNotBuilt
from opwright.kernel.arrays import MAX_RANK
from opwright.kernel.source import Source

Numbers = Mapping[str, Any]

_OPERATORS: dict[str, Callable[..., Any]] = {
    **MEANING,
    "select": lambda condition, left, right: left if condition else right,
}


def number(plain: Any, numbers: Numbers) -> Any:
    """What an expression of the compiler's is for one launch."""
    if isinstance(plain, str):
        return numbers[plain]
    if not isinstance(plain, list):
        return plain
    name, *operands = plain
    return _OPERATORS[name](*(number(one, numbers) for one in operands))


def cores_of(facts: Mapping[str, Any], numbers: Numbers, most: int) -> int:
    """As many cores as the longest loop of `tile.parallel` has iterations, at least one and at most `most`."""
    wanted = [most if plain == "all" else number(plain, numbers) for plain in facts["iterations"]]
    return max(1, min(most, max(wanted, default=1)))


def test(facts: Mapping[str, Any], kernel: str, source: Source, numbers: Numbers) -> None:
    """Refuses arguments that the kernel is not for, at the line that says so."""
    for place, kind, *rest in facts["tests"]:
        line, column = map(int, place.split(":"))
        _TESTS[kind](lambda line=line, column=column: source.locate(line, column), kernel, numbers, *rest)


_Place = Callable[[], Location]


def _assumption(at: _Place, kernel: str, numbers: Numbers, condition: Any) -> None:
    if not number(condition, numbers):
        raise AssumptionBroken(at(), kernel=kernel)


def _whole(at: _Place, kernel: str, numbers: Numbers, length: Any, size: int) -> None:
    found = number(length, numbers)
    if found > size:
        raise SpanTooLong(at(), kernel=kernel, length=found, size=size)


def _depth(at: _Place, kernel: str, numbers: Numbers, length: Any) -> None:
    """A product has factors: each is as deep as an axis."""
    if number(length, numbers) == 0:
        hint = "kernel.numpy runs it; a loop along the axis, tile.range, does too: it has no iterations then"
        raise TileNotBuilt(at(), what=f"{kernel} with a product of depth 0", hint=hint)


def layout(numbers: Numbers, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape and the strides of a tensor, in elements."""
    rank = sum(f"{name}_shape{axis}" in numbers for axis in range(MAX_RANK))
    shape, strides = (tuple(numbers[f"{name}_{word}{axis}"] for axis in range(rank)) for word in ("shape", "stride"))
    return shape, strides


def _stride(at: _Place, kernel: str, numbers: Numbers, name: str, rank: int) -> None:
    """An empty tensor, or one whose last axis has one element, has no gaps."""
    if numbers[f"{name}_stride{rank - 1}"] == 1 or numbers[f"{name}_shape{rank - 1}"] <= 1:
        return
    shape, strides = layout(numbers, name)
    if 0 not in shape:
        raise LastStride(at(), kernel=kernel, name=name, shape=shape, strides=strides)


def _axis(at: _Place, kernel: str, numbers: Numbers, name: str, axis: int, start: Any, stop: Any) -> None:
    first, last, length = number(start, numbers), number(stop, numbers), numbers[f"{name}_shape{axis}"]
    if first < last and not 0 <= first <= last <= length:
        raise OutOfRange(
            at(),
            kernel=kernel,
            core="the host",
            message=f"positions {first} to {last - 1} lie outside axis {axis} of {name}, which has {length} elements",
            hint=f"end the span where the axis ends: stop={name}.shape[{axis}]",
        )


def _rows(at: _Place, kernel: str, numbers: Numbers, name: str, axis: int) -> None:
    """Rows that are copied together lie behind each other."""
    shape, strides = layout(numbers, name)
    if shape[axis] > 1 and 0 not in shape and strides[axis] < shape[-1]:
        reason = f"rows of {shape[-1]} elements along axis {axis} overlap"
        raise BadStrides(at(), kernel=kernel, name=name, strides=strides, reason=reason)


def _near(at: _Place, kernel: str, numbers: Numbers, name: str, axis: int, most: int) -> None:
    """Rows are not further apart than a copy takes."""
    shape, strides = layout(numbers, name)
    if strides[axis] > most and 0 not in shape:
        reason = f"rows are {strides[axis]} elements apart, and a copy to L1 takes {most} at most"
        raise BadStrides(at(), kernel=kernel, name=name, strides=strides, reason=reason)


_TESTS: dict[str, Callable[..., None]] = {
    "assume": _assumption,
    "whole": _whole,
    "depth": _depth,
    "stride": _stride,
    "axis": _axis,
    "rows": _rows,
    "near": _near,
}
