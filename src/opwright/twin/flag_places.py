"""Where a missing flag goes in the user's text, and which id is free for it.

In: the text of the functions and the places of two accesses in them, as (function, line of its text) from the outermost
call on. Out: a `FlagPlaces`: a set and a wait in it run equally often, and the set first. None where the text does not
tell, such as for a helper that is called from several places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from opwright.ascendc.table import rows_with
from opwright.ascendc.traits import SetsFlag, WaitsForFlag
from opwright.kernel.source import Source

_SETS = frozenset(row.short for row in rows_with(SetsFlag))
_WAITS = frozenset(row.short for row in rows_with(WaitsForFlag))
FREE_IDS = range(6)  # the toolchain keeps 6 and 7
Chain = Sequence[tuple[int, int]]
_Path = list[tuple[list[ast.stmt], ast.stmt]]  # from the function's body inwards: a block, and the statement in it


class FlagPlaces(NamedTuple):
    """In words: after what to set the flag, and where to wait for it.

    again: "iteration" or "call" if the second access belongs to the next one; "" if it comes later in the text.
    """

    after: str
    wait: str
    again: str = ""


def flag_places(source: Source, is_kernel: bool, first: int, second: int) -> FlagPlaces | None:
    """Between two lines of one function's text."""
    one, other, depth = _paths(source, first, second)
    if depth < 1:
        return None
    block, before = one[depth]
    after = other[depth][1]
    if block.index(before) < block.index(after):
        return FlagPlaces(_statement(source, before, first), f"before {_statement(source, after, second)}")
    at = _loop_around(one, depth)
    if at is not None:
        inner = _in_branch(one, at + 1)
        innermost = not any(isinstance(statement, (ast.For, ast.While)) for _, statement in one[at + 1 :])
        which = "the iteration" if innermost else f"each iteration of {_statement(source, one[at][1], 0)}"
        which = which if inner == at + 1 else "its branch"
        return FlagPlaces(_statement(source, one[inner][1], first), f"at the end of {which}", "iteration")
    if is_kernel:
        return None
    return FlagPlaces(_statement(source, one[1][1], first), f"at the end of {source.name}", "call")


class Span(NamedTuple):
    """Between which statements of a block something has to happen, by their numbers.

    block: the block, known by what it is. again: from one iteration of the loop around the block to the next one.
    around: of such a flag the block in which it is set with the number of its statement, behind those around it.
    """

    block: int
    first: int
    second: int
    again: bool
    around: tuple[tuple[int, int], ...] = ()

    def is_fixed_by(self, other: Span, by_barrier: bool) -> bool:
        """Whether the flag, or the barrier, that another one asks for is in the right place for this one too."""
        if self.block != other.block:
            return False
        if by_barrier:  # directly before the second statement
            behind, ahead = self.first < other.second, other.second <= self.second
            return behind or ahead if self.again else behind and ahead
        if self.again != other.again:
            return False
        if not self.again:
            return self.first <= other.first and other.second <= self.second
        where, place = other.around[-1]
        return any(block == where and first <= place for block, first in self.around)

    def freedom(self, by_barrier: bool) -> tuple[int, ...]:
        """How many places what fixes this one may take: the fewer, the more of the others it fixes too."""
        if by_barrier:
            return (self.second,)
        return tuple(-first for _, first in self.around) if self.again else (self.second - self.first,)


def span(source: Source, first: int, second: int) -> Span | None:
    """The place that `flag_places` tells, for comparing it with others; None where there is none, or no loop."""
    one, other, depth = _paths(source, first, second)
    if depth < 1:
        return None
    block, before = one[depth]
    places = block.index(before), block.index(other[depth][1])
    if places[0] < places[1]:
        return Span(id(block), *places, again=False)
    at = _loop_around(one, depth)
    if at is None:
        return None
    around = one[at + 1 : _in_branch(one, at + 1) + 1]
    block, before = around[0]
    places = block.index(before), block.index(other[at + 1][1])
    return Span(id(block), *places, True, tuple((id(block), block.index(statement)) for block, statement in around))


def _paths(source: Source, first: int, second: int) -> tuple[_Path, _Path, int]:
    """The ways to two lines, and how many blocks they share; the definition itself is the outermost one, number 0."""
    body = _parsed(source.text).body
    one, other = _path(body, first), _path(body, second)
    return one, other, sum(a is b for (a, _), (b, _) in zip(one, other, strict=False)) - 1


def _loop_around(path: _Path, depth: int) -> int | None:
    """Where the innermost loop around a block stands on the way to it."""
    loops = [i for i, (_, statement) in enumerate(path[:depth]) if isinstance(statement, (ast.For, ast.While))]
    return loops[-1] if loops else None


def _in_branch(path: _Path, at: int) -> int:
    """Where on a way the innermost branch around the access has its block, outside of inner loops; `at` without one.

    A flag that is set in all iterations, and led back to in some, would be set again before its wait has happened.
    """
    while isinstance(path[at][1], ast.If) and at + 1 < len(path):
        at += 1
    return at


def free_id(sources: Iterable[Source], event: str) -> int | None:
    """The lowest id that no text uses for an event; None where that cannot be seen."""
    used: set[int] = set()
    for source in sources:
        for call in ast.walk(_parsed(source.text)):
            if not isinstance(call, ast.Call) or _name(call.func) not in _SETS | _WAITS:
                continue
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if not given or not isinstance(given[0], ast.Attribute):
                return None  # it may be any event
            if given[0].attr != event:
                continue
            number = given[1] if len(given) > 1 else ast.Constant(0)
            if not isinstance(number, ast.Constant) or type(number.value) is not int:
                return None
            used.add(number.value)
    return next((number for number in FREE_IDS if number not in used), None)


def unwaited_id(sources: Iterable[Source], own: Source, event: str, first: int, second: int) -> int | None:
    """The id of a flag that is set between two lines of a function and that no text waits for, if there is one."""
    waited: set[int] = set()
    for source in sources:
        for call in ast.walk(_parsed(source.text)):
            if isinstance(call, ast.Call) and _name(call.func) in _WAITS:
                flag = _constant_flag(call)
                if flag is None:
                    return None  # it may be any flag
                waited |= {flag[1]} if flag[0] == event else set()
    for call in ast.walk(_parsed(own.text)):
        if isinstance(call, ast.Call) and _name(call.func) in _SETS and first <= call.lineno <= second:
            flag = _constant_flag(call)
            if flag is not None and flag[0] == event and flag[1] not in waited:
                return flag[1]
    return None


def _constant_flag(call: ast.Call) -> tuple[str, int] | None:
    """Event and id of a set or a wait; None where the text does not tell."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not given or not isinstance(given[0], ast.Attribute):
        return None
    number = given[1] if len(given) > 1 else ast.Constant(0)
    if not isinstance(number, ast.Constant) or type(number.value) is not int:
        return None
    return given[0].attr, number.value


def in_one_function(first: Chain, second: Chain) -> tuple[int, int, int] | None:
    """The innermost function through which both places are reached, with the line of each there."""
    shared = 0
    while shared + 1 < min(len(first), len(second)) and first[shared] == second[shared]:
        shared += 1
    (function, line), (other, other_line) = first[shared], second[shared]
    return (function, line, other_line) if function == other else None


@lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _path(block: list[ast.stmt], line: int) -> _Path:
    """The statements around a line, and the blocks in which they stand."""
    for statement in block:
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            inner = (getattr(statement, name, []) for name in ("body", "orelse"))
            return [(block, statement), *next(filter(None, (_path(part, line) for part in inner)), [])]
    return []


def _statement(source: Source, statement: ast.stmt, line: int) -> str:
    """A statement as a person finds it; `line` is that of the access in it."""
    kind = {ast.For: "the loop at ", ast.While: "the loop at ", ast.If: "the branch at "}.get(type(statement), "")
    generated = "generated " if source.author is not None else ""
    return f"{kind}{generated}line {source.first_line - 1 + (statement.lineno if kind else line)}"


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
