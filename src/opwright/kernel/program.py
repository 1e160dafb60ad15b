"""What a front end is asked for, and what it gives: a kernel as text, which is all that a target sees of it.

In: a function and its argument types; what a front end found out, or plain data that a store kept. Out: a `Request`; a
`Program`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import FunctionType
from typing import Any

from opwright.ascendc.socs import Soc
from opwright.kernel.options import Options
from opwright.kernel.place import Called, Place
from opwright.kernel.source import Source
from opwright.kernel.stable import stable


@dataclass(frozen=True)
class Request:
    """A function to be had as a kernel for these argument types.

    types: of the run-time parameters, in order: "int", "float", "bool", the element type of an array, or as
        `kernel/layouts.py` has it.
    """

    function: FunctionType
    source: Source
    types: Sequence[tuple[str, str]]
    constants: Mapping[str, object]
    soc: Soc
    options: Options = field(default_factory=Options)

    def identity(self) -> list[object]:
        """What a key has of it; no path, no line, no argument value."""
        named = {name: stable(value) for name, value in self.constants.items()}
        return [self.source.text, list(self.types), named, self.soc.name, asdict(self.options)]


@dataclass(frozen=True)
class ProgramFacts:
    """What is known of a kernel's text besides the text: its source map and how it uses its arguments."""

    name: str  # in the text
    places: dict[int, Place]
    captures: tuple[str, ...]  # paths of the globals and closure cells that decide what the text says
    argument_use: dict[str, tuple[bool, bool]]  # whether it reads and writes an argument
    functions: tuple[Called, ...]
    kinds: tuple[str, ...]  # of the parameters, with structs and fields under the names that the text gives them
    threads: bool  # whether it starts threads, or is run by some

    def plain(self) -> dict[str, object]:
        """These facts as JSON has them."""
        return {
            "symbol": self.name,
            "places": {str(line): list(place) for line, place in self.places.items()},
            "captures": list(self.captures),
            "argument_use": {name: list(use) for name, use in self.argument_use.items()},
            "functions": [[called.path, [list(caller) for caller in called.callers]] for called in self.functions],
            "kinds": list(self.kinds),
            "threads": self.threads,
        }


@dataclass(frozen=True)
class Program(ProgramFacts):
    """A kernel as text."""

    text: str


def facts_of(plain: Mapping[str, Any]) -> ProgramFacts:
    """The facts that `plain` gave."""
    return ProgramFacts(
        plain["symbol"],
        {int(line): Place(*place) for line, place in plain["places"].items()},
        tuple(plain["captures"]),
        {name: (reads, writes) for name, (reads, writes) in plain["argument_use"].items()},
        tuple(Called(path, tuple((number, at) for number, at in callers)) for path, callers in plain["functions"]),
        tuple(plain["kinds"]),
        plain["threads"],
    )
