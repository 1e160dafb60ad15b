"""The closed set of rules a row may state about its operands, with those of `vector_rules.py`.

In: a rule with its parameters. Out, from each rule: what it judges at compile time (`value`, from what is `Known`)
and at run time (`cpp`, a statement of the twin's wrapper), the judgement, a sentence for people and the error. Nothing
else in the project knows what a rule means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.socs import Soc
from opwright.errors import BeyondMemory, Location, OpwrightError, RuleBroken


class Known(Protocol):
    """What is known at compile time about the arguments of one call; None where something is not."""

    soc: Soc

    def integer(self, operand: str) -> int | None:
        """The value of an integer argument."""

    def memory(self, operand: str) -> str:
        """The memory that a position argument names."""

    def start(self, operand: str) -> int | None:
        """The byte at which a local tensor starts."""

    def touched(self, operand: str) -> int | None:
        """How many bytes of a tensor the call touches."""

    def element_bytes(self, operand: str) -> int:
        """The size of a tensor's elements, or of a data type."""

    def dtype(self, operand: str) -> str:
        """The element type of a tensor."""

    def constant(self, operand: str) -> object:
        """The value of an argument that is always a constant."""

    def field(self, operand: str, name: str) -> object:
        """The value of a field of a struct, by the name that its constructor has for it."""

    def made_with(self, operand: str) -> Mapping[str, str]:
        """The constants in the type of an object, by parameter."""


class Rule(ABC):
    """One rule. Its operand is the one that is named when it is broken."""

    operand: str

    @abstractmethod
    def value(self, known: Known) -> int | None:
        """What the rule judges, if it is known at compile time."""

    # Whether its C++ looks at the footprints of the call, and so comes behind them.
    over_footprints: ClassVar[bool] = False

    @abstractmethod
    def holds(self, value: int) -> bool:
        """The judgement."""

    @abstractmethod
    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        """A C++ statement that tests the rule at run time; empty if the call's class does so itself."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The rule in words."""

    @abstractmethod
    def hint(self, known: Known) -> str:
        """What to do about it."""

    def describe(self, value: int) -> str:
        """Describes a runtime value that broke the rule."""
        return str(value)

    @property
    def table(self) -> str:
        """More for people to read, as a table in Markdown."""
        return ""

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        """The error of a constant that breaks the rule."""
        return RuleBroken(at, call=call, rule=self.sentence, value=value, hint=self.hint(known))


def require(condition: str, number: int, operand: int, value: str) -> str:
    """A C++ statement that fails with the rule's number unless a condition holds."""
    return f"opwright::require(at, {condition}, {number}, {operand}, {value});"


@dataclass(frozen=True, eq=False)
class Range(Rule):
    """An integer parameter lies in [low, high]."""

    operand: str
    low: int
    high: int

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand)

    def holds(self, value: int) -> bool:
        return self.low <= value <= self.high

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.value)"
        # One comparison: what lies below wraps to a huge number.
        inside = f"uint64_t({value}) - uint64_t({self.low}) <= {self.high - self.low}u"
        return require(inside, number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        if self.low == self.high:
            return f"{self.operand} must be {self.low}"
        return f"{self.operand} must lie between {self.low} and {self.high}"

    def hint(self, known: Known) -> str:
        return f"pass {self.low} to {self.high}" if self.low < self.high else f"pass {self.low}"


@dataclass(frozen=True, eq=False)
class TemplateRange(Range):
    """The same for a template argument, which is always a constant."""

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""


@dataclass(frozen=True, eq=False)
class FlagBetweenCores(Range):
    """The number of a flag between cores. In mode 4 a matrix core has as many again: which core runs is known later."""

    def value(self, known: Known) -> int | None:
        number = super().value(known)
        more = known.integer("mode_id") == 4 and number is not None and self.high < number <= 2 * self.high + 1
        return None if more else number

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the library tests it


@dataclass(frozen=True, eq=False)
class OneNumberOf(Rule):
    """An integer parameter that is one of some numbers."""

    operand: str
    numbers: tuple[int, ...]

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand)

    def holds(self, value: int) -> bool:
        return value in self.numbers

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the call itself tests it

    @property
    def sentence(self) -> str:
        return f"{self.operand} must be one of {', '.join(map(str, self.numbers))}"

    def hint(self, known: Known) -> str:
        return f"pass one of {', '.join(map(str, self.numbers))}"


@dataclass(frozen=True, eq=False)
class Chosen(Rule):
    """A template argument has the one value that a vector kernel can have."""

    operand: str
    only: int
    why: str

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand)

    def holds(self, value: int) -> bool:
        return value == self.only

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # always known at compile time

    @property
    def sentence(self) -> str:
        return f"{self.operand} must be {self.only}"

    def hint(self, known: Known) -> str:
        return f"pass {self.only}: {self.why}"


@dataclass(frozen=True, eq=False)
class Align(Rule):
    """A local tensor starts at a multiple of `bytes`."""

    operand: str
    bytes: int

    def value(self, known: Known) -> int | None:
        return known.start(self.operand)

    def holds(self, value: int) -> bool:
        return value % self.bytes == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.address())"
        return require(f"{value} % {self.bytes} == 0", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.operand} must start at a multiple of {self.bytes} bytes"

    def hint(self, known: Known) -> str:
        elements = 8 * self.bytes // ELEMENTS[known.dtype(self.operand)].bits
        whole = f"make it at an address that {self.bytes} divides"
        return f"start parts of it at multiples of {elements} elements, and {whole}"


@dataclass(frozen=True, eq=False)
class NoPartialOverlap(Rule):
    """A written tensor is a read one exactly, or does not touch it.

    Judges the bytes between their starts, or between their ends if they start together; 0 if all is well.
    """

    over_footprints = True
    operand: str
    other: str

    def value(self, known: Known) -> int | None:
        starts = known.start(self.operand), known.start(self.other)
        sizes = known.touched(self.operand), known.touched(self.other)
        if None in starts or None in sizes:
            return None
        (a, b), (a_size, b_size) = starts, sizes
        assert a is not None and b is not None and a_size is not None and b_size is not None
        return (a - b or a_size - b_size) if a < b + b_size and b < a + a_size else 0

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return f"opwright::require_no_partial_overlap(at, {self.operand}_written, {self.other}_read);"

    @property
    def sentence(self) -> str:
        return f"{self.operand} may be {self.other} itself, but must not overlap it in part"

    def hint(self, known: Known) -> str:
        return f"let {self.operand} be {self.other} itself, or keep them apart"


def _beyond(at: Location, what: str, value: int, known: Known, position: str) -> OpwrightError:
    """The error of something that ends `value` bytes beyond the memory of a position."""
    memory = known.memory(position)
    capacity = known.soc.usable(memory)
    return BeyondMemory(at, what=what, end=capacity + value, memory=memory, soc=known.soc.name, capacity=capacity)


@dataclass(frozen=True, eq=False)
class Capacity(Rule):
    """A new tensor ends within the memory of its position. Judges by how many bytes it ends beyond."""

    operand: str  # the position
    address: str
    size: str
    dtype: str

    def value(self, known: Known) -> int | None:
        address, size = known.integer(self.address), known.integer(self.size)
        if address is None or size is None:
            return None
        end = address + size * known.element_bytes(self.dtype)
        return end - known.soc.usable(known.memory(self.operand))

    def holds(self, value: int) -> bool:
        return value <= 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the constructor of the tensor does

    @property
    def sentence(self) -> str:
        return f"{self.address} and {self.size} must lie within what a kernel may use of the memory of {self.operand}"

    def hint(self, known: Known) -> str:
        return "make the tiles smaller"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return _beyond(at, "this tensor ends", value, known, self.operand)


class OfPosition(Rule):
    """A rule about the memory of a position, which is always known at compile time. Judges 1 or 0."""

    def holds(self, value: int) -> bool:
        return value == 1

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        got = f"one in {known.memory(self.operand)}"
        return RuleBroken(at, call=call, rule=self.sentence, value=got, hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class OnChip(OfPosition):
    """A position is in a memory of the chip, not in global memory."""

    operand: str

    def value(self, known: Known) -> int | None:
        return int(known.memory(self.operand) != "GM")

    @property
    def sentence(self) -> str:
        return f"{self.operand} must be a position on the chip"

    def hint(self, known: Known) -> str:
        return "use asc.TPosition.VECIN, VECOUT or VECCALC; global memory is asc.GlobalTensor()"


@dataclass(frozen=True, eq=False)
class SameMemory(OfPosition):
    """Two positions lie in one memory."""

    operand: str
    other: str

    def value(self, known: Known) -> int | None:
        return int(known.memory(self.operand) == known.memory(self.other))

    @property
    def sentence(self) -> str:
        return f"{self.operand} must be in the memory of {self.other}"

    def hint(self, known: Known) -> str:
        return f"{self.other} is in {known.memory(self.other)}: choose a position in that memory"


@dataclass(frozen=True, eq=False)
class BufferCapacity(Rule):
    """The buffers of one queue, by themselves, fit the memory of its position. Judges the bytes they take beyond it."""

    operand: str  # the queue or buffer
    length: str
    number: str = ""  # "": one buffer

    def value(self, known: Known) -> int | None:
        length, number = known.integer(self.length), known.integer(self.number) if self.number else 1
        if length is None or number is None:
            return None
        return number * -(-length // 32) * 32 - known.soc.usable(known.memory(self.operand))

    def holds(self, value: int) -> bool:
        return value <= 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the pipe counts the bytes of all buffers

    @property
    def sentence(self) -> str:
        return f"the buffers of {self.operand}, with those before it, must fit what a kernel may use of their memory"

    def hint(self, known: Known) -> str:
        return "make the tiles smaller"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return _beyond(at, "these buffers end", value, known, self.operand)


@dataclass(frozen=True, eq=False)
class AtMostBytes(Rule):
    """The elements take at most `most` bytes. Judges the bytes."""

    operand: str
    dtype: str
    most: int

    def value(self, known: Known) -> int | None:
        count = known.integer(self.operand)
        return None if count is None else count * known.element_bytes(self.dtype)

    def holds(self, value: int) -> bool:
        return value <= self.most

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the call that gets the count tests it

    @property
    def sentence(self) -> str:
        return f"{self.operand} must take at most {self.most} bytes"

    def hint(self, known: Known) -> str:
        return f"pass 0 to {self.most // known.element_bytes(self.dtype)}"


@dataclass(frozen=True, eq=False)
class WholeBlocks(Rule):
    """A constant count of elements fills whole blocks of 32 bytes; what is left over would silently stay behind.

    A run-time count may round down: kernels do so on purpose where the rest is another's. The checked twin warns.
    """

    operand: str
    tensor: str

    def value(self, known: Known) -> int | None:
        count = known.integer(self.operand)
        return None if count is None else count * known.element_bytes(self.tensor)

    def holds(self, value: int) -> bool:
        return value % 32 == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return f"opwright::note_truncated(at, {index[self.operand]}, {self.operand}.value, sizeof(T));"

    @property
    def sentence(self) -> str:
        return f"a constant {self.operand} must be a multiple of 32 bytes, the rest would not be copied"

    def hint(self, known: Known) -> str:
        elements = 32 // known.element_bytes(self.tensor)
        return f"pass a multiple of {elements} elements, or copy any number of bytes with asc.data_copy_pad"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return RuleBroken(at, call=call, rule=self.sentence, value=f"{value} bytes", hint=self.hint(known))
