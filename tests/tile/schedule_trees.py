"""Schedule trees of well-known kernels, as placement would make them."""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.tile.compiler.schedule import Access, Branch, Loop, Node, Region, Ring, Slots, Step


@dataclass
class Memory:
    """Gives buffers one after the other."""

    used: int = 0
    slots: Slots = field(default_factory=lambda: Slots(2))

    def buffer(self, size: int = 256) -> Access:
        first, self.used = self.used, self.used + size
        return Access("UB", first, first + size)

    def ring(self, size: int = 256, slots: Slots | None = None) -> Access:
        slots = slots or self.slots
        first, self.used = self.used, self.used + size * slots.count
        return Access("UB", first, first + size, Ring(slots, size))


def tensor(name: str, *loops: Loop) -> Access:
    return Access("GM", tensor=name, region=Region(loops) if loops else None)


def load(source: Access, target: Access) -> Step:
    return Step("MTE2", (source,), (target,), "load")


def store(source: Access, target: Access) -> Step:
    return Step("MTE3", (source,), (target,), "store")


def vector(target: Access, *sources: Access) -> Step:
    return Step("V", sources, (target,), "vector")


def scalar(*sources: Access) -> Step:
    return Step("S", sources, (), "scalar")


def add() -> list[Node]:
    memory = Memory()
    x, y, z = memory.ring(), memory.ring(), memory.ring()
    body: list[Node] = [load(tensor("x"), x), load(tensor("y"), y), vector(z, x, y), store(z, tensor("z"))]
    return [Loop(body, (memory.slots,), parallel=True)]


def softmax() -> list[Node]:
    """As section "flags" of a kernel with several rows a tile: fold, reduce, broadcast, subtract, exp, sum, divide."""
    memory = Memory()
    t, result = memory.ring(), memory.ring()
    fold, column, block = memory.buffer(), memory.buffer(), memory.buffer()
    body: list[Node] = [
        load(tensor("x"), t),
        vector(fold, t),
        vector(fold, fold, t),
        vector(column, fold),
        vector(block, column),
        vector(result, t, block),
        vector(result, result),
        vector(fold, result),
        vector(fold, fold, result),
        vector(column, fold),
        vector(block, column),
        vector(result, result, block),
        store(result, tensor("y")),
    ]
    return [Loop(body, (memory.slots,), parallel=True)]


def softmax_long(shared: bool = True) -> list[Node]:
    """Two loops inside one, with carried tiles; `shared`: both loops load into one ring."""
    memory = Memory()
    t, result, other = memory.ring(), memory.ring(), memory.ring()
    other_slots = memory.slots if shared else Slots(2)
    u = t if shared else memory.ring(slots=other_slots)
    del other
    result = memory.ring(slots=other_slots)
    m, total, new, p, s = (memory.buffer(32) for _ in range(5))
    q = memory.buffer()
    first = Loop(advances=(memory.slots,))
    first.body = [
        load(tensor("x"), t),
        vector(new, t),
        vector(new, new, m),
        vector(p, m, new),
        vector(p, p),
        vector(total, total, p),
        vector(q, t, new),
        vector(q, q),
        vector(s, q),
        vector(total, total, s),
        vector(m, new),
    ]
    second = Loop(advances=(other_slots,))
    second.body = [
        load(tensor("x"), u),
        vector(result, u, m),
        vector(result, result),
        vector(result, result, total),
        store(result, Access("GM", tensor="y", region=Region((second,)))),
    ]
    return [Loop([vector(m), vector(total), first, second], parallel=True)]


def add_layer_norm() -> list[Node]:
    """Two loads, two stores, weights that are loaded before the loop, casts between types."""
    memory = Memory()
    x, residual, y, summed = memory.ring(), memory.ring(), memory.ring(), memory.ring()
    raw_w, raw_b, w, b = memory.buffer(), memory.buffer(), memory.buffer(), memory.buffer()
    s, r, d, square = memory.buffer(), memory.buffer(), memory.buffer(), memory.buffer()
    mean, rstd, block = memory.buffer(32), memory.buffer(32), memory.buffer()
    body: list[Node] = [
        load(tensor("x"), x),
        load(tensor("residual"), residual),
        vector(s, x),
        vector(r, residual),
        vector(s, s, r),
        vector(summed, s),
        store(summed, tensor("summed")),
        vector(mean, s),
        vector(block, mean),
        vector(d, s, block),
        vector(square, d, d),
        vector(rstd, square),
        vector(rstd, rstd),
        vector(block, rstd),
        vector(d, d, block),
        vector(d, d, w),
        vector(d, d, b),
        vector(y, d),
        store(y, tensor("y")),
    ]
    return [
        load(tensor("weight"), raw_w),
        load(tensor("bias"), raw_b),
        vector(w, raw_w),
        vector(b, raw_b),
        Loop(body, (memory.slots,), parallel=True),
    ]


def attention() -> list[Node]:
    """The vector half of attention: a loop over keys inside one over rows, with a branch for the mask."""
    memory = Memory()
    outer = Slots(2)
    s_in, o_in, p_out = memory.ring(), memory.ring(), memory.ring()
    out = memory.ring(slots=outer)
    m, total, new, fix, row, sums = (memory.buffer(32) for _ in range(6))
    acc, s, p, mask, block, index = (memory.buffer() for _ in range(6))
    plan = memory.buffer(32)
    inner = Loop(advances=(memory.slots,))
    masked: list[Node] = [vector(mask, index), vector(mask, mask, index), vector(s, s, mask)]
    inner.body = [
        load(tensor("scores"), s_in),
        vector(s, s_in),
        Branch([masked, []]),
        *(vector(row, s) for _ in range(4)),
        vector(new, row, m),
        vector(block, new),
        vector(p, s, block),
        vector(p, p),
        vector(fix, m, new),
        vector(fix, fix),
        *(vector(sums, p) for _ in range(4)),
        vector(total, total, fix),
        vector(total, total, sums),
        vector(p_out, p),
        store(p_out, tensor("weights", inner)),
        load(tensor("products"), o_in),
        vector(block, fix),
        vector(acc, acc, block),
        vector(acc, acc, o_in),
        vector(m, new),
    ]
    body: list[Node] = [
        load(tensor("plan"), plan),
        scalar(plan),
        vector(m),
        vector(total),
        vector(acc),
        vector(index),
        inner,
        vector(block, total),
        vector(acc, acc, block),
        vector(out, acc),
        store(out, tensor("o")),
    ]
    return [Loop(body, (outer,), parallel=True)]


def cache_write() -> list[Node]:
    """A number that is read, and a branch with a copy through a buffer."""
    memory = Memory()
    row = memory.ring()
    return [
        Loop(
            [scalar(tensor("slots")), Branch([[load(tensor("kv"), row), store(row, tensor("cache"))], []])],
            (memory.slots,),
            parallel=True,
        )
    ]


KERNELS = {made.__name__: made for made in (add, softmax, softmax_long, add_layer_norm, attention, cache_write)}
