"""Rules that only vector calls have: about masks, strides, overlaps and results. See `rules.py`.

In: a rule with its parameters. Out: as there. What strides do is checked at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from opwright.ascendc.dtypes import PACKED
from opwright.ascendc.enums import MaskMode, ReduceOrder
from opwright.ascendc.rules import Known, Rule, require
from opwright.errors import Location, OpwrightError, RuleBroken


@dataclass(frozen=True, eq=False)
class Lanes(Rule):
    """A mask counts lanes of a repeat, which has 256 bytes of the widest type. Judges how many it counts too many."""

    operand: str
    tensors: tuple[str, ...]

    def _most(self, known: Known) -> int:
        return 256 // max(known.element_bytes(tensor) for tensor in self.tensors)

    def value(self, known: Known) -> int | None:
        lanes = known.integer(self.operand)
        return None if lanes is None else lanes - self._most(known)

    def holds(self, value: int) -> bool:
        return value <= 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value, most = f"int64_t({self.operand}.value)", f"opwright::lanes_of({', '.join(self.tensors)})"
        return require(f"{self.operand}.value <= {most}", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.operand} must not be above the elements of a repeat, 256 bytes of the widest type"

    def hint(self, known: Known) -> str:
        return f"pass 0 to {self._most(known)}"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        lanes = value + self._most(known)
        return RuleBroken(at, call=call, rule=self.sentence, value=lanes, hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class WholeBytes(Rule):
    """A count or a mask takes both elements of a byte, or none, where two share one.

    Judges an odd number of elements, at run time also a lane without the other of its byte.
    """

    over_footprints = True
    operand: str
    tensors: tuple[str, str]  # what is written, and what is read

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand) if any(known.dtype(tensor) in PACKED for tensor in self.tensors) else None

    def holds(self, value: int) -> bool:
        return value % 2 == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        taken = "chosen" if self.operand == "mask" else f"{self.operand}.value"
        written, read = self.tensors
        footprints = f"{written}_written, {read}_read"
        return f"opwright::require_pairs(at, {taken}, {footprints}, {number}, {index[self.operand]});"

    @property
    def sentence(self) -> str:
        return f"of int4 {self.operand} must take both elements of a byte or none"

    def hint(self, known: Known) -> str:
        return (
            "set bits 2k and 2k + 1 alike, or pass an even number" if self.operand == "mask" else "pass an even number"
        )

    def describe(self, value: int) -> str:
        return f"lane {value} alone" if self.operand == "mask" else str(value)


@dataclass(frozen=True, eq=False)
class EvenOffset(Rule):
    """A part of a tensor starts with a byte. Judges the offset of one whose elements share bytes."""

    operand: str
    tensor: str

    def value(self, known: Known) -> int | None:
        return known.integer(self.operand) if known.dtype(self.tensor) in PACKED else None

    def holds(self, value: int) -> bool:
        return value % 2 == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return ""  # the tensor's class tests it

    @property
    def sentence(self) -> str:
        return f"{self.operand} of int4 must be even, since two elements share a byte"

    def hint(self, known: Known) -> str:
        return "start at an even element; where a tensor must start at 32 bytes, at a multiple of 64"


@dataclass(frozen=True, eq=False)
class MaskLength(Rule):
    """In normal mode a mask has at most the lanes of a repeat. Judges how many it has too many."""

    operand: str
    dtype: str
    mode: str

    def value(self, known: Known) -> int | None:
        length = known.integer(self.operand)
        if length is None or known.constant(self.mode) is MaskMode.COUNTER:
            return None
        return length - 256 // known.element_bytes(self.dtype)

    def holds(self, value: int) -> bool:
        return value <= 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.value)"
        fits = f"{value} <= int64_t(256 / sizeof(T))"
        return require(f"{self.mode} == MaskMode::COUNTER || {fits}", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"with {self.mode} NORMAL {self.operand} must not be above the elements of a repeat, 256 bytes"

    def hint(self, known: Known) -> str:
        return f"pass 0 to {256 // known.element_bytes(self.dtype)}"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        length = value + 256 // known.element_bytes(self.dtype)
        return RuleBroken(at, call=call, rule=self.sentence, value=length, hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class Moves(Rule):
    """A written operand's blocks do not lie on each other: its stride is not 0. Judges the stride, at run time."""

    operand: str  # the object with the strides
    tensor: str
    stride: str = "blk_stride"  # which field, after the name of the tensor

    def value(self, known: Known) -> int | None:
        return None

    def holds(self, value: int) -> bool:
        return value != 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        field = self.tensor + "".join(word.capitalize() for word in self.stride.split("_"))
        value = f"int64_t({self.operand}.{field})"
        return require(f"{value} != 0", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.tensor}_{self.stride} of {self.operand} must not be 0"

    def hint(self, known: Known) -> str:
        return "pass 1 for blocks that follow one another"


@dataclass(frozen=True, eq=False)
class NoFeeding(Rule):
    """Repeats do not read what earlier ones wrote, and overlap lane upon lane or not. Checked at run time.

    With `may_feed` they may read it, if the elements are float16, float32 or int32 and one of the tensors stays where
    it is from repeat to repeat.
    """

    over_footprints = True
    operand: str
    other: str
    may_feed: bool = False

    def value(self, known: Known) -> int | None:
        return None

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        may = str(self.may_feed).lower()
        return f"opwright::require_no_feeding(at, {self.operand}_written, {self.other}_read, {may});"

    @property
    def sentence(self) -> str:
        but = ", unless one of them has a repeat stride of 0" if self.may_feed else ""
        return (
            f"within a repeat {self.operand} may be {self.other} itself, but must not overlap it in part, and no "
            f"repeat may read from {self.other} what an earlier one wrote{but}"
        )

    def hint(self, known: Known) -> str:
        return f"let {self.operand} be {self.other} itself with the same strides, or keep them apart"


@dataclass(frozen=True, eq=False)
class AlignResults(Rule):
    """A tensor of results starts at a multiple of `elements` elements. Judges the bytes beyond such a place.

    With `order`, the parameter that chooses value and index, at a multiple of the bytes of one result.
    """

    operand: str
    elements: int
    order: str = ""

    def _bytes(self, known: Known) -> int:
        element = known.element_bytes(self.operand)
        order = known.constant(self.order) if self.order else None
        if order is ReduceOrder.ORDER_ONLY_INDEX:
            return 4
        pair = order in (ReduceOrder.ORDER_VALUE_INDEX, ReduceOrder.ORDER_INDEX_VALUE)
        return element * (2 if pair else self.elements)

    def value(self, known: Known) -> int | None:
        start = known.start(self.operand)
        return None if start is None else start % self._bytes(known)

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        size = f"opwright::result_bytes<T>({self.order})" if self.order else f"({self.elements} * sizeof(T))"
        value = f"int64_t({self.operand}.address() % {size})"
        return require(f"{value} == 0", number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        one = "one element" if self.elements == 1 else f"{self.elements} elements"
        return f"{self.operand} must start at a multiple of the bytes of {'one result' if self.order else one}"

    def hint(self, known: Known) -> str:
        return f"start it at a multiple of {self._bytes(known)} bytes"

    def error(self, at: Location, call: str, value: int, known: Known) -> OpwrightError:
        return RuleBroken(at, call=call, rule=self.sentence, value=f"{value} bytes more", hint=self.hint(known))


@dataclass(frozen=True, eq=False)
class Reduces(Rule):
    """Results lie where the repeat starts that they come from, or apart from all that is still read.

    Checked at run time.
    """

    over_footprints = True
    operand: str
    other: str

    def value(self, known: Known) -> int | None:
        return None

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return f"opwright::require_reduces(at, {self.operand}_written, {self.other}_read);"

    @property
    def sentence(self) -> str:
        return (
            f"{self.operand} may start where {self.other} starts, but must not overlap it otherwise, and no repeat may "
            f"read from {self.other} what an earlier one wrote"
        )

    def hint(self, known: Known) -> str:
        return f"let {self.operand} start where {self.other} does, or keep them apart"


@dataclass(frozen=True, eq=False)
class Apart(Rule):
    """A written tensor touches no byte of a read one. Checked at run time."""

    over_footprints = True
    operand: str
    other: str

    def value(self, known: Known) -> int | None:
        return None

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return f"opwright::require_apart(at, {self.operand}_written, {self.other}_read);"

    @property
    def sentence(self) -> str:
        return f"{self.operand} must not overlap {self.other}"

    def hint(self, known: Known) -> str:
        return f"keep {self.operand} and {self.other} apart"


@dataclass(frozen=True, eq=False)
class BothApart(Apart):
    """A written tensor touches no byte of another written one. Checked at run time."""

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        return f"opwright::require_apart(at, {self.operand}_written, {self.other}_written);"


@dataclass(frozen=True, eq=False)
class WholeRepeats(Rule):
    """A count of elements fills whole repeats of 256 bytes. Judges the count."""

    operand: str
    tensor: str

    def value(self, known: Known) -> int | None:
        count = known.integer(self.operand)
        # Bytes that are left over are those of the elements that are: one rule for all types.
        return None if count is None else count % (256 // known.element_bytes(self.tensor)) and count

    def holds(self, value: int) -> bool:
        return value == 0

    def cpp(self, number: int, index: Mapping[str, int]) -> str:
        value = f"int64_t({self.operand}.value)"
        whole = f"{self.operand}.value % opwright::lanes_of({self.tensor}) == 0"
        return require(whole, number, index[self.operand], value)

    @property
    def sentence(self) -> str:
        return f"{self.operand} elements of {self.tensor} must fill whole repeats of 256 bytes"

    def hint(self, known: Known) -> str:
        return f"pass a multiple of {256 // known.element_bytes(self.tensor)}; let the tensors be longer than the data"
