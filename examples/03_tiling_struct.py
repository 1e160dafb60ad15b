"""Scale and shift with a plan made on the host: a dataclass goes to the kernel by value, a class holds its buffers.

Run it: python examples/03_tiling_struct.py
See its Ascend C: opwright emit examples/03_tiling_struct.py:scale_shift --arg x=f32[5000] --arg y=f32[5000] \
--arg tiling.per_core=1024 --arg tiling.tile=512 --arg tiling.length=5000 --arg tiling.scale=2 --arg tiling.shift=1

It runs on the CPU twin. Not run on an NPU.
"""

from dataclasses import dataclass

import numpy as np

from opwright import asc
from opwright.errors import BadField


# [kernel]
@dataclass
class Tiling:
    """What the host decides. A kernel reads its fields; the layout is part of the kernel's key."""

    length: int  # of the whole array
    per_core: int  # elements of one core
    tile: asc.int32  # elements of one copy
    scale: float
    shift: float


@asc.jit
def part_of(length: int, per_core: int):
    """The first element of this core and how many it has: the last core may have fewer, or none."""
    first = asc.get_block_idx() * per_core
    return first, max(0, min(per_core, length - first))


class ScaleShift:
    """y = x * scale + shift. Fields are set in __init__; every method is a function of the text."""

    def __init__(self, x: asc.GlobalAddress, y: asc.GlobalAddress, tiling: Tiling):
        self.first, self.count = part_of(tiling.length, tiling.per_core)
        self.x_gm = asc.GlobalTensor()
        self.y_gm = asc.GlobalTensor()
        self.x_gm.set_global_buffer(x + self.first, self.count)
        self.y_gm.set_global_buffer(y + self.first, self.count)
        self.pipe = asc.TPipe()
        self.x_queue = asc.TQue(asc.TPosition.VECIN, 2)
        self.y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
        self.pipe.init_buffer(self.x_queue, 2, tiling.tile * x.dtype.sizeof())
        self.pipe.init_buffer(self.y_queue, 2, tiling.tile * x.dtype.sizeof())
        self.dtype = x.dtype

    def copy_in(self, begin, count):
        x_local = self.x_queue.alloc_tensor(self.dtype)
        asc.data_copy(x_local, self.x_gm[begin:], count)
        self.x_queue.enque(x_local)

    def compute(self, count, scale, shift):
        x_local = self.x_queue.deque(self.dtype)
        y_local = self.y_queue.alloc_tensor(self.dtype)
        asc.muls(y_local, x_local, scale, count)
        asc.adds(y_local, y_local, shift, count)
        self.x_queue.free_tensor(x_local)
        self.y_queue.enque(y_local)

    def copy_out(self, begin, count):
        y_local = self.y_queue.deque(self.dtype)
        asc.data_copy(self.y_gm[begin:], y_local, count)
        self.y_queue.free_tensor(y_local)


@asc.jit
def scale_shift(x: asc.GlobalAddress, y: asc.GlobalAddress, tiling: Tiling):
    op = ScaleShift(x, y, tiling)
    for begin in range(0, op.count, tiling.tile):
        count = min(tiling.tile, op.count - begin)
        op.copy_in(begin, count)
        op.compute(count, tiling.scale, tiling.shift)
        op.copy_out(begin, count)


# [kernel end]


def plan(length: int, cores: int, scale: float, shift: float) -> Tiling:
    """The host's part: whole blocks of 32 bytes for each core, and tiles that fit the unified buffer four times."""
    per_core = -(-length // cores)
    per_core = -(-per_core // 16) * 16
    return Tiling(length, per_core, min(per_core, 8192), scale, shift)


def main() -> None:
    """Some lengths and numbers of cores, compared with NumPy bit for bit."""
    random = np.random.default_rng(3)
    for dtype in (np.float32, np.float16):
        for length, cores in ((16, 1), (4096, 8), (100_000, 5), (1 << 20, 48)):
            x = random.standard_normal(length).astype(dtype)
            y = np.full_like(x, np.nan)
            tiling = plan(length, cores, 2.5, -0.75)
            scale_shift[cores](x, y, tiling)
            same = np.array_equal(y, x * dtype(tiling.scale) + dtype(tiling.shift))
            words = "equal to NumPy" if same else "WRONG"
            print(f"{dtype.__name__} {length:8} elements on {cores:2} cores, tiles of {tiling.tile:5}: {words}")
            if not same:
                raise SystemExit(1)
    try:
        scale_shift[1](x, y, Tiling(16, 16, 1 << 40, 1.0, 0.0))
    except BadField as error:
        print(f"\nA field that does not fit is refused before the launch:\n{error}")


if __name__ == "__main__":
    main()
