"""Walks through a kernel: the operations that it may do, one after the other, as its loops and branches go.

In: the block of a kernel. Out: some walks, the same ones every time. A loop runs 0 to 3 times, an outermost one up to 5
times; where a walk has grown long, once at most. Each walk has a goal, a body of a loop or an arm of a branch, however
deep it stands: most iterations of the outermost loop go there, some go anywhere. Every body and arm is the goal of
several walks, so none is left out, and each comes after itself and after others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from opwright.ir import Block, Operation
from opwright.ir.rewriting import blocks_of
from opwright.ir.tile import is_of_tiles
from opwright.ir.traits import is_loop

_LEAST_WALKS = 24
_WALKS_TO_A_GOAL = 3
_LONG = 2000  # operations
_TIMES = (0, 1, 2, 3)
_OUTERMOST = (5, 5, 5, 0, 1, 2)


def walks_of(block: Block) -> list[list[Operation]]:
    """The operations on tiles of a kernel, with loops and branches around them where these begin."""
    body = _body(block, is_outermost=True)
    goals = list(body.inside())
    count = max(_LEAST_WALKS, _WALKS_TO_A_GOAL * len(goals))
    return [_Walk(body, goals[number % len(goals)], number < len(goals), number).made() for number in range(count)]


@dataclass(frozen=True, eq=False)
class _Body:
    """What stands in a kernel, a loop or an arm of a branch."""

    nodes: list[_Node]

    def inside(self) -> Iterator[_Body]:
        """Itself, and the bodies in it."""
        yield self
        for node in self.nodes:
            for body in node.bodies:
                yield from body.inside()


@dataclass(frozen=True, eq=False)
class _Node:
    """An operation. times: how often a loop may run, none for others. bodies: that of the loop, or arms of a branch."""

    operation: Operation
    times: tuple[int, ...]
    bodies: list[_Body]


def _body(block: Block, is_outermost: bool) -> _Body:
    nodes = []
    for operation in block.ops:
        loops = is_loop(operation)
        bodies = [_body(inner, is_outermost and not loops) for inner in blocks_of(operation)]
        if (not bodies and is_of_tiles(operation)) or any(body.nodes for body in bodies):
            times = (_OUTERMOST if is_outermost else _TIMES) if loops else ()
            nodes.append(_Node(operation, times, bodies[-1:] if loops else bodies))
    return _Body(nodes)


class _Walk:
    """One walk. `is_first`: all iterations go to its goal."""

    def __init__(self, body: _Body, goal: _Body, is_first: bool, seed: int) -> None:
        self.body, self.goal, self.is_first = body, goal, is_first
        self.random = random.Random(seed)
        self.operations: list[Operation] = []

    def made(self) -> list[Operation]:
        """Its operations."""
        self._walk(self.body, self._is_for_goal())
        return self.operations

    def _is_for_goal(self) -> bool:
        return self.is_first or self.random.random() < 0.75

    def _walk(self, body: _Body, is_for_goal: bool) -> None:
        """is_for_goal: whether choices lead to the goal if they can."""
        for node in body.nodes:
            self.operations.append(node.operation)
            leading = [one for one in node.bodies if is_for_goal and any(inner is self.goal for inner in one.inside())]
            if not node.times and node.bodies:
                self._walk(self.random.choice(leading or node.bodies), is_for_goal)
            elif node.bodies:
                times = self._times(node, bool(leading))
                for _ in range(times):
                    self._walk(node.bodies[0], is_for_goal if node.times is _TIMES else self._is_for_goal())

    def _times(self, node: _Node, is_needed: bool) -> int:
        most = max(node.times) if len(self.operations) < _LONG else 1
        return self.random.choice([one for one in node.times if is_needed <= one <= most])
