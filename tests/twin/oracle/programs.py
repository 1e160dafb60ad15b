"""Random small programs: loose steps, loops over tiles that are nearly right, and queues that are nearly right.

In: a source of chance. Out: a program of one to three cores, of at most ten steps in all, or twelve with a loop.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from queue_model import EventIds, Queue, vecin, vecout
from schedules import ALL, GM, MTE2, MTE3, UB, Access, Barrier, Program, S, Set, Step, SyncAll, Touch, V, Wait

MOST = 10
MOST_IN_LOOPS = 12
HAND_IDS = (4, 5)  # flags set by hand, apart from those that queues take


@dataclass(frozen=True)
class Made:
    """A program and what is in it."""

    program: Program
    kinds: frozenset[str]


def touch(chance: random.Random, memories: list[int]) -> Touch:
    begin = chance.randrange(6)
    return Touch(chance.choice(memories), begin, begin + chance.randint(1, 3), chance.random() < 0.6)


def access(chance: random.Random, pipes: list[int], memories: list[int]) -> Access:
    return Access(chance.choice(pipes), tuple(touch(chance, memories) for _ in range(chance.choice([1, 1, 2]))))


def loose(chance: random.Random, pipes: list[int], memories: list[int], count: int) -> list[Step]:
    """Flags are mostly waited for after they are set, sometimes before, and now and then without a set."""
    steps: list[Step] = []
    pending: list[tuple[int, int, int]] = []  # set and not waited for
    owed: list[tuple[int, int, int]] = []  # waited for and not set
    for _ in range(count):
        dice = chance.random()
        pair = (V, V) if V in pipes and chance.random() < 0.05 else chance.sample(pipes, 2)
        flag = (*pair, chance.choice(HAND_IDS))
        if dice < 0.18 and owed and chance.random() < 0.9:
            steps.append(Set(*owed.pop()))
        elif dice < 0.18:
            pending.append(flag)
            steps.append(Set(*flag))
        elif dice < 0.36 and pending:
            steps.append(Wait(*pending.pop(chance.randrange(len(pending)))))
        elif dice < 0.24:
            owed.append(flag)
            steps.append(Wait(*flag))
        elif dice > 0.88:
            steps.append(Barrier(chance.choice([ALL, *(pipe for pipe in pipes if pipe != S)])))
        else:
            steps.append(access(chance, pipes, memories))
    return steps


def looped(chance: random.Random, pipes: list[int], memories: list[int], count: int) -> list[Step]:
    """A loose body two or three times: what it reads late in one turn it overwrites early in the next."""
    turns = chance.choice([2, 2, 3])
    body = loose(chance, pipes, memories, min(4, count // turns))
    return body * turns


def over(source: int, destination: int) -> list[Step]:
    return [Set(source, destination, HAND_IDS[0]), Wait(source, destination, HAND_IDS[0])]


def tiled(chance: random.Random, count: int) -> list[Step]:
    """Copy in, add, copy out, tile after tile, with the flags that it takes; then a step or two go wrong."""
    steps: list[Step] = []
    buffers = chance.choice([1, 1, 2])
    goes_out = chance.random() < 0.5
    for tile in range(3):
        a, b, x = 2 * (tile % buffers), 8 + 2 * (tile % buffers), 16 + 2 * tile
        steps.append(Access(MTE2, (Touch(GM, x, x + 2, False), Touch(UB, a, a + 2, True))))
        steps += over(MTE2, V)
        steps.append(Access(V, (Touch(UB, a, a + 2, False), Touch(UB, b, b + 2, True))))
        if goes_out:
            steps += over(V, MTE3)
            steps.append(Access(MTE3, (Touch(UB, b, b + 2, False), Touch(GM, x, x + 2, True))))
            steps += over(MTE3, V)
        if chance.random() < 0.9:
            steps += over(V, MTE2)
    begin = chance.randrange(4)
    return mutated(chance, steps[begin : begin + count])


def mutated(chance: random.Random, steps: list[Step]) -> list[Step]:
    for _ in range(chance.choice([0, 1, 1, 2])):
        if len(steps) < 2:
            break
        place, other = chance.sample(range(len(steps)), 2)
        dice = chance.random()
        if dice < 0.4:
            steps[place : place + 1] = []
        elif dice < 0.7:
            steps[place], steps[other] = steps[other], steps[place]
        else:
            steps[place] = steps[other]
    return steps


def buffer_access(chance: random.Random, queue: Queue, first: int) -> Access:
    """The right pipe in the right state, or any pipe in any state."""
    wanted = {queue.producer: ("made",), queue.consumer: ("taken",)}
    pipe = chance.choice([queue.producer, queue.consumer])
    fitting = queue.having(*wanted[pipe])
    if not fitting or chance.random() < 0.15:
        fitting = list(range(queue.buffers))
        pipe = chance.choice([V, MTE2, MTE3])
    begin = first + 2 * chance.choice(fitting)
    written = (pipe == queue.producer) != (chance.random() < 0.1)
    return Access(pipe, (Touch(UB, begin, begin + 2, written),))


def queued(chance: random.Random, count: int) -> list[Step]:
    """Two queues walk through what they allow; their buffers are used in between, mostly as they should be."""
    ids = EventIds()
    queues = [(vecin(ids, chance.choice([1, 2])), 0), (vecout(ids, chance.choice([1, 2])), 4)]
    steps: list[Step] = []
    while len(steps) < count:
        queue, first = chance.choice(queues)
        made, taken = queue.having("made"), queue.having("taken")
        calls = ["alloc"] * bool(queue.having("free")) + ["enque", "free"] * bool(made)
        calls += ["deque"] * bool(queue.ready) + ["free"] * 2 * bool(taken)
        call = chance.choice([*calls, "use", "use"])
        if call == "use":
            steps.append(buffer_access(chance, queue, first))
        elif call == "alloc":
            steps += queue.alloc()[1]
        elif call == "enque":
            steps += queue.enque(chance.choice(made))
        elif call == "deque":
            steps += queue.deque()[1]
        else:
            steps += queue.free(chance.choice(taken if taken and chance.random() < 0.9 else made or taken))
    return steps[:count]


def one_core(chance: random.Random, memories: list[int], count: int) -> tuple[str, list[Step]]:
    pipes = chance.sample([S, V, MTE2, MTE3], chance.randint(2, 4))
    kind = chance.choices(["loose", "loop", "tiles", "queues"], [4, 2, 2, 3])[0]
    if count < 4:
        kind = "loose"
    match kind:
        case "loose":
            return kind, loose(chance, pipes, memories, count)
        case "loop":
            return kind, looped(chance, pipes, memories, count)
        case "tiles":
            return kind, tiled(chance, count)
    return kind, queued(chance, count)


def shares(chance: random.Random, total: int, cores: int) -> list[int]:
    cuts = sorted(chance.sample(range(1, total), cores - 1))
    return [end - begin for begin, end in zip([0, *cuts], [*cuts, total], strict=True)]


def make(chance: random.Random) -> Made:
    cores = chance.choices([1, 2, 3], [3, 2, 1])[0]
    if cores == 1:
        loops = chance.random() < 0.5
        kind, steps = one_core(chance, [UB, UB, GM], MOST_IN_LOOPS if loops else chance.randint(2, MOST))
        return Made([steps[: MOST_IN_LOOPS if kind in ("loop", "tiles") else MOST]], frozenset({kind}))
    syncs = chance.choice([0, 1, 1, 2]) if cores == 2 else chance.choice([0, 1])
    program, kinds = [], {"cores"}
    total = chance.randint(max(4, 2 * cores), MOST - syncs * cores)
    for share in shares(chance, total, cores):
        kind, steps = one_core(chance, [UB, GM, GM], share)
        # Nearly always every core comes as often as the others.
        for _ in range(syncs if chance.random() < 0.93 else chance.choice([0, syncs])):
            steps.insert(chance.randint(0, len(steps)), SyncAll())
        program.append(steps)
        kinds.add(kind)
    if any(SyncAll() in steps for steps in program):
        kinds.add("sync_all")
    return Made(program, frozenset(kinds))
