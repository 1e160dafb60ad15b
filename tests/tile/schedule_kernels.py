"""Prints schedule trees as one asc kernel that runs any of them, without any one of its flags or barriers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from opwright.tile.compiler.schedule import (
    ALL_PIPES,
    Access,
    Barrier,
    Branch,
    Flag,
    Loop,
    Node,
    Slots,
    Step,
    Synchronisation,
)

TENSORS = ("a", "b", "c", "d", "e", "f")
STRIDES = (2048, 256, 32)  # elements of a tensor between iterations of the loops that move it
ELEMENTS = 8 * STRIDES[0]
NONE = -1  # nothing is left out

HEAD = """\
from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition


@asc.jit(soc="{soc}", auto_sync=False, opt_level=0)
def kernel({tensors}, tree: int, without: int, often: int, inner: int, every: int, odd: int):
"""
OPEN = """\
    {0}_gm = asc.GlobalTensor()
    {0}_gm.set_global_buffer({0})
"""
FILL = """\
    everything = asc.LocalTensor(asc.float32, TPosition.VECCALC, 0, {0})
    asc.duplicate(everything, 1.0, {0})
    asc.pipe_barrier(PipeID.PIPE_ALL)
    total = 0.0
"""


def mutants(sync: Synchronisation) -> list[tuple[list[Flag], list[Barrier]]]:
    """What is left without each pair of a flag, then without each barrier: in the order of the kernel's numbers."""
    found = []
    for flag in sync.flags:
        for pair in flag.pairs:
            pairs = tuple(one for one in flag.pairs if one is not pair)
            rest = [one for one in sync.flags if one is not flag]
            kept = Flag(flag.source, flag.destination, pairs, flag.first_id, flag.slots, flag.primed)
            found.append(([*rest, kept] if pairs else rest, list(sync.barriers)))
    for barrier in sync.barriers:
        found.append((list(sync.flags), [one for one in sync.barriers if one is not barrier]))
    return found


def printed(soc: str, trees: Sequence[tuple[list[Node], Synchronisation]]) -> str:
    """The module of a kernel."""
    text = HEAD.format(soc=soc, tensors=", ".join(f"{name}: asc.GlobalAddress" for name in TENSORS))
    text += "".join(OPEN.format(name) for name in TENSORS)
    printers = [Printer(tree, sync, f"_{number}") for number, (tree, sync) in enumerate(trees)]
    bodies = [printer.text() for printer in printers]
    text += FILL.format(max(printer.used for printer in printers) // 4)
    for number, body in enumerate(bodies):
        text += f"    if tree == {number}:\n{body}"
    return text


@dataclass
class Printer:
    """One tree."""

    tree: list[Node]
    sync: Synchronisation
    suffix: str
    lines: list[str] = field(default_factory=list)
    counters: dict[Slots, str] = field(default_factory=dict)
    loops: list[tuple[Loop, str]] = field(default_factory=list)
    tensors: dict[object, str] = field(default_factory=dict)
    used: int = 0

    def __post_init__(self) -> None:
        pairs = [pair for flag in self.sync.flags for pair in flag.pairs]
        self.numbers = {id(one): number for number, one in enumerate((*pairs, *self.sync.barriers))}

    def text(self) -> str:
        self._count(self.tree)
        start = [f"{name} = 0" for name in self.counters.values()]
        self._ends("set_flag")
        self._body(self.tree, 0)
        self._ends("wait_flag")
        return "".join(f"        {line}\n" for line in (*start, *self.lines))

    def _count(self, nodes: list[Node]) -> None:
        for node in nodes:
            if isinstance(node, Loop):
                for slots in node.advances:
                    self.counters.setdefault(slots, f"slot{self.suffix}_{len(self.counters)}")
                self._count(node.body)
            elif isinstance(node, Branch):
                for arm in node.arms:
                    self._count(arm)

    def _ends(self, call: str) -> None:
        """Primes or drains: a flag with several pairs is there without one of them."""
        for flag in self.sync.flags:
            if flag.primed:
                event = f"HardEvent.{flag.source}_{flag.destination}"
                alone = f"if without != {self.numbers[id(flag.pairs[0])]}:" if len(flag.pairs) == 1 else "if True:"
                self.lines += [alone, *(f"    asc.{call}({event}, {number})" for number in flag.ids)]

    def _body(self, nodes: list[Node], depth: int) -> None:
        pad = "    " * depth
        for node in nodes:
            self._signals(node, "wait_flag", pad)
            for barrier in self.sync.barriers:
                if barrier.before is node:
                    pipe = "PIPE_ALL" if barrier.pipe == ALL_PIPES else f"PIPE_{barrier.pipe}"
                    self._guarded(barrier, f"asc.pipe_barrier(PipeID.{pipe})", pad)
            match node:
                case Step():
                    self.lines.append(pad + self._step(node))
                case Branch(arms=arms):
                    self._branch(arms, depth)
                case Loop():
                    self._loop(node, depth)
            self._signals(node, "set_flag", pad)

    def _branch(self, arms: list[list[Node]], depth: int) -> None:
        chosen = f"({self.loops[-1][1]} * every + odd) % 2" if self.loops else "odd"
        for arm, nodes in enumerate(arms):
            self.lines.append("    " * depth + f"if {chosen} == {arm}:")
            before = len(self.lines)
            self._body(nodes, depth + 1)
            if len(self.lines) == before:
                self.lines.append("    " * depth + "    pass")

    def _loop(self, loop: Loop, depth: int) -> None:
        name = f"i{self.suffix}_{len(self.lines)}"
        self.lines.append("    " * depth + f"for {name} in range({'inner' if self.loops else 'often'}):")
        self.loops.append((loop, name))
        self._body(loop.body, depth + 1)
        self.loops.pop()
        for slots in loop.advances:
            counter = self.counters[slots]
            self.lines.append("    " * depth + f"    {counter} = ({counter} + 1) % {slots.count}")
        if not (loop.body or loop.advances):
            self.lines.append("    " * depth + "    pass")

    def _signals(self, node: Node, call: str, pad: str) -> None:
        for flag in self.sync.flags:
            for pair in flag.pairs:
                if (pair.behind if call == "set_flag" else pair.before) is node:
                    number = f"{flag.first_id} + {self.counters[flag.slots]}" if flag.slots else str(flag.first_id)
                    line = f"asc.{call}(HardEvent.{flag.source}_{flag.destination}, {number})"
                    self._guarded(pair, line, pad)

    def _guarded(self, one: object, line: str, pad: str) -> None:
        self.lines += [f"{pad}if without != {self.numbers[id(one)]}:", f"{pad}    {line}"]

    def _step(self, step: Step) -> str:
        accesses = [access for access in (*step.reads, *step.writes) if access.memory != "GM"]
        count = min((access.last - access.first for access in accesses), default=32) // 4
        match step.pipe:
            case "S" if not accesses:
                return "total = total + 1.0"
            case "S":
                return f"total = total + {self._local(accesses[0])}.get_value(0)"
            case "MTE2":
                return f"asc.data_copy({self._local(step.writes[0])}, {self._global(step.reads[0])}, {count})"
            case "MTE3":
                return f"asc.data_copy({self._global(step.writes[0])}, {self._local(step.reads[0])}, {count})"
        target, sources = self._local(step.writes[0]), [self._local(access) for access in step.reads]
        if not sources:
            return f"asc.duplicate({target}, 1.0, {count})"
        if len(sources) == 1:
            return f"asc.adds({target}, {sources[0]}, 1.0, {count})"
        return f"asc.add({target}, {sources[0]}, {sources[1]}, {count})"

    def _local(self, access: Access) -> str:
        ring = access.ring
        self.used = max(self.used, access.last + (ring.pitch * (ring.slots.count - 1) if ring else 0))
        shift = f" + {ring.pitch // 4} * {self.counters[ring.slots]}" if ring else ""
        return f"everything[{access.first // 4}{shift} :]"

    def _global(self, access: Access) -> str:
        name = self.tensors.setdefault(access.tensor, TENSORS[len(self.tensors)])
        place = "0"
        for (loop, iteration), stride in zip(self.loops, STRIDES, strict=False):
            if not (loop.parallel or (access.region is not None and loop in access.region.loops)):
                break
            place += f" + {iteration} * {stride}"
        return f"{name}_gm[{place} :]"
