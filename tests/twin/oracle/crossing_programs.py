"""Random small programs of a group, an AIC and its AIVs, that hand bytes of global memory over by flags.

In: a source of chance. Out: the steps of each core, the AIC first, nearly right; at most eleven in all.
"""

from __future__ import annotations

import random

from schedules import ALL, GM, MTE2, MTE3, Access, Barrier, CrossSet, CrossWait, Program, Set, Step, Touch, Wait

FIX = 10
MOST = 11


def touches(pipe: int, begin: int, written: bool) -> Access:
    return Access(pipe, (Touch(GM, begin, begin + 2, written),))


def over(source: int, destination: int) -> list[Step]:
    return [Set(source, destination, 0), Wait(source, destination, 0)]


def handed_over(chance: random.Random, aivs: int) -> Program:
    """The AIC writes, its AIVs read, and it writes again: with the flags that it takes, or others."""
    out = chance.choice([FIX, MTE3])
    aic: list[Step] = [touches(out, 0, True), CrossSet(out if chance.random() < 0.8 else MTE2, 2, 0)]
    if chance.random() < 0.7:
        aic += [CrossWait(2, 1), touches(chance.choice([out, MTE2]), chance.choice([0, 1, 4]), chance.random() < 0.7)]
    program: Program = [aic]
    for _ in range(aivs):
        aiv: list[Step] = [CrossWait(2, 0), touches(MTE2, chance.choice([0, 0, 1]), False)]
        if chance.random() < 0.4:
            aiv += over(MTE2, MTE3)
        if chance.random() < 0.4:
            aiv.append(touches(MTE3, 4, chance.random() < 0.5))
        aiv.append(CrossSet(chance.choice([MTE2, MTE2, MTE3]), 2, 1))
        program.append(aiv)
    return program


def of_two_aivs(chance: random.Random) -> Program:
    """Both AIVs write, wait for each other, and one reads what the other wrote."""
    program: Program = [[touches(MTE2, chance.choice([0, 2, 8]), False)] if chance.random() < 0.5 else []]
    for own in range(2):
        pipe = chance.choice([MTE3, MTE3, MTE2])
        aiv: list[Step] = [touches(MTE3, 2 * own, True), CrossSet(pipe, 1, 3), CrossWait(1, 3)]
        if chance.random() < 0.8:
            aiv.append(touches(MTE2, chance.choice([0, 2]), False))
        program.append(aiv)
    return program


def make(chance: random.Random) -> Program:
    program = of_two_aivs(chance) if chance.random() < 0.3 else handed_over(chance, chance.choice([1, 1, 2]))
    for _ in range(chance.choice([0, 0, 1, 2])):
        steps = chance.choice([steps for steps in program if len(steps) > 1])
        place = chance.randrange(len(steps) - 1)
        dice = chance.random()
        if dice < 0.5:
            steps[place], steps[place + 1] = steps[place + 1], steps[place]
        elif dice < 0.7 and not isinstance(steps[place], (Set, Wait)):
            del steps[place]
        else:
            steps.insert(place, Barrier(chance.choice([ALL, MTE2, MTE3])))
    return program if sum(map(len, program)) <= MOST else make(chance)
