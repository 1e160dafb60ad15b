"""A part of a tensor that starts between two blocks: the run says where."""

import numpy as np

from opwright import asc


@asc.jit
def copies(x: asc.GlobalAddress, start: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(local[start:], x_gm, 16)


copies[1](np.zeros(64, np.float16), 8)
