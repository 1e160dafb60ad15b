"""Kernels with products of matrices and vector work, as users write them; pyright checks them as it comes."""

from opwright import tile


@tile.jit
def linear_gelu(
    a: tile.Tensor,
    b: tile.Tensor,
    bias: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 32,
    BN: tile.constexpr = 32,
    BK: tile.constexpr = 32,
):
    for i, j in tile.parallel((a.shape[0], BM), (b.shape[1], BN)):
        acc = tile.zeros((BM, BN))
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        v = acc + bias[j].to(tile.float32)
        c[i, j] = (0.5 * v * (1.0 + tile.erf(v * 0.70710678))).to(c.dtype)


@tile.jit
def attention(
    q: tile.Tensor,
    k: tile.Tensor,
    v: tile.Tensor,
    o: tile.Tensor,
    q_starts: tile.Tensor,
    k_starts: tile.Tensor,
    plan: tile.Tensor,
    scale: float,
    CAUSAL: tile.constexpr,
    D: tile.constexpr,
    BM: tile.constexpr = 32,
    BN: tile.constexpr = 32,
):
    """q, o [tokens, heads, D]; k, v [tokens, kv heads, D]; plan [n, 2]: sequence and first row of each part."""
    d = tile.whole(q.shape[2], D)
    for w, head in tile.parallel(plan.shape[0], q.shape[1]):
        seq, first = plan[w, 0], plan[w, 1]
        q0, k0 = q_starts[seq], k_starts[seq]
        q_len, k_len = q_starts[seq + 1] - q0, k_starts[seq + 1] - k0
        kv = head // (q.shape[1] // k.shape[1])
        rows = tile.span(q0 + first, BM, stop=q0 + q_len)
        shift = k0 + k_len - q_len - q0
        end = k0 + k_len
        if CAUSAL:
            end = min(end, rows.start + BM + shift)
        qt = q[rows, head, d]
        m, total, acc = tile.full((BM, 1), -tile.inf), tile.zeros((BM, 1)), tile.zeros((BM, D))
        for cols in tile.range(k0, end, BN, stages=2):
            s = tile.dot(qt, k[cols, kv, d].T) * scale
            if CAUSAL and cols.start + BN > rows.start + shift:
                s = tile.where(cols.index[None, :] <= rows.index[:, None] + shift, s, -tile.inf)
            new = tile.maximum(m, s.max(axis=1, keepdims=True))
            p = tile.exp(s - new)
            fix = tile.exp(m - new)
            total = total * fix + p.sum(axis=1, keepdims=True)
            acc = acc * fix + tile.dot(p.to(v.dtype), v[cols, kv, d])
            m = new
        o[rows, head, d] = (acc / total).to(o.dtype)


@tile.jit
def scaled_residual(x: tile.Tensor, w: tile.Tensor, scales: tile.Tensor, y: tile.Tensor, largest: tile.Tensor):
    """x is a factor and a summand; every row has a scale; the largest element of each row is a second result."""
    cols = tile.whole(x.shape[1], 32)
    for rows in tile.parallel(x.shape[0], 15):
        t = x[rows, cols]
        s = tile.dot(t, w[cols, cols]) * scales[rows][:, None] + t.to(tile.float32)
        y[rows, cols] = s
        largest[rows] = s.max(axis=1)


@tile.jit
def two_products(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    """What vector cores make of one product is a factor of the next, in two loops."""
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        s = tile.zeros((16, 16))
        for k in tile.range(x.shape[1], 8):
            s = tile.dot(x[rows, k], w[k, cols], s)
        h = tile.maximum(s, 0.25).to(x.dtype)
        y[rows, cols] = tile.dot(h, w[cols, cols]) + 1.0


@tile.jit
def rare(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor, z: tile.Tensor, n: int):
    """Few launches come to the second product, and only a loop of many iterations comes to it more than once."""
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        y[rows, cols] = tile.dot(x[rows, cols], w[cols, cols]) * 2.0
        if n > 1:
            if n > 2:
                if n > 3:
                    if n > 4:
                        if n > 5:
                            if n > 6:
                                if n > 7:
                                    if n > 8:
                                        if n > 9:
                                            z[rows, cols] = tile.dot(x[rows, cols], w[cols, cols]) + 1.0


@tile.jit
def prints(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 32)
    for rows in tile.parallel(x.shape[0], 16):
        tile.print("rows from", rows.start)
        y[rows, cols] = tile.dot(x[rows, cols], w[cols, cols]) + 1.0


@tile.jit
def sum_of_rows(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        s = tile.dot(x[rows, cols], w[cols, cols]) * 2.0
        y[rows, cols] = s + s.sum(axis=0, keepdims=True)


@tile.jit
def added_to(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        y[rows, cols] = tile.dot(x[rows, cols], w[cols, cols], tile.exp(x[rows, cols].to(tile.float32))) + 1.0


@tile.jit
def in_place(x: tile.Tensor, w: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        x[rows, cols] = tile.dot(x[rows, cols], w[cols, cols]) + 1.0


@tile.jit
def one_row(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(x.shape[1], 16)
    for row in tile.parallel(x.shape[0], 1):
        y[row, cols] = tile.dot(x[row, cols], w[cols, cols]) + 1.0


@tile.jit
def side_by_side(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor, z: tile.Tensor):
    """Each kind of core stores its own: nothing goes between them. Nothing needs the second product."""
    cols = tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], 16):
        t = x[rows, cols]
        y[rows, cols] = tile.dot(t, w[cols, cols])
        tile.dot(t, w[cols, cols].T)
        z[rows, cols] = t.to(tile.float32) + 1.0


@tile.jit
def swish(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor):
    cols = tile.whole(w.shape[1], 32)
    for rows in tile.parallel(x.shape[0], 16):
        acc = tile.zeros((16, 32))
        for k in tile.range(x.shape[1], 32, stages=2):
            acc = tile.dot(x[rows, k], w[k, cols], acc)
        y[rows, cols] = acc * tile.maximum(acc, 0.5) + acc


@tile.jit
def widest(x: tile.Tensor, w: tile.Tensor, y: tile.Tensor, N: tile.constexpr, ROWS: tile.constexpr = tile.auto):
    cols, depth = tile.whole(w.shape[1], N), tile.whole(x.shape[1], 16)
    for rows in tile.parallel(x.shape[0], ROWS):
        y[rows, cols] = tile.exp(tile.dot(x[rows, depth], w[depth, cols])) * 2.0 + 1.0
