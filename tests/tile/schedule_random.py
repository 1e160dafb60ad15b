"""Small random schedule trees: loops, branches, rings, overlapping buffers, tensors that are stored and loaded."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from opwright.tile.compiler.schedule import Access, Branch, Loop, Node, Region, Ring, Slots, Step

PIPES = ("MTE2", "V", "MTE3", "S")


@dataclass
class Maker:
    """Makes one tree of at most `most` steps; `plain`: whole buffers that do not overlap, no regions."""

    chance: random.Random
    most: int
    plain: bool = False
    made: int = 0
    used: int = 0
    loops: tuple[Loop, ...] = ()
    buffers: list[Access] = field(default_factory=list)
    regions: dict[str, Region] = field(default_factory=dict)

    def tree(self) -> list[Node]:
        while True:
            self.made, self.used, self.buffers, self.regions = 0, 0, [], {}
            tree = self.body(0)
            if self.made >= 2:
                return tree

    def body(self, depth: int) -> list[Node]:
        nodes: list[Node] = []
        for _ in range(self.chance.randint(1, 4)):
            if self.made >= self.most:
                break
            kind = self.chance.random()
            if kind < 0.35 and depth < 3:
                nodes.append(self.loop(depth))
            elif kind < 0.45 and depth < 3 and depth:
                nodes.append(Branch([self.body(depth + 1), self.body(depth + 1) if self.chance.random() < 0.4 else []]))
            else:
                nodes.append(self.step())
        return nodes

    def loop(self, depth: int) -> Loop:
        loop = Loop(parallel=depth == 0 and self.chance.random() < 0.7)
        if self.chance.random() < 0.7:
            own = [slots for around in self.loops for slots in around.advances]
            known = dict.fromkeys(access.ring.slots for access in self.buffers if access.ring)
            reused = [slots for slots in known if slots not in own and self.chance.random() < 0.6][:1]
            loop.advances = tuple(reused) or (Slots(self.chance.choice((2, 2, 3))),)
        self.loops = (*self.loops, loop)
        loop.body = self.body(depth + 1)
        self.loops = self.loops[:-1]
        return loop

    def step(self) -> Step:
        self.made += 1
        pipe = self.chance.choice(("MTE2", "MTE2", "V", "V", "V", "MTE3", "MTE3", "S"))
        match pipe:
            case "MTE2":
                return Step(pipe, (self.tensor(),), (self.place(),))
            case "MTE3":
                return Step(pipe, (self.place(),), (self.tensor(),))
            case "S":
                return Step(pipe, (self.place(),), ())
        return Step(pipe, tuple(self.place() for _ in range(self.chance.randint(0, 2))), (self.place(),))

    def tensor(self) -> Access:
        name = self.chance.choice("xxxyz")
        moves = self.chance.random() < 0.5 and not self.plain
        return Access("GM", tensor=name, region=self.regions.setdefault(name, Region(self.loops)) if moves else None)

    def place(self) -> Access:
        """A buffer that is there, a part of it, or a new one."""
        counters = [slots for loop in self.loops for slots in loop.advances]
        usable = [one for one in self.buffers if one.ring is None or one.ring.slots in counters]
        if usable and self.chance.random() < 0.7:
            access = self.chance.choice(usable)
            if self.chance.random() < 0.2 and not self.plain:
                return Access("UB", access.first, (access.first + access.last) // 2, access.ring)
            return access
        ring = Ring(self.chance.choice(counters), 32) if counters and self.chance.random() < 0.8 else None
        first, self.used = self.used, self.used + 32 * (ring.slots.count if ring else 1)
        self.buffers.append(Access("UB", first, first + 32, ring))
        if self.chance.random() < 0.05 and not self.plain:  # over others
            self.buffers[-1] = Access("UB", first // 2, first // 2 + 32, ring)
        return self.buffers[-1]
