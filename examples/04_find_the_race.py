"""A kernel with a missing flag: its numbers are right on the twin; the checked twin says why they may not be on a chip.

Run it: python examples/04_find_the_race.py
See it: opwright trace examples/04_find_the_race.py:forgets_to_wait -o race.html
        --arg x=f32[4096] --arg z=f32[4096] --arg tiles=4

It runs on the CPU twin. Not run on an NPU.
"""

import numpy as np

from opwright import asc
from opwright.errors import RaceError

TILE = 1024


# [wrong]
@asc.jit
def forgets_to_wait(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int):
    """z = x + 1, tile by tile. One flag is missing: look for it before you run this."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 8192, TILE)
    for tile in range(tiles):
        asc.data_copy(x_local, x_gm[tile * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(z_local, x_local, 1, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[tile * TILE :], z_local, TILE)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)


# [wrong end]


# [right]
@asc.jit
def waits(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int):
    """The same, with the flag: the next copy waits until the add has read its tile."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, TILE)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 8192, TILE)
    for tile in range(tiles):
        asc.data_copy(x_local, x_gm[tile * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(z_local, x_local, 1, TILE)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[tile * TILE :], z_local, TILE)
        asc.set_flag(asc.HardEvent.MTE3_V, 0)
        asc.wait_flag(asc.HardEvent.MTE3_V, 0)
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)


# [right end]


def main() -> None:
    """Runs both kernels, plain and checked."""
    x = np.arange(4 * TILE, dtype=np.float32)
    for kernel in (forgets_to_wait, waits):
        z = np.full_like(x, np.nan)
        kernel[1](x, z, 4)
        print(f"{kernel.__name__}: {'equal to NumPy' if np.array_equal(z, x + 1) else 'WRONG'} on the twin")
        try:
            kernel.check[1](x, z, 4)
        except RaceError as error:
            print(f"but a chip may do otherwise:\n{error}\n")
        else:
            print("and the checked twin finds no race in it")


if __name__ == "__main__":
    main()
