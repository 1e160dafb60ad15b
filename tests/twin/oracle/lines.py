"""Random programs for the interpreter: calls by hand, tiles by flags and tiles by queues that are nearly right.

In: a source of chance. Out: the lines of one to three cores.
"""

from __future__ import annotations

import random

import interpreter as at
from calls import BARRIERS, EVENTS, Core, Line, Refused
from schedules import ALL, MTE2, MTE3, V

MOST = 10
MOST_IN_LOOPS = 12
HAND_IDS = (4, 5)  # queues take the lowest ones
FREE_BLOCKS = (6, 8, 10)  # of UB, of no queue


def random_access(chance: random.Random, near: int) -> Line:
    """Mostly in the part of global memory that is this core's own, whose first block is `near`."""
    count = chance.choice([1, 1, 2])
    a, b = chance.randrange(8), chance.randrange(8)
    gm = near + chance.randrange(5)
    match chance.choice("iiiaaaaooosg"):
        case "i":
            return at.COPY_IN, a, gm, count
        case "a":
            return at.ADD, a, b if abs(a - b) >= count else a, count
        case "o":
            return at.COPY_OUT, gm, b, count
        case "s":
            return chance.choice([at.READ_UB, at.WRITE_UB]), a, 0, 0
    return chance.choice([at.READ_GM, at.WRITE_GM]), gm, 0, 0


def over(source: int, destination: int, number: int) -> list[Line]:
    event = EVENTS.index((source, destination))
    return [(at.SET, number, event, 0), (at.WAIT, number, event, 0)]


def by_hand(chance: random.Random, near: int, count: int) -> list[Line]:
    lines: list[Line] = []
    pending: list[Line] = []
    while len(lines) < count:
        dice = chance.random()
        if dice < 0.5:
            lines.append(random_access(chance, near))
        elif dice < 0.72:
            lines += over(*chance.choice(EVENTS), chance.choice(HAND_IDS))
        elif dice < 0.8:
            pending.append(over(*chance.choice(EVENTS), chance.choice(HAND_IDS))[1])
            lines.append((at.SET, *pending[-1][1:]))
        elif dice < 0.9 and pending:
            lines.append(pending.pop(chance.randrange(len(pending))))
        else:
            lines.append((at.BARRIER, chance.randrange(len(BARRIERS)), 0, 0))
    return lines


def by_flags(chance: random.Random, near: int) -> list[Line]:
    """Two or three tiles: copy in, add, copy out."""
    lines: list[Line] = []
    places = chance.choice([1, 2])
    goes_out = chance.random() < 0.6
    for tile in range(3):
        a, b, x = 2 * (tile % places), 4 + 2 * (tile % places), near + tile
        lines += [(at.COPY_IN, a, x, 1), *over(MTE2, V, 0), (at.ADD, b, a, 1)]
        if goes_out:
            lines += [*over(V, MTE3, 0), (at.COPY_OUT, x, b, 1), *over(MTE3, V, 1)]
        lines += over(V, MTE2, 1)
    if chance.random() < 0.3:
        lines[chance.randrange(len(lines))] = chance.choice([(at.READ_UB, 4, 0, 0), (at.WRITE_UB, 0, 0, 0)])
    return lines


def by_queues(chance: random.Random, near: int) -> list[Line]:
    """Tiles that come in through one queue and, maybe, go out through the other."""
    lines: list[Line] = []
    goes_out = chance.random() < 0.5
    for tile in range(3):
        x, free = near + tile, chance.choice(FREE_BLOCKS)
        lines += [(at.IN_ALLOC, 0, 0, 0), (at.IN_FILL, 0, x, 0), (at.IN_ENQUE, 0, 0, 0)]
        lines += [(at.IN_DEQUE, 0, 0, 0), (at.IN_USE, free, 0, 0)]
        if goes_out:
            lines += [(at.IN_FREE, 0, 0, 0), (at.OUT_ALLOC, 0, 0, 0), (at.OUT_FILL, 0, free, 0)]
            lines += [(at.OUT_ENQUE, 0, 0, 0), (at.OUT_DEQUE, 0, 0, 0), (at.OUT_DRAIN, x, 0, 0), (at.OUT_FREE, 0, 0, 0)]
        else:
            lines.append((at.IN_FREE, 0, 0, 0))
        if chance.random() < 0.3:
            # Something touches the buffers that does not go through the queue.
            lines.insert(chance.randrange(len(lines)), random_access(chance, near))
    return lines


def by_barriers(chance: random.Random, near: int) -> list[Line]:
    """Copies from and to global memory that only other cores can disturb."""
    lines: list[Line] = []
    for _ in range(3):
        x = near + chance.randrange(3)
        lines.append(chance.choice([(at.COPY_IN, 0, x, 2), (at.COPY_OUT, x, 0, 1), (at.WRITE_GM, x, 0, 0)]))
        if chance.random() < 0.9:
            lines.append((at.BARRIER, BARRIERS.index(ALL), 0, 0))
    return lines


def mutated(chance: random.Random, lines: list[Line], times: int) -> list[Line]:
    for _ in range(times):
        if len(lines) < 3:
            break
        place = chance.randrange(min(len(lines) - 2, MOST))  # what comes later may be cut off
        dice = chance.random()
        if dice < 0.15:
            del lines[place]
        elif dice < 0.45:
            lines[place : place + 2] = []
        elif dice < 0.85:
            other = chance.choice([place + 1, place + 2])
            lines[place], lines[other] = lines[other], lines[place]
        else:
            lines.insert(place, (at.BARRIER, chance.randrange(len(BARRIERS)), 0, 0))
    return lines


def shortened(lines: list[Line], most: int) -> list[Line]:
    """As many lines as give no more steps than that."""
    core, steps = Core(), 0
    for place, line in enumerate(lines[: at.LINES - 8]):
        try:
            steps += len(core.run(line))
        except Refused:
            return lines[: place + 1]
        if steps > most:
            return lines[:place]
    return lines[: at.LINES - 8]


def closed(lines: list[Line]) -> list[Line]:
    """With waits for all flags that would be left set."""
    core = Core()
    try:
        for line in lines:
            core.run(line)
    except Refused:
        return lines
    by_queue = {flag for held in (core.into, core.out) for flag in held.queue.flags.values()}
    ends: list[Line] = [(at.IN_DEQUE, 0, 0, 0)] * len(core.into.queue.ready)
    ends += [(at.OUT_DEQUE, 0, 0, 0)] * len(core.out.queue.ready)
    for flag in sorted(core.flags - by_queue, key=lambda flag: (flag.source, flag.destination, flag.id)):
        ends.append(over(flag.source, flag.destination, flag.id)[1])
    return lines + ends


def one_core(chance: random.Random, near: int, most: int, is_alone: bool) -> tuple[str, list[Line]]:
    kind = chance.choice(["hand", "loop", "flags", "queues", "queues"] + ["barriers"] * 5 * (not is_alone))
    match kind:
        case "hand":
            lines = by_hand(chance, near, most)
        case "loop":
            turns = chance.choice([2, 3])
            body = closed(by_hand(chance, near, max(1, min(4, most // turns))))
            lines = body * turns
        case "barriers":
            lines = by_barriers(chance, near)
        case "flags":
            lines = by_flags(chance, near)[chance.choice([0, 0, 1, 3]) :]
            lines = mutated(chance, lines, chance.choice([0, 1, 1, 2]))
        case _:
            # A queue refuses most of what is done to it in another order.
            lines = mutated(chance, by_queues(chance, near), chance.choice([0, 0, 1]))
    return kind, shortened(lines, most)


def make(chance: random.Random) -> tuple[set[str], list[list[Line]]]:
    """What is in the program, and its lines."""
    cores = chance.choices([1, 2, 3], [3, 2, 1])[0]
    most = (MOST_IN_LOOPS, MOST // 2, MOST // 3 + 1)[cores - 1]
    syncs = chance.choice([0, 1]) if cores > 1 else 0
    kinds = {"cores"} if cores > 1 else set()
    apart = chance.choice([0, 2, 3, 5])  # blocks of global memory, of which a core uses five or less
    program = []
    for core in range(cores):
        kind, lines = one_core(chance, core * apart, most - syncs, is_alone=cores == 1)
        kinds.add(kind)
        for _ in range(syncs if chance.random() < 0.93 else 0):
            lines.insert(chance.randint(0, len(lines)), (at.SYNC_ALL, 0, 0, 0))
            kinds.add("sync_all")
        program.append(lines if chance.random() < 0.05 else closed(lines))
    return kinds, program
