"""Many random programs as one kernel, in which block k runs program k; and the reference for the same trees.

In: programs and how to run them. Out: per program, the first difference between the twin and the reference, if any.
"""

import hashlib
import importlib.util
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from simt_random import RETURN, Programs
from simt_reference import Memory, Thread, run_block
from simt_tree import HELPERS, READ_ONLY, SLOTS, Node, lines

from opwright.errors import OpwrightError

HEAD = """\
from opwright import asc
from opwright.asc import HardEvent, TPosition, simt


"""
PROGRAM = """

@simt
def program_{number}(t, b, n, numbers, singles, own, owned, slots, reals, totals):
{body}
    {result}
"""
PURE = """

@simt(opt_level={opt})
def kernel({parameters}, own: asc.GlobalAddress, owned: asc.GlobalAddress, n: int):
    t = simt.threadIdx.x
    b = simt.blockIdx.x
    slots = simt.shared(asc.int32, {threads})
    reals = simt.shared(asc.float32, {threads})
    first = (b * {threads} + t) * {slots}
{calls}
"""
MIXED = """

@simt
def work({parameters}, {tensors}, n: int):
    t = simt.threadIdx.x
    b = simt.blockIdx.x
    first = t * {slots}
{calls}


@asc.jit(soc="ascend950", opt_level={opt})
def kernel({parameters}, own: asc.GlobalAddress, owned: asc.GlobalAddress, n: int):
    first = asc.get_block_idx() * {elements}
    own_gm = asc.GlobalTensor()
    own_gm.set_global_buffer(own)
    owned_gm = asc.GlobalTensor()
    owned_gm.set_global_buffer(owned)
    a = asc.LocalTensor(own.dtype, TPosition.VECIN, 0, {elements})
    c = asc.LocalTensor(owned.dtype, TPosition.VECIN, {elements} * 8, {elements})
    slots = asc.LocalTensor(asc.int32, TPosition.VECCALC, {elements} * 16, {threads})
    reals = asc.LocalTensor(asc.float32, TPosition.VECCALC, {elements} * 20, {threads})
    asc.data_copy(a, own_gm[first:], {elements})
    asc.data_copy(c, owned_gm[first:], {elements})
    asc.set_flag(HardEvent.MTE2_V, 0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.vf_call(work, {threads}, {names}, a, c, slots, reals, n)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(own_gm[first:], a, {elements})
    asc.data_copy(owned_gm[first:], c, {elements})
"""
NAMES = ("numbers", "singles", "ints", "floats", "totals")
UNIFORM = (3, 10)  # what n is


@dataclass(frozen=True)
class Batch:
    """Programs of one source of chance, and how they are launched."""

    make: type[Programs]
    seed: int
    count: int
    threads: int
    own: str = "int32"
    owned: str = "float32"
    mixed: bool = False
    opt: int = 1

    def programs(self) -> dict[int, list[Node]]:
        maker = self.make(self.seed, self.threads, self.own)
        return {number: maker.make() for number in range(self.count)}


@dataclass
class Arrays:
    """The arguments of a launch."""

    numbers: np.ndarray
    singles: np.ndarray
    ints: np.ndarray
    floats: np.ndarray
    totals: np.ndarray
    own: np.ndarray
    owned: np.ndarray
    OUT: tuple[str, ...] = field(default=("ints", "floats", "totals", "own", "owned"), repr=False)

    def of(self, name: str, program: int, blocks: int) -> np.ndarray:
        """The part of an array that a program writes."""
        return getattr(self, name).reshape(blocks, -1)[program]


def arrays(batch: Batch, blocks: int) -> Arrays:
    """Numbers to read; results are -77 and NaN before."""
    chance = np.random.default_rng(batch.seed)
    threads = batch.threads * blocks
    return Arrays(
        chance.integers(-1000, 1000, READ_ONLY).astype(np.int32),
        (chance.integers(-99, 99, READ_ONLY) / 7).astype(np.float32),
        np.full(threads * 3, -77, np.int64),
        np.full(threads * 2, np.nan, np.float32),
        np.zeros(blocks * SLOTS, np.int32),
        chance.integers(-50, 100, threads * SLOTS).astype(batch.own),
        (chance.integers(-50, 100, threads * SLOTS) / 8).astype(batch.owned),
    )


def text_of(number: int, body: list[Node]) -> str:
    """A program as a Python function."""
    return PROGRAM.format(number=number, body="\n".join(lines(body)), result=RETURN)


def source(batch: Batch, programs: dict[int, list[Node]]) -> str:
    """The module of a batch. Blocks count from 0, whatever numbers the programs have."""
    given = "t, b, n, numbers, singles, own[first:], owned[first:], slots, reals, totals[b * 8 :]"
    calls = ["    i, j, k, p, q = 0, 0, 0, 0.0, 0.0"]
    for block, number in enumerate(programs):
        calls += [f"    if b == {block}:", f"        i, j, k, p, q = program_{number}({given})"]
    calls.append(f"    place = b * {batch.threads} + t")
    calls += [f"    ints[place * 3 + {at}] = {name}" for at, name in enumerate("ijk")]
    calls += [f"    floats[place * 2 + {at}] = {name}" for at, name in enumerate("pq")]
    frame = MIXED if batch.mixed else PURE
    return "".join(
        [
            HEAD,
            HELPERS,
            *(text_of(number, body) for number, body in programs.items()),
            frame.format(
                parameters=", ".join(f"{name}: asc.GlobalAddress" for name in NAMES),
                tensors=", ".join(f"{name}: asc.LocalTensor" for name in ("own", "owned", "slots", "reals")),
                names=", ".join(NAMES),
                threads=batch.threads,
                opt=batch.opt,
                slots=SLOTS,
                elements=batch.threads * SLOTS,
                calls="\n".join(calls),
            ),
        ]
    )


def load(folder: Path, text: str) -> Any:
    """The kernel of a module of its own."""
    name = f"batch_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def launch(kernel: Any, batch: Batch, blocks: int, n: int) -> Arrays:
    """What the twin computes."""
    got = arrays(batch, blocks)
    place = blocks if batch.mixed else (blocks, batch.threads)
    kernel[place](*(getattr(got, name) for name in NAMES), got.own, got.owned, n)
    return got


def reference(batch: Batch, programs: dict[int, list[Node]], n: int) -> Arrays:
    """What the trees mean."""
    made = arrays(batch, len(programs))
    numbers = Memory("int32", made.numbers.tolist())
    singles = Memory("float32", [np.float32(value) for value in made.singles])
    own = Memory(batch.own, [int(value) for value in made.own])
    owned = Memory(batch.owned, [np.float32(value) for value in made.owned])
    totals = Memory("int32", made.totals.tolist())
    for block, body in enumerate(programs.values()):
        shared = {"slots": Memory("int32", [0] * batch.threads), "reals": Memory("float32", [0] * batch.threads)}
        threads = []
        for t in range(batch.threads):
            first = (block * batch.threads + t) * SLOTS
            memory = {"own": own.part(first), "owned": owned.part(first), "totals": totals.part(block * SLOTS)}
            names = {"t": t, "b": block, "n": n}
            threads.append(Thread(names, {"numbers": numbers, "singles": singles, **shared, **memory}))
        for t, (i, j, k, p, q) in enumerate(run_block(body, threads)):
            place = block * batch.threads + t
            made.ints[place * 3 : place * 3 + 3] = i, j, k
            made.floats[place * 2 : place * 2 + 2] = p, q
    made.own[:], made.totals[:] = own.values, totals.values
    with np.errstate(all="ignore"):
        made.owned[:] = np.array(owned.values, np.float32).astype(batch.owned)
    return made


def differences(got: Arrays, expected: Arrays, blocks: int) -> dict[int, str]:
    """Block -> the first place where results are not the same bits; one NaN is like the other."""
    found: dict[int, str] = {}
    for block in range(blocks):
        for name in got.OUT:
            has, wants = got.of(name, block, blocks), expected.of(name, block, blocks)
            same = has.view(f"u{has.itemsize}") == wants.view(f"u{wants.itemsize}")
            if has.dtype.kind == "f":
                same |= np.isnan(has) & np.isnan(wants)
            if not same.all() and block not in found:
                at = int(np.argmin(same))
                found[block] = f"{name}[{at}] of its block: the twin has {has[at]}, the reference {wants[at]}"
    return found


def wrong(folder: Path, batch: Batch, programs: dict[int, list[Node]]) -> dict[int, str]:
    """The programs that fail, in one kernel if it compiles and runs, otherwise each on its own."""
    kernel = load(folder, source(batch, programs))
    failed: dict[int, str] = {}
    numbers = [*programs]
    try:
        for n in UNIFORM:
            got = launch(kernel, batch, len(programs), n)
            told = differences(got, reference(batch, programs, n), len(programs))
            failed |= {numbers[block]: f"n = {n}: {words}" for block, words in told.items()}
    except OpwrightError as error:
        if len(programs) == 1:
            return {numbers[0]: str(error)}
        for number, body in programs.items():
            failed |= wrong(folder, batch, {number: body})
        return failed or {numbers[0]: f"only all together: {error}"}
    return failed
