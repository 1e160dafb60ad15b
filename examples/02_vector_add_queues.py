"""Vector add with queues: the pipe hands out the memory, and the queues set and wait for the flags.

Run it: python examples/02_vector_add_queues.py
See its Ascend C: opwright emit examples/02_vector_add_queues.py:vadd --soc ascend910b --arg x=f16[4096] \
--arg y=f16[4096] --arg z=f16[4096] --arg block_length=512

The same sum as in 01_vector_add.py, which does by hand what the queues do here. It runs on the CPU twin. Not run on an
NPU.
"""

import numpy as np

from opwright import asc
from opwright.errors import FlagError, QueueError

TILE = 2048  # elements of one tile
BUFFERS = 2  # of each queue: copies of one tile run while the vector unit works on the other


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

    pipe = asc.TPipe()
    queue_x = asc.TQue(asc.TPosition.VECIN, 1)
    queue_y = asc.TQue(asc.TPosition.VECIN, 1)
    queue_z = asc.TQue(asc.TPosition.VECOUT, 1)
    size = TILE * x.dtype.sizeof()
    pipe.init_buffer(queue_x, BUFFERS, size)
    pipe.init_buffer(queue_y, BUFFERS, size)
    pipe.init_buffer(queue_z, BUFFERS, size)

    for begin in range(0, block_length, TILE):
        count = min(TILE, block_length - begin)

        # Copy in. alloc_tensor waits until the add of two tiles ago has read this buffer.
        x_in = queue_x.alloc_tensor(x.dtype)
        y_in = queue_y.alloc_tensor(x.dtype)
        asc.data_copy(x_in, x_gm[begin:], count)
        asc.data_copy(y_in, y_gm[begin:], count)
        queue_x.enque(x_in)
        queue_y.enque(y_in)

        # Compute. deque waits until the copies are done.
        x_local = queue_x.deque(x.dtype)
        y_local = queue_y.deque(x.dtype)
        z_local = queue_z.alloc_tensor(x.dtype)
        asc.add(z_local, x_local, y_local, count)
        queue_z.enque(z_local)
        queue_x.free_tensor(x_local)
        queue_y.free_tensor(y_local)

        # Copy out. deque waits until the add is done.
        z_out = queue_z.deque(x.dtype)
        asc.data_copy(z_gm[begin:], z_out, count)
        queue_z.free_tensor(z_out)


# [kernel end]


@asc.jit
def forgets_to_free(x: asc.GlobalAddress, tiles: int):
    """A mistake on purpose: the third tile finds no free buffer."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, BUFFERS, TILE * x.dtype.sizeof())
    for tile in range(tiles):
        x_in = queue.alloc_tensor(x.dtype)
        asc.data_copy(x_in, x_gm[tile * TILE :], TILE)
        queue.enque(x_in)
        queue.deque(x.dtype)


@asc.jit
def forgets_to_take(x: asc.GlobalAddress):
    """Another one: what is enqueued is never taken out, so its flag is left set."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, BUFFERS, TILE * x.dtype.sizeof())
    x_in = queue.alloc_tensor(x.dtype)
    asc.data_copy(x_in, x_gm, TILE)
    queue.enque(x_in)


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
    """Element types, core counts and lengths that no tile divides; then what the twin says about mistakes."""
    for dtype in ("float16", "float32", "int32"):
        for cores in (1, 8, 48):
            for block_length in (16, 2048, 5008):
                run(dtype, cores, block_length)
    x = np.ones(3 * TILE, np.float32)
    try:
        forgets_to_free[1](x, 3)
    except QueueError as error:
        print(f"\nA buffer that is not freed:\n{error}")
    try:
        forgets_to_take[1](x)
    except FlagError as error:
        print(f"\nA tensor that is not taken out:\n{error}")


if __name__ == "__main__":
    main()
