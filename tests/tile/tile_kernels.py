"""Kernels over tiles as users write them; pyright checks them as it comes."""

from opwright import tile


@tile.jit
def add(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, BLOCK: tile.constexpr = 8192):
    for i in tile.parallel(x.shape[0], BLOCK):
        z[i] = x[i] + y[i]


@tile.jit
def softmax(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr = tile.auto):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        e = tile.exp(t - t.max(axis=1, keepdims=True))
        y[rows, cols] = (e / e.sum(axis=1, keepdims=True)).to(y.dtype)


@softmax.sizes
def _(x, y):
    return {"COLS": tile.blocks(x.shape[1], x.dtype)}


@tile.jit
def softmax_long(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 4096):
    for row in tile.parallel(x.shape[0]):
        m, total = tile.full((1,), -tile.inf), tile.zeros((1,))
        for cols in tile.range(x.shape[1], COLS, stages=2):
            t = x[row, cols].to(tile.float32)
            new = tile.maximum(m, t.max())
            total = total * tile.exp(m - new) + tile.exp(t - new).sum()
            m = new
        for cols in tile.range(x.shape[1], COLS, stages=2):
            y[row, cols] = (tile.exp(x[row, cols].to(tile.float32) - m) / total).to(y.dtype)


@tile.jit
def add_layer_norm(
    x: tile.Tensor,
    residual: tile.Tensor,
    weight: tile.Tensor,
    bias: tile.Tensor,
    y: tile.Tensor,
    summed: tile.Tensor,
    eps: float,
    COLS: tile.constexpr,
    ROWS: tile.constexpr = tile.auto,
):
    cols = tile.whole(x.shape[1], COLS)
    w, b = weight[cols].to(tile.float32), bias[cols].to(tile.float32)
    for rows in tile.parallel(x.shape[0], ROWS):
        s = x[rows, cols].to(tile.float32) + residual[rows, cols].to(tile.float32)
        summed[rows, cols] = s.to(x.dtype)
        d = s - s.mean(axis=1, keepdims=True)
        rstd = tile.rsqrt((d * d).mean(axis=1, keepdims=True) + eps)
        y[rows, cols] = (d * rstd * w + b).to(x.dtype)


@tile.jit
def linear_gelu(
    a: tile.Tensor,
    b: tile.Tensor,
    bias: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 128,
    BN: tile.constexpr = 128,
    BK: tile.constexpr = 64,
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
    BM: tile.constexpr = 128,
    BN: tile.constexpr = 128,
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
def quantize_rows(
    x: tile.Tensor, q: tile.Tensor, scales: tile.Tensor, COLS: tile.constexpr, ROWS: tile.constexpr = tile.auto
):
    cols = tile.whole(x.shape[1], COLS)
    for rows in tile.parallel(x.shape[0], ROWS):
        t = x[rows, cols].to(tile.float32)
        s = tile.maximum(tile.abs(t).max(axis=1), 1e-10) / 127.0
        q[rows, cols] = (t / s[:, None]).to(tile.int8)
        scales[rows] = s


@tile.jit
def cache_write(kv: tile.Tensor, cache: tile.Tensor, slots: tile.Tensor, H: tile.constexpr, D: tile.constexpr):
    h, d = tile.whole(kv.shape[1], H), tile.whole(kv.shape[2], D)
    for token in tile.parallel(kv.shape[0]):
        slot = slots[token]
        if slot >= 0:
            cache[slot // cache.shape[1], slot % cache.shape[1], h, d] = kv[token, h, d]


@tile.jit
def cache_read(
    cache: tile.Tensor,
    table: tile.Tensor,
    lengths: tile.Tensor,
    out: tile.Tensor,
    PAGE: tile.constexpr,
    W: tile.constexpr,
):
    w = tile.whole(cache.shape[2], W)
    for seq, page in tile.parallel(table.shape[0], table.shape[1]):
        left = lengths[seq] - page * PAGE
        if left > 0:
            there = tile.span(0, PAGE, stop=left)
            out[seq, there.shifted(page * PAGE), w] = cache[table[seq, page], there, w]


@tile.jit
def transpose(x: tile.Tensor, y: tile.Tensor, B: tile.constexpr = 64):
    for i, j in tile.parallel((x.shape[0], B), (x.shape[1], B)):
        y[j, i] = x[i, j].T
