"""Attention over tiles: sequences of any length side by side, groups of heads that share keys, causal or not.

Run it: python examples/20_tile_attention.py

Both products run on cube cores and the softmax between them on vector cores. The compiler divides the kernel, hands the
scores, the probabilities and the products over through a workspace, and sets the flags between the cores. The checked
twin runs it in sixteen orders. Not run on an NPU.
"""

import numpy as np

from opwright import tile


# [kernel]
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
        shift = k0 + k_len - q_len - q0  # row r of q sees keys up to r + shift
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


# [kernel end]

HEADS, KV_HEADS, WIDTH, BM = 4, 2, 40, 32


def starts_of(lengths: list[int]) -> np.ndarray:
    """Where each sequence begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray, scale: float, causal: bool) -> np.ndarray:
    """One sequence, in double."""
    k, v = (np.repeat(one.astype(np.float64), HEADS // KV_HEADS, axis=1) for one in (k, v))
    s = np.einsum("qhd,khd->hqk", q.astype(np.float64), k) * scale
    if causal:
        s[:, np.triu(np.ones(s.shape[1:], bool), 1 + s.shape[2] - s.shape[1])] = -np.inf
    p = np.exp(s - s.max(axis=2, keepdims=True))
    return np.einsum("hqk,khd->qhd", p / p.sum(axis=2, keepdims=True), v)


def main() -> None:
    """A prompt, a token with a long past, and a prompt with a past."""
    random = np.random.default_rng(0)
    q_lengths, k_lengths = [33, 1, 17], [33, 50, 40]
    q_starts, k_starts = starts_of(q_lengths), starts_of(k_lengths)
    plan = np.array([(seq, row) for seq, n in enumerate(q_lengths) for row in range(0, n, BM)], np.int32)
    q = random.standard_normal((q_starts[-1], HEADS, WIDTH)).astype(np.float16)
    k, v = (random.standard_normal((k_starts[-1], KV_HEADS, WIDTH)).astype(np.float16) for _ in range(2))
    for causal in (False, True):
        o = np.full_like(q, np.nan)
        attention.check(perturb=16)(q, k, v, o, q_starts, k_starts, plan, WIDTH**-0.5, CAUSAL=causal, D=WIDTH)
        for seq, (n, past) in enumerate(zip(q_lengths, k_lengths, strict=True)):
            own, others = slice(*q_starts[seq : seq + 2]), slice(*k_starts[seq : seq + 2])
            wrong = np.abs(o[own] - reference(q[own], k[others], v[others], WIDTH**-0.5, causal)).max()
            said = "as NumPy has it" if wrong < 2e-3 else "WRONG"
            which = "causal" if causal else "all keys"
            print(f"{which}, {n} queries and {past} keys: {said}, off by {wrong:.0e} at most")


if __name__ == "__main__":
    main()
