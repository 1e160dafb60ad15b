"""From a line of a kernel's text to the user's file.

In: the facts of a kernel and a line of its text. Out: the `Place` that the line comes from, its `Location` as the file
is now, and the source of the function it stands in.
"""

from __future__ import annotations

from dataclasses import replace

from opwright.errors import Location
from opwright.kernel.captures import value_at
from opwright.kernel.function import KernelFunction
from opwright.kernel.program import KernelFacts, Place
from opwright.kernel.source import Source, source_of


def place_of(kernel: KernelFacts, line: int) -> Place:
    """Where a line of the kernel's text comes from; an empty place if it comes from nowhere."""
    return kernel.places.get(line, Place(""))


def locate(kernel: KernelFacts, place: Place) -> Location | None:
    """The place in the user's file as it is now."""
    if not place.at:
        return None
    calls: list[Location] = []
    function = place.function
    # A helper's text is compiled once: as long as one place calls it, that is how it was reached.
    while len(callers := kernel.functions[function].callers) == 1:
        function, at = callers[0]
        calls.insert(0, _location(kernel, function, at))
    one_of = tuple(_location(kernel, caller, at) for caller, at in callers)
    return replace(_location(kernel, place.function, place.at), calls=tuple(calls), one_of=one_of)


def _location(kernel: KernelFacts, function: int, at: str) -> Location:
    """A place in one of the kernel's functions."""
    line, column = at.split(":")
    return function_source(kernel, function).locate(int(line), int(column))


def function_source(kernel: KernelFacts, function: int) -> Source:
    """The text of one of the kernel's functions."""
    if not (path := kernel.functions[function].path):
        return kernel.source
    found = value_at(kernel.python, path)
    return found.source if isinstance(found, KernelFunction) else source_of(found)  # type: ignore[arg-type]


def chain_of(kernel: KernelFacts, place: Place) -> list[tuple[int, int]]:
    """The functions and lines through which a place is reached, outermost first, as far as there is one way only."""
    chain = [(place.function, line_of(place))]
    while len(callers := kernel.functions[chain[0][0]].callers) == 1:
        function, at = callers[0]
        chain.insert(0, (function, int(at.partition(":")[0])))
    return chain


def line_of(place: Place) -> int:
    """The line of a place in its function's text."""
    return int(place.at.partition(":")[0])
