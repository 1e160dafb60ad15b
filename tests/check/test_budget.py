"""The memory budget of a kernel: every buffer with its line, what each SoC has left, what shares bytes."""

import io
import json

import numpy as np
import pytest
from rich.console import Console

from opwright import asc
from opwright.asc import TPosition
from opwright.check.buffers import buffers_of
from opwright.findings.budget import Budget, Buffer, Placed, table
from opwright.findings.formulas import CORES
from opwright.runtime.jit import JitFunction

TILE = 64


def buffers(kernel: JitFunction, *arguments: object) -> list[Buffer]:
    bound = kernel.binder.bind(arguments, {}, described=True)
    return buffers_of(kernel.program(bound).ir)


def budget(kernel: JitFunction, *arguments: object) -> Budget:
    return Budget(kernel.__name__, tuple(Placed(one, None) for one in buffers(kernel, *arguments)))


@asc.jit
def tensors(x: asc.GlobalAddress, n: int):
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(asc.int32, TPosition.VECOUT, 96, TILE)
    c = asc.LocalTensor(asc.int8, TPosition.VECCALC, 512, n + asc.get_block_idx())
    asc.duplicate(a.reinterpret_cast(asc.int16), 1, 8)
    asc.duplicate(b, 1, 8)
    asc.duplicate(c.reinterpret_cast(asc.int16), 1, 8)


@pytest.mark.quick
def test_tensors() -> None:
    """Bytes by hand: 64 float16 are 128, 64 int32 are 256; they share 96 to 128."""
    a, b, c = buffers(tensors, "f16[64]", 64)
    assert (a.name, a.kind, a.memory, a.begin, a.end, a.at) == ("a", "tensor", "UB", 0, 128, "3:8")
    assert (b.name, b.begin, b.end, b.at) == ("b", 96, 352, "4:8")
    assert (c.name, c.begin, c.end, c.bytes) == ("c", 512, None, None)
    found = budget(tensors, "f16[64]", 64)
    assert [(first.buffer.name, second.buffer.name) for first, second in found.shared()] == [("a", "b")]
    assert found.used("UB") == 352 and [one.buffer.name for one in found.unknown("UB")] == ["c"]
    assert budget(tensors, "i8[64]", 64).shared() == []


@asc.jit
def helper_tensor(begin: int, size: int):
    asc.duplicate(asc.LocalTensor(asc.float32, TPosition.VECCALC, begin + 32, size), 1.0, 8)


@asc.jit
def by_arguments(x: asc.GlobalAddress, scale: float, n: int, tile: int):
    per_core = n // asc.get_block_num()
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, tile * 4, asc.int32(per_core))
    helper_tensor(max(n, tile), tile % 48)
    for i in range(2):
        asc.duplicate(asc.LocalTensor(asc.float32, TPosition.VECIN, i * 512, 8), scale, 8)
    asc.duplicate(a.reinterpret_cast(asc.float32), scale, 8)


@pytest.mark.quick
def test_tensors_that_arguments_place() -> None:
    """As Python computes them; the variable of a loop, and what cannot be divided, stay unknown."""
    made = buffers(by_arguments, "f16[64]", 1.0, 640, 64)
    assert [(one.begin, one.end) for one in made] == [(None, None)] * 3
    numbers = {CORES: 4, "n": 640, "tile": 64}
    assert [(one.begin, one.end) for one in (buffer.settled(numbers) for buffer in made)] == [
        (256, 256 + 160 * 2),
        (640 + 32, 640 + 32 + 16 * 4),
        (None, None),
    ]
    assert made[0].settled({**numbers, CORES: 0}).end is None
    assert made[0].settled({"tile": 64}).end is None


@asc.jit
def long_formulas(n: int):
    short = n
    for _ in asc.static_range(20):
        short = short + 32
    doubled = n
    for _ in asc.static_range(40):
        doubled = doubled - doubled % 32
    added = n
    for _ in asc.static_range(200):
        added = added + 32
    asc.duplicate(asc.LocalTensor(asc.float32, TPosition.VECIN, short, 8), 1.0, 8)
    asc.duplicate(asc.LocalTensor(asc.float32, TPosition.VECIN, doubled, 8), 1.0, 8)
    asc.duplicate(asc.LocalTensor(asc.float32, TPosition.VECIN, added, 8), 1.0, 8)


@pytest.mark.quick
def test_formulas_have_an_end() -> None:
    """A value that is used twice would double its formula every time."""
    begins = [one.settled({"n": 64}).begin for one in buffers(long_formulas, 64)]
    assert begins == [64 + 20 * 32, None, None]


@asc.simt
def shares(x: asc.GlobalAddress):
    a = asc.simt.shared(asc.int8, 3)
    b = asc.simt.shared(x.dtype, 10)
    a[0] = 1
    b[0] = x[0]


@pytest.mark.quick
def test_what_threads_share() -> None:
    """One behind the other, each where its type may lie."""
    a, b = buffers(shares, "f32[64]")
    assert (a.name, a.kind, a.memory, a.begin, a.end, a.at) == ("a", "shared", "UB", 0, 3, "3:8")
    assert (b.name, b.begin, b.end, b.at) == ("b", 4, 44, "4:8")
    assert budget(shares, "f32[64]").used("UB") == 44


@asc.jit
def fill(pipe: asc.TPipe, size: int):
    scratch = asc.TBuf(TPosition.VECCALC)
    pipe.init_buffer(scratch, size)
    asc.duplicate(scratch.get(asc.float32), 0.0, 8)


@asc.jit(kernel_type="mix_1_1")
def queues(n: int):
    pipe = asc.TPipe()
    first = asc.TQue(TPosition.VECIN, 1)
    matrix = asc.TQue(TPosition.A1, 1)
    pipe.init_buffer(first, 2, 40)
    pipe.init_buffer(matrix, 1, 1024)
    fill(pipe, 100)
    fill(pipe, n)
    last = asc.TQue(TPosition.VECOUT, 1)
    pipe.init_buffer(last, 1, 32)


@pytest.mark.quick
def test_queues() -> None:
    """Whole blocks, one after the other in each memory; behind one of unknown size no start is known."""
    first, matrix, scratch, unknown, last = buffers(queues, 3)
    assert (first.name, first.kind, first.number, first.bytes) == ("first", "queue", 2, 40)
    assert (first.begin, first.total, first.end) == (0, 128, 128)
    assert (matrix.memory, matrix.begin, matrix.end) == ("L1", 0, 1024)
    assert (scratch.name, scratch.kind, scratch.function) == ("scratch", "buffer", 1)
    assert (scratch.begin, scratch.end) == (128, 256)
    assert (unknown.begin, unknown.end, unknown.at) == (256, None, scratch.at)
    assert (last.begin, last.total, last.end) == (None, 32, None)
    assert budget(queues, 3).memories == ["UB", "L1"]


@asc.jit
def allocations(n: int):
    allocator = asc.LocalMemAllocator()
    a = allocator.alloc(TPosition.VECIN, asc.float16, 20)
    b = allocator.alloc(TPosition.VECIN, asc.float32, 8)
    asc.duplicate(a, 1.0, 8)
    asc.duplicate(b, 1.0, 8)
    for _ in range(n):
        c = allocator.alloc(TPosition.VECIN, asc.float32, 8)
        asc.duplicate(c, 1.0, 8)


@pytest.mark.quick
def test_allocations() -> None:
    """20 float16 are 40 bytes, so that the next one starts at 64; how often the loop turns is not known."""
    a, b, c = buffers(allocations, 1)
    assert (a.kind, a.begin, a.bytes, b.begin, b.end) == ("allocation", 0, 40, 64, 96)
    assert (c.name, c.begin, c.bytes) == ("c", None, 32)


@asc.jit
def twice(n: int):
    pipe = asc.TPipe()
    a = asc.TBuf(TPosition.VECCALC)
    b = asc.TBuf(TPosition.VECCALC)
    pipe.init_buffer(a, 64)
    pipe.reset()
    pipe.init_buffer(b, 64)


@pytest.mark.quick
def test_memory_that_was_given_back() -> None:
    a, b = buffers(twice, 1)
    assert a.begin == b.begin == 0


@asc.jit
def fill_from(pool: asc.TBufPool, size: int):
    scratch = asc.TBuf(TPosition.VECCALC)
    pool.init_buffer(scratch, size)
    asc.duplicate(scratch.get(asc.float32), 0.0, 8)


@asc.jit
def pools(n: int):
    pipe = asc.TPipe()
    before = asc.TBuf(TPosition.VECCALC)
    pipe.init_buffer(before, 40)
    pool = asc.TBufPool(TPosition.VECCALC, 4)
    other = asc.TBufPool(TPosition.VECCALC, 4)
    inner = asc.TBufPool(TPosition.VECCALC, 4)
    pipe.init_buf_pool(pool, 1000)
    pipe.init_buf_pool(other, 512, pool)
    queue = asc.TQue(TPosition.VECIN, 1)
    pool.init_buffer(queue, 2, 96)
    pool.init_buf_pool(inner, 128)
    fill_from(inner, 32)
    fill_from(inner, 64)
    fill_from(other, n)
    pool.reset()
    again = asc.TBuf(TPosition.VECCALC)
    pool.init_buffer(again, 32)
    behind = asc.TBuf(TPosition.VECCALC)
    pipe.init_buffer(behind, 32)


@pytest.mark.quick
def test_pools() -> None:
    """A pool of 1000 bytes is 1024 from 64 on: two buffers of 96, then a pool in it; what is behind comes after it."""
    found = [(one.name, one.kind, one.begin, one.end) for one in buffers(pools, 3)]
    assert found == [
        ("before", "buffer", 0, 64),
        ("pool", "pool", 64, 1088),
        ("other", "pool", 64, 576),
        ("queue", "queue", 64, 256),
        ("inner", "pool", 256, 384),
        ("scratch", "buffer", 256, 288),
        ("scratch", "buffer", 288, 352),
        ("scratch", "buffer", 64, None),
        ("again", "buffer", 64, 96),
        ("behind", "buffer", 1088, 1120),
    ]
    shared = [(first.buffer.name, second.buffer.name) for first, second in budget(pools, 3).shared()]
    assert shared == [("queue", "again")]


class Tiles:
    """Holds a queue."""

    def __init__(self, pipe: asc.TPipe):
        self.queue = asc.TQue(TPosition.VECIN, 1)
        pipe.init_buffer(self.queue, 2, 64)


@asc.jit
def of_an_object(n: int):
    pipe = asc.TPipe()
    Tiles(pipe)


@pytest.mark.quick
def test_fields() -> None:
    (one,) = buffers(of_an_object, 1)
    assert (one.name, one.begin, one.end, one.function) == ("queue", 0, 128, 1)


@pytest.mark.quick
def test_what_is_left() -> None:
    """By hand: 192 KiB less 8, and 256 KiB less 8."""
    found = budget(tensors, "f16[64]", 64)
    assert found.left("UB", "ascend910b") == found.left("UB", "ascend910_93") == 184 * 1024 - 352
    assert found.left("UB", "ascend950") == 248 * 1024 - 352


def test_a_report_has_it() -> None:
    """With lines of this file, from the compiler and from the store."""
    for _ in range(2):
        tensors._compiled.clear()
        tensors.check[1](np.zeros(64, np.float16), 64)
        found = tensors.check.report().budget
        assert found is not None
        lines = [placed.at.line for placed in found.buffers if placed.at is not None]
        first = tensors.source.first_line
        assert lines == [first + 2, first + 3, first + 4]
    data = json.loads(json.dumps(found.as_json()))
    assert data["shared"] == [[0, 1]]
    assert data["memories"]["UB"] == {
        "used": 352,
        "unknown": 1,
        "left": {"ascend910b": 188064, "ascend910_93": 188064, "ascend950": 253600},
    }
    assert data["buffers"][1]["line"] == first + 3


def test_the_table() -> None:
    """Every buffer and SoC, with what is unknown and what shares bytes."""
    tensors.check[1](np.zeros(64, np.float16), 64)
    found = tensors.check.report().budget
    assert found is not None
    said = io.StringIO()
    Console(file=said, width=120).print(table(found))
    line = tensors.source.first_line
    rows = [row.split() for row in said.getvalue().splitlines()]
    assert ["a", str(line + 2), "UB", "0", "128", "128"] in rows
    assert f"b {line + 3} UB 96 352 256 shares bytes with a (line {line + 2})".split() in rows
    assert ["c", str(line + 4), "UB", "512", "?", "?"] in rows
    left = "ascend950 UB 352 of 253952 253600 left without 1 whose end is not known before a launch"
    assert left.split() in rows
