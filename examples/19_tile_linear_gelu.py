"""A linear layer with GELU, over tiles: products on cube cores, the rest on vector cores, in one kernel.

Run it: python examples/19_tile_linear_gelu.py

The compiler sees that the sum leaves the cube core for vector work, and divides the kernel: cube cores multiply and
leave their tiles in a workspace, two for each group of cores; vector cores take half of the rows each. Flags between
the cores say when a tile is there and when its slot is free. Compare it with 13_matmul_leakyrelu_mix.py, which does the
same by hand. The checked twin runs it in sixteen orders. Not run on an NPU.
"""

from math import erf

import numpy as np

from opwright import tile


# [kernel]
@tile.jit
def linear_gelu(
    a: tile.Tensor,
    b: tile.Tensor,
    bias: tile.Tensor,
    c: tile.Tensor,
    BM: tile.constexpr = 64,
    BN: tile.constexpr = 64,
    BK: tile.constexpr = 64,
):
    for i, j in tile.parallel((a.shape[0], BM), (b.shape[1], BN)):
        acc = tile.zeros((BM, BN))
        for k in tile.range(a.shape[1], BK, stages=2):
            acc = tile.dot(a[i, k], b[k, j], acc)
        v = acc + bias[j].to(tile.float32)
        c[i, j] = (0.5 * v * (1.0 + tile.erf(v * 0.70710678))).to(c.dtype)


# [kernel end]


def reference(a: np.ndarray, b: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """In double."""
    v = a.astype(np.float64) @ b.astype(np.float64) + bias
    return 0.5 * v * (1 + np.vectorize(erf, otypes=[float])(v / 2**0.5))


def main() -> None:
    """Sizes that no tile divides."""
    random = np.random.default_rng(0)
    for m, n, k in ((1, 1, 1), (70, 130, 100), (64, 64, 300)):
        a, b, bias = (random.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n), (n,)))
        c = np.full((m, n), np.nan, np.float16)
        linear_gelu.check(perturb=16)(a, b, bias, c)
        wanted = reference(a, b, bias)
        wrong = np.max(np.abs(c - wanted) / np.maximum(np.abs(wanted), 1))
        said = "as NumPy has it" if wrong < 2e-3 else "WRONG"
        print(f"{m} x {k} times {k} x {n}: {said}, off by {wrong:.0e} at most")
    print(linear_gelu.report("f16[512, 512]", "f16[512, 512]", "f16[512]", "f16[512, 512]"))


if __name__ == "__main__":
    main()
