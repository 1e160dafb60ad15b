"""Traits of forms: what few calls do, declared by the rows that do it.

A form lists them in `traits`, and other folders ask `form.get(Changes)`. No other folder has to know the name of a call
or of a parameter to know what it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Who hands out memory.
BY_ADDRESS, ALLOCATOR, PIPE, POOL, THREADS = "address", "allocator", "pipe", "pool", "threads"


@dataclass(frozen=True, eq=False)
class Trait:
    """The base of all traits."""


# How the text spells it ---------------------------------------------------------------------------------------


class Aggregate(Trait):
    """The object is an aggregate, which the text makes by its fields between braces."""


class TensorArray(Trait):
    """The object is an array of the tensors that it is given."""


class Refers(Trait):
    """The object is there already: the text refers to it."""


@dataclass(frozen=True, eq=False)
class SetsFields(Trait):
    """Parameters that the constructor of an object does not have, with the fields that the text sets for them.

    always: parameters that have no value of their own, so that the text always sets them.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class GivesBack(Trait):
    """C++ types of results that come through references behind its parameters; Python returns them as integers."""

    types: tuple[str, ...]


# Tensors and their memory -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StartsAt(Trait):
    """Where a new local tensor starts: the parameter that says it, "self", or "self + offset"."""

    where: str


class WithoutMemory(Trait):
    """The new local tensor has no memory yet."""


@dataclass(frozen=True, eq=False)
class Binds(Trait):
    """The tensor stands for the memory of another operand from now on."""

    tensor: str
    memory: str


@dataclass(frozen=True, eq=False)
class Becomes(Trait):
    """An operand that the call makes another tensor of: the text has a variable for it."""

    operand: str


@dataclass(frozen=True, eq=False)
class Changes(Trait):
    """A tensor that has another size, shape or label from now on."""

    operand: str


@dataclass(frozen=True, eq=False)
class Places(Trait):
    """A local tensor, made without memory, that gets some."""

    operand: str


@dataclass(frozen=True, eq=False)
class Allocates(Trait):
    """Takes on-chip memory.

    kind: what it is called in a budget. source: who hands it out. operand: who gets it; "" is the result. Then the
    parameters that say how much: elements or bytes, how many buffers of them, where they begin, and of a pool the one
    whose bytes it shares.
    """

    kind: str
    source: str
    operand: str = ""
    elements: str = ""
    size: str = ""
    number: str = ""
    begin: str = ""
    shared: str = ""

    @property
    def by_hand(self) -> bool:
        """Whether it takes the memory without asking a pipe."""
        return self.source in (BY_ADDRESS, ALLOCATOR)


@dataclass(frozen=True, eq=False)
class TakesBack(Trait):
    """A pipe or a pool takes back what it has handed out."""

    source: str


class MakesAllocator(Trait):
    """Makes an object that hands out memory without a pipe."""


class MakesPipe(Trait):
    """Makes the object that hands out the memory of a core."""


# Order and cores ----------------------------------------------------------------------------------------------


class MakesQueue(Trait):
    """Makes a queue, which sets flags of its own."""


class Enqueues(Trait):
    """Hands a tensor on in a queue."""


class SetsFlag(Trait):
    """Sets a flag between two pipes of a core."""


class WaitsForFlag(Trait):
    """Waits for a flag between two pipes of a core."""


class CountsCores(Trait):
    """Gives the number of cores of the launch."""


class NeedsCrossFlags(Trait):
    """Needs the flags between cores, which not every kernel has."""


class WaitsForCores(Trait):
    """Waits for other cores through words of global memory, once all earlier work of its own core has ended."""


class StartsThreads(Trait):
    """Starts a function on the threads of a block."""


class SharedByThreads(Trait):
    """Memory that the threads of a block share: it stands where every thread comes by, once."""
