"""A copy to a place that no block starts at."""

import numpy as np

from opwright import asc


@asc.jit
def copies(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(x_local[3:], x_gm, 32)


copies[1](np.zeros(64, np.float32))
