"""Kernels over tiles that use every part of the language once: what the front end makes of them is run and compared."""

from opwright import tile

THIRD = 1 / 3


@tile.jit
def scaled(t, factor: float, by: tile.constexpr = 2):
    """A part of other kernels."""
    u = t * factor
    if by > 1:
        u = u + by
    return u


@tile.jit
def arithmetic(x: tile.Tensor, y: tile.Tensor, n: int, eps: float, SIZE: tile.constexpr = 8):
    for i in tile.parallel(x.shape[0], SIZE):
        t = x[i]
        u = 0.1 * 3 - t / 7 + 2 * t * THIRD - eps
        u = tile.maximum(-u, 0.25) + tile.minimum(1.5, t) + tile.maximum(2, u)
        u = u / eps + 1.0 / (t * t + 1) - n + n * eps
        u += tile.abs(t).to(tile.float16).to(tile.float32)
        u = scaled(u, eps) + scaled(t, factor=0.5, by=1)
        y[i] = u


@tile.jit
def shapes(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, R: tile.constexpr = 4, C: tile.constexpr = 8):
    cols = tile.whole(x.shape[1], C)
    for rows in tile.parallel(x.shape[0], R):
        t = x[rows, cols]
        row, column = t.sum(axis=0), t.max(axis=-1, keepdims=True)
        u = t * row + column - t.min(axis=1)[:, None] + t.mean() - t.mean(axis=0, keepdims=True)
        v = u + tile.arange(C).to(tile.float32)[None, :] * rows.index.to(tile.float32)[:, None]
        y[rows, cols] = tile.where((v > 1.0) & ~(3.0 > u) | (t == u), v, -1)
        z[cols, rows] = u.fill(0.5).T


@tile.jit
def carried(x: tile.Tensor, y: tile.Tensor, SIZE: tile.constexpr = 4):
    for row in tile.parallel(x.shape[0]):
        total, best, last = tile.zeros((SIZE,)), tile.full((1,), -tile.inf), tile.zeros((SIZE,))
        steps = 0
        for cols in tile.range(x.shape[1], SIZE, stages=3):
            t = x[row, cols]
            total, last = total + t.fill(0.0), t
            if steps % 2 == 0:
                best = tile.maximum(best, t.max())
                sign = t * 0.0 + 1.0
            else:
                sign = tile.zeros((SIZE,)) - 1.0
            total = total + sign.fill(0.0)
            steps += 1
        y[row, 0:SIZE] = total + best
        left, begin = steps, 0
        while left > 1:
            total = total * 0.5
            left -= 2
        while begin < SIZE:
            begin += SIZE
        for k in range(2):
            total = total + k
        y[row, begin : begin + SIZE] = total
        y[row, tile.span(2 * SIZE, SIZE)] += last


@tile.jit
def indices(x: tile.Tensor, y: tile.Tensor, order: tile.Tensor, counts: tile.Tensor, SIZE: tile.constexpr = 4):
    cols = tile.whole(x.shape[1], SIZE)
    tile.assume(order.shape[0] % SIZE == 0)
    for i in tile.parallel(order.shape[0], SIZE):
        t = x[order[i], cols]
        y[i, cols] = t
        tile.atomic_add(counts, (i,), order[i])
        tile.atomic_max(counts, i.shifted(order.shape[0]), order[i] * 2)


@tile.jit
def own_distribution(x: tile.Tensor, y: tile.Tensor, starts: tile.Tensor, SIZE: tile.constexpr = 4):
    for part in range(tile.core(), starts.shape[0] - 1, tile.cores()):
        stop = min(starts[part + 1], x.shape[0])
        for i in tile.range(starts[part], stop, SIZE):
            n = i.count if i.start > 0 else i.size
            y[i] = x[i] * float(n) + (i.stop - starts[part])
        rest = tile.span(stop, SIZE, stop=x.shape[0])
        if rest.count > 0 and part == starts.shape[0] - 2:
            y[rest] = x[rest]


@tile.jit
def integers(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, SIZE: tile.constexpr = 8):
    for i, j in tile.parallel((x.shape[0], 2), (x.shape[1], SIZE)):
        t = x[i, j]
        wide = t.to(tile.int32)
        y[i, j] = wide * 3 - t + (wide.sum() + wide.max(axis=1)[:, None])
        z[i, j] = tile.where(t >= 0, wide.to(tile.float32) * 1.5, 0).to(tile.int8, round="floor")


@tile.jit
def tests_positions(x: tile.Tensor, y: tile.Tensor, starts: tile.Tensor, n: int, SIZE: tile.constexpr = 4):
    for i in tile.parallel(starts.shape[0]):
        here = starts[i]
        cols = tile.whole(here + 4, 8)
        y[i, cols] = x[i, cols]
        if n > 0:
            for part in tile.range(here, n, SIZE):
                y[i, part] = x[i, part] * 2.0
            y[n - 1, tile.span(n, SIZE, stop=y.shape[1] + here)] = tile.zeros((SIZE,))


@tile.jit
def nested(x: tile.Tensor, y: tile.Tensor, R: tile.constexpr = 2, C: tile.constexpr = 4):
    for rows in tile.parallel(x.shape[0], R):
        for cols in tile.parallel(x.shape[1], C):
            y[rows, cols] = tile.exp(x[rows, cols])
