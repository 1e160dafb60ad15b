"""The memory budget of a kernel: every buffer with its line, and what each SoC has left.

In: what `buffers.py` found in the IR, with places in the user's file. Out: a `Budget` as values, JSON and a table. What
neither is a constant nor follows from the arguments is unknown and listed as such. Buffers that share bytes are named:
that may be meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from opwright.ascendc.socs import MEMORIES, SOCS
from opwright.errors import Location
from opwright.findings.formulas import Formula, value_of

if TYPE_CHECKING:
    from rich.table import Table

_BLOCK = 32  # bytes: buffers come in whole blocks


class Buffer(NamedTuple):
    """Memory that a kernel takes.

    name: the variable, or "". kind: "tensor" (by address), "queue", "buffer" (a TBuf), "pool" (whose buffers lie in
    it), "allocation" or "shared" (by threads).
    begin: its first byte; bytes: of one of them; number: how many, one after the other. None: known only at run time.
    function, at: as a `Place` has them.
    formulas: begin and bytes of a tensor, where they are no constants but follow from the arguments of a launch.
    """

    name: str
    kind: str
    memory: str
    begin: int | None
    bytes: int | None
    number: int | None
    function: int
    at: str
    formulas: tuple[Formula | None, Formula | None] | None = None

    def settled(self, numbers: Mapping[str, int]) -> Buffer:
        """With the numbers of a launch."""
        if self.formulas is None:
            return self
        begin, size = (None if one is None else value_of(one, numbers) for one in self.formulas)
        return self._replace(begin=begin, bytes=size or None)

    @property
    def total(self) -> int | None:
        """Bytes of all of them."""
        if self.bytes is None or self.number is None:
            return None
        whole = self.bytes if self.kind in ("tensor", "shared") else in_whole_blocks(self.bytes)
        return whole * self.number

    @property
    def end(self) -> int | None:
        """The byte behind the last one."""
        return self.begin + self.total if self.begin is not None and self.total is not None else None


def in_whole_blocks(size: int) -> int:
    """Rounded up to whole blocks."""
    return -(-size // _BLOCK) * _BLOCK


@dataclass(frozen=True)
class Placed:
    """A buffer with its place in the user's file."""

    buffer: Buffer
    at: Location | None

    def __str__(self) -> str:
        name = self.buffer.name or f"a {self.buffer.kind}"
        return f"{name} ({self.at.words})" if self.at else name


Pair = tuple[Placed, Placed]


@dataclass(frozen=True)
class Budget:
    """All buffers of a kernel, in program order."""

    kernel: str
    buffers: tuple[Placed, ...] = ()

    @property
    def memories(self) -> list[str]:
        """The memories that it uses."""
        used = {placed.buffer.memory for placed in self.buffers}
        return [memory for memory in MEMORIES if memory in used]

    def used(self, memory: str) -> int:
        """Bytes from the start of a memory to the end of its last buffer, as far as that is known."""
        return max((p.buffer.end or 0 for p in self.buffers if p.buffer.memory == memory), default=0)

    def unknown(self, memory: str) -> list[Placed]:
        """Buffers of a memory whose end is known only at run time."""
        return [p for p in self.buffers if p.buffer.memory == memory and p.buffer.end is None]

    def left(self, memory: str, soc: str) -> int:
        """Bytes of a memory that a SoC has left; negative if the known buffers do not fit."""
        return SOCS[soc].usable(memory) - self.used(memory)

    def shared(self) -> list[Pair]:
        """Pairs of buffers that have bytes in common. A pool is only where others lie."""
        spans = [
            (p.buffer.memory, p.buffer.begin, end, place)
            for place, p in enumerate(self.buffers)
            if p.buffer.kind != "pool" and p.buffer.begin is not None and (end := p.buffer.end) is not None
        ]
        pairs = []
        open_spans: list[tuple[str, int, int]] = []  # memory, end and place of what begins no later and may meet
        for memory, begin, end, place in sorted(spans):
            open_spans = [one for one in open_spans if one[0] == memory and one[1] > begin]
            pairs += [tuple(sorted((place, other))) for _, _, other in open_spans]
            open_spans.append((memory, end, place))
        in_order = sorted(pairs, key=lambda pair: (pair[1], pair[0]))
        return [(self.buffers[first], self.buffers[second]) for first, second in in_order]

    def overlapping(self) -> list[Pair]:
        """Pairs of tensors placed by hand of which neither lies in the other: mostly an address is wrong."""
        return [pair for pair in self.by_hand() if not is_nested(pair)]

    def by_hand(self) -> list[Pair]:
        """Pairs of tensors placed by hand that have bytes in common."""
        return [(a, b) for a, b in self.shared() if a.buffer.kind == b.buffer.kind == "tensor"]

    def as_json(self) -> dict[str, object]:
        """For programs; lines count from 1."""
        return {
            "kernel": self.kernel,
            "buffers": [
                {
                    "name": p.buffer.name,
                    "kind": p.buffer.kind,
                    "memory": p.buffer.memory,
                    "begin": p.buffer.begin,
                    "end": p.buffer.end,
                    "bytes": p.buffer.bytes,
                    "number": p.buffer.number,
                    "file": p.at.written.file if p.at else None,
                    "line": p.at.written.line if p.at else None,
                }
                for p in self.buffers
            ],
            "memories": {
                memory: {
                    "used": self.used(memory),
                    "unknown": len(self.unknown(memory)),
                    "left": {soc: self.left(memory, soc) for soc in SOCS},
                }
                for memory in self.memories
            },
            "shared": [[self.buffers.index(first), self.buffers.index(second)] for first, second in self.shared()],
        }


def _contains(outer: Buffer, inner: Buffer) -> bool:
    assert outer.begin is not None and outer.end is not None and inner.begin is not None and inner.end is not None
    return outer.begin <= inner.begin and inner.end <= outer.end


def is_nested(pair: Pair) -> bool:
    """Whether one of two buffers lies in the other."""
    first, second = (one.buffer for one in pair)
    return _contains(first, second) or _contains(second, first)


def shared_bytes(first: Placed, second: Placed) -> tuple[int, int]:
    """The bytes that two buffers of known places have in common: the first, and the one behind the last."""
    one, other = first.buffer, second.buffer
    assert one.begin is not None and one.end is not None and other.begin is not None and other.end is not None
    return max(one.begin, other.begin), min(one.end, other.end)


def describe_overlap(first: Placed, second: Placed) -> str:
    """Two buffers that share bytes."""
    begin, end = shared_bytes(first, second)
    return f"{first} and {second} share bytes {begin} to {end} of {first.buffer.memory}"


def table(budget: Budget) -> Table:
    """The budget for people: a row for each buffer, then what each SoC has left."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False, title=budget.kernel)
    for name in ("buffer", "line", "memory", "begin", "end", "bytes", ""):
        shown.add_column(
            name, justify="right" if name in ("line", "begin", "end", "bytes") else "left", overflow="fold"
        )
    shares: dict[int, list[str]] = defaultdict(list)
    for first, second in budget.shared():
        shares[id(second)].append(str(first))
    for placed in budget.buffers:
        buffer = placed.buffer
        numbers = [_number(number) for number in (buffer.begin, buffer.end, buffer.total)]
        several = f"{buffer.number} of {buffer.bytes}" if buffer.number not in (1, None) and buffer.bytes else ""
        notes = [several] if several else []
        notes += [f"shares bytes with {', '.join(shares[id(placed)])}"] if shares[id(placed)] else []
        line = str(placed.at.written.line) if placed.at else "?"
        shown.add_row(buffer.name or buffer.kind, line, buffer.memory, *numbers, ", ".join(notes))
    for memory in budget.memories:
        shown.add_section()
        for soc in SOCS:
            unknown = len(budget.unknown(memory))
            note = f"without {unknown} whose end is not known before a launch" if unknown else ""
            numbers = [f"{budget.used(memory)} of {SOCS[soc].usable(memory)}", f"{budget.left(memory, soc)} left"]
            shown.add_row(soc, "", memory, "", *numbers, note)
    return shown


def _number(number: int | None) -> str:
    return "?" if number is None else str(number)
