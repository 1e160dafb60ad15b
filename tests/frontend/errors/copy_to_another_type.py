"""A copy from global memory into a tensor of another element type."""

import numpy as np

from opwright import asc


@asc.jit
def load(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(x_local, x_gm, 64)


load[1](np.zeros(64, np.float16))
