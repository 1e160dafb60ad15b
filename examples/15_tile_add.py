"""The sum of two arrays, over tiles: three lines, any length, any view, without an address, a flag or a queue.

Run it: python examples/15_tile_add.py
See the kernel that it becomes: python -c "import runpy; runpy.run_path('examples/15_tile_add.py')['show']()"

`tile.parallel` shares the axis among the cores in parts of BLOCK. What lies beyond the end of the axis does not exist:
it is neither read nor written. Compared with plain NumPy bit for bit, on the checked twin. Not run on an NPU.
"""

import numpy as np

from opwright import tile


# [kernel]
@tile.jit
def add(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, BLOCK: tile.constexpr = 4096):
    for i in tile.parallel(x.shape[0], BLOCK):
        z[i] = x[i] + y[i]


# [kernel end]


def show() -> None:
    """The kernel of `opwright.asc` that is compiled, and what it uses."""
    print(add.lower("f32[100000]", "f32[100000]", "f32[100000]"))
    print(add.report("f32[100000]", "f32[100000]", "f32[100000]"))


def main() -> None:
    """Lengths around a tile, on the checked twin; then a view."""
    random = np.random.default_rng(0)
    for length in (0, 1, 4095, 4096, 4097, 100_003):
        x, y = random.standard_normal((2, length), np.float32)
        z = np.full(length, np.nan, np.float32)
        add.check(x, y, z)
        print(f"{length:7,} elements: {'equal to NumPy' if np.array_equal(z, x + y) else 'WRONG'}")
    table = random.standard_normal((1000, 3), np.float32).T.copy()
    z = np.full(1000, np.nan, np.float32)
    add(table[0], table[2], z)
    print(f"rows of a table: {'equal to NumPy' if np.array_equal(z, table[0] + table[2]) else 'WRONG'}")


if __name__ == "__main__":
    main()
