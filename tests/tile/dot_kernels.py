"""Kernels with products of matrices, as users write them; pyright checks them as it comes."""

from opwright import tile


@tile.jit
def matmul(
    a: tile.Tensor,
    b: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 128,
    BN: tile.constexpr = 128,
    BK: tile.constexpr = 256,
):
    for i, j in tile.parallel((a.shape[0], BM), (b.shape[1], BN)):
        acc = tile.zeros((BM, BN))
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = acc


@tile.jit
def matmul_relu(
    a: tile.Tensor,
    b: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 32,
    BN: tile.constexpr = 48,
    BK: tile.constexpr = 32,
):
    for i, j in tile.parallel((a.shape[0], BM), (b.shape[1], BN)):
        acc = tile.zeros((BM, BN))
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = tile.maximum(acc, 0).to(c.dtype)


@tile.jit
def turned(
    a: tile.Tensor,
    a_turned: tile.Tensor,
    b: tile.Tensor,
    b_turned: tile.Tensor,
    c: tile.Tensor,
    d: tile.Tensor,
    DTYPE: tile.constexpr = tile.float32,
    BM: tile.constexpr = 48,
    BN: tile.constexpr = 40,
    BK: tile.constexpr = 80,
):
    """The product of a and b twice, from the matrices and from their transposes."""
    for i, j in tile.parallel((c.shape[0], BM), (c.shape[1], BN)):
        acc = tile.zeros((BM, BN), DTYPE)
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        c[i, j] = acc
        other = tile.zeros((BM, BN), DTYPE)
        for k in tile.range(a.shape[1], BK, stages=2):
            other = tile.dot(a_turned[k, i].T, b_turned[j, k].T, other)
        d[i, j] = other


@tile.jit
def product_of_halves(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, BM: tile.constexpr = 32):
    cols, depth = tile.whole(b.shape[1], 64), tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], BM):
        c[i, cols] = tile.dot(a[i, depth], b[depth, cols])


@tile.jit
def scaled(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, scale: float):
    cols, depth = tile.whole(b.shape[1], 64), tile.whole(a.shape[1], 64)
    for i in tile.parallel(a.shape[0], 32):
        c[i, cols] = tile.dot(a[i, depth], b[depth, cols]) * scale


@tile.jit
def linear_gelu(a: tile.Tensor, b: tile.Tensor, bias: tile.Tensor, c: tile.Tensor):
    for i, j in tile.parallel((a.shape[0], 128), (b.shape[1], 128)):
        acc = tile.zeros((128, 128))
        for k in tile.range(a.shape[1], 64, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        v = acc + bias[j].to(tile.float32)
        c[i, j] = (0.5 * v * (1.0 + tile.erf(v * 0.70710678))).to(c.dtype)


@tile.jit
def attention(q: tile.Tensor, k: tile.Tensor, v: tile.Tensor, o: tile.Tensor):
    d = tile.whole(q.shape[1], 64)
    for rows in tile.parallel(q.shape[0], 64):
        total, acc = tile.zeros((64, 1)), tile.zeros((64, 64))
        qt = q[rows, d]
        for cols in tile.range(k.shape[0], 64, stages=2):
            p = tile.exp(tile.dot(qt, k[cols, d].T))
            total = total + p.sum(axis=1, keepdims=True)
            acc = acc + tile.dot(p.to(v.dtype), v[cols, d])
        o[rows, d] = (acc / total).to(o.dtype)


@tile.jit
def leaving(
    a: tile.Tensor, b: tile.Tensor, half: tile.Tensor, brain: tile.Tensor, positive: tile.Tensor, c: tile.Tensor
):
    """One sum, stored in four ways."""
    for i, j in tile.parallel((a.shape[0], 32), (b.shape[1], 32)):
        acc = tile.zeros((32, 32))
        for k in tile.range(a.shape[1], 32, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        half[i, j] = acc.to(half.dtype)
        brain[i, j] = acc.to(brain.dtype)
        positive[i, j] = tile.maximum(acc.to(positive.dtype), 0)
        c[i, j] = tile.maximum(acc, 0)


@tile.jit
def two_in_a_loop(a: tile.Tensor, b: tile.Tensor, c: tile.Tensor, d: tile.Tensor, e: tile.Tensor):
    """d = a x b.T and e = b.T x c, in one loop; a stays in L1."""
    cols = tile.whole(a.shape[1], 48)
    for i in tile.parallel(a.shape[0], 32):
        left = a[i, cols]
        total = tile.zeros((32, 48))
        for k in tile.range(b.shape[0], 32, stages=2):
            d[i, k] = tile.dot(left, b[k, cols].T)
            total = tile.dot(b[k, i].T, c[k, cols], total)
        e[i, cols] = total


@tile.jit
def batched(
    a: tile.Tensor,
    b: tile.Tensor,
    c: tile.Tensor,
    counts: tile.Tensor,
    STAGES: tile.constexpr = 3,
    BN: tile.constexpr = tile.auto,
):
    """Of each pair of matrices as many rows and as much of the depth as `counts` says."""
    for n in tile.parallel(a.shape[0]):
        rows = tile.span(0, 32, stop=counts[n, 0])
        for j in tile.range(b.shape[2], BN):
            acc = tile.zeros((32, BN))
            for k in tile.range(0, counts[n, 1], 16, stages=STAGES):
                acc = tile.dot(a[n, rows, k], b[n, k, j], acc)
            c[n, rows, j] = acc
