"""Vector add with two buffers that overlap: copies of one tile run while the vector unit works on the other.

Run it: python examples/01_vector_add.py
See its Ascend C: opwright emit examples/01_vector_add.py:vadd --soc ascend910b --arg x=f16[4096] --arg y=f16[4096] \
--arg z=f16[4096] --arg block_length=512

It runs on the CPU twin. Not run on an NPU.
"""

import numpy as np

from opwright import asc
from opwright.errors import WrongDtype

TILE = 2048  # elements of one tile


# [kernel]
@asc.jit
def vadd(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, block_length: int):
    """z = x + y. Each core adds `block_length` elements, a multiple of 32 bytes."""
    offset = asc.get_block_idx() * block_length
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset, block_length)
    y_gm.set_global_buffer(y + offset, block_length)
    z_gm.set_global_buffer(z + offset, block_length)

    # Two tiles of each tensor, one after the other in the unified buffer.
    size = 2 * TILE * x.dtype.sizeof()
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 2 * TILE)
    y_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, size, 2 * TILE)
    z_local = asc.LocalTensor(x.dtype, asc.TPosition.VECOUT, 2 * size, 2 * TILE)

    # Both buffers are free at first: nothing has to be waited for.
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    asc.set_flag(asc.HardEvent.V_MTE2, 1)
    asc.set_flag(asc.HardEvent.MTE3_V, 0)
    asc.set_flag(asc.HardEvent.MTE3_V, 1)
    for begin in range(0, block_length, TILE):
        buffer = begin // TILE % 2
        count = min(TILE, block_length - begin)
        x_tile = x_local[buffer * TILE :]
        y_tile = y_local[buffer * TILE :]
        z_tile = z_local[buffer * TILE :]

        asc.wait_flag(asc.HardEvent.V_MTE2, buffer)  # the add of two tiles ago has read this buffer
        asc.data_copy(x_tile, x_gm[begin:], count)
        asc.data_copy(y_tile, y_gm[begin:], count)
        asc.set_flag(asc.HardEvent.MTE2_V, buffer)

        asc.wait_flag(asc.HardEvent.MTE2_V, buffer)
        asc.wait_flag(asc.HardEvent.MTE3_V, buffer)  # the copy out of two tiles ago has read this buffer
        asc.add(z_tile, x_tile, y_tile, count)
        asc.set_flag(asc.HardEvent.V_MTE2, buffer)
        asc.set_flag(asc.HardEvent.V_MTE3, buffer)

        asc.wait_flag(asc.HardEvent.V_MTE3, buffer)
        asc.data_copy(z_gm[begin:], z_tile, count)
        asc.set_flag(asc.HardEvent.MTE3_V, buffer)

    # A flag left set would disturb the next kernel.
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
    asc.wait_flag(asc.HardEvent.V_MTE2, 1)
    asc.wait_flag(asc.HardEvent.MTE3_V, 0)
    asc.wait_flag(asc.HardEvent.MTE3_V, 1)


# [kernel end]


def run(dtype: str, cores: int, block_length: int) -> None:
    """Adds on the twin and compares with NumPy bit for bit."""
    random = np.random.default_rng(1)
    length = cores * block_length
    x, y = (random.integers(-1000, 1000, length).astype(dtype) for _ in range(2))
    if x.dtype.kind == "f":
        x, y = x / x.dtype.type(7), y / y.dtype.type(3)
    z = np.empty_like(x)
    z.view(np.uint8)[:] = 0xFF  # NaN, or -1: whatever the kernel forgets to write shows
    vadd[cores](x, y, z, block_length)
    same = np.array_equal(z.view(np.uint8), (x + y).view(np.uint8))
    print(f"{dtype:8} {cores:2} cores x {block_length:5} elements: {'equal to NumPy' if same else 'WRONG'}")
    if not same:
        raise SystemExit(1)


def main() -> None:
    """Every element type, core count and some lengths that no tile divides."""
    for dtype in ("float16", "float32", "int16", "int32"):
        for cores in (1, 8, 48):
            for block_length in (16, 2048, 5008):
                run(dtype, cores, block_length)
    try:
        vadd.emit("bf16[4096]", "bf16[4096]", "bf16[4096]", 512, soc="ascend910b")
    except WrongDtype as error:
        print(f"\nbfloat16 is refused on ascend910b:\n{error}")


if __name__ == "__main__":
    main()
