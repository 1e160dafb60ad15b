"""Flags and barriers of schedule trees: which ones known kernels get, and that none can be taken away."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from schedule_kernels import mutants
from schedule_traces import choice_by, faults, schedules, traced
from schedule_trees import KERNELS, Memory, load, scalar, softmax_long, store, tensor, vector

from opwright.tile.compiler.conflicts import Conflicts
from opwright.tile.compiler.ids import MOST_IDS
from opwright.tile.compiler.model import LEFT, NOT_SET, RACE, SET_AGAIN, Model
from opwright.tile.compiler.schedule import (
    ALL_PIPES,
    Access,
    Barrier,
    Branch,
    Flag,
    Loop,
    Node,
    Pair,
    Slots,
    Step,
    Synchronisation,
)
from opwright.tile.compiler.sync import in_order, synchronised

A2, A5 = "ascend910b", "ascend950"
# Where a flag is set and waited for: places of nodes, from the outermost list on.
FLAGS = {
    "add": [
        "V_MTE2 0-1 primed: 0.2 to 0.0",
        "MTE3_V 0-1 primed: 0.3 to 0.2",
        "MTE2_V 0-1: 0.1 to 0.2",
        "V_MTE3 0-1: 0.2 to 0.3",
    ],
    "softmax": [
        "V_MTE2 0-1 primed: 0.5 to 0.0",
        "MTE2_V 0-1: 0.0 to 0.1",
        "MTE3_V 0-1 primed: 0.12 to 0.5",
        "V_MTE3 0-1: 0.11 to 0.12",
    ],
    "softmax_long": [
        "V_MTE2 0-1 primed: 0.2.6 to 0.2.0, 0.3.1 to 0.3.0",
        "MTE2_V 0-1: 0.2.0 to 0.2.1",
        "MTE3_V 0-1 primed: 0.3.4 to 0.3.1",
        "MTE2_V 2-3: 0.3.0 to 0.3.1",
        "V_MTE3 0-1: 0.3.3 to 0.3.4",
    ],
    "add_layer_norm": [
        "MTE2_V 0-0: 1 to 2",
        "V_MTE2 0-1 primed: 4.3 to 4.0",
        "MTE2_V 1-2: 4.1 to 4.2",
        "MTE3_V 0-1 primed: 4.18 to 4.5",
        "V_MTE3 0-1: 4.5 to 4.6",
        "V_MTE3 2-3: 4.17 to 4.18",
    ],
    "cache_write": [
        "MTE3_MTE2 0-1 primed: 0.1.0.1 to 0.1.0.0",
        "MTE2_MTE3 0-1: 0.1.0.0 to 0.1.0.1",
    ],
    "attention": [
        "S_MTE2 0-0 primed: 0.1 to 0.0",
        "MTE2_S 0-0: 0.0 to 0.1",
        "V_MTE2 0-1 primed: 0.6.1 to 0.6.0",
        "MTE2_V 0-1: 0.6.0 to 0.6.1",
        "MTE3_V 0-1 primed: 0.6.20 to 0.6.19",
        "V_MTE3 0-1: 0.6.19 to 0.6.20",
        "V_MTE2 2-3 primed: 0.6.24 to 0.6.21",
        "MTE2_V 2-3: 0.6.21 to 0.6.24",
        "MTE3_V 2-3 primed: 0.10 to 0.9",
        "V_MTE3 2-3: 0.9 to 0.10",
    ],
}


def names(nodes: list[Node], before: str = "") -> dict[Node, str]:
    found: dict[Node, str] = {}
    for place, node in enumerate(nodes):
        found[node] = f"{before}{place}"
        if isinstance(node, Loop):
            found |= names(node.body, f"{before}{place}.")
        elif isinstance(node, Branch):
            for arm, inside in enumerate(node.arms):
                found |= names(inside, f"{before}{place}.{arm}.")
    return found


def lines(tree: list[Node], sync: Synchronisation) -> list[str]:
    """Flags as people read them."""
    name = names(tree)
    return [
        f"{flag.source}_{flag.destination} {flag.ids[0]}-{flag.ids[-1]}{' primed' * flag.primed}: "
        + ", ".join(f"{name[pair.behind]} to {name[pair.before]}" for pair in flag.pairs)
        for flag in sync.flags
    ]


def events(tree: list[Node], sync: Synchronisation) -> list[str]:
    return [line.split(" ")[0] for line in lines(tree, sync)]


def check(tree: list[Node], soc: str = A2) -> Synchronisation:
    """Flags and barriers that are right, of which none can be taken away, with ids that the chip has."""
    sync = synchronised(tree, soc)
    model = Model(Conflicts(tree), in_order(soc))
    assert model.fault(sync.flags, sync.barriers) is None
    for flags, barriers in mutants(sync):
        assert model.fault(flags, barriers) is not None
    ids = [(flag.source, flag.destination, number) for flag in sync.flags for number in flag.ids]
    assert len(ids) == len(set(ids)) and all(number < MOST_IDS for *_, number in ids)
    rules = schedules.Rules(soc == A5, False)
    for seed in range(3):
        trace = traced(tree, sync.flags, sync.barriers, choice_by(random.Random(seed)))
        assert faults(trace.program, rules) == set()
    return sync


@pytest.mark.parametrize("soc", [A2, A5])
@pytest.mark.parametrize("name", KERNELS)
def test_known_kernels(name: str, soc: str) -> None:
    tree = KERNELS[name]()
    sync = check(tree, soc)
    assert lines(tree, sync) == FLAGS[name]
    assert soc == A2 or not sync.barriers
    assert not sync.notes


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_numbers_of_iterations(name: str, count: int) -> None:
    """Clean, no wait without its set, nothing left set: also for loops that do not run inside ones that do."""
    tree = KERNELS[name]()
    sync = synchronised(tree, A2)
    outermost = [node for node in tree if isinstance(node, Loop)]
    for inner in (0, 1, 3):
        choose = lambda node, inner=inner: 0 if isinstance(node, Branch) else count if node in outermost else inner  # noqa: E731
        trace = traced(tree, sync.flags, sync.barriers, choose)
        assert faults(trace.program, schedules.Rules(False, False)) == set()


def test_calls_between_loops_in_a_row() -> None:
    """Rings of their own need no flag between the loops either; but each loop has ids of its own."""
    tree = softmax_long(shared=False)
    sync = check(tree)
    assert [len(flag.pairs) for flag in sync.flags] == [1] * 6
    assert all("." in name for line in lines(tree, sync) for name in line.split(": ")[1].split(" to "))


def test_one_slot() -> None:
    """Without a ring each flag has one id, and the copies wait for the calls of the iteration before."""
    memory = Memory(slots=Slots(1))
    x, z = memory.ring(), memory.ring()
    tree: list[Node] = [Loop([load(tensor("x"), x), vector(z, x), store(z, tensor("z"))], (memory.slots,))]
    tree[0].parallel = True  # type: ignore[union-attr]
    sync = check(tree)
    assert sorted(events(tree, sync)) == ["MTE2_V", "MTE3_V", "V_MTE2", "V_MTE3"]
    assert all(len(flag.ids) == 1 for flag in sync.flags)


def stored_and_loaded(parallel: bool, moving: bool) -> list[Node]:
    """Stores a tensor and loads it again."""
    memory = Memory()
    a, b = memory.ring(), memory.ring()
    loop = Loop(advances=(memory.slots,), parallel=parallel)
    y = tensor("y", loop) if moving else tensor("y")
    loop.body = [vector(a), store(a, y), load(y, b), vector(b, b)]
    return [loop]


def test_global_memory() -> None:
    """A load waits for the store before it; across iterations only if they may touch the same elements."""
    for parallel, moving in ((True, False), (False, True), (True, True)):
        tree = stored_and_loaded(parallel, moving)
        sync = check(tree)
        assert "MTE3_MTE2" in events(tree, sync)
        assert not any(flag.primed for flag in sync.flags if flag.source == "MTE2" and flag.destination == "MTE3")
    tree = stored_and_loaded(parallel=False, moving=False)
    sync = check(tree)
    assert sorted(events(tree, sync)).count("MTE2_MTE3") + sorted(events(tree, sync)).count("V_MTE3") >= 1
    # Stores of one iteration and the next meet, too: without a flag that says more, a barrier orders them.
    memory = Memory()
    a = memory.ring()
    tree = [Loop([vector(a), store(a, tensor("y"))], (memory.slots,))]
    assert [barrier.pipe for barrier in check(tree, A5).barriers] == ["MTE3"]
    atomic = Access("GM", tensor="y", atomic="add")
    tree = [Loop([vector(a), store(a, atomic)], (memory.slots,))]
    assert synchronised(tree, A5).barriers == ()  # of atomic writes the oracle knows nothing


def test_parallel_loops_in_a_row() -> None:
    """What the first one stores the second one may load."""
    memory = Memory()
    a, b = memory.buffer(), memory.buffer()
    tree: list[Node] = [
        Loop([vector(a), store(a, tensor("y"))], parallel=True),
        Loop([load(tensor("y"), b), vector(b, b)], parallel=True),
    ]
    assert "MTE3_MTE2 0-0: 0 to 1" in lines(tree, check(tree))


def test_scalar_unit() -> None:
    """Numbers that the scalar unit reads in UB: V waits for it, and it waits for V; one wait orders all other pipes."""
    memory = Memory()
    a = memory.buffer()
    tree: list[Node] = [Loop([vector(a), scalar(a)])]
    assert lines(tree, check(tree)) == ["S_V 0-0 primed: 0.1 to 0.0", "V_S 0-0: 0.0 to 0.1"]
    b = memory.buffer()
    tree = [vector(b), vector(a), scalar(a), store(b, tensor("y"))]
    assert lines(tree, check(tree)) == ["V_S 0-0: 1 to 2"]  # the store is issued behind the wait


def test_two_arms() -> None:
    """A tile that one arm loads and the other one uses: nothing can acknowledge in time, so a barrier takes over."""
    memory = Memory()
    a = memory.buffer()
    tree: list[Node] = [Loop([Branch([[load(tensor("x"), a)], [vector(a, a)]])])]
    sync = check(tree)
    assert ALL_PIPES in {barrier.pipe for barrier in sync.barriers}
    assert sync.notes and "MTE2_V" in " ".join(sync.notes)


def test_two_arms_with_the_same_rings() -> None:
    """Arms hand on their flags like loops in a row, if one of them may be empty: of one branch, and of two."""
    memory = Memory()
    a, b = memory.ring(), memory.ring()
    one, other = ([load(tensor(source), a), vector(b, a), store(b, tensor(target))] for source, target in ("xy", "zw"))
    needed = ["MTE2_V", "MTE2_V", "MTE3_V", "V_MTE2", "V_MTE3", "V_MTE3"]
    for branches in ([Branch([one, other])], [Branch([one, other, []])], [Branch([one, []]), Branch([other, []])]):
        tree: list[Node] = [Loop([*branches], (memory.slots,), parallel=True)]
        sync = check(tree)
        assert not sync.notes and sorted(events(tree, sync)) == needed
        if len(branches[-1].arms[-1]) == 0:
            assert [len(flag.pairs) for flag in sync.flags if flag.primed] == [2, 2]


def test_the_other_pipe_acknowledges() -> None:
    """Nothing but ids keeps the stores from running ahead of the loads that wait for them."""
    memory = Memory()
    a, b = memory.buffer(), memory.buffer()
    tree: list[Node] = [
        load(tensor("x"), a),
        Loop([store(a, tensor("y")), load(tensor("y"), b)], parallel=True),
    ]
    found = lines(tree, check(tree))
    assert "MTE3_MTE2 0-0: 1.0 to 1.1" in found and "MTE2_MTE3 1-1 primed: 1.1 to 1.0" in found


def test_many_flags_share_ids() -> None:
    """Eight calls and stores with rings of two: 16 ids of V_MTE3 are wanted, six are there."""
    memory = Memory()
    body: list[Node] = []
    for number in range(8):
        ring, source = memory.ring(), memory.ring()
        body += [load(tensor(f"x{number}"), source), vector(ring, source), store(ring, tensor("y"))]
    tree: list[Node] = [Loop(body, (memory.slots,), parallel=True)]
    sync = check(tree)
    assert not sync.notes


def test_the_model_names_faults() -> None:
    memory = Memory()
    a = memory.buffer()
    first, second = load(tensor("x"), a), vector(a, a)
    loop = Loop([first, second])
    model = Model(Conflicts([loop]), in_order(A2))
    forth = Flag("MTE2", "V", (Pair(first, second),), 0)
    back = Flag("V", "MTE2", (Pair(second, first),), 0, primed=True)
    assert model.fault([forth, back], [Barrier("V", second)]) is None
    assert model.fault([forth, back]) is None  # the flags say that the call before has ended
    race = model.fault([back])
    assert race is not None and (race.kind, race.first, race.second) == (RACE, first, second)
    race = model.fault([forth])
    assert race is not None and (race.kind, race.first, race.second) == (RACE, second, first)
    for flags, kind in (
        ([forth, Flag("V", "MTE2", (Pair(second, first),), 0)], NOT_SET),
        ([forth, back, Flag("V", "MTE2", (Pair(first, second),), 0, primed=True)], SET_AGAIN),
        ([back, Flag("MTE2", "V", (Pair(first, loop),), 0)], NOT_SET),
    ):
        found = model.fault(flags)
        assert found is not None and found.kind == kind
    # Set in an arm that may be left out, waited for behind the branch: one of both is wrong in any case.
    third = vector(a, a)
    model = Model(Conflicts([Branch([[first], []]), second, Branch([[third], []])]), in_order(A2))
    found = model.fault([Flag("MTE2", "V", (Pair(first, second),), 0)])
    assert found is not None and found.kind == NOT_SET
    found = model.fault([Flag("S", "V", (Pair(second, first),), 0, primed=True)], [Barrier(ALL_PIPES, second)])
    assert found is not None and found.kind == SET_AGAIN
    found = model.fault([Flag("S", "V", (Pair(second, third),), 0)], [Barrier(ALL_PIPES, second)], own=False)
    assert found is not None and found.kind == LEFT


def fewest_barriers(tree: list[Node]) -> int:
    """By trying all places before steps and loops."""
    model = Model(Conflicts(tree), in_order(A2))
    places = [Barrier("V", node) for node in names(tree)]
    for count in range(len(places) + 1):
        if any(model.fault([], list(some)) is None for some in combinations(places, count)):
            return count
    raise AssertionError(tree)


def random_vector_tree(chance: random.Random) -> list[Node]:
    """Calls of V only: in a row, in a loop, in a branch of it."""
    buffers = [Access("UB", first, first + 32) for first in range(0, 128, 32)]

    def steps(most: int) -> list[Node]:
        return [
            Step("V", tuple(chance.sample(buffers, chance.randint(0, 2))), (chance.choice(buffers),))
            for _ in range(chance.randint(1, most))
        ]

    inside: list[Node] = steps(3)
    if chance.random() < 0.5:
        inside.insert(chance.randint(0, len(inside)), Branch([steps(2), []]))
    return [*steps(2), Loop(inside), *steps(2)] if chance.random() < 0.7 else steps(6)


def test_fewest_barriers() -> None:
    chance = random.Random(3)
    for _ in range(40):
        tree = random_vector_tree(chance)
        assert len(check(tree).barriers) == fewest_barriers(tree)


def test_barriers_move_out_of_loops() -> None:
    """What only the first iteration needs stands before the loop."""
    memory = Memory()
    a, b, c = memory.buffer(), memory.buffer(), memory.buffer()
    read = [vector(c, a), vector(b, c)]
    tree: list[Node] = [vector(a), Loop([read[0], read[1]])]
    sync = check(tree)
    assert {(barrier.pipe, names(tree)[barrier.before]) for barrier in sync.barriers} == {("V", "1.0"), ("V", "1.1")}
    tree = [vector(a), Loop([scalar(b), vector(c, a), scalar(c)])]
    assert [names(tree)[barrier.before] for barrier in check(tree).barriers] == ["1"]
