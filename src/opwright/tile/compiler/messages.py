"""Which messages cube and vector cores need for the values that cross, and how many slots each value has.

In: a kernel with its crossings. Out: a `Channel` for each crossing: "there" is set when a value is in its slot, "free"
when it was read. Of both as few are kept as the order of all accesses needs; a second slot is taken only where one
would need "free". Refuses more messages than there are flags.

The order is judged on traces of the kernel (`traces.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opwright.errors import TooManyMessages
from opwright.kernel.source import Source
from opwright.tile.compiler.crossings import Crossing
from opwright.tile.compiler.cursor import located
from opwright.tile.compiler.traces import Answers, Channel, Trace

FLAGS = 11  # between cores, that nothing else uses


def channels_of(
    traces: Sequence[Trace], crossings: Sequence[Crossing], waits_stop_all: bool, source: Source
) -> list[Channel]:
    """The channels of a kernel."""

    def is_right(channels: Sequence[Channel]) -> bool:
        by_crossing = {channel.crossing: channel for channel in channels}
        return all(trace.run(by_crossing, waits_stop_all, {}) for trace in traces)

    found = [Channel(one, 1, 0, None) for one in crossings]
    if not is_right(found):
        found = [Channel(one, 2, 0, 0) for one in crossings]
        for number, channel in enumerate(found):
            # One slot, if that needs no "free"; else two, and "free" if they need it.
            for simpler in (replace(channel, slots=1, free=None), replace(channel, free=None)):
                tried = [*found[:number], simpler, *found[number + 1 :]]
                if is_right(tried):
                    found = tried
                    break
    for number, channel in enumerate(found):
        tried = [*found[:number], replace(channel, there=None), *found[number + 1 :]]
        if is_right(tried):
            found = tried
    return _numbered(found, source)


def round_trips(
    traces: Sequence[Trace], channels: Sequence[Channel], waits_stop_all: bool
) -> list[tuple[Channel, Channel]]:
    """Which values answer which: when the second is there, its receiver's last store of the first is over."""
    by_crossing = {channel.crossing: channel for channel in channels}
    found: Answers = {}
    for trace in traces:
        trace.run(by_crossing, waits_stop_all, found)
    return [(by_crossing[sent], by_crossing[answer]) for (sent, answer), is_answered in found.items() if is_answered]


def _numbered(channels: Sequence[Channel], source: Source) -> list[Channel]:
    """Gives each message its flags."""
    numbered, following = [], 0
    for channel in channels:
        flags: list[int | None] = []
        for wanted in (channel.there, channel.free):
            flags.append(None if wanted is None else following)
            following += 0 if wanted is None else channel.slots
        numbered.append(replace(channel, there=flags[0], free=flags[1]))
    if following > FLAGS:
        raise TooManyMessages(located(channels[-1].crossing.maker, source), wanted=following, flags=FLAGS)
    return numbered
