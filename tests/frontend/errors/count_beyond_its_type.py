"""A count of the run that its parameter cannot hold."""

import numpy as np

from opwright import asc


@asc.jit
def copies(x: asc.GlobalAddress, count: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(local, x_gm, count)


copies[1](np.zeros(64, np.float32), -64)
