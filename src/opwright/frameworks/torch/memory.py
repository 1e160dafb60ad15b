"""Whether tensors share memory, element by element: views of one buffer that only interleave do not.

In: tensors. Out: an answer, in a time that does not depend on their sizes. The bytes of a tensor are the sums of one
multiple of each stride, so two tensors meet if such multiples, bounded by the sizes, add up to the distance of their
ends. Neighbouring strides without gaps become one; then the largest stride leaves few multiples to try. What takes more
than `_MOST_TRIES` is left to NumPy's search, and where that takes too long, too, or the memory is no CPU's, the answer
is the cautious one. native/include/opwright/memory.h is the same in C++.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import gcd

import numpy
import torch
from torch import Tensor

_MOST_TRIES = 256
_MAX_WORK = 100_000
Terms = list[tuple[int, int]]  # strides, and how often each may be taken at most


def overlaps_itself(tensor: Tensor) -> bool:
    """True if two elements lie in one place. Fake tensors have no storage, so they never do."""
    if tensor.numel() == 0:
        return False
    found = repeats(tensor.shape, tensor.stride())
    return found is None or found


def shares_memory(a: Tensor, b: Tensor) -> bool:
    """Whether an element of one lies where an element of the other does."""
    if a.device != b.device or a.numel() == 0 or b.numel() == 0 or a.device.type == "meta":
        return False
    found = meets(
        b.data_ptr() - a.data_ptr(),
        (a.shape, a.stride(), a.element_size()),
        (b.shape, b.stride(), b.element_size()),
    )
    if found is None and a.device.type == "cpu":
        try:
            found = numpy.shares_memory(_array(a), _array(b), max_work=_MAX_WORK)  # type: ignore[arg-type]  # any number will do
        except numpy.exceptions.TooHardError:
            found = None
    return found is None or found


def _array(tensor: Tensor) -> numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.int8]]:
    """The same places in memory, as NumPy sees them."""
    plain = tensor.detach()
    plain = torch.view_as_real(plain) if plain.is_complex() else plain
    width = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[plain.element_size()]
    array: numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.int8]] = plain.view(width).numpy()
    return array


# Numbers ------------------------------------------------------------------------------------------------------------

Laid = tuple[Sequence[int], Sequence[int], int]  # sizes, strides in elements, bytes of an element


def meets(distance: int, a: Laid, b: Laid) -> bool | None:
    """Whether a byte of a is one of b, whose first element lies `distance` bytes behind a's; None if undecided."""
    terms: Terms = []
    total = distance
    for (shape, strides, width), is_second in ((a, False), (b, True)):
        for step, count in ((1, width - 1), *((s * width, n - 1) for n, s in zip(shape, strides, strict=True))):
            terms.append((abs(step), count))
            # The multiples of b count down from its end, those of a up from its start; a stride below 0 is the reverse.
            if (step > 0) == is_second:
                total += abs(step) * count
    return _adds_up(_joined(terms), total)


def repeats(shape: Sequence[int], strides: Sequence[int]) -> bool | None:
    """Whether two elements of a tensor that has some lie in one place; None if undecided."""
    terms = [(abs(step), size - 1) for size, step in sorted(zip(shape, strides, strict=True), key=lambda p: abs(p[1]))]
    reach = 0
    for step, count in terms:
        if count and step <= reach:
            break
        reach += step * count
    else:
        return False
    # Two places differ first in some dimension, by one step or more; the later ones may differ by anything.
    for i, (step, count) in enumerate(terms):
        if count:
            later = [(s, 2 * n) for s, n in terms[:i]]
            found = _adds_up(_joined([*later, (step, count - 1)]), sum(s * n for s, n in terms[:i]) - step)
            if found is not False:
                return found
    return False


def _joined(terms: Terms) -> Terms:
    """The same sums by fewer terms, the largest stride first: what goes on where smaller ones end is one with them."""
    found: Terms = []
    for step, count in sorted(terms):
        if not step or not count:
            continue
        if found:
            last, most = found[-1]
            if step % last == 0 and step // last <= most + 1:
                found[-1] = (last, most + step // last * count)
                continue
        found.append((step, count))
    return found[::-1]


def _adds_up(terms: Terms, total: int) -> bool | None:
    """Whether multiples of the terms, none more often than it may be taken, add up to a number; None if undecided."""
    backwards = list(reversed(terms))
    reaches = list(accumulate((step * count for step, count in backwards), initial=0))[::-1]
    divisors = list(accumulate((step for step, _ in backwards), gcd, initial=0))[::-1]
    tries = 0

    def found(place: int, rest: int) -> bool:
        nonlocal tries
        if rest == 0:
            return True
        if rest < 0 or rest > reaches[place] or rest % divisors[place]:
            return False
        if place == len(terms) - 1:
            return True
        step, count = terms[place]
        least = max(0, -(-(rest - reaches[place + 1]) // step))
        for times in range(min(count, rest // step), least - 1, -1):
            tries += 1
            if tries > _MOST_TRIES:
                raise _TooManyTries
            if found(place + 1, rest - times * step):
                return True
        return False

    try:
        return found(0, total)
    except _TooManyTries:
        return None


class _TooManyTries(Exception):
    pass
