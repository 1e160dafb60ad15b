"""Front ends, what they are asked for, and what they give: a kernel as text, which is all that a target sees of it.

In: a function and its argument types; what a front end found out, or plain data that a store kept. Out: a `Request`; a
`Program`. Front ends register themselves by name; a second one of a name is refused, and so is a name that none has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from types import FunctionType
from typing import Any, NamedTuple, Protocol

from opwright.ascendc.kernel_types import KernelType
from opwright.ascendc.socs import Soc
from opwright.errors import FrontEndTaken, UnknownFrontEnd
from opwright.kernel.options import Options
from opwright.kernel.source import Source, generated_source
from opwright.kernel.stable import stable


class Place(NamedTuple):
    """ "line:column" in a function's source, the call made there, its form, and why it stops if it is a stop.

    function: 0 for the kernel; helpers count from 1, as the manifest's list of functions does.
    settled: of a call that has rules, the parameters with what the text settles: an element type, or a mode.
    """

    at: str
    call: str = ""
    form: int = 0
    reason: str = ""
    function: int = 0
    settled: tuple[tuple[str, str], ...] = ()


class Called(NamedTuple):
    """A function of a kernel: where it is found from the kernel ("" for the kernel), and from where it is called.

    callers: pairs of a function's number and "line:column" in it.
    """

    path: str
    callers: tuple[tuple[int, str], ...] = ()


class Workspace(NamedTuple):
    """A parameter of the text that no caller passes: its name, its element type, and the elements for each group."""

    name: str
    element: str
    elements: int


@dataclass(frozen=True)
class Request:
    """A request to compile a function for these argument types.

    types: of the run-time parameters, in order: "int", "float", "bool", the element type of an array, or as
        `kernel/layouts.py` has it.
    front_end: the name of the one that is asked.
    """

    function: FunctionType
    source: Source
    types: Sequence[tuple[str, str]]
    constants: Mapping[str, object]
    soc: Soc
    options: Options = field(default_factory=Options)
    front_end: str = "asc"

    def identity(self) -> list[object]:
        """What a key has of it; no path, no line, no argument value."""
        named = {name: stable(value) for name, value in self.constants.items()}
        return [self.front_end, self.source.text, list(self.types), named, self.soc.name, asdict(self.options)]


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
    kernel_type: str | None  # the option of the kernel, or what its front end decided
    generated: tuple[str, dict[int, tuple[int, int]]] | None  # text and origins of the source, if it was generated
    host: dict[str, Any]  # what the front end's own kernel functions ask for before a launch, as JSON has it
    workspaces: tuple[Workspace, ...]  # parameters of the text behind those of the request: a launch gives them memory

    def source(self, author: Source) -> Source:
        """The source that places are in; `author`: that of the function which a front end was asked for."""
        return generated_source(author, *self.generated) if self.generated is not None else author

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
            "kernel_type": self.kernel_type,
            "generated": self.generated,
            "host": self.host,
            "workspaces": [list(one) for one in self.workspaces],
        }


@dataclass(frozen=True)
class Program(ProgramFacts):
    """A kernel as text."""

    text: str


class FrontEnd(Protocol):
    """What makes a program of a function that an author marked. It is loaded only to compile."""

    @property
    def name(self) -> str:
        """As `KernelFunction.front_end` of its functions has it."""

    def identity(self) -> list[object]:
        """All of the front end that decides what `compile` makes: plain data, had without loading it."""

    def compile(self, request: Request, watch: Callable[[str, Any], None]) -> Program:
        """The program with its IR, as `frontend/compile.py` gives it; `watch` gets the IR at every stage."""


_FRONT_ENDS: dict[str, FrontEnd] = {}


def register_front_end(front_end: FrontEnd) -> None:
    """Makes a front end known by its name, which no other one has."""
    if front_end.name in _FRONT_ENDS:
        known = _FRONT_ENDS[front_end.name]
        raise FrontEndTaken(name=front_end.name, known=_class_of(known), new=_class_of(front_end))
    _FRONT_ENDS[front_end.name] = front_end


def _class_of(front_end: FrontEnd) -> str:
    return f"{type(front_end).__module__}.{type(front_end).__qualname__}"


def registered_front_end(name: str) -> FrontEnd:
    """The front end of a name."""
    if name not in _FRONT_ENDS:
        raise UnknownFrontEnd(name=name, known=", ".join(sorted(_FRONT_ENDS)))
    return _FRONT_ENDS[name]


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
        plain["kernel_type"],
        _generated_of(plain["generated"]),
        plain["host"],
        tuple(Workspace(*one) for one in plain["workspaces"]),
    )


def _generated_of(plain: Any) -> tuple[str, dict[int, tuple[int, int]]] | None:
    """A generated source from JSON, whose keys are texts."""
    if plain is None:
        return None
    text, origins = plain
    return text, {int(line): (at[0], at[1]) for line, at in origins.items()}


@dataclass(kw_only=True)
class KernelFacts:
    """What is known of a loaded kernel beside its code: what reports need to describe a launch of it."""

    name: str
    source: Source
    soc: Soc
    kernel_type: KernelType
    types: tuple[tuple[str, str], ...]
    uses: tuple[tuple[bool, bool], ...]  # (reads, writes) of each run-time parameter
    outputs: tuple[str, ...]  # declared: the checked mode tells what is left unwritten of them
    threads: bool  # whether it starts threads, or is run by some
    is_simt_kernel: bool  # whether threads run it: behind its arguments come grid and block
    places: dict[int, Place]
    functions: tuple[Called, ...]  # the kernel itself and its helpers, as `Place.function` counts them
    python: FunctionType
    static: Mapping[str, list[list[Any]]] = field(default_factory=dict)  # what `check/static.py` found before any run
    host: Mapping[str, Any] = field(default_factory=dict)  # as that of `ProgramFacts`
    workspaces: tuple[Workspace, ...] = ()  # as those of `ProgramFacts`; `types` and `uses` have them last
