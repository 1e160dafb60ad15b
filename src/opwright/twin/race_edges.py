"""Races that one flag or barrier fixes, as one finding.

In: findings, and of each the edge that is missing. Out: fewer findings, each with those that follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from opwright.findings.finding import Finding
from opwright.twin.flag_places import Span, in_one_function, span
from opwright.twin.incident import Incident
from opwright.twin.locations import chain_of, function_source, place_of
from opwright.twin.messages.races import lost_write


class Edge(NamedTuple):
    """The order that is missing between two pipes, and where in the text."""

    first_pipe: int
    second_pipe: int
    span: Span
    details: Mapping[str, int]

    def is_fixed_by(self, other: Edge) -> bool:
        """Whether the flag or barrier of `other` orders these two as well."""
        same = (self.first_pipe, self.second_pipe) == (other.first_pipe, other.second_pipe)
        return same and self.span.is_fixed_by(other.span, self.first_pipe == self.second_pipe)

    def goes_through(self, other: Edge, races: set[tuple[int, int]]) -> bool:
        """Whether the first access comes before that of `other`, for which the same access is too early.

        Both touch the same bytes, one of them writes, and no race between them was found: so they are in order.
        """
        mine, theirs = self.details, other.details
        lines = mine["first_line"], theirs["first_line"]
        return (
            mine["line"] == theirs["line"]
            and mine["memory"] == theirs["memory"]
            and max(mine["begin"], theirs["begin"]) < min(mine["end"], theirs["end"])
            and bool(mine["first_written"] or theirs["first_written"])
            and lines[0] != lines[1]
            and lines not in races
        )


def edge_of(one: Incident) -> Edge | None:
    """What would fix a race, as far as it is an order and the text tells where."""
    if one.fault.name != "RACE":
        return None
    kernel, first, second = one.kernel, place_of(one.kernel, one["first_line"]), one.place
    if not first.at or not second.at or lost_write(one):
        return None
    if not (both := in_one_function(chain_of(kernel, first), chain_of(kernel, second))):
        return None
    place = span(function_source(kernel, both[0]), both[1], both[2])
    return Edge(one["first_pipe"], one["second_pipe"], place, one.details) if place else None


def by_edge(findings: list[Finding], edges: list[Edge | None]) -> list[Finding]:
    """Of races that one flag or barrier fixes, the one that leaves it the least freedom; the others are its `more`.

    Those within a pipe come last: a flag to another pipe and back orders them, too.
    """
    races = {(edge.details["first_line"], edge.details["line"]) for edge in edges if edge}

    def freedom(number: int) -> tuple[bool, bool, tuple[int, ...]]:
        edge = edges[number]
        assert edge is not None
        by_barrier = edge.first_pipe == edge.second_pipe
        return by_barrier, edge.span.again, edge.span.freedom(by_barrier)

    def follows(edge: Edge, other: Edge) -> bool:
        return edge.is_fixed_by(other) or edge.goes_through(other, races)

    more: dict[int, list[Finding]] = {}
    for number in sorted((i for i, edge in enumerate(edges) if edge), key=freedom):
        edge = edges[number]
        root = next((i for i in more if edge and (other := edges[i]) and follows(edge, other)), None)
        if root is None:
            more[number] = []
        else:
            more[root].append(findings[number])
    kept = (i for i, edge in enumerate(edges) if not edge or i in more)
    return [replace(findings[i], more=tuple(more.get(i, ()))) for i in kept]
