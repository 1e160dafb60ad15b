"""Executions of schedule trees as programs of the oracle of the twin (`tests/twin/oracle/schedules.py`)."""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from opwright.tile.compiler.schedule import ALL_PIPES, Access, Barrier, Branch, Flag, Loop, Node, Slots, Step

sys.path.insert(0, str(Path(__file__).parents[1] / "twin" / "oracle"))
import schedules

PIPES = {"S": schedules.S, "V": schedules.V, "MTE2": schedules.MTE2, "MTE3": schedules.MTE3, ALL_PIPES: schedules.ALL}
MEMORIES = {"UB": schedules.UB, "GM": schedules.GM}
AREA = 8**4  # bytes of a tensor: each loop that moves it takes an eighth of what is left
MOST = 8  # iterations

# Says how often a loop runs, or which arm a branch takes.
Choice = Callable[[Loop | Branch], int]


def choice_by(chance: random.Random) -> Choice:
    """Some loops and branches always do the same, the others anything."""
    fixed: dict[Loop | Branch, int | None] = {}

    def choose(node: Loop | Branch) -> int:
        choices = range(len(node.arms)) if isinstance(node, Branch) else (0, 1, 1, 2, 2, 3, 4)
        if node not in fixed:
            fixed[node] = chance.choice(choices) if chance.random() < 0.6 else None
        chosen = fixed[node]
        return chance.choice(choices) if chosen is None else chosen

    return choose


@dataclass
class Trace:
    """The steps of one execution; `steps`: those of the tree, by their place in the program."""

    flags: Sequence[Flag]
    barriers: Sequence[Barrier]
    choose: Choice
    program: list[schedules.Step] = field(default_factory=list)
    steps: dict[int, Step] = field(default_factory=dict)
    counters: dict[Slots, int] = field(default_factory=lambda: defaultdict(int))
    iterations: dict[Loop, int] = field(default_factory=dict)
    tensors: dict[object, int] = field(default_factory=dict)

    def run(self, tree: list[Node]) -> None:
        ids = self._ids()
        primed = [(flag, number) for flag, first in ids.items() if flag.primed for number in range(len(flag.ids))]
        for flag, number in primed:
            self.program.append(schedules.Set(PIPES[flag.source], PIPES[flag.destination], ids[flag] + number))
        self._body(tree, ids)
        for flag, number in primed:
            self.program.append(schedules.Wait(PIPES[flag.source], PIPES[flag.destination], ids[flag] + number))

    def _ids(self) -> dict[Flag, int]:
        """Those of the flags; if they have none yet, all different."""
        given = [(flag.source, flag.destination, number) for flag in self.flags for number in flag.ids]
        if len(set(given)) == len(given):
            return {flag: flag.first_id for flag in self.flags}
        return {flag: 10 * place for place, flag in enumerate(self.flags)}

    def _body(self, nodes: list[Node], ids: dict[Flag, int]) -> None:
        for node in nodes:
            self._signal(node, ids, schedules.Wait)
            self.program += [schedules.Barrier(PIPES[one.pipe]) for one in self.barriers if one.before is node]
            match node:
                case Step():
                    self.steps[len(self.program)] = node
                    touches = [self._touch(one, written=False) for one in node.reads]
                    touches += [self._touch(one, written=True) for one in node.writes]
                    self.program.append(schedules.Access(PIPES[node.pipe], tuple(touches)))
                case Branch(arms=arms):
                    self._body(arms[self.choose(node)], ids)
                case Loop(body=body):
                    for iteration in range(self.choose(node)):
                        self.iterations[node] = iteration
                        self._body(body, ids)
                        for slots in node.advances:
                            self.counters[slots] = (self.counters[slots] + 1) % slots.count
                    self.iterations.pop(node, None)
            self._signal(node, ids, schedules.Set)

    def _signal(self, node: Node, ids: dict[Flag, int], kind: type[schedules.Set] | type[schedules.Wait]) -> None:
        for flag in self.flags:
            for pair in flag.pairs:
                if (pair.behind if kind is schedules.Set else pair.before) is node:
                    number = ids[flag] + (self.counters[flag.slots] if flag.slots else 0)
                    self.program.append(kind(PIPES[flag.source], PIPES[flag.destination], number))

    def _touch(self, access: Access, written: bool) -> schedules.Touch:
        if access.memory == "GM":
            first, size = AREA * self.tensors.setdefault(access.tensor, len(self.tensors)), AREA
            for loop, iteration in self.iterations.items():  # the outermost first
                if not (loop.parallel or (access.region is not None and loop in access.region.loops)):
                    break
                assert iteration < MOST
                size //= MOST
                first += iteration * size
            return schedules.Touch(schedules.GM, first, first + size, written)
        shift = access.ring.pitch * self.counters[access.ring.slots] if access.ring else 0
        return schedules.Touch(MEMORIES[access.memory], access.first + shift, access.last + shift, written)


def traced(tree: list[Node], flags: Sequence[Flag], barriers: Sequence[Barrier], choose: Choice) -> Trace:
    trace = Trace(flags, barriers, choose)
    trace.run(tree)
    return trace


def faults(program: list[schedules.Step], rules: schedules.Rules) -> set[str]:
    """What goes wrong, by what must have begun and ended before each step begins: as `schedules.verdict`, but fast."""
    numbered = schedules.Numbered([program], rules)
    count = len(program)
    found = set()
    begun: list[int] = []  # bits of the begins, and from `count` on of the ends, before the begin of a step
    for number, step in enumerate(program):
        needs = numbered.needs(number)
        if needs is None or max((*needs[0], *needs[1]), default=-1) >= number:
            return {"never"}
        known = 0
        for before in needs[0] | needs[1]:
            known |= begun[before] | 1 << before
        for before in needs[1]:
            known |= 1 << count + before
        begun.append(known)
        waited = numbered.waited_before(number) if isinstance(step, schedules.Set) else None
        if waited is not None and not known >> waited & 1:
            found.add("set again")
    if any(not begun[later] >> count + earlier & 1 for earlier, later in numbered.pairs):
        found.add("race")
    signals = [step for step in program if isinstance(step, (schedules.Set, schedules.Wait))]
    sets = [(step.source, step.destination, step.id) for step in signals if isinstance(step, schedules.Set)]
    waits = [(step.source, step.destination, step.id) for step in signals if isinstance(step, schedules.Wait)]
    return found | ({"left"} if sorted(sets) != sorted(waits) else set())
