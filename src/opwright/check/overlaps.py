"""Values that are lost because two tensors placed by hand share bytes.

In: what the cores of a checked launch did, and the pairs of tensors that overlap in part. Out: an `OverlapError` where
bytes are read through a tensor that were written through it, never read, and then overwritten through the other
one. Bytes that are reused after a read are meant, and so is a value that one tensor writes and another one reads. An
access that lies in the shared bytes alone may be of either tensor, and is of none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from opwright.ascendc.socs import MEMORIES
from opwright.check.events import TraceEvent
from opwright.errors import Location, OverlapError
from opwright.findings.budget import Pair, describe_overlap, shared_bytes
from opwright.findings.finding import Access, Finding
from opwright.twin.enumerations import TraceKind
from opwright.twin.incident import pipe_name
from opwright.twin.launch import Kernel
from opwright.twin.launch_record import Outcome
from opwright.twin.locations import locate, place_of
from opwright.twin.messages.races import apart_hint

_NOBODY = -1


def lost_values(outcome: Outcome, kernel: Kernel, overlapping: Sequence[Pair]) -> list[Finding]:
    """One finding for each pair that loses a value; none of a launch whose records were not all kept."""
    if not outcome.events or outcome.events_lost:
        return []
    raw = np.ctypeslib.as_array((TraceEvent * outcome.event_count).from_address(outcome.events))
    # What a call reads it reads before it writes; the ranges of a call follow each other.
    calls = np.cumsum(np.concatenate([[True], raw["more"][:-1] == 0]))
    raw = raw[np.lexsort((raw["written"], calls))]
    raw = raw[raw["kind"] == TraceKind.ACCESS]
    found = (_of_pair(raw, kernel, pair) for pair in overlapping)
    return [finding for finding in found if finding is not None]


def _of_pair(raw: np.ndarray[Any, Any], kernel: Kernel, pair: Pair) -> Finding | None:
    begin, end = shared_bytes(*pair)
    memory = MEMORIES.index(pair[0].buffer.memory)
    meeting = raw[(raw["memory"] == memory) & (raw["begin"] < end) & (raw["end"] > begin)]
    cores: dict[tuple[int, int], _Shared] = {}
    first: Finding | None = None
    count = 0
    seen = set()
    for event in meeting:
        core = (int(event["core_kind"]), int(event["core"]))
        state = cores.setdefault(core, _Shared(begin, end))
        lost = state.meet(event, _through(event, pair))
        if lost is None:
            continue
        count += 1
        seen.add(core)
        first = first or _finding(event, lost, kernel, pair)
    return replace(first, count=count, cores=len(seen)) if first else None


def _through(event: Any, pair: Pair) -> int:
    """The tensor of a pair in which an access lies, if it is one of them alone."""
    lies_in = [one.buffer.begin <= event["begin"] and event["end"] <= one.buffer.end for one in pair]
    return lies_in.index(True) if sum(lies_in) == 1 else _NOBODY


@dataclass(frozen=True)
class _Lost:
    """Bytes that were read in vain, with the records of the write that was lost and of that which took its place."""

    begin: int
    end: int
    tensor: int
    written: Any
    overwritten: Any


class _Shared:
    """The bytes that two tensors share, on one core: who wrote each of them last, and whose value was lost by that."""

    def __init__(self, begin: int, end: int) -> None:
        self.begin = begin
        self.records: list[Any] = []
        self.writer = np.full(end - begin, _NOBODY)
        self.write = np.full(end - begin, _NOBODY)  # the record of the last write
        self.lost = np.full(end - begin, _NOBODY)  # the record of the write before it, by the other tensor and unread
        self.is_read = np.zeros(end - begin, bool)

    def meet(self, event: Any, tensor: int) -> _Lost | None:
        """Goes on by one access, through a tensor of the pair or through neither."""
        part = slice(max(int(event["begin"]) - self.begin, 0), int(event["end"]) - self.begin)
        if not event["written"]:
            self.is_read[part] = True
            return self._read_in_vain(part, tensor)
        is_lost = ~self.is_read[part] & (self.writer[part] == 1 - tensor) if tensor != _NOBODY else False
        self.lost[part] = np.where(is_lost, self.write[part], _NOBODY)
        self.writer[part], self.write[part], self.is_read[part] = tensor, len(self.records), False
        self.records.append(event)
        return None

    def _read_in_vain(self, part: slice, tensor: int) -> _Lost | None:
        if tensor == _NOBODY:
            return None
        (bytes_,) = np.nonzero((self.lost[part] != _NOBODY) & (self.writer[part] == 1 - tensor))
        if not len(bytes_):
            return None
        begin, end = part.start + int(bytes_[0]), part.start + int(bytes_[-1]) + 1
        written, overwritten = self.records[self.lost[begin]], self.records[self.write[begin]]
        return _Lost(self.begin + begin, self.begin + end, tensor, written, overwritten)


def _finding(event: Any, lost: _Lost, kernel: Kernel, pair: Pair) -> Finding:
    def at(record: Any) -> Location | None:
        return locate(kernel, place_of(kernel, int(record["line"])))

    def access(record: Any) -> Access:
        kind = kernel.kernel_type.kind_name(int(record["core_kind"]))
        pipe, written = pipe_name(int(record["pipe"])), bool(record["written"])
        return Access(at(record), int(record["core"]), pipe, written, int(record["iteration"]), kind=kind)

    places = (at(record) for record in (lost.written, lost.overwritten))
    wrote, overwrote = (f"line {place.line}" if place else "another line" for place in places)
    own, other = pair[lost.tensor].buffer.name, pair[1 - lost.tensor].buffer.name
    reads = f"{pipe_name(int(event['pipe']))} reads bytes {lost.begin} to {lost.end} of {pair[0].buffer.memory}"
    through = f"through {own or 'a tensor'}"
    message = (
        f"{reads} {through}, but what was written {through} ({wrote}) was overwritten through {other or 'another one'} "
        f"({overwrote}) and never read: {describe_overlap(*pair)}"
    )
    return Finding(
        kind=OverlapError,
        severity="error",
        message=message,
        hint=apart_hint(str(pair[1]), pair[0].buffer.end or 0),
        kernel=kernel.name,
        access=access(event),
        first=access(lost.overwritten),
        memory=pair[0].buffer.memory,
        begin=lost.begin,
        end=lost.end,
    )
